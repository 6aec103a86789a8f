#include "frontend/pica200/assembly/descriptors.h"

#include "frontend/pica200/container/program.h"

namespace warpjit::pica200 {
namespace {

constexpr std::size_t kLowEntries = 32;

bool needs_low_entry(Opcode opcode) { return opcode == Opcode::mad || opcode == Opcode::madi; }

}  // namespace

std::uint32_t DescriptorTable::depends(Opcode opcode, std::uint8_t mask) {
  const OpcodeInfo& info = pica200::info(opcode);
  Descriptor result;
  if ((info.traits & (kWritesDest | kWritesAddress)) != 0) result.mask = kXYZW;
  for (std::size_t source = 0; source < 3; ++source) {
    if (info.reads[source] == 0) continue;
    std::uint8_t components = info.reads[source] == kLanes ? mask : info.reads[source];
    // The community assembler keeps all of CMP's second selector.
    if (opcode == Opcode::cmp && source == 1) components = kXYZW;
    result.negate[source] = 1;
    for (unsigned lane = 0; lane < 4; ++lane)
      if (enables(components, lane)) result.selector[source] |= static_cast<std::uint8_t>(0xC0 >> (2 * lane));
  }
  return encode_descriptor(result);
}

std::optional<std::uint16_t> DescriptorTable::intern(Opcode opcode, std::uint32_t bits,
                                                     std::vector<std::uint32_t>& code) {
  const std::uint32_t wanted = depends(opcode, static_cast<std::uint8_t>(bits & 15));
  const bool low = needs_low_entry(opcode);
  for (std::size_t k = 0; k < entries_.size() && (!low || k < kLowEntries); ++k) {
    Entry& entry = entries_[k];
    if (((entry.bits ^ bits) & entry.depends & wanted) != 0) continue;
    entry.bits = (entry.bits & ~wanted) | (bits & wanted);
    entry.depends |= wanted;
    entry.low |= low;
    return static_cast<std::uint16_t>(k);
  }
  if (entries_.size() == kMaxDescriptors) return std::nullopt;
  if (low && entries_.size() >= kLowEntries) {
    const auto k = vacate(code);
    if (k) entries_[*k] = {bits, wanted, true};
    return k;
  }
  entries_.push_back({bits, wanted, low});
  return static_cast<std::uint16_t>(entries_.size() - 1);
}

std::optional<std::uint16_t> DescriptorTable::vacate(std::vector<std::uint32_t>& code) {
  for (std::size_t k = 0; k < kLowEntries; ++k) {
    if (entries_[k].low) continue;
    entries_.push_back(entries_[k]);
    for (const std::uint32_t address : users_) {
      Instruction instruction = *try_decode(code[address]);
      if (instruction.descriptor != k) continue;
      instruction.descriptor = static_cast<std::uint16_t>(entries_.size() - 1);
      code[address] = encode(instruction);
    }
    return static_cast<std::uint16_t>(k);
  }
  return std::nullopt;
}

bool DescriptorTable::append(std::uint32_t bits) {
  if (entries_.size() == kMaxDescriptors) return false;
  entries_.push_back({bits, ~std::uint32_t{0}, true});
  return true;
}

std::vector<std::uint32_t> DescriptorTable::words() const {
  std::vector<std::uint32_t> result;
  for (const Entry& entry : entries_) result.push_back(entry.bits);
  return result;
}

}  // namespace warpjit::pica200
