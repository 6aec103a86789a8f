// `thread < 64` holds in all lanes of a group or in none, where groups are 32 threads wide: what the lanes
// add to a multiple of 32 does not matter (analysis/lane_shape). Such a comparison is made of the base.
#include <optional>

#include "ir/analysis/lane_shape.h"
#include "ir/builder.h"
#include "ir/pass/passes.h"

namespace warpjit::ir {
namespace {

// True if the value is a multiple of 2^zeros, and what the lanes add is less than that.
bool is_base_and_rest(const LaneShape& shape) {
  if (!shape.told || !shape.base.valid() || !shape.fits(~0u) || shape.zeros >= 32) return false;
  std::uint64_t rest = 0;
  for (const LaneShape::Stride& stride : shape.strides) rest += stride.coefficient;
  return rest < std::uint64_t{1} << shape.zeros;
}

}  // namespace

bool unify_comparisons(Function& f) {
  std::optional<LaneShapes> shapes;  // of the function as it was, once they are needed
  const auto shape_of = [&](Value v) -> const LaneShape& {
    return (shapes ? *shapes : shapes.emplace(f))[v];
  };
  std::vector<Value> replacement(f.value_count());
  Builder b(f);
  bool changed = false;
  for (std::uint32_t n = 0; n < f.block_count(); ++n)
    for (Inst i : f.insts(Block{n})) {
      const Opcode opcode = f.inst(i).opcode;
      if (opcode == Opcode::IAnd32) {
        for (std::uint32_t k = 0; k < 2; ++k) {
          const Value word = f.operand(i, 1 - k);
          if (f.is_constant(f.operand(i, k)) && f.value(word).uniformity == Uniformity::varying &&
              shape_of(word).fits(static_cast<std::uint32_t>(f.constant(f.operand(i, k)))))
            replacement[f.result(i).id] = word, changed = true;
        }
        continue;
      }
      if (opcode != Opcode::ILtU32 && opcode != Opcode::ILeU32) continue;
      for (std::uint32_t k = 0; k < 2; ++k) {
        const Value word = f.operand(i, k), bound = f.operand(i, 1 - k);
        if (!f.is_constant(bound) || f.value(word).uniformity != Uniformity::varying) continue;
        const LaneShape shape = shape_of(word);
        // The first value of those that compare otherwise than what is below.
        const std::uint64_t first = f.constant(bound) + ((opcode == Opcode::ILtU32) == (k == 0) ? 0 : 1);
        if (!is_base_and_rest(shape) || first % (std::uint64_t{1} << shape.zeros) != 0) continue;
        b.set_before(i);
        b.set_guest_address(f.inst(i).guest_address);
        f.set_operand(i, k, b.IAdd32(I32{shape.base}, b.constant(shape.offset)));
        changed = true;
      }
    }
  if (changed) f.replace_values(replacement);
  return changed;
}

}  // namespace warpjit::ir
