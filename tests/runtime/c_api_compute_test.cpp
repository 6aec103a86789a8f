// The C interface: compute programs, their loaders, reports and profiles. What runs through it has the bits
// of the C++ interface.
#include <array>
#include <vector>

#include "frontend/tesla/shader.h"
#include "runtime/c_api_work.h"
#include "runtime/shaders.h"
#include "warpjit/tesla.h"
#include "warpjit/tesla.hpp"

namespace warpjit::test {
namespace {

using CApiCompute = CApiWork;

// y[i] = c0[0] * x[i] + y[i], y[n] of thread n of 64 in a block; x = s[0x10] and y = s[0x14] point to g14.
const char* const kSaxpy = R"(.kernel saxpy
.registers 4
.shared 0x18
mov b32 $r1 u16 s[0xc]
shl b32 $r1 $r1 0x6
and b32 $r0 $r0 0xffff
add b32 $r0 $r0 $r1
shl b32 $r0 $r0 0x2
add b32 $r1 b32 s[0x10] $r0
add b32 $r2 b32 s[0x14] $r0
ld b32 $r1 g14[$r1]
ld b32 $r3 g14[$r2]
ld $r0 b32 c0[0x0]
add f32 $r1 (mul $r0 $r1) $r3
st b32 g14[$r2] $r1
exit nop
.kernel other
exit nop
)";

std::vector<float> saxpy_memory() {
  std::vector<float> memory(256);
  for (std::size_t n = 0; n < memory.size(); ++n) memory[n] = static_cast<float>(n * 7 % 100) / 3;
  return memory;
}
constexpr std::uint32_t kSaxpyPointers[] = {0x1000, 0x1000 + 128 * 4};
constexpr float kFactors[] = {3, 0};

struct Saxpy {
  OwnedProgram program;
  OwnedLaunch launch;
  std::vector<float> memory = saxpy_memory();

  Saxpy() {
    warpjit_error error = sized<warpjit_error>();
    auto choice = sized<warpjit_program_choice>();
    choice.entry = "saxpy";
    choice.source_name = "test";
    EXPECT_EQ(warpjit_program_from_tesla_assembly(kSaxpy, &choice, nullptr, program.out(), &error),
              WARPJIT_OK)
        << error.where << error.message;
    EXPECT_EQ(warpjit_launch_create(program, launch.out(), &error), WARPJIT_OK);
    EXPECT_EQ(warpjit_launch_set_grid(launch, 2, 1, 1, nullptr), WARPJIT_OK);
    EXPECT_EQ(warpjit_launch_set_block(launch, 64, 1, 1, nullptr), WARPJIT_OK);
    EXPECT_EQ(warpjit_launch_set_shared_bytes(launch, 1024, nullptr), WARPJIT_OK);
    EXPECT_EQ(warpjit_launch_set_parameters(launch, kSaxpyPointers, sizeof kSaxpyPointers, &error),
              WARPJIT_OK);
    EXPECT_EQ(warpjit_launch_bind_constants(launch, "c0", kFactors, sizeof kFactors, &error), WARPJIT_OK);
    EXPECT_EQ(warpjit_launch_map_memory(launch, "g14", 0x1000, memory.data(), memory.size() * 4, &error),
              WARPJIT_OK)
        << error.message;
  }
};

TEST_F(CApiCompute, RunsLikeTheCppInterface) {
  std::vector<float> wanted = saxpy_memory();
  const auto program = tesla::load_assembly(kSaxpy, {.entry = "saxpy"});
  ASSERT_TRUE(program) << to_string(program.error());
  Launch launch(*program);
  EXPECT_TRUE(launch.set_grid(2));
  EXPECT_TRUE(launch.set_block(64));
  EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(kSaxpyPointers))));
  ASSERT_TRUE(launch.bind_constants("c0", kFactors, sizeof kFactors));
  ASSERT_TRUE(launch.map_memory("g14", 0x1000, wanted.data(), wanted.size() * 4));
  const Engine cpp_engine;
  ASSERT_TRUE(cpp_engine.run(launch));
  EXPECT_NE(wanted, saxpy_memory());
  for (const std::int32_t kind : {WARPJIT_JIT, WARPJIT_IR, WARPJIT_GUEST}) {
    const Saxpy saxpy;
    auto options = sized<warpjit_run_options>();
    options.engine = kind;
    auto report = sized<warpjit_report>();
    EXPECT_EQ(warpjit_engine_run(engine, saxpy.launch, &options, &report, &error), WARPJIT_OK)
        << error.message;
    EXPECT_EQ(std::memcmp(saxpy.memory.data(), wanted.data(), wanted.size() * 4), 0) << kind;
    EXPECT_EQ(report.work, WARPJIT_WORK_GRID);
    EXPECT_EQ(report.fault, 0u);
    EXPECT_GE(report.compile_ns,
              report.translate_ns + report.passes_ns + report.backend_ns + report.place_ns);
    EXPECT_STREQ(report.interpreted_because, "");
  }
}

