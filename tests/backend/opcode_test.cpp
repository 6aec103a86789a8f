// Every opcode of opcodes.inc, on every target, against its meaning in ir/evaluate: with each operand
// varying, uniform and constant, over edge values, in all settings of the compiler.
#include <gtest/gtest.h>

#include <algorithm>

#include "backend/kernel.h"
#include "ir/evaluate.h"
#include "ir/pass/passes.h"
#include "support/share.h"

namespace warpjit::backend {
namespace {

using ir::Opcode;
using ir::OpcodeInfo;

constexpr std::uint32_t kFloats[] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000, 0x7f800000, 0xff800000,
    0x7fc00000, 0xffc00000, 0x7f800001, 0xffa12345, 0x7fd55555, 0xffffffff, 0x00000001, 0x80000001,
    0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x4effffff, 0x4f000000,
    0x4f000001, 0xceffffff, 0xcf000000, 0xcf000001, 0x4f800000, 0x4b000000, 0x4affffff, 0xcb000001,
    0x3eaaaaab, 0x3fffffff, 0xc0200000, 0x40490fdb, 0x1fffffff, 0x5f000001, 0x00ffffff, 0x3f7fffff,
};
constexpr std::uint32_t kWords[] = {
    0,          1,          2,          3,          4,          5,          6,          7,
    8,          9,          10,         11,         12,         13,         14,         15,
    16,         17,         18,         19,         20,         21,         22,         23,
    24,         25,         26,         27,         28,         29,         30,         31,
    32,         33,         34,         35,         36,         37,         38,         39,
    40,         63,         64,         65,         0x7fffffff, 0x80000000, 0x80000001, 0xffffffff,
    0xfffffffe, 0xffff0000, 0x00ff00ff, 0x12345678, 0x01000001, 0xfeffffff, 0xffffff80, 0x4f000000,
};
constexpr std::uint32_t kBooleans[] = {0, 1, 0xffffffff, 0x80000000, 2};  // true where not 0

// Words of two halves.
constexpr auto kHalves = [] {
  constexpr std::uint32_t kEdges[] = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x0001, 0x8001, 0x03ff, 0x0400,
                                      0x3bff, 0x3c01, 0x3555, 0xb555, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
                                      0x7c01, 0xfd00, 0x7e00, 0xfe00, 0xffff, 0x6801, 0x1400};
  constexpr std::size_t kCount = std::size(kEdges);
  std::array<std::uint32_t, kCount> words{};
  for (std::size_t n = 0; n < kCount; ++n) words[n] = kEdges[n] | kEdges[(n * 5 + 3) % kCount] << 16;
  return words;
}();
bool is_of_halves(Opcode opcode) {
  return family(opcode) == ir::Family::half_arithmetic || opcode == Opcode::CanonicalizeNaNHalves;
}
// Results of these may be any NaN.
bool gives_halves(Opcode opcode) {
  return is_of_halves(opcode) && opcode != Opcode::HalvesLowBytes && opcode != Opcode::HalvesEq &&
         opcode != Opcode::HalvesLt && opcode != Opcode::HalvesLe;
}

std::span<const std::uint32_t> edge_values(char letter) {
  if (letter == 'f') return kFloats;
  if (letter == 'h') return kHalves;
  if (letter == 'i') return kWords;
  return kBooleans;
}

