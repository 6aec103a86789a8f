#include "ir/interpret_lanes.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/compiler.h"
#include "base/cpu.h"
#include "ir/callout.h"
#include "ir/evaluate.h"
#include "ir/look_up.h"

namespace warpjit::ir {
namespace {

using Operation = Interpreter::Operation;

// Fused multiply-adds are the host's instruction, or arithmetic of doubles: either way compilers make vectors of them.
template <bool kInstruction>
struct LaneMeaning : meaning {
  WARPJIT_MEANING static float FFma32(float a, float b, float c) {
    return kInstruction ? fma::by_instruction(a, b, c) : fma::in_doubles(a, b, c);
  }
  WARPJIT_MEANING static float FFmaFlush32(float a, float b, float c) {
    a = FFlush32(a), b = FFlush32(b), c = FFlush32(c);
    return flushed_sum(FFma32(a, b, c), a, b, c);
  }
};

// Runs the operation for `lanes` lanes, a multiple of kStep, or one. A loop over a constant number of lanes
// vectorizes without a remainder; the loop around it makes one instance do for groups of many widths.
template <Opcode kOpcode, unsigned kStep, class Meaning>
WARPJIT_MEANING void lane_wise(const Operation& operation, std::uint32_t* frame, unsigned lanes) {
  // SSA: the result's words are no operand's words.
  std::uint32_t* WARPJIT_RESTRICT result = frame + operation.result;
  const std::uint32_t* a = frame + operation.a;
  const std::uint32_t* b = frame + operation.b;
  const std::uint32_t* c = frame + operation.c;
  using Row = Evaluator<kOpcode, Meaning>;
  for (unsigned left = lanes; left != 0; left -= kStep, result += kStep, a += kStep, b += kStep, c += kStep) {
    WARPJIT_LANE_LOOP
    for (unsigned lane = 0; lane < kStep; ++lane)
      result[lane] = static_cast<std::uint32_t>(
          Row::apply(a[lane], Row::kOperands > 1 ? b[lane] : 0, Row::kOperands > 2 ? c[lane] : 0));
  }
}

// ---- what is done one lane at a time, once for all widths

using Row = std::array<std::uint32_t, 4>;

// Row `row` of a thread's rows in a binding, which are 16 bytes apart.
template <class Binding>
auto* row_of(const Binding& binding, std::uint64_t thread, std::size_t row) {
  return binding.address + static_cast<std::int64_t>(thread) * binding.stride + row * sizeof(Row);
}
// The thread of a lane; idle lanes copy the last one.
std::uint64_t thread_of(const GroupContext& context, unsigned lane) {
  return context.first_thread + std::min(lane, context.active - 1);
}
void put_row(std::uint32_t* result, const Row& row, unsigned lanes, unsigned lane) {
  for (unsigned k = 0; k < row.size(); ++k) result[k * lanes + lane] = row[k];
}

void load_input(const Operation& operation, const GroupContext& context, std::uint32_t* frame) {
  const InputBinding& binding = context.inputs[operation.immediate & 0xffffffffu];
  const std::uint64_t numbers = operation.immediate >> 32;
  for (unsigned lane = 0; lane < context.lanes; ++lane) {
    std::uint64_t thread = thread_of(context, lane);
    if (numbers != 0) {
      std::uint32_t number;
      std::memcpy(&number, context.inputs[numbers - 1].address + thread * sizeof number, sizeof number);
      thread = number;
    }
    Row row;
    std::memcpy(&row, row_of(binding, thread, 0), sizeof row);
    put_row(frame + operation.result, row, context.lanes, lane);
  }
}

void load_input_row(const Operation& operation, const GroupContext& context, std::uint32_t* frame) {
  const InputBinding& binding = context.inputs[operation.immediate & 0xffffffffu];
  const auto rows = static_cast<std::uint32_t>(operation.immediate >> 32);
  for (unsigned lane = 0; lane < context.lanes; ++lane) {
    Row row;
    const std::uint32_t number = std::min(frame[operation.a + lane], rows - 1);
    std::memcpy(&row, row_of(binding, thread_of(context, lane), number), sizeof row);
    put_row(frame + operation.result, row, context.lanes, lane);
  }
}

// StoreOutput and StoreOutputRow, whose list begins with the number of the row.
void store_output(const Operation& operation, const GroupContext& context, const std::uint32_t* frame) {
  const bool numbered = operation.opcode == Opcode::StoreOutputRow;
  const OutputBinding& binding = context.outputs[operation.immediate & 0xffffffffu];
  const auto rows = numbered ? static_cast<std::uint32_t>(operation.immediate >> 32) : 1;
  const std::uint32_t* const list = context.lists + operation.b;
  for (unsigned lane = 0; lane < context.active; ++lane) {
    const std::uint32_t number = numbered ? frame[list[0] + lane] : 0;
    if (frame[operation.a + lane] == 0 || number >= rows) continue;
    Row row;
    for (unsigned k = 0; k < row.size(); ++k) row[k] = frame[list[k + (numbered ? 1 : 0)] + lane];
    std::memcpy(row_of(binding, context.first_thread + lane, number), &row, sizeof row);
  }
}

void load_uniform_row(const Operation& operation, const GroupContext& context, std::uint32_t* frame) {
  const auto rows = static_cast<std::uint32_t>(operation.immediate >> 32);
  const std::uint32_t* table = context.uniform + (operation.immediate & 0xffffffffu) / 4;
  for (unsigned lane = 0; lane < context.lanes; ++lane) {
    const std::uint32_t number = frame[operation.a + lane];
    Row row{};
    if (number < rows) std::memcpy(&row, table + std::size_t{number} * row.size(), sizeof row);
    put_row(frame + operation.result, row, context.lanes, lane);
  }
}

// What the records say of a lane's pixel.
struct Pixel {
  Pixel(const GroupContext& context, unsigned lane)
      : thread(context.first_thread + lane),
        quad(context.quads[thread / 4]),
        group(context.groups[thread / context.record_lanes]) {}
  unsigned number() const { return thread & 3; }
  float dx() const { return (quad.x + group.x) + static_cast<float>(number() & 1); }
  float dy() const { return (quad.y + group.y) + static_cast<float>(number() >> 1); }
  float center_x() const { return dx() + origin(offsetof(pixels::PrimitiveHeader, origin_x)) + 0.5F; }
  float center_y() const { return dy() + origin(offsetof(pixels::PrimitiveHeader, origin_y)) + 0.5F; }
  bool covered() const { return (quad.coverage >> number() & 1) != 0; }
  std::uint32_t primitive_word(std::uint64_t offset) const {
    std::uint32_t word;
    std::memcpy(&word, group.primitive + offset, sizeof word);
    return word;
  }
  float origin(std::size_t offset) const { return std::bit_cast<float>(primitive_word(offset)); }
  std::byte* in_tile(const GroupContext& context, std::uint64_t plane) const {
    return context.tile + plane * pixels::kPlaneBytes + quad.offset + std::size_t{4} * number();
  }

