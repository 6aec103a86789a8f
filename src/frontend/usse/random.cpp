#include "frontend/usse/random.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/random.h"
#include "frontend/random/words.h"
#include "frontend/usse/assembly/assemble.h"
#include "frontend/usse/encoding/encoding.h"
#include "frontend/usse/interpret/quad.h"

namespace warpjit::usse {
namespace {

// The order of two draws in one expression is the compiler's: each stands alone, so that all hosts make the
// same.

// Registers that programs use: few, so that values meet. Above them those of loops and memory.
constexpr std::uint32_t kUsed = 24, kCounter = 40, kAddress = 40, kRegisters = 48;

class Generator {
 public:
  Generator(std::uint64_t seed, Stage stage, const RandomOptions& options)
      : random_(seed ^ 0x5553534500000000), options_(options) {
    program_.stage = stage;
    for (const Pattern& pattern : patterns())
      if (is_ordinary(pattern)) ordinary_.push_back(&pattern);
  }

  RandomProgram run() {
    program_.temporaries = program_.primary_attributes = program_.secondary_attributes = kRegisters;
    parts_ = options_.flow && random_.chance(70);
    if (program_.stage == Stage::fragment) fragment_interface();
    if (options_.secondary && random_.one_in(2)) {
      secondary_ = true;
      const bool parts = parts_;
      parts_ = random_.one_in(8);
      body(program_.secondary, 1 + random_.below(8));
      add(program_.secondary, "nop.end");
      parts_ = parts;
      secondary_ = false;
    }
    add(program_.primary, "phas.imm mode:0, rate:0, wait:7, temps:0, address:0");
    body(program_.primary, 1 + random_.below(2 * options_.size));
    if (program_.stage == Stage::vertex && random_.one_in(2)) add(program_.primary, "emit.end");
    RandomProgram result;
    for (std::uint32_t n = 0; n < kRegisters; ++n) result.sa.push_back(word());
    result.sa[kAddress] = kRandomAddress;
    for (std::uint32_t n = 0; n < kRandomMemoryWords; ++n) result.memory.push_back(word());
    program_.source_name = "random";
    result.program = std::move(program_);
    return result;
  }

 private:
  using Words = std::vector<std::uint64_t>;

  static bool is_ordinary(const Pattern& pattern) {
    switch (pattern.form) {
      case Group::flow:
      case Group::memory:
      case Group::smp:
      case Group::depthf:
      case Group::moe:
        return false;
      default:
        return true;
    }
  }

  std::uint32_t word() {
    switch (random_.below(8)) {
      case 0:
        return random::one_of(random_, random::kFloatEdges);
      case 1:
        return static_cast<std::uint32_t>(random_.next());
      case 2:
        return random_.below(256);
      case 3: {  // halves of usual sizes
        const auto half = [&] {
          const std::uint32_t exponent = 13 + random_.below(4);
          return random_.below(0x800) | exponent << 10;
        };
        const std::uint32_t low = half();
        return low | half() << 16;
      }
      default:
        return to_bits(random::moderate_float(random_));
    }
  }

  void add(Words& code, const std::string& text) {
    const Result<std::uint64_t> assembled = assemble_instruction(text);
    if (!assembled) std::abort();  // all texts are in this file
    code.push_back(*assembled);
  }

  // A random word of a pattern, with registers that there are.
  std::optional<std::uint64_t> ordinary() {
    const Pattern& pattern = *ordinary_[random_.below(static_cast<unsigned>(ordinary_.size()))];
    std::uint64_t bits = pattern.word_with(random_.next());
    for (const std::uint8_t k : pattern.modifiers()) {
      const SyntaxToken& token = pattern.tokens[k];
      for (unsigned tries = 0; !token.field.empty() && tries < 8; ++tries) {
        if (modifiers()[token.modifier].defined(token.field.get(bits))) break;
        bits = token.field.set(bits, static_cast<std::uint32_t>(random_.next()));
      }
    }
    Result<Instruction> decoded = decode(bits);
    if (!decoded) return std::nullopt;
    Instruction i = *decoded;
    i.end = false;
    if (!random_.one_in(6)) i.repeat = 0;
    if (!random_.one_in(3)) i.predicate = Predicate::always;
    for (Destination& d : i.d) limit(d, true);
    for (Source& s : i.s) limit(s, false);
    const bool differs = i.opcode == Opcode::dsx || i.opcode == Opcode::dsy ||
                         (i.group == Group::tst && (i.alu == Alu::dsx || i.alu == Alu::dsy));
    if (differs && (!options_.quads || parts_ || secondary_)) return std::nullopt;
    const Result<std::uint64_t> encoded = encode(i);
    if (!encoded) return std::nullopt;
    const Result<Instruction> again = decode(*encoded);
    if (!again || !check_executes(*again)) return std::nullopt;
    return *encoded;
  }

