// Alpha, stencil and depth tests (docs/pixels.md 9).
#include <algorithm>

#include "frontend/pixels/fragment_frame.h"

namespace warpjit::frontend {

using ir::F32;
using ir::I1;
using ir::I32;

namespace {

constexpr std::uint32_t kDepth24 = 0xffffff;

}  // namespace

I1 FragmentFrame::compare_words(Compare compare, I32 a, I32 b) {
  switch (compare) {
    case Compare::never:
      return b_.constant(false);
    case Compare::less:
      return b_.ILtU32(a, b);
    case Compare::equal:
      return b_.IEq32(a, b);
    case Compare::less_equal:
      return b_.ILeU32(a, b);
    case Compare::greater:
      return b_.ILtU32(b, a);
    case Compare::not_equal:
      return b_.INe32(a, b);
    case Compare::greater_equal:
      return b_.ILeU32(b, a);
    case Compare::always:
      break;
  }
  return b_.constant(true);
}

// Operands are not denormal.
I1 FragmentFrame::compare_floats(Compare compare, F32 a, F32 b) {
  switch (compare) {
    case Compare::never:
      return b_.constant(false);
    case Compare::less:
      return b_.FLt32(a, b);
    case Compare::equal:
      return b_.FEq32(a, b);
    case Compare::less_equal:
      return b_.FLe32(a, b);
    case Compare::greater:
      return b_.FGt32(a, b);
    case Compare::not_equal:
      return b_.FNe32(a, b);
    case Compare::greater_equal:
      return b_.FGe32(a, b);
    case Compare::always:
      break;
  }
  return b_.constant(true);
}

I1 FragmentFrame::alpha_test(I1 live, const Words& color, I1 written) {
  const OutputState& state = facts_.output;
  if (!state.alpha_test || is_integer(state.colors[0])) return live;
  const F32 alpha = b_.FFlush32(as_float(color[3]));
  const F32 reference = b_.FFlush32(b_.LoadUniformF32(kAlphaReferenceOffset));
  I1 passed = compare_floats(state.alpha_compare, alpha, reference);
  if (written.valid()) passed = b_.Or1(passed, b_.Not1(written));
  return b_.And1(live, passed);
}

// As the format stores it.
I32 FragmentFrame::fragment_depth(F32 depth) {
  if (facts_.output.depth_format == PixelFormat::d32f) return as_word(depth);
  const float most = facts_.output.depth_format == PixelFormat::d16 ? 65535.0F : 16777215.0F;
  return b_.F32ToI32Sat(b_.FRoundEven32(b_.FMulFlush32(depth, b_.constant(most))));
}

I32 FragmentFrame::stencil_value(StencilOp op, const StencilFace& face, I32 stored, I32 reference) {
  I32 value;
  switch (op) {
    case StencilOp::keep:
      return stored;
    case StencilOp::zero:
      value = word(0);
      break;
    case StencilOp::replace:
      value = reference;
      break;
    case StencilOp::increment_clamp:
      value = b_.IMinU32(b_.IAdd32(stored, word(1)), word(0xff));
      break;
    case StencilOp::decrement_clamp:
      value = b_.IMaxS32(b_.ISub32(stored, word(1)), word(0));
      break;
    case StencilOp::invert:
      value = b_.IXor32(stored, word(0xff));
      break;
    case StencilOp::increment_wrap:
      value = b_.IAnd32(b_.IAdd32(stored, word(1)), word(0xff));
      break;
    case StencilOp::decrement_wrap:
      value = b_.IAnd32(b_.ISub32(stored, word(1)), word(0xff));
      break;
  }
  if (face.write_mask == 0xff) return value;
  return b_.IOr32(b_.IAnd32(value, word(face.write_mask)), b_.IAnd32(stored, word(0xffU & ~face.write_mask)));
}

FragmentFrame::StencilResult FragmentFrame::stencil_face(const StencilFace& face, I32 stored,
                                                         const std::optional<StencilReference>& given) {
  const std::uint32_t mask = face.read_mask;
  I32 reference = word(face.reference);
  if (given) reference = b_.select(given->given, b_.IAnd32(given->value, word(0xff)), reference);
  return {compare_words(face.compare, b_.IAnd32(reference, word(mask)), b_.IAnd32(stored, word(mask))),
          stencil_value(face.fail, face, stored, reference),
          stencil_value(face.depth_fail, face, stored, reference),
          stencil_value(face.pass, face, stored, reference)};
}

I1 FragmentFrame::depth_stencil(I1 live, F32 depth, const std::optional<StencilReference>& reference) {
  const OutputState& state = facts_.output;
  const bool tests_depth = state.depth.test && layout_.depth != TileLayout::kNone;
  const bool stencils = state.stencil.test && state.depth_format == PixelFormat::d24s8;
  if (!tests_depth && !stencils) return live;
  const bool packed = state.depth_format == PixelFormat::d24s8;
  const bool writes_depth = tests_depth && state.depth.write;
  const bool reads = stencils || packed || (state.depth.compare != Compare::always);
  const I32 stored = reads ? b_.LoadTile(layout_.depth) : word(0);
  const I32 stored_depth = packed ? b_.IAnd32(stored, word(kDepth24)) : stored;

  I1 pass = b_.constant(true);
  I32 new_depth = stored_depth;
  if (tests_depth) {
    const I32 fragment = fragment_depth(depth);
    pass = state.depth_format == PixelFormat::d32f
               ? compare_floats(state.depth.compare, depth, b_.FFlush32(as_float(stored)))
               : compare_words(state.depth.compare, fragment, stored_depth);
    if (writes_depth) new_depth = fragment;
  }
  if (!stencils) {
    live = b_.And1(live, pass);
    if (!writes_depth) return live;
    const I32 kept = packed ? b_.IAnd32(stored, word(~kDepth24)) : I32();
    b_.StoreTile(live, packed ? b_.IOr32(new_depth, kept) : new_depth, layout_.depth);
    return live;
  }

  const I32 stored_stencil = b_.IShrU32(stored, word(24));
  StencilResult stencil = stencil_face(state.stencil.front, stored_stencil, reference);
  if (!(state.stencil.front == state.stencil.back)) {
    const I1 front = b_.INe32(front_facing(), word(0));
    const StencilResult back = stencil_face(state.stencil.back, stored_stencil, reference);
    stencil = {b_.select(front, stencil.pass, back.pass), b_.select(front, stencil.failed, back.failed),
               b_.select(front, stencil.depth_failed, back.depth_failed),
               b_.select(front, stencil.passed, back.passed)};
  }
  const I1 both = b_.And1(stencil.pass, pass);
  const I32 new_stencil =
      b_.select(stencil.pass, b_.select(pass, stencil.passed, stencil.depth_failed), stencil.failed);
  const I32 depth_bits = writes_depth ? b_.select(both, new_depth, stored_depth) : stored_depth;
  b_.StoreTile(live, b_.IOr32(depth_bits, b_.IShl32(new_stencil, word(24))), layout_.depth);
  return b_.And1(live, both);
}

}  // namespace warpjit::frontend