  std::uint64_t thread;
  const pixels::QuadRecord& quad;
  const pixels::GroupRecord& group;
};
void pixel_lanes(const Operation& operation, const GroupContext& context, std::uint32_t* frame) {
  for (unsigned lane = 0; lane < context.lanes; ++lane) {
    const Pixel pixel(context, lane);
    std::uint32_t& result = frame[operation.result + lane];
    switch (operation.opcode) {
      case Opcode::PixelDx:
        result = std::bit_cast<std::uint32_t>(pixel.dx());
        break;
      case Opcode::PixelDy:
        result = std::bit_cast<std::uint32_t>(pixel.dy());
        break;
      case Opcode::PixelCenterX:
        result = std::bit_cast<std::uint32_t>(pixel.center_x());
        break;
      case Opcode::PixelCenterY:
        result = std::bit_cast<std::uint32_t>(pixel.center_y());
        break;
      case Opcode::PixelCovered:
        result = pixel.covered() ? 1 : 0;
        break;
      case Opcode::PrimitiveF32:
      case Opcode::PrimitiveI32:
        result = pixel.primitive_word(operation.immediate);
        break;
      case Opcode::LoadTile:
        std::memcpy(&result, pixel.in_tile(context, operation.immediate), sizeof result);
        break;
      case Opcode::StoreTile:
        if (frame[operation.a + lane] != 0)
          std::memcpy(pixel.in_tile(context, operation.immediate), frame + operation.b + lane, sizeof result);
        break;
      default:
        break;
    }
  }
}

// Callouts and accesses of memory. A lane is thread first_thread + lane of its block.
class LaneByLane {
 public:
  LaneByLane(const Operation& operation, const GroupContext& context, std::uint32_t* frame)
      : operation_(operation), context_(context), frame_(frame) {}