TEST_F(CApiCompute, ProgramsTellWhatTheyNeed) {
  const Saxpy saxpy;
  auto info = sized<warpjit_program_info>();
  ASSERT_EQ(warpjit_program_get_info(saxpy.program, &info, &error), WARPJIT_OK);
  EXPECT_EQ(info.isa, WARPJIT_ISA_TESLA);
  EXPECT_EQ(info.stage, WARPJIT_STAGE_COMPUTE);
  EXPECT_EQ(info.registers, 4u);
  EXPECT_EQ(info.shared_bytes, 0x18u);
  EXPECT_STREQ(info.name, "saxpy");
  EXPECT_STREQ(info.source_name, "test");
  OwnedProgram same;
  ASSERT_EQ(warpjit_launch_get_program(saxpy.launch, same.out(), &error), WARPJIT_OK);
  auto again = sized<warpjit_program_info>();
  ASSERT_EQ(warpjit_program_get_info(same, &again, &error), WARPJIT_OK);
  EXPECT_EQ(again.name, info.name);
  EXPECT_EQ(warpjit_launch_fuel(saxpy.launch), std::uint64_t{WARPJIT_DEFAULT_FUEL});
  EXPECT_EQ(warpjit_launch_set_fuel(saxpy.launch, 7), WARPJIT_OK);
  EXPECT_EQ(warpjit_launch_fuel(saxpy.launch), 7u);
}

TEST_F(CApiCompute, Cubins) {
  const std::string text =
      "architecture {sm_10}\nabiversion {1}\ncode {\n name = empty\n lmem = 0\n smem = 16\n reg = 2\n bar = "
      "0\n"
      " bincode {\n  0xf0000001 0xe0000781\n }\n}\n";
  auto choice = sized<warpjit_program_choice>();
  choice.source_name = "empty.cubin";
  for (const bool any : {false, true}) {
    OwnedProgram program;
    const warpjit_status status =
        any ? warpjit_program_load(text.data(), text.size(), &choice, program.out(), &error)
            : warpjit_program_from_cubin(text.data(), text.size(), &choice, nullptr, program.out(), &error);
    ASSERT_EQ(status, WARPJIT_OK) << error.where << error.message;
    auto info = sized<warpjit_program_info>();
    ASSERT_EQ(warpjit_program_get_info(program, &info, &error), WARPJIT_OK);
    EXPECT_STREQ(info.name, "empty");
    EXPECT_EQ(warpjit_engine_run(engine, launch_of(program), nullptr, nullptr, &error), WARPJIT_OK)
        << error.message;
  }
}

// 0 times infinity, by words and in modes.
TEST_F(CApiCompute, ModesAndWords) {
  const char* const text =
      ".kernel k\n.registers 8\n.shared 0x10\nmov b32 $r1 0x7f800000\nmul rn f32 $r1 $r1 $r63\n"
      "and b32 $r0 $r0 0xffff\nshl b32 $r0 $r0 0x2\nst b32 g14[$r0] $r1\nexit nop\n";
  const auto assembled = tesla::load_assembly(text);
  ASSERT_TRUE(assembled) << to_string(assembled.error());
  const auto& code = static_cast<const tesla::Shader&>(frontend::shader_of(*assembled)).program().code;
  auto modes = sized<warpjit_tesla_modes>();
  for (const std::uint32_t flags : {0u, std::uint32_t{WARPJIT_TESLA_ZERO_WINS}}) {
    modes.flags = flags;
    modes.call_limit = 3;
    for (const bool words : {false, true}) {
      OwnedProgram program;
      auto raw = sized<warpjit_tesla_words>();
      raw.code = code.data();
      raw.code_count = code.size();
      raw.shared_bytes = 0x10;
      const warpjit_status status =
          words ? warpjit_program_from_tesla_words(&raw, &modes, program.out(), &error)
                : warpjit_program_from_tesla_assembly(text, nullptr, &modes, program.out(), &error);
      ASSERT_EQ(status, WARPJIT_OK) << error.where << error.message;
      const OwnedLaunch launch = launch_of(program);
      std::uint32_t memory[2] = {};
      EXPECT_EQ(warpjit_launch_map_memory(launch, "g14", 0, memory, sizeof memory, &error), WARPJIT_OK);
      EXPECT_EQ(warpjit_engine_run(engine, launch, nullptr, nullptr, &error), WARPJIT_OK) << error.message;
      EXPECT_EQ(memory[0] << 1 > 0xFF000000u, flags == 0) << memory[0];  // NaN
    }
  }
}

