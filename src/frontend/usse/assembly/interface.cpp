#include "frontend/usse/assembly/interface.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <optional>
#include <tuple>

#include "base/bits.h"
#include "frontend/usse/facts/texels.h"

namespace warpjit::usse {
namespace {

using text::Token;
using Value = FragmentInput::Value;

constexpr std::pair<Flag, const char*> kFlags[] = {{Flag::per_instance, "per_instance"},
                                                   {Flag::discards, "discards"},
                                                   {Flag::replaces_depth, "replaces_depth"},
                                                   {Flag::sprite_coordinate, "sprite_coordinate"},
                                                   {Flag::native_color, "native_color"},
                                                   {Flag::reads_color, "reads_color"},
                                                   {Flag::presampled, "presampled"},
                                                   {Flag::iterated, "iterated"},
                                                   {Flag::stores, "stores"},
                                                   {Flag::output_undefined, "output_undefined"},
                                                   {Flag::uses_index, "uses_index"},
                                                   {Flag::uses_instance, "uses_instance"}};
constexpr std::string_view kValues[] = {"texcoord", "color", "fog", "position", "point"};
constexpr unsigned kIndices[] = {kTexcoords, 2, 0, 0, 0};  // 0: the value has no number
constexpr std::string_view kFormats[] = {"f32", "f16", "c10", "u8"};
constexpr std::string_view kTexels[] = {"native", "f16", "f32"};
constexpr unsigned kPerWord[] = {1, 2, 3, 4};  // components, by format
// Bits of texcoord_bits: x and y, z, w.
constexpr std::string_view kTexcoordParts[] = {"xy", "z", "w"};

template <std::size_t kCount>
std::optional<unsigned> find(const std::string_view (&words)[kCount], std::string_view word) {
  for (unsigned n = 0; n < kCount; ++n)
    if (words[n] == word) return n;
  return std::nullopt;
}

// "key:number".
std::optional<std::uint32_t> number_of(std::string_view word, std::string_view key, std::uint64_t most) {
  if (!word.starts_with(key) || word.size() <= key.size() || word[key.size()] != ':') return std::nullopt;
  const auto number = text::parse_unsigned(word.substr(key.size() + 1), most);
  return number ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
}

// A value and its number, "texcoord0".
std::optional<std::pair<Value, std::uint8_t>> find_value(std::string_view word) {
  for (unsigned n = 0; n < std::size(kValues); ++n) {
    if (!word.starts_with(kValues[n])) continue;
    const std::string_view rest = word.substr(kValues[n].size());
    if (kIndices[n] == 0 && rest.empty()) return std::pair{static_cast<Value>(n), std::uint8_t{0}};
    if (kIndices[n] != 0 && rest.size() == 1 && rest[0] >= '0' &&
        static_cast<unsigned>(rest[0] - '0') < kIndices[n])
      return std::pair{static_cast<Value>(n), static_cast<std::uint8_t>(rest[0] - '0')};
  }
  return std::nullopt;
}
std::string value_name(Value value, unsigned index) {
  const auto n = static_cast<std::size_t>(value);
  return std::string(kValues[n]) + (kIndices[n] != 0 ? std::to_string(index) : std::string());
}

// The words that a container has for an input (docs/guests/usse.md 4): keys and one rule of texels read them.
void encode(FragmentInput& input, bool own_components) {
  std::uint32_t info = 15U << 12 | 15U;
  if (const auto& iterated = input.iterated) {
    constexpr std::uint32_t kFirst[] = {0, 10, 12, 13, 0};
    const bool color = iterated->value == Value::color;
    info = 15U | (kFirst[static_cast<std::size_t>(iterated->value)] + iterated->index) << 12 |
           (iterated->components - 1U) << 22;
    if (iterated->format == FragmentInput::Format::f16) info |= 2U << 28;
    if (iterated->format == FragmentInput::Format::c10) info |= 1U << 28;
    if (color && iterated->format == FragmentInput::Format::f32) info |= 1U << 20;
    if (iterated->value == Value::point) info |= 1U << 30;
    input.raw[2] |= (iterated->words - 1U) << 4;
  }
  if (const auto& sampled = input.sampled) {
    constexpr std::uint32_t kModes[] = {1, 3, 2}, kTypes[] = {0, 2, 3};
    info = (info & ~15U) | sampled->index | kModes[static_cast<std::size_t>(sampled->projection)] << 8;
    if (sampled->value == Value::point) info |= 1U << 10;
    if (sampled->centroid) info |= 1U << 4;
    input.raw[1] = sampled->unit;
    input.raw[2] |= (sampled->words - 1U) << 6;
    input.raw[3] = kTypes[static_cast<std::size_t>(sampled->format)] << 4 | (own_components ? 1U << 6 : 0);
  }
  input.raw[0] = info;
}

class DirectiveReader {
 public:
  DirectiveReader(std::span<const Token> words, Program& program) : words_(words), program_(program) {}