// What has no meaning of its own, lane by lane, and is tested elsewhere in this folder.
bool tested_directly(Opcode opcode) {
  switch (opcode) {
    case Opcode::ConstI1:
    case Opcode::ConstI32:
    case Opcode::ConstF32:  // as operands, below
    case Opcode::LoadUniformI32:
    case Opcode::LoadUniformF32:
    case Opcode::LoadUniformRow:
    case Opcode::LookUpUniform32:
    case Opcode::StoreUniformI32:
    case Opcode::StoreUniformF32:
    case Opcode::LoadInput:
    case Opcode::StoreOutput:
    case Opcode::LoadInputRow:
    case Opcode::StoreOutputRow:
    case Opcode::LoadSlot:
    case Opcode::StoreSlot:  // memory_test
    case Opcode::AnyLane:
    case Opcode::MinLaneU32:
    case Opcode::BurnFuel:
    case Opcode::Phi:
    case Opcode::Jump:
    case Opcode::Branch:
    case Opcode::Switch:
    case Opcode::Return:  // control_test
    case Opcode::LookUp32:
    case Opcode::TeslaSpecialFunction32:
    case Opcode::TeslaF32ToF16:
    case Opcode::TeslaF16ToF32:
    case Opcode::IntToF32:
    case Opcode::IntToF16:
    case Opcode::IMulHi24:
    case Opcode::TeslaF64Operation:
    case Opcode::FmaScaled32:  // group_test
    case Opcode::LoadMemory:
    case Opcode::StoreMemory:
    case Opcode::AtomicMemory:
    case Opcode::AtomicMemory64:
    case Opcode::LockMemory:
    case Opcode::UnlockMemory:  // block_memory_test
    case Opcode::LaneIndex:
    case Opcode::GroupIndex:
    case Opcode::ThreadIndex:
    case Opcode::BlockIndex:
    case Opcode::SetGroup:
    case Opcode::AnyActive:
    case Opcode::AllActive:
    case Opcode::QuadSwizzle32:
    case Opcode::QuadSwizzle1:
    case Opcode::QuadRead:
    case Opcode::LaneRead:
    case Opcode::PixelDx:
    case Opcode::PixelDy:
    case Opcode::PixelCenterX:
    case Opcode::PixelCenterY:
    case Opcode::PixelCovered:
    case Opcode::PrimitiveF32:
    case Opcode::PrimitiveI32:
    case Opcode::LoadTile:
    case Opcode::StoreTile:  // pixels_test
    case Opcode::LoadTexel:
    case Opcode::LoadTexelPair:
    case Opcode::Sample:  // texel_test
    case Opcode::Stop:
    case Opcode::Barrier:
    case Opcode::LoadFrame:
    case Opcode::StoreFrame:
    case Opcode::LoadFrameUniform:
    case Opcode::StoreFrameUniform:
    case Opcode::LoadFrameRow:
    case Opcode::StoreFrameRow:  // group_test
      return true;
    default:
      return false;
  }
}

bool needs_expansion(Opcode opcode) { return family(opcode) == ir::Family::transcendental; }

// Float operations that must keep even the payload of a NaN.
bool keeps_nan_bits(Opcode opcode) {
  return opcode == Opcode::FNeg32 || opcode == Opcode::FAbs32 || opcode == Opcode::CanonicalizeNaN32 ||
         opcode == Opcode::CanonicalizeNaNOnes32 || opcode == Opcode::BitcastI32ToF32 ||
         opcode == Opcode::SelectF32;
}
// These, that of the second operand, but hosts may make another one beside a constant zero.
bool selects(Opcode opcode) { return opcode == Opcode::FMinSelect32 || opcode == Opcode::FMaxSelect32; }

enum class Kind { varying, uniform, constant };
constexpr std::string_view kKindNames[] = {"varying", "uniform", "constant"};

bool is_nan(std::uint32_t bits) { return (bits & 0x7fffffff) > 0x7f800000; }
std::uint32_t canonical(std::uint32_t bits) { return is_nan(bits) ? 0x7fc00000 : bits; }

// At most three operands; those beyond the row's stay 0. A mask, which comes last, is not among them.
using Operands = std::array<std::uint32_t, 3>;
std::size_t operand_count(const OpcodeInfo& row) { return row.operands.size() - (row.masked ? 1 : 0); }
// The mask bit of the lane that runs a thread, where there is one.
bool in_mask(std::uint64_t thread) { return thread % 3 != 0; }

// One opcode with its operands of given kinds.
class Case {
 public:
  Case(Opcode opcode, std::vector<Kind> kinds)
      : opcode_(opcode), row_(ir::info(opcode)), kinds_(std::move(kinds)) {}

  bool varies() const { return std::count(kinds_.begin(), kinds_.end(), Kind::varying) != 0; }
  bool masked() const { return row_.masked; }
  bool has(Kind kind) const { return std::count(kinds_.begin(), kinds_.end(), kind) != 0; }

  // Output x: the result, a float canonicalized; y: as it is.
  ir::Function function(const Operands& constants) const {
    KernelBuilder k(1, 1, 16);
    const auto in = k.b.LoadInput(0);
    std::vector<ir::Value> operands;
    for (std::uint32_t n = 0; n < operand_count(row_); ++n) {
      const char letter = row_.operands[n];
      if (letter == 'f') {
        operands.push_back(kinds_[n] == Kind::varying   ? in[n]
                           : kinds_[n] == Kind::uniform ? k.b.LoadUniformF32(n * 4)
                                                        : k.b.constant_bits(constants[n]));
        continue;
      }
      if (letter == 'b' && kinds_[n] == Kind::constant) {
        operands.push_back(k.b.constant(constants[n] != 0));
        continue;
      }
      const ir::I32 word = kinds_[n] == Kind::varying   ? k.word(in[n])
                           : kinds_[n] == Kind::uniform ? k.b.LoadUniformI32(n * 4)
                                                        : k.b.constant(constants[n]);
      operands.push_back(letter == 'i' ? ir::Value(word) : ir::Value(k.b.INe32(word, k.b.constant(0))));
    }
    if (row_.masked) operands.push_back(k.b.INe32(k.word(in[3]), k.b.constant(0)));
    ir::Value result = k.function.result(k.b.emit_inst(opcode_, operands));
    if (gives_halves(opcode_))
      result = k.function.result(k.b.emit_inst(Opcode::CanonicalizeNaNHalves, std::array{result}));
    const ir::F32 zero = k.b.constant(0.0f);
    switch (row_.results[0]) {
      case 'f':
        k.store(k.b.CanonicalizeNaN32(ir::F32{result}), ir::F32{result}, zero, zero);
        break;
      case 'i':
        k.store(k.real(ir::I32{result}), k.real(ir::I32{result}), zero, zero);
        break;
      default: {
        const ir::F32 chosen =
            k.real(k.b.select(ir::I1{result}, k.b.constant(0x600dcafe), k.b.constant(0xbadbad)));
        k.store(chosen, chosen, zero, zero);
      }
    }
    k.b.ret();
    if (needs_expansion(opcode_)) ir::expand_math(k.function);
    return k.function;
  }

