// The C interface: what it accepts, refuses and says. examples/c is compiled as C.
#if defined(__linux__)
#include <unistd.h>
#endif
#include <fstream>
#include <sstream>
#include <vector>

#include "runtime/c_api.h"
#include "runtime/shaders.h"
#include "support/source_dir.h"
#include "warpjit/tesla.h"

namespace warpjit::test {
namespace {

TEST(CApi, Versions) {
  EXPECT_EQ(warpjit_abi_version(), std::uint32_t{WARPJIT_ABI_VERSION});
  std::uint32_t major = 9, minor = 9, patch = 9;
  warpjit_version(&major, &minor, &patch);
  EXPECT_EQ(major, version().major);
  EXPECT_EQ(minor, version().minor);
  EXPECT_EQ(std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch),
            WARPJIT_VERSION_STRING);
  warpjit_version(nullptr, nullptr, nullptr);
  EXPECT_STREQ(warpjit_status_name(WARPJIT_OK), "ok");
  EXPECT_STREQ(warpjit_status_name(WARPJIT_OUT_OF_FUEL), name(ErrorCode::out_of_fuel));
  EXPECT_STREQ(warpjit_status_name(WARPJIT_INTERNAL), name(ErrorCode::internal));
  EXPECT_STREQ(warpjit_status_name(WARPJIT_OUTSIDE), name(ErrorCode::outside));
  EXPECT_STREQ(warpjit_status_name(WARPJIT_PENDING), "pending");
  for (const int none : {-1, 11, 101}) EXPECT_STREQ(warpjit_status_name(none), "?");
}

TEST(CApi, Names) {
  EXPECT_STREQ(warpjit_name(WARPJIT_NAMES_ISA, WARPJIT_ISA_TESLA), "tesla");
  EXPECT_STREQ(warpjit_name(WARPJIT_NAMES_STAGE, WARPJIT_STAGE_VERTEX), "vertex");
  EXPECT_STREQ(warpjit_name(WARPJIT_NAMES_STAGE, WARPJIT_STAGE_COMPUTE), "compute");
  EXPECT_STREQ(warpjit_name(WARPJIT_NAMES_WORK, WARPJIT_WORK_GRID), "grid");
  EXPECT_STREQ(warpjit_name(WARPJIT_NAMES_ENGINE, WARPJIT_GUEST), "guest");
  EXPECT_STREQ(warpjit_name(WARPJIT_NAMES_TARGET, WARPJIT_TARGET_A64), "a64");
  EXPECT_STREQ(warpjit_name(WARPJIT_NAMES_TARGET, WARPJIT_TARGET_A64_FP16), "a64-fp16");
  EXPECT_STREQ(warpjit_name(WARPJIT_NAMES_PRIMITIVES, WARPJIT_PRIMITIVES_FIXED), "fixed");
  for (const std::int32_t value : {-1, 6, 1000, INT32_MIN, INT32_MAX})
    for (std::int32_t names = -1; names <= 5; ++names) EXPECT_STREQ(warpjit_name(names, value), "?");
  EXPECT_STREQ(warpjit_name(WARPJIT_NAMES_PIXEL_FORMAT, 1000), "?");
  EXPECT_STREQ(warpjit_name(7, 0), "?");
  EXPECT_STREQ(warpjit_name(WARPJIT_NAMES_STAGE, WARPJIT_STAGE_ANY), "?");
  // And back.
  warpjit_error error = sized<warpjit_error>();
  std::int32_t value = -7;
  for (std::int32_t names = 0; names < 6; ++names)
    for (std::int32_t n = 0; n < 4; ++n)
      if (const char* name = warpjit_name(names, n); name[0] != '?') {
        EXPECT_EQ(warpjit_parse_name(names, name, &value, &error), WARPJIT_OK) << error.message;
        EXPECT_EQ(value, n);
      }
  value = -7;
  for (const char* none : {"?", "", "Vertex", "any"})
    EXPECT_EQ(warpjit_parse_name(WARPJIT_NAMES_STAGE, none, &value, &error), WARPJIT_BAD_INPUT) << none;
  EXPECT_EQ(warpjit_parse_name(77, "vertex", &value, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_parse_name(WARPJIT_NAMES_STAGE, nullptr, &value, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_parse_name(WARPJIT_NAMES_STAGE, "vertex", nullptr, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(value, -7);
}

TEST(CApi, Formats) {
  EXPECT_EQ(warpjit_component_size(WARPJIT_SNORM16), 2u);
  EXPECT_EQ(warpjit_component_size(11), 0u);
  EXPECT_EQ(warpjit_component_size(-1), 0u);
  EXPECT_STREQ(warpjit_format_name(WARPJIT_UNORM8, 4), "unorm8x4");
  EXPECT_STREQ(warpjit_format_name(WARPJIT_S16, 1), "s16");
  for (const char* name : {warpjit_format_name(11, 1), warpjit_format_name(WARPJIT_F32, 0),
                           warpjit_format_name(WARPJIT_F32, 5), warpjit_format_name(-1, 1)})
    EXPECT_STREQ(name, "?");
  std::int32_t type = -7;
  std::uint32_t components = 7;
  EXPECT_EQ(warpjit_parse_format("f32x3", &type, &components, nullptr), WARPJIT_OK);
  EXPECT_EQ(type, WARPJIT_F32);
  EXPECT_EQ(components, 3u);
  EXPECT_EQ(warpjit_parse_format("f32x5", &type, &components, nullptr), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_parse_format(nullptr, &type, &components, nullptr), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_parse_format("f32", nullptr, &components, nullptr), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_parse_format("f32", &type, nullptr, nullptr), WARPJIT_BAD_INPUT);
  EXPECT_EQ(components, 3u);
}

#if defined(__linux__)
// The map for profilers tells where a kernel lies.
TEST(CApi, GuestPlacesInsideKernels) {
  const std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  unlink(path.c_str());  // of an earlier process
  auto options = sized<warpjit_engine_options>();
  options.flags = WARPJIT_ENGINE_PERF_MAP;
  Handles h(&options);
  auto report = sized<warpjit_report>();
  ASSERT_EQ(warpjit_engine_compile(h.engine, h.launch, nullptr, &report, &h.error), WARPJIT_OK);
  std::ifstream map(path);
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
  for (std::string line; std::getline(map, line);)
    if (line.find("move") != std::string::npos) std::istringstream(line) >> std::hex >> address >> bytes;
  unlink(path.c_str());
  if (address == 0) GTEST_SKIP() << "no map, or no JIT";
  const auto place_of = [&](std::uintptr_t at) {
    auto place = sized<warpjit_guest_place>();
    EXPECT_EQ(warpjit_engine_find_guest_place(h.engine, reinterpret_cast<const void*>(at), &place, &h.error),
              WARPJIT_OK);
    return place;
  };
  for (std::size_t n = 0; n < bytes; ++n) {
    const warpjit_guest_place place = place_of(address + n);
    EXPECT_EQ(place.found, 1u);
    EXPECT_STREQ(place.program, "move");
    EXPECT_TRUE(place.guest_address < 2 || place.guest_address == UINT32_MAX) << place.guest_address;
  }
  EXPECT_EQ(place_of(address + (std::uintptr_t{1} << 40)).found, 0u);
}
#endif

TEST(CApi, GuestPlacesOutsideKernels) {
  const Handles h;
  warpjit_error error = sized<warpjit_error>();
  auto place = sized<warpjit_guest_place>();
  place.found = 9;
  EXPECT_EQ(warpjit_engine_find_guest_place(h.engine, &place, &place, &error), WARPJIT_OK);
  EXPECT_EQ(place.found, 0u);
  EXPECT_EQ(warpjit_engine_find_guest_place(h.engine, nullptr, &place, &error), WARPJIT_OK);
  EXPECT_EQ(warpjit_engine_find_guest_place(nullptr, &place, &place, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_engine_find_guest_place(h.engine, &place, nullptr, &error), WARPJIT_BAD_INPUT);
  place.size = 8;
  EXPECT_EQ(warpjit_engine_find_guest_place(h.engine, &place, &place, &error), WARPJIT_BAD_INPUT);
}

// The first version's sizes are fixed for ever: a struct that grows keeps kFirstSize in api/c/boundary.h.
TEST(CApi, StructsKeepTheirLayout) {
  if (sizeof(void*) != 8) GTEST_SKIP() << "stated for 64-bit hosts";
  EXPECT_EQ(sizeof(warpjit_error), 776u);
  EXPECT_EQ(sizeof(warpjit_engine_options), 80u);
  EXPECT_EQ(sizeof(warpjit_engine_info), 40u);
  EXPECT_EQ(sizeof(warpjit_statistics), 112u);
  EXPECT_EQ(sizeof(warpjit_program_choice), 40u);
  EXPECT_EQ(sizeof(warpjit_program_words), 72u);
  EXPECT_EQ(offsetof(warpjit_program_words, stage), 64u);
  EXPECT_EQ(sizeof(warpjit_program_info), 56u);
  EXPECT_EQ(sizeof(warpjit_guest_place), 272u);
  EXPECT_EQ(sizeof(warpjit_symbol), 32u);
  EXPECT_EQ(sizeof(warpjit_location), 20u);
  EXPECT_EQ(sizeof(warpjit_attribute), 48u);
  EXPECT_EQ(sizeof(warpjit_output_buffer), 40u);
  EXPECT_EQ(sizeof(warpjit_run_options), 40u);
  EXPECT_EQ(sizeof(warpjit_report), 1280u);
  EXPECT_EQ(offsetof(warpjit_report, draw), 1168u);
  EXPECT_EQ(offsetof(warpjit_report, work), 64u);
  EXPECT_EQ(sizeof(warpjit_geometry_input), 56u);
  EXPECT_EQ(sizeof(warpjit_triangle_buffer), 40u);
  EXPECT_EQ(sizeof(warpjit_profile_info), 56u);
  EXPECT_EQ(sizeof(warpjit_profile_instruction), 80u);
  EXPECT_EQ(sizeof(warpjit_profile_race), 32u);
  EXPECT_EQ(sizeof(warpjit_tesla_modes), 16u);
  EXPECT_EQ(sizeof(warpjit_tesla_words), 64u);
  EXPECT_EQ(offsetof(warpjit_tesla_words, graphics), 48u);
}

TEST(CApi, NullsAreRefused) {
  Handles h;
  const warpjit_location at = h.find(WARPJIT_UNIFORM, "c0");
  const float value = 1;
  const std::uint32_t word = 1;
  auto words = sized<warpjit_program_words>();
  auto rows = sized<warpjit_attribute>();
  auto results = sized<warpjit_output_buffer>();
  warpjit_location found{};
  warpjit_program* program = nullptr;
  warpjit_launch* launch = nullptr;
  const warpjit_status got[] = {
      warpjit_engine_create(nullptr, nullptr, nullptr),
      warpjit_engine_get_info(nullptr, nullptr, nullptr),
      warpjit_engine_get_info(h.engine, nullptr, nullptr),
      warpjit_engine_get_statistics(nullptr, nullptr, nullptr),
      warpjit_engine_get_statistics(h.engine, nullptr, nullptr),
      warpjit_engine_clear_cache(nullptr),
      warpjit_engine_wait_for_compilations(nullptr),
      warpjit_engine_cancel_compilations(nullptr),
      warpjit_program_from_shbin(nullptr, 4, nullptr, &program, nullptr),
      warpjit_program_from_shbin(kCode, 8, nullptr, nullptr, nullptr),
      warpjit_program_from_words(nullptr, &program, nullptr),
      warpjit_program_from_words(&words, nullptr, nullptr),
      warpjit_program_find(nullptr, WARPJIT_INPUT, "v0", &found, nullptr),
      warpjit_program_find(h.program, WARPJIT_INPUT, nullptr, &found, nullptr),
      warpjit_program_find(h.program, WARPJIT_INPUT, "v0", nullptr, nullptr),
      warpjit_program_find(h.program, 4, "v0", &found, nullptr),
      warpjit_program_find(h.program, -1, "v0", &found, nullptr),
      warpjit_program_get_symbol(nullptr, WARPJIT_INPUT, 0, nullptr, nullptr),
      warpjit_program_get_symbol(h.program, WARPJIT_INPUT, 0, nullptr, nullptr),
      warpjit_launch_create(nullptr, &launch, nullptr),
      warpjit_launch_create(h.program, nullptr, nullptr),
      warpjit_launch_copy(nullptr, &launch, nullptr),
      warpjit_launch_copy(h.launch, nullptr, nullptr),
      warpjit_launch_set_uniform(nullptr, &at, &value, 1, nullptr),
      warpjit_launch_set_uniform(h.launch, nullptr, &value, 1, nullptr),
      warpjit_launch_set_uniform(h.launch, &at, nullptr, 1, nullptr),
      warpjit_launch_set_bits(h.launch, &at, nullptr, 1, nullptr),
      warpjit_launch_set_int(nullptr, &at, &word, 1, nullptr),
      warpjit_launch_set_bool(nullptr, &at, 1, nullptr),
      warpjit_launch_set_bool(h.launch, nullptr, 1, nullptr),
      warpjit_launch_set_state(h.launch, nullptr, &word, 1, nullptr),
      warpjit_launch_bind_input(nullptr, &at, &rows, nullptr),
      warpjit_launch_bind_input(h.launch, &at, nullptr, nullptr),
      warpjit_launch_bind_output(nullptr, &at, &results, nullptr),
      warpjit_launch_bind_output(h.launch, &at, nullptr, nullptr),
      warpjit_launch_unbind_inputs(nullptr),
      warpjit_launch_unbind_outputs(nullptr),
      warpjit_launch_set_count(nullptr, 1, nullptr),
      warpjit_launch_set_fuel(nullptr, 1),
      warpjit_launch_set_allow_overlap(nullptr, 1, nullptr),
      warpjit_engine_run(nullptr, h.launch, nullptr, nullptr, nullptr),
      warpjit_engine_run(h.engine, nullptr, nullptr, nullptr, nullptr),
      warpjit_engine_compile(nullptr, h.launch, nullptr, nullptr, nullptr),
      warpjit_engine_compile(h.engine, nullptr, nullptr, nullptr, nullptr),
      warpjit_engine_warm(nullptr, h.launch, nullptr, nullptr, nullptr),
      warpjit_engine_warm(h.engine, nullptr, nullptr, nullptr, nullptr),
      warpjit_compilation_wait(nullptr, 0, nullptr, nullptr),
  };
  for (std::size_t n = 0; n < std::size(got); ++n) EXPECT_EQ(got[n], WARPJIT_BAD_INPUT) << n;
  EXPECT_EQ(warpjit_program_symbol_count(nullptr, WARPJIT_INPUT), 0u);
  EXPECT_EQ(warpjit_compilation_cancel(nullptr), 0);
  warpjit_store(nullptr, 1);
  warpjit_engine_destroy(nullptr);
  warpjit_program_destroy(nullptr);
  warpjit_launch_destroy(nullptr);
  warpjit_compilation_destroy(nullptr);
  EXPECT_EQ(warpjit_engine_run(h.engine, nullptr, nullptr, nullptr, &h.error), WARPJIT_BAD_INPUT);
  EXPECT_STREQ(h.error.where, "launch");
  EXPECT_STREQ(h.error.message, "this is NULL");
  EXPECT_EQ(h.error.status, WARPJIT_BAD_INPUT);
  EXPECT_EQ(program, nullptr);
  EXPECT_EQ(launch, nullptr);
}

TEST(CApi, StructSizes) {
  Handles h;
  for (const std::size_t size : {std::size_t{0}, sizeof(warpjit_run_options) - 1, std::size_t{1} << 40}) {
    auto options = sized<warpjit_run_options>();
    options.size = size;
    EXPECT_EQ(warpjit_engine_run(h.engine, h.launch, &options, nullptr, &h.error), WARPJIT_BAD_INPUT) << size;
    EXPECT_STREQ(h.error.where, "options");
    auto report = sized<warpjit_report>();
    report.size = size;
    EXPECT_EQ(warpjit_engine_run(h.engine, h.launch, nullptr, &report, &h.error), WARPJIT_BAD_INPUT) << size;
    auto rows = sized<warpjit_attribute>();
    rows.size = size;
    const warpjit_location v0 = h.find(WARPJIT_INPUT, "v0");
    EXPECT_EQ(warpjit_launch_bind_input(h.launch, &v0, &rows, &h.error), WARPJIT_BAD_INPUT) << size;
    auto words = sized<warpjit_program_words>();
    words.size = size;
    warpjit_program* program = nullptr;
    EXPECT_EQ(warpjit_program_from_words(&words, &program, &h.error), WARPJIT_BAD_INPUT) << size;
    auto engine_options = sized<warpjit_engine_options>();
    engine_options.size = size;
    warpjit_engine* engine = nullptr;
    EXPECT_EQ(warpjit_engine_create(&engine_options, &engine, &h.error), WARPJIT_BAD_INPUT) << size;
  }
  // A struct of a later version: what is not set does no harm.
  struct Later {
    warpjit_run_options options = sized<warpjit_run_options>();
    std::uint64_t more = 0;
  } later;
  later.options.size = sizeof later;
  EXPECT_EQ(warpjit_engine_run(h.engine, h.launch, &later.options, nullptr, &h.error), WARPJIT_OK);
  later.more = 1;
  EXPECT_EQ(warpjit_engine_run(h.engine, h.launch, &later.options, nullptr, &h.error), WARPJIT_UNSUPPORTED);
  struct LaterReport {
    warpjit_report report = sized<warpjit_report>();
    std::uint64_t more = 77;
  } wide;
  wide.report.size = sizeof wide;
  EXPECT_EQ(warpjit_engine_run(h.engine, h.launch, nullptr, &wide.report, &h.error), WARPJIT_OK);
  EXPECT_EQ(wide.report.size, sizeof wide);
  EXPECT_EQ(wide.more, 77u);
  // An error without room is left alone.
  warpjit_error small{};
  small.size = 8;
  EXPECT_EQ(warpjit_engine_run(nullptr, nullptr, nullptr, nullptr, &small), WARPJIT_BAD_INPUT);
  EXPECT_EQ(small.status, 0);
}

TEST(CApi, WrongValuesAreRefused) {
  Handles h;
  const auto refused = [&](auto change, warpjit_status wanted) {
    auto options = sized<warpjit_run_options>();
    change(options);
    EXPECT_EQ(warpjit_engine_run(h.engine, h.launch, &options, nullptr, &h.error), wanted) << h.error.where;
  };
  refused([](auto& options) { options.engine = 3; }, WARPJIT_BAD_INPUT);
  refused([](auto& options) { options.engine = -1; }, WARPJIT_BAD_INPUT);
  refused([](auto& options) { options.target = 6; }, WARPJIT_BAD_INPUT);
  refused([](auto& options) { options.flags = 1u << 31; }, WARPJIT_UNSUPPORTED);
  const warpjit_location v0 = h.find(WARPJIT_INPUT, "v0"), c0 = h.find(WARPJIT_UNIFORM, "c0");
  auto rows = sized<warpjit_attribute>();
  rows.components = 5;
  EXPECT_EQ(warpjit_launch_bind_input(h.launch, &v0, &rows, &h.error), WARPJIT_BAD_INPUT);
  rows.components = 4;
  rows.type = 11;
  EXPECT_EQ(warpjit_launch_bind_input(h.launch, &v0, &rows, &h.error), WARPJIT_BAD_INPUT);
  rows.type = WARPJIT_F32;
  EXPECT_EQ(warpjit_launch_bind_input(h.launch, &c0, &rows, &h.error), WARPJIT_BAD_INPUT);
  const std::uint32_t big = 256;
  const warpjit_location i0 = h.find(WARPJIT_UNIFORM, "i0"), b0 = h.find(WARPJIT_UNIFORM, "b0");
  EXPECT_EQ(warpjit_launch_set_int(h.launch, &i0, &big, 1, &h.error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_launch_set_bool(h.launch, &i0, 1, &h.error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_launch_set_bool(h.launch, &b0, 1, &h.error), WARPJIT_OK);
  const std::vector<float> many(96 * 4 + 1);
  EXPECT_EQ(warpjit_launch_set_uniform(h.launch, &c0, many.data(), 384, &h.error), WARPJIT_OK);
  EXPECT_EQ(warpjit_launch_set_uniform(h.launch, &c0, many.data(), 385, &h.error), WARPJIT_BAD_INPUT);
  // Locations that no program gave.
  for (const warpjit_location made :
       {warpjit_location{99, 0, 1, 4, 0}, warpjit_location{c0.kind, 0, 70000, 4, 0},
        warpjit_location{c0.kind, 0, 96, 4, 0xFFFFFFFF}, warpjit_location{c0.kind, 90, 96, 4, 100000}}) {
    EXPECT_EQ(warpjit_launch_set_uniform(h.launch, &made, many.data(), 4, &h.error), WARPJIT_BAD_INPUT);
  }
  for (const std::uint32_t first : {16u, 64u, 65535u}) {
    const warpjit_location made{v0.kind, first, 1, 4, 0};
    EXPECT_EQ(warpjit_launch_bind_input(h.launch, &made, &rows, &h.error), WARPJIT_BAD_INPUT) << first;
  }
}

TEST(CApi, BadPrograms) {
  warpjit_error error = sized<warpjit_error>();
  warpjit_program* program = nullptr;
  EXPECT_EQ(warpjit_program_from_shbin("DVLBrest", 8, nullptr, &program, &error), WARPJIT_BAD_INPUT);
  EXPECT_NE(error.message[0], '\0');
  EXPECT_EQ(program, nullptr);
  auto words = sized<warpjit_program_words>();
  EXPECT_EQ(warpjit_program_from_words(&words, &program, &error), WARPJIT_BAD_INPUT);
  words.code = kCode;
  words.code_count = 2;
  words.entry = 2;
  EXPECT_EQ(warpjit_program_from_words(&words, &program, &error), WARPJIT_BAD_INPUT);
  words.entry = 0;
  words.flags = 4;
  EXPECT_EQ(warpjit_program_from_words(&words, &program, &error), WARPJIT_UNSUPPORTED);
  words.flags = 0;
  words.stage = WARPJIT_STAGE_COMPUTE;
  EXPECT_EQ(warpjit_program_from_words(&words, &program, &error), WARPJIT_UNSUPPORTED);
  words.stage = WARPJIT_STAGE_FRAGMENT;
  EXPECT_EQ(warpjit_program_from_words(&words, &program, &error), WARPJIT_UNSUPPORTED);
  words.stage = WARPJIT_STAGE_FRAGMENT + 1;
  EXPECT_EQ(warpjit_program_from_words(&words, &program, &error), WARPJIT_BAD_INPUT);
  words.stage = WARPJIT_STAGE_ANY;
  words.isa = WARPJIT_ISA_TESLA;
  EXPECT_EQ(warpjit_program_from_words(&words, &program, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(program, nullptr);
}

TEST(CApi, Containers) {
  const std::vector<std::byte> bytes = read_file(tests::source_file("examples/pica200/mvp_light.shbin"));
  warpjit_error error = sized<warpjit_error>();
  auto choice = sized<warpjit_program_choice>();
  choice.stage = WARPJIT_STAGE_VERTEX;
  choice.position = 1;
  choice.source_name = "mvp_light.shbin";
  warpjit_program* program = nullptr;
  ASSERT_EQ(warpjit_program_from_shbin(bytes.data(), bytes.size(), &choice, &program, &error), WARPJIT_OK)
      << error.message;
  ASSERT_GT(warpjit_program_symbol_count(program, WARPJIT_UNIFORM), 0u);
  EXPECT_EQ(warpjit_program_symbol_count(program, WARPJIT_STATE), 0u);
  auto symbol = sized<warpjit_symbol>();
  bool projection = false;
  for (std::size_t n = 0; n < warpjit_program_symbol_count(program, WARPJIT_UNIFORM); ++n) {
    ASSERT_EQ(warpjit_program_get_symbol(program, WARPJIT_UNIFORM, n, &symbol, &error), WARPJIT_OK);
    projection |= symbol.name == std::string("projection") && symbol.count == 4 && symbol.reg[0] == 'c';
  }
  EXPECT_TRUE(projection);
  EXPECT_EQ(warpjit_program_get_symbol(program, WARPJIT_UNIFORM, 1000, &symbol, &error), WARPJIT_BAD_INPUT);
  warpjit_location location;
  EXPECT_EQ(warpjit_program_find(program, WARPJIT_UNIFORM, "projection", &location, &error), WARPJIT_OK);
  EXPECT_EQ(location.count, 4u);
  EXPECT_EQ(warpjit_program_find(program, WARPJIT_UNIFORM, "nothing", &location, &error), WARPJIT_BAD_INPUT);
  EXPECT_NE(std::string(error.message).find("nothing"), std::string::npos) << error.message;
  warpjit_program_destroy(program);
  choice.position = 99;
  EXPECT_NE(warpjit_program_from_shbin(bytes.data(), bytes.size(), &choice, &program, &error), WARPJIT_OK);
  // A long name is cut where a character ends.
  const std::string long_name = std::string(1000, 'x').replace(249, 4, "\xC3\xA9\xC3\xA9");
  choice.source_name = long_name.c_str();
  EXPECT_EQ(warpjit_program_from_shbin("DVLBrest", 8, &choice, &program, &error), WARPJIT_BAD_INPUT);
  EXPECT_LT(std::strlen(error.where), sizeof error.where);
}

// A listing gives an equal program, whose listing is the same.
TEST(CApi, Listings) {
  Handles h;
  std::size_t length = 0;
  ASSERT_EQ(warpjit_program_disassemble(h.program, nullptr, 0, &length, &h.error), WARPJIT_OK)
      << h.error.message;
  std::string text(length + 1, '?');
  ASSERT_EQ(warpjit_program_disassemble(h.program, text.data(), text.size(), nullptr, &h.error), WARPJIT_OK);
  EXPECT_EQ(text.back(), '\0');
  text.pop_back();
  EXPECT_NE(text.find("mov     o0, v0"), std::string::npos) << text;
  OwnedProgram again;
  ASSERT_EQ(warpjit_program_from_pica200_assembly(text.c_str(), nullptr, again.out(), &h.error), WARPJIT_OK)
      << h.error.where << ": " << h.error.message << "\n"
      << text;
  std::string same(length + 1, '?');
  ASSERT_EQ(warpjit_program_disassemble(again, same.data(), same.size(), &length, &h.error), WARPJIT_OK);
  same.resize(length);
  EXPECT_EQ(same, text);
  // What does not fit is cut.
  char part[5] = "????";
  ASSERT_EQ(warpjit_program_disassemble(h.program, part, 4, &length, &h.error), WARPJIT_OK);
  EXPECT_EQ(length, text.size());
  EXPECT_EQ(std::string(part), text.substr(0, 3));
  EXPECT_EQ(warpjit_program_disassemble(h.program, nullptr, 4, &length, &h.error), WARPJIT_BAD_INPUT);
  EXPECT_STREQ(h.error.where, "text");
  EXPECT_EQ(warpjit_program_disassemble(nullptr, part, 4, &length, &h.error), WARPJIT_BAD_INPUT);
}

TEST(CApi, AssemblyOfThePica200) {
  warpjit_error error = sized<warpjit_error>();
  OwnedProgram program;
  auto choice = sized<warpjit_program_choice>();
  choice.source_name = "bad.pica";
  EXPECT_EQ(warpjit_program_from_pica200_assembly(".proc main\n  nonsense o0, v0\n.end\n", &choice,
                                                  program.out(), &error),
            WARPJIT_BAD_INPUT);
  EXPECT_EQ(std::string(error.where).substr(0, 11), "bad.pica:2:") << error.where;
  EXPECT_EQ(program, nullptr);
  choice.flags = 4;
  EXPECT_EQ(
      warpjit_program_from_pica200_assembly(".proc main\n  end\n.end\n", &choice, program.out(), &error),
      WARPJIT_UNSUPPORTED);
  EXPECT_EQ(warpjit_program_from_pica200_assembly(nullptr, nullptr, program.out(), &error),
            WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_program_from_pica200_assembly(".proc main\n  end\n.end\n", nullptr, nullptr, &error),
            WARPJIT_BAD_INPUT);
}

}  // namespace
}  // namespace warpjit::test
