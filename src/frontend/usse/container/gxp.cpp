#include "frontend/usse/container/gxp.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/bits.h"
#include "base/text.h"

namespace warpjit::usse {
namespace {

constexpr std::ptrdiff_t kMaxName = 4096;  // bytes

constexpr std::uint32_t kMinor4Header = 0x98, kHeader = 0x9c;
constexpr std::uint32_t kMaxParameters = 1 << 12;

// A field of the file: its place and what it is called in messages.
struct GxpField {
  std::uint32_t at = 0;
  const char* name = "";
};

class GxpReader {
 public:
  GxpReader(std::span<const std::byte> bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  Result<Program> read();

 private:
  Error wrong(const GxpField& field, const std::string& message,
              ErrorCode code = ErrorCode::bad_input) const {
    char at[24];
    std::snprintf(at, sizeof at, "byte 0x%x", field.at);
    return {code, std::string(field.name) + ": " + message, file_.empty() ? at : file_ + ", " + at};
  }

  // Whoever reads has checked that the field is inside.
  std::uint32_t u8(std::uint32_t at) const { return std::to_integer<std::uint32_t>(bytes_[at]); }
  std::uint32_t u16(std::uint32_t at) const { return u8(at) | u8(at + 1) << 8; }
  std::uint32_t u32(std::uint32_t at) const { return u16(at) | u16(at + 2) << 16; }
  std::uint64_t u64(std::uint32_t at) const { return u32(at) | std::uint64_t{u32(at + 4)} << 32; }

  // The place that an offset in a field leads to, with `bytes` after it.
  Result<std::uint32_t> follow(const GxpField& field, std::uint64_t bytes) const {
    const std::int64_t target = std::int64_t{field.at} + static_cast<std::int32_t>(u32(field.at));
    if (target < 0 || static_cast<std::uint64_t>(target) + bytes > size_)
      return wrong(field,
                   "what it leads to is outside the " + std::to_string(size_) + " bytes of the program");
    return static_cast<std::uint32_t>(target);
  }
  // A table: a count and, in the next word, its offset. Calls entry(place) for each.
  template <class Entry>
  Status table(const GxpField& count_field, std::uint32_t entry_bytes, std::uint32_t most,
               const Entry& entry) const {
    const std::uint32_t count = u32(count_field.at);
    if (count == 0) return {};
    if (count > most)
      return wrong(count_field, "more than " + std::to_string(most), ErrorCode::resource_limit);
    WARPJIT_TRY(const std::uint32_t first,
                follow({count_field.at + 4, count_field.name}, std::uint64_t{count} * entry_bytes));
    for (std::uint32_t k = 0; k < count; ++k) {
      WARPJIT_CHECK(entry(first + k * entry_bytes));
    }
    return {};
  }

  Status header();
  Status code();
  Result<Parameter> parameter(std::uint32_t at) const;
  Status tables();
  Status vertex_block(std::uint32_t at, std::uint32_t bytes);
  Result<FragmentInput> fragment_input(std::uint32_t at) const;
  Status fragment_block(std::uint32_t at);
  // Secondary attribute `offset` after the base of a container.
  Status check_secondary(const GxpField& field, std::uint64_t base, std::uint64_t offset) const {
    if (base + offset < kMaxRegisters) return {};
    return wrong(field, "there is no secondary attribute " + std::to_string(base + offset));
  }
  std::uint32_t base(std::uint16_t container) const {
    const RegisterContainer* const found = program_.container(container);
    return found == nullptr ? 0 : found->base;
  }

  std::span<const std::byte> bytes_;
  const std::string& file_;
  std::uint32_t size_ = 0;
  bool minor4_ = false;
  Program program_;
};

Status GxpReader::header() {
  if (bytes_.size() < kMinor4Header) return wrong({0, "header"}, "the file ends in it");
  if (!is_gxp(bytes_)) return wrong({0, "magic"}, "this is no GXP");
  if (u8(4) != 1) return wrong({4, "major version"}, std::to_string(u8(4)) + " is not known, 1 is");
  if (u8(5) != 4 && u8(5) != 5)
    return wrong({5, "minor version"}, std::to_string(u8(5)) + " is not known, 4 and 5 are");
  minor4_ = u8(5) == 4;
  size_ = u32(8);
  if (size_ > bytes_.size())
    return wrong({8, "size"},
                 std::to_string(size_) + " bytes, but the file has " + std::to_string(bytes_.size()));
  if (size_ < (minor4_ ? kMinor4Header : kHeader)) return wrong({8, "size"}, "less than the header");
  program_.flags = u32(0x14);
  program_.stage = program_.has(Flag::fragment) ? Stage::fragment : Stage::vertex;
  if ((program_.flags >> 8 & 3) != 0)
    return wrong({0x14, "flags"}, "native colour with several samples is not supported",
                 ErrorCode::unsupported);
  program_.buffer_flags = u32(0x18);
  program_.texture_units = u64(0x1c);
  program_.primary_attributes = u16(0x30);
  program_.secondary_attributes = u16(0x32);
  program_.temporaries = u32(0x34);
  program_.phases = u16(0x3a);
  program_.scratch_bytes = u32(0x50);
  program_.thread_bytes = u32(0x54);
  program_.default_words = u32(0x64);
  program_.texture_buffer_samplers = u32(0x88);
  for (const auto& [field, count] :
       {std::pair(GxpField{0x30, "primary attributes"}, program_.primary_attributes),
        std::pair(GxpField{0x32, "secondary attributes"}, program_.secondary_attributes),
        std::pair(GxpField{0x34, "temporaries"}, program_.temporaries)})
    if (count > kMaxRegisters)
      return wrong(field, "more than " + std::to_string(kMaxRegisters) + " registers");
  if (program_.phases == 0 || program_.phases > 2)
    return wrong({0x3a, "phases"}, std::to_string(program_.phases) + ", but programs have 1 or 2");
  return {};
}

Status GxpReader::code() {
  const auto words = [&](const GxpField& count_field, std::uint32_t count,
                         std::vector<std::uint64_t>& code) -> Status {
    if (count > kMaxCodeWords)
      return wrong(count_field, "more than " + std::to_string(kMaxCodeWords) + " instructions",
                   ErrorCode::resource_limit);
    if (count == 0) return {};
    WARPJIT_TRY(const std::uint32_t first,
                follow({count_field.at + 4, count_field.name}, std::uint64_t{count} * 8));
    code.resize(count);
    for (std::uint32_t k = 0; k < count; ++k) code[k] = u64(first + 8 * k);
    return {};
  };
  const GxpField primary{0x3c, "primary program"}, secondary{0x44, "secondary program"};
  if (u32(primary.at) == 0) return wrong(primary, "it has no instructions");
  WARPJIT_CHECK(words(primary, u32(primary.at), program_.primary));
  // Its length stands there twice.
  const std::int64_t begin = std::int64_t{0x48} + static_cast<std::int32_t>(u32(0x48));
  const std::int64_t end = std::int64_t{0x4c} + static_cast<std::int32_t>(u32(0x4c));
  const std::int64_t length = end > begin ? (end - begin) / 8 : 0;
  if (length != u32(secondary.at))
    return wrong({0x4c, "end of the secondary program"}, "it says " + std::to_string(length) +
                                                             " instructions, the count " +
                                                             std::to_string(u32(secondary.at)));
  return words(secondary, u32(secondary.at), program_.secondary);
}

Result<Parameter> GxpReader::parameter(std::uint32_t at) const {
  Parameter parameter;
  WARPJIT_TRY(const std::uint32_t name, follow({at, "name of a parameter"}, 1));
  const auto first = bytes_.begin() + name, end = bytes_.begin() + size_;
  const auto nul = std::find(first, end, std::byte{0});
  if (nul == end) return wrong({at, "name of a parameter"}, "it does not end");
  if (nul - first > kMaxName) return wrong({at, "name of a parameter"}, "it is longer than 4096 bytes");
  std::string text;
  for (auto byte = first; byte != nul; ++byte)
    text += static_cast<char>(std::to_integer<unsigned char>(*byte));
  parameter.name = text::visible(text);
  const GxpField kind{at + 4, "kind of a parameter"};
  const std::uint32_t bits = u16(kind.at);
  if ((bits & 15) > 4) return wrong(kind, "category " + std::to_string(bits & 15) + " is not defined");
  if ((bits >> 4 & 15) > 9) return wrong(kind, "type " + std::to_string(bits >> 4 & 15) + " is not defined");
  parameter.category = static_cast<Category>(bits & 15);
  parameter.type = static_cast<ParameterType>(bits >> 4 & 15);
  parameter.components = static_cast<std::uint8_t>(bits >> 8 & 15);
  parameter.container = static_cast<std::uint8_t>(bits >> 12);
  parameter.semantic = static_cast<std::uint8_t>(u8(at + 6));
  if (parameter.semantic >= kSemantics)
    return wrong({at + 6, "semantic of a parameter"}, std::to_string(parameter.semantic) + " is not defined");
  const std::uint32_t index = u8(at + 7);
  parameter.semantic_index = static_cast<std::uint8_t>(index & 15);
  parameter.cube = parameter.category == Category::sampler && (index & 16) != 0;
  parameter.array_size = u32(at + 8);
  parameter.resource = u32(at + 12);
  const GxpField resource{at + 12, "resource of a parameter"};
  const GxpField array{at + 8, "array size of a parameter"};
  switch (parameter.category) {
    case Category::attribute:
    case Category::uniform:
      if (parameter.components > 4) return wrong(kind, "more than four components");
      if (parameter.array_size > 1 << 14) return wrong(array, "more than 16384 elements");
      if (parameter.resource >= (parameter.category == Category::attribute ? kMaxRegisters : 1U << 20))
        return wrong(resource, "there is no word " + std::to_string(parameter.resource));
      break;
    case Category::sampler:
      if (parameter.resource >= kTextureUnits)
        return wrong(resource, "there is no texture unit " + std::to_string(parameter.resource));
      break;
    case Category::uniform_buffer:
      if (parameter.resource > kDefaultContainer)
        return wrong(resource, "there is no buffer " + std::to_string(parameter.resource));
      break;
    case Category::auxiliary_surface:
      break;
  }
  return parameter;
}

Status GxpReader::tables() {
  WARPJIT_CHECK(table({0x24, "parameters"}, 16, kMaxParameters, [&](std::uint32_t at) -> Status {
    WARPJIT_TRY(Parameter read, parameter(at));
    program_.parameters.push_back(std::move(read));
    return {};
  }));
  WARPJIT_CHECK(table({0x90, "containers"}, 8, kContainers, [&](std::uint32_t at) -> Status {
    const GxpField field{at, "container"};
    const RegisterContainer container{static_cast<std::uint16_t>(u16(at)),
                                      static_cast<std::uint16_t>(u16(at + 4)),
                                      static_cast<std::uint16_t>(u16(at + 6))};
    if (container.index >= kContainers)
      return wrong(field, std::to_string(container.index) + " is not defined");
    if (program_.container(container.index) != nullptr)
      return wrong(field, std::to_string(container.index) + " is there twice");
    if (container.base + container.words > static_cast<int>(kMaxRegisters))
      return wrong({at + 4, "registers of a container"}, "there are no such secondary attributes");
    program_.containers.push_back(container);
    return {};
  }));
  const std::uint32_t data = base(kDataContainer);
  const std::uint32_t literals =
      program_.container(kLiteralContainer) != nullptr ? base(kLiteralContainer) : data;
  WARPJIT_CHECK(table({0x70, "literals"}, 8, kMaxRegisters, [&](std::uint32_t at) -> Status {
    const Literal literal{u32(at), u32(at + 4)};
    WARPJIT_CHECK(check_secondary({at, "literal"}, literals, literal.offset));
    program_.literals.push_back(literal);
    return {};
  }));
  WARPJIT_CHECK(table({0x78, "uniform buffers"}, 8, kMaxRegisters, [&](std::uint32_t at) -> Status {
    const UniformBuffer buffer{static_cast<std::uint16_t>(u16(at)), static_cast<std::uint16_t>(u16(at + 2)),
                               static_cast<std::int32_t>(u32(at + 4))};
    if (buffer.buffer > kDefaultContainer)
      return wrong({at, "uniform buffer"}, "there is no buffer " + std::to_string(buffer.buffer));
    WARPJIT_CHECK(check_secondary({at + 2, "register of a uniform buffer"}, data, buffer.offset));
    program_.uniform_buffers.push_back(buffer);
    return {};
  }));
  return table(
      {0x80, "dependent samplers"}, 4, kTextureUnits * kControlWords, [&](std::uint32_t at) -> Status {
        const std::uint32_t word = u16(at);
        if (word >= kTextureUnits * kControlWords)
          return wrong({at, "dependent sampler"}, "there is no control word " + std::to_string(word));
        const DependentSampler sampler{static_cast<std::uint8_t>(word / kControlWords),
                                       static_cast<std::uint8_t>(word % kControlWords),
                                       static_cast<std::uint16_t>(u16(at + 2))};
        WARPJIT_CHECK(check_secondary({at + 2, "register of a dependent sampler"}, data, sampler.offset));
        program_.dependent_samplers.push_back(sampler);
        return {};
      });
}

Status GxpReader::vertex_block(std::uint32_t at, std::uint32_t bytes) {
  VertexInterface& vertex = program_.vertex;
  vertex.live = u64(at);
  vertex.untyped = u64(at + 8);
  const std::uint32_t out1 = u32(at + 16), out2 = u32(at + 20);
  vertex.clip_distances = static_cast<std::uint8_t>(out1);
  vertex.point_size = (out1 >> 8 & 1) != 0;
  vertex.fog = (out1 >> 9 & 1) != 0;
  vertex.color = {(out1 >> 11 & 1) != 0, (out1 >> 10 & 1) != 0};
  vertex.words = static_cast<std::uint8_t>(out1 >> 24);
  vertex.half_texcoords = u32(at + 24) & low_mask<std::uint32_t>(kTexcoords);
  unsigned words = 4 + (vertex.color[0] ? 4 : 0) + (vertex.color[1] ? 4 : 0) + (vertex.fog ? 2 : 0) +
                   (vertex.point_size ? 1 : 0);
  for (unsigned n = 0; n < 8; ++n) words += vertex.clip_distances >> n & 1;
  for (unsigned n = 0; n < kTexcoords; ++n) {
    const std::uint32_t bits = out2 >> 3 * n & 7;
    vertex.texcoord_bits[n] = static_cast<std::uint8_t>(bits);
    vertex.texcoord[n] = static_cast<std::uint8_t>((bits & 1) * 2 + (bits >> 1 & 1) + (bits >> 2 & 1));
    words += vertex.texcoord_words(n);
  }
  if (words != vertex.words)
    return wrong({at + 16, "vertex outputs"}, "they are " + std::to_string(words) + " words, but " +
                                                  std::to_string(vertex.words) + " are declared");
  if (!minor4_ && bytes >= 32) {
    if (program_.has(Flag::uses_index)) vertex.index = static_cast<std::uint16_t>(u16(at + 28));
    if (program_.has(Flag::uses_instance)) vertex.instance = static_cast<std::uint16_t>(u16(at + 30));
  }
  for (const auto& word : {vertex.index, vertex.instance})
    if (word && *word >= kMaxRegisters)
      return wrong({at + 28, "registers of index and instance"}, "there is no such primary attribute");
  return {};
}

Result<FragmentInput> GxpReader::fragment_input(std::uint32_t at) const {
  using Value = FragmentInput::Value;
  FragmentInput input;
  for (std::uint32_t k = 0; k < 4; ++k) input.raw[k] = u32(at + 4 * k);
  const auto [info, resource, size, component] = input.raw;
  const GxpField field{at, "fragment input"};
  const auto byte = [](std::uint32_t value) { return static_cast<std::uint8_t>(value); };
  if (const std::uint32_t which = info >> 12 & 15; which != 15) {
    FragmentInput::Iterated iterated;
    const bool color = which == 10 || which == 11;
    if (which < kTexcoords)
      iterated.index = byte(which);
    else if (color)
      iterated.value = Value::color, iterated.index = byte(which - 10);
    else if (which == 12)
      iterated.value = Value::fog;
    else if (which == 13)
      iterated.value = Value::position;
    else
      return wrong(field, "iterated value " + std::to_string(which) + " is not defined");
    if ((info >> 30 & 1) != 0) iterated.value = Value::point;
    iterated.components = byte((info >> 22 & 3) + 1);
    const std::uint32_t type = info >> 28 & 3;
    if (type == 3) return wrong(field, "the format of its values is not defined");
    iterated.format = type == 2                        ? FragmentInput::Format::f16
                      : type == 1                      ? FragmentInput::Format::c10
                      : color && (info >> 20 & 1) == 0 ? FragmentInput::Format::u8
                                                       : FragmentInput::Format::f32;
    iterated.words = byte((size >> 4 & 3) + 1);
    input.iterated = iterated;
  }
  if ((info & 0x40f) != 0xf) {
    FragmentInput::Sampled sampled;
    const std::uint32_t coordinate = info & 15;
    sampled.index = byte(coordinate);
    if ((info >> 10 & 1) != 0) {
      sampled.value = Value::point;
      sampled.index = 0;
    } else if (coordinate >= kTexcoords) {
      return wrong(field, "texture coordinate " + std::to_string(coordinate) + " is not defined");
    }
    const std::uint32_t mode = info >> 8 & 3;
    if (mode == 0) return wrong(field, "its texture coordinate has no components");
    sampled.projection = mode == 1   ? FragmentInput::Projection::none
                         : mode == 3 ? FragmentInput::Projection::by_z
                                     : FragmentInput::Projection::by_w;
    sampled.centroid = (info >> 4 & 1) != 0;
    if (resource >= kTextureUnits)
      return wrong({at + 4, "texture unit of a fragment input"},
                   "there is no unit " + std::to_string(resource));
    sampled.unit = byte(resource);
    const std::uint32_t format = component >> 4 & 3;
    if (format == 1) return wrong({at + 12, "format of a fragment input"}, "1 is not defined");
    sampled.format = format == 0   ? FragmentInput::Texel::native
                     : format == 2 ? FragmentInput::Texel::f16
                                   : FragmentInput::Texel::f32;
    sampled.words = byte((size >> 6 & 3) + 1);
    input.sampled = sampled;
  }
  return input;
}

Status GxpReader::fragment_block(std::uint32_t at) {
  FragmentInterface& fragment = program_.fragment;
  fragment.output_start = static_cast<std::uint8_t>(u8(at + 8));
  const std::uint32_t type = u8(at + 10);
  if (type > static_cast<std::uint32_t>(ParameterType::s8))
    return wrong({at + 10, "type of the fragment output"}, std::to_string(type) + " is not defined");
  fragment.output_type = static_cast<ParameterType>(type);
  fragment.output_components = static_cast<std::uint8_t>(u8(at + 11));
  if (fragment.output_components > 4)
    return wrong({at + 11, "components of the fragment output"}, "more than four");
  const std::uint32_t count = u16(at + 12);
  if (count == 0) return {};
  const GxpField field{at + 16, "fragment inputs"};
  if (count > kMaxFragmentInputs)
    return wrong({at + 12, field.name}, "more than 256", ErrorCode::resource_limit);
  WARPJIT_TRY(const std::uint32_t first, follow(field, std::uint64_t{count} * 16));
  unsigned words = 0;
  for (std::uint32_t k = 0; k < count; ++k) {
    WARPJIT_TRY(const FragmentInput input, fragment_input(first + 16 * k));
    words += input.words();
    fragment.inputs.push_back(input);
  }
  if (words > program_.primary_attributes)
    return wrong(field, "they are " + std::to_string(words) + " words, but there are " +
                            std::to_string(program_.primary_attributes) + " primary attributes");
  return {};
}

Result<Program> GxpReader::read() {
  program_.source_name = file_;
  WARPJIT_CHECK(header());
  WARPJIT_CHECK(code());
  WARPJIT_CHECK(tables());
  const bool fragment = program_.stage == Stage::fragment;
  const std::uint32_t bytes = fragment ? 20 : minor4_ ? 28 : 32;
  WARPJIT_TRY(const std::uint32_t varyings, follow({0x2c, "varyings"}, bytes));
  WARPJIT_CHECK(fragment ? fragment_block(varyings) : vertex_block(varyings, bytes));
  return std::move(program_);
}

}  // namespace

bool is_gxp(std::span<const std::byte> bytes) {
  return bytes.size() >= 4 && std::memcmp(bytes.data(), "GXP", 4) == 0;
}

Result<Program> read_gxp(std::span<const std::byte> bytes, const std::string& file_name) {
  return GxpReader(bytes, file_name).read();
}

}  // namespace warpjit::usse
