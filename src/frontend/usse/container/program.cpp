#include "frontend/usse/container/program.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "frontend/encoding/names.h"
#include "frontend/usse/encoding/decode.h"

namespace warpjit::usse {
namespace {

constexpr std::pair<Stage, std::string_view> kStageNames[] = {{Stage::vertex, "vertex"},
                                                              {Stage::fragment, "fragment"}};
constexpr std::string_view kCategories[] = {"attribute", "uniform", "sampler", "auxiliary_surface",
                                            "uniform_buffer"};
constexpr std::string_view kTypes[] = {"f32", "f16", "c10", "u32", "s32",
                                       "u16", "s16", "u8",  "s8",  "aggregate"};
constexpr std::string_view kSemanticNames[] = {
    "",         "attr",    "bcol",     "binormal", "blendindices", "blendweight",
    "color",    "diffuse", "fogcoord", "normal",   "pointsize",    "position",
    "specular", "tangent", "texcoord", "index",    "instance"};
static_assert(std::size(kSemanticNames) == kSemantics);

}  // namespace

std::string_view stage_name(Stage stage) { return encoding::look_up(kStageNames, stage); }
std::optional<Stage> find_stage(std::string_view name) { return encoding::find_name(kStageNames, name); }

std::string_view name(Category category) { return kCategories[static_cast<std::size_t>(category)]; }
std::string_view name(ParameterType type) { return kTypes[static_cast<std::size_t>(type)]; }
std::string_view semantic_name(std::uint8_t semantic) {
  return semantic < kSemantics ? kSemanticNames[semantic] : std::string_view{};
}
unsigned bytes_of(ParameterType type) {
  switch (type) {
    case ParameterType::f16:
    case ParameterType::c10:
    case ParameterType::u16:
    case ParameterType::s16:
      return 2;
    case ParameterType::u8:
    case ParameterType::s8:
      return 1;
    default:
      return 4;
  }
}

const RegisterContainer* Program::container(std::uint16_t index) const {
  for (const RegisterContainer& container : containers)
    if (container.index == index) return &container;
  return nullptr;
}

std::string Program::where(bool in_secondary, std::size_t word) const {
  const std::vector<std::uint64_t>& code = in_secondary ? secondary : primary;
  char text[64];
  std::snprintf(text, sizeof text, "%s word %zu (0x%016" PRIx64 ")", in_secondary ? "secondary" : "primary",
                word, word < code.size() ? code[word] : 0);
  return source_name.empty() ? std::string(text) : source_name + ", " + text;
}

void number_units(Program& program) {
  if (!program.dependent_samplers.empty()) return;
  std::vector<std::uint16_t> places;
  for (const auto* const code : {&program.secondary, &program.primary})
    for (const std::uint64_t word : *code) {
      const Result<Instruction> i = decode(word);
      if (!i || i->opcode != Opcode::smp || i->s[1].bank != Bank::sa || i->s[1].index != 0) continue;
      const auto place = std::ranges::lower_bound(places, i->s[1].number);
      if (place == places.end() || *place != i->s[1].number) places.insert(place, i->s[1].number);
    }
  const RegisterContainer* const data = program.container(kDataContainer);
  const unsigned base = data == nullptr ? 0 : data->base;
  for (unsigned unit = 0; unit < std::min<std::size_t>(places.size(), kTextureUnits); ++unit) {
    if (places[unit] < base || places[unit] + kControlWords > kMaxRegisters) continue;
    for (unsigned k = 0; k < kControlWords; ++k)
      program.dependent_samplers.push_back({static_cast<std::uint8_t>(unit), static_cast<std::uint8_t>(k),
                                            static_cast<std::uint16_t>(places[unit] - base + k)});
  }
}

Result<Program> read_words(std::span<const std::byte> bytes, Stage stage, const std::string& file_name) {
  if (bytes.empty() || bytes.size() % 8 != 0)
    return Error{ErrorCode::bad_input,
                 "USSE instructions are 8 bytes each, but there are " + std::to_string(bytes.size()),
                 file_name};
  if (bytes.size() / 8 > kMaxCodeWords)
    return Error{ErrorCode::resource_limit, "more code than 65536 instructions", file_name};
  Program program;
  program.stage = stage;
  program.source_name = file_name;
  program.primary.resize(bytes.size() / 8);
  for (std::size_t k = 0; k < bytes.size(); ++k)
    program.primary[k / 8] |= std::to_integer<std::uint64_t>(bytes[k]) << (k % 8 * 8);
  number_units(program);
  return program;
}

Result<std::vector<std::byte>> write_words(const Program& program) {
  if (!program.secondary.empty())
    return Error{ErrorCode::bad_input, "bare words hold a primary program alone", program.source_name};
  std::vector<std::byte> bytes(8 * program.primary.size());
  for (std::size_t k = 0; k < bytes.size(); ++k)
    bytes[k] = static_cast<std::byte>(program.primary[k / 8] >> (k % 8 * 8));
  return bytes;
}

}  // namespace warpjit::usse
