// A launch for each kind of work of each guest. Each thread makes turns until a counter is 20, and computes
// with floats meanwhile; without a step of the counter it never ends.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "frontend/tesla/assembly/assemble.h"
#include "frontend/tesla/shader.h"
#include "frontend/usse/assembly/assemble.h"
#include "frontend/usse/shader.h"
#include "runtime/shaders.h"
#include "warpjit/tesla.hpp"
#include "warpjit/usse.hpp"
#include "warpjit/valhall.hpp"

namespace warpjit::test {

// A launch with the memory that it is bound to.
struct WorkLaunch {
  using Words = std::vector<std::uint32_t>;

  explicit WorkLaunch(const Program& program) : launch(program) {}
  WorkLaunch(const WorkLaunch&) = delete;
  WorkLaunch& operator=(const WorkLaunch&) = delete;

  Launch launch;
  std::deque<Words> inputs, results;

  Words& input(Words words) { return inputs.emplace_back(std::move(words)); }
  Words& result(std::size_t words) { return results.emplace_back(words, 0xcccccccc); }
  // The results become what they were before a run.
  void clear() {
    for (Words& words : results) std::ranges::fill(words, 0xcccccccc);
  }
};

struct WorkKind {
  std::string name;
  // `step` 1: the threads make 20 turns; 0: they do not end.
  std::function<std::unique_ptr<WorkLaunch>(std::uint32_t step)> make;
};

namespace every_work {

inline WorkLaunch::Words words_of(std::initializer_list<float> values) {
  WorkLaunch::Words words;
  for (const float value : values) words.push_back(std::bit_cast<std::uint32_t>(value));
  return words;
}
inline WorkLaunch::Words numbers(std::size_t count) {
  WorkLaunch::Words words;
  for (std::size_t n = 0; n < count; ++n)
    words.push_back(std::bit_cast<std::uint32_t>(0.37F * static_cast<float>(n) - 3.1F));
  return words;
}
inline std::size_t bytes(const WorkLaunch::Words& words) { return 4 * words.size(); }

// ---- PICA200: turns while r0.x < 20

inline const std::string kPicaTurns =
    "add r0, step, r0\nmul r1, factor, r1\nadd r1, factor, r1\ncmp limit, gt, gt, r0\njmpc cmp.x, again\n";
inline const std::string kPicaHead =
    ".fvec step\n.constf factor(0.1, 0.7, 1.1, -0.3)\n.constf limit(20.0, 20.0, 20.0, 20.0)\n";

inline std::unique_ptr<WorkLaunch> pica_rows(std::uint32_t step) {
  constexpr std::size_t kCount = 300;
  auto work = std::make_unique<WorkLaunch>(
      assemble(kPicaHead +
               ".out outpos position\n.proc main\nmov r0, limit\nadd r0, -limit, r0\nmov r1, v0\n"
               "again:\n" +
               kPicaTurns + "mov outpos, r1\nend\n.end\n"));
  const auto each = static_cast<float>(step);
  EXPECT_TRUE(work->launch.set_uniform("step", std::array{each, each, each, each}));
  WorkLaunch::Words &in = work->input(numbers(4 * kCount)), &out = work->result(4 * kCount);
  EXPECT_TRUE(work->launch.bind_input("v0", {in.data(), bytes(in), 16, f32x4}));
  EXPECT_TRUE(work->launch.bind_output("o0", {out.data(), bytes(out), 16, f32x4}));
  EXPECT_TRUE(work->launch.set_count(kCount));
  return work;
}

inline std::unique_ptr<WorkLaunch> pica_primitives(std::uint32_t step) {
  constexpr std::size_t kCount = 50;
  const std::string emits =
      "setemit 0\nmov result, r1\nemit\nsetemit 1\nmov result, r1\nemit\nsetemit 2, prim\nmov result, r1\n"
      "emit\n";
  auto work =
      std::make_unique<WorkLaunch>(assemble(".gsh point c0\n" + kPicaHead +
                                            ".in value v0\n.out result position\n.proc main\nmov r0, limit\n"
                                            "add r0, -limit, r0\nmov r1, value\nagain:\n" +
                                            kPicaTurns + emits + "end\n.end\n"));
  const auto each = static_cast<float>(step);
  EXPECT_TRUE(work->launch.set_uniform("step", std::array{each, each, each, each}));
  GeometryInput input = work->launch.geometry_input();
  input.outputs = 1;
  input.max_triangles = 1;
  EXPECT_TRUE(work->launch.set_geometry_input(input));
  WorkLaunch::Words &in = work->input(numbers(4 * kCount)), &out = work->result(3 * 4 * kCount);
  EXPECT_TRUE(work->launch.bind_triangles({out.data(), bytes(out), nullptr, 0}));
  EXPECT_TRUE(work->launch.bind_input("v0", {in.data(), bytes(in), 16, f32x4}));
  EXPECT_TRUE(work->launch.set_count(kCount));
  return work;
}

// The vertices of the invocations come from a vertex program; its rows are `pica_rows`'.
inline std::unique_ptr<WorkLaunch> pica_staged_primitives(std::uint32_t step) {
  auto vertex = pica_rows(step);
  auto work = pica_primitives(1);
  EXPECT_TRUE(vertex->launch.set_count(50));
  work->launch.unbind_inputs();
  EXPECT_TRUE(work->launch.set_vertex_stage(vertex->launch));
  work->inputs.insert(work->inputs.end(), std::make_move_iterator(vertex->inputs.begin()),
                      std::make_move_iterator(vertex->inputs.end()));
  return work;
}

// ---- Tesla: turns while $r3 is not 20; the step is in $r2, what is computed in $r6

inline std::string tesla_turns(const std::string& within = "") {
  return "mov b32 $r3 0x0\nmov b32 $r4 0x14\nmov b32 $r7 0.1\nagain:\nadd b32 $r3 $r3 $r2\n" + within +
         "mul rn f32 $r6 $r6 $r7\nadd rn f32 $r6 $r6 $r7\nsub b32 $c0 # $r3 $r4\n(lg $c0) bra #again\n";
}

// The kernel `k` of the source.
inline Program tesla_kernel(const std::string& source) {
  auto program = tesla::load_assembly(source, {.entry = "k", .source_name = "test"});
  EXPECT_TRUE(program) << to_string(program.error());
  return *program;
}

inline std::unique_ptr<WorkLaunch> tesla_grid(std::uint32_t step, bool barriers) {
  constexpr std::uint32_t kThreads = 96, kAddress = 0x1000;
  auto work = std::make_unique<WorkLaunch>(tesla_kernel(
      ".kernel k\n.registers 8\n.shared 0x20\n.barriers 1\nand b32 $r0 $r0 0xffff\nmov b32 $r2 b32 s[0x14]\n"
      "cvt rn f32 $r6 u32 $r0\n" +
      tesla_turns(barriers ? "bar inc wait 0x0 all\n" : "") +
      "mov b32 $r1 u16 s[0xc]\nmov b32 $r5 0x60\nmul $r1 u16 $r1l u16 $r5l\nadd b32 $r0 $r0 $r1\n"
      "shl b32 $r0 $r0 0x2\nadd b32 $r0 b32 s[0x10] $r0\nst b32 g14[$r0] $r6\nexit nop\n"));
  WorkLaunch::Words& out = work->result(4 * kThreads);
  EXPECT_TRUE(work->launch.set_grid(4));
  EXPECT_TRUE(work->launch.set_block(kThreads));
  const std::array parameters{kAddress, step};
  EXPECT_TRUE(work->launch.set_parameters(std::as_bytes(std::span(parameters))));
  EXPECT_TRUE(work->launch.map_memory("g14", kAddress, out.data(), bytes(out)));
  return work;
}

inline Program tesla_stage(const std::string& type, const std::string& source,
                           const tesla::GraphicsState& state) {
  auto container = tesla::assemble(".type " + type + "\n.registers 16\n" + source, "test");
  EXPECT_TRUE(container) << to_string(container.error());
  container->programs[0].graphics = state;
  auto shader = tesla::Shader::make(std::move(container->programs[0]));
  EXPECT_TRUE(shader) << to_string(shader.error());
  return Program(*shader);
}

inline void bind_step(WorkLaunch& work, Launch& launch, std::uint32_t step) {
  WorkLaunch::Words& constants = work.input({step, 0, 0, 0});
  EXPECT_TRUE(launch.bind_constants("c0", constants.data(), bytes(constants)));
}

// Positions of a triangle over the whole picture come in a0, and a number.
inline Program tesla_vertex_program() {
  tesla::GraphicsState state;
  state.attributes = {0xf, 0};
  state.vertex_results = {0, 1, 2, 3, 4};
  return tesla_stage("vertex",
                     "ld $r2 b32 c0[0x0]\nld b32 $r6 a[0x0]\n" + tesla_turns() +
                         "ld b32 $r0 a[0x0]\nld b32 $r1 a[0x4]\nld b32 $r2 a[0x8]\nld b32 $r3 a[0xc]\n"
                         "st b32 o[0x0] $r0\nst b32 o[0x4] $r1\nst b32 o[0x8] $r2\nst b32 o[0xc] $r3\n"
                         "st b32 o[0x10] $r6\nexit nop\n",
                     state);
}
inline std::unique_ptr<WorkLaunch> tesla_rows(std::uint32_t step) {
  constexpr std::size_t kCount = 300;
  auto work = std::make_unique<WorkLaunch>(tesla_vertex_program());
  WorkLaunch::Words &in = work->input(numbers(4 * kCount)), &out = work->result(4 * kCount),
                    &more = work->result(4 * kCount);
  EXPECT_TRUE(work->launch.bind_input("a0", {in.data(), bytes(in), 16, f32x4}));
  EXPECT_TRUE(work->launch.bind_output("slots0", {out.data(), bytes(out), 16, f32x4}));
  EXPECT_TRUE(work->launch.bind_output("slots1", {more.data(), bytes(more), 16, f32x4}));
  EXPECT_TRUE(work->launch.set_count(kCount));
  bind_step(*work, work->launch, step);
  return work;
}

inline constexpr std::uint32_t kExtent = 72;  // pixels: more than a tile

inline void bind_picture(WorkLaunch& work) {
  WorkLaunch::Words& pixels = work.result(std::size_t{kExtent} * kExtent);
  EXPECT_TRUE(work.launch.set_target_size(kExtent, kExtent));
  EXPECT_TRUE(work.launch.bind_color(0, {pixels.data(), bytes(pixels), kExtent * 4, PixelFormat::r32f}));
  RasterState raster;
  raster.viewport_scale = {kExtent / 2.0F, kExtent / 2.0F, 0.5F};
  raster.viewport_translate = {kExtent / 2.0F, kExtent / 2.0F, 0.5F};
  EXPECT_TRUE(work.launch.set_raster_state(raster));
}
// A triangle over all of it.
inline WorkLaunch::Words& triangle(WorkLaunch& work, std::size_t slots, float w = 1) {
  WorkLaunch::Words words;
  for (const auto& [x, y] : {std::pair{-1.0F, -1.0F}, {3.0F, -1.0F}, {-1.0F, 3.0F}}) {
    WorkLaunch::Words vertex = words_of({x * w, y * w, 0.1F, w});
    vertex.resize(slots, std::bit_cast<std::uint32_t>(x));
    words.insert(words.end(), vertex.begin(), vertex.end());
  }
  return work.input(std::move(words));
}

inline Program tesla_fragment_program() {
  return tesla_stage("fragment",
                     "ld $r2 b32 c0[0x0]\ninterp $r6 v[0x4]\n" + tesla_turns() +
                         "mov b32 $r0 $r6\nmov b32 $r1 0x0\nmov b32 $r2 0x0\nmov b32 $r3 1.0\nexit nop\n",
                     [] {
                       tesla::GraphicsState state;
                       state.interpolants = 0x1000401;
                       return state;
                     }());
}
inline std::unique_ptr<WorkLaunch> tesla_pixels(std::uint32_t step) {
  auto work = std::make_unique<WorkLaunch>(tesla_fragment_program());
  bind_picture(*work);
  const WorkLaunch::Words& vertices = triangle(*work, 5);
  EXPECT_TRUE(work->launch.bind_vertices({vertices.data(), bytes(vertices), 20, 5}));
  EXPECT_TRUE(work->launch.set_count(3));
  bind_step(*work, work->launch, step);
  return work;
}
inline std::unique_ptr<WorkLaunch> tesla_staged_pixels(std::uint32_t vertex_step, std::uint32_t step) {
  auto work = std::make_unique<WorkLaunch>(tesla_fragment_program());
  bind_picture(*work);
  Launch vertex(tesla_vertex_program());
  const WorkLaunch::Words& vertices = triangle(*work, 4, 2);
  EXPECT_TRUE(vertex.bind_input("a0", {vertices.data(), bytes(vertices), 16, f32x4}));
  EXPECT_TRUE(vertex.set_count(3));
  bind_step(*work, vertex, vertex_step);
  EXPECT_TRUE(work->launch.set_vertex_stage(vertex));
  bind_step(*work, work->launch, step);
  return work;
}
// A geometry stage between them that gives each triangle again.
inline std::unique_ptr<WorkLaunch> tesla_strips(std::uint32_t step) {
  auto work = tesla_staged_pixels(1, 1);
  tesla::GraphicsState state;
  state.geometry_results = {0, 1, 2, 3, 4};
  state.geometry_output = 3;
  state.geometry_vertices = 3;
  std::string source = "ld $r2 b32 c0[0x0]\nmov b32 $r6 0.3\n" + tesla_turns();
  for (const char* const vertex : {"0x0", "0x4", "0x8"})
    source += std::string("shl $a1 a[") + vertex +
              "] 0x0\nmov b32 o[0x0] p[$a1]\nmov b32 o[0x4] p[$a1+0x4]\nmov b32 o[0x8] p[$a1+0x8]\n"
              "mov b32 o[0xc] p[$a1+0xc]\nst b32 o[0x10] $r6\nemit\n";
  Launch geometry(tesla_stage("geometry", source + "exit nop\n", state));
  bind_step(*work, geometry, step);
  EXPECT_TRUE(work->launch.set_geometry_stage(geometry));
  return work;
}

// ---- USSE: turns while r4 + sa2 < 0

inline const std::string kUsseTurns =
    "again:\nvadd.f32 r4.xy, r4, sa0\nvmul.f32 r6.xy, r6, sa4\nvadd.f32 r6.xy, r6, sa4\n"
    "vtst.add.f32.negative.nonzero.both.chan0.p0 c0, r4, sa2\np0 br offset:again\n";
inline void set_usse_step(WorkLaunch& work, std::uint32_t step) {
  const auto each = static_cast<float>(step);
  EXPECT_TRUE(work.launch.set_uniform("sa0", std::array{each, each, -20.0F, -20.0F, 0.1F, 0.7F}));
}
inline std::unique_ptr<WorkLaunch> usse_rows(std::uint32_t step) {
  constexpr std::size_t kCount = 300;
  auto program = usse::assemble(".stage vertex\n.registers pa:8 sa:8 r:16\n.primary\nvmov.f32 r6.xy, pa0\n" +
                                    kUsseTurns + "vmov.f32 o0.xy, r6\nvmov.f32 o2.xy, r4\nemit.end\n",
                                "test.usse");
  EXPECT_TRUE(program) << to_string(program.error());
  program->vertex = {};  // o as it is
  auto work = std::make_unique<WorkLaunch>(warpjit::Program(std::make_shared<const usse::Shader>(*program)));
  WorkLaunch::Words &in = work->input(numbers(4 * kCount)), &out = work->result(4 * kCount);
  EXPECT_TRUE(work->launch.bind_input("pa0", {in.data(), bytes(in), 16, f32x4}));
  EXPECT_TRUE(work->launch.bind_output("slots0", {out.data(), bytes(out), 16, f32x4}));
  EXPECT_TRUE(work->launch.set_count(kCount));
  set_usse_step(*work, step);
  return work;
}
inline std::unique_ptr<WorkLaunch> usse_pixels(std::uint32_t step) {
  auto program = usse::load_assembly(
      ".stage fragment\n.registers pa:4 sa:8 r:16\n.input texcoord0 f32 2\n.output f32 4 pa:0\n.primary\n"
      "vmov.f32 r6.xy, pa0\n" +
          kUsseTurns + "vmov.f32 pa0.xy, r6\nvmov.f32 pa2.xy, r4\nnop.end\n",
      {.source_name = "test"});
  EXPECT_TRUE(program) << to_string(program.error());
  auto work = std::make_unique<WorkLaunch>(*program);
  bind_picture(*work);
  const WorkLaunch::Words& vertices = triangle(*work, 18, 2);
  EXPECT_TRUE(work->launch.bind_vertices({vertices.data(), bytes(vertices), 72, 18}));
  EXPECT_TRUE(work->launch.set_count(3));
  set_usse_step(*work, step);
  return work;
}

// ---- Valhall: turns while r4 < u4; the step is u2, the factor u3

inline std::string valhall_turns(const std::string& within = "") {
  return "IADD_IMM.i32 r4, 0x0, #0x0\nagain:\nIADD.u32 r4, r4, u2\n" + within +
         "FMA.f32 r6, r6, u3, u3\nICMP_OR.u32.lt.m1 r7, r4, u4, 0x0\nBRANCHZ.reconverge r7.h0, "
         "offset:again\n";
}
inline Program valhall_program(const std::string& stage, const std::string& code) {
  auto program = valhall::load_assembly(".stage " + stage + "\n" + code, {.source_name = "test"});
  EXPECT_TRUE(program) << to_string(program.error());
  return *program;
}
inline void set_valhall_step(WorkLaunch& work, std::uint32_t address, std::uint32_t step) {
  const std::array uniforms{address, 7U, step, std::bit_cast<std::uint32_t>(0.1F), 20U};
  EXPECT_TRUE(work.launch.set_parameters(std::as_bytes(std::span(uniforms))));
}
inline std::unique_ptr<WorkLaunch> valhall_grid(std::uint32_t step, bool barriers) {
  constexpr std::uint32_t kThreads = 40, kGroups = 4, kAddress = 0x1000;
  auto work = std::make_unique<WorkLaunch>(valhall_program(
      "compute", "U32_TO_F32 r6, r60\n" + valhall_turns(barriers ? "BARRIER.slot7.wait\n" : "") +
                     "SHADDX.u64 r10, u0, r60.w0, shift:0x2\n"
                     "STORE.i32.slot0.end @r6, r10, offset:0\n"));
  WorkLaunch::Words& out = work->result(kThreads * kGroups);
  EXPECT_TRUE(work->launch.set_grid(kGroups));
  EXPECT_TRUE(work->launch.set_block(kThreads));
  EXPECT_TRUE(work->launch.map_memory("mem", 0x700001000, out.data(), bytes(out)));
  set_valhall_step(*work, kAddress, step);
  return work;
}
inline std::unique_ptr<WorkLaunch> valhall_vertices(std::uint32_t step) {
  constexpr std::uint32_t kCount = 150, kInstances = 2;
  auto work = std::make_unique<WorkLaunch>(
      valhall_program("vertex", "U32_TO_F32 r6, r60\n" + valhall_turns() +
                                    "LEA_BUF_IMM.slot2.wait2 @r8:r9, r59, table:0xD, index:0x0\n"
                                    "STORE.i128.slot0.end @r4:r5:r6:r7, r8, offset:0\n"));
  WorkLaunch::Words& out = work->result(4 * kCount * kInstances);
  EXPECT_TRUE(work->launch.set_count(kCount));
  EXPECT_TRUE(work->launch.set_instances(kInstances));
  EXPECT_TRUE(work->launch.map_results(out.data(), bytes(out), 16));
  set_valhall_step(*work, 0, step);
  return work;
}
// With a buffer that the code reads.
inline std::unique_ptr<WorkLaunch> valhall_pixels(std::uint32_t step) {
  auto work = std::make_unique<WorkLaunch>(valhall_program(
      "fragment", "LD_BUFFER.i32.unsigned.slot0.wait0 @r6, 0x0, 0x0\n" + valhall_turns() +
                      "MOV.i32 r0, r6\nMOV.i32 r1, r4\nMOV.i32 r2, r4\nMOV.i32 r3, 0x3F800000\n"
                      "BLEND.slot0.v4.f32.end @r0:r1:r2:r3, blend_descriptor_0.w0, r60, target:0x0\n"));
  bind_picture(*work);
  const WorkLaunch::Words& vertices = triangle(*work, 4);
  EXPECT_TRUE(work->launch.bind_vertices({vertices.data(), bytes(vertices), 16, 4}));
  EXPECT_TRUE(work->launch.set_count(3));
  const WorkLaunch::Words& constants = work->input(words_of({0.3F, 1, 2, 3}));
  EXPECT_TRUE(work->launch.bind_constants("c0", constants.data(), bytes(constants)));
  set_valhall_step(*work, 0, step);
  return work;
}

}  // namespace every_work

inline std::vector<WorkKind> every_kind_of_work() {
  using namespace every_work;
  return {
      {"pica200 rows", pica_rows},
      {"pica200 primitives", pica_primitives},
      {"pica200 vertices of primitives", pica_staged_primitives},
      {"tesla grid", [](std::uint32_t step) { return tesla_grid(step, false); }},
      {"tesla grid with barriers", [](std::uint32_t step) { return tesla_grid(step, true); }},
      {"tesla rows", tesla_rows},
      {"tesla pixels", tesla_pixels},
      {"tesla pixels of a stage", [](std::uint32_t step) { return tesla_staged_pixels(1, step); }},
      {"tesla vertices of pixels", [](std::uint32_t step) { return tesla_staged_pixels(step, 1); }},
      {"tesla strips", tesla_strips},
      {"usse rows", usse_rows},
      {"usse pixels", usse_pixels},
      {"valhall grid", [](std::uint32_t step) { return valhall_grid(step, false); }},
      {"valhall grid with barriers", [](std::uint32_t step) { return valhall_grid(step, true); }},
      {"valhall vertices", valhall_vertices},
      {"valhall pixels", valhall_pixels},
  };
}

}  // namespace warpjit::test