  void run() const {
    const OpcodeInfo& row = info(operation_.opcode);
    if (row.pure) {
      for (unsigned lane = 0; lane < context_.lanes; ++lane) callout(lane);
      return;
    }
    const bool has_truths = row.results.find('b') != std::string_view::npos;
    const MemoryAccess access = MemoryAccess::unpack(operation_.immediate);
    for (unsigned lane = 0; lane < context_.lanes; ++lane)
      if (lane < context_.active && operand(0, lane) != 0)
        memory(access, lane);
      else if (has_truths)
        clear_truths(lane);
  }

 private:
  std::uint32_t operand(std::uint32_t k, unsigned lane) const {
    if (info(operation_.opcode).callout) return frame_[context_.lists[operation_.b + k] + lane];
    return frame_[(k == 0 ? operation_.a : k == 1 ? operation_.b : operation_.c) + lane];
  }
  std::uint32_t& result(unsigned k, unsigned lane) const {
    return frame_[operation_.result + k * context_.lanes + lane];
  }

  // What holds or not is false where nothing is done.
  void clear_truths(unsigned lane) const {
    const std::string_view results = info(operation_.opcode).results;
    for (unsigned k = 0; k < results.size(); ++k)
      if (results[k] == 'b') result(k, lane) = 0;
  }

  void callout(unsigned lane) const {
    std::uint32_t operands[kMaxOperands]{}, results[kMaxCalloutResults]{};
    for (std::uint32_t k = 0; k < operation_.c; ++k) operands[k] = operand(k, lane);
    evaluate_callout(operation_.opcode, operation_.immediate, operands, results);
    for (std::uint32_t k = 0; k < info(operation_.opcode).results.size(); ++k) result(k, lane) = results[k];
  }

  void memory(const MemoryAccess& access, unsigned lane) const {
    const bool of_group = access.space == Space::local && !context_.blocks;
    const BlockMemory::Accessor by{operation_.guest_address,
                                   static_cast<std::uint32_t>((of_group ? 0 : context_.first_thread) + lane)};
    std::uint32_t operands[kMaxOperands]{}, results[kMaxCalloutResults]{};
    const OpcodeInfo& row = info(operation_.opcode);
    for (std::uint32_t k = 1; k < row.operands.size(); ++k) operands[k] = operand(k, lane);
    context_.block->access(operation_.opcode, access, operands, results, by);
    for (std::uint32_t k = 0; k < row.results.size(); ++k) result(k, lane) = results[k];
  }

