#include "device/pica200/attribute_sources.h"

#include <algorithm>
#include <cstdio>
#include <limits>

namespace warpjit::pica200 {
namespace {

constexpr unsigned kLoaderCount = 12;
constexpr std::uint32_t kWordsOfLoader = 3;
constexpr unsigned kFirstPadding = 12;  // component numbers from here on are 4, 8, 12 and 16 bytes of padding
constexpr std::uint32_t kOffsetBits = 0x0FFFFFFF;

// The format that 0x201 and 0x202 give to an attribute.
warpjit::Format format_of(const Registers& registers, unsigned attribute) {
  constexpr ComponentType kTypes[] = {ComponentType::s8, ComponentType::u8, ComponentType::s16,
                                      ComponentType::f32};
  const std::uint32_t word = registers.read(attribute < 8 ? kAttributeFormatsLow : kAttributeFormatsHigh);
  const std::uint32_t bits = word >> 4 * (attribute % 8);
  return {kTypes[bits & 3], static_cast<std::uint8_t>((bits >> 2 & 3) + 1)};
}

std::uint64_t align(std::uint64_t offset, std::size_t size) { return (offset + size - 1) / size * size; }

}  // namespace

Status AttributeSources::bind(unsigned attribute, const AttributeArray& array) {
  const std::string where = "attribute " + std::to_string(attribute);
  if (attribute >= bound_.size()) return bad_input("there are 12 attributes", where);
  const ComponentType type = array.format.type;
  const bool known = type == ComponentType::s8 || type == ComponentType::u8 || type == ComponentType::s16 ||
                     type == ComponentType::f32;
  if (!known || array.format.components < 1 || array.format.components > 4)
    return bad_input("attributes cannot have the format " + warpjit::name(array.format), where);
  bound_[attribute] = array;
  ++given_version_;
  return {};
}

void AttributeSources::unbind(unsigned attribute) {
  if (attribute >= bound_.size()) return;
  bound_[attribute].reset();
  ++given_version_;
}

Status AttributeSources::set_memory(std::span<const MemoryRange> ranges) {
  if (ranges.size() > kMaxMemoryRanges)
    return bad_input(
        std::to_string(ranges.size()) + " ranges are more than the most, " + std::to_string(kMaxMemoryRanges),
        "memory");
  std::vector<MemoryRange> sorted(ranges.begin(), ranges.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const MemoryRange& a, const MemoryRange& b) { return a.address < b.address; });
  for (std::size_t n = 0; n < sorted.size(); ++n) {
    const MemoryRange& range = sorted[n];
    constexpr std::uint64_t kAddresses = std::uint64_t{1} << 32;
    const std::uint64_t end = n + 1 < sorted.size() ? sorted[n + 1].address : kAddresses;
    char where[40];
    std::snprintf(where, sizeof where, "memory at 0x%08X", static_cast<unsigned>(range.address));
    if (range.data == nullptr && range.size != 0) return bad_input("the data is null", where);
    if (range.size > end - range.address)
      return bad_input(std::to_string(range.size) + " bytes reach into the next range or past 32 bits",
                       where);
  }
  memory_ = std::move(sorted);
  ++given_version_;
  return {};
}

std::span<const std::byte> AttributeSources::memory(std::uint64_t address, std::size_t size) const {
  const auto behind =
      std::upper_bound(memory_.begin(), memory_.end(), address,
                       [](std::uint64_t a, const MemoryRange& range) { return a < range.address; });
  if (behind == memory_.begin()) return {};
  const MemoryRange& range = behind[-1];
  const std::uint64_t offset = address - range.address;
  if (offset >= range.size) return {};
  return {static_cast<const std::byte*>(range.data) + offset,
          static_cast<std::size_t>(std::min<std::uint64_t>(size, range.size - offset))};
}

// The elements of one loader lie one after the other, each aligned to its own component.
void AttributeSources::load(const Registers& registers, unsigned loader) {
  const std::uint32_t id = kLoaders + kWordsOfLoader * loader;
  const std::uint64_t components = registers.read(id + 1) | std::uint64_t{registers.read(id + 2)} << 32;
  const auto count = static_cast<unsigned>(components >> 60);
  const unsigned attributes = (registers.read(kAttributeFormatsHigh) >> 28) + 1;
  const std::uint64_t start = registers.attribute_base() + std::uint64_t{registers.read(id) & kOffsetBits};
  // From its start to the end of the range, so that attributes of one loader have one array.
  const std::span<const std::byte> bytes = memory(start, std::numeric_limits<std::size_t>::max());
  std::uint64_t offset = 0;
  for (unsigned n = 0; n < std::min(count, kLoaderCount); ++n) {
    const auto component = static_cast<unsigned>(components >> 4 * n & 15);
    if (component >= kFirstPadding) {
      offset = align(offset, 4) + 4 * (component - kFirstPadding + 1);
      continue;
    }
    const warpjit::Format format = format_of(registers, component);
    offset = align(offset, component_size(format.type));
    if (component < attributes) {
      arrays_[component] = AttributeArray{bytes.data(), bytes.size(), static_cast<std::size_t>(offset),
                                          static_cast<std::size_t>(components >> 48 & 0xFF), format};
      loader_register_[component] = id;
    }
    offset += size(format);
  }
}

void AttributeSources::update(const Registers& registers) {
  const std::uint64_t loader = memory_.empty() ? 1 : registers.loader_version;
  if (used_given_ == given_version_ && used_loader_ == loader) return;
  used_given_ = given_version_;
  used_loader_ = loader;
  ++version_;
  arrays_ = {};
  loader_register_ = {};
  if (!memory_.empty())
    for (unsigned n = 0; n < kLoaderCount; ++n) load(registers, n);
  for (unsigned n = 0; n < kAttributes; ++n) {
    if (!bound_[n]) continue;
    arrays_[n] = bound_[n];
    loader_register_[n] = 0;
  }
}

void AttributeSources::use(std::span<const Registers::ImmediateVertex> vertices) {
  used_given_ = 0;
  ++version_;
  loader_register_ = {};
  for (unsigned n = 0; n < kAttributes; ++n)
    arrays_[n] = AttributeArray{vertices.data(), vertices.size_bytes(), n * sizeof(Vector),
                                sizeof(Registers::ImmediateVertex), f32x4};
}

std::string AttributeSources::name(unsigned attribute) const {
  std::string text = "attribute " + std::to_string(attribute);
  if (loader_register_[attribute] == 0) return text;
  char where[32];
  std::snprintf(where, sizeof where, ", register 0x%03X", static_cast<unsigned>(loader_register_[attribute]));
  return text + where;
}

}  // namespace warpjit::pica200