  void limit(Register& reg, bool destination) {
    if (reg.bank == Bank::i || reg.bank == Bank::c || reg.bank == Bank::g || reg.bank == Bank::immediate ||
        reg.bank == Bank::idx)
      return;
    if (destination && !secondary_ && reg.bank == Bank::sa) reg.bank = Bank::r;
    if (reg.index != 0 && !random_.one_in(4)) reg.index = 0;
    reg.number = static_cast<std::uint16_t>(reg.number % kUsed / 2 * 2);
  }

  void body(Words& code, unsigned size) {
    for (unsigned k = 0; k < size; ++k) {
      const unsigned kind = random_.below(20);
      if (parts_ && kind == 0)
        skip(code);
      else if (parts_ && kind == 1)
        loop(code);
      else if (options_.memory && kind == 2)
        load(code);
      else if (kind == 3)
        increments(code);
      else
        plain(code);
    }
  }

  // Inputs of all kinds, and a result in pa or as native colour.
  void fragment_interface() {
    using Format = FragmentInput::Format;
    using Value = FragmentInput::Value;
    FragmentInterface& fragment = program_.fragment;
    const unsigned count = 1 + random_.below(4);
    for (unsigned n = 0; n < count; ++n) {
      constexpr Value kValues[] = {Value::texcoord, Value::texcoord, Value::texcoord, Value::color,
                                   Value::fog,      Value::position, Value::point};
      FragmentInput::Iterated iterated;
      iterated.value = kValues[random_.below(std::size(kValues))];
      if (iterated.value == Value::texcoord)
        iterated.index = static_cast<std::uint8_t>(random_.below(kTexcoords));
      if (iterated.value == Value::color) iterated.index = static_cast<std::uint8_t>(random_.below(2));
      iterated.components = static_cast<std::uint8_t>(1 + random_.below(4));
      iterated.format = static_cast<Format>(random_.below(iterated.value == Value::color ? 4 : 3));
      const unsigned per_word = iterated.format == Format::f32   ? 1
                                : iterated.format == Format::f16 ? 2
                                : iterated.format == Format::c10 ? 3
                                                                 : 4;
      iterated.words = static_cast<std::uint8_t>((iterated.components + per_word - 1) / per_word);
      FragmentInput input;
      input.iterated = iterated;
      // Tells inputs apart in keys, as the container's words do.
      input.raw = {
          static_cast<std::uint32_t>(iterated.value) << 16 | iterated.index << 8U | iterated.components,
          static_cast<std::uint32_t>(iterated.format), iterated.words, 0};
      fragment.inputs.push_back(input);
    }
    constexpr ParameterType kTypes[] = {ParameterType::f16, ParameterType::f16, ParameterType::f32,
                                        ParameterType::u8,  ParameterType::c10, ParameterType::u16,
                                        ParameterType::s16, ParameterType::s8};
    fragment.output_type = kTypes[random_.below(std::size(kTypes))];
    fragment.output_components = static_cast<std::uint8_t>(1 + random_.below(4));
    fragment.output_start = static_cast<std::uint8_t>(random_.below(3));
    const auto flag = [&](Flag which) { program_.flags |= 1U << static_cast<unsigned>(which); };
    flag(Flag::fragment);
    if (random_.one_in(4)) flag(Flag::native_color);
    if (random_.one_in(2)) flag(Flag::reads_color);
    if (random_.one_in(2)) flag(Flag::replaces_depth);
    if (random_.one_in(10)) flag(Flag::output_undefined);
  }

