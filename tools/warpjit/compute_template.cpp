#include "compute_template.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "frontend/tesla/flow/reach.h"

namespace warpjit::tool {
namespace {

// What the code names of its spaces.
struct Used {
  std::uint32_t parameter_end = tesla::kParameterOffset;  // in s[]
  std::array<std::uint32_t, 16> constant_end{};           // bytes that are read at fixed places
  std::uint32_t constants = 0, globals = 0, stored = 0;   // bit n: c[] n, g[] n, g[] n is written
};

void add_operand(const tesla::Operand& operand, bool is_store, Used& used) {
  using Kind = tesla::Operand::Kind;
  const std::uint32_t end = operand.address == 0 ? operand.value + tesla::size_of(operand.type) : 0;
  if (operand.kind == Kind::shared && !is_store) used.parameter_end = std::max(used.parameter_end, end);
  if (operand.kind == Kind::constant) {
    used.constants |= 1U << operand.space;
    used.constant_end[operand.space] = std::max(used.constant_end[operand.space], end);
  }
  if (operand.kind == Kind::global) {
    used.globals |= 1U << operand.space;
    if (is_store) used.stored |= 1U << operand.space;
  }
}

Result<Used> find_used(const tesla::Program& program) {
  WARPJIT_TRY(const tesla::ReachedCode code, tesla::ReachedCode::find(program));
  Used used;
  for (const tesla::ReachedInstruction& reached : code.instructions()) {
    const tesla::Instruction& i = reached.instruction;
    add_operand(i.dst, true, used);
    const bool updates = i.opcode == tesla::Opcode::atom_g;
    for (const tesla::Operand& operand : i.src) add_operand(operand, updates, used);
  }
  return used;
}

// What the container gives is not asked for.
std::uint32_t preset_bytes(const tesla::Program& program, unsigned space) {
  std::uint32_t end = 0;
  for (const tesla::ConstantSegment& segment : program.constants)
    if (segment.space == space) end = std::max(end, segment.offset + segment.bytes);
  return end;
}

}  // namespace

Result<Json> compute_template(const tesla::Program& program, const std::string& file_name,
                              std::uint32_t threads) {
  constexpr const char* kAddress = "0x10000";
  constexpr std::uint32_t kBytes = 4096, kShown = 16;
  WARPJIT_TRY(const Used used, find_used(program));
  Json json{{"warpjit", 1}, {"isa", "tesla"},    {"stage", "compute"}, {"program", {{"file", file_name}}},
            {"grid", {1}},  {"block", {threads}}};
  if (!program.name.empty()) json["program"]["kernel"] = program.name;
  const std::uint32_t words = (used.parameter_end - tesla::kParameterOffset + 3) / 4;
  if (words != 0) json["params"] = std::vector<int>(words, 0);
  Json memory = Json::array(), outputs = Json::array();
  for (unsigned space = 0; space < 16; ++space) {
    if ((used.constants >> space & 1) == 0 ||
        preset_bytes(program, space) >= std::max(used.constant_end[space], 1U))
      continue;
    const std::uint32_t count = std::max(1U, (used.constant_end[space] + 3) / 4);
    memory.push_back(
        {{"space", fmt::format("c{}", space)}, {"format", "u32"}, {"data", std::vector<int>(count, 0)}});
  }
  for (unsigned space = 0; space < 16; ++space) {
    if ((used.globals >> space & 1) == 0) continue;
    const std::string name = fmt::format("g{}", space);
    memory.push_back({{"space", name}, {"address", kAddress}, {"size", kBytes}});
    if ((used.stored >> space & 1) != 0)
      outputs.push_back({{"space", name}, {"address", kAddress}, {"format", "u32"}, {"count", kShown}});
  }
  if (!memory.empty()) json["memory"] = std::move(memory);
  if (!outputs.empty()) json["outputs"] = std::move(outputs);
  return json;
}

}  // namespace warpjit::tool
