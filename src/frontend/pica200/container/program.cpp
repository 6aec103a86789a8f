#include "frontend/pica200/container/program.h"

#include <bit>

namespace warpjit::pica200 {
namespace {

struct SemanticName {
  std::string_view name;
  Semantic semantic;
};

// The first name of a semantic is the one that is printed.
constexpr SemanticName kSemantics[] = {
    {"position", Semantic::position},
    {"pos", Semantic::position},
    {"normalquat", Semantic::normalquat},
    {"nquat", Semantic::normalquat},
    {"color", Semantic::color},
    {"clr", Semantic::color},
    {"texcoord0", Semantic::texcoord0},
    {"tcoord0", Semantic::texcoord0},
    {"texcoord0w", Semantic::texcoord0w},
    {"tcoord0w", Semantic::texcoord0w},
    {"texcoord1", Semantic::texcoord1},
    {"tcoord1", Semantic::texcoord1},
    {"texcoord2", Semantic::texcoord2},
    {"tcoord2", Semantic::texcoord2},
    {"view", Semantic::view},
    {"dummy", Semantic::dummy},
};

}  // namespace

std::string_view name(Stage stage) { return stage == Stage::vertex ? "vertex" : "geometry"; }

std::string_view name(Semantic semantic) {
  for (const SemanticName& row : kSemantics)
    if (row.semantic == semantic) return row.name;
  return "unknown";
}

std::optional<Semantic> find_semantic(std::string_view name) {
  for (const SemanticName& row : kSemantics)
    if (row.name == name) return row.semantic;
  return std::nullopt;
}

std::array<float, 4> Constant::floats() const {
  return {decode_f24(raw[0]), decode_f24(raw[1]), decode_f24(raw[2]), decode_f24(raw[3])};
}

const Symbol* ProgramInfo::find_symbol(std::string_view name) const {
  for (const Symbol& symbol : symbols)
    if (symbol.name == name) return &symbol;
  return nullptr;
}

const Output* ProgramInfo::find_output(std::string_view name) const {
  const auto semantic = find_semantic(name);
  const Output* found = nullptr;
  for (const Output& output : outputs) {
    if (!output.name.empty() && output.name == name) return &output;
    if (!semantic || output.semantic != *semantic) continue;
    if (found != nullptr) return nullptr;
    found = &output;
  }
  return found;
}

std::string Program::where(std::uint32_t address) const {
  return where_word(source_name, address, address < code.size() ? code[address] : 0);
}

Result<Program> select_program(const Container& container, const ProgramChoice& choice) {
  const auto make = [&](const ProgramInfo& info) {
    Program result;
    static_cast<ProgramInfo&>(result) = info;
    result.code = container.code;
    result.descriptors = container.descriptors;
    result.source_name = container.source_name;
    return result;
  };
  if (choice.index) {
    if (*choice.index < container.programs.size()) return make(container.programs[*choice.index]);
    return Error{ErrorCode::bad_input,
                 "there is no program " + std::to_string(*choice.index) + "; the container has " +
                     std::to_string(container.programs.size()),
                 container.source_name};
  }
  bool any_label = false;
  for (const ProgramInfo& info : container.programs) {
    if (choice.stage && info.stage != *choice.stage) continue;
    if (choice.entry.empty()) return make(info);
    any_label |= !info.labels.empty() || !info.entry_name.empty();
    bool matches = info.entry_name == choice.entry;
    for (const Label& label : info.labels)
      matches |= label.name == choice.entry && label.address == info.entry;
    if (matches) return make(info);
  }
  // A label that is not the entry of any program can still be run from.
  for (const ProgramInfo& info : container.programs)
    for (const Label& label : info.labels)
      if (label.name == choice.entry && !choice.entry.empty() &&
          (!choice.stage || info.stage == *choice.stage)) {
        Program program = make(info);
        program.entry = label.address;
        return program;
      }
  if (!any_label && choice.entry == "main")
    for (const ProgramInfo& info : container.programs)
      if (!choice.stage || info.stage == *choice.stage) return make(info);
  std::string message = "the container has no ";
  message += choice.stage ? std::string(name(*choice.stage)) + " program" : "program";
  if (!choice.entry.empty()) message += " with the entry '" + choice.entry + "'";
  return Error{ErrorCode::bad_input, message, container.source_name};
}

std::uint32_t f24_to_f32(std::uint32_t bits) {
  const std::uint32_t sign = (bits >> 23 & 1) << 31, exponent = bits >> 16 & 0x7F, mantissa = bits & 0xFFFF;
  if (exponent != 0) return sign | (exponent == 0x7F ? 0xFF : exponent + 64) << 23 | mantissa << 7;
  if (mantissa == 0) return sign;
  // A denormal, mantissa * 2^-78, which f32 has as a normal number.
  const auto top = static_cast<std::uint32_t>(std::bit_width(mantissa)) - 1;
  return sign | (top + 127 - 78) << 23 | (mantissa << (23 - top) & 0x7FFFFF);
}

float decode_f24(std::uint32_t bits) { return std::bit_cast<float>(f24_to_f32(bits)); }

std::uint32_t encode_f24(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 31 << 23;
  const std::uint32_t exponent = bits >> 23 & 0xFF;
  if (exponent == 0xFF && (bits & 0x7FFFFF) != 0) return 0x7F8000;
  if (exponent <= 64) return sign;
  if (exponent - 64 >= 0x7F) return sign | 0x7F0000;
  return sign | (exponent - 64) << 16 | (bits >> 7 & 0xFFFF);
}

}  // namespace warpjit::pica200
