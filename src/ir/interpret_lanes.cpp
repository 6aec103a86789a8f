#include "ir/interpret_lanes.h"

#include <algorithm>

#include "ir/evaluate.h"

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

template <unsigned kLanes>
WARPJIT_MEANING GroupOutcome run_group(const GroupContext& context, std::uint32_t* frame) {
  const Operation* next = context.operations;
  std::uint64_t fuel = context.fuel;
  for (;;) {
    const Operation& operation = *next++;
    // The lane-wise rows; then the others, which are few.
    switch (operation.opcode) {
#define WARPJIT_IR_OP(name, results, operands, flags)    \
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
        return {GroupEnd::done, kNoAddress};
      case Opcode::BurnFuel:
        if (context.cancel != nullptr && context.cancel->load(std::memory_order_relaxed) != 0)
          return {GroupEnd::cancelled, operation.guest_address};
        if (fuel == 0) return {GroupEnd::out_of_fuel, operation.guest_address};
        --fuel;
        break;
      case Opcode::LoadUniformI32:
      case Opcode::LoadUniformF32:
        broadcast<kLanes>(frame + operation.result, context.uniform[operation.immediate / 4]);
        break;
      case Opcode::LoadUniformRow:
        load_row<kLanes>(operation, context, frame);
        break;
      case Opcode::StoreUniformI32:
      case Opcode::StoreUniformF32:
        context.uniform[operation.immediate / 4] = frame[operation.a];
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
        break;
    }
  }
}

template <unsigned kLanes>
GroupOutcome run_group_plain(const GroupContext& context, std::uint32_t* frame) {
  return run_group<kLanes>(context, frame);
}

// The same loops for AVX2 and FMA: without them std::fma is a library call per lane. Sanitizers, whose checks
// take longest to compile here, see the loops once.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(WARPJIT_SANITIZED)
#define WARPJIT_HAVE_V3 1
template <unsigned kLanes>
[[gnu::target("avx2,fma,bmi,bmi2")]] GroupOutcome run_group_v3(const GroupContext& context,
                                                               std::uint32_t* frame) {
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
    default:
      return nullptr;
  }
}

}  // namespace warpjit::ir
