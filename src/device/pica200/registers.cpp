#include "device/pica200/registers.h"

#include <algorithm>
#include <bit>

namespace warpjit::pica200 {
namespace {

constexpr std::uint32_t kMapEnd = kMap + Registers::kMapWords;
constexpr std::uint32_t kImmediateMode = 15;

// The bits of the bytes that `bytes` has a bit for.
std::uint32_t mask_of(unsigned bytes) {
  std::uint32_t mask = 0;
  for (unsigned n = 0; n < 4; ++n)
    if ((bytes >> n & 1) != 0) mask |= 0xFFu << 8 * n;
  return mask;
}

}  // namespace

Status Registers::write_fixed(std::uint32_t value) {
  Vector vector;
  if (!fixed_transfer_.push(value, vector)) return {};
  if (fixed_index_ != kImmediateMode) {
    // The index advances, as in emulators (pica200.md 11).
    if (fixed_index_ < fixed.size()) change(fixed[fixed_index_++], vector, fixed_version);
    return {};
  }
  if (sent_count_ == 0) sent_ = fixed;
  if (sent_count_ < sent_.size()) sent_[sent_count_] = vector;
  if (++sent_count_ <= (words_[kImmediateAttributes] & 15)) return {};
  sent_count_ = 0;
  if (immediate.size() == kMaxDrawVertices)
    return Error{ErrorCode::resource_limit,
                 "more than " + std::to_string(kMaxDrawVertices) + " vertices in immediate mode",
                 "register 0x233"};
  immediate.push_back(sent_);
  return {};
}

Status Registers::write(std::uint32_t id, std::uint32_t value, unsigned bytes) {
  if (id >= kRegisterCount || (bytes & 15) == 0) return {};
  if ((bytes & 15) != 15) {
    const std::uint32_t mask = mask_of(bytes);
    value = (words_[id] & ~mask) | (value & mask);
  }
  const std::uint32_t before = words_[id];
  words_[id] = value;
  if (id < kPixelsEnd) pixel_version += value != before;
  if (within(id, kVertexUnit, kVertexUnit + UnitRegisters::kCount)) {
    vertex.write(id - kVertexUnit, value, shared() ? &geometry : nullptr);
    return {};
  }
  if (within(id, kGeometryUnit, kGeometryUnit + UnitRegisters::kCount)) {
    geometry.write(id - kGeometryUnit, value, nullptr);
    return {};
  }
  if (within(id, kFixedData, kFixedDataEnd)) return write_fixed(value);
  if (within(id, kAttributeBase, kLoadersEnd)) {
    loader_version += value != before;
    return {};
  }
  if (within(id, kMap, kMapEnd)) {
    change(output_map[id - kMap], value, map_version);
    return {};
  }
  switch (id) {
    case kMapCount:
      change(map_count, static_cast<std::uint8_t>(value & 7), map_version);
      break;
    case kVertexOutputs:
      change(vertex_outputs_written_, true, map_version);
      [[fallthrough]];
    case kGeometryStage:
    case kGeometryMode:
    case kFullVertices:
      map_version += value != before;
      break;
    case kFixedIndex:
      fixed_index_ = value & 15;
      fixed_transfer_.count = 0;
      sent_count_ = 0;
      break;
    case kTopology:
      topology_written = true;
      break;
    case kRestart:
      restarted = true;
      break;
    default:
      break;
  }
  return {};
}

unsigned Registers::vertex_outputs() const {
  const auto enabled = static_cast<unsigned>(std::popcount(vertex.output_mask));
  return vertex_outputs_written_ ? std::min(enabled, (words_[kVertexOutputs] & 15) + 1) : enabled;
}

GeometryUnit& Registers::unit() {
  if (unit_bools_written_ != geometry.bools_written) unit_.flags &= ~GeometryUnit::kHasRun;
  unit_bools_written_ = geometry.bools_written;
  return unit_;
}

}  // namespace warpjit::pica200
