// An emulator that walks through command lists itself, saves its state in the middle of one, looks at a
// vertex, and takes what lies outside of memory as 0.
#include "own_list.h"

#include <array>
#include <bit>
#include <cstdio>
#include <span>
#include <utility>

#include "warpjit/listing.hpp"

using namespace warpjit;

namespace {

// Counts what a rasterizer would get.
class Counter final : public pica200::CommandVisitor {
 public:
  bool draw(const Result<pica200::DrawResult>& result) override {
    if (!result) std::fprintf(stderr, "own list: %s\n", to_string(result.error()).c_str());
    if (!result) return false;
    // A rasterizer that keeps strips and fans begins anew at `restarted` and at `topology_written`.
    triangles += (result->indices.empty() ? result->vertices.size() : result->indices.size()) / 3;
    outside += result->outside_vertices + result->outside_indices;
    return true;
  }
  std::size_t triangles = 0, outside = 0;
};

// The entry at word `at`, as the GPU reads it; `at` goes on to the next. Here an emulator counts cycles.
pica200::Packet next_packet(std::span<const std::uint32_t> list, std::size_t& at,
                            std::vector<std::uint32_t>& values) {
  const std::uint32_t header = list[at + 1], others = header >> 20 & 0xFF;
  values.assign(1, list[at]);
  values.insert(values.end(), list.begin() + static_cast<std::ptrdiff_t>(at + 2),
                list.begin() + static_cast<std::ptrdiff_t>(at + 2 + others));
  at += (2 + others + 1) / 2 * 2;
  return {header & 0xFFFF, values, header >> 16 & 15, header >> 31 != 0};
}

// "   3  o0.xyz = (1, 2, 3, 1)": a line of a debugger's window.
bool print_step(void*, const pica200::VertexStep& step) {
  using File = pica200::VertexStep::File;
  std::printf("%4u", static_cast<unsigned>(step.address));
  if (step.file != File::none) {
    std::printf("  %c%u.", step.file == File::output ? 'o' : 'r', static_cast<unsigned>(step.index));
    for (unsigned n = 0; n < 4; ++n)
      if ((step.mask >> n & 1) != 0) std::putchar("xyzw"[n]);
    for (unsigned n = 0; n < 4; ++n)
      std::printf("%s%g", n == 0 ? " = (" : ", ", static_cast<double>(std::bit_cast<float>(step.value[n])));
    std::putchar(')');
  }
  std::printf("  a0 (%d, %d), aL %d, cmp (%d, %d)\n", static_cast<int>(step.a0[0]),
              static_cast<int>(step.a0[1]), static_cast<int>(step.aL), static_cast<int>(step.cmp[0]),
              static_cast<int>(step.cmp[1]));
  return true;  // false stops here, and the view shows the registers
}

bool failed(const Status& status) {
  if (!status) std::fprintf(stderr, "own list: %s\n", to_string(status.error()).c_str());
  return !status;
}

}  // namespace

bool show_own_list(const Engine& engine, const Game& game, std::optional<std::size_t> traced) {
  const Memory& memory = game.memory();
  const pica200::MemoryRange range{Memory::kAddress, memory.bytes.data(), memory.bytes.size()};
  const std::vector<std::uint32_t> list = game.frame(0);
  std::vector<std::uint32_t> values;

  // As a whole, to compare with.
  Counter whole;
  pica200::Pipeline pipeline;
  if (failed(pipeline.set_memory({&range, 1}))) return false;
  if (failed(pipeline.run_commands(engine, list, whole))) return false;

  // Packet by packet, from how emulators begin; in the middle the state goes through bytes into a new
  // pipeline.
  Counter own;
  if (failed(pipeline.reset(pica200::Start::emulators))) return false;
  bool saved = false;
  for (std::size_t at = 0; at < list.size();) {
    if (!saved && at > list.size() / 2) {
      const auto state = pipeline.save();
      pica200::Pipeline next;
      if (!state || failed(next.load(*state)) || failed(next.set_memory({&range, 1}))) return false;
      pipeline = std::move(next);
      saved = true;
      std::printf("own list: a state of %zu bytes after word %zu of %zu\n", state->size(), at, list.size());
    }
    if (failed(pipeline.run_packet(engine, next_packet(list, at, values), own))) return false;
  }
  if (own.triangles != whole.triangles) return false;

  // A debugger's window: what the pipeline holds, and a vertex of the last draw.
  const pica200::UnitView unit = pipeline.unit(pica200::Unit::vertex);
  const auto vertex = pipeline.inspect_vertex(7);
  const auto program = pipeline.program(pica200::Unit::vertex);
  const auto text = program ? disassemble(*program) : Result<std::string>(program.error());
  if (!vertex || !text) return false;
  std::printf(
      "own list: a program of %zu characters; vertex %u: v0.x %.3f, o0.x %.3f; c95.z %.4f; 0x25E holds "
      "0x%X\n",
      text->size(), static_cast<unsigned>(vertex->number),
      static_cast<double>(std::bit_cast<float>(vertex->inputs[0][0])),
      static_cast<double>(std::bit_cast<float>(vertex->outputs[0][0])),
      static_cast<double>(std::bit_cast<float>(unit.floats[95][2])),
      static_cast<unsigned>(pipeline.get_register(0x25E)));

  if (traced) {
    const auto end = pipeline.trace_vertex(*traced, print_step);
    if (!end) return !failed(end.error());
  }

  // State that an emulator has as arrays goes in at once. Stray vertices are drawn as zeros, and counted.
  const std::array<pica200::FloatBits, 2> floats = {unit.floats[0], unit.floats[1]};
  if (failed(pipeline.set_floats(0, floats)) || failed(pipeline.set_bools(3, 2, 1))) return false;
  auto stray = pipeline.draw(engine, 1u << 30, 3);
  if (stray || stray.error().code != ErrorCode::outside) return false;
  pipeline.set_outside(pica200::Outside::zero);
  stray = pipeline.draw(engine, 1u << 30, 3);
  if (!stray || stray->outside_vertices != 3) return false;

  std::printf("own list: %zu triangles\n", own.triangles);
  return true;
}