  Words expected(const Operands& values) const {
    std::array<std::uint64_t, 3> bits = {};
    for (std::size_t n = 0; n < operand_count(row_); ++n)
      bits[n] = row_.operands[n] == 'b' ? values[n] != 0 : values[n];
    auto result = static_cast<std::uint32_t>(ir::evaluate(opcode_, {bits.data(), operand_count(row_)}));
    if (gives_halves(opcode_))
      result = static_cast<std::uint32_t>(
          ir::evaluate(Opcode::CanonicalizeNaNHalves, std::array<std::uint64_t, 1>{result}));
    if (row_.results[0] == 'b') result = result != 0 ? 0x600dcafe : 0xbadbad;
    return {row_.results[0] == 'f' ? canonical(result) : result, result, 0, 0};
  }

  bool same(const Words& got, const Words& wanted) const {
    if (got[0] != wanted[0]) return false;
    const bool keeps = keeps_nan_bits(opcode_) || (selects(opcode_) && kinds_[0] != Kind::constant);
    if (row_.results[0] == 'f' && !keeps && is_nan(wanted[1])) return is_nan(got[1]);
    return got[1] == wanted[1];
  }

  // Operand values of one thread: uniform and constant ones replace those of `varying`.
  Operands merge(const Operands& varying, const Operands& uniforms, const Operands& constants) const {
    Operands values = varying;
    for (std::size_t n = 0; n < kinds_.size(); ++n)
      if (kinds_[n] != Kind::varying) values[n] = kinds_[n] == Kind::uniform ? uniforms[n] : constants[n];
    return values;
  }

  std::string text(const Operands& values) const {
    std::string text(row_.name);
    char word[32];
    for (std::size_t n = 0; n < kinds_.size(); ++n) {
      std::snprintf(word, sizeof word, " 0x%08x", values[n]);
      text += word;
      text += " (" + std::string(kKindNames[static_cast<std::size_t>(kinds_[n])]) + ")";
    }
    return text;
  }

  // Operand values of all threads: the first two operands crossed, the third one going along.
  std::vector<Operands> threads() const {
    std::vector<Operands> all;
    const std::size_t count = operand_count(row_);
    const auto x = edge_values(letter_of(0));
    const auto y = edge_values(letter_of(count > 1 ? 1 : 0)), z = edge_values(letter_of(count > 2 ? 2 : 0));
    if (!varies()) return {Operands{}};
    const std::size_t rounds = count > 2 && !has(Kind::uniform) && !has(Kind::constant) ? 3 : 1,
                      columns = count > 1 ? y.size() : 1;
    for (std::size_t round = 0; round < rounds; ++round)
      for (std::size_t a = 0; a < x.size(); ++a)
        for (std::size_t b = 0; b < columns; ++b) {
          all.push_back({x[a], y[b], z[(a * 7 + b * 3 + round * 13) % z.size()]});
        }
    return all;
  }

  // The n-th choice of values for the operands that do not vary.
  Operands choice(std::size_t n) const {
    Operands values = {};
    for (std::size_t k = 0; k < operand_count(row_); ++k) {
      const auto edge = edge_values(letter_of(k));
      values[k] = edge[(n + (k == 0 ? n / edge.size() : k == 2 ? n / 3 : 0)) % edge.size()];
    }
    return values;
  }

 private:
  char letter_of(std::size_t k) const {
    return row_.operands[k] == 'i' && is_of_halves(opcode_) ? 'h' : row_.operands[k];
  }

  Opcode opcode_;
  const OpcodeInfo& row_;
  std::vector<Kind> kinds_;
};