TEST_F(CApiCompute, ReportsTellOfFaults) {
  const Saxpy saxpy;
  EXPECT_EQ(warpjit_launch_set_grid(saxpy.launch, 3, 1, 1, nullptr), WARPJIT_OK);
  auto report = sized<warpjit_report>();
  EXPECT_EQ(warpjit_engine_run(engine, saxpy.launch, nullptr, &report, &error), WARPJIT_OK) << error.message;
  EXPECT_EQ(report.fault, 1u);
  EXPECT_NE(std::string(report.fault_where).find("test"), std::string::npos) << report.fault_where;
  EXPECT_NE(std::string(report.fault_what).find("g14[0x1400] by thread 0 of block (2, 0)"), std::string::npos)
      << report.fault_what;
  // A caller of the first version has no room for these.
  std::array<std::byte, sizeof(warpjit_report)> bytes;
  bytes.fill(std::byte{0x5A});
  auto* old = reinterpret_cast<warpjit_report*>(bytes.data());
  old->size = 64;
  EXPECT_EQ(warpjit_engine_run(engine, saxpy.launch, nullptr, old, &error), WARPJIT_OK);
  EXPECT_EQ(old->cache_hit, 1u);
  for (std::size_t n = 64; n < bytes.size(); ++n) ASSERT_EQ(bytes[n], std::byte{0x5A}) << n;
  // Nothing is mapped.
  EXPECT_EQ(warpjit_launch_unmap_memory(saxpy.launch), WARPJIT_OK);
  EXPECT_EQ(warpjit_engine_run(engine, saxpy.launch, nullptr, &report, &error), WARPJIT_OK) << error.message;
  EXPECT_EQ(report.fault, 1u);
}

TEST_F(CApiCompute, BackgroundAndCompilations) {
  const Saxpy saxpy, other;
  auto options = sized<warpjit_run_options>();
  options.flags = WARPJIT_RUN_BACKGROUND;
  auto report = sized<warpjit_report>();
  EXPECT_EQ(warpjit_engine_run(engine, saxpy.launch, &options, &report, &error), WARPJIT_OK);
  EXPECT_LE(report.interpreted, 2u);
  EXPECT_EQ(warpjit_engine_wait_for_compilations(engine), WARPJIT_OK);
  EXPECT_EQ(warpjit_engine_run(engine, other.launch, nullptr, nullptr, &error), WARPJIT_OK);
  EXPECT_EQ(saxpy.memory, other.memory);
  Owned<warpjit_compilation, warpjit_compilation_destroy> compilation;
  ASSERT_EQ(warpjit_engine_warm(engine, saxpy.launch, nullptr, compilation.out(), &error), WARPJIT_OK);
  EXPECT_EQ(warpjit_compilation_wait(compilation, WARPJIT_FOREVER, nullptr, &error), WARPJIT_OK);
  EXPECT_EQ(warpjit_compilation_state(compilation), WARPJIT_COMPILATION_DONE);
  EXPECT_EQ(warpjit_compilation_state(nullptr), -1);
  std::uint32_t cancel = 1;
  options.cancel = &cancel;
  EXPECT_EQ(warpjit_engine_run(engine, saxpy.launch, &options, &report, &error), WARPJIT_CANCELLED);
}

