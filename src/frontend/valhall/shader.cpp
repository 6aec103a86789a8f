#include "frontend/valhall/shader.h"

#include <charconv>
#include <cstdio>

#include "frontend/valhall/interpret/interpret.h"
#include "frontend/valhall/interpret/lanes.h"
#include "frontend/valhall/launch.h"

namespace warpjit::valhall {
namespace {

class Blocks final : public frontend::GuestInterpreter {
 public:
  explicit Blocks(Interpreter interpreter) : interpreter_(std::move(interpreter)) {}

  Status run_blocks(const frontend::Grid& grid, std::uint64_t first, std::uint64_t count, std::uint64_t fuel,
                    std::optional<frontend::BlockFault>& fault) const override {
    RunReport run;
    Status status;
    if (grid.fuel == fuel) {
      status = interpreter_.run(grid, first, count, run);
    } else {
      frontend::Grid other = grid;
      other.fuel = fuel;
      status = interpreter_.run(other, first, count, run);
    }
    fault = run.first_fault;
    return status;
  }
  unsigned lanes() const override { return kWarpLanes; }

 private:
  Interpreter interpreter_;
};

Error does_not_run(const Program& program) {
  return {ErrorCode::unsupported,
          "Valhall programs for " + std::string(program.stage == Stage::vertex ? "vertices" : "fragments") +
              " do not run yet: they can be listed and assembled",
          program.source_name};
}

template <class Integer>
void append(Integer value, std::vector<std::byte>& key) {
  for (unsigned byte = 0; byte < sizeof value; ++byte)
    key.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> 8 * byte));
}

}  // namespace

Result<frontend::SpaceName> Shader::find_space(std::string_view name) const {
  if (name == "mem") return frontend::SpaceName{.high_words = kMaxWindows};
  unsigned index = 0;
  const char* const end = name.data() + name.size();
  const bool numbered = name.size() > 1 && name[0] == 'c' && (name.size() == 2 || name[1] != '0');
  if (numbered) {
    const auto [stop, error] = std::from_chars(name.data() + 1, end, index);
    if (error == std::errc() && stop == end && index < kMaxBuffers)
      return frontend::SpaceName{.constant = true, .index = static_cast<std::uint8_t>(index)};
  }
  return Error{ErrorCode::bad_input,
               "there is no memory space '" + std::string(name) + "', but mem and c0 to c14",
               program_.source_name};
}

std::string Shader::address_text(const ir::MemoryFault& access, const frontend::Grid& grid) const {
  const std::string low = frontend::Shader::address_text(access, grid);
  switch (access.space) {
    case ir::Space::constant:
      if (access.index == kUniformSpace) return "u" + std::to_string(access.address / 4);
      return "c" + std::to_string(access.index) + low;
    case ir::Space::shared:
      return "the workgroup's memory" + low;
    case ir::Space::local:
      return "the thread's memory" + low;
    case ir::Space::global:
      break;
  }
  if (access.index >= grid.high_words.size()) return "mem, with a high word that is not mapped, " + low;
  char text[32];
  std::snprintf(text, sizeof text, "mem[0x%x%08x]", grid.high_words[access.index], access.address);
  return text;
}

Result<frontend::CheckedGrid> Shader::check_grid(const frontend::Grid& grid) const {
  if (program_.stage != Stage::compute) return does_not_run(program_);
  return check_launch(program_, grid);
}

frontend::GridFacts Shader::grid_facts(const frontend::Grid& grid,
                                       const frontend::CheckedGrid& checked) const {
  frontend::GridFacts facts;
  facts.block = grid.block;
  facts.shared_bytes = checked.shared_bytes;
  for (std::size_t k = 0; k < checked.constants.size(); ++k)
    facts.constant_bytes[k] = static_cast<std::uint32_t>(checked.constants[k].size());
  facts.high_words = grid.high_words;
  facts.parameter_bytes = static_cast<std::uint32_t>(grid.parameters.size());
  return facts;
}

Status Shader::append_key(const frontend::Facts& facts, std::vector<std::byte>& key) const {
  if (program_.stage != Stage::compute) return does_not_run(program_);
  append(program_.code.size(), key);
  for (const std::uint64_t word : program_.code) append(word, key);
  append(program_.address, key);
  for (const std::uint32_t word : {program_.entry, program_.local_bytes, program_.shared_bytes})
    append(word, key);
  for (const bool bit : {program_.mode.flush_single, program_.mode.flush_half, program_.mode.suppress_nan,
                         program_.mode.suppress_infinity})
    append(static_cast<std::uint8_t>(bit), key);
  const frontend::GridFacts& grid = facts.grid;
  for (const std::uint32_t extent : grid.block) append(extent, key);
  append(grid.shared_bytes, key);
  for (const std::uint32_t bytes : grid.constant_bytes) append(bytes, key);
  append(grid.high_words.size(), key);
  for (const std::uint32_t word : grid.high_words) append(word, key);
  append(grid.parameter_bytes, key);
  return {};
}

Result<frontend::Shader::Translation> Shader::translate(const frontend::Facts&, bool) const {
  if (program_.stage != Stage::compute) return does_not_run(program_);
  return Error{ErrorCode::unsupported, "Valhall programs run in the guest interpreter alone",
               program_.source_name};
}

Result<std::unique_ptr<frontend::GuestInterpreter>> Shader::prepare_guest(const frontend::Facts&) const {
  if (program_.stage != Stage::compute) return does_not_run(program_);
  WARPJIT_TRY(Interpreter interpreter, Interpreter::prepare(program_));
  return std::unique_ptr<frontend::GuestInterpreter>(std::make_unique<Blocks>(std::move(interpreter)));
}

}  // namespace warpjit::valhall
