#include "frontend/valhall/draw/frame.h"

#include <algorithm>

#include "frontend/valhall/assembly/assemble.h"
#include "frontend/valhall/draw/blend_shaders.h"
#include "frontend/valhall/shader.h"

namespace warpjit::valhall {
namespace {

// What a draw without a program runs: depth and stencil alone.
Result<Program> depth_program() { return assemble(".stage fragment\nNOP.end\n", "draw without a program"); }

Error at_draw(const WaitingDraw& waiting, const Image& image, const std::string& what, ErrorCode code) {
  return {code, waiting.job.place() + ", draw: " + what, image.name()};
}

TargetBuffer buffer_of(TilePixels& pixels, PixelFormat format, std::uint32_t width) {
  return {pixels.bytes.data(), pixels.bytes.size(), std::size_t{width} * pixels.pixel_bytes, format};
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
  launch.set_count(vertices.count);
  if (vertices.primitives.indexed) WARPJIT_CHECK(launch.bind_indices(vertices.primitives.indices));
  return launch.set_instances(vertices.instances);
}

}  // namespace

Result<FragmentRun> Frame::prepare(Image& image, const WaitingDraw& waiting) {
  FragmentRun run;
  WARPJIT_TRY(const DrawDescriptor draw, read_draw(image, waiting.job));
  WARPJIT_TRY(run.state, convert_draw(image, draw, framebuffer_, area_));
  if (run.state.nothing || waiting.vertices.count == 0) {
    run.state.nothing = true;
    return run;
  }
  if (waiting.tiler.first_provoking != framebuffer_.first_provoking)
    return at_draw(waiting, image,
                   "first provoking vertex of tiler " + hex_text(waiting.tiler.address) + " is not that of " +
                       framebuffer_.place,
                   ErrorCode::bad_input);
  JobLaunch given;
  if (draw.fragment.program) {
    WARPJIT_TRY(given, fragment_launch(image, waiting.job, draw.fragment));
    WARPJIT_CHECK(link_blend_shaders(image, draw, framebuffer_, given, run.state));
    given.program.fragment = run.state.fragment;
  } else {
    WARPJIT_TRY(given.program, depth_program());
  }
  run.descriptors.add(image, given.descriptors);
  auto shader = std::make_shared<const Shader>(given.program);
  if (run.state.output.stencil.test && !draw.depth_stencil.stencil_from_shader && shader->emits_stencil())
    return at_draw(waiting, image,
                   draw.depth_stencil.place +
                       ": the program gives stencil references, and stencil from shader "
                       "is not set",
                   ErrorCode::unsupported);
  Launch& launch = run.launch.emplace(warpjit::Program(std::move(shader)));
  run.state.raster.topology = waiting.vertices.primitives.topology;
  run.state.raster.point_size_slot = static_cast<std::uint8_t>(waiting.vertices.size_slot);
  const auto bound = [&]() -> Status {
    WARPJIT_CHECK(set_up(launch, given.grid, Stage::fragment));
    WARPJIT_CHECK(launch.set_raster_state(run.state.raster));
    WARPJIT_CHECK(launch.set_output_state(run.state.output));
    WARPJIT_CHECK(bind_targets(launch, run.state, pixels_));
    return bind_vertices(launch, waiting.vertices);
  };
  if (const Status status = bound(); !status)
    return at_draw(waiting, image, to_string(status.error()), status.error().code);
  WARPJIT_CHECK(bind_textures(launch, image, draw.fragment, ranges_, run.textures));
  WARPJIT_CHECK(bind_images(launch, image, draw.fragment, ranges_));
  return run;
}

Result<Frame> Frame::begin(const Image& image, const Job& job, std::span<const TargetRange> compressed) {
  Frame frame;
  WARPJIT_TRY(frame.framebuffer_, read_framebuffer(image, job));
  frame.area_ = area_of(frame.framebuffer_, std::get<FragmentPayload>(job.payload));
  WARPJIT_TRY(frame.pixels_, begin_frame(image, frame.framebuffer_, frame.area_));
  frame.ranges_ = target_ranges(frame.framebuffer_);
  frame.ranges_.insert(frame.ranges_.end(), compressed.begin(), compressed.end());
  return frame;
}

Status Frame::draw(const Engine& engine, Image& image, const WaitingDraw& waiting, const RunOptions& options,
                   CaptureDraw& drawn) {
  WARPJIT_TRY(const FragmentRun run, prepare(image, waiting));
  if (!run.launch) return {};
  auto report = engine.run(*run.launch, options);
  if (!report) return at_draw(waiting, image, to_string(report.error()), report.error().code);
  WARPJIT_CHECK(run.descriptors.unchanged(image));
  drawn.drawn = true;
  drawn.fragment = std::move(*report);
  drawn.depth = run.state.output.depth_format != PixelFormat::none;
  for (unsigned n = 0; n < pixels_.colors.size(); ++n) {
    const PixelFormat format = run.state.output.colors[n];
    if (format == PixelFormat::none) continue;
    drawn.targets = static_cast<std::uint8_t>(drawn.targets | 1U << n);
    pixels_.colors[n].format = format;
  }
  return {};
}

}  // namespace warpjit::valhall