// A call that the program's guest and stage do not have is refused at once, with its name.
TEST_F(CApiCompute, CallsOfOtherProgramsAreRefused) {
  const Saxpy saxpy;
  const Handles rows;
  const auto refused = [&](warpjit_status status, const std::string& call) {
    EXPECT_EQ(status, WARPJIT_BAD_INPUT) << call;
    EXPECT_NE(std::string(error.message).find(call), std::string::npos) << error.message;
  };
  refused(warpjit_launch_set_count(saxpy.launch, 5, &error), "set_count");
  refused(warpjit_launch_set_instances(saxpy.launch, 5, &error), "set_instances");
  refused(warpjit_launch_set_allow_overlap(saxpy.launch, 1, &error), "set_allow_overlap");
  refused(warpjit_launch_set_first_vertex(saxpy.launch, 1, 0, &error), "set_first_vertex");
  refused(warpjit_launch_set_grid(rows.launch, 2, 1, 1, &error), "set_grid");
  refused(warpjit_launch_set_block(rows.launch, 2, 1, 1, &error), "set_block");
  refused(warpjit_launch_set_first_block(rows.launch, 2, 1, 1, &error), "set_first_block");
  refused(warpjit_launch_set_shared_bytes(rows.launch, 16, &error), "set_shared_bytes");
  refused(warpjit_launch_set_parameters(rows.launch, "abcd", 4, &error), "parameters");
  refused(warpjit_launch_set_attributes(rows.launch, nullptr, 0, 0, &error), "set_attributes");
  refused(warpjit_launch_map_results(rows.launch, nullptr, 0, 16, &error), "map_results");
  // They leave the launches as they were.
  EXPECT_EQ(warpjit_engine_run(engine, saxpy.launch, nullptr, nullptr, &error), WARPJIT_OK) << error.message;
  EXPECT_EQ(warpjit_engine_run(engine, rows.launch, nullptr, nullptr, &error), WARPJIT_OK) << error.message;
}

TEST_F(CApiCompute, MissingArgumentsAreRefused) {
  const Saxpy saxpy;
  warpjit_launch* const launch = saxpy.launch;
  const Handles rows;
  std::uint64_t data[2] = {};
  warpjit_program* program = nullptr;
  auto words = sized<warpjit_tesla_words>();
  words.code = kCode;
  words.code_count = 2;
  auto too_small = words;
  too_small.size = 8;
  auto modes = sized<warpjit_tesla_modes>();
  modes.size = 0;
  auto choice = sized<warpjit_program_choice>();
  auto info = sized<warpjit_program_info>();
  auto no_room = sized<warpjit_program_info>();
  no_room.size = 16;
  const char* const bad = "nonsense";
  const warpjit_status got[] = {
      warpjit_launch_set_grid(nullptr, 1, 1, 1, nullptr),
      warpjit_launch_set_block(nullptr, 1, 1, 1, nullptr),
      warpjit_launch_set_shared_bytes(nullptr, 1, nullptr),
      warpjit_launch_unmap_memory(nullptr),
      warpjit_launch_set_parameters(nullptr, data, 4, nullptr),
      warpjit_launch_set_parameters(launch, nullptr, 4, nullptr),
      warpjit_launch_bind_constants(nullptr, "c0", data, 16, nullptr),
      warpjit_launch_bind_constants(launch, nullptr, data, 16, nullptr),
      warpjit_launch_bind_constants(launch, "c0", nullptr, 16, nullptr),
      warpjit_launch_bind_constants(launch, "c16", data, 16, nullptr),
      warpjit_launch_bind_constants(launch, "g0", data, 16, nullptr),
      warpjit_launch_bind_constants(rows.launch, "c0", data, 16, nullptr),
      warpjit_launch_map_memory(nullptr, "g0", 0, data, 16, nullptr),
      warpjit_launch_map_memory(launch, nullptr, 0, data, 16, nullptr),
      warpjit_launch_map_memory(launch, "g0", 0, nullptr, 16, nullptr),
      warpjit_launch_map_memory(launch, "c0", 0, data, 16, nullptr),
      warpjit_launch_map_memory(launch, "g0", 1ull << 40, data, 16, nullptr),
      warpjit_launch_map_memory(rows.launch, "g0", 0, data, 16, nullptr),
      warpjit_launch_get_program(nullptr, &program, nullptr),
      warpjit_launch_get_program(launch, nullptr, nullptr),
      warpjit_program_get_info(nullptr, &info, nullptr),
      warpjit_program_get_info(saxpy.program, nullptr, nullptr),
      warpjit_program_get_info(saxpy.program, &no_room, nullptr),
      warpjit_program_load(nullptr, 4, nullptr, &program, nullptr),
      warpjit_program_load(bad, 8, nullptr, &program, nullptr),
      warpjit_program_load(bad, 8, nullptr, nullptr, nullptr),
      warpjit_program_from_cubin(nullptr, 4, nullptr, nullptr, &program, nullptr),
      warpjit_program_from_cubin(bad, 8, nullptr, nullptr, &program, nullptr),
      warpjit_program_from_cubin(bad, 8, nullptr, nullptr, nullptr, nullptr),
      warpjit_program_from_tesla_assembly(nullptr, nullptr, nullptr, &program, nullptr),
      warpjit_program_from_tesla_assembly(bad, nullptr, nullptr, &program, nullptr),
      warpjit_program_from_tesla_assembly(kSaxpy, nullptr, nullptr, &program, nullptr),  // which one?
      warpjit_program_from_tesla_assembly(kSaxpy, &choice, &modes, &program, nullptr),
      warpjit_program_from_tesla_assembly(kSaxpy, &choice, nullptr, nullptr, nullptr),
      warpjit_program_from_tesla_words(nullptr, nullptr, &program, nullptr),
      warpjit_program_from_tesla_words(&words, nullptr, nullptr, nullptr),
      warpjit_program_from_tesla_words(&words, &modes, &program, nullptr),
      warpjit_program_from_tesla_words(&too_small, nullptr, &program, nullptr),
  };
  for (std::size_t n = 0; n < std::size(got); ++n) EXPECT_EQ(got[n], WARPJIT_BAD_INPUT) << n;
  EXPECT_EQ(warpjit_launch_count(nullptr), 0u);
  EXPECT_EQ(warpjit_launch_fuel(nullptr), 0u);
  // Modes and stages that nobody knows, or that this container does not have.
  modes = sized<warpjit_tesla_modes>();
  modes.flags = 64;
  choice.entry = "saxpy";
  EXPECT_EQ(warpjit_program_from_tesla_assembly(kSaxpy, &choice, &modes, &program, &error),
            WARPJIT_UNSUPPORTED);
  choice.stage = WARPJIT_STAGE_VERTEX;
  EXPECT_EQ(warpjit_program_from_tesla_assembly(kSaxpy, &choice, nullptr, &program, &error),
            WARPJIT_BAD_INPUT);
  choice.stage = WARPJIT_STAGE_COMPUTE;
  choice.flags = WARPJIT_PROGRAM_F24;
  EXPECT_EQ(warpjit_program_from_tesla_assembly(kSaxpy, &choice, nullptr, &program, &error),
            WARPJIT_UNSUPPORTED);
  EXPECT_EQ(warpjit_program_load(bad, 8, &choice, &program, &error), WARPJIT_UNSUPPORTED);
  EXPECT_EQ(program, nullptr);
}

