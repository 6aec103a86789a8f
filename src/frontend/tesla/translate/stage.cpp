#include "frontend/tesla/translate/stage.h"

#include <algorithm>
#include <cstring>

#include "frontend/tesla/translate/thread_order.h"

namespace warpjit::tesla {

using ir::F32;
using ir::I1;
using ir::I32;

namespace {

constexpr std::uint32_t kSpaceBytes = 0x10000;

const std::array<const Operand*, 4> operands_of(const Instruction& i) {
  return {&i.dst, &i.src[0], &i.src[1], &i.src[2]};
}

// What code does with l[].
struct LocalUse {
  bool any = false;
  std::uint32_t by_address = 0;  // words of accesses by an address register
};
LocalUse local_use(const ReachedCode& code) {
  LocalUse use;
  for (const auto& [address, i] : code.instructions())
    for (const Operand* operand : operands_of(i)) {
      if (operand->kind != Operand::Kind::local) continue;
      use.any = true;
      if (!is_static(*operand)) use.by_address += std::max(size_of(operand->type) / 4, 1U);
    }
  return use;
}

// A slot for each word serves accesses at fixed places as a register would. One by an address looks at
// all of them: as fast as an access to memory for 8 words with AVX-512, for 4 with AVX2, where 32 words
// take 15 times as long.
bool is_for_memory(const LocalUse& use, std::uint32_t words) {
  constexpr std::uint32_t kMostSlots = 256, kMostLooks = 8, kMostLooksOfAll = 256;
  if (words > kMostSlots) return true;
  return use.by_address != 0 && (words > kMostLooks || use.by_address * words > kMostLooksOfAll);
}

// What only the guest interpreter runs.
const char* refused(const Program& program, const Instruction& i) {
  for (const Operand* operand : operands_of(i)) {
    using Kind = Operand::Kind;
    const bool is_row = operand->kind == Kind::attribute || operand->kind == Kind::output ||
                        operand->kind == Kind::interpolant || operand->kind == Kind::vertex;
    if (is_row && operand->post_increment) return "a[], o[], p[] or v[] with a post-increment";
    if (operand->kind == Kind::shared ||
        (operand->kind == Kind::global && program.type != ProgramType::fragment))
      return "memory other than c[] and l[] in a graphics program";
  }
  return nullptr;
}

}  // namespace

Status check_supported(const Program& program, const ReachedCode& code, const SampledTextures& textures,
                       const Modes& modes) {
  // An access by an address to the words of a row looks at each of them.
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
    for (const Operand* operand : operands_of(i))
      if (!is_static(*operand)) looks += static_cast<std::uint32_t>(words_of_row(operand->kind));
    if (looks > kMostLooks) reason = "very many accesses by an address register";
    if (reason != nullptr) return Error{ErrorCode::unsupported, reason, program.where(address)};
  }
  return check_samples(program, code, textures, modes);
}

StageTranslator::StageTranslator(const Program& program, const ComputeFacts& facts, const ReachedCode& code,
                                 const ConstantTable& constants, const SampledTextures& textures)
    : ThreadTranslator(program, facts, code, textures),
      constants_(constants),
      local_words_(local_use(code).any ? (program.local_bytes + 3) / 4 : 0),
      local_in_memory_(is_for_memory(local_use(code), local_words_)) {
  function_.group_lanes = 0;
  function_.block_groups = 0;
  function_.slot_count = local_in_memory_ ? 0 : local_words_;
  kept_.fill(kNotKept);
}

void StageTranslator::plan(const ControlFlow&, const std::vector<LaneEffects>& effects) {
  if (order_matters(effects)) function_.lane_order = ir::LaneOrder::taken_first;
}

void StageTranslator::keep(const RegisterSet& registers) {
  for (std::uint32_t r = 0; r < kMaxRegisters; ++r)
    if (registers[r]) kept_[r] = function_.slot_count++;
}

void StageTranslator::clear_kept() {
  if (local_in_memory_) clear_memory();
  for (std::uint32_t slot = 0; slot < function_.slot_count; ++slot)
    b_.StoreSlot(b_.constant(true), word(0), slot);
}

// A word of each lane at a time.
void StageTranslator::clear_memory() {
  constexpr std::uint32_t kAtOnce = 8;
  constexpr ir::MemoryAccess kWord{.space = ir::Space::local};
  const auto clear = [&](I32 first, std::uint32_t count) {
    for (std::uint32_t k = 0; k < count; ++k)
      b_.StoreMemory(b_.constant(true), b_.IAdd32(first, word(4 * k)), word(0), kWord.pack());
  };
  const std::uint32_t in_loop = local_words_ / kAtOnce * kAtOnce;
  if (in_loop != 0) {
    const ir::Block turn = function_.add_block(), rest = function_.add_block();
    write(kVarCleared, word(0));
    b_.jump(turn);
    b_.set_block(turn);
    const I32 at = read<I32>(kVarCleared), next = b_.IAdd32(at, word(4 * kAtOnce));
    clear(at, kAtOnce);
    write(kVarCleared, next);
    b_.branch(b_.ILtU32(next, word(4 * in_loop)), turn, rest);
    ssa_.seal(turn);
    ssa_.seal(rest);
    b_.set_block(rest);
  }
  clear(word(4 * in_loop), local_words_ - in_loop);
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
  if (size_of(operand.type) > program_.local_bytes) return true;
  const LocalPlace place = local_place(operand);
  if (local_in_memory_)
    b_.StoreMemory(b_.And1(guard_, place.exists), address(operand), value,
                   access(operand, word_number).pack());
  else
    store_slots(operand, place, word_number, value);
  return true;
}

