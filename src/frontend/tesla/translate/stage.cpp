#include "frontend/tesla/translate/stage.h"

#include <algorithm>
#include <cstring>

namespace warpjit::tesla {

using ir::F32;
using ir::I1;
using ir::I32;

namespace {

constexpr std::uint32_t kSpaceBytes = 0x10000;
constexpr std::uint32_t kMostLocalBytes = 1024;

bool uses_local(const ReachedCode& code) {
  return std::ranges::any_of(code.instructions(), [](const ReachedInstruction& reached) {
    const Instruction& i = reached.instruction;
    return i.opcode == Opcode::ld_l || i.opcode == Opcode::st_l || i.src[0].kind == Operand::Kind::local ||
           i.src[1].kind == Operand::Kind::local || i.src[2].kind == Operand::Kind::local;
  });
}

// What only the guest interpreter runs.
const char* refused(const Program& program, const Instruction& i) {
  const ProgramType type = program.type;
  const bool meets = i.opcode == Opcode::quadop || i.opcode == Opcode::quadon || i.opcode == Opcode::vote ||
                     i.lanes != 15 || (i.opcode == Opcode::mov_from_sr && i.src[0].value == 0);
  if (type != ProgramType::fragment && meets) return "what shows which lanes share a warp";
  if (is_texture(i.opcode) && i.deriv != 0 && type != ProgramType::fragment)
    return "levels of detail of quads outside fragment programs";
  for (const Operand* operand : {&i.dst, &i.src[0], &i.src[1], &i.src[2]}) {
    using Kind = Operand::Kind;
    if (operand->kind == Kind::local && program.local_bytes > kMostLocalBytes) return "very much of l[]";
    const bool is_row = operand->kind == Kind::attribute || operand->kind == Kind::output ||
                        operand->kind == Kind::interpolant || operand->kind == Kind::vertex;
    if (is_row && operand->post_increment) return "a[], o[], p[] or v[] with a post-increment";
    if (operand->kind == Kind::shared || (operand->kind == Kind::global && type != ProgramType::fragment))
      return "memory other than c[] and l[] in a graphics program";
  }
  return nullptr;
}

}  // namespace

Status check_supported(const Program& program, const ReachedCode& code, const SampledTextures& textures,
                       const Modes& modes) {
  // An access by an address to l[], or to the words of a row, looks at each of them.
  constexpr std::uint32_t kMostLooks = 1 << 13;
  const auto words_of_row = [&](Operand::Kind kind) -> std::size_t {
    switch (kind) {
      case Operand::Kind::attribute:
        return program.type == ProgramType::vertex ? attribute_layout(program.graphics).words : 1;
      case Operand::Kind::output:
        return used_outputs(program).size();
      case Operand::Kind::interpolant:
        return fragment_inputs(program.graphics).size();
      default:
        return 0;
    }
  };
  std::uint32_t looks = 0;
  for (const auto& [address, i] : code.instructions()) {
    const char* reason = refused(program, i);
    for (const Operand* operand : {&i.dst, &i.src[0], &i.src[1], &i.src[2]})
      if (operand->kind == Operand::Kind::local && !is_static(*operand))
        looks += std::max(size_of(operand->type) / 4, 1U) * ((program.local_bytes + 3) / 4);
      else if (!is_static(*operand))
        looks += static_cast<std::uint32_t>(words_of_row(operand->kind));
    if (looks > kMostLooks) reason = "very many accesses by an address register";
    if (reason != nullptr) return Error{ErrorCode::unsupported, reason, program.where(address)};
  }
  return check_samples(program, code, textures, modes);
}

StageTranslator::StageTranslator(const Program& program, const ComputeFacts& facts, const ReachedCode& code,
                                 const ConstantTable& constants, const SampledTextures& textures)
    : ThreadTranslator(program, facts, code, textures),
      constants_(constants),
      local_words_(uses_local(code) ? (program.local_bytes + 3) / 4 : 0) {
  function_.group_lanes = 0;
  function_.block_groups = 0;
  function_.slot_count = local_words_;
}

void StageTranslator::clear_local() {
  for (std::uint32_t slot = 0; slot < local_words_; ++slot) b_.StoreSlot(b_.constant(true), word(0), slot);
}

I32 StageTranslator::load(const Operand& operand, unsigned word_number) {
  if (operand.kind == Operand::Kind::local) return load_local(operand, word_number);
  if (operand.kind == Operand::Kind::global) return ThreadTranslator::load(operand, word_number);
  if (operand.kind != Operand::Kind::constant) return word(0);
  const std::uint32_t base = constants_.offset[operand.space], size = size_of(operand.type);
  if (is_static(operand)) {
    const std::uint32_t at = (operand.value & 0xffff) + 4 * word_number;
    if (at % size != 0 || at + size > constants_.bytes[operand.space]) return word(0);
    return extracted(operand.type, b_.LoadUniformI32(base + (at & ~3U)), word(at % 4 * 8));
  }
  const I32 at = address(operand);
  const auto row = b_.LoadUniformRow(b_.IShrU32(at, word(4)),
                                     base | std::uint64_t{constants_.bytes[operand.space] / 16} << 32);
  const I32 column = b_.IAnd32(b_.IShrU32(at, word(2)), word(3));
  I32 value = component(row, column);
  value = extracted(operand.type, value, b_.IShl32(b_.IAnd32(at, word(3)), word(3)));
  if (size == 1) return value;
  return b_.select(is_zero(b_.IAnd32(at, word(size - 1))), value, word(0));
}

bool StageTranslator::stored_local(const Operand& operand, unsigned word_number, I32 value) {
  if (operand.kind != Operand::Kind::local) return false;
  const std::uint32_t size = size_of(operand.type);
  if (size > program_.local_bytes) return true;
  const LocalPlace place = local_place(operand);
  const I1 where = b_.And1(guard_, place.exists);
  const auto store = [&](I1 here, std::uint32_t slot) {
    I32 stored = value;
    if (size < 4) {
      const I32 bits = b_.IShl32(word(size == 1 ? 0xff : 0xffff), place.bit);
      stored = b_.IOr32(b_.IAnd32(b_.LoadSlot(slot), b_.IXor32(bits, word(~0U))),
                        b_.IAnd32(b_.IShl32(value, place.bit), bits));
    }
    b_.StoreSlot(here, stored, slot);
  };
  if (place.fixed)
    store(where, *place.fixed + word_number);
  else
    for (std::uint32_t slot = word_number; slot < local_words_; ++slot)
      store(b_.And1(where, b_.IEq32(place.slot, word(slot - word_number))), slot);
  return true;
}

StageTranslator::LocalPlace StageTranslator::local_place(const Operand& operand) {
  const std::uint32_t size = size_of(operand.type), bytes = program_.local_bytes;
  LocalPlace place;
  if (is_static(operand)) {
    const std::uint32_t at = operand.value & 0xffff;
    const bool exists = at % size == 0 && at + size <= bytes;
    place.fixed = exists ? at / 4 : 0;
    place.bit = word(at % 4 * 8);
    place.exists = b_.constant(exists);
    return place;
  }
  const I32 at = address(operand);
  place.slot = b_.IShrU32(at, word(2));
  place.bit = b_.IShl32(b_.IAnd32(at, word(3)), word(3));
  const I1 ends = b_.ILeU32(b_.IAdd32(at, word(size)), word(bytes));
  place.exists = b_.And1(ends, is_zero(b_.IAnd32(at, word(size - 1))));
  return place;
}

I32 StageTranslator::load_local(const Operand& operand, unsigned word_number) {
  if (size_of(operand.type) > program_.local_bytes) return word(0);
  const LocalPlace place = local_place(operand);
  I32 value;
  if (place.fixed) {
    value = b_.LoadSlot(*place.fixed + word_number);
  } else {
    value = b_.LoadSlot(word_number);
    for (std::uint32_t slot = word_number + 1; slot < local_words_; ++slot)
      value = b_.select(b_.IEq32(place.slot, word(slot - word_number)), b_.LoadSlot(slot), value);
  }
  return b_.select(place.exists, extracted(operand.type, value, place.bit), word(0));
}

I32 StageTranslator::extracted(Type type, I32 value, I32 bit) {
  switch (type) {
    case Type::u8:
    case Type::b8:
      return b_.IAnd32(b_.IShrU32(value, bit), word(0xff));
    case Type::s8:
      return b_.IShrS32(b_.IShl32(b_.IShrU32(value, bit), word(24)), word(24));
    case Type::u16:
    case Type::b16:
      return b_.IAnd32(b_.IShrU32(value, bit), word(0xffff));
    case Type::s16:
      return b_.IShrS32(b_.IShl32(b_.IShrU32(value, bit), word(16)), word(16));
    default:
      return value;
  }
}

F32 StageTranslator::result(const ResultWord& from) {
  if (from.constant) return b_.constant_bits(*from.constant);
  const F32 value = b_.BitcastI32ToF32(read_output(from.output));
  return from.clamped ? b_.BitcastI32ToF32(as_bits(saturated(flushed(value)))) : value;
}

I32 StageTranslator::component(const std::array<F32, 4>& row, I32 column) {
  I32 value = b_.BitcastF32ToI32(row[3]);
  for (unsigned k = 3; k-- > 0;)
    value = b_.select(b_.IEq32(column, word(k)), b_.BitcastF32ToI32(row[k]), value);
  return value;
}

ConstantTable::ConstantTable(const Program& program, const ReachedCode& code, std::uint32_t first) {
  const auto read = [&](const Instruction& i) {
    for (const Operand& operand : i.src) {
      if (operand.kind != Operand::Kind::constant) continue;
      const std::uint32_t last =
          is_static(operand) ? (operand.value & 0xffff) + size_of(operand.type) : kSpaceBytes;
      bytes[operand.space] = std::max(bytes[operand.space], std::min(last, kSpaceBytes));
    }
  };
  for (const auto& [address, i] : code.instructions()) read(i);
  if (code.branches_through_constants())
    for (std::size_t n = 0; n < program.code.size(); ++n) {
      const std::uint32_t next = n + 1 < program.code.size() ? program.code[n + 1] : 0;
      if (const auto i = try_decode(program.type, program.code[n], next)) read(*i);
    }
  end = first;
  for (std::size_t k = 0; k < kConstantSpaces; ++k) {
    bytes[k] = (bytes[k] + 15) / 16 * 16;
    offset[k] = end;
    end += bytes[k];
  }
  end = (end + 63) / 64 * 64;
}

void ConstantTable::fill(std::span<const std::span<const std::byte>> constants,
                         std::span<std::uint32_t> table) const {
  for (std::size_t k = 0; k < kConstantSpaces; ++k) {
    if (bytes[k] == 0) continue;
    const std::span<std::uint32_t> to = table.subspan(offset[k] / 4, bytes[k] / 4);
    std::ranges::fill(to, 0U);
    const std::size_t size = std::min<std::size_t>(bytes[k], constants[k].size());
    if (size != 0) std::memcpy(to.data(), constants[k].data(), size);
  }
}

}  // namespace warpjit::tesla