  struct Directive {
    std::string_view name;
    Status (DirectiveReader::*read)();
    std::optional<Stage> stage;
  };
  static auto directives() {
    return std::array{Directive{".registers", &DirectiveReader::registers, {}},
                      Directive{".flags", &DirectiveReader::flags, {}},
                      Directive{".literal", &DirectiveReader::literal, {}},
                      Directive{".sampler", &DirectiveReader::sampler, {}},
                      Directive{".control", &DirectiveReader::control, {}},
                      Directive{".cube", &DirectiveReader::cube, {}},
                      Directive{".input", &DirectiveReader::input, Stage::fragment},
                      Directive{".texel", &DirectiveReader::texel, Stage::fragment},
                      Directive{".output", &DirectiveReader::output, Stage::fragment},
                      Directive{".results", &DirectiveReader::results, Stage::vertex},
                      Directive{".reads", &DirectiveReader::reads, Stage::vertex},
                      Directive{".numbers", &DirectiveReader::numbers, Stage::vertex}};
  }

  Result<bool> read() {
    for (const Directive& directive : directives()) {
      if (words_[0].text != directive.name) continue;
      if (directive.stage && *directive.stage != program_.stage)
        return words_[0].position.error(std::string(directive.name) + " belongs to " +
                                        std::string(stage_name(*directive.stage)) + " programs");
      WARPJIT_CHECK((this->*directive.read)());
      return true;
    }
    return false;
  }

 private:
  Error wrong(std::size_t at, const std::string& wanted) const {
    if (at >= words_.size())
      return words_.back().position.error("expected " + wanted + " behind " +
                                          text::quoted(words_.back().text));
    return words_[at].position.error("expected " + wanted + ", found " + text::quoted(words_[at].text));
  }
  std::string_view word(std::size_t at) const {
    return at < words_.size() ? words_[at].text : std::string_view();
  }
  Status number(std::size_t at, std::string_view key, std::uint64_t most, auto& out) const {
    const auto found = number_of(word(at), key, most);
    if (!found) return wrong(at, std::string(key) + ":number, up to " + std::to_string(most));
    out = static_cast<std::remove_reference_t<decltype(out)>>(*found);
    return {};
  }
  Status end(std::size_t at) const { return at < words_.size() ? Status(wrong(at, "the end")) : Status(); }