using OwnedProfile = Owned<warpjit_profile, warpjit_profile_destroy>;

TEST_F(CApiCompute, ProfilesLikeTheCppInterface) {
  const char* const text =
      ".kernel k\n.registers 8\n.shared 0x80\n.barriers 1\n"
      "and b32 $r0 $r0 0xffff\nld $r1 b32 s[0x20]\nadd b32 $r1 $r1 $r5\nst b32 s[0x20] $r1\nexit nop\n";
  OwnedProgram program;
  ASSERT_EQ(warpjit_program_from_tesla_assembly(text, nullptr, nullptr, program.out(), &error), WARPJIT_OK)
      << error.message;
  const OwnedLaunch launch = launch_of(program);
  EXPECT_EQ(warpjit_launch_set_block(launch, 64, 1, 1, nullptr), WARPJIT_OK);
  OwnedProfile profile;
  ASSERT_EQ(warpjit_profile_create(profile.out(), &error), WARPJIT_OK);
  auto report = sized<warpjit_report>();
  ASSERT_EQ(warpjit_engine_profile(engine, launch, profile, &report, &error), WARPJIT_OK) << error.message;
  EXPECT_EQ(report.engine, WARPJIT_GUEST);

  const Engine cpp_engine;
  const auto loaded = tesla::load_assembly(text);
  ASSERT_TRUE(loaded);
  Launch cpp_launch(*loaded);
  EXPECT_TRUE(cpp_launch.set_block(64));
  Profile wanted;
  ASSERT_TRUE(cpp_engine.profile(cpp_launch, wanted));
  auto info = sized<warpjit_profile_info>();
  ASSERT_EQ(warpjit_profile_get_info(profile, &info, &error), WARPJIT_OK);
  ASSERT_EQ(info.instruction_count, wanted.instructions.size());
  ASSERT_EQ(info.race_count, wanted.races.size());
  EXPECT_GT(info.race_count, 0u);
  EXPECT_EQ(info.further_races, wanted.further_races);
  EXPECT_EQ(info.deepest_stack, wanted.deepest_stack);
  EXPECT_EQ(std::vector<std::uint64_t>(info.active_lanes, info.active_lanes + info.active_lane_count),
            wanted.active_lanes);
  bool uninitialized = false;
  for (std::size_t n = 0; n < info.instruction_count; ++n) {
    auto line = sized<warpjit_profile_instruction>();
    ASSERT_EQ(warpjit_profile_get_instruction(profile, n, &line, &error), WARPJIT_OK);
    const Profile::Instruction& from = wanted.instructions[n];
    EXPECT_EQ(line.address, from.address);
    EXPECT_EQ(line.text, from.text);
    EXPECT_EQ(line.warps, from.warps);
    EXPECT_EQ(line.lanes, from.lanes);
    EXPECT_EQ(line.diverged, from.diverged);
    EXPECT_EQ(line.faults, from.faults);
    EXPECT_EQ(line.uninitialized_registers, from.uninitialized_registers);
    EXPECT_EQ(line.uninitialized_shared, from.uninitialized_shared);
    EXPECT_EQ(line.first_uninitialized, from.first_uninitialized);
    uninitialized |= line.uninitialized_registers != 0;
  }
  EXPECT_TRUE(uninitialized);
  for (std::size_t n = 0; n < info.race_count; ++n) {
    auto race = sized<warpjit_profile_race>();
    ASSERT_EQ(warpjit_profile_get_race(profile, n, &race, &error), WARPJIT_OK);
    EXPECT_EQ(race.first, wanted.races[n].first);
    EXPECT_EQ(race.second, wanted.races[n].second);
    EXPECT_EQ(race.count, wanted.races[n].count);
    EXPECT_EQ(race.example, wanted.races[n].example);
  }
}

