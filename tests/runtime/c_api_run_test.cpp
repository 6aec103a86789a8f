// The C interface: runs, and what they may be given: other buffers, modes, fuel, threads of the embedder.
#include <atomic>
#include <thread>

#include "runtime/c_api.h"
#include "runtime/shaders.h"
#include "warpjit/tesla.h"

namespace warpjit::test {
namespace {

TEST(CApi, Runs) {
  Handles h;
  auto report = sized<warpjit_report>();
  EXPECT_EQ(warpjit_engine_run(h.engine, h.launch, nullptr, &report, &h.error), WARPJIT_OK)
      << h.error.message;
  EXPECT_TRUE(h.moved());
  EXPECT_EQ(report.size, sizeof report);
  EXPECT_EQ(report.cache_hit, 0u);
  EXPECT_GT(report.compile_ns, 0u);
  EXPECT_GT(report.lanes, 0u);
  EXPECT_EQ(h.error.status, WARPJIT_OK);
  EXPECT_STREQ(h.error.message, "");
  for (const int engine : {WARPJIT_GUEST, WARPJIT_IR, WARPJIT_JIT}) {
    auto options = sized<warpjit_run_options>();
    options.engine = engine;
    options.threads = 2;
    std::memset(h.out, 0, sizeof h.out);
    EXPECT_EQ(warpjit_engine_run(h.engine, h.launch, &options, &report, nullptr), WARPJIT_OK);
    EXPECT_TRUE(h.moved());
  }
  EXPECT_EQ(report.cache_hit, 1u);
  // A launch keeps its program, a copy its bindings.
  warpjit_launch* copy = nullptr;
  ASSERT_EQ(warpjit_launch_copy(h.launch, &copy, &h.error), WARPJIT_OK);
  warpjit_program_destroy(h.program);
  h.program = nullptr;
  std::memset(h.out, 0, sizeof h.out);
  EXPECT_EQ(warpjit_engine_run(h.engine, copy, nullptr, nullptr, nullptr), WARPJIT_OK);
  EXPECT_TRUE(h.moved());
  warpjit_launch_destroy(copy);
  auto info = sized<warpjit_engine_info>();
  EXPECT_EQ(warpjit_engine_get_info(h.engine, &info, &h.error), WARPJIT_OK);
  EXPECT_EQ(info.jit == 0, info.no_jit_reason[0] != '\0');
  EXPECT_EQ(info.jit, info.targets >> info.target & (info.jit != 0 ? 1u : 0u));
  EXPECT_GT(info.concurrency, 0u);
  auto statistics = sized<warpjit_statistics>();
  EXPECT_EQ(warpjit_engine_get_statistics(h.engine, &statistics, &h.error), WARPJIT_OK);
  EXPECT_GE(statistics.compiles, 3u - (info.jit == 0));
  EXPECT_GE(statistics.hits, 1u);
  EXPECT_EQ(statistics.capacity, std::uint64_t{64} << 20);
  EXPECT_EQ(warpjit_engine_clear_cache(h.engine), WARPJIT_OK);
  EXPECT_EQ(warpjit_engine_get_statistics(h.engine, &statistics, &h.error), WARPJIT_OK);
  EXPECT_EQ(statistics.kernels, 0u);
}

TEST(CApi, RebindsAndBindsInPlace) {
  Handles h;
  const warpjit_location v0 = h.find(WARPJIT_INPUT, "v0"), v1 = h.find(WARPJIT_INPUT, "v1"),
                         o0 = h.find(WARPJIT_OUTPUT, "o0"), c0 = h.find(WARPJIT_UNIFORM, "c0");
  const std::uint32_t bits[] = {0x7FC01234};
  EXPECT_EQ(warpjit_launch_set_bits(h.launch, &c0, bits, 1, &h.error), WARPJIT_OK);
  EXPECT_EQ(warpjit_launch_set_bits(h.launch, &v0, bits, 1, &h.error), WARPJIT_BAD_INPUT);
  // Without v0 the program reads 0; without o0 nothing is written.
  auto rows = sized<warpjit_attribute>();
  rows.data = h.in;
  rows.byte_count = sizeof h.in;
  rows.stride = 16;
  rows.components = 4;
  EXPECT_EQ(warpjit_launch_unbind_inputs(h.launch), WARPJIT_OK);
  EXPECT_EQ(warpjit_launch_bind_input(h.launch, &v1, &rows, &h.error), WARPJIT_OK);
  h.out[0] = 7;
  EXPECT_EQ(warpjit_engine_run(h.engine, h.launch, nullptr, nullptr, &h.error), WARPJIT_OK)
      << h.error.message;
  EXPECT_EQ(h.out[0], 0.0f);
  h.out[0] = 7;
  EXPECT_EQ(warpjit_launch_unbind_outputs(h.launch), WARPJIT_OK);
  EXPECT_EQ(warpjit_launch_bind_input(h.launch, &v0, &rows, &h.error), WARPJIT_OK);
  EXPECT_EQ(warpjit_engine_run(h.engine, h.launch, nullptr, nullptr, &h.error), WARPJIT_OK);
  EXPECT_EQ(h.out[0], 7.0f);
  // The results go where the inputs are.
  auto results = sized<warpjit_output_buffer>();
  results.data = h.in;
  results.byte_count = sizeof h.in;
  results.stride = 16;
  results.components = 4;
  EXPECT_EQ(warpjit_launch_bind_output(h.launch, &o0, &results, &h.error), WARPJIT_OK);
  EXPECT_EQ(warpjit_engine_run(h.engine, h.launch, nullptr, nullptr, &h.error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_launch_set_allow_overlap(h.launch, 1, nullptr), WARPJIT_OK);
  EXPECT_EQ(warpjit_engine_run(h.engine, h.launch, nullptr, nullptr, &h.error), WARPJIT_OK);
  EXPECT_EQ(h.in[39], 39.0f);
}

// Two LOOPs that end together: the mode runs the body 3 * 2 times, the hardware leaves the outer one open.
TEST(CApi, StructuralScopes) {
  Handles h;
  // loop i0, 2; loop i1, 2; add r0, c0, r0; mov o0, r0; end
  const std::uint32_t code[] = {0xA4000800, 0xA4400800, 0x02020800, 0x4C010000, 0x88000000};
  const std::uint32_t descriptor = 0x6C36F;
  auto words = program_words(code, &descriptor);
  auto results = sized<warpjit_output_buffer>();
  results.data = h.out;
  results.byte_count = sizeof h.out;
  results.components = 1;
  const float one = 1;
  const std::uint32_t counts[] = {2, 0, 0, 0, 1, 0, 0, 0};  // i0, i1
  for (const std::uint32_t flags : {0u, std::uint32_t{WARPJIT_PROGRAM_STRUCTURAL_SCOPES}}) {
    words.flags = flags;
    warpjit_program* program = nullptr;
    ASSERT_EQ(warpjit_program_from_words(&words, &program, &h.error), WARPJIT_OK) << h.error.message;
    warpjit_launch* launch = nullptr;
    ASSERT_EQ(warpjit_launch_create(program, &launch, &h.error), WARPJIT_OK);
    const warpjit_location c0 = h.find(WARPJIT_UNIFORM, "c0"), i0 = h.find(WARPJIT_UNIFORM, "i0"),
                           o0 = h.find(WARPJIT_OUTPUT, "o0");
    EXPECT_EQ(warpjit_launch_set_uniform(launch, &c0, &one, 1, &h.error), WARPJIT_OK);
    EXPECT_EQ(warpjit_launch_set_int(launch, &i0, counts, 8, &h.error), WARPJIT_OK) << h.error.message;
    EXPECT_EQ(warpjit_launch_bind_output(launch, &o0, &results, &h.error), WARPJIT_OK);
    EXPECT_EQ(warpjit_launch_set_count(launch, 1, nullptr), WARPJIT_OK);
    EXPECT_EQ(warpjit_engine_run(h.engine, launch, nullptr, nullptr, &h.error), WARPJIT_OK)
        << h.error.message;
    EXPECT_EQ(h.out[0], flags == 0 ? 2.0f : 6.0f);
    warpjit_launch_destroy(launch);
    warpjit_program_destroy(program);
  }
  words.flags = 4;
  warpjit_program* program = nullptr;
  EXPECT_EQ(warpjit_program_from_words(&words, &program, &h.error), WARPJIT_UNSUPPORTED);
}

TEST(CApi, F24) {
  Handles h;
  const std::uint32_t code[] = {0x22020000, 0x4C010000, 0x88000000};  // mul r0, c0, v0; mov o0, r0; end
  const std::uint32_t descriptor = 0x6C36F;
  auto words = program_words(code, &descriptor);
  auto rows = sized<warpjit_attribute>();
  rows.data = h.in;
  rows.byte_count = sizeof h.in;
  rows.components = 1;
  auto results = sized<warpjit_output_buffer>();
  results.data = h.out;
  results.byte_count = sizeof h.out;
  results.components = 1;
  h.in[0] = 1.0f + 0x1p-20f;  // has more bits than the 16 of a 24-bit float
  const float one = 1;
  for (const std::uint32_t flags : {0u, std::uint32_t{WARPJIT_PROGRAM_F24}}) {
    words.flags = flags;
    warpjit_program* program = nullptr;
    ASSERT_EQ(warpjit_program_from_words(&words, &program, &h.error), WARPJIT_OK) << h.error.message;
    warpjit_launch* launch = nullptr;
    ASSERT_EQ(warpjit_launch_create(program, &launch, &h.error), WARPJIT_OK);
    const warpjit_location c0 = h.find(WARPJIT_UNIFORM, "c0"), v0 = h.find(WARPJIT_INPUT, "v0"),
                           o0 = h.find(WARPJIT_OUTPUT, "o0");
    EXPECT_EQ(warpjit_launch_set_uniform(launch, &c0, &one, 1, &h.error), WARPJIT_OK);
    EXPECT_EQ(warpjit_launch_bind_input(launch, &v0, &rows, &h.error), WARPJIT_OK);
    EXPECT_EQ(warpjit_launch_bind_output(launch, &o0, &results, &h.error), WARPJIT_OK);
    EXPECT_EQ(warpjit_launch_set_count(launch, 1, nullptr), WARPJIT_OK);
    EXPECT_EQ(warpjit_engine_run(h.engine, launch, nullptr, nullptr, &h.error), WARPJIT_OK)
        << h.error.message;
    EXPECT_EQ(h.out[0], flags == 0 ? h.in[0] : 1.0f);
    warpjit_launch_destroy(launch);
    warpjit_program_destroy(program);
  }
}

TEST(CApi, FuelAndCancelling) {
  Handles h;
  const std::uint32_t code[] = {0xB0000000, 0x88000000};  // jmpc to itself while both flags are 0
  auto words = sized<warpjit_program_words>();
  words.code = code;
  words.code_count = 2;
  warpjit_program* program = nullptr;
  ASSERT_EQ(warpjit_program_from_words(&words, &program, &h.error), WARPJIT_OK) << h.error.message;
  warpjit_launch* launch = nullptr;
  ASSERT_EQ(warpjit_launch_create(program, &launch, &h.error), WARPJIT_OK);
  warpjit_location cmp;
  ASSERT_EQ(warpjit_program_find(program, WARPJIT_STATE, "cmp", &cmp, &h.error), WARPJIT_OK);
  const std::uint32_t flags[2] = {0, 0};
  EXPECT_EQ(warpjit_launch_set_state(launch, &cmp, flags, 2, &h.error), WARPJIT_OK);
  EXPECT_EQ(warpjit_launch_set_count(launch, 4, nullptr), WARPJIT_OK);
  auto options = sized<warpjit_run_options>();
  options.fuel = 10;
  EXPECT_EQ(warpjit_engine_run(h.engine, launch, &options, nullptr, &h.error), WARPJIT_OUT_OF_FUEL);
  EXPECT_NE(std::string(h.error.where).find("word 0"), std::string::npos) << h.error.where;
  std::uint32_t cancel = 0;
  options.fuel = ~std::uint64_t{0};
  options.cancel = &cancel;
  std::thread other([&] { warpjit_store(&cancel, 1); });
  EXPECT_EQ(warpjit_engine_run(h.engine, launch, &options, nullptr, &h.error), WARPJIT_CANCELLED);
  other.join();
  warpjit_launch_destroy(launch);
  warpjit_program_destroy(program);
}

struct Embedder {
  std::atomic<int> calls{0}, lines{0};
};

TEST(CApi, EmbeddersThreadsAndLog) {
  Embedder embedder;
  auto options = sized<warpjit_engine_options>();
  options.parallel_for_context = options.log_context = &embedder;
  options.concurrency = 3;
  options.parallel_for = [](void* context, std::size_t count, void (*body)(void*, std::size_t),
                            void* body_context) {
    ++static_cast<Embedder*>(context)->calls;
    for (std::size_t n = 0; n < count; ++n) body(body_context, n);
  };
  options.log = [](void* context, std::int32_t level, const char* message) {
    if (level == WARPJIT_LOG_DEBUG && std::string(message).find("move") != std::string::npos)
      ++static_cast<Embedder*>(context)->lines;
  };
  Handles h(&options);
  auto run = sized<warpjit_run_options>();
  run.engine = WARPJIT_GUEST;
  run.threads = 2;
  auto report = sized<warpjit_report>();
  EXPECT_EQ(warpjit_engine_run(h.engine, h.launch, &run, &report, &h.error), WARPJIT_OK);
  EXPECT_EQ(report.threads, 2u);
  EXPECT_EQ(embedder.calls, 1);
  EXPECT_EQ(embedder.lines, 1);
  EXPECT_TRUE(h.moved());
  auto info = sized<warpjit_engine_info>();
  EXPECT_EQ(warpjit_engine_get_info(h.engine, &info, &h.error), WARPJIT_OK);
  EXPECT_EQ(info.concurrency, 3u);
}

TEST(CApi, Background) {
  Handles h;
  auto options = sized<warpjit_run_options>();
  options.flags = WARPJIT_RUN_BACKGROUND;
  for (int n = 0; n < 3; ++n) {
    std::memset(h.out, 0, sizeof h.out);
    auto report = sized<warpjit_report>();
    EXPECT_EQ(warpjit_engine_run(h.engine, h.launch, &options, &report, &h.error), WARPJIT_OK);
    EXPECT_TRUE(h.moved());
    EXPECT_EQ(report.engine == WARPJIT_GUEST, report.interpreted == 10);
  }
  warpjit_compilation* compilation = nullptr;
  ASSERT_EQ(warpjit_engine_warm(h.engine, h.launch, nullptr, &compilation, &h.error), WARPJIT_OK);
  auto report = sized<warpjit_report>();
  warpjit_status status;
  while ((status = warpjit_compilation_wait(compilation, 1000, &report, &h.error)) == WARPJIT_PENDING)
    EXPECT_EQ(h.error.status, WARPJIT_PENDING);
  EXPECT_EQ(status, WARPJIT_OK) << h.error.message;
  EXPECT_GT(report.lanes, 0u);
  EXPECT_EQ(warpjit_compilation_wait(compilation, WARPJIT_FOREVER, nullptr, nullptr), WARPJIT_OK);
  EXPECT_EQ(warpjit_compilation_cancel(compilation), 0);
  EXPECT_EQ(warpjit_engine_run(h.engine, h.launch, &options, &report, &h.error), WARPJIT_OK);
  EXPECT_EQ(report.cache_hit, 1u);
  EXPECT_EQ(report.interpreted, 0u);
  EXPECT_EQ(warpjit_engine_warm(h.engine, h.launch, nullptr, nullptr, nullptr), WARPJIT_OK);
  EXPECT_EQ(warpjit_engine_wait_for_compilations(h.engine), WARPJIT_OK);
  EXPECT_EQ(warpjit_engine_cancel_compilations(h.engine), WARPJIT_OK);
  EXPECT_EQ(warpjit_engine_compile(h.engine, h.launch, nullptr, &report, &h.error), WARPJIT_OK);
  EXPECT_EQ(report.cache_hit, 1u);
  // The handle may outlive the engine.
  warpjit_engine_destroy(h.engine);
  h.engine = nullptr;
  EXPECT_EQ(warpjit_compilation_wait(compilation, 0, nullptr, nullptr), WARPJIT_OK);
  warpjit_compilation_destroy(compilation);
}

TEST(CApi, PreparedRunsRunAgain) {
  Handles handles;
  ASSERT_EQ(warpjit_launch_set_count(handles.launch, 1, nullptr), WARPJIT_OK);
  Owned<warpjit_prepared_run, warpjit_prepared_run_destroy> prepared;
  ASSERT_EQ(warpjit_engine_prepare(handles.engine, handles.launch, nullptr, prepared.out(), &handles.error),
            WARPJIT_OK)
      << handles.error.message;
  for (int turn = 0; turn < 3; ++turn) {
    for (int n = 0; n < 4; ++n) handles.in[n] = static_cast<float>(turn * 10 + n);
    ASSERT_EQ(warpjit_prepared_run_run(prepared, &handles.error), WARPJIT_OK) << handles.error.message;
    for (int n = 0; n < 4; ++n) EXPECT_EQ(handles.out[n], handles.in[n]);
  }
  for (int n = 4; n < 40; ++n) EXPECT_EQ(handles.out[n], 0.0f);
  ASSERT_EQ(warpjit_launch_set_count(handles.launch, 11, nullptr), WARPJIT_OK);
  EXPECT_EQ(warpjit_prepared_run_run(prepared, &handles.error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_prepared_run_run(nullptr, &handles.error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_engine_prepare(handles.engine, handles.launch, nullptr, nullptr, &handles.error),
            WARPJIT_BAD_INPUT);
  warpjit_prepared_run_destroy(nullptr);
}

}  // namespace
}  // namespace warpjit::test
