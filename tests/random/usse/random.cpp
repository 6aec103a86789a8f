#include "random/usse/random.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/random.h"
#include "frontend/usse/assembly/assemble.h"
#include "frontend/usse/encoding/encoding.h"
#include "frontend/usse/facts/checks.h"
#include "frontend/usse/interpret/quad.h"
#include "random/textures.h"
#include "random/words.h"

namespace warpjit::usse {
namespace {

// The order of two draws in one expression is the compiler's:
// each stands alone, so that all hosts make the same.

// Registers that programs use: few, so that values meet. Above them those of loops and memory.
constexpr std::uint32_t kUsed = 24, kCounter = 40, kAddress = 40, kOffset = 41, kRegisters = 48;
// Units of textures, the last one of cubes, and the first of their control words.
constexpr unsigned kUnits = 3, kCubeUnit = 2;
constexpr std::uint32_t kControl = 28;

class Generator {
 public:
  Generator(std::uint64_t seed, Stage stage, const RandomOptions& options)
      : random_(seed ^ 0x5553534500000000), options_(options) {
    program_.stage = stage;
    for (const Pattern& pattern : patterns()) {
      if (is_ordinary(pattern)) ordinary_.push_back(&pattern);
      if (pattern.form == Group::smp) sample_ = &pattern;
    }
  }

