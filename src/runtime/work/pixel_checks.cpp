#include "runtime/work/pixel_checks.h"

#include <algorithm>
#include <string>
#include <vector>

namespace warpjit::runtime {
namespace {

std::string color_name(unsigned number) { return "colour target " + std::to_string(number); }

Status check_target(const TargetBuffer& target, const LaunchPixels& work, const std::string& name) {
  const std::uint64_t row = std::uint64_t{work.width} * pixel_size(target.format);
  if (target.pitch < row || target.pitch > std::uint64_t{1} << 32)
    return Error{
        ErrorCode::bad_input,
        "a row has " + std::to_string(row) + " bytes, more than the pitch, " + std::to_string(target.pitch),
        name};
  const std::uint64_t needed = std::uint64_t{target.pitch} * (work.height - 1) + row;
  if (needed > target.size)
    return Error{
        ErrorCode::bad_input,
        "the target needs " + std::to_string(needed) + " bytes and has " + std::to_string(target.size), name};
  return {};
}

bool overlap(const TargetBuffer& a, const TargetBuffer& b) {
  const auto begin = [](const TargetBuffer& t) { return reinterpret_cast<std::uintptr_t>(t.data); };
  return begin(a) < begin(b) + b.size && begin(b) < begin(a) + a.size;
}

}  // namespace

Status check_state(const RasterState& state) {
  const auto wrong = [](const char* what) { return Error{ErrorCode::bad_input, what, "raster state"}; };
  if (state.topology > Topology::triangle_fan) return wrong("there is no such topology");
  if (state.shade > ShadeModel::flat) return wrong("there is no such shade model");
  const auto [least, most] = state.depth_bounds;
  if (!(least >= 0 && least <= most && most <= 1))
    return wrong("depth bounds are not 0 <= least <= greatest <= 1");
  if (!(state.clip_bounds[0] <= state.clip_bounds[1]))
    return wrong("the first of the clip bounds is above the second");
  return {};
}

Status check_state(const OutputState& state) {
  const auto wrong = [](const char* what) {
    return Error{ErrorCode::bad_input, std::string("there is no such ") + what, "output state"};
  };
  const auto face_is_known = [](const StencilFace& face) {
    return face.compare <= Compare::always &&
           std::max({face.fail, face.depth_fail, face.pass}) <= StencilOp::decrement_wrap;
  };
  if (state.depth.compare > Compare::always) return wrong("comparison of depths");
  if (state.alpha_compare > Compare::always) return wrong("comparison of alpha");
  if (!face_is_known(state.stencil.front) || !face_is_known(state.stencil.back))
    return wrong("comparison or operation of stencils");
  for (const BlendState& blend : state.blend) {
    if (std::max({blend.source, blend.target, blend.source_alpha, blend.target_alpha}) >
        BlendFactor::target_alpha_saturate)
      return wrong("blend factor");
    if (std::max(blend.op, blend.op_alpha) > BlendOp::max) return wrong("blend operation");
    for (const BlendMix& mix : {blend.mix, blend.mix_alpha})
      if (mix.add > BlendMix::Add::target || mix.multiply > BlendMix::Multiply::target ||
          mix.by > BlendMix::By::constant)
        return wrong("operand of blending");
  }
  return {};
}

Status check_pixels(const LaunchPixels& work, std::uint64_t count) {
  if (work.width == 0)
    return Error{ErrorCode::bad_input, "the size of the targets is not set", "target size"};
  struct Bound {
    const TargetBuffer* target;
    std::string name;
  };
  std::vector<Bound> bound;
  for (unsigned k = 0; k < kMaxColorTargets; ++k)
    if (work.colors[k].data != nullptr) bound.push_back({&work.colors[k], color_name(k)});
  if (work.depth.data != nullptr) bound.push_back({&work.depth, "depth target"});
  if (work.output.count_passed) {
    if (work.pass_counts.data == nullptr)
      return Error{ErrorCode::bad_input, "count_passed is set, and no counts are bound", "pass counts"};
    bound.push_back({&work.pass_counts, "pass counts"});
  }
  for (std::size_t k = 0; k < bound.size() && !work.has_blocks(); ++k) {
    WARPJIT_CHECK(check_target(*bound[k].target, work, bound[k].name));
    for (std::size_t other = 0; other < k; ++other)
      if (overlap(*bound[k].target, *bound[other].target))
        return Error{ErrorCode::bad_input, "the memory overlaps that of " + bound[other].name, bound[k].name};
  }
  if (work.vertex) return {};
  const VertexBuffer& vertices = work.vertices;
  if (count != 0 && vertices.data == nullptr)
    return Error{ErrorCode::bad_input, "there are no vertices", "vertices"};
  const std::uint64_t row = std::uint64_t{vertices.slots} * 4;
  const std::uint64_t most = vertices.size < row    ? 0
                             : vertices.stride == 0 ? ~std::uint64_t{0}
                                                    : (vertices.size - row) / vertices.stride + 1;
  if (count > 1 && vertices.stride < row && vertices.stride != 0)
    return Error{ErrorCode::bad_input,
                 "vertices of " + std::to_string(row) + " bytes are " + std::to_string(vertices.stride) +
                     " bytes from each other",
                 "vertices"};
  if (count > most)
    return Error{
        ErrorCode::bad_input,
        "the buffer has room for " + std::to_string(most) + " vertices of " + std::to_string(row) + " bytes",
        "vertices"};
  if (count == 0 || work.instances < 2 || vertices.instance_stride == 0) return {};
  const std::uint64_t rest = vertices.size - row - (count - 1) * vertices.stride;
  if ((work.instances - 1) > rest / vertices.instance_stride)
    return Error{ErrorCode::bad_input,
                 "the buffer has room for " + std::to_string(rest / vertices.instance_stride + 1) +
                     " instances, " + std::to_string(vertices.instance_stride) + " bytes from each other",
                 "vertices"};
  return {};
}

}  // namespace warpjit::runtime
