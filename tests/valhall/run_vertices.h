// Runs vertex programs, for tests of launches.
#pragma once

#include "valhall/run_program.h"

namespace warpjit::valhall {

// A run's memory, from kMemoryHigh:kMemoryLow on, and the results of its vertices.
struct FinishedVertices {
  Status status;
  RunReport report;
  std::vector<std::uint32_t> memory, results;
  std::uint32_t packet_stride = 0;

  // The first four words of a vertex's results.
  std::array<std::uint32_t, 4> of(std::size_t vertex) const {
    std::array<std::uint32_t, 4> words{};
    for (std::size_t k = 0; k < 4; ++k) words[k] = results.at(vertex * packet_stride / 4 + k);
    return words;
  }
  const ir::MemoryFault& fault() const {
    static const ir::MemoryFault kNone;
    return report.first_fault ? report.first_fault->access : kNone;
  }
};

struct VertexOptions {
  frontend::Vertices vertices{.count = 1, .packet_stride = 16};
  std::uint32_t instances = 1;
  std::vector<std::uint32_t> memory = std::vector<std::uint32_t>(64), uniforms{};
  std::uint32_t memory_address = kMemoryLow;
  std::optional<std::size_t> result_bytes{};           // if not as many as the vertices have
  std::vector<std::uint32_t> high_words{kMemoryHigh};  // the others have 8 bytes at 0
  std::uint32_t local_bytes = 0;
  bool compiled = false;  // every engine must compile it
};

inline std::uint64_t memory_at(std::uint32_t offset) {
  return std::uint64_t{kMemoryHigh} << 32 | (kMemoryLow + offset);
}

inline frontend::Grid grid_of(const VertexOptions& options) {
  constexpr std::uint32_t kOfBlock = frontend::Vertices::kOfBlock;
  frontend::Grid grid;
  grid.block = {kOfBlock, 1, 1};
  grid.grid = {(options.vertices.count + kOfBlock - 1) / kOfBlock, options.instances, 1};
  grid.vertices = options.vertices;
  grid.high_words = options.high_words;
  const auto bytes = std::as_bytes(std::span(options.uniforms));
  grid.parameters.assign(bytes.begin(), bytes.end());
  return grid;
}

inline FinishedVertices run_vertices(Program program, VertexOptions options) {
  program.local_bytes = options.local_bytes;
  FinishedVertices finished;
  finished.packet_stride = options.vertices.packet_stride;
  finished.memory = options.memory;
  const std::uint64_t all = std::uint64_t{options.vertices.count} * options.instances;
  finished.results.assign(options.result_bytes.value_or(all * options.vertices.packet_stride) / 4,
                          0xcccccccc);
  frontend::Grid grid = grid_of(options);
  grid.globals[0] = {{options.memory_address, std::as_writable_bytes(std::span(finished.memory))}};
  std::vector<std::uint64_t> others(options.high_words.size());
  for (std::size_t k = 1; k < others.size(); ++k)
    grid.globals[k] = {{0, std::as_writable_bytes(std::span(others).subspan(k, 1))}};
  grid.globals[kResultSpace] = {{0, std::as_writable_bytes(std::span(finished.results))}};
  finished.status = run_everywhere(program, grid, finished.report, options.compiled);
  return finished;
}
inline FinishedVertices run_vertices(const std::string& source, VertexOptions options = {}) {
  const auto program = assemble(".stage vertex\n" + source, "test");
  if (!program) {
    ADD_FAILURE() << to_string(program.error());
    FinishedVertices failed;
    failed.status = program.error();
    return failed;
  }
  return run_vertices(*program, std::move(options));
}

// Stores r0 to r3 as the vertex's results.
inline const std::string kStoreResults =
    "LEA_BUF_IMM.slot1.wait01 @r8:r9, r59, table:0xD, index:0x0\n"
    "STORE.i128.slot2.end @r0:r1:r2:r3, r8, offset:0\n";

}  // namespace warpjit::valhall
