// Executes instructions in a warp (docs/guests/valhall.md 6 to 8.3).
#include "frontend/valhall/interpret/warp.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>

#include "base/bits.h"
#include "base/stop_reason.h"

namespace warpjit::valhall {
namespace {

static_assert(std::endian::native == std::endian::little);

// What an atomic leaves in memory. `operand` is 1 where the instruction has none.
template <class Word>
Word atomic_result(Atomic atomic, Word old, Word operand) {
  using Signed = std::make_signed_t<Word>;
  const auto min_s = static_cast<Word>(std::min(static_cast<Signed>(old), static_cast<Signed>(operand)));
  const auto max_s = static_cast<Word>(std::max(static_cast<Signed>(old), static_cast<Signed>(operand)));
  switch (atomic) {
    case Atomic::add:
    case Atomic::increment:
      return old + operand;
    case Atomic::decrement:
      return old - operand;
    case Atomic::saturating_uadd:
      return operand > ~old ? ~Word{0} : old + operand;
    case Atomic::saturating_sadd: {
      constexpr Signed kLeast = std::numeric_limits<Signed>::min(),
                       kMost = std::numeric_limits<Signed>::max();
      const auto a = static_cast<Signed>(old), b = static_cast<Signed>(operand);
      if (b < 0) return static_cast<Word>(a < kLeast - b ? kLeast : a + b);
      return static_cast<Word>(a > kMost - b ? kMost : a + b);
    }
    case Atomic::smin:
      return min_s;
    case Atomic::smax:
    case Atomic::smax_one:
      return max_s;
    case Atomic::umin:
      return std::min(old, operand);
    case Atomic::umax:
    case Atomic::umax_one:
      return std::max(old, operand);
    case Atomic::and_:
      return old & operand;
    case Atomic::or_:
    case Atomic::or_one:
      return old | operand;
    case Atomic::xor_:
      return old ^ operand;
    default:
      return operand;  // exchange
  }
}

// Other workgroups may run on other host threads. `expected`, if given: memory changes only if it holds this.
template <class Word>
Word update(std::byte* at, Atomic atomic, Word operand, const Word* expected) {
  const std::atomic_ref<Word> memory(*reinterpret_cast<Word*>(at));
  Word old = memory.load(std::memory_order_relaxed);
  do {
    if (expected != nullptr && old != *expected) return old;
  } while (
      !memory.compare_exchange_weak(old, atomic_result(atomic, old, operand), std::memory_order_relaxed));
  return old;
}

// Bits 0 to `bits` - 1 of a value, extended to 64.
std::uint64_t extend(std::uint64_t value, unsigned bits, bool zero) {
  const std::uint64_t mask = low_mask<std::uint64_t>(bits), sign = std::uint64_t{1} << (bits - 1);
  value &= mask;
  return zero || (value & sign) == 0 ? value : value | ~mask;
}

// Takes fuel for a backward transfer of some lanes; false if one of them has none.
bool pay(Warp& warp, std::uint32_t lanes) {
  if (--warp.fuel >= 0) {
    warp.of_all_lanes += lanes == warp.running ? 1 : 0;
    return true;
  }
  if (warp.fuel == -1) warp.counts.restart(warp.of_all_lanes);
  return warp.counts.count(0, kWarpLanes, [&](std::size_t lane) { return (lanes >> lane & 1) != 0; });
}

// Bits of a register, from `shift` on.
void insert(std::uint32_t& reg, std::uint64_t value, unsigned shift, unsigned bits) {
  const std::uint32_t mask = low_mask<std::uint32_t>(bits) << shift;
  reg = (reg & ~mask) | (static_cast<std::uint32_t>(value) << shift & mask);
}

}  // namespace

WarpRun::WarpRun(const Interpreter& interpreter, const frontend::Grid& launch,
                 const frontend::CheckedGrid& checked, const RunLimits& limits)
    : program_(interpreter.program_),
      ops_(interpreter.ops_),
      op_of_word_(interpreter.op_of_word_),
      launch_(launch),
      checked_(checked),
      limits_(limits),
      memory_(program_, launch, checked) {}

void WarpRun::start_warp(Warp& warp, std::uint32_t lanes) const {
  warp = {};
  warp.running = lanes;
  warp.fuel = group_fuel(limits_.fuel);
  warp.counts = FuelCounts(limits_.fuel);
  for (std::uint32_t& pc : warp.pc) pc = program_.entry;
}

void WarpRun::find_front(Warp& warp) {
  warp.front = 0;
  warp.front_pc = warp.next_pc = ~0U;
  for_lanes(warp.runnable(), [&](unsigned lane) {
    const std::uint32_t pc = warp.pc[lane];
    if (pc < warp.front_pc) {
      warp.next_pc = warp.front_pc;
      warp.front_pc = pc;
      warp.front = 0;
    }
    if (pc == warp.front_pc)
      warp.front |= 1U << lane;
    else
      warp.next_pc = std::min(warp.next_pc, pc);
  });
}

void WarpRun::show(Warp& warp, const interpret::ObservedGroup& group) const {
  if (limits_.observer == nullptr || !limits_.observer->observes(group)) return;
  warp.observer = limits_.observer;
  for (unsigned number = 0; number < kRegistersOfThread; ++number)
    for_lanes(warp.running, [&](unsigned lane) {
      // Those that the hardware sets have a value, be it 0.
      if (warp.registers[number][lane] != 0 || (number >= kFirstSetRegister && number <= kLastSetRegister))
        warp.observer->holds(register_word(number), lane, warp.registers[number][lane]);
    });
  for (unsigned number = 0; number < kMaxUniformWords; ++number)
    if (const std::uint32_t word = memory_.uniform_or_zero(number); word != 0)
      for_lanes(warp.running, [&](unsigned lane) { warp.observer->holds(uniform_word(number), lane, word); });
}

Status WarpRun::run_warp(Warp& warp) {
  // Warps may make no backward transfer.
  if (limits_.cancelled())
    return Error{ErrorCode::cancelled, kCancelledMessage + place_text(warp), program_.source_name};
  while (warp.runnable() != 0) WARPJIT_CHECK(warp.observer == nullptr ? step(warp) : observed_step(warp));
  return {};
}

Status WarpRun::step(Warp& warp) {
  warp.front &= warp.runnable();
  if (warp.front == 0) find_front(warp);
  std::uint32_t active = warp.front;
  const WarpOp& op = ops_[op_of_word_[warp.front_pc / 8]];
  ++report_.warp_instructions;
  report_.lane_instructions += static_cast<unsigned>(std::popcount(active));
  if (executed_ != nullptr) for_lanes(active, [&](unsigned lane) { ++(*executed_)[lane]; });
  std::uint32_t taken = 0;
  execute(warp, op, active, taken);
  if (op.i.flow == Flow::end) warp.running &= ~active;
  if (op.i.flow == Flow::discard) warp.running &= ~active | kept(active);
  active &= warp.running;
  if (active == 0) return {};
  if (op.kind == WarpOp::Kind::barrier) warp.waiting |= active;
  return go_on(warp, op, active, taken & active);
}

// What instructions read and write by Warp::get and Warp::set they tell themselves.
Status WarpRun::observed_step(Warp& warp) {
  warp.front &= warp.runnable();
  if (warp.front == 0) find_front(warp);
  const std::uint32_t active = warp.front;
  const WarpOp& op = ops_[op_of_word_[warp.front_pc / 8]];
  warp.observer->begin(op.address, active).group = warp.first_thread;
  for (const Source& source : op.i.source) show_read(warp, source, active);
  const bool wide = op.kind == WarpOp::Kind::arithmetic && op.operation.result == ResultShape::wide;
  const bool computes = op.kind == WarpOp::Kind::arithmetic || op.kind == WarpOp::Kind::exchange;
  const unsigned results = computes ? (wide ? 2 : 1) : 0;
  std::array<std::array<std::uint32_t, kWarpLanes>, 2> before{};
  for (unsigned n = 0; n < results; ++n)
    std::ranges::copy(warp.registers[op.i.destination + n], before[n].begin());
  const std::uint64_t divergences = report_.divergences;

  const Status status = step(warp);

  for (unsigned n = 0; n < results; ++n)
    for_lanes(active, [&](unsigned lane) {
      const unsigned number = op.i.destination + n;
      warp.observer->wrote(register_word(number), lane, before[n][lane], warp.registers[number][lane]);
    });
  unsigned happened = 0;
  if (!status) happened |= interpret::kFaulted;
  if (report_.divergences != divergences) happened |= interpret::kDiverged;
  if (op.kind == WarpOp::Kind::barrier) happened |= interpret::kBarrier;
  if (op.i.flow == Flow::end) happened |= interpret::kEnded;
  if (op.i.flow == Flow::discard && (active & ~warp.running) != 0) happened |= interpret::kDiscarded;
  if (op.kind == WarpOp::Kind::texture) happened |= interpret::kSampled;
  warp.observer->happened(happened);
  if (warp.observer->step()) return status;
  return status ? Status(stopped(warp, op, ErrorCode::cancelled, kCancelledMessage)) : status;
}

void WarpRun::show_read(const Warp& warp, const Source& source, std::uint32_t active) const {
  const unsigned words = source.wide ? 2 : 1;
  for (unsigned n = 0; n < words; ++n)
    for_lanes(active, [&](unsigned lane) {
      const unsigned number = source.value + n;
      if (source.kind == Source::Kind::gpr)
        warp.observer->read(register_word(number), lane, warp.registers[number][lane]);
      if (source.kind == Source::Kind::uniform)
        warp.observer->read(uniform_word(number), lane, memory_.uniform_or_zero(number));
    });
}

void WarpRun::show_access(const Warp& warp, unsigned lane, std::uint64_t address, unsigned size,
                          const std::byte* at) const {
  if (warp.observer == nullptr) [[likely]]
    return;
  interpret::Event::Memory access{.address = address,
                                  .bytes = static_cast<std::uint8_t>(size),
                                  .lane = static_cast<std::uint8_t>(lane),
                                  .faulted = at == nullptr,
                                  .shared = memory_.is_shared(address),
                                  .place = at};
  if (at != nullptr) std::memcpy(&access.value, at, std::min(size, 4U));
  warp.observer->event().memory.push_back(access);
  if (at == nullptr) warp.observer->happened(interpret::kFaulted);
}

void WarpRun::show_store(const Warp& warp, unsigned lane, std::uint64_t address, unsigned size,
                         const std::byte* at, std::uint32_t value) const {
  if (warp.observer == nullptr) [[likely]]
    return;
  show_access(warp, lane, address, size, at);
  interpret::Event::Memory& access = warp.observer->event().memory.back();
  access.store = true;
  access.before = std::exchange(access.value, value);
}

// The lanes in `taken` go to the target, the others go on after the instruction.
Status WarpRun::go_on(Warp& warp, const WarpOp& op, std::uint32_t active, std::uint32_t taken) {
  if (taken != 0 && taken != active) ++report_.divergences;
  const std::int64_t next = std::int64_t{op.address} + 8;
  const auto end = static_cast<std::int64_t>(8 * program_.code.size());
  const bool leaves = (taken != 0 && (op.target < 0 || op.target >= end)) || (taken != active && next >= end);
  if (leaves) return stopped(warp, op, ErrorCode::fault, message(StopReason::no_code));
  if (taken != 0 && op.target <= op.address) {
    if (limits_.cancelled()) return stopped(warp, op, ErrorCode::cancelled, kCancelledMessage);
    if (!pay(warp, taken)) return stopped(warp, op, ErrorCode::out_of_fuel, kOutOfFuelMessage);
  }
  // Mostly the lanes stay together and come to no others.
  if ((taken == 0 || taken == active) && op.kind != WarpOp::Kind::barrier) {
    const auto to = static_cast<std::uint32_t>(taken != 0 ? op.target : next);
    if (to < warp.next_pc) {
      warp.front = active;
      warp.front_pc = to;
      return {};
    }
  }
  for_lanes(active, [&](unsigned lane) {
    warp.pc[lane] = static_cast<std::uint32_t>((taken >> lane & 1) != 0 ? op.target : next);
  });
  warp.front = 0;
  return {};
}

Error WarpRun::stopped(const Warp& warp, const WarpOp& op, ErrorCode code, const char* what) const {
  return {code, what + place_text(warp), program_.where(op.address)};
}

void WarpRun::execute(Warp& warp, const WarpOp& op, std::uint32_t active, std::uint32_t& taken) {
  const Instruction& i = op.i;
  LaneSources source;
  for (unsigned n = 0; n < 4; ++n) fetch(warp, op, i.source[n], active, source[n]);
  switch (op.kind) {
    case WarpOp::Kind::nothing:
    case WarpOp::Kind::barrier:
      return;
    case WarpOp::Kind::branch:
      for_lanes(active, [&](unsigned lane) {
        taken |= std::uint32_t{takes_branch(i, static_cast<std::uint32_t>(source[0][lane]))} << lane;
      });
      return;
    case WarpOp::Kind::arithmetic:
      return compute(warp, op, active, source);
    case WarpOp::Kind::exchange: {
      LaneWords first{}, second{};
      for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
        first[lane] = static_cast<std::uint32_t>(source[0][lane]);
        second[lane] = static_cast<std::uint32_t>(source[1][lane]);
      }
      const LaneWords results = exchange(i, first, second, active);
      for_lanes(active, [&](unsigned lane) { warp.registers[i.destination][lane] = results[lane]; });
      return;
    }
    case WarpOp::Kind::load:
      for (std::uint64_t& address : source[0]) address += static_cast<std::uint64_t>(std::int64_t{i.offset});
      return load(warp, op, active, source[0]);
    case WarpOp::Kind::load_buffer:
      return load_buffer(warp, op, active, source);
    case WarpOp::Kind::buffer_address:
      return buffer_address(warp, op, active, source);
    case WarpOp::Kind::store:
      for (std::uint64_t& address : source[0]) address += static_cast<std::uint64_t>(std::int64_t{i.offset});
      return store(warp, op, active, source[0]);
    case WarpOp::Kind::atomic:
      for (std::uint64_t& address : source[0]) address += static_cast<std::uint64_t>(std::int64_t{i.offset});
      return i.type == Type::i64 ? atomic<std::uint64_t>(warp, op, active, source[0])
                                 : atomic<std::uint32_t>(warp, op, active, source[0]);
    case WarpOp::Kind::load_texel:
    case WarpOp::Kind::texel_address:
      return image(warp, op, active, source);
    case WarpOp::Kind::store_texel:
      return store_texel(warp, op, active, source);
    case WarpOp::Kind::texture:
      return sample(warp, op, active, source[0]);
    case WarpOp::Kind::blend:
      taken = active;
      break;
    default:
      break;
  }
  execute_own(warp, op, active, source);
}

