#include "ir/interpret_lanes.h"

#include <algorithm>

#include "ir/callout.h"
#include "ir/evaluate.h"
#include "ir/look_up.h"

namespace warpjit::ir {
namespace {

using Operation = Interpreter::Operation;

// Lanes do not depend on each other, and the loop vectorizer must see a loop (unrolled completely it would be
// left to the one for straight-line code, which gives up on selects).
#if defined(__clang__)
#define WARPJIT_LANE_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define WARPJIT_LANE_LOOP _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#endif

template <Opcode kOpcode, unsigned kLanes>
WARPJIT_MEANING void lane_wise(const Operation& operation, std::uint32_t* frame) {
  // SSA: the result's words are no operand's words.
  std::uint32_t* __restrict result = frame + operation.result;
  const std::uint32_t* a = frame + operation.a;
  const std::uint32_t* b = frame + operation.b;
  const std::uint32_t* c = frame + operation.c;
  using Row = Evaluator<kOpcode>;
  WARPJIT_LANE_LOOP
  for (unsigned lane = 0; lane < kLanes; ++lane)
    result[lane] = static_cast<std::uint32_t>(
        Row::apply(a[lane], Row::kOperands > 1 ? b[lane] : 0, Row::kOperands > 2 ? c[lane] : 0));
}

template <unsigned kLanes>
WARPJIT_MEANING void broadcast(std::uint32_t* result, std::uint32_t word) {
  for (unsigned lane = 0; lane < kLanes; ++lane) result[lane] = word;
}

template <unsigned kLanes>
WARPJIT_MEANING void load_input(const Operation& operation, const GroupContext& context,
                                std::uint32_t* frame) {
  const InputBinding& binding = context.inputs[operation.immediate & 0xffffffffu];
  const std::uint64_t numbers = operation.immediate >> 32;
  std::uint32_t* result = frame + operation.result;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    std::uint64_t row = context.first_thread + std::min(lane, context.active - 1);
    if (numbers != 0) {
      std::uint32_t number;
      std::memcpy(&number, context.inputs[numbers - 1].address + row * sizeof number, sizeof number);
      row = number;
    }
    std::uint32_t words[4];
    std::memcpy(words, binding.address + static_cast<std::int64_t>(row) * binding.stride, sizeof words);
    for (unsigned k = 0; k < 4; ++k) result[k * kLanes + lane] = words[k];
  }
}

template <unsigned kLanes>
WARPJIT_MEANING void store_output(const Operation& operation, const GroupContext& context,
                                  const std::uint32_t* frame) {
  const OutputBinding& binding = context.outputs[operation.immediate];
  const std::uint32_t* list = context.lists + operation.b;
  for (unsigned lane = 0; lane < context.active; ++lane) {
    if (frame[operation.a + lane] == 0) continue;
    std::uint32_t words[4];
    for (unsigned k = 0; k < 4; ++k) words[k] = frame[list[k] + lane];
    std::memcpy(binding.address + static_cast<std::int64_t>(context.first_thread + lane) * binding.stride,
                words, sizeof words);
  }
}

template <unsigned kLanes>
WARPJIT_MEANING void load_input_row(const Operation& operation, const GroupContext& context,
                                    std::uint32_t* frame) {
  const InputBinding& binding = context.inputs[operation.immediate & 0xffffffffu];
  const auto rows = static_cast<std::uint32_t>(operation.immediate >> 32);
  std::uint32_t* result = frame + operation.result;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const std::uint64_t thread = context.first_thread + std::min(lane, context.active - 1);
    const std::uint32_t row = std::min(frame[operation.a + lane], rows - 1);
    std::uint32_t words[4];
    std::memcpy(words,
                binding.address + static_cast<std::int64_t>(thread) * binding.stride + std::size_t{row} * 16,
                sizeof words);
    for (unsigned k = 0; k < 4; ++k) result[k * kLanes + lane] = words[k];
  }
}

