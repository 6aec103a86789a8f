#include "frontend/pica200/assembly/descriptors.h"

#include <algorithm>

#include "frontend/pica200/container/program.h"

namespace warpjit::pica200 {
namespace {

constexpr std::size_t kLowEntries = 32;

// The community assembler keeps these whole, though not all of their components are read.
bool keeps_selector(Opcode opcode, std::size_t source) {
  switch (opcode) {
    case Opcode::cmp:
      return source == 1;
    case Opcode::dst:
    case Opcode::dsti:
    case Opcode::litp:
      return true;
    default:
      return false;
  }
}

bool needs_low_entry(Opcode opcode) { return opcode == Opcode::mad || opcode == Opcode::madi; }

}  // namespace

std::uint32_t DescriptorTable::depends(Opcode opcode, std::uint8_t mask) {
  const OpcodeInfo& info = pica200::info(opcode);
  Descriptor result;
  if ((info.traits & (kWritesDest | kWritesAddress)) != 0) result.mask = kXYZW;
  for (std::size_t source = 0; source < 3; ++source) {
    if (info.reads[source] == 0) continue;
    std::uint8_t components = info.reads[source] == kLanes ? mask : info.reads[source];
    if (keeps_selector(opcode, source)) components = kXYZW;
    result.negate[source] = 1;
    for (unsigned lane = 0; lane < 4; ++lane)
      if (enables(components, lane)) result.selector[source] |= static_cast<std::uint8_t>(0xC0 >> (2 * lane));
  }
  return encode_descriptor(result);
}

std::optional<std::uint16_t> DescriptorTable::intern(Opcode opcode, std::uint32_t bits,
                                                     std::vector<std::uint32_t>& code) {
  const std::uint32_t wanted = depends(opcode, static_cast<std::uint8_t>(bits & 15));
  std::size_t k = 0;
  while (k < entries_.size() && ((entries_[k].bits ^ bits) & entries_[k].depends & wanted) != 0) ++k;
  if (k < entries_.size()) {
    entries_[k].bits = (entries_[k].bits & ~wanted) | (bits & wanted);
    entries_[k].depends |= wanted;
  } else if (k == kMaxDescriptors) {
    return std::nullopt;
  } else {
    entries_.push_back({bits, wanted, false});
  }
  if (needs_low_entry(opcode)) {
    if (k >= kLowEntries) {
      const auto end = entries_.begin() + kLowEntries;
      const auto free = std::find_if(entries_.begin(), end, [](const Entry& entry) { return !entry.low; });
      if (free == end || entries_[k].low) return std::nullopt;
      exchange(static_cast<std::size_t>(free - entries_.begin()), k, code);
      k = static_cast<std::size_t>(free - entries_.begin());
    }
    entries_[k].low = true;
  }
  return static_cast<std::uint16_t>(k);
}

void DescriptorTable::exchange(std::size_t a, std::size_t b, std::vector<std::uint32_t>& code) {
  std::swap(entries_[a], entries_[b]);
  for (const std::uint32_t address : users_) {
    Instruction instruction = *try_decode(code[address]);
    if (instruction.descriptor != a && instruction.descriptor != b) continue;
    instruction.descriptor = static_cast<std::uint16_t>(instruction.descriptor == a ? b : a);
    code[address] = encode(instruction);
  }
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