// What a source names, for each lane, before a part of it is taken; anything for lanes that are not active.
void WarpRun::fetch(const Warp& warp, const WarpOp& op, const Source& source, std::uint32_t active,
                    LaneValues& values) {
  std::uint64_t value = 0;
  switch (source.kind) {
    case Source::Kind::none:
      break;
    case Source::Kind::gpr:
      for (unsigned lane = 0; lane < kWarpLanes; ++lane)
        values[lane] = source.wide ? warp.pair(source.value, lane) : warp.registers[source.value][lane];
      return;
    case Source::Kind::special:
      for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
        const std::uint64_t pair = special(warp, op, source.value, lane);
        values[lane] = source.wide ? pair : static_cast<std::uint32_t>(pair >> source.value % 2 * 32);
      }
      return;
    case Source::Kind::constant:
      value = kConstants[source.value];
      break;
    case Source::Kind::uniform: {
      const auto accessor = by(warp, op, static_cast<unsigned>(std::countr_zero(active)));
      value = memory_.uniform(source.value, accessor);
      if (source.wide) value |= std::uint64_t{memory_.uniform(source.value + 1U, accessor)} << 32;
      break;
    }
  }
  values.fill(value);
}

std::uint64_t WarpRun::special(const Warp& warp, const WarpOp& op, std::uint8_t value, unsigned lane) const {
  switch (special_page(value) * 16 + special_entry(value)) {
    case 0 * 16 + 2:
      return warp.number;
    case 1 * 16 + 1:
      return memory_.local_pointer();
    case 1 * 16 + 3:
      return memory_.shared_pointer();
    case 0 * 16 + 4:
      return framebuffer_size_;
    case 3 * 16 + 1:
      return lane & last_lane_id_;
    case 3 * 16 + 15:
      return program_.address + op.address + 8;
    default:
      return 0;  // the number of the core
  }
}

