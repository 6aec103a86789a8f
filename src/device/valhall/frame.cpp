#include "device/valhall/frame.h"

#include <algorithm>
#include <numeric>

#include "device/valhall/blend_shaders.h"
#include "device/valhall/pre_frame.h"
#include "frontend/valhall/assembly/assemble.h"
#include "frontend/valhall/encoding/encoding.h"
#include "frontend/valhall/flow/texture_uses.h"
#include "frontend/valhall/shader.h"

namespace warpjit::valhall {
namespace {

// What a draw without a program runs: depth and stencil alone.
Result<Program> depth_program() { return assemble(".stage fragment\nNOP.end\n", "draw without a program"); }

Error at_draw(const std::string& place, const Image& image, const std::string& what, ErrorCode code) {
  return {code, place + ": " + what, image.name()};
}

TargetBuffer buffer_of(TilePixels& pixels, PixelFormat format, std::uint32_t width) {
  return {pixels.bytes.data(), pixels.bytes.size(), std::size_t{width} * pixels.pixel_bytes, format};
}

// Keeps one report for the runs of all samples: the first with a fault, else the last.
void keep_report(Report report, std::optional<Report>& kept) {
  if (!kept || !kept->fault) kept = std::move(report);
}

// What a draw has written has its format.
void set_formats(const DrawState& state, FramePixels& pixels) {
  for (unsigned n = 0; n < pixels.colors.size(); ++n)
    if (const PixelFormat format = state.output.colors[n]; format != PixelFormat::none)
      pixels.colors[n].format = format;
}

Status bind_targets(Launch& launch, const DrawState& state, FramePixels& pixels) {
  WARPJIT_CHECK(launch.set_target_size(pixels.width, pixels.height));
  for (unsigned n = 0; n < pixels.colors.size(); ++n)
    if (const PixelFormat format = state.output.colors[n]; format != PixelFormat::none)
      WARPJIT_CHECK(launch.bind_color(n, buffer_of(pixels.colors[n], format, pixels.width)));
  if (state.output.depth_format != PixelFormat::none)
    WARPJIT_CHECK(launch.bind_depth(buffer_of(pixels.depth, state.output.depth_format, pixels.width)));
  return {};
}

Status bind_vertices(Launch& launch, const ShadedVertices& vertices) {
  const std::size_t row = std::size_t{4} * vertices.slots;
  WARPJIT_CHECK(launch.bind_vertices({.data = vertices.words.data(),
                                      .size = 4 * vertices.words.size(),
                                      .stride = row,
                                      .slots = vertices.slots,
                                      .instance_stride = row * vertices.count}));
  WARPJIT_CHECK(launch.set_count(vertices.count));
  if (vertices.primitives.indexed) WARPJIT_CHECK(launch.set_indices(vertices.primitives.indices));
  return launch.set_instances(vertices.instances);
}

}  // namespace

Result<FragmentRun> Frame::prepare(Image& image, const WaitingDraw& waiting, unsigned sample) {
  WARPJIT_TRY(const DrawDescriptor draw, read_draw(image, waiting.job));
  WARPJIT_TRY(FragmentRun run, read_run(image, waiting.job, draw, sample));
  if (run.state.nothing || waiting.vertices.count == 0) {
    run.state.nothing = true;
    return run;
  }
  if (waiting.tiler.first_provoking != framebuffer_.first_provoking)
    return at_draw(draw.place, image,
                   "first provoking vertex of tiler " + hex_text(waiting.tiler.address) + " is not that of " +
                       framebuffer_.place,
                   ErrorCode::bad_input);
  if (const auto code = find_reached(run.given.program)) {
    if (const auto varying = find_table_varying(*code))
      return at_draw(draw.place, image,
                     mnemonic(*code->at(*varying)) + ": descriptors of varyings are of pre-frame draws alone",
                     ErrorCode::unsupported);
  }
  WARPJIT_CHECK(bind_run(image, draw, waiting.vertices, ranges_, run));
  return run;
}

// The draw's state and its program.
Result<FragmentRun> Frame::read_run(Image& image, const Job& job, const DrawDescriptor& draw,
                                    unsigned sample) const {
  FragmentRun run;
  WARPJIT_TRY(run.state, convert_draw(image, draw, framebuffer_, area_, sample));
  if (run.state.nothing) return run;
  if (draw.fragment.program) {
    WARPJIT_TRY(run.given, fragment_launch(image, job, draw.fragment));
    WARPJIT_CHECK(link_blend_shaders(image, draw, framebuffer_, run.given, run.state));
    run.given.program.fragment = run.state.fragment;
    if (const Status tables = choose_tables(run.given.program); !tables)
      return at_draw(draw.place, image, to_string(tables.error()), tables.error().code);
  } else {
    WARPJIT_TRY(run.given.program, depth_program());
  }
  run.descriptors.add(image, run.given.descriptors);
  return run;
}

Status Frame::bind_run(Image& image, const DrawDescriptor& draw, const ShadedVertices& vertices,
                       std::span<const TargetRange> ranges, FragmentRun& run) {
  auto shader = std::make_shared<const Shader>(run.given.program);
  if (framebuffer_.samples > 1 && !draw.per_sample && shader->changes_memory())
    return at_draw(draw.place, image,
                   "the program stores to memory once for a pixel, and " + framebuffer_.place + " has " +
                       std::to_string(framebuffer_.samples) + " samples",
                   ErrorCode::unsupported);
  if (run.state.output.stencil.test && !draw.depth_stencil.stencil_from_shader && shader->emits_stencil())
    return at_draw(draw.place, image,
                   draw.depth_stencil.place +
                       ": the program gives stencil references, and stencil from shader "
                       "is not set",
                   ErrorCode::unsupported);
  Launch& launch = run.launch.emplace(warpjit::Program(std::move(shader)));
  run.state.raster.topology = vertices.primitives.topology;
  run.state.raster.point_size_slot = static_cast<std::uint8_t>(vertices.size_slot);
  const auto bound = [&]() -> Status {
    WARPJIT_CHECK(set_up(launch, run.given.grid, Stage::fragment));
    WARPJIT_CHECK(launch.set_raster_state(run.state.raster));
    WARPJIT_CHECK(launch.set_output_state(run.state.output));
    WARPJIT_CHECK(bind_targets(launch, run.state, samples_[run.state.fragment.sample]));
    return bind_vertices(launch, vertices);
  };
  if (const Status status = bound(); !status)
    return at_draw(draw.place, image, to_string(status.error()), status.error().code);
  const TargetMemory memory{.targets = ranges, .kept = kept_};
  for (const frontend::BufferSource& buffer : run.given.grid.buffers)
    if (const std::string target = memory.target_of(buffer.address, buffer.bytes); !target.empty())
      return at_draw(draw.place, image,
                     "buffer " + std::to_string(buffer.entry) + " of table " + std::to_string(buffer.table) +
                         " lies in the memory of " + target,
                     ErrorCode::unsupported);
  WARPJIT_CHECK(bind_textures(launch, image, draw.fragment, memory, run.textures));
  return bind_images(launch, image, draw.fragment, memory);
}

// Memory that has not been stored yet is what the frame's targets held before.
Status Frame::run_pre_frame(const Engine& engine, Image& image, const Job& job, const RunOptions& options) {
  for (unsigned k = 0; k < framebuffer_.pre_frame.size(); ++k) {
    if (framebuffer_.pre_frame[k] == FrameShaderMode::never) continue;
    WARPJIT_TRY(const DrawDescriptor draw,
                read_draw_at(image, framebuffer_.place + ", pre-frame draw " + std::to_string(k),
                             framebuffer_.frame_draws + std::uint64_t{kDrawBytes} * k));
    if (!draw.fragment.program) return at_draw(draw.place, image, "it has no program", ErrorCode::bad_input);
    for (unsigned sample = 0; sample < samples_.size(); ++sample)
      WARPJIT_CHECK(run_pre_frame(engine, image, job, draw, sample, options, pre_frame_[k]));
  }
  for (FramePixels& sample : samples_) begin_draws(framebuffer_, sample);
  return {};
}

Status Frame::run_pre_frame(const Engine& engine, Image& image, const Job& job, const DrawDescriptor& draw,
                            unsigned sample, const RunOptions& options, std::optional<Report>& kept) {
  WARPJIT_TRY(FragmentRun run, read_run(image, job, draw, sample));
  if (run.state.nothing) return {};
  WARPJIT_TRY(const ShadedVertices vertices,
              pre_frame_vertices(image, draw.fragment, framebuffer_, run.given.program));
  WARPJIT_CHECK(bind_run(image, draw, vertices, {}, run));
  auto report = engine.run(*run.launch, options);
  if (!report) return at_draw(draw.place, image, to_string(report.error()), report.error().code);
  keep_report(std::move(*report), kept);
  WARPJIT_CHECK(run.descriptors.unchanged(image));
  set_formats(run.state, samples_[sample]);
  return {};
}

Status Frame::store(Image& image, KeptPictures& kept) {
  end_draws(framebuffer_, samples_);
  if (samples_.size() > 1) resolved_ = resolve_samples(samples_);
  for (const TargetRange& range : ranges_)
    if (range.stored) kept.forget(range.address, range.size);
  store_frame(image, framebuffer_, area_, pixels());
  for (unsigned sample = 0; samples_.size() > 1 && sample < samples_.size(); ++sample)
    store_frame(image, framebuffer_, area_, samples_[sample], sample);
  WARPJIT_CHECK(keep_frame(framebuffer_, area_, pixels(), kept));
  show_unwritten(image, framebuffer_, area_, kept, resolved_ ? *resolved_ : samples_.front());
  return {};
}

Result<Frame> Frame::begin(const Image& image, const Job& job, const KeptPictures& kept) {
  Frame frame;
  frame.kept_ = &kept;
  WARPJIT_TRY(frame.framebuffer_, read_framebuffer(image, job));
  frame.area_ = area_of(frame.framebuffer_, std::get<FragmentPayload>(job.payload));
  WARPJIT_TRY(const FramePixels pixels, begin_frame(image, frame.framebuffer_, frame.area_));
  frame.samples_.assign(frame.framebuffer_.samples, pixels);
  frame.ranges_ = target_ranges(frame.framebuffer_);
  return frame;
}

// A count is added to what is there.
Status Frame::add_to_query(Image& image, const DrawDescriptor& draw,
                           std::span<const std::uint32_t> passed) const {
  constexpr std::size_t kBytes = 8;
  const std::uint64_t sum = std::accumulate(passed.begin(), passed.end(), std::uint64_t{0});
  const auto to = image.find_writable(draw.query_result, kBytes);
  if (!to)
    return at_draw(draw.place, image,
                   "occlusion: 8 bytes at " + hex_text(draw.query_result) + " are not all in the image",
                   ErrorCode::bad_input);
  WARPJIT_TRY(const std::uint64_t before, image.u64(draw.query_result));
  if (draw.query == OcclusionQuery::any && sum == 0) return {};
  const std::uint64_t value = draw.query == OcclusionQuery::any ? 1 : before + sum;
  for (std::size_t k = 0; k < kBytes; ++k) (*to)[k] = static_cast<std::byte>(value >> 8 * k);
  return {};
}

Status Frame::draw(const Engine& engine, Image& image, const WaitingDraw& waiting, const RunOptions& options,
                   CaptureDraw& drawn) {
  for (unsigned sample = 0; sample < samples_.size(); ++sample)
    WARPJIT_CHECK(draw_sample(engine, image, waiting, sample, options, drawn));
  return {};
}

Status Frame::draw_sample(const Engine& engine, Image& image, const WaitingDraw& waiting, unsigned sample,
                          const RunOptions& options, CaptureDraw& drawn) {
  WARPJIT_TRY(const DrawDescriptor draw, read_draw(image, waiting.job));
  WARPJIT_TRY(FragmentRun run, prepare(image, waiting, sample));
  if (!run.launch) return {};
  FramePixels& pixels = samples_[sample];
  const bool queries = draw.query != OcclusionQuery::off;
  std::vector<std::uint32_t> own(queries ? std::size_t{pixels.width} * pixels.height : 0);
  std::vector<std::uint32_t>& passed = queries ? own : pixels.passed;
  if (!passed.empty()) {
    run.state.output.count_passed = true;
    WARPJIT_CHECK(run.launch->set_output_state(run.state.output));
    WARPJIT_CHECK(run.launch->bind_pass_counts(
        {passed.data(), 4 * passed.size(), std::size_t{4} * pixels.width, PixelFormat::r32ui}));
  }
  auto report = engine.run(*run.launch, options);
  if (!report)
    return at_draw(waiting.job.place() + ", draw", image, to_string(report.error()), report.error().code);
  WARPJIT_CHECK(run.descriptors.unchanged(image));
  if (queries) WARPJIT_CHECK(add_to_query(image, draw, own));
  for (std::size_t n = 0; queries && n < pixels.passed.size(); ++n) pixels.passed[n] += own[n];
  drawn.drawn = true;
  keep_report(std::move(*report), drawn.fragment);
  drawn.depth = run.state.output.depth_format != PixelFormat::none;
  for (unsigned n = 0; n < pixels.colors.size(); ++n)
    if (run.state.output.colors[n] != PixelFormat::none)
      drawn.targets = static_cast<std::uint8_t>(drawn.targets | 1U << n);
  set_formats(run.state, pixels);
  return {};
}

}  // namespace warpjit::valhall