  RandomProgram run() {
    program_.temporaries = program_.primary_attributes = program_.secondary_attributes = kRegisters;
    parts_ = options_.flow && random_.chance(70);
    if (options_.textures) samplers();
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
    calls_ = parts_ && random_.one_in(4);
    body(program_.primary, 1 + random_.below(2 * options_.size));
    if (calls_) functions(program_.primary);
    if (program_.stage == Stage::vertex && random_.one_in(2)) add(program_.primary, "emit.end");
    RandomProgram result;
    for (unsigned unit = 0; options_.textures && unit < kUnits; ++unit)
      result.textures.push_back(texture(unit == kCubeUnit));
    for (std::uint32_t n = 0; n < kRegisters; ++n) result.sa.push_back(word());
    result.sa[kAddress] = kRandomAddress;
    // A factor and a number, which mostly leads into the memory.
    const std::uint32_t number = random_.below(40);
    result.sa[kOffset] = number | random_.below(6) << 16;
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

  // A random word of a pattern, modifiers being those that there are.
  Result<Instruction> instruction_of(const Pattern& pattern) {
    std::uint64_t bits = pattern.word_with(random_.next());
    for (const std::uint8_t k : pattern.modifiers()) {
      const SyntaxToken& token = pattern.tokens[k];
      for (unsigned tries = 0; !token.field.empty() && tries < 8; ++tries) {
        if (modifiers()[token.modifier].defined(token.field.get(bits))) break;
        bits = token.field.set(bits, static_cast<std::uint32_t>(random_.next()));
      }
    }
    return decode(bits);
  }

  static std::optional<std::uint64_t> executable(const Instruction& i) {
    const Result<std::uint64_t> encoded = encode(i);
    if (!encoded) return std::nullopt;
    const Result<Instruction> again = decode(*encoded);
    if (!again || !check_executes(*again)) return std::nullopt;
    return *encoded;
  }

  // With registers that there are.
  std::optional<std::uint64_t> ordinary() {
    const Result<Instruction> decoded =
        instruction_of(*ordinary_[random_.below(static_cast<unsigned>(ordinary_.size()))]);
    if (!decoded) return std::nullopt;
    Instruction i = *decoded;
    i.end = false;
    if (!random_.one_in(6)) i.repeat = 0;
    if (!random_.one_in(3)) i.predicate = Predicate::always;
    for (Destination& d : i.d) limit(d, true);
    for (Source& s : i.s) limit(s, false);
    const bool differs = i.opcode == Opcode::dsx || i.opcode == Opcode::dsy ||
                         (i.group == Group::tst && (i.alu == Alu::dsx || i.alu == Alu::dsy));
    if (differs && !options_.quads) return std::nullopt;
    return executable(i);
  }

  std::optional<std::uint64_t> sample() {
    const Result<Instruction> decoded = instruction_of(*sample_);
    if (!decoded) return std::nullopt;
    Instruction i = *decoded;
    i.min_pack = false;
    if (!random_.one_in(3)) i.predicate = Predicate::always;
    if (!random_.one_in(3)) i.gather = Gather::none;
    const unsigned unit = random_.below(kUnits);
    i.dimension = unit == kCubeUnit ? SampleDimension::cube : static_cast<SampleDimension>(random_.below(2));
    if (i.lod_mode == LodMode::gradients && gathers(i)) i.lod_mode = LodMode::quad;
    limit(i.d[0], true);
    limit(i.s[0], false);
    limit(i.s[2], false);
    i.s[1] = {};
    i.s[1].bank = Bank::sa;
    i.s[1].number = static_cast<std::uint16_t>(kControl + kControlWords * unit);
    return executable(i);
  }

  // The container's, of each unit. What lies in the control words does not matter to engines: textures are
  // bound by their units.
  void samplers() {
    for (unsigned unit = 0; unit < kUnits; ++unit)
      for (unsigned k = 0; k < kControlWords; ++k)
        program_.dependent_samplers.push_back(
            {static_cast<std::uint8_t>(unit), static_cast<std::uint8_t>(k),
             static_cast<std::uint16_t>(kControl + kControlWords * unit + k)});
    Parameter cube;
    cube.category = Category::sampler;
    cube.cube = true;
    cube.resource = kCubeUnit;
    program_.parameters.push_back(cube);
  }

  // Small, of any format, type and state that is defined.
  BoundTexture texture(bool cube) {
    for (;;) {
      ControlWords words;
      for (std::uint32_t& one : words) one = static_cast<std::uint32_t>(random_.next());
      constexpr std::uint32_t kSides = 0x3f03f;  // up to 64
      // Mostly without gamma, which few formats have.
      words[0] = (words[0] & (random_.one_in(3) ? 0xffffffff : 0xe7ffffff)) | 15U << 17;
      if (random_.one_in(2)) words[0] = (words[0] & ~(15U << 17)) | random_.below(5) << 17;
      words[1] = cube ? (words[1] & 0x1f050005) | 2U << 29 : (words[1] & 0xff000000) | (words[1] & kSides);
      words[2] &= random_.one_in(3) ? 0xffc3U : 0xffc0U;
      words[3] &= 0xf0000000;
      const auto state = read_texture(words);
      if (!state || state->is_cube() != cube) continue;
      auto bound = bind_texture(*state, [](std::uint32_t address, std::uint64_t size) {
        const std::span<const std::byte> all = random::texels();
        return address < all.size() && size <= all.size() - address
                   ? all.subspan(address, static_cast<std::size_t>(size))
                   : std::span<const std::byte>();
      });
      if (bound && textures::make_view(bound->texture, "texture")) return std::move(*bound);
    }
  }

  void limit(Register& reg, bool destination) {
    if (reg.bank == Bank::g && !destination) {
      // Nothing reads others.
      if (program_.stage != Stage::fragment || secondary_) reg.bank = Bank::r;
      reg.number = kFaceRegister;
    }
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
      else if (kind == 3 && (!calls_ || random_.one_in(3)))  // functions would have many
        increments(code);
      else if (calls_ && !secondary_ && kind == 4)
        call(code);
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
      if (options_.textures && random_.one_in(3)) sampled_input(input);
      fragment.inputs.push_back(input);
    }
    constexpr ParameterType kTypes[] = {ParameterType::f16, ParameterType::f16, ParameterType::f32,
                                        ParameterType::u8,  ParameterType::c10, ParameterType::u16,
                                        ParameterType::s16, ParameterType::s8};
    fragment.output_type = kTypes[random_.below(std::size(kTypes))];
    // Only targets of integers take it.
    if (random_.one_in(200)) fragment.output_type = ParameterType::u32;
    fragment.output_components = static_cast<std::uint8_t>(1 + random_.below(4));
    fragment.output_start = static_cast<std::uint8_t>(random_.below(3));
    const auto flag = [&](Flag which) { program_.flags |= 1U << static_cast<unsigned>(which); };
    flag(Flag::fragment);
    if (random_.one_in(4)) flag(Flag::native_color);
    if (random_.one_in(2)) flag(Flag::reads_color);
    if (random_.one_in(2)) flag(Flag::replaces_depth);
    if (random_.one_in(10)) flag(Flag::output_undefined);
  }