void WarpRun::compute(Warp& warp, const WarpOp& op, std::uint32_t active, const LaneSources& source) const {
  const unsigned d = op.i.destination;
  const bool wide = op.operation.result == ResultShape::wide;
  // A lane with the values of the one before gets its result: many are the same in all lanes.
  Inputs inputs{.source = {}, .destination = 0, .mode = program_.mode};
  std::uint64_t result = 0;
  bool computed = false;
  for_lanes(active, [&](unsigned lane) {
    const std::array<std::uint64_t, 4> values{source[0][lane], source[1][lane], source[2][lane],
                                              source[3][lane]};
    const std::uint64_t old = wide ? warp.pair(d, lane) : warp.registers[d][lane];
    std::uint64_t others = old ^ inputs.destination;
    for (std::size_t n = 0; n < values.size(); ++n) others |= values[n] ^ inputs.source[n];
    if (!computed || others != 0) {
      inputs.source = values;
      inputs.destination = old;
      result = evaluate(op.operation, op.i, inputs);
      computed = true;
    }
    warp.registers[d][lane] = static_cast<std::uint32_t>(result);
    if (wide) warp.registers[d + 1][lane] = static_cast<std::uint32_t>(result >> 32);
  });
}

// A part in all lanes, then the next part; registers change when all is read.
void WarpRun::load(Warp& warp, const WarpOp& op, std::uint32_t active, const LaneValues& addresses) {
  const AccessShape shape = shape_of(op.i.type);
  LoadedWords words{};
  for (const AccessPart& part : shape.parts)
    for_lanes(active, [&](unsigned lane) {
      // Addresses of one access have one high word.
      const std::uint64_t base = addresses[lane];
      const std::uint64_t address = (base >> 32 << 32) | static_cast<std::uint32_t>(base + part.offset);
      const std::byte* const at = memory_.read(address, part.size, shape.alignment, by(warp, op, lane));
      show_access(warp, lane, address, part.size, at);
      take_part(words, part, lane, at);
    });
  set_loaded(warp, op, active, words);
}