TEST_F(CApiCompute, ProfilesOfFailedRuns) {
  OwnedProgram program;
  ASSERT_EQ(warpjit_program_from_tesla_assembly(".kernel k\n.registers 2\nloop:\nbra #loop\n", nullptr,
                                                nullptr, program.out(), &error),
            WARPJIT_OK)
      << error.message;
  const OwnedLaunch launch = launch_of(program);
  EXPECT_EQ(warpjit_launch_set_fuel(launch, 100), WARPJIT_OK);
  OwnedProfile profile;
  ASSERT_EQ(warpjit_profile_create(profile.out(), &error), WARPJIT_OK);
  EXPECT_EQ(warpjit_engine_profile(engine, launch, profile, nullptr, &error), WARPJIT_OUT_OF_FUEL);
  auto info = sized<warpjit_profile_info>(), no_room = info;
  no_room.size = 8;
  auto line = sized<warpjit_profile_instruction>();
  auto race = sized<warpjit_profile_race>();
  ASSERT_EQ(warpjit_profile_get_info(profile, &info, &error), WARPJIT_OK);
  EXPECT_EQ(info.instruction_count, 1u);
  EXPECT_EQ(info.race_count, 0u);
  const Handles rows;
  EXPECT_EQ(warpjit_engine_profile(engine, rows.launch, profile, nullptr, &error), WARPJIT_OK);
  const warpjit_status got[] = {
      warpjit_profile_create(nullptr, nullptr),
      warpjit_engine_profile(nullptr, launch, profile, nullptr, nullptr),
      warpjit_engine_profile(engine, nullptr, profile, nullptr, nullptr),
      warpjit_engine_profile(engine, launch, nullptr, nullptr, nullptr),
      warpjit_profile_get_info(nullptr, &info, nullptr),
      warpjit_profile_get_info(profile, nullptr, nullptr),
      warpjit_profile_get_info(profile, &no_room, nullptr),
      warpjit_profile_get_instruction(nullptr, 0, &line, nullptr),
      warpjit_profile_get_instruction(profile, 0, nullptr, nullptr),
      warpjit_profile_get_instruction(profile, 1000, &line, nullptr),
      warpjit_profile_get_race(nullptr, 0, &race, nullptr),
      warpjit_profile_get_race(profile, 0, nullptr, nullptr),
      warpjit_profile_get_race(profile, 0, &race, nullptr),
  };
  for (std::size_t n = 0; n < std::size(got); ++n) EXPECT_EQ(got[n], WARPJIT_BAD_INPUT) << n;
  warpjit_profile_destroy(nullptr);
}

}  // namespace
}  // namespace warpjit::test
