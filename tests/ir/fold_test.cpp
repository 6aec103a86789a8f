// Which expressions fold to what. Exactness is the business of the differential tests; here is what must (and
// must not) be found.
#include "ir/pass/fold.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/evaluate.h"
#include "ir/printer.h"
#include "support/random_ir.h"
#include "support/share.h"

namespace warpjit::ir {
namespace {

// A tiny notation: `FAdd32(x, -0)` with x y z floats, u an integral float, i j k words, p q r flags; numbers
// are floats, #n words, T and F flags, I infinity, N NaN.
class Notation {
 public:
  explicit Notation(Builder& b) : b_(b) {
    const auto in = b.LoadInput(0);
    const char* floats = "xyz";
    for (std::size_t k = 0; k < 3; ++k) names_[std::string(1, floats[k])] = in[k];
    const auto more = b.LoadInput(1);
    const char* words = "ijk";
    for (std::size_t k = 0; k < 3; ++k) names_[std::string(1, words[k])] = b.F32ToI32Sat(more[k]);
    names_["u"] = b.I32ToF32(b.F32ToI32Sat(more[3]));
    const auto last = b.LoadInput(2);
    const char* flags = "pqr";
    for (std::size_t k = 0; k < 3; ++k) names_[std::string(1, flags[k])] = b.FLt32(last[k], last[3]);
  }

  // Folds on the way if `fold`.
  Value make(const std::string& text, bool fold) {
    text_ = text, at_ = 0, fold_ = fold;
    return expression();
  }

  // Back to text, in the same notation.
  std::string show(Value v) const {
    for (const auto& [name, named] : names_)
      if (named == v) return name;
    const Function& f = b_.function();
    const InstData& data = f.definition_of(v);
    switch (data.opcode) {
      case Opcode::ConstI1:
        return data.immediate != 0 ? "T" : "F";
      case Opcode::ConstI32:
        return std::string("#").append(std::to_string(static_cast<std::int32_t>(data.immediate)));
      case Opcode::ConstF32: {
        const float value = std::bit_cast<float>(static_cast<std::uint32_t>(data.immediate));
        if (value != value) return "N";
        if (value - value != 0) return value > 0 ? "I" : "-I";
        char buffer[32];
        std::snprintf(buffer, sizeof buffer, "%g", static_cast<double>(value));
        return buffer;
      }
      default:
        break;
    }
    std::string text(info(data.opcode).name);
    text += "(";
    const std::span<const Value> operands = f.operands(f.definition(v));
    for (std::size_t k = 0; k < operands.size(); ++k)
      text.append(k == 0 ? "" : ", ").append(show(operands[k]));
    if (info(data.opcode).has_immediate()) text += std::to_string(data.immediate);
    return text + ")";
  }

 private:
  Value expression() {
    while (text_[at_] == ' ') ++at_;
    std::size_t end = at_;
    while (end < text_.size() && text_[end] != '(' && text_[end] != ',' && text_[end] != ')') ++end;
    const std::string word = text_.substr(at_, end - at_);
    at_ = end;
    if (at_ < text_.size() && text_[at_] == '(') return call(word);
    if (names_.contains(word)) return names_[word];
    if (word == "T" || word == "F") return b_.constant(word == "T");
    if (word == "N") return b_.constant_bits(0x7fc00000);
    if (word == "I" || word == "-I") return b_.constant_bits(word == "I" ? 0x7f800000 : 0xff800000);
    if (word[0] == '#') return b_.constant(static_cast<std::int32_t>(std::stoll(word.substr(1), nullptr, 0)));
    return b_.constant(std::strtof(word.c_str(), nullptr));
  }
  Value call(const std::string& name) {
    int found = 0;
    while (found < kOpcodeCount && info(static_cast<Opcode>(found)).name != name) ++found;
    EXPECT_LT(found, kOpcodeCount) << name;
    std::vector<Value> operands;
    std::uint64_t immediate = 0;
    ++at_;
    const auto opcode = static_cast<Opcode>(found);
    if (info(opcode).has_immediate()) {
      immediate = std::stoull(text_.substr(at_));
      at_ = text_.find(')', at_);
    }
    while (text_[at_] != ')') {
      operands.push_back(expression());
      if (text_[at_] == ',') ++at_;
    }
    ++at_;
    if (fold_) return b_.emit(opcode, operands, immediate);
    return b_.function().result(b_.emit_inst(opcode, operands, immediate));
  }