// Lanes whose buffers are constant spaces come first, by their numbers, then the others.
void WarpRun::load_buffer(Warp& warp, const WarpOp& op, std::uint32_t active, const LaneSources& source) {
  const AccessShape shape = shape_of(op.i.type);
  std::array<std::optional<GroupMemory::NamedBuffer>, kWarpLanes> named;
  std::array<std::uint32_t, kMaxBuffers + 1> lanes_of{};
  for_lanes(active, [&](unsigned lane) {
    named[lane] = memory_.find_buffer(static_cast<std::uint32_t>(source[1][lane]), true, by(warp, op, lane));
    if (named[lane]) lanes_of[named[lane]->constant] |= 1U << lane;
  });
  LoadedWords words{};
  for (const std::uint32_t lanes : lanes_of)
    for (const AccessPart& part : shape.parts)
      for_lanes(lanes, [&](unsigned lane) {
        const std::uint64_t offset = source[0][lane] + part.offset;
        // What is narrower than a word lies inside as a whole.
        const std::uint64_t end = shape.bytes < 4 ? source[0][lane] + shape.bytes : offset + part.size;
        if (end > memory_.bytes_of(*named[lane])) return;
        const std::byte* const at =
            memory_.read_buffer(*named[lane], offset, part.size, shape.alignment, by(warp, op, lane));
        const frontend::BufferSource* const source_of = named[lane]->source;
        show_access(warp, lane, (source_of != nullptr ? source_of->address : 0) + offset, part.size, at);
        take_part(words, part, lane, at);
      });
  set_loaded(warp, op, active, words);
}