  // What fragments do to themselves.
  void kill(Words& code) {
    constexpr const char* kPredicates[] = {"!p0 ", "!p1 ", "p0 "};
    const std::string where = kPredicates[random_.below(3)];
    if (random_.one_in(2)) return add(code, where + "kill sa0, sa0");
    const std::string depth = random_.one_in(2) ? "pa" : "r";
    add(code,
        where + "depthf feedback:0, " + depth + std::to_string(random_.below(kUsed) / 2 * 2) + ", sa0, sa0");
  }

  void plain(Words& code) {
    if (program_.stage == Stage::fragment && !secondary_ && random_.one_in(24)) return kill(code);
    for (unsigned tries = 0; tries < 20; ++tries)
      if (const auto made = ordinary()) return code.push_back(*made);
    add(code, "nop");
  }

  std::string predicate() {
    constexpr const char* kPredicates[] = {"p0 ", "p1 ", "p2 ", "!p0 ", "!p1 ", "pn "};
    return kPredicates[random_.below(6)];
  }

  // Forward, perhaps for all lanes of a quad together, perhaps an if with an else.
  void skip(Words& code) {
    Words then, other;
    const unsigned size = 1 + random_.below(5);
    for (unsigned k = 0; k < size; ++k) plain(then);
    const bool has_other = random_.one_in(3);
    if (has_other) plain(other);
    const char* const kind = !options_.quads || secondary_ || !random_.one_in(5) ? ""
                             : random_.one_in(2)                                 ? ".any"
                                                                                 : ".all";
    add(code, predicate() + "br" + kind + " offset:" + std::to_string(then.size() + (has_other ? 2 : 1)));
    code.insert(code.end(), then.begin(), then.end());
    if (!has_other) return;
    add(code, "br offset:" + std::to_string(other.size() + 1));
    code.insert(code.end(), other.begin(), other.end());
  }

  // While a counter, which lanes begin with different numbers of, has bits.
  void loop(Words& code) {
    const std::string counter = (secondary_ ? "pa" : "r") + std::to_string(kCounter);
    const std::string from = (secondary_ ? "pa" : "pa") + std::to_string(random_.below(kUsed));
    add(code, "and " + counter + ", " + from + ", #15, rot:0");
    Words inside;
    const unsigned size = 1 + random_.below(4);
    for (unsigned k = 0; k < size; ++k) plain(inside);
    code.insert(code.end(), inside.begin(), inside.end());
    add(code, "shr " + counter + ", " + counter + ", #1, rot:0");
    add(code, "vtst.or.nonzero.either.chan0.p3 c0, " + counter + ", #0");
    add(code, "p3 br offset:-" + std::to_string(inside.size() + 2));
  }

  void load(Words& code) {
    std::string to = random_.one_in(2) || secondary_ ? "pa" : "r";
    to += std::to_string(random_.below(kUsed));
    constexpr const char* kSizes[] = {"b32", "b16", "b8"};
    const unsigned offset = random_.one_in(8) ? random_.below(128) : random_.below(40);
    const std::string size = kSizes[random_.below(3)];
    const unsigned count = 1 + random_.below(4);
    add(code, "ld." + size + ".x" + std::to_string(count) + ".drc0 " + to + ", sa" +
                  std::to_string(kAddress) + ", #" + std::to_string(offset) + ", #0");
  }

  void increments(Words& code) {
    const auto add_numbers = [&](std::string text, unsigned below, int first) {
      for (const char* const operand : {" d:", ", s0:", ", s1:", ", s2:"})
        text += operand + std::to_string(static_cast<int>(random_.below(below)) + first);
      add(code, text);
    };
    if (random_.one_in(4)) return add_numbers("smbo", 3, 0);
    std::string text = "smlsi";
    for (const char* const swizzled : {".swzd", ".swz0", ".swz1", ".swz2"})
      if (random_.one_in(6)) text += swizzled;
    add_numbers(text + " temp:0, pa:0, sa:0,", 5, -1);
  }

  Random random_;
  const RandomOptions options_;
  Program program_;
  std::vector<const Pattern*> ordinary_;
  bool secondary_ = false, parts_ = false;
};

}  // namespace

RandomProgram random_program(std::uint64_t seed, Stage stage, const RandomOptions& options) {
  return Generator(seed, stage, options).run();
}

}  // namespace warpjit::usse