  Builder& b_;
  std::map<std::string, Value> names_;
  std::string text_;
  std::size_t at_ = 0;
  bool fold_ = true;
};

// Left becomes right. A right side of "" says: nothing to be found.
struct Case {
  const char *from, *to;
};
constexpr Case kCases[] = {
    // f32: identities of the neutral element have one right zero.
    {"FAdd32(x, -0)", "x"},
    {"FAdd32(-0, x)", "x"},
    {"FAdd32(x, 0)", ""},
    {"FAdd32(FAdd32(x, 0), 0)", "FAdd32(x, 0)"},
    {"FAdd32(FAdd32(FMul32(x, x), y), 0)", "FAdd32(FMul32(x, x), y)"},
    {"FAdd32(FAdd32(x, y), 0)", ""},
    {"FAdd32(FMaxSelect32(x, 0), 0)", "FMaxSelect32(x, 0)"},
    {"FAdd32(FMaxSelect32(x, -1), 0)", ""},
    {"FSub32(u, -0)", "u"},
    {"FAdd32(x, FNeg32(y))", "FSub32(x, y)"},
    {"FAdd32(FNeg32(x), y)", "FSub32(y, x)"},
    {"FAdd32(x, FNeg32(x))", "FSub32(x, x)"},
    {"FAdd32(1, 2)", "3"},
    {"FSub32(x, 0)", "x"},
    {"FSub32(x, -0)", ""},
    {"FSub32(x, x)", ""},
    {"FSub32(-0, x)", "FNeg32(x)"},
    {"FSub32(0, x)", ""},
    {"FSub32(x, FNeg32(y))", "FAdd32(x, y)"},
    {"FAddFlush32(x, FNeg32(y))", "FSubFlush32(x, y)"},
    {"FAddFlush32(FNeg32(x), y)", "FSubFlush32(y, x)"},
    {"FAddFlush32(x, -0)", ""},
    {"FSubFlush32(x, FNeg32(y))", "FAddFlush32(x, y)"},
    {"FSubFlush32(x, 0)", ""},
    {"FMul32(1, x)", "x"},
    {"FMul32(x, -1)", "FNeg32(x)"},
    {"FMul32(x, 0)", ""},
    {"FMul32(FNeg32(x), FNeg32(y))", "FMul32(x, y)"},
    {"FMul32(FNeg32(x), 3)", "FMul32(x, -3)"},
    {"FMul32(FNeg32(x), y)", ""},
    {"FMulZeroInf32(x, 1)", "x"},
    {"FMulZeroInf32(x, -1)", "FNeg32(x)"},
    {"FMulZeroInf32(x, 3)", "FMul32(x, 3)"},
    {"FMulZeroInf32(x, 0)", ""},
    {"FMulZeroInf32(x, -0)", ""},
    {"FMulZeroInf32(x, I)", ""},
    {"FMulZeroInf32(x, N)", "FMul32(x, N)"},
    {"FMulZeroInf32(x, x)", "FMul32(x, x)"},
    {"FMulZeroInf32(x, y)", ""},
    {"FMulZeroInf32(I32ToF32(i), I32ToF32(j))", "FMul32(I32ToF32(i), I32ToF32(j))"},
    {"FMulZeroInf32(I32ToF32(i), x)", ""},
    {"FMulZeroInf32(FMinSelect32(FMaxSelect32(x, 0), 1), SelectF32(p, 1, 0))",
     "FMul32(FMinSelect32(FMaxSelect32(x, 0), 1), SelectF32(p, 1, 0))"},
    {"FMulZeroInf32(FMaxSelect32(x, 0), SelectF32(p, 1, 0))", ""},
    {"FMulZeroInf32(FMinSelect32(FMaxSelect32(0, x), 1), SelectF32(p, 1, 0))", ""},
    {"FMulZeroInf32(FNeg32(x), FNeg32(y))", "FMulZeroInf32(x, y)"},
    {"FMulZeroInf32(0, I)", "0"},
    {"FMulNoZeroInf32(x, 1)", "x"},
    {"FMulNoZeroInf32(x, -1)", "FNeg32(x)"},
    {"FMulNoZeroInf32(x, 3)", ""},
    {"FMulNoZeroInf32(FNeg32(x), FNeg32(y))", "FMulNoZeroInf32(x, y)"},
    {"FMulNoZeroInf32(2, 3)", "6"},
    {"FMulNoZeroInf32(2, I)", "I"},
    {"FMulNoZeroInf32(0, N)", "N"},
    {"FMulNoZeroInf32(0, I)", ""},
    {"FMulNoZeroInf32(I, -0)", ""},
    {"FDiv32(x, 1)", "x"},
    {"FDiv32(x, -1)", "FNeg32(x)"},
    {"FDiv32(x, 4)", "FMul32(x, 0.25)"},
    {"FDiv32(x, 3)", ""},
    {"FDiv32(x, 0)", ""},
    {"FDiv32(x, 1.17549e-38)", ""},
    {"FDiv32(FNeg32(x), FNeg32(y))", "FDiv32(x, y)"},
    {"FDiv32(FNeg32(x), 3)", "FDiv32(x, -3)"},
    {"FDiv32(2, FNeg32(x))", "FDiv32(-2, x)"},
    {"FDiv32(x, x)", ""},
    {"FFma32(x, 1, y)", "FAdd32(x, y)"},
    {"FFma32(1, x, FNeg32(y))", "FSub32(x, y)"},
    {"FFma32(x, -1, y)", "FSub32(y, x)"},
    {"FFma32(x, y, -0)", "FMul32(x, y)"},
    {"FFma32(x, y, 0)", ""},
    {"FFma32(FNeg32(x), FNeg32(y), z)", "FFma32(x, y, z)"},
    {"FFma32(x, 0, y)", ""},
    {"FNeg32(FNeg32(x))", "x"},
    {"FNeg32(2)", "-2"},
    {"FNeg32(FSub32(x, y))", ""},
    {"FAbs32(FNeg32(x))", "FAbs32(x)"},
    {"FAbs32(FAbs32(x))", "FAbs32(x)"},
    {"FFloor32(FFloor32(x))", "FFloor32(x)"},
    {"FFloor32(I32ToF32(i))", "I32ToF32(i)"},
    {"FMaxSelect32(x, x)", "x"},
    {"FMaxSelect32(FMaxSelect32(x, 1), 1)", "FMaxSelect32(x, 1)"},
    {"FMinSelect32(FMinSelect32(x, N), N)", ""},
    // What bounds say.
    {"FMinSelect32(FMinSelect32(FMaxSelect32(x, 0), 1), 2)", "FMinSelect32(FMaxSelect32(x, 0), 1)"},
    {"FMinSelect32(FMinSelect32(FMaxSelect32(x, 0), 1), 0.5)", ""},
    {"FMaxSelect32(FMinSelect32(FMaxSelect32(x, 0), 1), 0)", "FMinSelect32(FMaxSelect32(x, 0), 1)"},
    {"FMaxSelect32(FMinSelect32(FMaxSelect32(x, -0), 1), 0)", ""},
    {"FMaxSelect32(FMul32(x, x), 0)", ""},  // may be NaN
    {"FMaxSelect32(FMinSelect32(FMul32(x, x), 3), 0)", "FMinSelect32(FMul32(x, x), 3)"},
    {"FMaxSelect32(FMinSelect32(FMul32(x, y), 3), 0)", ""},
    {"FMinSelect32(1, FMinSelect32(FMaxSelect32(x, 0), 1))", "FMinSelect32(FMaxSelect32(x, 0), 1)"},
    {"FMaxSelect32(FMinSelect32(x, 1), 2)", "2"},
    {"FMinNum32(FMul32(I32ToF32(IAnd32(i, #255)), 2), 510)", "FMul32(I32ToF32(IAnd32(i, #255)), 2)"},
    {"FMinNum32(FMul32(I32ToF32(IAnd32(i, #255)), 2), 509)", ""},
    {"FMinNum32(x, 1)", ""},
    {"FMaxSelect32(FFmaFlush32(I32ToF32(IAnd32(i, #255)), 2, 1), 0)",
     "FFmaFlush32(I32ToF32(IAnd32(i, #255)), 2, 1)"},
    {"FMaxSelect32(FMadTruncFlush32(I32ToF32(IAnd32(i, #255)), 2, 1, p), 0)", ""},  // anything where not p
    {"SelectF32(FLe32(u, 0), 0, u)", ""},
    {"CanonicalizeNaN32(CanonicalizeNaN32(x))", "CanonicalizeNaN32(x)"},
    {"CanonicalizeNaN32(x)", ""},
    {"CanonicalizeNaN32(I32ToF32(i))", "I32ToF32(i)"},
    {"CanonicalizeNaN32(SelectF32(p, 1, 0))", "SelectF32(p, 1, 0)"},
    {"CanonicalizeNaN32(SelectF32(p, 1, N))", "SelectF32(p, 1, N)"},
    {"CanonicalizeNaN32(SelectF32(p, 1, x))", ""},
    {"CanonicalizeNaN32(FMaxSelect32(x, 0))", "FMaxSelect32(x, 0)"},
    {"CanonicalizeNaN32(FMaxSelect32(0, x))", ""},
    {"CanonicalizeNaN32(FAbs32(FFloor32(FMinSelect32(x, 1))))", "FAbs32(FFloor32(FMinSelect32(x, 1)))"},
    // f32 comparisons.
    {"FLt32(1, x)", "FGt32(x, 1)"},
    {"FGe32(1, x)", "FLe32(x, 1)"},
    {"FGt32(x, y)", "FLt32(y, x)"},
    {"FGe32(x, y)", "FLe32(y, x)"},
    {"FEq32(x, x)", ""},
    {"FEq32(u, u)", "T"},
    {"FNe32(x, x)", "FUnordered32(x, x)"},
    {"FLt32(x, x)", "F"},
    {"FLe32(x, x)", "FEq32(x, x)"},
    {"FGe32(u, u)", "T"},
    {"FNe32(u, u)", "F"},
    {"FUnordered32(x, 1)", "FUnordered32(x, x)"},
    {"FUnordered32(I32ToF32(i), 1)", "F"},
    {"FLe32(x, N)", "F"},
    {"FNe32(x, N)", "T"},
    {"FLt32(FNeg32(x), FNeg32(y))", "FLt32(y, x)"},
    {"FLt32(FNeg32(x), 2)", "FGt32(x, -2)"},
    {"FNe32(SelectF32(p, 1, 0), 0)", "p"},
    {"FEq32(SelectF32(p, 1, 0), 0)", "Not1(p)"},
    {"FGt32(SelectF32(p, 1, 0), 2)", "F"},
    {"Not1(FEq32(x, y))", "FNe32(x, y)"},
    {"Not1(FNe32(x, y))", "FEq32(x, y)"},
    {"Not1(FLt32(x, y))", ""},
    {"Not1(FGe32(x, 1))", ""},
    // i32.
    {"IAdd32(i, #0)", "i"},
    {"IAdd32(IAdd32(i, #3), #4)", "IAdd32(i, #7)"},
    {"ISub32(i, i)", "#0"},
    {"ISub32(i, #3)", "IAdd32(i, #-3)"},
    {"ISub32(#0, i)", ""},
    {"IMul32(i, #0)", "#0"},
    {"IMul32(#1, i)", "i"},
    {"IMul32(i, #-1)", "ISub32(#0, i)"},
    {"IMul32(i, #8)", "IShl32(i, #3)"},
    {"IMul32(i, #9)", ""},
    {"U32ToF32(IShrU32(i, #1))", "I32ToF32(IShrU32(i, #1))"},
    {"U32ToF32(i)", ""},
    {"IAnd32(i, #0)", "#0"},
    {"IAnd32(i, #-1)", "i"},
    {"IAnd32(IAnd32(i, #12), #6)", "IAnd32(i, #4)"},
    {"IOr32(i, i)", "i"},
    {"IOr32(i, #-1)", "#-1"},
    {"IXor32(i, i)", "#0"},
    {"IXor32(IXor32(i, #5), #5)", "i"},
    {"IShl32(i, #32)", "#0"},
    {"IShl32(i, #0)", "i"},
    {"IShl32(IShl32(i, #20), #12)", "#0"},
    {"IShl32(IAdd32(i, #48), #28)", "IShl32(i, #28)"},
    {"IShl32(IAdd32(i, #48), #27)", ""},
    {"IShrU32(IShrU32(i, #3), #4)", "IShrU32(i, #7)"},
    {"IShrU32(i, #-1)", "#0"},
    {"IShrS32(i, #40)", "IShrS32(i, #31)"},
    {"IShrS32(IShrS32(i, #20), #20)", "IShrS32(i, #31)"},
    {"IShl32(#0, i)", "#0"},
    {"IAnd32(IShrU32(i, #16), #65535)", "IShrU32(i, #16)"},
    {"IAnd32(IShrU32(i, #15), #65535)", ""},
    {"IAnd32(IOr32(IAnd32(i, #255), IShl32(j, #16)), #65535)", "IAnd32(i, #255)"},
    {"IAnd32(IOr32(i, IShl32(j, #16)), #65535)", "IAnd32(i, #65535)"},
    {"IAnd32(IOr32(i, IShl32(j, #15)), #65535)", ""},
    {"IShrU32(IOr32(IAnd32(i, #255), IShl32(j, #16)), #16)", "IAnd32(j, #65535)"},
    {"IShrU32(IAnd32(i, #255), #8)", "#0"},
    {"IShrU32(IAnd32(i, #256), #8)", ""},
    // The halves of factors.
    {"IAdd32(IMul32(IAnd32(i, #65535), IAnd32(j, #65535)), IShl32(IAdd32(IMul32(IShrU32(i, #16), IAnd32(j, "
     "#65535)), IMul32(IAnd32(i, #65535), IShrU32(j, #16))), #16))",
     "IMul32(i, j)"},
    {"IAdd32(IShl32(IAdd32(IMul32(IAnd32(i, #65535), #5), IMul32(IShrU32(i, #16), #7)), #16), "
     "IMul32(IAnd32(i, #65535), #7))",
     "IMul32(i, #327687)"},
    {"IAdd32(IMul32(IAnd32(i, #65535), #7), IShl32(IAdd32(IMul32(IShrU32(i, #16), #5), IMul32(IAnd32(i, "
     "#65535), #5)), #16))",
     ""},
    {"IEq32(i, i)", "T"},
    {"ILtU32(i, #0)", "F"},
    {"ILtU32(i, #1)", "IEq32(i, #0)"},
    {"ILeU32(#0, i)", "T"},
    {"ILeU32(i, #4)", "ILtU32(i, #5)"},
    {"ILeU32(i, #-1)", "T"},
    {"ILeS32(i, #2147483647)", "T"},
    {"ILeS32(i, #4)", "ILtS32(i, #5)"},
    {"ILtS32(i, #-2147483648)", "F"},
    {"ILtU32(IAnd32(i, #3), #4)", "T"},
    {"ILtU32(IAnd32(i, #4), #4)", ""},
    {"ILeU32(#16, IAdd32(IShl32(i, #5), #16))", "T"},
    {"ILeU32(#12, IAdd32(IShl32(i, #5), #31))", "T"},
    {"ILeU32(#17, IAdd32(IShl32(i, #5), #16))", ""},
    {"ILeU32(#32, IAdd32(IShl32(i, #5), #32))", ""},
    {"ILtU32(IAdd32(IShl32(i, #5), #16), #16)", "F"},
    {"ILtU32(IAdd32(IShl32(i, #5), #16), #17)", ""},
    {"Not1(ILtS32(i, j))", "ILeS32(j, i)"},
    {"Not1(IEq32(i, j))", "INe32(i, j)"},
    {"INe32(SelectI32(p, #5, #6), #5)", "Not1(p)"},
    // Conversions.
    {"BitcastF32ToI32(BitcastI32ToF32(i))", "i"},
    {"BitcastI32ToF32(BitcastF32ToI32(x))", "x"},
    {"F32ToI32Sat(I32ToF32(i))", ""},
    {"BitcastF32ToI32(LoadUniformF32(8))", "LoadUniformI32(8)"},
    {"BitcastI32ToF32(LoadUniformI32(8))", "LoadUniformF32(8)"},
    // i1.
    {"And1(p, T)", "p"},
    {"And1(F, p)", "F"},
    {"And1(p, Not1(q))", "AndNot1(p, q)"},
    {"And1(Not1(p), p)", "F"},
    {"And1(p, And1(q, p))", "And1(q, p)"},
    {"And1(p, Or1(q, p))", "p"},
    {"And1(AndNot1(p, q), q)", "F"},
    {"And1(AndNot1(p, q), p)", "AndNot1(p, q)"},
    {"Or1(p, F)", "p"},
    {"Or1(p, Not1(p))", "T"},
    {"Or1(p, And1(p, q))", "p"},
    {"Or1(And1(p, q), AndNot1(p, q))", "p"},
    {"Or1(AndNot1(p, q), And1(q, p))", "p"},
    {"Or1(And1(p, q), AndNot1(q, p))", "q"},
    {"Or1(p, AndNot1(q, p))", "Or1(p, q)"},
    {"Or1(AndNot1(q, p), AndNot1(p, q))", ""},
    {"Xor1(p, T)", "Not1(p)"},
    {"Xor1(p, p)", "F"},
    {"Xor1(Not1(p), Not1(q))", "Xor1(p, q)"},
    {"AndNot1(T, p)", "Not1(p)"},
    {"AndNot1(p, Not1(q))", "And1(p, q)"},
    {"AndNot1(p, p)", "F"},
    {"AndNot1(p, And1(p, q))", "AndNot1(p, q)"},
    {"AndNot1(p, AndNot1(p, q))", "And1(p, q)"},
    {"AndNot1(AndNot1(p, q), q)", "AndNot1(p, q)"},
    {"AndNot1(p, Or1(q, p))", "F"},
    {"Not1(Not1(p))", "p"},
    // Selects.
    {"SelectF32(T, x, y)", "x"},
    {"SelectF32(p, x, x)", "x"},
    {"SelectF32(Not1(p), x, y)", "SelectF32(p, y, x)"},
    {"SelectF32(p, SelectF32(p, x, y), z)", "SelectF32(p, x, z)"},
    {"SelectI32(p, i, SelectI32(p, j, k))", "SelectI32(p, i, k)"},
    {"SelectI1(p, T, F)", "p"},
    {"SelectI1(p, F, T)", "Not1(p)"},
    {"SelectI1(p, T, q)", "Or1(p, q)"},
    {"SelectI1(p, q, F)", "And1(p, q)"},
    {"SelectI1(p, F, q)", "AndNot1(q, p)"},
    {"SelectI1(p, p, q)", "Or1(p, q)"},
    {"SelectI1(p, q, r)", ""},
    {"CanonicalizeNaNOnes32(CanonicalizeNaNOnes32(x))", "CanonicalizeNaNOnes32(x)"},
    {"CanonicalizeNaNOnes32(CanonicalizeNaN32(x))", ""},
    {"FFlush32(FMulFlush32(x, y))", "FMulFlush32(x, y)"},
    {"FFlush32(FMinNum32(FAddFlush32(x, y), 3))", "FMinNum32(FAddFlush32(x, y), 3)"},
    {"FFlush32(FNeg32(I32ToF32(i)))", "FNeg32(I32ToF32(i))"},
    {"FFlush32(FMinNum32(FAddFlush32(x, y), z))", ""},
    {"FFlush32(FMul32(x, y))", ""},
    {"HalfToF32(F32ToHalf(x))", "FRoundHalf32(x)"},
    {"HalfToF32(HalvesOfF32(x, y))", "FRoundHalf32(x)"},
    {"HalfToF32(IShrU32(CanonicalizeNaNHalves(HalvesOfF32(x, y)), #16))", "FRoundHalf32(y)"},
    {"F32ToHalf(FRoundHalf32(x))", "F32ToHalf(x)"},
    {"F32ToHalf(HalfToF32(i))", ""},
    {"HalfToF32(IAnd32(i, #65535))", "HalfToF32(i)"},
    {"HalfToF32(IAnd32(i, #32767))", ""},
    {"HalfToF32(IOr32(F32ToHalf(x), IShl32(F32ToHalf(y), #16)))", "FRoundHalf32(x)"},
    {"HalfToF32(IShrU32(IOr32(F32ToHalf(x), IShl32(F32ToHalf(y), #16)), #16))", "FRoundHalf32(y)"},
    {"IShrU32(IAnd32(i, #-65536), #16)", "IShrU32(i, #16)"},
    {"IShrU32(IAnd32(i, #-131072), #16)", ""},
    {"FRoundHalf32(FNeg32(HalfToF32(i)))", "FNeg32(HalfToF32(i))"},
    {"FRoundHalf32(FMaxNum32(FRoundHalf32(x), 0.25))", "FMaxNum32(FRoundHalf32(x), 0.25)"},
    {"FRoundHalf32(FMaxSelect32(FRoundHalf32(x), 0.1))", ""},
    {"FRoundHalf32(FMul32(HalfToF32(i), 2))", ""},
    {"FFmaOdd32(FNeg32(x), 3, y)", "FFmaOdd32(x, -3, y)"},
    {"SelectF32(FGt32(x, y), x, y)", "SelectF32(FLt32(y, x), x, y)"},
};

TEST(Fold, FoldsTheseCasesAndNoOthers) {
  for (const Case& c : kCases) {
    Function f;
    f.input_count = 3;
    f.uniform_bytes = 64;
    Builder b(f);
    b.set_block(f.add_block());
    Notation notation(b);
    const std::string wanted = c.to[0] != 0 ? c.to : c.from;
    EXPECT_EQ(notation.show(notation.make(c.from, true)), wanted) << c.from;
  }
}

// A saturation to at least 0 of what is not negative.
TEST(Fold, SaturationsByBounds) {
  Function f;
  f.input_count = 1;
  Builder b(f);
  b.set_block(f.add_block());
  const F32 x = b.LoadInput(0)[0];
  const auto saturated = [&](F32 number) {
    return b.select(b.FLe32(number, b.constant(0.0F)), b.constant(0.0F), number);
  };
  const F32 byte = b.I32ToF32(b.IShrU32(b.BitcastF32ToI32(x), b.constant(24)));
  EXPECT_EQ(saturated(byte).id, byte.id);
  const F32 square = b.FMul32(x, x);
  EXPECT_EQ(saturated(square).id, square.id);  // a NaN stays one
  EXPECT_NE(saturated(x).id, x.id);
}

// Votes over comparisons with the lane's number are what asking every lane gives.
TEST(Fold, VotesOverLaneNumbersAskOneLane) {
  constexpr std::uint32_t kLanes = 64;
  for (const Opcode opcode :
       {Opcode::IEq32, Opcode::INe32, Opcode::ILtS32, Opcode::ILeS32, Opcode::ILtU32, Opcode::ILeU32})
    for (const std::uint32_t other :
         {0u, 1u, 2u, 31u, 62u, 63u, 64u, 65u, 0x7ffffffeu, 0x7fffffffu, 0x80000000u, 0xfffffffeu, ~0u})
      for (const bool left : {false, true}) {
        Function f;
        f.form = Form::group;
        f.group_lanes = kLanes;
        Builder b(f);
        b.set_block(f.add_block());
        const Value lane = b.LaneIndex(), word = b.constant(other);
        const Value compared =
            b.emit(opcode, left ? std::vector<Value>{word, lane} : std::vector<Value>{lane, word});
        bool wanted = false;
        for (std::uint64_t n = 0; n < kLanes; ++n) {
          const std::uint64_t sides[] = {left ? other : n, left ? n : other};
          wanted = wanted || evaluate(opcode, sides) != 0;
        }
        const Value any = b.AnyLane(I1{compared});
        ASSERT_TRUE(f.is_constant(any));
        EXPECT_EQ(f.constant(any) != 0, wanted) << info(opcode).name << ' ' << other << left;
      }
}

// Random deep expressions over few values, made with and without folding, give the same bits.
TEST(Fold, KeepsTheBitsOfRandomExpressions) {
  std::vector<Opcode> opcodes;
  for (int k = 0; k < kOpcodeCount; ++k) {
    const auto opcode = static_cast<Opcode>(k);
    const std::string_view name = info(opcode).name;
    const bool transcendental =
        name == "Exp2F32" || name == "Log2F32" || name == "RcpF32" || name == "RsqrtF32";
    if (info(opcode).lane_wise() && !transcendental) opcodes.push_back(opcode);
  }
  for (std::uint64_t seed = 0; seed < share(3000); ++seed) {
    testing::Random random(seed);
    Function plain, folded;
    Builder builders[2] = {Builder(plain), Builder(folded)};
    using Pools = std::map<Type, std::vector<std::array<Value, 2>>>;
    Pools pools;
    for (int side = 0; side < 2; ++side) {
      Builder& b = builders[side];
      b.function().input_count = testing::RandomMemory::kInputs;
      b.function().output_count = testing::RandomMemory::kOutputs;
      b.set_block(b.function().add_block());
      const auto in = b.LoadInput(0), more = b.LoadInput(1);
      auto add = [&](Type type, std::size_t at, Value v) {
        auto& pool = pools[type];
        if (pool.size() <= at) pool.resize(at + 1);
        pool[at][static_cast<std::size_t>(side)] = v;
      };
      add(Type::f32, 0, in[0]), add(Type::f32, 1, in[1]);
      add(Type::i32, 0, b.F32ToI32Sat(in[2])), add(Type::i32, 1, b.F32ToI32Sat(in[3]));
      add(Type::i1, 0, b.FLt32(more[0], more[1])), add(Type::i1, 1, b.FLt32(more[2], more[3]));
      const float floats[] = {0.0f, -0.0f, 1.0f, -1.0f, 4.0f};
      for (std::size_t k = 0; k < 5; ++k) add(Type::f32, 2 + k, b.constant(floats[k]));
      const std::int32_t words[] = {0, 1, -1, 8, 31};
      for (std::size_t k = 0; k < 5; ++k) add(Type::i32, 2 + k, b.constant(words[k]));
      add(Type::i1, 2, b.constant(true)), add(Type::i1, 3, b.constant(false));
    }
    for (int k = 0; k < 30; ++k) {
      const Opcode opcode = opcodes[random.below(static_cast<std::uint32_t>(opcodes.size()))];
      if (opcode == Opcode::BitcastF32ToI32) continue;  // payloads are free
      const OpcodeInfo& row = info(opcode);
      std::vector<Value> operands[2];
      for (const char letter : row.operands) {
        const auto& pool = pools[type_of_letter(letter)];
        const auto& picked = pool[random.below(static_cast<std::uint32_t>(pool.size()))];
        for (int side = 0; side < 2; ++side) operands[side].push_back(picked[static_cast<std::size_t>(side)]);
      }
      pools[type_of_letter(row.results[0])].push_back(
          {plain.result(builders[0].emit_inst(opcode, operands[0])), builders[1].emit(opcode, operands[1])});
    }
    for (int side = 0; side < 2; ++side) {
      Builder& b = builders[side];
      auto at = [&](Type type, std::size_t back) {
        const auto& pool = pools[type];
        return pool[pool.size() - 1 - back][static_cast<std::size_t>(side)];
      };
      b.StoreOutput(b.constant(true), F32{at(Type::f32, 0)}, F32{at(Type::f32, 1)}, F32{at(Type::f32, 2)},
                    F32{at(Type::f32, 3)}, 0);
      b.StoreOutput(I1{at(Type::i1, 0)}, b.I32ToF32(I32{at(Type::i32, 0)}), b.I32ToF32(I32{at(Type::i32, 1)}),
                    b.select(I1{at(Type::i1, 1)}, b.constant(1.0f), b.constant(2.0f)), F32{at(Type::f32, 0)},
                    1);
      b.ret();
    }
    const testing::RandomMemory memory(seed, 64);
    const auto wanted = memory.run(plain), got = memory.run(folded);
    ASSERT_TRUE(wanted.ok() && got.ok());
    ASSERT_EQ(testing::difference(*wanted, *got), "") << seed << print(plain) << print(folded);
  }
}

// Neighbouring bytes of a texel, each converted where it stands.
TEST(Fold, UnormBytesBecomeHalves) {
  Function f;
  Builder b(f);
  b.set_block(f.add_block());
  const I32 texel = b.LoadUniformI32(0);
  const auto byte = [&](std::uint32_t n, float scale) {
    const I32 field =
        n == 3 ? b.IShrU32(texel, b.constant(24)) : b.IAnd32(texel, b.constant(0xffU << (8 * n)));
    return b.FMulFlush32(b.I32ToF32(field), b.constant(scale));
  };
  constexpr float kUnit = 1.0F / 255;
  const F32 x = byte(0, kUnit), y = byte(1, kUnit / 256), z = byte(2, kUnit / 65536), w = byte(3, kUnit);
  const auto made = [&](F32 low, F32 high) { return f.definition_of(b.HalvesOfF32(low, high)).opcode; };
  EXPECT_EQ(made(x, y), Opcode::HalvesOfBytes);
  EXPECT_EQ(made(z, w), Opcode::HalvesOfUpperBytes);
  EXPECT_EQ(made(y, z), Opcode::HalvesOfF32);
  EXPECT_EQ(made(y, x), Opcode::HalvesOfF32);
  EXPECT_EQ(made(x, byte(1, kUnit)), Opcode::HalvesOfF32);
}

}  // namespace
}  // namespace warpjit::ir