  Status registers() {
    for (std::size_t at = 1; at < words_.size(); ++at) {
      if (const auto pa = number_of(word(at), "pa", kMaxRegisters))
        program_.primary_attributes = *pa;
      else if (const auto sa = number_of(word(at), "sa", kMaxRegisters))
        program_.secondary_attributes = *sa;
      else if (const auto r = number_of(word(at), "r", kMaxRegisters))
        program_.temporaries = *r;
      else
        return wrong(at, "pa:, sa: or r: and a number up to 256");
    }
    return {};
  }
  Status flags() {
    for (std::size_t at = 1; at < words_.size(); ++at) {
      const auto* const found =
          std::ranges::find_if(kFlags, [&](const auto& flag) { return flag.second == word(at); });
      if (found == std::end(kFlags)) {
        std::string known;
        for (const auto& flag : kFlags) known += (known.empty() ? "" : ", ") + std::string(flag.second);
        return wrong(at, "a flag, one of " + known);
      }
      program_.flags |= 1U << static_cast<unsigned>(found->first);
    }
    return {};
  }
  // The container whose entries count from sa0.
  void need_container(std::uint16_t index) {
    if (program_.container(index) == nullptr)
      program_.containers.push_back({index, 0, static_cast<std::uint16_t>(kMaxRegisters)});
  }
  Status literal() {
    Literal literal;
    WARPJIT_CHECK(number(1, "sa", kMaxRegisters - 1, literal.offset));
    const auto value = text::parse_unsigned(word(2));
    if (!value) return wrong(2, "a word");
    literal.value = static_cast<std::uint32_t>(*value);
    need_container(kLiteralContainer);
    program_.literals.push_back(literal);
    return end(3);
  }
  Status control_word(DependentSampler sampler) {
    need_container(kDataContainer);
    if (program_.dependent_samplers.size() >= kMaxRegisters)
      return words_[0].position.error("more control words than secondary attributes");
    program_.dependent_samplers.push_back(sampler);
    return {};
  }
  Status sampler() {
    DependentSampler sampler;
    WARPJIT_CHECK(number(1, "unit", kTextureUnits - 1, sampler.unit));
    WARPJIT_CHECK(number(2, "sa", kMaxRegisters - kControlWords, sampler.offset));
    for (unsigned k = 0; k < kControlWords; ++k, ++sampler.offset) {
      sampler.word = static_cast<std::uint8_t>(k);
      WARPJIT_CHECK(control_word(sampler));
    }
    return end(3);
  }
  Status control() {
    DependentSampler sampler;
    WARPJIT_CHECK(number(1, "unit", kTextureUnits - 1, sampler.unit));
    WARPJIT_CHECK(number(2, "word", kControlWords - 1, sampler.word));
    WARPJIT_CHECK(number(3, "sa", kMaxRegisters - 1, sampler.offset));
    WARPJIT_CHECK(control_word(sampler));
    return end(4);
  }
  Status cube() {
    Parameter parameter;
    parameter.category = Category::sampler;
    parameter.cube = true;
    WARPJIT_CHECK(number(1, "unit", kTextureUnits - 1, parameter.resource));
    if (program_.parameters.size() >= kMaxFragmentInputs)
      return words_[0].position.error("too many parameters");
    program_.parameters.push_back(parameter);
    return end(2);
  }

