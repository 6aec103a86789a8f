#include "frontend/tesla/interpret/texture.h"

#include "frontend/interpret/textures/sample.h"

namespace warpjit::tesla {

namespace {

using textures::TextureView;

unsigned coordinates_of(TextureDimension dimension) {
  switch (dimension) {
    case TextureDimension::d1:
    case TextureDimension::buffer:
      return 1;
    case TextureDimension::d2:
      return 2;
    case TextureDimension::d3:
    case TextureDimension::cube:
      break;
  }
  return 3;
}

// One instruction with its texture and sampler.
class TextureRun {
 public:
  TextureRun(const Instruction& i, const TextureOperands& operands, const TextureView& texture,
             const Sampler& sampler)
      : i_(i), operands_(operands), texture_(texture), sampler_(sampler) {}

  // `seen`: of SamplePlace.
  std::array<std::uint32_t, 4> run(unsigned lane, interpret::SeenTexels* seen) const {
    unsigned next = 0;  // argument
    interpret::SamplePlace place;
    place.seen = seen;
    for (unsigned n = 0; n < coordinates_of(texture_.dimension); ++n)
      place.coordinates[n] = argument(next++, lane);
    if (texture_.array) place.layer = argument(next++, lane);
    if (texture_.dimension != TextureDimension::cube)
      for (unsigned axis = 0; axis < 3; ++axis) place.offsets[axis] = i_.offsets[axis];
    if (i_.opcode == Opcode::texfetch) {
      const bool has_levels = texture_.dimension != TextureDimension::buffer;
      return interpret::fetch(texture_, place,
                              has_levels ? static_cast<std::int32_t>(argument(next, lane)) : 0);
    }
    if (sampler_.compare) place.reference = argument(next++, lane);
    if (i_.opcode == Opcode::texgather) return interpret::gather(texture_, sampler_, place);
    if (i_.opcode == Opcode::texlod)
      return interpret::sample(texture_, sampler_, place, interpret::detail_operand(argument(next, lane)));
    std::int32_t detail = implicit_detail(lane);
    if (i_.opcode == Opcode::texquerylod) {
      const interpret::Detail found = interpret::resolve_detail(texture_, sampler_, detail);
      return {static_cast<std::uint32_t>(found.clamped), static_cast<std::uint32_t>(found.unclamped), 0, 0};
    }
    if (i_.opcode == Opcode::texbias) detail += interpret::detail_operand(argument(next, lane));
    return interpret::sample(texture_, sampler_, place, detail);
  }

 private:
  std::uint32_t argument(unsigned n, unsigned lane) const { return n < 4 ? operands_.arguments[n][lane] : 0; }

  std::array<std::uint32_t, 3> coordinates(unsigned lane) const {
    return {argument(0, lane), argument(1, lane), argument(2, lane)};
  }

  // The level of detail of the lane's quad, from the pairs of its lanes that are active.
  std::int32_t implicit_detail(unsigned lane) const {
    if (!operands_.has_quads && i_.deriv == 0) return interpret::kNoDetail;
    struct Pair {
      unsigned from, to;
      bool always;
    };
    constexpr Pair kPairs[] = {{0, 1, true}, {0, 2, true}, {2, 3, false}, {1, 3, false}};
    const unsigned quad = lane & ~3U;
    std::uint32_t most = 0;
    for (const Pair& pair : kPairs) {
      const unsigned from = quad + pair.from, to = quad + pair.to;
      if ((operands_.active >> from & operands_.active >> to & 1) == 0) continue;
      if (!pair.always && !texture_.four_pairs) continue;
      most = interpret::widen_gradient(most, texture_, coordinates(from), coordinates(to));
    }
    return interpret::detail_of(most);
  }

  const Instruction& i_;
  const TextureOperands& operands_;
  const TextureView& texture_;
  const Sampler& sampler_;
};

std::array<std::uint32_t, 4> run_lane(const TextureRun& run, const Instruction& i,
                                      const TextureOperands& operands, unsigned lane) {
  if (operands.seen == nullptr) [[likely]]
    return run.run(lane, nullptr);
  interpret::SeenTexels seen(*operands.seen, i.number, lane);
  return run.run(lane, &seen);
}

// s, t and the layer of a face.
std::array<std::uint32_t, 4> prepare_cube(const TextureOperands& operands, unsigned lane) {
  const auto& a = operands.arguments;
  const interpret::FacePlace face = interpret::find_face({a[0][lane], a[1][lane], a[2][lane]});
  return {face.s, face.t, a[3][lane] * 6 + face.face, 0};
}

}  // namespace

TextureResults run_texture(const BlockContext& context, const Instruction& i,
                           const TextureOperands& operands) {
  TextureResults results{};
  static constexpr Sampler kNoSampler{};
  const frontend::BoundTextures& bound = context.launch->bound;
  const TextureView* texture = bound.texture(i.number);
  const Sampler* sampler =
      needs_sampler(i.opcode) ? bound.sampler(sampler_of(i, *context.modes)) : &kNoSampler;
  if (needs_texture(i.opcode) && (texture == nullptr || sampler == nullptr)) return results;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if ((operands.executing >> lane & 1) == 0) continue;
    std::array<std::uint32_t, 4> words{};
    if (i.opcode == Opcode::texprep)
      words = prepare_cube(operands, lane);
    else if (i.opcode == Opcode::texsize)
      words = interpret::query_size(*texture, operands.arguments[0][lane]);
    else
      words = run_lane(TextureRun(i, operands, *texture, *sampler), i, operands, lane);
    for (unsigned n = 0; n < 4; ++n) results[n][lane] = words[n];
  }
  return results;
}

}  // namespace warpjit::tesla
