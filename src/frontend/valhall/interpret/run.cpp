// Runs the workgroups of a grid, or blocks of 64 vertices: warps in turn, barriers between them
// (docs/guests/valhall.md 8).
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "base/bits.h"
#include "base/fuel.h"
#include "base/stop_reason.h"
#include "frontend/interpret/fault.h"
#include "frontend/valhall/interpret/attribute.h"
#include "frontend/valhall/interpret/interpret.h"
#include "frontend/valhall/interpret/lanes.h"
#include "frontend/valhall/interpret/memory.h"
#include "frontend/valhall/interpret/op.h"

namespace warpjit::valhall {
namespace {

static_assert(std::endian::native == std::endian::little);

// Calls `each` with the numbers of the lanes in the mask, the lowest first.
template <class Each>
void for_lanes(std::uint32_t lanes, const Each& each) {
  for (; lanes != 0; lanes &= lanes - 1) each(static_cast<unsigned>(std::countr_zero(lanes)));
}

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

}  // namespace

void RunReport::add(const RunReport& other) {
  if (!first_fault) first_fault = other.first_fault;
  warp_instructions += other.warp_instructions;
  lane_instructions += other.lane_instructions;
  divergences += other.divergences;
}

// Runs workgroups of a launch with one set of warps.
class BlockRun {
 public:
  BlockRun(const Interpreter& interpreter, const frontend::Grid& launch, const frontend::CheckedGrid& checked)
      : interpreter_(interpreter),
        program_(interpreter.program_),
        launch_(launch),
        checked_(checked),
        memory_(program_, launch, checked),
        warps_((checked.threads + kWarpLanes - 1) / kWarpLanes) {
    // The launch is checked.
    if (program_.stage == Stage::vertex)
      for (const frontend::AttributeSource& attribute : launch.vertices.attributes)
        formats_.push_back(*find_vertex_format(attribute.format));
  }

  Status run(std::uint64_t first, std::uint64_t count, RunReport& report) {
    Status status;
    for (std::uint64_t k = 0; k < count && status.ok(); ++k) status = run_block(first + k);
    report_.first_fault = memory_.fault();
    report.add(report_);
    return status;
  }

 private:
  struct Warp {
    std::uint32_t registers[64][kWarpLanes] = {};
    std::uint32_t pc[kWarpLanes] = {};
    std::uint32_t live = 0;          // lanes that have not ended
    std::uint32_t waiting = 0;       // of these, at a barrier
    std::uint32_t first_thread = 0;  // of its workgroup
    std::uint32_t number = 0;        // in the grid
    std::int64_t fuel = 0;           // group_fuel
    std::uint64_t of_all_lanes = 0;  // transfers made by all live lanes
    FuelCounts counts{0};

    std::uint32_t runnable() const { return live & ~waiting; }
    std::uint64_t pair(unsigned first, unsigned lane) const {
      return registers[first][lane] | std::uint64_t{registers[first + 1][lane]} << 32;
    }
  };

  using LaneValues = std::array<std::uint64_t, kWarpLanes>;

  Status run_block(std::uint64_t number) {
    block_ = launch_.block_at(number);
    memory_.begin(block_);
    for (std::size_t k = 0; k < warps_.size(); ++k) start(warps_[k], number, static_cast<std::uint32_t>(k));
    while (true) {
      std::uint32_t live = 0;
      for (Warp& warp : warps_) {
        while (warp.runnable() != 0) WARPJIT_CHECK(step(warp));
        live |= warp.live;
      }
      if (live == 0) return {};
      for (Warp& warp : warps_) warp.waiting = 0;
    }
  }

