#include "valhall/run_fragments.h"

#include "frontend/valhall/shader.h"
#include "support/engine_ways.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::valhall {
namespace {

std::size_t uncompiled = 0;

// A draw's words, and how it ended.
struct PixelCase {
  const Program& program;
  const FragmentOptions& options;
  FinishedFragments finished;
  std::vector<std::uint32_t> vertices;
  std::uint32_t slots = 0, count = 0;

  PixelCase(const Program& run_program, const FragmentOptions& run_options)
      : program(run_program), options(run_options) {
    finished.width = options.width;
    finished.memory = options.memory;
    for (std::size_t n = 0; n < kMaxColorTargets; ++n)
      finished.colors[n] = target(options.output.colors[n], options.background);
    finished.depth = target(options.output.depth_format, options.depth);
    add_vertices();
  }

  std::vector<std::uint32_t> target(PixelFormat format, std::uint32_t word) const {
    return std::vector(std::size_t{options.width} * options.height * pixel_size(format) / 4, word);
  }
  std::size_t pitch(PixelFormat format) const { return options.width * pixel_size(format); }

  void add_vertices() {
    if (!options.vertices.empty()) {
      slots = static_cast<std::uint32_t>(options.vertices[0].size());
      count = static_cast<std::uint32_t>(options.vertices.size());
      for (const auto& words : options.vertices) vertices.insert(vertices.end(), words.begin(), words.end());
      return;
    }
    const auto width = static_cast<float>(2 * options.width), height = static_cast<float>(2 * options.height);
    const std::array<std::array<float, 2>, 3> corners{{{0, 0}, {width, 0}, {0, height}}};
    for (std::size_t n = 0; n < 3; ++n) {
      const std::uint32_t x = bits_of(corners[n][0]), y = bits_of(corners[n][1]);
      vertices.insert(vertices.end(), {x, y, bits_of(0.25F), bits_of(1)});
      const auto& words = options.varyings[n];
      if (words.empty()) vertices.insert(vertices.end(), {x, y});
      vertices.insert(vertices.end(), words.begin(), words.end());
    }
    count = 3;
    slots = static_cast<std::uint32_t>(vertices.size() / count);
  }

  std::span<std::byte> memory() { return std::as_writable_bytes(std::span(finished.memory)); }
};

Result<frontend::BoundTextures> bound(const FragmentOptions& options) {
  frontend::BoundTextures result;
  result.textures.resize(kMaxTextures);
  result.samplers.resize(kMaxSamplers);
  for (const auto& [slot, texture] : options.textures) {
    WARPJIT_TRY(auto view, textures::make_view(texture, "texture"));
    result.textures[slot] = std::make_shared<const textures::TextureView>(std::move(view));
  }
  for (const auto& [slot, sampler] : options.samplers) result.samplers[slot] = sampler;
  return result;
}

Status run_on_guest(PixelCase& run) {
  const FragmentOptions& options = run.options;
  WARPJIT_TRY(const Interpreter interpreter, Interpreter::prepare(run.program));
  frontend::Grid grid;
  grid.high_words = {kMemoryHigh};
  grid.globals[0] = {{kMemoryLow, run.memory()}};
  const auto bytes = std::as_bytes(std::span(options.uniforms));
  grid.parameters.assign(bytes.begin(), bytes.end());
  WARPJIT_TRY(grid.bound, bound(options));
  grid.buffers = options.buffers;
  grid.fuel = options.fuel;
  interpret::PixelWork work;
  work.raster = options.raster;
  work.output = options.output;
  work.width = options.width;
  work.height = options.height;
  const auto target = [&](std::vector<std::uint32_t>& words, PixelFormat format) {
    return interpret::PixelTarget{words.empty() ? nullptr : reinterpret_cast<std::byte*>(words.data()),
                                  static_cast<std::ptrdiff_t>(run.pitch(format))};
  };
  for (std::size_t n = 0; n < kMaxColorTargets; ++n)
    work.colors[n] = target(run.finished.colors[n], options.output.colors[n]);
  work.depth = target(run.finished.depth, options.output.depth_format);
  work.vertices = run.vertices;
  work.slots = work.stride = run.slots;
  work.vertex_count = run.count;
  if (const auto reached = find_reached(run.program)) work.uses = fragment_uses(run.program, *reached);
  if (options.counted) {
    run.finished.instructions.assign(std::size_t{options.width} * options.height, 0);
    work.instructions = run.finished.instructions.data();
  }
  WARPJIT_TRY(const auto fragments, interpreter.make_fragment_program(grid, work, run.finished.report));
  return interpret::draw(work, *fragments);
}

Status set_up_draw(Launch& launch, PixelCase& run) {
  const FragmentOptions& options = run.options;
  WARPJIT_CHECK(launch.bind_vertices(
      {run.vertices.data(), run.vertices.size() * 4, run.slots * std::size_t{4}, run.slots}));
  EXPECT_TRUE(launch.set_count(run.count));
  WARPJIT_CHECK(launch.set_raster_state(options.raster));
  WARPJIT_CHECK(launch.set_output_state(options.output));
  WARPJIT_CHECK(launch.set_target_size(options.width, options.height));
  const auto target = [&](std::vector<std::uint32_t>& words, PixelFormat format) {
    return TargetBuffer{words.data(), 4 * words.size(), run.pitch(format), format};
  };
  for (unsigned n = 0; n < kMaxColorTargets; ++n)
    if (const PixelFormat format = options.output.colors[n]; format != PixelFormat::none)
      WARPJIT_CHECK(launch.bind_color(n, target(run.finished.colors[n], format)));
  if (const PixelFormat format = options.output.depth_format; format != PixelFormat::none)
    WARPJIT_CHECK(launch.bind_depth(target(run.finished.depth, format)));
  EXPECT_TRUE(launch.set_parameters(std::as_bytes(std::span(options.uniforms))));
  launch.set_fuel(options.fuel);
  WARPJIT_CHECK(launch.set_buffers(options.buffers));
  for (const auto& [slot, texture] : options.textures) WARPJIT_CHECK(launch.set_texture(slot, texture));
  for (const auto& [slot, sampler] : options.samplers) WARPJIT_CHECK(launch.set_sampler(slot, sampler));
  return launch.map_memory("mem", std::uint64_t{kMemoryHigh} << 32 | kMemoryLow, run.memory().data(),
                           run.memory().size());
}

}  // namespace

