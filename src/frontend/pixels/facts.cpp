#include "frontend/pixels/facts.h"

namespace warpjit::frontend {
namespace {

// Appends values member by member: structs have bytes between.
class KeyWriter {
 public:
  explicit KeyWriter(std::vector<std::byte>& key) : key_(key) {}
  template <class... T>
  void put(const T&... values) {
    (put_one(static_cast<std::uint8_t>(values)), ...);
  }

 private:
  void put_one(std::uint8_t value) { key_.push_back(static_cast<std::byte>(value)); }
  std::vector<std::byte>& key_;
};

void append(KeyWriter& key, const StencilFace& face) {
  key.put(face.compare, face.fail, face.depth_fail, face.pass, face.reference, face.read_mask,
          face.write_mask);
}

void append(KeyWriter& key, const BlendMix& mix) {
  key.put(mix.add, mix.negate_add, mix.multiply, mix.negate_multiply, mix.by, mix.invert_by);
}

}  // namespace

void append_key(const PixelFacts& facts, std::vector<std::byte>& bytes) {
  KeyWriter key(bytes);
  const OutputState& state = facts.output;
  for (unsigned k = 0; k < kMaxColorTargets; ++k) {
    key.put(state.colors[k]);
    const BlendState& blend = state.blend[k];
    key.put(blend.enabled, blend.source, blend.target, blend.source_alpha, blend.target_alpha, blend.op,
            blend.op_alpha, blend.write_mask, blend.mixed, blend.bytes);
    append(key, blend.mix);
    append(key, blend.mix_alpha);
  }
  key.put(state.depth_format, state.depth.test, state.depth.write, state.depth.compare, state.stencil.test,
          state.alpha_test, state.alpha_compare, state.early_tests, state.count_passed);
  append(key, state.stencil.front);
  append(key, state.stencil.back);
  key.put(facts.flat_w, facts.narrow_depth, facts.uses.size());
  for (const pixels::SlotUse& use : facts.uses) key.put(use.slot, use.plane);
}

}  // namespace warpjit::frontend
