// The C interface: Valhall's programs, compute, vertex and fragment launches of them.
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "frontend/valhall/shader.h"
#include "runtime/c_api.h"
#include "support/source_dir.h"
#include "warpjit/pixels.h"
#include "warpjit/valhall.h"
#include "warpjit/valhall.hpp"

namespace warpjit::test {
namespace {

// Thread n of the launch adds 1 to word n at u0.
constexpr const char* kAddOne =
    "U16_TO_U32 r0, r55.h00\nSHADDX.u64 r2, u0, r0.w0, shift:0x2\nLOAD.i32.unsigned.slot0 @r4, r2, offset:0\n"
    "IADD_IMM.i32 r4, r4, #1\nSTORE.i32.slot0.end @r4, r2, offset:0\n";
// The attribute, and its first component plus that of the next: what is stored of a vertex.
constexpr const char* kFetch =
    ".stage vertex\nLD_ATTR_IMM.f32.slot0.v4.wait0 @r0:r1:r2:r3, r60, r61, index:0x0, table:0x1\n"
    "FADD.f32 r2, r0, r1\nLEA_BUF_IMM.slot1.wait01 @r8:r9, r59, table:0xD, index:0x0\n"
    "STORE.i128.slot2.end @r0:r1:r2:r3, r8, offset:0\n";
constexpr std::uint32_t kFloatPair = 175 << 12 | 16;  // of 32-bit floats, in the order r, g, b, 1

std::vector<std::uint64_t> words_of(const char* text) {
  const auto assembled = valhall::load_assembly(text);
  EXPECT_TRUE(assembled) << to_string(assembled.error());
  return static_cast<const valhall::Shader&>(frontend::shader_of(*assembled)).program().code;
}

struct CApiValhall : ::testing::Test {
  OwnedEngine engine;
  warpjit_error error = sized<warpjit_error>();

  CApiValhall() { EXPECT_EQ(warpjit_engine_create(nullptr, engine.out(), &error), WARPJIT_OK); }