std::size_t fragment_runs_left() { return uncompiled; }

FinishedFragments run_fragments(const Program& program, const FragmentOptions& options) {
  PixelCase guest(program, options);
  guest.finished.status = run_on_guest(guest);
  if (options.guest_alone) return std::move(guest.finished);
  const FinishedFragments& wanted = guest.finished;
  EngineOptions checked;
  checked.checks = true;
  const Engine engine(checked);
  const auto shader = std::make_shared<const Shader>(program);
  for (const test::EngineWay& way : test::translating_ways(engine)) {
    PixelCase run(program, options);
    Launch launch{warpjit::Program(shader)};
    const Status ready = set_up_draw(launch, run);
    EXPECT_TRUE(ready.ok()) << to_string(ready.error());
    RunOptions how = way.options;
    how.threads = 1;
    const auto report = engine.run(launch, how);
    const bool refused = !report && (report.error().code == ErrorCode::unsupported ||
                                     report.error().code == ErrorCode::resource_limit);
    if (refused || (report && report->engine != way.options.engine)) {
      ++uncompiled;
      if (options.compiled && wanted.status)
        ADD_FAILURE() << way.name << ": "
                      << (refused ? to_string(report.error()) : report->interpreted_because);
      continue;
    }
    // Other engines may count more fuel for a group of threads than one of them has (base/fuel.h).
    if (report && !wanted.status && wanted.status.error().code == ErrorCode::out_of_fuel) continue;
    EXPECT_EQ(report.ok(), wanted.status.ok())
        << way.name << (report ? "" : ": " + to_string(report.error()))
        << (wanted.status ? "" : ", guest: " + to_string(wanted.status.error()));
    if (!report && !wanted.status) {
      EXPECT_EQ(report.error().code, wanted.status.error().code) << way.name;
    }
    if (!report || !wanted.status) continue;
    EXPECT_EQ(run.finished.colors, wanted.colors) << way.name;
    EXPECT_EQ(run.finished.depth, wanted.depth) << way.name;
    EXPECT_EQ(run.finished.memory, wanted.memory) << way.name;
    EXPECT_EQ(report->fault.has_value(), wanted.report.first_fault.has_value())
        << way.name << (report->fault ? report->fault->what : "");
  }
  return std::move(guest.finished);
}

}  // namespace warpjit::valhall