  const Operation& operation_;
  const GroupContext& context_;
  std::uint32_t* frame_;
};
void lane_by_lane(const Operation& operation, const GroupContext& context, std::uint32_t* frame) {
  LaneByLane(operation, context, frame).run();
}

void load_memory(const Operation& operation, const GroupContext& context, std::uint32_t* frame) {
  lane_by_lane(operation, context, frame);
  // A load from one address may be taken for uniform: lanes without guard see the others' word.
  std::uint32_t word = 0;
  for (unsigned lane = 0; lane < context.lanes; ++lane)
    if (frame[operation.a + lane] != 0) word = frame[operation.result + lane];
  for (unsigned lane = 0; lane < context.lanes; ++lane)
    if (frame[operation.a + lane] == 0) frame[operation.result + lane] = word;
}

void load_texels(const Operation& operation, const GroupContext& context, std::uint32_t* frame) {
  const TexelView& view = context.textures[operation.immediate];
  const bool pair = operation.opcode == Opcode::LoadTexelPair;
  const std::uint32_t last = pair ? view.last_pair : view.last;
  for (unsigned lane = 0; lane < context.lanes; ++lane) {
    const std::byte* from = view.bytes + std::min(frame[operation.a + lane], last);
    std::uint32_t words[2];
    std::memcpy(words, from, pair ? 8 : 4);
    frame[operation.result + lane] = words[0];
    if (pair) frame[operation.result + context.lanes + lane] = words[1];
  }
}

void read_lanes(const Operation& operation, const GroupContext& context, std::uint32_t* frame) {
  const std::uint32_t* list = context.lists + operation.b;
  for (unsigned lane = 0; lane < context.lanes; ++lane) {
    const unsigned own = static_cast<unsigned>((context.first_thread + lane) % context.group_lanes);
    const unsigned from = lane - own + frame[list[3] + lane] % context.group_lanes;
    frame[operation.result + lane] =
        frame[list[0] + from] != 0 ? frame[list[1] + from] : frame[list[2] + lane];
  }
}

// Where the words of a group's frame slot are, or those of a row of a stack of slots.
std::uint32_t* frame_slot(const Operation& operation, const GroupContext& context,
                          const std::uint32_t* frame) {
  std::uint64_t slot = operation.immediate;
  if (info(operation.opcode).immediate == ImmediateKind::frame_rows)
    slot = (slot & 0xffffffffu) + (frame[operation.b] & ((slot >> 32) - 1));
  return context.block_frame + (std::size_t{frame[operation.a]} * context.frame_slots + slot) * context.lanes;
}

// The lane that this one reads of its quad.
unsigned quad_lane(std::uint64_t lanes, unsigned reader, unsigned count) {
  return ((reader & ~3u) | (lanes >> 2 * (reader & 3) & 3)) % count;
}

// False: some thread has used up what it may.
bool count_fuel(const Operation& operation, const GroupContext& context, const std::uint32_t* frame,
                bool first) {
  if (first) context.fuel_counts->restart();
  return context.fuel_counts->count(
      context.inner ? context.first_thread : 0, context.lanes,
      [&](std::size_t lane) { return operation.a == kAllLanes || frame[operation.a + lane] != 0; });
}

template <unsigned kStep, class Meaning>
WARPJIT_MEANING GroupOutcome run_group(GroupContext& context, std::uint32_t* frame) {
  const unsigned lanes = kStep == 1 ? 1 : context.lanes;
  const auto broadcast = [&](const Operation& operation, std::uint32_t word) {
    std::fill_n(frame + operation.result, lanes, word);
  };
  const auto copy = [&](std::uint32_t* to, const std::uint32_t* from) {
    std::memcpy(to, from, lanes * sizeof *to);
  };
  const Operation* next = context.operations;
  std::int64_t fuel = context.fuel;
  for (;;) {
    const Operation& operation = *next++;
    // The lane-wise rows; then the others, which are few.
    switch (operation.opcode) {
#define WARPJIT_IR_OP(name, ...)                                        \
  case Opcode::name:                                                    \
    if constexpr (Evaluator<Opcode::name>::kDefined) {                  \
      lane_wise<Opcode::name, kStep, Meaning>(operation, frame, lanes); \
      continue;                                                         \
    } else {                                                            \
      break;                                                            \
    }
#include "ir/opcodes.inc"
#undef WARPJIT_IR_OP
    }
    switch (operation.opcode) {
      case Opcode::Phi:
        copy(frame + operation.result, frame + operation.a);
        break;
      case Opcode::Jump:
        next = context.operations + operation.immediate;
        break;
      case Opcode::Branch:
        next = context.operations +
               (frame[operation.a] != 0 ? operation.immediate & 0xffffffffu : operation.immediate >> 32);
        break;
      case Opcode::Switch:
        next =
            context.operations + context.lists[operation.b + std::min(frame[operation.a], operation.c - 1)];
        break;
      case Opcode::Return:
        return {GroupEnd::done, kNoAddress, {}};
      case Opcode::BurnFuel:
        if (context.cancel != nullptr && context.cancel->load(std::memory_order_relaxed) != 0)
          return {GroupEnd::cancelled, operation.guest_address, {}};
        if (--fuel < 0 && !count_fuel(operation, context, frame, fuel == -1))
          return {GroupEnd::out_of_fuel, operation.guest_address, {}};
        break;
      case Opcode::LoadUniformI32:
      case Opcode::LoadUniformF32:
        broadcast(operation, context.uniform[operation.immediate / 4]);
        break;
      case Opcode::LoadUniformRow:
        load_uniform_row(operation, context, frame);
        break;
      case Opcode::LookUpUniform32: {
        const std::uint32_t *const words = context.uniform + operation.immediate / 4, *const a =
                                                                                          frame + operation.a;
        std::uint32_t* const result = frame + operation.result;
        for (std::size_t lane = 0; lane < lanes; ++lane) result[lane] = words[a[lane] % kLookUpWords];
        break;
      }
      case Opcode::StoreUniformI32:
      case Opcode::StoreUniformF32:
        context.uniform[operation.immediate / 4] = frame[operation.a];
        break;
      case Opcode::LookUp32: {
        const std::span<const std::uint32_t> words = look_up_table(operation.immediate);
        const std::uint32_t* const a = frame + operation.a;
        std::uint32_t* const result = frame + operation.result;
        for (std::size_t lane = 0; lane < lanes; ++lane) result[lane] = look_up(words, a[lane]);
        break;
      }
      case Opcode::LoadTexel:
      case Opcode::LoadTexelPair:
        load_texels(operation, context, frame);
        break;
      case Opcode::LoadInput:
        load_input(operation, context, frame);
        break;
      case Opcode::LoadInputRow:
        load_input_row(operation, context, frame);
        break;
      case Opcode::StoreOutput:
      case Opcode::StoreOutputRow:
        store_output(operation, context, frame);
        break;
      case Opcode::LoadSlot:
        copy(frame + operation.result, frame + context.first_slot + operation.immediate * lanes);
        break;
      case Opcode::StoreSlot: {
        std::uint32_t* const slot = frame + context.first_slot + operation.immediate * lanes;
        const std::uint32_t *const guard = frame + operation.a, *const value = frame + operation.b;
        for (std::size_t lane = 0; lane < lanes; ++lane)
          slot[lane] = guard[lane] != 0 ? value[lane] : slot[lane];
        break;
      }
      case Opcode::LoadMemory:
        load_memory(operation, context, frame);
        break;
      case Opcode::LaneIndex:
        for (unsigned lane = 0; lane < lanes; ++lane)
          frame[operation.result + lane] =
              static_cast<std::uint32_t>((context.first_thread + lane) % context.group_lanes);
        break;
      case Opcode::ThreadIndex:
        for (unsigned lane = 0; lane < lanes; ++lane)
          frame[operation.result + lane] = static_cast<std::uint32_t>(context.first_thread + lane);
        break;
      case Opcode::GroupIndex:
        broadcast(operation, static_cast<std::uint32_t>(context.first_thread / context.group_lanes));
        break;
      case Opcode::BlockIndex:
        broadcast(operation, context.block->block[operation.immediate]);
        break;
      case Opcode::SetGroup:
        context.first_thread = std::uint64_t{frame[operation.a]} * context.group_lanes;
        break;
      case Opcode::AnyActive:
      case Opcode::AllActive: {
        std::uint32_t any = 0, all = 1;
        for (unsigned lane = 0; lane < lanes; ++lane) {
          any |= frame[operation.a + lane] & frame[operation.b + lane];
          all &= frame[operation.b + lane] | (frame[operation.a + lane] ^ 1);
        }
        broadcast(operation, operation.opcode == Opcode::AnyActive ? any : all);
        break;
      }
      case Opcode::QuadSwizzle32:
      case Opcode::QuadSwizzle1:
        for (unsigned lane = 0; lane < lanes; ++lane)
          frame[operation.result + lane] = frame[operation.a + quad_lane(operation.immediate, lane, lanes)];
        break;
      case Opcode::QuadRead:
        for (unsigned lane = 0; lane < lanes; ++lane) {
          const unsigned from = quad_lane(operation.immediate, lane, lanes);
          frame[operation.result + lane] =
              frame[operation.a + from] != 0 ? frame[operation.b + from] : frame[operation.c + lane];
        }
        break;
      case Opcode::LaneRead:
        read_lanes(operation, context, frame);
        break;
      case Opcode::LoadFrame:
      case Opcode::LoadFrameRow:
        copy(frame + operation.result, frame_slot(operation, context, frame));
        break;
      case Opcode::StoreFrame:
        copy(frame_slot(operation, context, frame), frame + operation.b);
        break;
      case Opcode::StoreFrameRow:
        copy(frame_slot(operation, context, frame), frame + operation.c);
        break;
      case Opcode::LoadFrameUniform:
        broadcast(operation, *frame_slot(operation, context, frame));
        break;
      case Opcode::StoreFrameUniform:
        *frame_slot(operation, context, frame) = frame[operation.b];
        break;
      case Opcode::Stop: {
        std::uint32_t any = 0;
        for (unsigned lane = 0; lane < context.active; ++lane) any |= frame[operation.a + lane];
        if (any != 0)
          return {GroupEnd::stopped, operation.guest_address, static_cast<StopReason>(operation.immediate)};
        break;
      }
      case Opcode::AnyLane: {
        std::uint32_t any = 0;
        for (unsigned lane = 0; lane < lanes; ++lane) any |= frame[operation.a + lane];
        broadcast(operation, any);
        break;
      }
      case Opcode::MinLaneU32: {
        std::uint32_t least = ~0u;
        for (unsigned lane = 0; lane < lanes; ++lane) least = std::min(least, frame[operation.a + lane]);
        broadcast(operation, least);
        break;
      }
      default:
        if (family(operation.opcode) == Family::pixel)
          pixel_lanes(operation, context, frame);
        else if (family(operation.opcode) == Family::memory || info(operation.opcode).callout)
          lane_by_lane(operation, context, frame);
        break;  // constants are in the frame from the start
    }
  }
}

template <unsigned kStep>
GroupOutcome run_group_plain(GroupContext& context, std::uint32_t* frame) {
  return run_group<kStep, LaneMeaning<fma::kAlwaysInstruction>>(context, frame);
}

// The same loops for AVX2 and FMA. Sanitizers, whose checks
// take longest to compile here, see the loops once.
#if WARPJIT_HAS_TARGETS && !defined(WARPJIT_SANITIZED)
template <unsigned kStep>
WARPJIT_TARGET("avx2,fma,bmi,bmi2")
GroupOutcome run_group_v3(GroupContext& context, std::uint32_t* frame) {
  return run_group<kStep, LaneMeaning<true>>(context, frame);
}
RunGroup v3_for(unsigned lanes) {
  using enum cpu::Feature;
  if (!cpu::has({avx2, fma, bmi, bmi2})) return nullptr;
  return lanes == 1 ? run_group_v3<1> : lanes % 16 == 0 ? run_group_v3<16> : run_group_v3<4>;
}
#else
RunGroup v3_for(unsigned) { return nullptr; }
#endif

}  // namespace

bool is_group_width(unsigned lanes) {
  return std::has_single_bit(lanes) && lanes != 2 && lanes <= kMaxGroupLanes;
}

RunGroup run_group_for(unsigned lanes) {
  if (const RunGroup v3 = v3_for(lanes)) return v3;
  return lanes == 1 ? run_group_plain<1> : run_group_plain<4>;
}

}  // namespace warpjit::ir