  OwnedProgram from_words(std::span<const std::uint64_t> code, std::int32_t stage, std::uint32_t flags = 0) {
    auto words = sized<warpjit_valhall_words>();
    words.code = code.data();
    words.code_count = code.size();
    words.stage = stage;
    words.flags = flags;
    words.source_name = "words";
    OwnedProgram program;
    EXPECT_EQ(warpjit_program_from_valhall_words(&words, program.out(), &error), WARPJIT_OK)
        << error.where << error.message;
    return program;
  }
  OwnedProgram from_text(const char* text) {
    OwnedProgram program;
    EXPECT_EQ(warpjit_program_from_valhall_assembly(text, nullptr, program.out(), &error), WARPJIT_OK)
        << error.where << error.message;
    return program;
  }
  OwnedLaunch launch_of(const warpjit_program* program) {
    OwnedLaunch launch;
    EXPECT_EQ(warpjit_launch_create(program, launch.out(), &error), WARPJIT_OK);
    return launch;
  }
  void run(const warpjit_launch* launch, std::int32_t kind) {
    auto options = sized<warpjit_run_options>();
    options.engine = kind;
    auto report = sized<warpjit_report>();
    EXPECT_EQ(warpjit_engine_run(engine, launch, &options, &report, &error), WARPJIT_OK) << error.message;
    EXPECT_EQ(report.fault, 0U) << report.fault_what;
    EXPECT_EQ(report.work, WARPJIT_WORK_GRID);
  }
};

TEST_F(CApiValhall, ComputePrograms) {
  const std::vector<std::uint64_t> code = words_of(kAddOne);
  for (const bool words : {false, true}) {
    const OwnedProgram program =
        words ? from_words(code, WARPJIT_STAGE_ANY, WARPJIT_VALHALL_FLUSH_SINGLE) : from_text(kAddOne);
    auto info = sized<warpjit_program_info>();
    ASSERT_EQ(warpjit_program_get_info(program, &info, &error), WARPJIT_OK);
    EXPECT_EQ(info.isa, WARPJIT_ISA_VALHALL);
    EXPECT_EQ(info.stage, WARPJIT_STAGE_COMPUTE);
    EXPECT_EQ(info.code_words, 2 * code.size());
    EXPECT_STREQ(info.source_name, words ? "words" : "");
    for (const std::int32_t kind : {WARPJIT_JIT, WARPJIT_IR, WARPJIT_GUEST}) {
      std::vector<std::uint32_t> memory(8, 41);
      const OwnedLaunch launch = launch_of(program);
      const std::uint64_t address = 0x700001000;
      EXPECT_EQ(warpjit_launch_set_block(launch, 7, 1, 1, nullptr), WARPJIT_OK);
      EXPECT_EQ(warpjit_launch_set_parameters(launch, &address, sizeof address, &error), WARPJIT_OK);
      EXPECT_EQ(warpjit_launch_map_memory(launch, "mem", address, memory.data(), 4 * memory.size(), &error),
                WARPJIT_OK);
      run(launch, kind);
      EXPECT_EQ(memory, (std::vector<std::uint32_t>{42, 42, 42, 42, 42, 42, 42, 41})) << kind;
    }
  }
}

TEST_F(CApiValhall, VertexPrograms) {
  const std::vector<std::uint64_t> code = words_of(kFetch);
  for (const bool words : {false, true}) {
    const OwnedProgram program = words ? from_words(code, WARPJIT_STAGE_VERTEX) : from_text(kFetch);
    for (const std::int32_t kind : {WARPJIT_JIT, WARPJIT_IR, WARPJIT_GUEST}) {
      // Vertices 1 and 2 of two instances: pairs from byte 4 on, 8 bytes apart.
      float memory[] = {0, 10, 11, 20, 21, 30, 31, 0};
      std::vector<float> results(4 * 8, -1);
      auto attribute = sized<warpjit_attribute_source>();
      attribute.address = 0x700001000;
      attribute.byte_count = sizeof memory;
      attribute.format = kFloatPair;
      attribute.offset = 4;
      attribute.stride = 8;
      const OwnedLaunch launch = launch_of(program);
      EXPECT_EQ(warpjit_launch_set_count(launch, 2, &error), WARPJIT_OK);
      EXPECT_EQ(warpjit_launch_set_instances(launch, 2, &error), WARPJIT_OK);
      EXPECT_EQ(warpjit_launch_set_first_vertex(launch, 1, 0, &error), WARPJIT_OK);
      EXPECT_EQ(warpjit_launch_set_attributes(launch, &attribute, 1, 0, &error), WARPJIT_OK);
      EXPECT_EQ(warpjit_launch_map_memory(launch, "mem", attribute.address, memory, sizeof memory, &error),
                WARPJIT_OK);
      EXPECT_EQ(warpjit_launch_map_results(launch, results.data(), 4 * results.size(), 32, &error),
                WARPJIT_OK);
      run(launch, kind);
      const std::vector<float> first{20, 21, 41, 1, -1, -1, -1, -1}, second{30, 31, 61, 1, -1, -1, -1, -1};
      std::vector<float> wanted;
      for (const auto* vertex : {&first, &second, &first, &second})
        wanted.insert(wanted.end(), vertex->begin(), vertex->end());
      EXPECT_EQ(results, wanted) << kind;
    }
  }
}

// Each of four threads copies a texel of image 0, of bytes, to image 2, of halves.
TEST_F(CApiValhall, Images) {
  const OwnedProgram program = from_text(
      "U16_TO_U32 r0, r55.h00\n"
      "LD_TEX_IMM.u32.slot0.wait0 @r1, r0, 0x0, index:0x0, table:0x5\n"
      "LEA_TEX_IMM.slot0.wait0 @r2:r3:r4, r0, 0x0, table:0x5, index:0x2\n"
      "ST_CVT.u32.slot0.wait0 @r1, r2, r4, offset:0x0\n"
      "NOP.end\n");
  for (const std::int32_t kind : {WARPJIT_JIT, WARPJIT_IR, WARPJIT_GUEST}) {
    alignas(8) std::uint32_t memory[] = {0x04ff0201, 0, 0xcccccccc, 0xcccccccc};
    const OwnedLaunch launch = launch_of(program);
    warpjit_image_source images[3];
    for (auto& image : images) image = sized<warpjit_image_source>();
    images[0].address = 0x700001000;
    images[0].format = 131 << 12;
    images[2].address = 0x700001008;
    images[2].format = 132 << 12;
    for (const int k : {0, 2}) images[k].width = k == 0 ? 4 : 3, images[k].height = images[k].depth = 1;
    EXPECT_EQ(warpjit_launch_set_block(launch, 4, 1, 1, nullptr), WARPJIT_OK);
    EXPECT_EQ(warpjit_launch_set_images(launch, images, 3, &error), WARPJIT_OK);
    EXPECT_EQ(warpjit_launch_map_memory(launch, "mem", 0x700001000, memory, sizeof memory, &error),
              WARPJIT_OK);
    run(launch, kind);
    EXPECT_EQ(memory[2], 0x00020001U) << kind;
    EXPECT_EQ(memory[3], 0xcccc00ffU) << kind;
  }
  const OwnedLaunch launch = launch_of(program);
  warpjit_image_source images[65] = {};
  for (auto& image : images) image = sized<warpjit_image_source>();
  EXPECT_EQ(warpjit_launch_set_images(launch, images, 65, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_launch_set_images(launch, nullptr, 1, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_launch_set_images(nullptr, images, 1, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_launch_set_images(launch, nullptr, 0, &error), WARPJIT_OK);
  images[1].size -= 8;
  EXPECT_EQ(warpjit_launch_set_images(launch, images, 2, &error), WARPJIT_BAD_INPUT);
  // Programs of another GPU have none.
  const std::uint32_t end = 0x88000000;
  auto words = sized<warpjit_program_words>();
  words.isa = WARPJIT_ISA_PICA200;
  words.code = &end;
  words.code_count = 1;
  OwnedProgram other;
  ASSERT_EQ(warpjit_program_from_words(&words, other.out(), &error), WARPJIT_OK) << error.message;
  const OwnedLaunch without = launch_of(other);
  EXPECT_EQ(warpjit_launch_set_images(without, images, 1, &error), WARPJIT_BAD_INPUT);
  EXPECT_NE(std::string(error.message).find("have none"), std::string::npos) << error.message;
}

// Four threads load words of a buffer and store them through the address of another.
TEST_F(CApiValhall, Buffers) {
  const OwnedProgram program = from_text(
      "U16_TO_U32 r0, r55.h00\nIADD.u32 r0, r0, r0\nIADD.u32 r0, r0, r0\n"
      "IADD_IMM.i32 r2, 0x0, #0x6000001\nLD_BUFFER.i32.unsigned.slot0.wait0 @r1, r0, r2\n"
      "IADD_IMM.i32 r2, 0x0, #0x7000000\nLEA_PKA.slot0.wait0 @r4:r5, r0, r2\n"
      "STORE.i32.slot0.end @r1, r4, offset:0\n");
  warpjit_buffer_source buffers[65];
  for (auto& buffer : buffers) buffer = sized<warpjit_buffer_source>();
  buffers[0].table = 6;
  buffers[0].entry = 1;
  buffers[0].address = 0x700001000;
  buffers[0].byte_count = 12;
  buffers[1].table = 7;
  buffers[1].address = 0x700001010;
  for (const std::int32_t kind : {WARPJIT_JIT, WARPJIT_IR, WARPJIT_GUEST}) {
    alignas(8) std::uint32_t memory[] = {1, 2, 3, 4, 9, 9, 9, 9};
    const OwnedLaunch launch = launch_of(program);
    EXPECT_EQ(warpjit_launch_set_block(launch, 4, 1, 1, nullptr), WARPJIT_OK);
    EXPECT_EQ(warpjit_launch_set_buffers(launch, buffers, 2, &error), WARPJIT_OK);
    EXPECT_EQ(warpjit_launch_map_memory(launch, "mem", 0x700001000, memory, sizeof memory, &error),
              WARPJIT_OK);
    run(launch, kind);
    const std::uint32_t wanted[] = {1, 2, 3, 0};
    EXPECT_TRUE(std::equal(wanted, wanted + 4, memory + 4)) << kind;
  }
  const OwnedLaunch launch = launch_of(program);
  EXPECT_EQ(warpjit_launch_set_buffers(launch, buffers, 65, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_launch_set_buffers(launch, nullptr, 1, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_launch_set_buffers(launch, nullptr, 0, &error), WARPJIT_OK);
  buffers[1].table = 256;
  EXPECT_EQ(warpjit_launch_set_buffers(launch, buffers, 2, &error), WARPJIT_BAD_INPUT);
}

TEST_F(CApiValhall, VertexLaunchesThatAreRefused) {
  const OwnedProgram program = from_text(kFetch);
  const OwnedLaunch launch = launch_of(program);
  warpjit_attribute_source sources[65] = {};
  const auto set = [&](std::size_t count, auto change) {
    for (auto& source : sources) {
      source = sized<warpjit_attribute_source>();
      source.format = kFloatPair;
    }
    change(sources[count - 1]);
    return warpjit_launch_set_attributes(launch, sources, count, 0, &error);
  };
  EXPECT_EQ(set(2, [](auto&) {}), WARPJIT_OK);
  EXPECT_EQ(set(65, [](auto&) {}), WARPJIT_BAD_INPUT);
  EXPECT_EQ(set(1, [](auto& it) { it.size = 0; }), WARPJIT_BAD_INPUT);
  EXPECT_EQ(set(2, [](auto& it) { it.size -= 4; }), WARPJIT_BAD_INPUT);
  EXPECT_EQ(set(2, [](auto& it) { it.size += 8; }), WARPJIT_UNSUPPORTED);  // another one begins there
  EXPECT_EQ(set(2, [](auto& it) { it.division = 3; }), WARPJIT_BAD_INPUT);
  EXPECT_EQ(set(2, [](auto& it) { it.division = -1; }), WARPJIT_BAD_INPUT);
  EXPECT_EQ(set(2, [](auto& it) { it.shift = 32; }), WARPJIT_BAD_INPUT);
  EXPECT_EQ(set(2, [](auto& it) { it.shift = 256; }), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_launch_set_attributes(launch, nullptr, 1, 0, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_launch_set_attributes(nullptr, sources, 1, 0, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_launch_set_attributes(launch, nullptr, 0, 0, &error), WARPJIT_OK);
  EXPECT_EQ(warpjit_launch_set_first_vertex(nullptr, 1, 0, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_launch_map_results(launch, nullptr, 16, 16, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_launch_map_results(nullptr, nullptr, 0, 16, &error), WARPJIT_BAD_INPUT);

  // What runs refuse.
  alignas(8) float results[8] = {};
  const auto status = [&](std::uint32_t count, std::uint32_t instances, std::uint32_t stride,
                          std::size_t place) {
    EXPECT_EQ(warpjit_launch_set_count(launch, count, &error), WARPJIT_OK);
    EXPECT_EQ(warpjit_launch_set_instances(launch, instances, &error), WARPJIT_OK);
    EXPECT_EQ(warpjit_launch_map_results(launch, results + place, 16, stride, &error), WARPJIT_OK);
    return warpjit_engine_run(engine, launch, nullptr, nullptr, &error);
  };
  EXPECT_EQ(status(1, 1, 16, 0), WARPJIT_OK) << error.message;
  EXPECT_EQ(status(0, 1, 16, 0), WARPJIT_BAD_INPUT);
  EXPECT_EQ(status(1, 0, 16, 0), WARPJIT_BAD_INPUT);
  EXPECT_EQ(status(0xffffffff, 0xffffffff, 16, 0), WARPJIT_BAD_INPUT);
  EXPECT_EQ(status(1, 1, 0, 0), WARPJIT_BAD_INPUT);
  EXPECT_EQ(status(1, 1, 24, 0), WARPJIT_BAD_INPUT);
  EXPECT_EQ(status(1, 1, 0xfffffff0, 0), WARPJIT_BAD_INPUT);
  EXPECT_EQ(status(1, 1, 16, 1), WARPJIT_BAD_INPUT);
  EXPECT_EQ(set(1, [](auto& it) { it.format = 0xffffffff; }), WARPJIT_OK);
  EXPECT_EQ(status(1, 1, 16, 0), WARPJIT_BAD_INPUT);
  EXPECT_NE(std::string(error.message).find("format"), std::string::npos) << error.message;
}

// 2^-149 + 0, which is 0 in a program that flushes; the infinity and NaN of others.
TEST_F(CApiValhall, FloatModes) {
  const std::vector<std::uint64_t> code = words_of(
      "FADD.f32 r4, u2, u3\nMOV.i32 r0, u0\nMOV.i32 r1, u1\nSTORE.i32.slot0.end @r4, r0, offset:0\n");
  const auto sum = [&](std::uint32_t a, std::uint32_t b, std::uint32_t flags) {
    const OwnedLaunch launch = launch_of(from_words(code, WARPJIT_STAGE_COMPUTE, flags));
    const std::uint32_t parameters[] = {0x1000, 7, a, b};
    std::uint32_t memory[2] = {};
    EXPECT_EQ(warpjit_launch_set_parameters(launch, parameters, sizeof parameters, &error), WARPJIT_OK);
    EXPECT_EQ(warpjit_launch_map_memory(launch, "mem", 0x700001000, memory, sizeof memory, &error),
              WARPJIT_OK);
    run(launch, WARPJIT_JIT);
    return memory[0];
  };
  EXPECT_EQ(sum(1, 0, 0), 1U);
  EXPECT_EQ(sum(1, 0, WARPJIT_VALHALL_FLUSH_HALF), 1U);
  EXPECT_EQ(sum(1, 0, WARPJIT_VALHALL_FLUSH_SINGLE), 0U);
  EXPECT_EQ(sum(0x7f7fffff, 0x7f7fffff, 0), 0x7f800000U);
  EXPECT_EQ(sum(0x7f7fffff, 0x7f7fffff, WARPJIT_VALHALL_SUPPRESS_INFINITY), 0x7f7fffffU);
  EXPECT_EQ(sum(0x7f800000, 0xff800000, WARPJIT_VALHALL_SUPPRESS_NAN), 0U);
}

TEST_F(CApiValhall, MissingArgumentsAreRefused) {
  const std::uint64_t end = 0x7800c00000000000;
  const auto words = [&] {
    auto made = sized<warpjit_valhall_words>();
    made.code = &end;
    made.code_count = 1;
    return made;
  };
  warpjit_program* program = nullptr;
  const auto load = [&](auto change) {
    auto changed = words();
    change(changed);
    const warpjit_status status = warpjit_program_from_valhall_words(&changed, &program, &error);
    warpjit_program_destroy(program);
    program = nullptr;
    return status;
  };
  EXPECT_EQ(load([](auto&) {}), WARPJIT_OK) << error.message;
  EXPECT_EQ(load([](auto& it) { it.stage = WARPJIT_STAGE_FRAGMENT; }), WARPJIT_OK) << error.message;
  EXPECT_EQ(load([](auto& it) { it.local_bytes = it.shared_bytes = 65536; }), WARPJIT_OK);
  EXPECT_EQ(load([](auto& it) { it.size = 0; }), WARPJIT_BAD_INPUT);
  EXPECT_EQ(load([](auto& it) { it.size -= 8; }), WARPJIT_BAD_INPUT);
  EXPECT_EQ(load([](auto& it) { it.size = 4097; }), WARPJIT_BAD_INPUT);
  EXPECT_EQ(load([](auto& it) { it.code = nullptr; }), WARPJIT_BAD_INPUT);
  EXPECT_EQ(load([](auto& it) { it.code_count = 0; }), WARPJIT_BAD_INPUT);
  for (const std::size_t count : {std::size_t{1} << 23, ~std::size_t{0}})
    EXPECT_EQ(load([&](auto& it) { it.code_count = count; }), WARPJIT_RESOURCE_LIMIT);
  EXPECT_EQ(load([](auto& it) { it.entry = 8; }), WARPJIT_BAD_INPUT);
  EXPECT_EQ(load([](auto& it) { it.entry = 0xffffffff; }), WARPJIT_BAD_INPUT);
  EXPECT_EQ(load([](auto& it) { it.local_bytes = 65537; }), WARPJIT_RESOURCE_LIMIT);
  EXPECT_EQ(load([](auto& it) { it.shared_bytes = 0xffffffff; }), WARPJIT_RESOURCE_LIMIT);
  EXPECT_EQ(load([](auto& it) { it.flags = 32; }), WARPJIT_UNSUPPORTED);
  EXPECT_EQ(load([](auto& it) { it.stage = WARPJIT_STAGE_GEOMETRY; }), WARPJIT_UNSUPPORTED);
  for (const std::int32_t stage : {-1, 5, INT32_MAX, INT32_MIN})
    EXPECT_EQ(load([&](auto& it) { it.stage = stage; }), WARPJIT_BAD_INPUT) << stage;

  const auto good = words();
  auto choice = sized<warpjit_program_choice>();
  const auto text = [&](const char* source, const warpjit_program_choice* wanted) {
    return warpjit_program_from_valhall_assembly(source, wanted, &program, &error);
  };
  EXPECT_EQ(warpjit_program_from_valhall_words(nullptr, &program, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_program_from_valhall_words(&good, nullptr, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_program_from_valhall_assembly(kAddOne, nullptr, nullptr, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(text(nullptr, nullptr), WARPJIT_BAD_INPUT);
  EXPECT_EQ(text("nonsense", nullptr), WARPJIT_BAD_INPUT);
  EXPECT_EQ(text("", nullptr), WARPJIT_BAD_INPUT);
  choice.stage = WARPJIT_STAGE_VERTEX;
  EXPECT_EQ(text(kAddOne, &choice), WARPJIT_BAD_INPUT);
  choice.stage = WARPJIT_STAGE_ANY;
  choice.entry = "main";
  EXPECT_EQ(text(kAddOne, &choice), WARPJIT_BAD_INPUT);
  choice.entry = nullptr;
  choice.flags = WARPJIT_PROGRAM_F24;
  EXPECT_EQ(text(kAddOne, &choice), WARPJIT_UNSUPPORTED);
  choice.flags = 0;
  choice.size = 4;
  EXPECT_EQ(text(kAddOne, &choice), WARPJIT_BAD_INPUT);
  EXPECT_EQ(program, nullptr);
}

// One pixel: a uniform to target 1, which descriptor 0 names; descriptor 1 names none.
TEST_F(CApiValhall, FragmentPrograms) {
  const std::vector<std::uint64_t> code = words_of(
      ".stage fragment\nMOV.i32 r0, u0\n"
      "BLEND.slot0.u32 @r0, blend_descriptor_0.w0, r60, target:0x0\n"
      "BLEND.slot0.u32.end @r0, blend_descriptor_1.w0, r60, target:0x0\n");
  std::int32_t targets[] = {1, -1, 2, 3, 4, 5, 6, 7};
  auto words = sized<warpjit_valhall_words>();
  words.code = code.data();
  words.code_count = code.size();
  words.stage = WARPJIT_STAGE_FRAGMENT;
  words.flags = WARPJIT_VALHALL_POINTS_FROM_BOTTOM;
  words.blend_targets = targets;
  OwnedProgram program;
  targets[7] = 8;
  EXPECT_EQ(warpjit_program_from_valhall_words(&words, program.out(), &error), WARPJIT_BAD_INPUT);
  targets[7] = 7;
  words.sampler_table = 32;
  EXPECT_EQ(warpjit_program_from_valhall_words(&words, program.out(), &error), WARPJIT_BAD_INPUT);
  EXPECT_STREQ(error.where, "sampler_table");
  words.sampler_table = 2;
  words.texture_table = 31;
  ASSERT_EQ(warpjit_program_from_valhall_words(&words, program.out(), &error), WARPJIT_OK) << error.message;
  const OwnedLaunch launch = launch_of(program);
  const float vertices[] = {0, 0, 0.5F, 1, 4, 0, 0.5F, 1, 0, 4, 0.5F, 1};
  const std::uint32_t uniform = 0x12345678;
  auto raster = sized<warpjit_raster_state>();
  ASSERT_EQ(warpjit_default_raster_state(&raster, &error), WARPJIT_OK);
  raster.window_positions = 1;
  ASSERT_EQ(warpjit_launch_set_raster_state(launch, &raster, &error), WARPJIT_OK) << error.message;
  ASSERT_EQ(warpjit_launch_set_target_size(launch, 1, 1, &error), WARPJIT_OK);
  std::uint32_t pixels[2] = {7, 9};
  for (std::uint32_t k = 0; k < 2; ++k) {
    auto target = sized<warpjit_target_buffer>();
    target.data = &pixels[k];
    target.byte_count = target.pitch = 4;
    target.format = WARPJIT_PIXELS_R32UI;
    ASSERT_EQ(warpjit_launch_bind_color(launch, k, &target, &error), WARPJIT_OK) << error.message;
  }
  auto buffer = sized<warpjit_vertex_buffer>();
  buffer.data = vertices;
  buffer.byte_count = sizeof vertices;
  buffer.stride = 16;
  buffer.slots = 4;
  ASSERT_EQ(warpjit_launch_bind_vertices(launch, &buffer, &error), WARPJIT_OK) << error.message;
  warpjit_launch_set_count(launch, 3, nullptr);
  ASSERT_EQ(warpjit_launch_set_parameters(launch, &uniform, 4, &error), WARPJIT_OK);
  for (const std::int32_t kind : {WARPJIT_JIT, WARPJIT_IR, WARPJIT_GUEST}) {
    pixels[1] = 9;
    auto options = sized<warpjit_run_options>();
    options.engine = kind;
    ASSERT_EQ(warpjit_engine_run(engine, launch, &options, nullptr, &error), WARPJIT_OK) << error.message;
    EXPECT_EQ(pixels[0], 7U);
    EXPECT_EQ(pixels[1], uniform);
  }
}

// A seed of the fuzz targets: one triangle, into memory at 0x200003000.
TEST_F(CApiValhall, Captures) {
  std::ifstream stream(tests::source_file("fuzz/corpus/valhall_capture/triangle.wjcap"), std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  const std::string file = text.str();
  warpjit_valhall_capture* capture = nullptr;
  ASSERT_EQ(warpjit_valhall_capture_load(file.data(), file.size(), "triangle", &capture, &error), WARPJIT_OK)
      << error.message;
  EXPECT_EQ(warpjit_valhall_capture_chain_count(capture), 2U);
  struct Seen {
    unsigned draws = 0, pictures = 0;
    std::uint32_t pixel = 0;
  } seen;
  warpjit_valhall_visitor visitor{};
  visitor.context = &seen;
  visitor.draw = [](void* context, const warpjit_valhall_draw* draw, const warpjit_report* fragment) {
    ++static_cast<Seen*>(context)->draws;
    EXPECT_STREQ(draw->mode, "triangles");
    EXPECT_EQ(draw->vertices, 3U);
    EXPECT_EQ(draw->targets, 1U);
    EXPECT_NE(fragment, nullptr);
    return 1;
  };
  visitor.picture = [](void* context, const warpjit_valhall_picture* picture) {
    auto* to = static_cast<Seen*>(context);
    ++to->pictures;
    if (picture->target == WARPJIT_VALHALL_DEPTH) return 1;
    EXPECT_EQ(picture->format, WARPJIT_PIXELS_RGBA8);
    EXPECT_EQ(picture->width, 32U);
    EXPECT_EQ(picture->pixel_bytes, 4U);
    EXPECT_EQ(picture->stored, 1U);
    std::memcpy(&to->pixel, picture->pixels, 4);
    return 1;
  };
  EXPECT_EQ(warpjit_valhall_capture_run(capture, engine, &visitor, nullptr, &error), WARPJIT_OK)
      << error.message;
  EXPECT_EQ(seen.draws, 1U);
  EXPECT_EQ(seen.pictures, 2U);
  EXPECT_EQ(seen.pixel, 0xff8000ffU);
  std::uint32_t word = 0;
  EXPECT_EQ(warpjit_valhall_capture_read_memory(capture, 0x200003000, &word, 4, &error), WARPJIT_OK);
  EXPECT_EQ(word, seen.pixel);
  EXPECT_EQ(warpjit_valhall_capture_read_memory(capture, 0x100, &word, 4, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_valhall_capture_clear_chains(capture), WARPJIT_OK);
  EXPECT_EQ(warpjit_valhall_capture_run(capture, engine, nullptr, nullptr, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_valhall_capture_add_chain(capture, 0x200001180, &error), WARPJIT_OK);
  EXPECT_EQ(warpjit_valhall_capture_run(capture, engine, nullptr, nullptr, &error), WARPJIT_OK);
  warpjit_valhall_capture_destroy(capture);
  warpjit_valhall_capture_destroy(nullptr);
  EXPECT_EQ(warpjit_valhall_capture_load("WJC1", 4, nullptr, &capture, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_valhall_capture_load(nullptr, 4, nullptr, &capture, &error), WARPJIT_BAD_INPUT);
  EXPECT_EQ(warpjit_valhall_capture_add_chain(nullptr, 0, &error), WARPJIT_BAD_INPUT);
}

}  // namespace
}  // namespace warpjit::test
