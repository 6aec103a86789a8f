#include "valhall/engines.h"

#include <gtest/gtest.h>

#include "frontend/valhall/shader.h"
#include "support/engine_ways.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::valhall {
namespace {

using SavedBytes = std::vector<std::vector<std::byte>>;  // of each piece of memory

template <class Visit>
void each_piece(const frontend::Grid& grid, const Visit& visit) {
  for (const auto& pieces : grid.globals)
    for (const frontend::MappedRange& piece : pieces) visit(piece.bytes);
}
SavedBytes saved(const frontend::Grid& grid) {
  SavedBytes all;
  each_piece(grid, [&](std::span<std::byte> bytes) { all.emplace_back(bytes.begin(), bytes.end()); });
  return all;
}
void restore(const frontend::Grid& grid, const SavedBytes& all) {
  std::size_t n = 0;
  each_piece(grid, [&](std::span<std::byte> bytes) { std::ranges::copy(all[n++], bytes.begin()); });
}

Status set_up(Launch& launch, const Program& program, const frontend::Grid& grid) {
  if (program.stage == Stage::vertex) {
    const frontend::Vertices& vertices = grid.vertices;
    WARPJIT_CHECK(launch.set_count(vertices.count));
    WARPJIT_CHECK(launch.set_instances(grid.grid[1]));
    WARPJIT_CHECK(launch.set_first_vertex(vertices.first, vertices.first_instance));
    WARPJIT_CHECK(launch.set_attributes(vertices.attributes, vertices.attribute_offset));
    if (const auto& results = grid.globals[kResultSpace]; !results.empty())
      WARPJIT_CHECK(
          launch.map_results(results[0].bytes.data(), results[0].bytes.size(), vertices.packet_stride));
  } else {
    WARPJIT_CHECK(launch.set_grid(grid.grid[0], grid.grid[1], grid.grid[2]));
    WARPJIT_CHECK(launch.set_block(grid.block[0], grid.block[1], grid.block[2]));
    WARPJIT_CHECK(launch.set_first_block(grid.first_block[0], grid.first_block[1], grid.first_block[2]));
    WARPJIT_CHECK(launch.set_shared_bytes(grid.shared_bytes));
  }
  WARPJIT_CHECK(launch.set_images(grid.images));
  WARPJIT_CHECK(launch.set_buffers(grid.buffers));
  WARPJIT_CHECK(launch.set_parameters(grid.parameters));
  launch.set_fuel(grid.fuel);
  for (std::size_t k = 0; k < kMaxBuffers; ++k)
    if (!grid.constants[k].empty())
      WARPJIT_CHECK(
          launch.bind_constants("c" + std::to_string(k), grid.constants[k].data(), grid.constants[k].size()));
  for (std::size_t k = 0; k < grid.high_words.size(); ++k)
    for (const frontend::MappedRange& piece : grid.globals[k])
      WARPJIT_CHECK(launch.map_memory("mem", std::uint64_t{grid.high_words[k]} << 32 | piece.address,
                                      piece.bytes.data(), piece.bytes.size()));
  return {};
}

std::size_t left = 0;

}  // namespace

std::size_t runs_left() { return left; }

std::string fault_everywhere(const Program& program, const frontend::Grid& grid) {
  const SavedBytes before = saved(grid);
  const Engine engine;
  std::vector<std::string> texts;
  for (const EngineKind kind : {EngineKind::guest, EngineKind::ir, EngineKind::jit}) {
    restore(grid, before);
    Launch launch{warpjit::Program(std::make_shared<const Shader>(program))};
    EXPECT_TRUE(set_up(launch, program, grid).ok());
    warpjit::RunOptions options;
    options.engine = kind;
    options.threads = 1;
    const auto run = engine.run(launch, options);
    EXPECT_TRUE(run.ok()) << to_string(run.error());
    if (!run) return to_string(run.error());
    EXPECT_EQ(run->engine, kind) << run->interpreted_because;
    texts.push_back(run->fault ? run->fault->what : "none");
    EXPECT_EQ(texts.back(), texts.front());
  }
  return texts.front();
}

Status run_everywhere(const Program& program, const frontend::Grid& grid, RunReport& report, bool compiled) {
  const SavedBytes before = saved(grid);
  const auto interpreter = Interpreter::prepare(program);
  if (!interpreter) return interpreter.error();
  const Status wanted = interpreter->run(grid, report);
  const SavedBytes after = saved(grid);

  const auto shader = std::make_shared<const Shader>(program);
  EngineOptions checked;
  checked.checks = true;
  const Engine engine(checked);
  for (const test::EngineWay& way : test::translating_ways(engine)) {
    restore(grid, before);
    Launch launch{warpjit::Program(shader)};
    EXPECT_TRUE(set_up(launch, program, grid).ok());
    warpjit::RunOptions options = way.options;
    options.threads = 1;
    const auto run = engine.run(launch, options);
    if (!run &&
        (run.error().code == ErrorCode::unsupported || run.error().code == ErrorCode::resource_limit)) {
      if (compiled) ADD_FAILURE() << way.name << ": " << to_string(run.error());
      ++left;
      continue;
    }
    if (run && run->engine != way.options.engine && !compiled) {
      ++left;
      continue;
    }
    if (run && run->engine != way.options.engine)
      ADD_FAILURE() << way.name << ": another engine: " << run->interpreted_because;
    // Other engines may count more fuel for a group of threads than one of them has (base/fuel.h).
    if (run && !wanted && wanted.error().code == ErrorCode::out_of_fuel) continue;
    EXPECT_EQ(run.ok(), wanted.ok()) << way.name << (run ? "" : ": " + to_string(run.error()))
                                     << (wanted ? "" : ", guest: " + to_string(wanted.error()));
    if (!run && !wanted) {
      EXPECT_EQ(run.error().code, wanted.error().code) << way.name;
    }
    // What was stored before an error may differ.
    if (run && wanted) {
      EXPECT_EQ(saved(grid), after) << way.name;
      EXPECT_EQ(run->fault.has_value(), report.first_fault.has_value())
          << way.name << (run->fault ? run->fault->what : "");
    }
  }
  restore(grid, after);
  return wanted;
}

}  // namespace warpjit::valhall