  Status add(FragmentInput input, bool own_components) {
    if (program_.fragment.inputs.size() >= kMaxFragmentInputs)
      return words_[0].position.error("more than 256 inputs");
    encode(input, own_components);
    program_.fragment.inputs.push_back(input);
    return {};
  }
  Status input() {
    FragmentInput::Iterated iterated;
    const auto value = find_value(word(1));
    if (!value) return wrong(1, "texcoord0 to texcoord9, color0, color1, fog, position or point");
    std::tie(iterated.value, iterated.index) = *value;
    const auto format = find(kFormats, word(2));
    if (!format) return wrong(2, "f32, f16, c10 or u8");
    iterated.format = static_cast<FragmentInput::Format>(*format);
    if (iterated.format == FragmentInput::Format::u8 && iterated.value != Value::color)
      return wrong(2, "f32, f16 or c10: colours alone are bytes");
    const auto components = text::parse_unsigned(word(3), 4);
    if (!components || *components == 0) return wrong(3, "1 to 4 components");
    iterated.components = static_cast<std::uint8_t>(*components);
    iterated.words =
        static_cast<std::uint8_t>((iterated.components + kPerWord[*format] - 1) / kPerWord[*format]);
    if (words_.size() > 4) WARPJIT_CHECK(words_of(4, iterated.words));
    WARPJIT_CHECK(end(5));
    FragmentInput added;
    added.iterated = iterated;
    return add(added, false);
  }
  Status words_of(std::size_t at, std::uint8_t& words) const {
    WARPJIT_CHECK(number(at, "words", 4, words));
    return words == 0 ? Status(wrong(at, "1 to 4 words")) : Status();
  }
  Status texel() {
    FragmentInput::Sampled sampled;
    const auto value = find_value(word(1));
    if (!value || (value->first != Value::texcoord && value->first != Value::point))
      return wrong(1, "texcoord0 to texcoord9, or point");
    std::tie(sampled.value, sampled.index) = *value;
    const auto format = find(kTexels, word(2));
    if (!format) return wrong(2, "native, f16 or f32");
    sampled.format = static_cast<FragmentInput::Texel>(*format);
    WARPJIT_CHECK(number(3, "unit", kTextureUnits - 1, sampled.unit));
    WARPJIT_CHECK(words_of(4, sampled.words));
    bool own = false;
    for (std::size_t at = 5; at < words_.size(); ++at) {
      if (word(at) == "by_z")
        sampled.projection = FragmentInput::Projection::by_z;
      else if (word(at) == "by_w")
        sampled.projection = FragmentInput::Projection::by_w;
      else if (word(at) == "centroid")
        sampled.centroid = true;
      else if (word(at) == "own")
        own = true;
      else
        return wrong(at, "by_z, by_w, centroid or own");
    }
    FragmentInput added;
    added.sampled = sampled;
    return add(added, own);
  }
  Status output() {
    FragmentInterface& fragment = program_.fragment;
    constexpr ParameterType kTypes[] = {ParameterType::f32, ParameterType::f16, ParameterType::c10,
                                        ParameterType::u32, ParameterType::s32, ParameterType::u16,
                                        ParameterType::s16, ParameterType::u8,  ParameterType::s8};
    const auto* const type =
        std::ranges::find_if(kTypes, [&](ParameterType known) { return name(known) == word(1); });
    if (type == std::end(kTypes)) return wrong(1, "f32, f16, c10, u32, s32, u16, s16, u8 or s8");
    fragment.output_type = *type;
    const auto components = text::parse_unsigned(word(2), 4);
    if (!components) return wrong(2, "0 to 4 components");
    fragment.output_components = static_cast<std::uint8_t>(*components);
    if (words_.size() > 3) WARPJIT_CHECK(number(3, "pa", kMaxRegisters - 1, fragment.output_start));
    return end(4);
  }

  Status results() {
    VertexInterface& vertex = program_.vertex;
    if (word(1) != "position") return wrong(1, "position");
    for (std::size_t at = 2; at < words_.size(); ++at) WARPJIT_CHECK(result(at));
    unsigned words = 4 + (vertex.color[0] ? 4 : 0) + (vertex.color[1] ? 4 : 0) + (vertex.fog ? 2 : 0) +
                     (vertex.point_size ? 1 : 0) +
                     static_cast<unsigned>(std::popcount(vertex.clip_distances));
    for (unsigned n = 0; n < kTexcoords; ++n) words += vertex.texcoord_words(n);
    vertex.words = static_cast<std::uint8_t>(words);
    return {};
  }
  Status result(std::size_t at) {
    VertexInterface& vertex = program_.vertex;
    const std::string_view name = word(at);
    if (name == "fog") {
      vertex.fog = true;
    } else if (name == "point_size") {
      vertex.point_size = true;
    } else if (name == "color0" || name == "color1") {
      vertex.color[name.back() == '1' ? 1 : 0] = true;
    } else if (name.size() == 5 && name.starts_with("clip") && name[4] >= '0' && name[4] <= '7') {
      vertex.clip_distances |= static_cast<std::uint8_t>(1U << (name[4] - '0'));
    } else {
      return texcoord(at);
    }
    return {};
  }
  // "texcoord0.xyz.half".
  Status texcoord(std::size_t at) {
    VertexInterface& vertex = program_.vertex;
    std::string_view rest = word(at);
    const std::string wanted = "color0, color1, fog, texcoord0.xy, point_size, clip0 or the like";
    const auto value = find_value(rest.substr(0, rest.find('.')));
    if (!value || value->first != Value::texcoord || rest.find('.') == std::string_view::npos)
      return wrong(at, wanted);
    const unsigned n = value->second;
    rest.remove_prefix(rest.find('.') + 1);
    if (rest.ends_with(".half")) {
      vertex.half_texcoords |= 1U << n;
      rest.remove_suffix(5);
    }
    unsigned bits = 0;
    for (unsigned part = 0; part < std::size(kTexcoordParts); ++part)
      if (rest.starts_with(kTexcoordParts[part])) {
        bits |= 1U << part;
        rest.remove_prefix(kTexcoordParts[part].size());
      }
    if (!rest.empty() || bits == 0) return wrong(at, wanted);
    vertex.texcoord_bits[n] = static_cast<std::uint8_t>(bits);
    vertex.texcoord[n] = static_cast<std::uint8_t>((bits & 1) * 2 + (bits >> 1 & 1) + (bits >> 2 & 1));
    return {};
  }
  Status reads() {
    const auto live = text::parse_unsigned(word(1), UINT64_MAX);
    if (!live) return wrong(1, "a bit for each word of pa");
    program_.vertex.live = *live;
    return end(2);
  }
  Status numbers() {
    for (std::size_t at = 1; at < words_.size(); ++at) {
      if (const auto index = number_of(word(at), "index", kMaxRegisters - 1))
        program_.vertex.index = static_cast<std::uint16_t>(*index);
      else if (const auto instance = number_of(word(at), "instance", kMaxRegisters - 1))
        program_.vertex.instance = static_cast<std::uint16_t>(*instance);
      else
        return wrong(at, "index: or instance: and a number up to 255");
    }
    return {};
  }