void WarpRun::buffer_address(Warp& warp, const WarpOp& op, std::uint32_t active, const LaneSources& source) {
  for_lanes(active, [&](unsigned lane) {
    const auto named =
        memory_.find_buffer(static_cast<std::uint32_t>(source[1][lane]), false, by(warp, op, lane));
    const std::uint64_t address =
        named ? named->source->address + static_cast<std::uint32_t>(source[0][lane]) : 0;
    warp.set(op.i.write.first, lane, static_cast<std::uint32_t>(address));
    warp.set(op.i.write.first + 1U, lane, static_cast<std::uint32_t>(address >> 32));
  });
}

void WarpRun::take_part(LoadedWords& words, const AccessPart& part, unsigned lane, const std::byte* at) {
  std::uint32_t value = 0;
  if (at != nullptr) std::memcpy(&value, at, part.size);
  words[part.staging][lane] |= value << part.shift;
}

void WarpRun::set_loaded(Warp& warp, const WarpOp& op, std::uint32_t active, const LoadedWords& words) {
  const Instruction& i = op.i;
  const AccessShape shape = shape_of(i.type);
  for_lanes(active, [&](unsigned lane) {
    std::array<std::uint32_t, 4> loaded{};
    unsigned count = 1;
    loaded[0] = warp.registers[i.write.first][lane];
    const auto reg = [&](unsigned n) -> std::uint32_t& { return loaded[n]; };
    const std::uint64_t low = words[0][lane];
    const unsigned bits = 8U * shape.bytes;
    switch (i.lane) {
      case LoadLane::b0:
      case LoadLane::b1:
      case LoadLane::b2:
      case LoadLane::b3:
        insert(reg(0), low, 8 * (static_cast<unsigned>(i.lane) - static_cast<unsigned>(LoadLane::b0)), 8);
        break;
      case LoadLane::h0:
      case LoadLane::h1:
        insert(reg(0), extend(low, bits, i.zero_extend), i.lane == LoadLane::h0 ? 0 : 16, 16);
        break;
      case LoadLane::w0:
      case LoadLane::d0: {
        const std::uint64_t extended = extend(low, bits, i.zero_extend);
        reg(0) = static_cast<std::uint32_t>(extended);
        reg(1) = static_cast<std::uint32_t>(extended >> 32);
        count = i.lane == LoadLane::d0 ? 2 : 1;
        break;
      }
      case LoadLane::whole:
        count = i.write.count;
        for (unsigned n = 0; n < count; ++n) reg(n) = words[n][lane];
        // The last register has more bits than were loaded.
        if (bits % 32 != 0)
          reg(i.write.count - 1U) =
              static_cast<std::uint32_t>(extend(words[i.write.count - 1U][lane], bits % 32, i.zero_extend));
        break;
    }
    for (unsigned n = 0; n < count; ++n) warp.set(i.write.first + n, lane, loaded[n]);
  });
}

