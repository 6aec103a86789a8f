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

FragmentFrame::F32 FragmentFrame::plane(std::uint32_t row) {
  const F32 start =
      b_.FAddFlush32(from_primitive(row, 0), b_.FMulFlush32(from_primitive(row, 2), b_.PixelDy()));
  return b_.FAddFlush32(start, b_.FMulFlush32(from_primitive(row, 1), b_.PixelDx()));
}

FragmentFrame::F32 FragmentFrame::value(unsigned use) { return plane(pixels::kHeaderRows + use); }

FragmentFrame::F32 FragmentFrame::limited(F32 value) {
  return b_.FMinSelect32(b_.FMaxSelect32(value, b_.constant(0.0F)), b_.constant(1.0F));
}

FragmentFrame::F32 FragmentFrame::depth() { return limited(plane(pixels::kDepthRow)); }
FragmentFrame::F32 FragmentFrame::column() { return b_.FAddFlush32(from_primitive(0, 2), b_.PixelDx()); }
FragmentFrame::F32 FragmentFrame::row() { return b_.FAddFlush32(from_primitive(0, 3), b_.PixelDy()); }

FragmentFrame::I32 FragmentFrame::flat(unsigned use) {
  return b_.PrimitiveI32((pixels::kHeaderRows + use) * sizeof(pixels::PlaneRow) + 12);
}
FragmentFrame::I32 FragmentFrame::front_facing() { return b_.PrimitiveI32(0); }
FragmentFrame::I32 FragmentFrame::primitive_number() { return b_.PrimitiveI32(4); }

FragmentFrame::I1 FragmentFrame::begin(const Program& program) {
  const I1 covered = b_.PixelCovered();
  tested_early_ =
      !program.discards && !program.exports_depth && !program.has_side_effects && !facts_.output.alpha_test;
  if (!tested_early_) return covered;
  const I1 passed = depth_stencil(covered, depth());
  tests_first_ = passed.id.id != covered.id.id;
  return passed;
}

void FragmentFrame::end(I1 live, std::span<const Words> colors, std::optional<I32> exported_depth) {
  if (!tested_early_) {
    if (!colors.empty()) live = alpha_test(live, colors[0]);
    live = depth_stencil(live, exported_depth ? limited(b_.FFlush32(as_float(*exported_depth))) : depth());
  }
  for (unsigned k = 0; k < colors.size(); ++k)
    if (layout_.color[k] != TileLayout::kNone) store_color(k, live, colors[k]);
}

}  // namespace warpjit::frontend
