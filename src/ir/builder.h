// Builds instructions of a Function with checked operand types: one method per row of opcodes.inc, named as
// the opcode, so a wrong operand does not compile. What is made is folded on the way: a method may
// return an existing value or a constant instead of a new instruction.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "ir/function.h"

namespace warpjit::ir {

// A value whose type is known when the translator is compiled.
template <Type kTypeOf>
struct TypedValue {
  static constexpr Type kType = kTypeOf;
  Value id;
  constexpr TypedValue() = default;
  explicit constexpr TypedValue(Value v) : id(v) {}
  constexpr operator Value() const { return id; }  // NOLINT: a typed value is a value
  constexpr bool valid() const { return id.valid(); }
};
using I1 = TypedValue<Type::i1>;
using I32 = TypedValue<Type::i32>;
using F32 = TypedValue<Type::f32>;

namespace builder_detail {

// A string of type letters as a template argument.
template <std::size_t N>
struct Letters {
  char text[N] = {};
  constexpr Letters(const char (&letters)[N]) {  // NOLINT: implicit on purpose
    for (std::size_t k = 0; k < N; ++k) text[k] = letters[k];
  }
  static constexpr std::size_t size() { return N - 1; }
};

template <class T>
concept AnyTypedValue = requires {
  T::kType;
}
&&std::same_as<T, TypedValue<T::kType>>;

template <class T>
consteval bool is_operand(Type wanted) {
  if constexpr (AnyTypedValue<T>)
    return T::kType == wanted;
  else
    return false;
}

// True if the arguments fit the row: operands of its types, then the immediate if it has one.
template <Opcode kOpcode, Letters kOperands, class... Args>
consteval bool accepts() {
  constexpr const OpcodeInfo& kRow = info(kOpcode);
  // Phis and terminators have methods of their own.
  if (kRow.family == Family::phi || kRow.terminator) return false;
  if (sizeof...(Args) != kOperands.size() + (kRow.has_immediate() ? 1 : 0)) return false;
  std::size_t k = 0;
  bool fits = true;
  ((fits = fits && (k < kOperands.size() ? is_operand<Args>(type_of_letter(kOperands.text[k]))
                                         : std::integral<Args> && !std::same_as<Args, bool>),
    ++k),
   ...);
  return fits;
}

}  // namespace builder_detail

class Builder {
  // Under every generated method below (and before them, because its return type is deduced).
  template <Opcode kOpcode, builder_detail::Letters kResults, builder_detail::Letters kOperands,
            class... Args>
  auto emit_row(Args... args) {
    constexpr std::size_t kCount = kOperands.size();
    std::array<Value, (kCount == 0 ? 1 : kCount)> values{};
    std::uint64_t immediate = 0;
    std::size_t k = 0;
    [[maybe_unused]] auto take = [&](auto argument) {
      if constexpr (builder_detail::AnyTypedValue<decltype(argument)>)
        values[k++] = argument;
      else
        immediate = static_cast<std::uint64_t>(argument);
    };
    (take(args), ...);
    const std::span<const Value> operands(values.data(), kCount);
    if constexpr (kResults.size() == 0) {
      emit_inst(kOpcode, operands, immediate);
    } else if constexpr (kResults.size() == 1) {
      return TypedValue<type_of_letter(kResults.text[0])>{emit(kOpcode, operands, immediate)};
    } else {
      const std::array<Value, kMaxResults> results = emit_results(kOpcode, operands, immediate);
      return [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
        constexpr Type kFirst = type_of_letter(kResults.text[0]);
        if constexpr (((type_of_letter(kResults.text[kIndex]) == kFirst) && ...))
          return std::array<TypedValue<kFirst>, kResults.size()>{TypedValue<kFirst>{results[kIndex]}...};
        else
          return std::tuple{TypedValue<type_of_letter(kResults.text[kIndex])>{results[kIndex]}...};
      }
      (std::make_index_sequence<kResults.size()>());
    }
  }

 public:
  explicit Builder(Function& function) : function_(function) {}

  Function& function() { return function_; }

  // Where instructions go: to the end of a block, or before an instruction.
  void set_block(Block block) { block_ = block, before_ = Inst{}; }
  void set_before(Inst position) { block_ = function_.inst(position).block, before_ = position; }
  Block block() const { return block_; }

  // The guest address that new instructions carry.
  void set_guest_address(std::uint32_t address) { guest_address_ = address; }
  std::uint32_t guest_address() const { return guest_address_; }

  // Constants, each made once per function.
  F32 constant(float value) {
    return F32{function_.constant_value(Type::f32, std::bit_cast<std::uint32_t>(value))};
  }
  I32 constant(std::int32_t value) {
    return I32{function_.constant_value(Type::i32, static_cast<std::uint32_t>(value))};
  }
  I32 constant(std::uint32_t value) { return I32{function_.constant_value(Type::i32, value)}; }
  I1 constant(bool value) { return I1{function_.constant_value(Type::i1, value ? 1 : 0)}; }
  // An f32 constant by its bit pattern.
  F32 constant_bits(std::uint32_t bits) { return F32{function_.constant_value(Type::f32, bits)}; }

#define WARPJIT_IR_OP(name, results, operands, ...)                                              \
  template <class... Args>                                                                       \
  requires(builder_detail::accepts<Opcode::name, operands, Args...>()) auto name(Args... args) { \
    return emit_row<Opcode::name, results, operands>(args...);                                   \
  }
#include "ir/opcodes.inc"
#undef WARPJIT_IR_OP

  F32 select(I1 condition, F32 a, F32 b) { return SelectF32(condition, a, b); }
  I32 select(I1 condition, I32 a, I32 b) { return SelectI32(condition, a, b); }
  I1 select(I1 condition, I1 a, I1 b) { return SelectI1(condition, a, b); }

  // A phi at the front of `block`, still without operands (Function::set_operands gives them).
  Value phi(Block block, Type type);
  template <class T>
  T phi(Block block) {
    return T{phi(block, T::kType)};
  }

  // Terminators: end the current block and set its edges. Bit k of `backward` marks edge k as a guest
  // backward transfer. A branch whose targets are the same block becomes a jump.
  void jump(Block target, bool backward = false);
  void branch(I1 condition, Block if_true, Block if_false, std::uint64_t backward = 0);
  void switch_(I32 index, std::span<const Block> targets, std::uint64_t backward = 0);
  void ret();

  // The untyped forms under the methods above, for passes that handle instructions generically. `emit` folds
  // and gives the only result; `emit_inst` makes the instruction as it is.
  Value emit(Opcode opcode, std::span<const Value> operands, std::uint64_t immediate = 0);
  Inst emit_inst(Opcode opcode, std::span<const Value> operands, std::uint64_t immediate = 0);

 private:
  std::array<Value, kMaxResults> emit_results(Opcode opcode, std::span<const Value> operands,
                                              std::uint64_t immediate);

  Function& function_;
  Block block_;
  Inst before_;
  std::uint32_t guest_address_ = kNoAddress;
};

}  // namespace warpjit::ir
