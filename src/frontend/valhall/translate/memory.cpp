// Loads, stores and atomics (valhall.md 8.4). An address is a pair: its high word names the window of the
// launch, or the thread's own memory or its workgroup's.
#include "ir/memory.h"

#include <algorithm>

#include "frontend/encoding/names.h"
#include "frontend/valhall/translate/access.h"
#include "frontend/valhall/translate/instruction.h"

namespace warpjit::valhall {

using ir::Element;
using ir::I1;
using ir::I32;
using ir::MemoryAccess;
using ir::Space;

namespace {

ir::AtomicFunction function_of(Atomic atomic) {
  using enum Atomic;
  using Function = ir::AtomicFunction;
  constexpr std::pair<Atomic, Function> kFunctions[] = {{smin, Function::min_s},
                                                        {smax, Function::max_s},
                                                        {smax_one, Function::max_s},
                                                        {umin, Function::min_u},
                                                        {umax, Function::max_u},
                                                        {umax_one, Function::max_u},
                                                        {and_, Function::and_},
                                                        {or_, Function::or_},
                                                        {or_one, Function::or_},
                                                        {xor_, Function::xor_},
                                                        {exchange, Function::exchange},
                                                        {saturating_uadd, Function::add_saturated_u},
                                                        {saturating_sadd, Function::add_saturated_s}};
  return encoding::look_up(kFunctions, atomic, Function::add);
}

}  // namespace

Status InstructionTranslator::memory(const Instruction& i) {
  if (i.unused != 0) return unsupported(i, "bits that no field has are set");
  switch (i.opcode) {
    case Opcode::load:
      load(i);
      return {};
    case Opcode::store:
      store(i);
      return {};
    case Opcode::atom:
    case Opcode::atom_return:
    case Opcode::atom1_return:
      return atomic(i);
    case Opcode::ld_buffer:
      load_buffer(i);
      return {};
    case Opcode::lea_pka:
      return load_buffer_address(i);
    case Opcode::ld_attr:
    case Opcode::ld_attr_imm:
    case Opcode::lea_attr:
    case Opcode::lea_attr_imm:
      if (program_.stage == Stage::vertex) return load_attribute(i);
      break;
    case Opcode::lea_buf_imm:
      if (program_.stage == Stage::vertex) return load_result_address(i);
      break;
    case Opcode::ld_tex:
    case Opcode::ld_tex_imm:
    case Opcode::lea_tex:
    case Opcode::lea_tex_imm:
      return load_image(i);
    case Opcode::st_cvt:
      return store_image(i);
    case Opcode::ld_var:
    case Opcode::ld_var_imm:
    case Opcode::ld_var_flat:
    case Opcode::ld_var_flat_imm:
    case Opcode::ld_var_buf:
    case Opcode::ld_var_buf_imm:
    case Opcode::ld_var_special:
    case Opcode::ld_tile:
    case Opcode::st_tile:
    case Opcode::atest:
    case Opcode::zs_emit:
    case Opcode::blend:
      return fragment_message(i);
    default:
      return unsupported(i, "this instruction does not run yet");
  }
  return not_of_stage(i);
}

InstructionTranslator::Pair InstructionTranslator::address(const Instruction& i) {
  const Pair base = source_pair(i.source[0]);
  if (i.offset == 0) return base;
  if (function_.is_constant(base.high)) {  // or its neighbour, as the sum has a carry
    const I32 low = b_.IAdd32(base.low, word(static_cast<std::uint32_t>(i.offset)));
    const I1 carry = i.offset > 0 ? b_.ILtU32(low, word(static_cast<std::uint32_t>(i.offset)))
                                  : b_.ILtU32(base.low, word(static_cast<std::uint32_t>(-i.offset)));
    const auto high = static_cast<std::uint32_t>(function_.constant(base.high));
    return {low, b_.select(carry, word(i.offset > 0 ? high + 1 : high - 1), word(high))};
  }
  return add(base, {word(static_cast<std::uint32_t>(i.offset)), word(i.offset < 0 ? ~0U : 0)});
}

// access(space, index, where) makes the access for lanes and gives `results` words. What comes of it, by the
// high word of the address, is left in the variables from kVarScratch on.
template <class Access>
void InstructionTranslator::at_windows(I32 high, std::uint32_t results, const Access& access) {
  struct Window {
    std::uint32_t high;
    Space space;
    std::uint8_t index;
  };
  std::vector<Window> windows;
  for (std::size_t k = 0; k < facts_.high_words.size(); ++k)
    windows.push_back({facts_.high_words[k], Space::global, static_cast<std::uint8_t>(k)});
  if (local_bytes_ != 0) windows.push_back({private_.local, Space::local, 0});
  if (program_.stage == Stage::vertex) windows.push_back({private_.results, Space::global, kResultSpace});
  if (facts_.shared_bytes != 0) windows.push_back({private_.shared, Space::shared, 0});
  using Words = std::array<I32, 4>;
  const auto keep = [&](const Words& words) {
    for (std::uint32_t k = 0; k < results; ++k) set_gpr(kVarScratch + k, words[k]);
  };
  if (function_.is_constant(high)) {
    Window found{0, Space::global, kNoWindow};
    for (const Window& window : windows)
      if (window.high == function_.constant(high)) found = window;
    return keep(access(found.space, found.index, truth(true)));
  }
  // A choice of two is not compared with each one.
  I1 first_of_two;
  std::array<std::uint32_t, 2> two{};
  const bool choice = function_.definition_of(high).opcode == ir::Opcode::SelectI32 &&
                      function_.is_constant(function_.operand(function_.definition(high), 1)) &&
                      function_.is_constant(function_.operand(function_.definition(high), 2));
  if (choice) {
    const auto operands = function_.operands(function_.definition(high));
    first_of_two = I1{operands[0]};
    for (std::size_t k = 0; k < 2; ++k)
      two[k] = static_cast<std::uint32_t>(function_.constant(operands[k + 1]));
    std::erase_if(windows, [&](const Window& w) { return w.high != two[0] && w.high != two[1]; });
    std::stable_partition(windows.begin(), windows.end(), [&](const Window& w) { return w.high == two[1]; });
  }
  const auto is_high = [&](const Window& window) {
    if (!choice) return b_.IEq32(high, word(window.high));
    return window.high == two[1] ? b_.Not1(first_of_two) : first_of_two;
  };
  std::size_t next = 0;
  ir::Block join;
  Words words{word(0), word(0), word(0), word(0)};
  if (!windows.empty()) {
    // Nearly all accesses are in the first one. The others have blocks of their own.
    const I1 here = is_high(windows[0]);
    keep(access(windows[0].space, windows[0].index, here));
    const ir::Block rare = function_.add_block(address_ + 2);
    join = function_.add_block(address_ + 4);
    b_.branch(here, join, rare);
    ssa_.seal(rare);
    b_.set_block(rare);
    next = 1;
  }
  I1 nowhere = truth(true);
  for (; next < windows.size(); ++next) {
    const I1 here = is_high(windows[next]);
    const Words found = access(windows[next].space, windows[next].index, here);
    for (std::uint32_t k = 0; k < results; ++k) words[k] = b_.select(here, found[k], words[k]);
    nowhere = b_.AndNot1(nowhere, here);
  }
  access(Space::global, kNoWindow, nowhere);
  keep(words);
  if (!join.valid()) return;
  b_.jump(join);
  ssa_.seal(join);
  b_.set_block(join);
}

// Words that were loaded, each with what its part has, into the staging registers.
void InstructionTranslator::set_loaded(const Instruction& i, std::array<I32, 4> words) {
  const unsigned first = i.write.first;
  const auto narrow = [&](unsigned bits) {
    // Extended to 32 bits; part of a register keeps the rest of it.
    const I32 value = i.zero_extend ? words[0] : bits_of(words[0], 0, bits, true);
    const auto insert = [&](unsigned low, unsigned count) {
      const std::uint32_t mask = low_mask<std::uint32_t>(count) << low;
      const I32 moved = b_.IAnd32(b_.IShl32(value, word(low)), word(mask));
      set_gpr(first, b_.IOr32(b_.IAnd32(gpr(first), word(~mask)), moved));
    };
    switch (i.lane) {
      case LoadLane::b0:
      case LoadLane::b1:
      case LoadLane::b2:
      case LoadLane::b3:
        return insert(8 * (static_cast<unsigned>(i.lane) - static_cast<unsigned>(LoadLane::b0)), 8);
      case LoadLane::h0:
        return insert(0, 16);
      case LoadLane::h1:
        return insert(16, 16);
      case LoadLane::d0:
        set_gpr(first + 1, i.zero_extend ? word(0) : b_.IShrS32(value, word(31)));
        break;
      default:
        break;
    }
    set_gpr(first, value);
  };
  switch (i.type) {
    case Type::i8:
      return narrow(8);
    case Type::i16:
      return narrow(16);
    case Type::i24: {
      const I32 high = b_.IOr32(b_.IShl32(words[1], word(8)), b_.IShl32(words[2], word(16)));
      return set_gpr(first, bits_of(b_.IOr32(words[0], high), 0, 24, !i.zero_extend));
    }
    case Type::i48:
      words[2] = bits_of(words[2], 0, 16, !i.zero_extend);
      set_gpr(first, b_.IOr32(words[0], b_.IShl32(words[1], word(16))));
      return set_gpr(first + 1, words[2]);
    case Type::i32:
      return narrow(32);
    default:
      for (unsigned k = 0; k < moved_by(i.type).count; ++k) set_gpr(first + k, words[k]);
  }
}

// The words at an address, each in the lanes that want it.
std::array<I32, 4> InstructionTranslator::load_words(Type type, Pair at, const std::array<I1, 4>& wanted) {
  const Moved parts = moved_by(type);
  at_windows(at.high, parts.count, [&](Space space, std::uint8_t index, I1 here) {
    std::array<I32, 4> words{};
    for (unsigned k = 0; k < parts.count; ++k) {
      const Part& part = parts.part[k];
      const MemoryAccess access{.space = space,
                                .index = index,
                                .element = part.element,
                                .alignment = parts.alignment,
                                .extent = part.unit_bytes,
                                .offset = part.offset};
      words[k] = b_.LoadMemory(b_.And1(here, wanted[k]), b_.IAdd32(at.low, word(part.unit)), access.pack());
    }
    return words;
  });
  std::array<I32, 4> words{};
  for (unsigned k = 0; k < parts.count; ++k) words[k] = gpr(kVarScratch + k);
  return words;
}

void InstructionTranslator::load(const Instruction& i) {
  const I1 all = truth(true);
  set_loaded(i, load_words(i.type, address(i), {all, all, all, all}));
}

void InstructionTranslator::store(const Instruction& i) {
  const Moved parts = moved_by(i.type);
  const Pair at = address(i);
  std::array<I32, 4> words{};
  for (unsigned k = 0; k < parts.count; ++k) {
    const unsigned offset = parts.part[k].place();
    words[k] = b_.IShrU32(gpr(i.read.first + offset / 4), word(8 * (offset % 4)));
  }
  at_windows(at.high, 0, [&](Space space, std::uint8_t index, I1 where) {
    for (unsigned k = 0; k < parts.count; ++k) {
      const MemoryAccess access{.space = space,
                                .index = index,
                                .element = parts.part[k].element,
                                .alignment = parts.alignment,
                                .extent = parts.bytes,
                                .offset = static_cast<std::uint8_t>(parts.part[k].place())};
      // A lane that is not live may still change its own memory.
      const bool always = i.access == kForcedAccess && space == Space::local;
      b_.StoreMemory(always ? where : changing_memory(where), at.low, words[k], access.pack());
    }
    return std::array<I32, 4>{};
  });
}

// Zeros in a thread's own memory, which other threads have had before: words of each thread at a time.
void InstructionTranslator::clear_local_memory() {
  constexpr std::uint32_t kAtOnce = 8;
  constexpr MemoryAccess kWord{.space = Space::local};
  const std::uint32_t words = (local_bytes_ + 3) / 4, in_loop = words / kAtOnce * kAtOnce;
  const auto clear = [&](I32 first, std::uint32_t count) {
    for (std::uint32_t k = 0; k < count; ++k)
      b_.StoreMemory(truth(true), b_.IAdd32(first, word(4 * k)), word(0), kWord.pack());
  };
  if (in_loop != 0) {
    // Addresses that no instruction has.
    const ir::Block turn = function_.add_block(program_.entry + 1),
                    rest = function_.add_block(program_.entry + 3);
    set_gpr(kVarScratch, word(0));
    b_.jump(turn);
    b_.set_block(turn);
    const I32 at = gpr(kVarScratch), next = b_.IAdd32(at, word(4 * kAtOnce));
    clear(at, kAtOnce);
    set_gpr(kVarScratch, next);
    b_.branch(b_.ILtU32(next, word(4 * in_loop)), turn, rest);
    ssa_.seal(turn);
    ssa_.seal(rest);
    b_.set_block(rest);
  }
  clear(word(4 * in_loop), words - in_loop);
}

// So many bytes of the words, in the lanes of each size one after the other, as one access whose address is a
// multiple of what they are moved in: words, halves or bytes.
void InstructionTranslator::store_bytes(Pair at, const std::array<I32, 4>& words,
                                        std::span<const SizedStore> sizes) {
  at_windows(at.high, 0, [&](Space space, std::uint8_t index, I1 here) {
    for (const auto& [bytes, where] : sizes) {
      const std::uint32_t unit = bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
      const Element element = unit == 4 ? Element::word : unit == 2 ? Element::u16 : Element::u8;
      const I1 stores = changing_memory(b_.And1(here, where));
      for (std::uint32_t offset = 0; offset < bytes; offset += unit) {
        const MemoryAccess access{.space = space,
                                  .index = index,
                                  .element = element,
                                  .alignment = static_cast<std::uint8_t>(unit),
                                  .extent = static_cast<std::uint8_t>(bytes),
                                  .offset = static_cast<std::uint8_t>(offset)};
        const I32 value = b_.IShrU32(words[offset / 4], word(8 * (offset % 4)));
        b_.StoreMemory(stores, at.low, value, access.pack());
      }
    }
    return std::array<I32, 4>{};
  });
}

// A fault in these lanes.
void InstructionTranslator::store_nowhere(Pair at, I1 where) {
  const MemoryAccess nothing{
      .space = Space::global, .index = kNoWindow, .element = Element::u8, .alignment = 1, .extent = 1};
  b_.StoreMemory(changing_memory(where), at.low, word(0), nothing.pack());
}

Status InstructionTranslator::atomic(const Instruction& i) {
  const bool wide = i.type == Type::i64, one = i.opcode == Opcode::atom1_return;
  const bool swaps = i.opcode == Opcode::atom_return && i.compare;
  if (swaps && i.atomic != Atomic::exchange) return unsupported(i, "only an exchange compares");
  const unsigned words_each = wide ? 2 : 1;
  const auto staged = [&](unsigned k) { return gpr(i.read.first + k); };
  // The operand, and what a comparison is with; of these the new value comes first.
  Pair b{word(1), word(0)}, c{word(0), word(0)};
  if (one && i.atomic == Atomic::decrement) b = {word(~0U), word(wide ? ~0U : 0)};
  if (!one) b = {staged(0), wide ? staged(1) : word(0)};
  if (swaps) {
    c = b;
    b = {staged(words_each), wide ? staged(words_each + 1) : word(0)};
  }
  const Pair at = address(i);
  at_windows(at.high, words_each, [&](Space space, std::uint8_t index, I1 where) {
    const std::uint8_t bytes = wide ? 8 : 4;
    const MemoryAccess access{
        .space = space,
        .index = index,
        .alignment = bytes,
        .extent = bytes,
        .function = swaps ? ir::AtomicFunction::compare_exchange : function_of(i.atomic)};
    const I1 changing = changing_memory(where);
    std::array<I32, 4> old{};
    if (wide) {
      const auto [low, high] =
          b_.AtomicMemory64(changing, at.low, b.low, b.high, c.low, c.high, access.pack());
      old[0] = low, old[1] = high;
    } else {
      old[0] = b_.AtomicMemory(changing, at.low, b.low, c.low, access.pack());
    }
    if (is_fragment())
      for (unsigned k = 0; k < words_each; ++k) old[k] = b_.select(changing, old[k], word(0));
    return old;
  });
  if (i.opcode != Opcode::atom && i.write.count != 0)
    for (unsigned k = 0; k < words_each; ++k) set_gpr(i.write.first + k, gpr(kVarScratch + k));
  return {};
}

}  // namespace warpjit::valhall