  void start(Warp& warp, std::uint64_t block_number, std::uint32_t k) {
    warp = {};
    warp.first_thread = k * kWarpLanes;
    warp.number = static_cast<std::uint32_t>(block_number * warps_.size() + k);
    const std::uint32_t threads = threads_of_block();
    warp.live = low_mask<std::uint32_t>(std::min(threads - std::min(threads, warp.first_thread), kWarpLanes));
    warp.fuel = group_fuel(launch_.fuel);
    warp.counts = FuelCounts(launch_.fuel);
    const auto& size = launch_.block;
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
      warp.pc[lane] = program_.entry;
      if (program_.stage == Stage::vertex) {
        start_vertex(warp, lane);
        continue;
      }
      const std::uint32_t thread = warp.first_thread + lane;
      if (thread >= checked_.threads) break;
      const std::uint32_t local[3] = {thread % size[0], thread / size[0] % size[1],
                                      thread / size[0] / size[1]};
      warp.registers[55][lane] = local[0] | local[1] << 16;
      warp.registers[56][lane] = local[2];
      for (unsigned n = 0; n < 3; ++n) {
        const std::uint32_t group = block_[n] + launch_.first_block[n];
        warp.registers[57 + n][lane] = group;
        warp.registers[60 + n][lane] = group * size[n] + local[n];
      }
    }
  }

  // Threads that there are: blocks of vertices may end before their last one.
  std::uint32_t threads_of_block() const {
    if (program_.stage != Stage::vertex) return checked_.threads;
    return std::min(launch_.vertices.count - block_[0] * checked_.threads, checked_.threads);
  }

  void start_vertex(Warp& warp, unsigned lane) const {
    const frontend::Vertices& vertices = launch_.vertices;
    const std::uint32_t number = block_[0] * checked_.threads + warp.first_thread + lane,
                        instance = block_[1];
    warp.registers[59][lane] = 8 * (instance * vertices.count + number);
    warp.registers[60][lane] = vertices.first + number;
    warp.registers[61][lane] = vertices.first_instance + instance;
  }

  // One instruction of the lanes with the lowest program counter.
  Status step(Warp& warp) {
    std::uint32_t pc = ~0U, active = 0;
    for_lanes(warp.runnable(), [&](unsigned lane) { pc = std::min(pc, warp.pc[lane]); });
    for_lanes(warp.runnable(), [&](unsigned lane) { active |= std::uint32_t{warp.pc[lane] == pc} << lane; });
    const WarpOp& op = interpreter_.ops_[interpreter_.op_of_word_[pc / 8]];
    ++report_.warp_instructions;
    report_.lane_instructions += static_cast<unsigned>(std::popcount(active));
    std::uint32_t taken = 0;
    execute(warp, op, active, taken);
    if (op.i.flow == Flow::end) {
      warp.live &= ~active;
      return {};
    }
    if (op.kind == WarpOp::Kind::barrier) warp.waiting |= active;
    return go_on(warp, op, active, taken);
  }

  // The lanes in `taken` go to the target, the others behind the instruction.
  Status go_on(Warp& warp, const WarpOp& op, std::uint32_t active, std::uint32_t taken) {
    if (taken != 0 && taken != active) ++report_.divergences;
    const std::int64_t next = std::int64_t{op.address} + 8;
    const auto end = static_cast<std::int64_t>(8 * program_.code.size());
    const bool leaves =
        (taken != 0 && (op.target < 0 || op.target >= end)) || (taken != active && next >= end);
    if (leaves) return stopped(warp, op, ErrorCode::fault, message(StopReason::no_code));
    if (taken != 0 && op.target <= op.address && !pay(warp, taken))
      return stopped(warp, op, ErrorCode::out_of_fuel, kOutOfFuelMessage);
    for_lanes(active, [&](unsigned lane) {
      warp.pc[lane] = static_cast<std::uint32_t>((taken >> lane & 1) != 0 ? op.target : next);
    });
    return {};
  }

  static bool pay(Warp& warp, std::uint32_t lanes) {
    if (--warp.fuel >= 0) {
      warp.of_all_lanes += lanes == warp.live ? 1 : 0;
      return true;
    }
    if (warp.fuel == -1) warp.counts.restart(warp.of_all_lanes);
    return warp.counts.count(0, kWarpLanes, [&](std::size_t lane) { return (lanes >> lane & 1) != 0; });
  }

  Error stopped(const Warp& warp, const WarpOp& op, ErrorCode code, const char* what) const {
    return {code,
            std::string(what) + ", in warp " + std::to_string(warp.first_thread / kWarpLanes) +
                interpret::block_text(block_),
            program_.where(op.address)};
  }