  void sampled_input(FragmentInput& input) {
    FragmentInput::Sampled sampled;
    sampled.value = random_.one_in(6) ? FragmentInput::Value::point : FragmentInput::Value::texcoord;
    if (sampled.value == FragmentInput::Value::texcoord)
      sampled.index = static_cast<std::uint8_t>(random_.below(kTexcoords));
    sampled.projection = static_cast<FragmentInput::Projection>(random_.below(3));
    sampled.unit = static_cast<std::uint8_t>(random_.below(kUnits));
    sampled.format = static_cast<FragmentInput::Texel>(random_.below(3));
    sampled.words = static_cast<std::uint8_t>(1 + random_.below(4));
    input.sampled = sampled;
    constexpr std::uint32_t kOwnComponents = 1 << 6;
    input.raw[3] =
        static_cast<std::uint32_t>(sampled.value) | static_cast<std::uint32_t>(sampled.format) << 4 |
        (random_.one_in(2) ? kOwnComponents : 0) | sampled.index << 8U |
        static_cast<std::uint32_t>(sampled.projection) << 12 | sampled.unit << 16U | sampled.words << 20U;
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

  // An index register gets a small number, so that registers by it are mostly there.
  void set_index(Words& code) {
    const std::string to = std::to_string(1 + random_.below(2));
    const std::string bank = random_.one_in(2) || secondary_ ? "pa" : "r";
    add(code, "and idx" + to + ", " + bank + std::to_string(random_.below(kUsed)) + ", #15, rot:0");
  }

  void plain(Words& code) {
    if (random_.one_in(16)) return set_index(code);
    if (program_.stage == Stage::fragment && !secondary_ && random_.one_in(24)) return kill(code);
    const bool samples = options_.textures && random_.one_in(8);
    for (unsigned tries = 0; tries < 20; ++tries)
      if (const auto made = samples ? sample() : ordinary()) return code.push_back(*made);
    add(code, "nop");
  }

  std::string predicate() {
    constexpr const char* kPredicates[] = {"p0 ", "p1 ", "p2 ", "!p0 ", "!p1 ", "pn "};
    return kPredicates[random_.below(6)];
  }

  // The suffix of a branch that makes the lanes of a quad go together; or nothing.
  const char* together() {
    if (!options_.quads || secondary_ || !random_.one_in(5)) return "";
    return random_.one_in(2) ? ".any" : ".all";
  }

  // Forward, perhaps for all lanes of a quad together, perhaps an if with an else.
  void skip(Words& code) {
    Words then, other;
    const unsigned size = 1 + random_.below(5);
    if (random_.one_in(12)) increments(then);
    for (unsigned k = 0; k < size; ++k) plain(then);
    const bool has_other = random_.one_in(3);
    if (has_other) plain(other);
    const std::string taken = predicate();  // one draw after the other, in the same order on every host
    add(code, taken + "br" + together() + " offset:" + std::to_string(then.size() + (has_other ? 2 : 1)));
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
    add(code, "vtst.or.nonzero.both.chan0.p3 c0, " + counter + ", #0");
    add(code, "p3 br offset:-" + std::to_string(inside.size() + 2));
  }

  // Where a function is will be known when all of them stand.
  void call(Words& code) {
    calls_at_.push_back(code.size());
    add(code, random_.one_in(2) ? "br.link offset:0" : predicate() + "br.link offset:0");
  }

  // They stand after all else; each may call those after it.
  void functions(Words& code) {
    const std::size_t around = code.size();
    add(code, "nop");
    std::vector<std::size_t> starts;
    const unsigned count = 1 + random_.below(3);
    for (unsigned n = 0; n < count; ++n) {
      starts.push_back(code.size());
      const unsigned size = 1 + random_.below(6);
      const std::size_t own = calls_at_.size();
      for (unsigned k = 0; k < size; ++k) {
        if (random_.one_in(4))
          skip(code);
        else
          plain(code);
        if (random_.one_in(6)) {
          const std::string taken = predicate();
          add(code, taken + "ret" + together());
        }
        if (n + 1 < count && random_.one_in(4)) call(code);
      }
      add(code, "ret");
      for (std::size_t k = own; k < calls_at_.size(); ++k) calling_.push_back(n);
    }
    const auto set_offset = [&](std::size_t from, std::size_t to) {
      Result<Instruction> i = decode(code[from]);
      i->immediates[static_cast<std::size_t>(Immediate::offset)] = static_cast<std::int32_t>(to - from);
      code[from] = *encode(*i);
    };
    const std::size_t before = calls_at_.size() - calling_.size();
    for (std::size_t k = 0; k < calls_at_.size(); ++k) {
      const unsigned first = k < before ? 0 : calling_[k - before] + 1;
      set_offset(calls_at_[k], starts[first + random_.below(count - first)]);
    }
    Words over;
    add(over, "br offset:" + std::to_string(code.size() - around));
    code[around] = over[0];
    add(code, "nop");
  }

  void load(Words& code) {
    std::string to = random_.one_in(2) || secondary_ ? "pa" : "r";
    to += std::to_string(random_.below(kUsed));
    constexpr const char* kSizes[] = {"b32", "b16", "b8"};
    const unsigned offset = random_.one_in(8) ? random_.below(128) : random_.below(40);
    const std::string size = kSizes[random_.below(3)];
    const unsigned count = 1 + random_.below(4);
    const std::string by = random_.one_in(4) ? "sa" + std::to_string(kOffset) : "#" + std::to_string(offset);
    add(code, "ld." + size + ".x" + std::to_string(count) + ".drc0 " + to + ", sa" +
                  std::to_string(kAddress) + ", " + by + ", #0");
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
  const Pattern* sample_ = nullptr;
  bool secondary_ = false, parts_ = false, calls_ = false;
  std::vector<std::size_t> calls_at_;  // branches whose targets are open
  std::vector<unsigned> calling_;      // of those in functions, which are the last: the function
};

}  // namespace

RandomProgram random_program(std::uint64_t seed, Stage stage, const RandomOptions& options) {
  return Generator(seed, stage, options).run();
}

}  // namespace warpjit::usse
