#include "frontend/pixels/fragment_frame.h"

namespace warpjit::frontend {

TileLayout::TileLayout(const OutputState& output) {
  const auto take = [&](PixelFormat format) {
    const std::uint8_t first = planes;
    planes = static_cast<std::uint8_t>(planes + planes_of(format));
    return format == PixelFormat::none ? kNone : first;
  };
  for (unsigned k = 0; k < kMaxColorTargets; ++k) color[k] = take(output.colors[k]);
  depth = take(output.depth_format);
  if (output.count_passed) passed = take(PixelFormat::r32ui);
}

FragmentFrame::FragmentFrame(ir::Builder& b, const PixelFacts& facts)
    : b_(b), facts_(facts), layout_(facts.output) {
  ir::Function& f = b.function();
  f.pixels = true;
  f.primitive_bytes = facts.primitive_bytes();
  f.tile_planes = layout_.planes;
  f.uniform_bytes = kPixelTableBytes;
}

FragmentFrame::F32 FragmentFrame::from_primitive(std::uint32_t row, std::uint32_t word) {
  return b_.PrimitiveF32(row * sizeof(pixels::PlaneRow) + 4 * word);
}

FragmentFrame::F32 FragmentFrame::plane(std::uint32_t row, F32 dx, F32 dy) {
  const auto away = [&](F32 center, F32 by) { return by.valid() ? b_.FAddFlush32(center, by) : center; };
  const F32 start =
      b_.FAddFlush32(from_primitive(row, 0), b_.FMulFlush32(from_primitive(row, 2), away(b_.PixelDy(), dy)));
  return b_.FAddFlush32(start, b_.FMulFlush32(from_primitive(row, 1), away(b_.PixelDx(), dx)));
}

FragmentFrame::F32 FragmentFrame::value(unsigned use) { return plane(pixels::kHeaderRows + use); }
FragmentFrame::F32 FragmentFrame::value_at(unsigned use, F32 dx, F32 dy) {
  return plane(pixels::kHeaderRows + use, dx, dy);
}
FragmentFrame::F32 FragmentFrame::inverse_w_at(F32 dx, F32 dy) {
  return facts_.flat_w ? b_.constant(1.0F) : plane(pixels::kInverseWRow, dx, dy);
}

FragmentFrame::F32 FragmentFrame::limited(F32 value) {
  return b_.FMinSelect32(b_.FMaxSelect32(value, b_.constant(0.0F)), b_.constant(1.0F));
}

FragmentFrame::F32 FragmentFrame::limited_depth(F32 value) {
  if (!facts_.narrow_depth) return limited(value);
  const F32 least = b_.FFlush32(b_.LoadUniformF32(kDepthBoundsOffset));
  const F32 most = b_.FFlush32(b_.LoadUniformF32(kDepthBoundsOffset + 4));
  return b_.FMinSelect32(b_.FMaxSelect32(value, least), most);
}

FragmentFrame::F32 FragmentFrame::depth() { return limited_depth(plane(pixels::kDepthRow)); }
FragmentFrame::F32 FragmentFrame::column() { return b_.FAddFlush32(from_primitive(0, 2), b_.PixelDx()); }
FragmentFrame::F32 FragmentFrame::row() { return b_.FAddFlush32(from_primitive(0, 3), b_.PixelDy()); }

FragmentFrame::F32 FragmentFrame::center_x() { return b_.PixelCenterX(); }
FragmentFrame::F32 FragmentFrame::center_y() { return b_.PixelCenterY(); }

FragmentFrame::I32 FragmentFrame::flat(unsigned use) {
  return b_.PrimitiveI32((pixels::kHeaderRows + use) * sizeof(pixels::PlaneRow) + 12);
}
FragmentFrame::I32 FragmentFrame::front_facing() { return b_.PrimitiveI32(0); }
// A positive area is clockwise, as rows grow downward.
FragmentFrame::I32 FragmentFrame::anticlockwise() {
  const I32 front = b_.IAnd32(front_facing(), b_.constant(1U));
  return b_.IXor32(front, b_.LoadUniformI32(kPositiveIsFrontOffset));
}
FragmentFrame::I32 FragmentFrame::primitive_number() { return b_.PrimitiveI32(4); }

FragmentFrame::I1 FragmentFrame::begin(const Program& program) {
  const I1 covered = b_.PixelCovered();
  tested_early_ = facts_.output.early_tests || (!program.discards && !program.exports_depth &&
                                                !program.has_side_effects && !facts_.output.alpha_test);
  if (!tested_early_) return covered;
  const I1 passed = depth_stencil(covered, depth());
  tests_first_ = passed.id.id != covered.id.id;
  return passed;
}

void FragmentFrame::end(I1 live, std::span<const Words> colors, std::optional<I32> exported_depth,
                        std::span<const I1> written, const std::optional<StencilReference>& reference,
                        std::span<const I1> replaced) {
  const auto replaces = [&](unsigned k) { return !replaced.empty() && replaced[k].valid(); };
  if (!colors.empty()) {
    I1 tested = written.empty() ? I1() : written[0];
    if (tested.valid() && replaces(0)) tested = b_.Or1(tested, replaced[0]);
    live = alpha_test(live, colors[0], tested);
  }
  if (!tested_early_)
    live = depth_stencil(
        live, exported_depth ? limited_depth(b_.FFlush32(as_float(*exported_depth))) : depth(), reference);
  if (layout_.passed != TileLayout::kNone)
    b_.StoreTile(live, b_.IAdd32(b_.LoadTile(layout_.passed), word(1)), layout_.passed);
  for (unsigned k = 0; k < colors.size(); ++k) {
    if (layout_.color[k] == TileLayout::kNone) continue;
    store_color(k, facts_.output.blend[k], written.empty() ? live : b_.And1(live, written[k]), colors[k]);
    if (replaces(k)) store_color(k, {}, b_.And1(live, replaced[k]), colors[k]);
  }
}

}  // namespace warpjit::frontend