  std::span<const Token> words_;
  Program& program_;
};

std::string key(const char* name, unsigned number) {
  return " " + std::string(name) + std::to_string(number);
}

void list_samplers(const Program& program, std::string& text) {
  const RegisterContainer* const data = program.container(kDataContainer);
  const unsigned base = data == nullptr ? 0 : data->base;
  const auto& samplers = program.dependent_samplers;
  for (std::size_t n = 0; n < samplers.size(); ++n) {
    const DependentSampler& first = samplers[n];
    bool whole = n + kControlWords <= samplers.size();
    for (unsigned k = 0; whole && k < kControlWords; ++k)
      whole = samplers[n + k] == DependentSampler{first.unit, static_cast<std::uint8_t>(k),
                                                  static_cast<std::uint16_t>(first.offset + k)};
    if (whole) {
      text += ".sampler" + key("unit:", first.unit) + key("sa:", base + first.offset) + "\n";
      n += kControlWords - 1;
    } else {
      text += ".control" + key("unit:", first.unit) + key("word:", first.word) +
              key("sa:", base + first.offset) + "\n";
    }
  }
}

void list_fragment(const Program& program, std::string& text) {
  const FragmentInterface& fragment = program.fragment;
  for (const FragmentInput& input : fragment.inputs) {
    if (const auto& iterated = input.iterated) {
      const auto format = static_cast<std::size_t>(iterated->format);
      text += ".input " + value_name(iterated->value, iterated->index) + " " + std::string(kFormats[format]) +
              " " + std::to_string(iterated->components) + key("words:", iterated->words) + "\n";
    }
    if (const auto& sampled = input.sampled) {
      text += ".texel " + value_name(sampled->value, sampled->index) + " " +
              std::string(kTexels[static_cast<std::size_t>(sampled->format)]) + key("unit:", sampled->unit) +
              key("words:", sampled->words);
      if (sampled->projection == FragmentInput::Projection::by_z) text += " by_z";
      if (sampled->projection == FragmentInput::Projection::by_w) text += " by_w";
      if (sampled->centroid) text += " centroid";
      if (input.own_components()) text += " own";
      text += "\n";
    }
  }
  if (fragment.output_components != 0 || fragment.output_start != 0 ||
      fragment.output_type != ParameterType{})
    text += ".output " + std::string(name(fragment.output_type)) + " " +
            std::to_string(fragment.output_components) + key("pa:", fragment.output_start) + "\n";
}

void list_vertex(const Program& program, std::string& text) {
  const VertexInterface& vertex = program.vertex;
  if (vertex.words != 0) {
    text += ".results position";
    for (unsigned n = 0; n < 2; ++n)
      if (vertex.color[n]) text += key("color", n);
    if (vertex.fog) text += " fog";
    for (unsigned n = 0; n < kTexcoords; ++n) {
      if (vertex.texcoord_bits[n] == 0) continue;
      text += key("texcoord", n) + ".";
      for (unsigned part = 0; part < std::size(kTexcoordParts); ++part)
        if ((vertex.texcoord_bits[n] >> part & 1) != 0) text += kTexcoordParts[part];
      if ((vertex.half_texcoords >> n & 1) != 0) text += ".half";
    }
    if (vertex.point_size) text += " point_size";
    for (unsigned n = 0; n < 8; ++n)
      if ((vertex.clip_distances >> n & 1) != 0) text += key("clip", n);
    char live[32];
    std::snprintf(live, sizeof live, "0x%llx", static_cast<unsigned long long>(vertex.live));
    text += "\n.reads " + std::string(live) + "\n";
  }
  if (!vertex.index && !vertex.instance) return;
  text += ".numbers";
  if (vertex.index) text += key("index:", *vertex.index);
  if (vertex.instance) text += key("instance:", *vertex.instance);
  text += "\n";
}

}  // namespace

std::span<const std::pair<Flag, const char*>> flag_names() { return kFlags; }

Result<bool> read_interface(std::span<const Token> words, Program& program) {
  return DirectiveReader(words, program).read();
}

std::string list_directives() {
  std::string text;
  for (const DirectiveReader::Directive& directive : DirectiveReader::directives())
    text += (text.empty() ? "" : ", ") + std::string(directive.name);
  return text;
}

Status finish_interface(Program& program) {
  unsigned words = 0;
  for (const FragmentInput& input : program.fragment.inputs) words += input.words();
  if (words > program.primary_attributes)
    return Error{ErrorCode::bad_input,
                 "the inputs are " + std::to_string(words) + " words, but there are " +
                     std::to_string(program.primary_attributes) + " primary attributes",
                 program.source_name};
  number_units(program);
  // Without `.reads` all are.
  if (program.vertex.words != 0 && program.vertex.live == 0)
    program.vertex.live = low_mask<std::uint64_t>(std::min(64U, program.primary_attributes));
  return {};
}

std::string list_interface(const Program& program) {
  std::string text;
  if (program.primary_attributes != kMaxRegisters || program.secondary_attributes != kMaxRegisters ||
      program.temporaries != kMaxRegisters)
    text += ".registers" + key("pa:", std::min(program.primary_attributes, kMaxRegisters)) +
            key("sa:", std::min(program.secondary_attributes, kMaxRegisters)) +
            key("r:", std::min(program.temporaries, kMaxRegisters)) + "\n";
  std::string flags;
  for (const auto& [flag, flag_name] : kFlags)
    if (program.has(flag)) flags += " " + std::string(flag_name);
  if (!flags.empty()) text += ".flags" + flags + "\n";
  const RegisterContainer* literals = program.container(kLiteralContainer);
  if (literals == nullptr) literals = program.container(kDataContainer);
  for (const Literal& literal : program.literals) {
    const std::uint32_t at = literal.offset + (literals == nullptr ? 0U : literals->base);
    if (at >= kMaxRegisters) continue;  // no register: nothing reads it
    char value[16];
    std::snprintf(value, sizeof value, " 0x%08x", static_cast<unsigned>(literal.value));
    text += ".literal" + key("sa:", at) + value + "\n";
  }
  list_samplers(program, text);
  for (const Parameter& parameter : program.parameters)
    if (parameter.category == Category::sampler && parameter.cube && parameter.resource < kTextureUnits)
      text += ".cube" + key("unit:", parameter.resource) + "\n";
  if (program.stage == Stage::fragment)
    list_fragment(program, text);
  else
    list_vertex(program, text);
  return text;
}

}  // namespace warpjit::usse