class OpcodeCode : public OnTarget {
 protected:
  // Compiles the case with these constants and runs it with several choices of uniform values.
  void check(const Case& tested, const std::vector<Operands>& threads, const Setting& setting,
             const Operands& constants, std::size_t first_choice, std::size_t choices) {
    const Executable executable(compile(tested.function(constants), setting));
    if (HasFailure()) return;
    const std::uint64_t lanes = setting.lanes(), count = (threads.size() + lanes - 1) / lanes * lanes;
    Launch launch;
    launch.threads = count;
    launch.inputs.emplace_back(count, 16);
    launch.outputs.emplace_back(count, 16);
    for (std::uint64_t t = 0; t < count; ++t) {
      const Operands& x = threads[t % threads.size()];
      launch.inputs[0].set(t, {x[0], x[1], x[2], in_mask(t) ? 1u : 0u});
    }
    for (std::size_t n = 0; n < choices; ++n) {
      const Operands uniforms = tested.choice(first_choice + n);
      launch.table = {uniforms[0], uniforms[1], uniforms[2], 0};
      run(executable, launch);
      for (std::uint64_t t = 0; t < count; ++t) {
        const Operands values = tested.merge(threads[t % threads.size()], uniforms, constants);
        const Words wanted = tested.expected(values), got = launch.outputs[0].get(t);
        if (tested.same(got, wanted) || (tested.masked() && !in_mask(t))) continue;
        ADD_FAILURE() << tested.text(values) << std::hex << " gives 0x" << got[0] << ", 0x" << got[1]
                      << " instead of 0x" << wanted[0] << ", 0x" << wanted[1] << " (" << setting.text()
                      << ", thread " << std::dec << t << ")";
        return;
      }
    }
  }
};
WARPJIT_ON_EVERY_TARGET(OpcodeCode);
WARPJIT_ON_TARGETS_WITH_HALVES(OpcodeCode);

TEST_P(OpcodeCode, EveryRowAgreesWithEvaluate) {
  constexpr std::size_t kManyConstants = 8, kFewConstants = 1;
  const bool halves_alone = has_half_arithmetic(GetParam());  // the rest is code of the plain target
  std::size_t next_choice = 0;  // goes on from case to case, so that every edge value is met
  for (int row = 0; row < ir::kOpcodeCount; ++row) {
    const auto opcode = static_cast<Opcode>(row);
    const OpcodeInfo& info = ir::info(opcode);
    if (!ir::info(opcode).lane_wise()) {
      EXPECT_TRUE(tested_directly(opcode)) << info.name << " is not tested";
      continue;
    }
    if (halves_alone && !is_of_halves(opcode)) continue;
    const std::size_t operands = operand_count(info);
    std::size_t combinations = 1;
    for (std::size_t k = 0; k < operands; ++k) combinations *= 3;
    for (std::size_t combination = 0; combination < combinations; ++combination) {
      std::vector<Kind> kinds;
      for (std::size_t k = 0, rest = combination; k < operands; ++k, rest /= 3)
        kinds.push_back(static_cast<Kind>(rest % 3));
      const Case tested(opcode, kinds);
      const auto threads = tested.threads();
      for (const Setting& setting : all_settings(GetParam())) {
        const bool plain = setting.parts == 1 && setting.registers == 0;
        std::size_t choices = tested.has(Kind::uniform) ? (plain ? 6 : 1) : 1;
        if (!tested.varies() && tested.has(Kind::uniform)) choices = plain ? 200 : 20;
        const std::size_t constants = !tested.has(Kind::constant) ? 1
                                      : plain                     ? kManyConstants
                                                                  : kFewConstants;
        choices = static_cast<std::size_t>(share(choices));
        for (std::size_t n = 0; n < constants; ++n) {
          check(tested, threads, setting, tested.choice(next_choice), next_choice + 17, choices);
          next_choice += tested.has(Kind::constant) ? 1 : choices;
          if (HasFailure()) break;
        }
      }
    }
  }
}

// Shifts by every constant amount, of varying and of uniform values.
TEST_P(OpcodeCode, ShiftsByConstants) {
  for (Opcode opcode : {Opcode::IShl32, Opcode::IShrU32, Opcode::IShrS32})
    for (Kind kind : {Kind::varying, Kind::uniform}) {
      const Case tested(opcode, {kind, Kind::constant});
      for (std::uint32_t amount = 0; amount < 41; ++amount)
        check(tested, tested.threads(), {GetParam(), 1, 0}, {0, amount, 0}, 40,
              kind == Kind::uniform ? 16 : 1);
      for (std::uint32_t amount : {0x7fffffffu, 0x80000000u, 0xffffffffu, 0x100u, 0x11fu})
        check(tested, tested.threads(), {GetParam(), 1, 0}, {0, amount, 0}, 40,
              kind == Kind::uniform ? 16 : 1);
    }
}

}  // namespace
}  // namespace warpjit::backend
