#include "device/pica200/unit_registers.h"

#include <cstring>

#include "frontend/pica200/container/program.h"
#include "frontend/pica200/shader.h"
#include "frontend/pica200/stage_values.h"

namespace warpjit::pica200 {
namespace {

// What a register is, by its number in the unit.
enum class Kind : std::uint8_t {
  none,
  bools,
  ints,
  inputs,
  entry,
  permutation,
  output_mask,
  float_index,
  float_data,
  code_index,
  code_data,
  descriptor_index,
  descriptor_data,
};
struct Row {
  std::uint32_t first, count;
  Kind kind;
};
constexpr Row kRows[] = {
    {0x00, 1, Kind::bools},
    {0x01, 4, Kind::ints},
    {0x09, 1, Kind::inputs},
    {0x0A, 1, Kind::entry},
    {0x0B, 2, Kind::permutation},
    {0x0D, 1, Kind::output_mask},
    {0x10, 1, Kind::float_index},
    {0x11, 8, Kind::float_data},
    {0x1B, 1, Kind::code_index},
    {0x1C, 8, Kind::code_data},
    {0x25, 1, Kind::descriptor_index},
    {0x26, 8, Kind::descriptor_data},
};
constexpr auto kKinds = [] {
  std::array<Kind, UnitRegisters::kCount> kinds{};
  for (const Row& row : kRows)
    for (std::uint32_t n = 0; n < row.count; ++n) kinds[row.first + n] = row.kind;
  return kinds;
}();
constexpr std::uint32_t kFirstInt = 0x01, kFirstPermutation = 0x0B;

}  // namespace

bool VectorTransfer::push(std::uint32_t word, Vector& vector) {
  words[count++] = word;
  if (count < (f32_mode ? 4u : 3u)) return false;
  count = 0;
  const auto& [a, b, c, d] = words;
  if (f32_mode)
    vector = {d, c, b, a};
  else
    vector = {f24_to_f32(c), f24_to_f32(b << 8 | c >> 24), f24_to_f32(a << 16 | b >> 16), f24_to_f32(a >> 8)};
  return true;
}

void UnitRegisters::write(std::uint32_t offset, std::uint32_t value, UnitRegisters* also) {
  const auto both = [&](auto write) {
    write(*this);
    if (also != nullptr) write(*also);
  };
  switch (kKinds[offset]) {
    case Kind::none:
      break;
    case Kind::float_data: {
      Vector vector;
      if (!float_transfer_.push(value, vector) || float_index_ >= floats.size()) break;
      both([&](UnitRegisters& unit) { change(unit.floats[float_index_], vector, unit.values_version); });
      ++float_index_;
      break;
    }
    case Kind::code_data:
      both([&](UnitRegisters& unit) {
        if (code_index_ < code.size() && code_index_ < unit.code.size())
          change(unit.code[code_index_], value, unit.program_version);
      });
      code_index_ += code_index_ < code.size();
      break;
    case Kind::descriptor_data:
      if (descriptor_index_ >= descriptors.size()) break;
      both([&](UnitRegisters& unit) {
        change(unit.descriptors[descriptor_index_], value, unit.program_version);
      });
      ++descriptor_index_;
      break;
    case Kind::bools:
      both([&](UnitRegisters& unit) { unit.set_bools(static_cast<std::uint16_t>(value)); });
      break;
    case Kind::ints:
      both([&](UnitRegisters& unit) { change(unit.ints[offset - kFirstInt], value, unit.values_version); });
      break;
    case Kind::inputs:
      change(attribute_count, static_cast<std::uint8_t>((value & 15) + 1), layout_version);
      break;
    case Kind::entry:
      change(entry, value & 0xFFFF, program_version);
      break;
    case Kind::permutation: {
      const unsigned first = (offset - kFirstPermutation) * 8;
      for (unsigned n = 0; n < 8; ++n)
        change(permutation[first + n], static_cast<std::uint8_t>(value >> 4 * n & 15), layout_version);
      break;
    }
    case Kind::output_mask:
      change(output_mask, static_cast<std::uint16_t>(value), layout_version);
      break;
    case Kind::float_index:
      // Eight bits, so that an index above c95 does not wrap to c0.
      float_index_ = value & 0xFF;
      float_transfer_ = {{}, 0, value >> 31 != 0};
      break;
    case Kind::code_index:
      code_index_ = value & 0xFFF;
      break;
    case Kind::descriptor_index:
      descriptor_index_ = value & 0xFF;
      break;
  }
}

void UnitRegisters::store(frontend::Values& values) const {
  std::uint32_t* words = values.words.data();
  std::memcpy(words + ValueWords::kFloat, floats.data(), sizeof floats);
  for (unsigned n = 0; n < 4; ++n)
    for (unsigned c = 0; c < 4; ++c) words[ValueWords::kInt + 4 * n + c] = ints[n] >> 8 * c & 0xFF;
  values.bools = bools;
}

}  // namespace warpjit::pica200