template <unsigned kLanes>
WARPJIT_MEANING void store_output_row(const Operation& operation, const GroupContext& context,
                                      const std::uint32_t* frame) {
  const OutputBinding& binding = context.outputs[operation.immediate & 0xffffffffu];
  const auto rows = static_cast<std::uint32_t>(operation.immediate >> 32);
  const std::uint32_t* list = context.lists + operation.b;
  for (unsigned lane = 0; lane < context.active; ++lane) {
    const std::uint32_t row = frame[list[0] + lane];
    if (frame[operation.a + lane] == 0 || row >= rows) continue;
    std::uint32_t words[4];
    for (unsigned k = 0; k < 4; ++k) words[k] = frame[list[k + 1] + lane];
    std::memcpy(binding.address + static_cast<std::int64_t>(context.first_thread + lane) * binding.stride +
                    std::size_t{row} * 16,
                words, sizeof words);
  }
}

template <unsigned kLanes>
WARPJIT_MEANING void load_row(const Operation& operation, const GroupContext& context, std::uint32_t* frame) {
  const auto rows = static_cast<std::uint32_t>(operation.immediate >> 32);
  const std::uint32_t* table = context.uniform + (operation.immediate & 0xffffffffu) / 4;
  std::uint32_t* result = frame + operation.result;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const std::uint32_t row = frame[operation.a + lane];
    for (unsigned k = 0; k < 4; ++k)
      result[k * kLanes + lane] = row < rows ? table[std::size_t{row} * 4 + k] : 0;
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
[[gnu::noinline]] void pixel_lanes(const Operation& operation, const GroupContext& context,
                                   std::uint32_t* frame, unsigned lanes) {
  for (unsigned lane = 0; lane < lanes; ++lane) {
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

// What is done one lane at a time, once for all widths. A lane is thread first_thread + lane of its block.
class LaneByLane {
 public:
  LaneByLane(const Operation& operation, const GroupContext& context, std::uint32_t* frame, unsigned lanes)
      : operation_(operation), context_(context), frame_(frame), lanes_(lanes) {}

  void run() const {
    for (unsigned lane = 0; lane < lanes_; ++lane)
      if (info(operation_.opcode).pure)
        callout(lane);
      else if (lane < context_.active && operand(0, lane) != 0)
        memory(lane);
      else
        clear_truths(lane);
  }

 private:
  std::uint32_t operand(std::uint32_t k, unsigned lane) const {
    if (info(operation_.opcode).callout) return frame_[context_.lists[operation_.b + k] + lane];
    return frame_[(k == 0 ? operation_.a : k == 1 ? operation_.b : operation_.c) + lane];
  }
  std::uint32_t& result(unsigned k, unsigned lane) const {
    return frame_[operation_.result + k * lanes_ + lane];
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

  void memory(unsigned lane) const {
    const MemoryAccess access = MemoryAccess::unpack(operation_.immediate);
    const bool of_group = access.space == Space::local && !context_.blocks;
    const BlockMemory::Accessor by{operation_.guest_address,
                                   static_cast<std::uint32_t>((of_group ? 0 : context_.first_thread) + lane)};
    BlockMemory& block = *context_.block;
    const auto word = [&](std::uint32_t k) { return operand(k, lane); };
    switch (operation_.opcode) {
      case Opcode::LoadMemory:
        result(0, lane) = block.load(access, word(1), by);
        break;
      case Opcode::StoreMemory:
        block.store(access, word(1), word(2), by);
        break;
      case Opcode::LockMemory: {
        const BlockMemory::Locked locked = block.lock(access, word(1), by);
        result(0, lane) = locked.value;
        result(1, lane) = locked.success ? 1 : 0;
        break;
      }
      case Opcode::UnlockMemory:
        block.unlock(access, word(1), word(2), by);
        break;
      case Opcode::AtomicMemory:
        result(0, lane) = block.atomic(access, word(1), word(2), word(3), by);
        break;
      case Opcode::AtomicMemory64: {
        const auto pair = [&](std::uint32_t k) { return word(k) | std::uint64_t{word(k + 1)} << 32; };
        const std::uint64_t old = block.atomic64(access, word(1), pair(2), pair(4), by);
        result(0, lane) = static_cast<std::uint32_t>(old);
        result(1, lane) = static_cast<std::uint32_t>(old >> 32);
        break;
      }
      default:
        break;
    }
  }

  const Operation& operation_;
  const GroupContext& context_;
  std::uint32_t* frame_;
  unsigned lanes_;
};
[[gnu::noinline]] void lane_by_lane(const Operation& operation, const GroupContext& context,
                                    std::uint32_t* frame, unsigned lanes) {
  LaneByLane(operation, context, frame, lanes).run();
}

template <unsigned kLanes>
WARPJIT_MEANING void load_texels(const Operation& operation, const GroupContext& context,
                                 std::uint32_t* frame) {
  const TexelView& view = context.textures[operation.immediate];
  const bool pair = operation.opcode == Opcode::LoadTexelPair;
  const std::uint32_t last = pair ? view.last_pair : view.last;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const std::byte* from = view.bytes + std::min(frame[operation.a + lane], last);
    std::uint32_t words[2];
    std::memcpy(words, from, pair ? 8 : 4);
    frame[operation.result + lane] = words[0];
    if (pair) frame[operation.result + kLanes + lane] = words[1];
  }
}

// Where the words of a group's frame slot are.
template <unsigned kLanes>
WARPJIT_MEANING std::uint32_t* frame_slot(const Operation& operation, const GroupContext& context,
                                          const std::uint32_t* frame) {
  return context.block_frame +
         (std::size_t{frame[operation.a]} * context.frame_slots + operation.immediate) * kLanes;
}
template <unsigned kLanes>
WARPJIT_MEANING std::uint32_t* frame_row(const Operation& operation, const GroupContext& context,
                                         const std::uint32_t* frame) {
  const std::uint64_t first = operation.immediate & 0xffffffffu, count = operation.immediate >> 32;
  const std::uint64_t slot = first + (frame[operation.b] & (count - 1));
  return context.block_frame + (std::size_t{frame[operation.a]} * context.frame_slots + slot) * kLanes;
}

// The lane that this one reads of its quad.
template <unsigned kLanes>
WARPJIT_MEANING unsigned quad_lane(std::uint64_t lanes, unsigned reader) {
  return ((reader & ~3u) | (lanes >> 2 * (reader & 3) & 3)) % kLanes;
}

// False: some thread has used up what it may.
template <unsigned kLanes>
bool count_fuel(const Operation& operation, const GroupContext& context, const std::uint32_t* frame,
                bool first) {
  if (first) context.fuel_counts->restart();
  return context.fuel_counts->count(context.inner ? context.first_thread : 0, kLanes, [&](std::size_t lane) {
    return operation.a == kAllLanes || frame[operation.a + lane] != 0;
  });
}

template <unsigned kLanes>
WARPJIT_MEANING GroupOutcome run_group(GroupContext& context, std::uint32_t* frame) {
  const Operation* next = context.operations;
  std::int64_t fuel = context.fuel;
  for (;;) {
    const Operation& operation = *next++;
    // The lane-wise rows; then the others, which are few.
    switch (operation.opcode) {
#define WARPJIT_IR_OP(name, ...)                         \
  case Opcode::name:                                     \
    if constexpr (Evaluator<Opcode::name>::kDefined) {   \
      lane_wise<Opcode::name, kLanes>(operation, frame); \
      continue;                                          \
    } else {                                             \
      break;                                             \
    }
#include "ir/opcodes.inc"
#undef WARPJIT_IR_OP
    }
    switch (operation.opcode) {
      case Opcode::Phi: {
        std::uint32_t* result = frame + operation.result;
        for (unsigned lane = 0; lane < kLanes; ++lane) result[lane] = frame[operation.a + lane];
        break;
      }
      case Opcode::Jump:
        next = context.operations + operation.immediate;
        break;
      case Opcode::Branch:
        next = context.operations +
               (frame[operation.a] != 0 ? operation.immediate & 0xffffffffu : operation.immediate >> 32);
        break;
      case Opcode::Switch: {
        const std::uint32_t last = operation.c - 1;
        next = context.operations + context.lists[operation.b + std::min(frame[operation.a], last)];
        break;
      }
      case Opcode::Return:
        return {GroupEnd::done, kNoAddress, {}};
      case Opcode::BurnFuel:
        if (context.cancel != nullptr && context.cancel->load(std::memory_order_relaxed) != 0)
          return {GroupEnd::cancelled, operation.guest_address, {}};
        if (--fuel < 0 && !count_fuel<kLanes>(operation, context, frame, fuel == -1))
          return {GroupEnd::out_of_fuel, operation.guest_address, {}};
        break;
      case Opcode::LoadUniformI32:
      case Opcode::LoadUniformF32:
        broadcast<kLanes>(frame + operation.result, context.uniform[operation.immediate / 4]);
        break;
      case Opcode::LoadUniformRow:
        load_row<kLanes>(operation, context, frame);
        break;
      case Opcode::LookUpUniform32: {
        const std::uint32_t* const words = context.uniform + operation.immediate / 4;
        for (unsigned lane = 0; lane < kLanes; ++lane)
          frame[operation.result + lane] = words[frame[operation.a + lane] % kLookUpWords];
        break;
      }
      case Opcode::StoreUniformI32:
      case Opcode::StoreUniformF32:
        context.uniform[operation.immediate / 4] = frame[operation.a];
        break;
      case Opcode::LookUp32: {
        const std::span<const std::uint32_t> words = look_up_table(operation.immediate);
        for (unsigned lane = 0; lane < kLanes; ++lane)
          frame[operation.result + lane] = look_up(words, frame[operation.a + lane]);
        break;
      }
      case Opcode::LoadTexel:
      case Opcode::LoadTexelPair:
        load_texels<kLanes>(operation, context, frame);
        break;
      case Opcode::LoadInput:
        load_input<kLanes>(operation, context, frame);
        break;
      case Opcode::StoreOutput:
        store_output<kLanes>(operation, context, frame);
        break;
      case Opcode::LoadInputRow:
        load_input_row<kLanes>(operation, context, frame);
        break;
      case Opcode::StoreOutputRow:
        store_output_row<kLanes>(operation, context, frame);
        break;
      case Opcode::LoadSlot: {
        const std::uint32_t* slot = frame + context.first_slot + operation.immediate * kLanes;
        for (unsigned lane = 0; lane < kLanes; ++lane) frame[operation.result + lane] = slot[lane];
        break;
      }
      case Opcode::StoreSlot: {
        std::uint32_t* slot = frame + context.first_slot + operation.immediate * kLanes;
        for (unsigned lane = 0; lane < kLanes; ++lane)
          slot[lane] = frame[operation.a + lane] != 0 ? frame[operation.b + lane] : slot[lane];
        break;
      }
      case Opcode::StoreMemory:
        lane_by_lane(operation, context, frame, kLanes);
        break;
      case Opcode::LoadMemory: {
        // A load from one address may be taken for uniform: lanes without guard see the others' word.
        lane_by_lane(operation, context, frame, kLanes);
        std::uint32_t word = 0;
        for (unsigned lane = 0; lane < kLanes; ++lane)
          if (frame[operation.a + lane] != 0) word = frame[operation.result + lane];
        for (unsigned lane = 0; lane < kLanes; ++lane)
          if (frame[operation.a + lane] == 0) frame[operation.result + lane] = word;
        break;
      }
      case Opcode::LaneIndex:
        for (unsigned lane = 0; lane < kLanes; ++lane)
          frame[operation.result + lane] =
              static_cast<std::uint32_t>((context.first_thread + lane) % context.group_lanes);
        break;
      case Opcode::ThreadIndex:
        for (unsigned lane = 0; lane < kLanes; ++lane)
          frame[operation.result + lane] = static_cast<std::uint32_t>(context.first_thread + lane);
        break;
      case Opcode::GroupIndex:
        broadcast<kLanes>(frame + operation.result,
                          static_cast<std::uint32_t>(context.first_thread / context.group_lanes));
        break;
      case Opcode::BlockIndex:
        broadcast<kLanes>(frame + operation.result, context.block->block[operation.immediate]);
        break;
      case Opcode::SetGroup:
        context.first_thread = std::uint64_t{frame[operation.a]} * context.group_lanes;
        break;
      case Opcode::AnyActive:
      case Opcode::AllActive: {
        std::uint32_t any = 0, all = 1;
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          any |= frame[operation.a + lane] & frame[operation.b + lane];
          all &= frame[operation.b + lane] | (frame[operation.a + lane] ^ 1);
        }
        broadcast<kLanes>(frame + operation.result, operation.opcode == Opcode::AnyActive ? any : all);
        break;
      }
      case Opcode::QuadSwizzle32:
      case Opcode::QuadSwizzle1:
        for (unsigned lane = 0; lane < kLanes; ++lane)
          frame[operation.result + lane] = frame[operation.a + quad_lane<kLanes>(operation.immediate, lane)];
        break;
      case Opcode::QuadRead:
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          const unsigned from = quad_lane<kLanes>(operation.immediate, lane);
          frame[operation.result + lane] =
              frame[operation.a + from] != 0 ? frame[operation.b + from] : frame[operation.c + lane];
        }
        break;
      case Opcode::LaneRead: {
        const std::uint32_t* list = context.lists + operation.b;
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          const unsigned own = static_cast<unsigned>((context.first_thread + lane) % context.group_lanes);
          const unsigned from = lane - own + frame[list[3] + lane] % context.group_lanes;
          frame[operation.result + lane] =
              frame[list[0] + from] != 0 ? frame[list[1] + from] : frame[list[2] + lane];
        }
        break;
      }
      case Opcode::PixelDx:
      case Opcode::PixelDy:
      case Opcode::PixelCenterX:
      case Opcode::PixelCenterY:
      case Opcode::PixelCovered:
      case Opcode::PrimitiveF32:
      case Opcode::PrimitiveI32:
      case Opcode::LoadTile:
      case Opcode::StoreTile:
        pixel_lanes(operation, context, frame, kLanes);
        break;
      case Opcode::LoadFrame: {
        const std::uint32_t* slot = frame_slot<kLanes>(operation, context, frame);
        for (unsigned lane = 0; lane < kLanes; ++lane) frame[operation.result + lane] = slot[lane];
        break;
      }
      case Opcode::StoreFrame: {
        std::uint32_t* slot = frame_slot<kLanes>(operation, context, frame);
        for (unsigned lane = 0; lane < kLanes; ++lane) slot[lane] = frame[operation.b + lane];
        break;
      }
      case Opcode::LoadFrameRow: {
        const std::uint32_t* row = frame_row<kLanes>(operation, context, frame);
        for (unsigned lane = 0; lane < kLanes; ++lane) frame[operation.result + lane] = row[lane];
        break;
      }
      case Opcode::StoreFrameRow: {
        std::uint32_t* row = frame_row<kLanes>(operation, context, frame);
        for (unsigned lane = 0; lane < kLanes; ++lane) row[lane] = frame[operation.c + lane];
        break;
      }
      case Opcode::LoadFrameUniform:
        broadcast<kLanes>(frame + operation.result, *frame_slot<kLanes>(operation, context, frame));
        break;
      case Opcode::StoreFrameUniform:
        *frame_slot<kLanes>(operation, context, frame) = frame[operation.b];
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
        for (unsigned lane = 0; lane < kLanes; ++lane) any |= frame[operation.a + lane];
        broadcast<kLanes>(frame + operation.result, any);
        break;
      }
      case Opcode::MinLaneU32: {
        std::uint32_t least = ~0u;
        for (unsigned lane = 0; lane < kLanes; ++lane) least = std::min(least, frame[operation.a + lane]);
        broadcast<kLanes>(frame + operation.result, least);
        break;
      }
      case Opcode::ConstI1:
      case Opcode::ConstI32:
      case Opcode::ConstF32:
        break;  // in the frame from the start
      default:
        if (info(operation.opcode).callout) lane_by_lane(operation, context, frame, kLanes);
        break;
    }
  }
}