void WarpRun::store(const Warp& warp, const WarpOp& op, std::uint32_t active, const LaneValues& address) {
  const AccessShape shape = shape_of(op.i.type);
  std::array<std::byte*, kWarpLanes> at{};
  std::uint32_t lanes = storing(active);
  // All may change their own memory.
  if (op.i.access == kForcedAccess)
    for_lanes(active, [&](unsigned lane) {
      if (memory_.is_local(address[lane])) lanes |= 1U << lane;
    });
  for_lanes(lanes, [&](unsigned lane) {
    at[lane] = memory_.write(address[lane], shape.bytes, shape.alignment, by(warp, op, lane));
  });
  for (const AccessPart& part : shape.parts)
    for_lanes(active, [&](unsigned lane) {
      const std::uint32_t value = warp.get(op.i.read.first + part.staging, lane) >> part.shift;
      show_store(warp, lane, address[lane] + part.offset, part.size,
                 at[lane] != nullptr ? at[lane] + part.offset : nullptr, value);
      if (at[lane] != nullptr) std::memcpy(at[lane] + part.offset, &value, part.size);
    });
}

template <class Word>
void WarpRun::atomic(Warp& warp, const WarpOp& op, std::uint32_t active, const LaneValues& address) {
  const Instruction& i = op.i;
  constexpr unsigned kWords = sizeof(Word) / 4;
  const auto staging = [&](unsigned first, unsigned lane) {
    const std::uint32_t low = warp.get(first, lane);
    return static_cast<Word>(kWords == 2 ? std::uint64_t{warp.get(first + 1, lane)} << 32 | low : low);
  };
  LaneValues old{};
  for_lanes(storing(active), [&](unsigned lane) {
    std::byte* const at = memory_.write(address[lane], sizeof(Word), sizeof(Word), by(warp, op, lane));
    if (at == nullptr) return;
    const Word operand = i.read.count != 0 ? staging(i.read.first, lane) : Word{1};
    const Word expected = i.compare ? staging(i.read.first + kWords, lane) : Word{0};
    old[lane] = update<Word>(at, i.atomic, operand, i.compare ? &expected : nullptr);
    if (warp.observer == nullptr) return;
    std::uint32_t now = 0;
    std::memcpy(&now, at, sizeof now);
    show_store(warp, lane, address[lane], sizeof(Word), at, now);
    interpret::Event::Memory& access = warp.observer->event().memory.back();
    access.before = static_cast<std::uint32_t>(old[lane]);
    access.atomic = true;
  });
  for_lanes(active, [&](unsigned lane) {
    for (unsigned n = 0; n < i.write.count; ++n)
      warp.set(i.write.first + n, lane, static_cast<std::uint32_t>(old[lane] >> 32 * n));
  });
}

}  // namespace warpjit::valhall