  void execute(Warp& warp, const WarpOp& op, std::uint32_t active, std::uint32_t& taken) {
    const Instruction& i = op.i;
    std::array<LaneValues, 4> source{};
    for (unsigned n = 0; n < 4; ++n)
      if (i.source[n].kind != Source::Kind::none) fetch(warp, op, i.source[n], active, source[n]);
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
        for (std::uint64_t& address : source[0])
          address += static_cast<std::uint64_t>(std::int64_t{i.offset});
        return load(warp, op, active, source);
      case WarpOp::Kind::load_buffer:
        return load(warp, op, active, source);
      case WarpOp::Kind::store:
        for (std::uint64_t& address : source[0])
          address += static_cast<std::uint64_t>(std::int64_t{i.offset});
        return store(warp, op, active, source[0]);
      case WarpOp::Kind::atomic:
        for (std::uint64_t& address : source[0])
          address += static_cast<std::uint64_t>(std::int64_t{i.offset});
        return i.type == Type::i64 ? atomic<std::uint64_t>(warp, op, active, source[0])
                                   : atomic<std::uint32_t>(warp, op, active, source[0]);
      case WarpOp::Kind::result_address:
        for_lanes(active, [&](unsigned lane) {
          const auto id = static_cast<std::uint32_t>(source[0][lane]);
          warp.registers[i.write.first][lane] = (id >> 3) * launch_.vertices.packet_stride + (id & 7) * 16;
          warp.registers[i.write.first + 1][lane] =
              static_cast<std::uint32_t>(memory_.result_pointer() >> 32);
        });
        return;
      case WarpOp::Kind::load_attribute:
      case WarpOp::Kind::attribute_address:
        for_lanes(active, [&](unsigned lane) {
          const auto values = attribute(op, static_cast<std::uint32_t>(source[0][lane]),
                                        static_cast<std::uint32_t>(source[1][lane]), by(warp, op, lane));
          for (unsigned n = 0; n < i.write.count; ++n) warp.registers[i.write.first + n][lane] = values[n];
        });
        return;
    }
  }

  static GroupMemory::Accessor by(const Warp& warp, const WarpOp& op, unsigned lane) {
    return {op.address, warp.first_thread + lane};
  }

  // What a source names, for each lane, before a part of it is taken.
  void fetch(const Warp& warp, const WarpOp& op, const Source& source, std::uint32_t active,
             LaneValues& values) {
    if (source.kind == Source::Kind::gpr) {
      for_lanes(active, [&](unsigned lane) {
        values[lane] = source.wide ? warp.pair(source.value, lane) : warp.registers[source.value][lane];
      });
      return;
    }
    if (source.kind == Source::Kind::special) {
      for_lanes(active, [&](unsigned lane) {
        const std::uint64_t pair = special(warp, op, source.value, lane);
        values[lane] = source.wide ? pair : static_cast<std::uint32_t>(pair >> source.value % 2 * 32);
      });
      return;
    }
    std::uint64_t value = 0;
    if (source.kind == Source::Kind::constant) {
      value = kConstants[source.value];
    } else {
      const auto accessor = by(warp, op, static_cast<unsigned>(std::countr_zero(active)));
      value = memory_.uniform(source.value, accessor);
      if (source.wide) value |= std::uint64_t{memory_.uniform(source.value + 1U, accessor)} << 32;
    }
    for_lanes(active, [&](unsigned lane) { values[lane] = value; });
  }

  std::uint64_t special(const Warp& warp, const WarpOp& op, std::uint8_t value, unsigned lane) const {
    switch (special_page(value) * 16 + special_entry(value)) {
      case 0 * 16 + 2:
        return warp.number;
      case 1 * 16 + 1:
        return memory_.local_pointer();
      case 1 * 16 + 3:
        return memory_.shared_pointer();
      case 3 * 16 + 1:
        return lane;
      case 3 * 16 + 15:
        return program_.address + op.address + 8;
      default:
        return 0;  // the number of the core
    }
  }

  void compute(Warp& warp, const WarpOp& op, std::uint32_t active, const std::array<LaneValues, 4>& source) {
    const unsigned d = op.i.destination;
    const bool wide = op.operation.result == Operation::Result::wide;
    for_lanes(active, [&](unsigned lane) {
      Inputs inputs{.destination = wide ? warp.pair(d, lane) : warp.registers[d][lane],
                    .mode = program_.mode};
      for (unsigned n = 0; n < 4; ++n) inputs.source[n] = source[n][lane];
      const std::uint64_t result = evaluate(op.operation, op.i, inputs);
      warp.registers[d][lane] = static_cast<std::uint32_t>(result);
      if (wide) warp.registers[d + 1][lane] = static_cast<std::uint32_t>(result >> 32);
    });
  }

  // What LD_ATTR and LEA_ATTR write for these numbers of vertex and instance.
  std::array<std::uint32_t, 4> attribute(const WarpOp& op, std::uint32_t vertex, std::uint32_t instance,
                                         GroupMemory::Accessor accessor) {
    const frontend::Vertices& vertices = launch_.vertices;
    const AttributeEntry entry = attribute_entry(op.i);
    if (entry.table != 1 || entry.index >= formats_.size()) {
      memory_.report_no_attribute(entry.index, accessor);
      return {};
    }
    const frontend::AttributeSource& of = vertices.attributes[entry.index];
    const VertexFormat& format = formats_[entry.index];
    const std::uint64_t byte = byte_of_element(of, vertices.attribute_offset, vertex, instance);
    const auto low = static_cast<std::uint32_t>(of.address + byte),
               high = static_cast<std::uint32_t>(of.address >> 32);
    if (op.kind == WarpOp::Kind::attribute_address) return {low, high, of.format};
    if (byte >= of.bytes || of.bytes - byte < format.bytes()) return {};
    const ElementBytes bytes =
        memory_.read_element(std::uint64_t{high} << 32 | low, format.bytes(), accessor);
    const auto to = op.i.register_format;
    auto values = convert_element(format, bytes, to);
    for (unsigned n = op.i.vector_size + 1U; n < 4; ++n) values[n] = 0;
    if (to == RegisterFormat::f16 || to == RegisterFormat::s16 || to == RegisterFormat::u16)
      return {values[0] | values[1] << 16, values[2] | values[3] << 16};
    return values;
  }

  // LOAD and LD_BUFFER: a part in all lanes, then the next part; registers change when all is read.
  void load(Warp& warp, const WarpOp& op, std::uint32_t active, const std::array<LaneValues, 4>& source) {
    const Instruction& i = op.i;
    const AccessShape shape = shape_of(i.type);
    const bool buffer = op.kind == WarpOp::Kind::load_buffer;
    // What is narrower than a word lies inside a buffer as a whole.
    const AccessPart whole[] = {{0, shape.bytes, 0, 0}};
    const std::span<const AccessPart> parts =
        buffer && shape.bytes < 4 ? std::span<const AccessPart>(whole) : shape.parts;
    std::uint32_t words[4][kWarpLanes] = {};
    for (const AccessPart& part : parts)
      for_lanes(active, [&](unsigned lane) {
        // Addresses of one access have one high word.
        const std::uint64_t base = source[0][lane];
        const std::uint64_t address =
            buffer ? base + part.offset : (base >> 32 << 32) | static_cast<std::uint32_t>(base + part.offset);
        const std::byte* at = buffer
                                  ? memory_.read_buffer(static_cast<std::uint32_t>(source[1][lane]), address,
                                                        part.size, shape.alignment, by(warp, op, lane))
                                  : memory_.read(address, part.size, shape.alignment, by(warp, op, lane));
        std::uint32_t value = 0;
        if (at != nullptr) std::memcpy(&value, at, part.size);
        words[part.staging][lane] |= value << part.shift;
      });
    for_lanes(active, [&](unsigned lane) {
      const auto reg = [&](unsigned n) -> std::uint32_t& { return warp.registers[i.write.first + n][lane]; };
      const std::uint64_t low = words[0][lane];
      const unsigned bits = 8U * shape.bytes;
      switch (i.lane) {
        case LoadLane::b0:
        case LoadLane::b1:
        case LoadLane::b2:
        case LoadLane::b3:
          return insert(reg(0), low,
                        8 * (static_cast<unsigned>(i.lane) - static_cast<unsigned>(LoadLane::b0)), 8);
        case LoadLane::h0:
        case LoadLane::h1:
          return insert(reg(0), extend(low, bits, i.zero_extend), i.lane == LoadLane::h0 ? 0 : 16, 16);
        case LoadLane::w0:
        case LoadLane::d0: {
          const std::uint64_t extended = extend(low, bits, i.zero_extend);
          reg(0) = static_cast<std::uint32_t>(extended);
          if (i.lane == LoadLane::d0) reg(1) = static_cast<std::uint32_t>(extended >> 32);
          return;
        }
        case LoadLane::whole:
          for (unsigned n = 0; n < i.write.count; ++n) reg(n) = words[n][lane];
          // The last register has more bits than were loaded.
          if (bits % 32 != 0)
            reg(i.write.count - 1U) =
                static_cast<std::uint32_t>(extend(words[i.write.count - 1U][lane], bits % 32, i.zero_extend));
          return;
      }
    });
  }

  static void insert(std::uint32_t& reg, std::uint64_t value, unsigned shift, unsigned bits) {
    const std::uint32_t mask = low_mask<std::uint32_t>(bits) << shift;
    reg = (reg & ~mask) | (static_cast<std::uint32_t>(value) << shift & mask);
  }

  void store(Warp& warp, const WarpOp& op, std::uint32_t active, const LaneValues& address) {
    const AccessShape shape = shape_of(op.i.type);
    std::array<std::byte*, kWarpLanes> at{};
    for_lanes(active, [&](unsigned lane) {
      at[lane] = memory_.write(address[lane], shape.bytes, shape.alignment, by(warp, op, lane));
    });
    for (const AccessPart& part : shape.parts)
      for_lanes(active, [&](unsigned lane) {
        const std::uint32_t value = warp.registers[op.i.read.first + part.staging][lane] >> part.shift;
        if (at[lane] != nullptr) std::memcpy(at[lane] + part.offset, &value, part.size);
      });
  }

  template <class Word>
  void atomic(Warp& warp, const WarpOp& op, std::uint32_t active, const LaneValues& address) {
    const Instruction& i = op.i;
    constexpr unsigned kWords = sizeof(Word) / 4;
    const auto staging = [&](unsigned first, unsigned lane) {
      return static_cast<Word>(kWords == 2 ? warp.pair(first, lane) : warp.registers[first][lane]);
    };
    LaneValues old{};
    for_lanes(active, [&](unsigned lane) {
      std::byte* const at = memory_.write(address[lane], sizeof(Word), sizeof(Word), by(warp, op, lane));
      if (at == nullptr) return;
      const Word operand = i.read.count != 0 ? staging(i.read.first, lane) : Word{1};
      const Word expected = i.compare ? staging(i.read.first + kWords, lane) : Word{0};
      old[lane] = update<Word>(at, i.atomic, operand, i.compare ? &expected : nullptr);
    });
    for_lanes(active, [&](unsigned lane) {
      for (unsigned n = 0; n < i.write.count; ++n)
        warp.registers[i.write.first + n][lane] = static_cast<std::uint32_t>(old[lane] >> 32 * n);
    });
  }

  const Interpreter& interpreter_;
  const Program& program_;
  const frontend::Grid& launch_;
  const frontend::CheckedGrid& checked_;
  GroupMemory memory_;
  std::vector<Warp> warps_;
  std::vector<VertexFormat> formats_;  // of attributes
  ir::BlockPosition block_{};
  RunReport report_;
};

Status Interpreter::run(const frontend::Grid& launch, std::uint64_t first, std::uint64_t count,
                        RunReport& report) const {
  WARPJIT_TRY(const frontend::CheckedGrid checked, check_launch(program_, launch));
  const std::uint64_t all = launch.blocks();
  if (first > all || count > all - first)
    return Error{ErrorCode::bad_input, "the workgroups are not in the grid", {}};
  return BlockRun(*this, launch, checked).run(first, count, report);
}

Status Interpreter::run(const frontend::Grid& launch, RunReport& report) const {
  return run(launch, 0, launch.blocks(), report);
}

}  // namespace warpjit::valhall