template <unsigned kLanes>
GroupOutcome run_group_plain(GroupContext& context, std::uint32_t* frame) {
  return run_group<kLanes>(context, frame);
}

// The same loops for AVX2 and FMA: without them std::fma is a library call per lane. Sanitizers, whose checks
// take longest to compile here, see the loops once.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(WARPJIT_SANITIZED)
#define WARPJIT_HAVE_V3 1
template <unsigned kLanes>
[[gnu::target("avx2,fma,bmi,bmi2")]] GroupOutcome run_group_v3(GroupContext& context, std::uint32_t* frame) {
  return run_group<kLanes>(context, frame);
}
bool host_has_v3() {
  static const bool kHas = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  return kHas;
}
#endif

template <unsigned kLanes>
RunGroup choose() {
#ifdef WARPJIT_HAVE_V3
  if (host_has_v3()) return run_group_v3<kLanes>;
#endif
  return run_group_plain<kLanes>;
}

}  // namespace

RunGroup run_group_for(unsigned lanes) {
  switch (lanes) {
    case 1:
      return choose<1>();
    case 4:
      return choose<4>();
    case 8:
      return choose<8>();
    case 16:
      return choose<16>();
    case 32:
      return choose<32>();
    case 64:
      return choose<64>();
    case 128:
      return choose<128>();
    case 256:
      return choose<256>();
    default:
      return nullptr;
  }
}

}  // namespace warpjit::ir
