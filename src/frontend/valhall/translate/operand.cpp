// Operands of Valhall instructions, and which family translates what.
#include <algorithm>
#include <bit>

#include "frontend/valhall/facts/arithmetic.h"
#include "frontend/valhall/facts/attribute.h"
#include "frontend/valhall/flow/buffer_uses.h"
#include "frontend/valhall/translate/instruction.h"

namespace warpjit::valhall {

using ir::F32;
using ir::I1;
using ir::I32;

namespace {

constexpr unsigned kWarp = 16;

// Special values: page * 32 + entry * 2.
constexpr std::uint8_t special_value(unsigned page, unsigned entry) {
  return static_cast<std::uint8_t>(32 * page + 2 * entry);
}
constexpr std::uint8_t kWarpId = special_value(0, 2), kLocalPointer = special_value(1, 1),
                       kSharedPointer = special_value(1, 3), kLaneId = special_value(3, 1),
                       kFramebufferSize = special_value(0, 4), kProgramCounter = special_value(3, 15);

}  // namespace

UniformTable uniform_table(const Program& program, const ReachedCode& code, std::size_t samples,
                           std::uint32_t buffers) {
  UniformTable table{.buffers = buffers, .samples = static_cast<std::uint32_t>(samples)};
  if (program.stage == Stage::fragment) table.first = frontend::kPixelTableBytes;
  for (const auto& reached : code.instructions()) {
    const Instruction& i = reached.instruction;
    for (const Source& source : i.source)
      if (source.kind == Source::Kind::uniform)
        table.words = std::max(table.words, source.value + (source.wide ? 2U : 1U));
    if (const auto entry = attribute_entry(i); entry && entry->index < kMaxAttributes)
      table.attributes = std::max(table.attributes, entry->index + 1);
    if (const auto entry = image_entry(i); entry && entry->table == kImageTable && entry->index < kMaxImages)
      table.images = std::max(table.images, entry->index + 1);
  }
  return table;
}

namespace {

// A program that does not say where a thread's memory is has none.
bool names_local_memory(const ReachedCode& code) {
  return std::ranges::any_of(code.instructions(), [](const auto& reached) {
    return std::ranges::any_of(reached.instruction.source, [](const Source& source) {
      return source.kind == Source::Kind::special && (source.value & ~1U) == kLocalPointer;
    });
  });
}

std::vector<frontend::TextureUse> uses_with(std::vector<frontend::TextureUse> uses,
                                            std::span<const frontend::TextureUse> computed) {
  uses.insert(uses.end(), computed.begin(), computed.end());
  return uses;
}

std::vector<ir::Type> variable_types(Stage stage) {
  std::vector<ir::Type> types(kVariables, ir::Type::i32);
  if (stage != Stage::fragment) return types;
  types.resize(kVarLive, ir::Type::i32);
  types.resize(kFragmentVariables, ir::Type::i1);
  return types;
}

}  // namespace

InstructionTranslator::InstructionTranslator(const Program& program, const LaunchFacts& facts,
                                             const ReachedCode& code)
    : program_(program),
      facts_(facts),
      sampling_(sampling_instructions(program, code)),
      texture_uses_(uses_with(texture_uses(sampling_), facts.computed_uses)),
      table_(uniform_table(program, code, texture_uses_.size(), buffer_uses(program, code).most())),
      local_bytes_(names_local_memory(code) ? program.local_bytes : 0),
      private_(private_windows(facts.high_words)),
      b_(function_),
      ssa_(b_, variable_types(program.stage)) {
  function_.name = program.source_name.empty() ? "valhall" : program.source_name;
  function_.group_lanes = kWarp;
  function_.block_groups = (facts.threads() + kWarp - 1) / kWarp;
  function_.uniform_bytes = table_.bytes();
  function_.texture_count = table_.samples;
  for (std::size_t k = 0; k < facts.samples.size(); ++k) {
    ir::SampleKey key = facts.samples[k];
    key.own_levels = true;
    key.gives_face = key.is_cube();
    key.mirrors_texels = true;
    function_.samples.push_back({key, table_.sample_table().words(k)});
  }
}

Error InstructionTranslator::unsupported(const Instruction& i, const std::string& why) const {
  return {ErrorCode::unsupported, mnemonic(i) + ": " + why, program_.where(address_)};
}

Status InstructionTranslator::instruction(const Instruction& i, std::uint32_t address) {
  address_ = address;
  switch (i.opcode) {
    case Opcode::nop:
      return {};
    case Opcode::barrier:
      if (is_fragment()) return not_of_stage(i);
      b_.Barrier(truth(true), 0);
      return {};
    case Opcode::discard:
      return is_fragment() ? fragment_message(i) : not_of_stage(i);
    case Opcode::clper:
    case Opcode::wmask:
      return lanes(i);
    default:
      break;
  }
  if (is_sample(i.opcode)) return sample(i);
  if (is_message(i)) return memory(i);
  const auto known = arithmetic_result(i);
  if (!known) return Error{known.error().code, known.error().message, program_.where(address_)};
  if (const auto halves = packed_halves(i)) {
    set_word(i, *halves);
    return {};
  }
  if (i.opcode >= Opcode::s8_to_s32 && i.opcode <= Opcode::v2f16_to_v2u16 && i.opcode != Opcode::fround)
    return conversion(i);
  switch (i.opcode) {
    case Opcode::v2f32_to_v2f16:
      return conversion(i);
    case Opcode::fround:
    case Opcode::frexpm:
    case Opcode::frexpe:
    case Opcode::frcp:
    case Opcode::frsq:
    case Opcode::fsin_table:
    case Opcode::fcos_table:
    case Opcode::flogd:
    case Opcode::fadd:
    case Opcode::fadd_imm:
    case Opcode::fmin:
    case Opcode::fmax:
    case Opcode::ldexp:
    case Opcode::fexp:
    case Opcode::fadd_lscale:
    case Opcode::fma:
    case Opcode::fma_rscale:
    case Opcode::fma_rscale_n:
    case Opcode::fma_rscale_left:
    case Opcode::cubeface1:
    case Opcode::cubeface2:
    case Opcode::cube_ssel:
    case Opcode::cube_tsel:
      return floating(i);
    default:
      return integer(i);
  }
}

I1 InstructionTranslator::taken(const Instruction& i) {
  const Source& a = i.source[0];
  const I32 value = source_word(a);
  const auto half = [&](unsigned n) { return bits_of(value, 16 * n, 16, false); };
  I1 nonzero;
  switch (a.lanes) {
    case Lanes::h0:
    case Lanes::h1:
      nonzero = b_.Not1(is_zero(half(a.lanes == Lanes::h1 ? 1 : 0)));
      break;
    case Lanes::both:
      nonzero = b_.Not1(b_.Or1(is_zero(half(0)), is_zero(half(1))));
      break;
    case Lanes::lowbits: {
      const I32 low = b_.IAnd32(value, word(0x00010001));
      nonzero = b_.INe32(low, word(0));
      break;
    }
    default:
      nonzero = b_.INe32(value, word(0));
      break;
  }
  return i.if_zero ? b_.Not1(nonzero) : nonzero;
}

// valhall.md 8.3. Quotients are exact for numbers below 2^10.
void InstructionTranslator::begin_thread() {
  const auto divided = [&](I32 n, std::uint32_t divisor) {
    if ((divisor & (divisor - 1)) == 0)
      return b_.IShrU32(n, word(static_cast<std::uint32_t>(std::countr_zero(divisor))));
    return b_.IShrU32(b_.IMul32(n, word(((1U << 20) + divisor - 1) / divisor)), word(20));
  };
  const auto rest = [&](I32 n, I32 quotient, std::uint32_t divisor) {
    if ((divisor & (divisor - 1)) == 0) return b_.IAnd32(n, word(divisor - 1));
    return b_.ISub32(n, b_.IMul32(quotient, word(divisor)));
  };
  const auto& [x, y, z] = facts_.block;
  const I32 thread = thread_index();
  std::array<I32, 3> local{thread, word(0), word(0)};
  if (y * z != 1) {
    const I32 row = divided(thread, x);
    local[0] = rest(thread, row, x);
    const I32 plane = divided(row, y);
    local[1] = z == 1 ? row : rest(row, plane, y);
    if (z != 1) local[2] = plane;
  }
  set_gpr(55, b_.IOr32(local[0], b_.IShl32(local[1], word(16))));
  set_gpr(56, local[2]);
  for (unsigned axis = 0; axis < 3; ++axis) {
    I32 block = b_.BlockIndex(axis);
    if (facts_.offset_blocks) {
      const auto first = static_cast<LaunchWord>(static_cast<unsigned>(LaunchWord::first_x) + axis);
      block = b_.IAdd32(block, launch_word(first));
    }
    set_gpr(57 + axis, block);
    set_gpr(60 + axis, b_.IAdd32(b_.IMul32(block, word(facts_.block[axis])), local[axis]));
  }
}

I32 InstructionTranslator::special(const Source& source, unsigned half) {
  const bool high = half != 0 || (source.value & 1) != 0;
  switch (source.value & ~1U) {
    case kLocalPointer:
      return word(high ? private_.local : 0);
    case kSharedPointer:
      return word(high ? private_.shared : 0);
    case kLaneId:
      return high ? word(0) : b_.IAnd32(own_lane(), word(is_fragment() ? 3 : kWarp - 1));
    case kFramebufferSize:
      return high ? word(0) : launch_word(LaunchWord::framebuffer_size);
    case kProgramCounter: {
      const std::uint64_t next = program_.address + address_ + 8;
      return word(static_cast<std::uint32_t>(high ? next >> 32 : next));
    }
    case kWarpId: {
      if (high) return word(0);
      const I32 plane =
          b_.IAdd32(b_.BlockIndex(1), b_.IMul32(b_.BlockIndex(2), launch_word(LaunchWord::grid_y)));
      const I32 block = b_.IAdd32(b_.BlockIndex(0), b_.IMul32(plane, launch_word(LaunchWord::grid_x)));
      const I32 warp = b_.IShrU32(thread_index(), word(4));
      return b_.IAdd32(b_.IMul32(block, word(function_.block_groups)), warp);
    }
    default:  // the number of the core; the others are refused (translate.cpp)
      return word(0);
  }
}

I32 InstructionTranslator::source_word(const Source& source) {
  switch (source.kind) {
    case Source::Kind::gpr:
      return gpr(source.value);
    case Source::Kind::uniform:
      if (source.value < facts_.uniform_words) return b_.LoadUniformI32(table_.uniform(source.value));
      return b_.LoadMemory(truth(true), word(4U * source.value),
                           ir::MemoryAccess{.space = ir::Space::constant, .index = kUniformSpace}.pack());
    case Source::Kind::constant:
      return word(kConstants[source.value]);
    case Source::Kind::special:
      return special(source, 0);
    default:
      return word(0);
  }
}

InstructionTranslator::Pair InstructionTranslator::source_pair(const Source& source) {
  if (source.kind == Source::Kind::constant) return {word(kConstants[source.value]), word(0)};
  if (source.kind == Source::Kind::special) {
    const I32 low = special(source, 0);
    return {low, special(source, 1)};
  }
  Source high = source;
  ++high.value;
  const I32 low = source_word(source);
  return {low, source_word(high)};
}

// Bits low to low + count - 1, extended.
I32 InstructionTranslator::bits_of(I32 value, unsigned low, unsigned count, bool is_signed) {
  if (count == 32) return value;
  if (is_signed) {
    const I32 top = b_.IShl32(value, word(32 - count - low));
    return b_.IShrS32(top, word(32 - count));
  }
  const I32 down = b_.IShrU32(value, word(low));
  return low + count == 32 ? down : b_.IAnd32(down, word(low_mask<std::uint32_t>(count)));
}

namespace {

// Which part of a source element k is: its width, and its number.
struct Piece {
  unsigned bits, index;
};
Piece piece_of(Lanes lanes, const Elements& elements, unsigned k) {
  const std::string_view text = name(lanes);
  if (text.empty() || lanes == Lanes::both || lanes == Lanes::lowbits) return {elements.bits, k};
  const unsigned bits = text[0] == 'b' ? 8 : text[0] == 'h' ? 16 : 32;
  return {bits, static_cast<unsigned>(text[1 + std::min<std::size_t>(k, text.size() - 2)] - '0')};
}

}  // namespace

I32 InstructionTranslator::element(const Source& source, const Elements& elements, unsigned k) {
  const Piece piece = piece_of(source.lanes, elements, k);
  return bits_of(source_word(source), piece.bits * piece.index, piece.bits, elements.is_signed);
}
I32 InstructionTranslator::element(const Instruction& i, unsigned n, unsigned k) {
  return element(i.source[n], elements_of(i.type), k);
}

I32 InstructionTranslator::two_halves(const Source& source) {
  const Elements halves = elements_of(Type::v2f16);
  const I32 whole = source_word(source);
  const unsigned first = piece_of(source.lanes, halves, 0).index,
                 second = piece_of(source.lanes, halves, 1).index;
  if (first == second) return first == 0 ? b_.HalvesLow(whole) : b_.HalvesHigh(whole);
  return first == 0 ? whole : b_.HalvesSwap(whole);
}

// The element of a source of a 64-bit instruction.
InstructionTranslator::Pair InstructionTranslator::wide_element(const Instruction& i, unsigned n) {
  const Source& source = i.source[n];
  const Elements elements = elements_of(i.type);
  const Piece piece = piece_of(source.lanes, elements, 0);
  const Pair whole = source.wide ? source_pair(source) : Pair{source_word(source), word(0)};
  if (piece.bits == 64) return whole;
  const unsigned first = piece.bits * piece.index;
  const I32 from = first >= 32 ? whole.high : whole.low;
  const I32 low = bits_of(from, first % 32, piece.bits, elements.is_signed);
  return {low, elements.is_signed ? b_.IShrS32(low, word(31)) : word(0)};
}

I32 InstructionTranslator::word_of_halves(I32 low, I32 high) {
  const auto is_rounded = [&](I32 half) {
    return function_.definition_of(half).opcode == ir::Opcode::F32ToHalf;
  };
  if (facts_.half_arithmetic && is_rounded(low) && is_rounded(high)) {
    const auto single = [&](I32 half) { return F32{function_.operand(function_.definition(half), 0)}; };
    return b_.CanonicalizeNaNHalves(b_.HalvesOfF32(single(low), single(high)));
  }
  const I32 bits = b_.IAnd32(low, word(0xffff));
  return b_.IOr32(bits, b_.IShl32(high, word(16)));
}

void InstructionTranslator::set_word(const Instruction& i, I32 value) {
  if (i.write_mask == 3) return set_gpr(i.destination, value);
  const std::uint32_t kept = i.write_mask == 1 ? 0xffff0000 : 0x0000ffff;
  const I32 old = b_.IAnd32(gpr(i.destination), word(kept));
  set_gpr(i.destination, b_.IOr32(old, b_.IAnd32(value, word(~kept))));
}
void InstructionTranslator::set_pair(const Instruction& i, Pair value) {
  set_gpr(i.destination, value.low);
  set_gpr(i.destination + 1U, value.high);
}

void InstructionTranslator::set_staging(const Instruction& i, std::span<const I32> words, bool halves) {
  for (std::size_t k = 0; k < words.size(); ++k) {
    const auto to = static_cast<std::uint32_t>(i.write.first + (halves ? k / 2 : k));
    if (!halves) {
      set_gpr(to, words[k]);
    } else if (k % 2 == 0) {
      const bool alone = k + 1 == words.size();
      set_gpr(to, alone ? b_.IAnd32(words[k], word(0xffff)) : word_of_halves(words[k], words[k + 1]));
    }
  }
}

}  // namespace warpjit::valhall