void StageTranslator::store_slots(const Operand& operand, const LocalPlace& place, unsigned word_number,
                                  I32 value) {
  const std::uint32_t size = size_of(operand.type);
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
  const I32 value = local_in_memory_ ? b_.LoadMemory(b_.And1(guard_, place.exists), address(operand),
                                                     access(operand, word_number).pack())
                                     : load_slots(operand, place, word_number);
  return b_.select(place.exists, value, word(0));
}

I32 StageTranslator::load_slots(const Operand& operand, const LocalPlace& place, unsigned word_number) {
  I32 value = b_.LoadSlot(place.fixed.value_or(0) + word_number);
  if (!place.fixed)
    for (std::uint32_t slot = word_number + 1; slot < local_words_; ++slot)
      value = b_.select(b_.IEq32(place.slot, word(slot - word_number)), b_.LoadSlot(slot), value);
  return extracted(operand.type, value, place.bit);
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

// The lanes of a quad vote; those that do not take part count for neither operation (tesla.md 15.4).
I1 StageTranslator::voted(VoteOperation operation, I1 condition) {
  const bool any = operation == VoteOperation::any;
  const I32 own = b_.select(condition, word(1), word(0));
  I32 result = own;
  for (const std::uint32_t neighbours : {0xb1U, 0x4eU, 0x1bU}) {
    const I32 other = b_.QuadRead(lanes_, own, word(any ? 0 : 1), neighbours);
    result = any ? b_.IOr32(result, other) : b_.IAnd32(result, other);
  }
  return b_.INe32(result, word(0));
}

I32 StageTranslator::physical_id() { return b_.IAnd32(b_.LaneIndex(), word(3)); }

// A register that a lane may read which left its writer behind.
void StageTranslator::register_written(std::uint32_t index, I1 guard, I32 value) {
  if (kept_[index] != kNotKept) b_.StoreSlot(guard, value, kept_[index]);
}
I32 StageTranslator::neighbours_register(std::uint32_t index) {
  return kept_[index] != kNotKept ? b_.LoadSlot(kept_[index]) : gpr(index);
}

Result<ir::Function> translate_stage(const StageSource& source,
                                     const std::function<std::unique_ptr<StageTranslator>()>& make,
                                     bool dispatch_all) {
  constexpr unsigned kMaxRounds = 16;
  constexpr std::size_t kMaxBlocks = 4096;  // of fragment programs, and where the order of lanes matters
  const auto& [program, facts, code, textures] = source;
  std::vector<std::uint32_t> split;
  RegisterSet kept;
  for (unsigned round = 0; round < kMaxRounds && !code.branches_through_constants(); ++round) {
    auto discovered = discover(program, code, facts.modes.call_limit, split);
    if (!discovered && discovered.error().code != ErrorCode::unsupported) return discovered.error();
    if (!discovered) break;
    ControlFlow& flow = *discovered;
    std::vector<LaneEffects> effects = lane_effects(code, flow, program);
    mark_writers(code, flow, kept, effects);
    mark_samples(program, code, flow, textures, facts.modes, effects);
    const bool ordered = order_matters(effects);
    if ((ordered || program.type == ProgramType::fragment) && flow.blocks.size() > kMaxBlocks) break;
    if (ordered) arrange(flow, effects);
    const std::unique_ptr<StageTranslator> translation = make();
    translation->plan(flow, effects);
    translation->keep(kept);
    WARPJIT_CHECK(translation->run(flow));
    if (!ordered) return std::move(translation->function());
    if (dispatch_all) break;  // the dispatcher does not keep the order

    std::vector<bool> whole = find_whole_blocks(*translation, flow);
    const RegisterSet needed = read_by_parted_quads(code, flow, whole) | kept;
    if (needed != kept) {
      kept = needed;
      continue;
    }
    admit_kept(code, flow, whole);
    const OrderProblem problem = check_order(*translation, flow, effects, std::move(whole));
    if (problem.reason == nullptr) return std::move(translation->function());
    if (!add_splits(problem, flow, split)) break;
  }
  const std::unique_ptr<StageTranslator> translation = make();
  WARPJIT_CHECK(translation->run_stack());
  return std::move(translation->function());
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
