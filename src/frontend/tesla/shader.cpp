#include "frontend/tesla/shader.h"

#include <algorithm>
#include <charconv>

#include "frontend/tesla/container/graphics.h"
#include "frontend/tesla/facts/launch.h"
#include "frontend/tesla/flow/lane_order.h"
#include "frontend/tesla/interpret/interpret.h"

namespace warpjit::tesla {
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
    fault = fault_of(run);
    return status;
  }
  unsigned lanes() const override { return kLanes; }

 private:
  Interpreter interpreter_;
};

// The word pairs of GridFacts::code_addresses: space, address.
std::vector<std::uint32_t> packed(const BranchTargets& targets) {
  std::vector<std::uint32_t> words;
  for (const BranchTarget& target : targets) {
    words.push_back(target.space);
    words.push_back(target.address);
  }
  return words;
}
BranchTargets unpacked(std::span<const std::uint32_t> words) {
  BranchTargets targets;
  for (std::size_t k = 0; k + 1 < words.size(); k += 2) targets.push_back({words[k], words[k + 1]});
  return targets;
}

constexpr std::pair<ProgramType, Stage> kStages[] = {{ProgramType::compute, Stage::compute},
                                                     {ProgramType::vertex, Stage::vertex},
                                                     {ProgramType::geometry, Stage::geometry},
                                                     {ProgramType::fragment, Stage::fragment}};

// The code with what branches through tables lead to that the container gives; nothing if that cannot be.
std::optional<ReachedCode> with_preset_tables(const Program& program, std::uint32_t spaces) {
  const auto preset = check_memory(program, {});
  if (!preset) return std::nullopt;
  auto code = ReachedCode::find(program, branch_targets(program, spaces, preset->constants));
  if (!code) return std::nullopt;
  return std::move(*code);
}

std::vector<frontend::TextureUse> texture_uses_of(const ReachedCode& code, const Modes& modes) {
  std::vector<frontend::TextureUse> uses;
  for (const ReachedInstruction& reached : code.instructions()) {
    const Instruction& i = reached.instruction;
    if (!needs_texture(i.opcode)) continue;
    const bool sampler = needs_sampler(i.opcode);
    uses.push_back({.texture = static_cast<std::uint8_t>(i.number),
                    .sampler = static_cast<std::uint8_t>(sampler ? sampler_of(i, modes) : 0),
                    .needs_sampler = sampler});
  }
  std::ranges::sort(uses);
  uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
  return uses;
}

}  // namespace

Stage stage_of(ProgramType type) {
  return std::ranges::find(kStages, type, &std::pair<ProgramType, Stage>::first)->second;
}
ProgramType program_type(Stage stage) {
  return std::ranges::find(kStages, stage, &std::pair<ProgramType, Stage>::second)->first;
}

std::optional<frontend::BlockFault> fault_of(const RunReport& run) {
  if (!run.first_fault) return std::nullopt;
  const MemoryFault& fault = *run.first_fault;
  return frontend::BlockFault{{.happened = true,
                               .is_store = fault.is_store,
                               .space = space_of(fault.space),
                               .index = fault.index,
                               .address = fault.address,
                               .guest_address = fault.pc,
                               .thread = fault.thread,
                               .accesses = fault.accesses},
                              fault.block};
}

Result<std::shared_ptr<const Shader>> Shader::make(Program program, const Modes& modes) {
  WARPJIT_CHECK(check_limits(program));
  WARPJIT_CHECK(check_graphics(program));
  return std::shared_ptr<const Shader>(new Shader(std::move(program), modes));
}

Shader::Shader(Program program, const Modes& modes)
    : program_(std::move(program)), modes_(modes), code_key_(std::vector<std::byte>{}) {
  const auto code = ReachedCode::find(program_);
  if (!code) {
    code_key_ = code.error();
    return;
  }
  code_key_ = code_key(program_, *code);
  if (code->branches_through_constants()) branch_spaces_ = branch_spaces(program_);
  const std::optional<ReachedCode> behind_tables =
      branch_spaces_ != 0 ? with_preset_tables(program_, branch_spaces_) : std::nullopt;
  texture_uses_ = texture_uses_of(behind_tables ? *behind_tables : *code, modes_);
  sample_table_.count = static_cast<std::uint32_t>(texture_uses_.size());
  if (program_.type == ProgramType::compute) return;
  graphics_.emplace(program_, *code);
  if (program_.type != ProgramType::fragment)
    shows_lanes_ = branch_spaces_ != 0 ||
                   std::ranges::any_of(code->instructions(), [](const ReachedInstruction& reached) {
                     return shows_lanes(reached.instruction);
                   });
  sample_table_.first = graphics_->constants.end;
}

Result<frontend::SpaceName> Shader::find_space(std::string_view name) const {
  const auto wrong = [&] {
    return Error{ErrorCode::bad_input,
                 "there is no memory space '" + std::string(name) + "', but c0 to c15 and g0 to g15",
                 program_.source_name};
  };
  if (name.size() < 2 || (name[0] != 'c' && name[0] != 'g')) return wrong();
  unsigned index = 0;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + 1, end, index);
  const bool padded = name.size() > 2 && name[1] == '0';
  if (error != std::errc() || stop != end || padded || index >= ir::kMaxSpaces) return wrong();
  return frontend::SpaceName{name[0] == 'c', static_cast<std::uint8_t>(index)};
}

std::string Shader::address_text(const ir::MemoryFault& access, const frontend::Grid& grid) const {
  constexpr const char* kNames[] = {"c", "s", "l", "g"};  // by ir::Space
  const bool indexed = access.space == ir::Space::constant || access.space == ir::Space::global;
  return kNames[static_cast<std::size_t>(access.space)] +
         (indexed ? std::to_string(access.index) : std::string()) +
         frontend::Shader::address_text(access, grid);
}

Result<frontend::CheckedGrid> Shader::check_grid(const frontend::Grid& grid) const {
  return graphics_ ? check_memory(program_, grid) : check_launch(program_, grid);
}

frontend::GridFacts Shader::grid_facts(const frontend::Grid& grid,
                                       const frontend::CheckedGrid& checked) const {
  frontend::GridFacts facts;
  facts.block = grid.block;
  facts.shared_bytes = checked.shared_bytes;
  for (std::size_t k = 0; k < kConstantSpaces; ++k)
    facts.constant_bytes[k] = static_cast<std::uint32_t>(checked.constants[k].size());
  if (branch_spaces_ != 0)
    facts.code_addresses = packed(branch_targets(program_, branch_spaces_, checked.constants));
  return facts;
}

ComputeFacts Shader::compute_facts(const frontend::Facts& facts) const {
  ComputeFacts result;
  result.block = facts.grid.block;
  result.shared_bytes = facts.grid.shared_bytes;
  result.local_bytes = program_.local_bytes;
  result.constant_bytes = facts.grid.constant_bytes;
  result.branch_targets = unpacked(facts.grid.code_addresses);
  result.modes = modes_;
  return result;
}

Status Shader::append_key(const frontend::Facts& facts, std::vector<std::byte>& key) const {
  WARPJIT_CHECK(code_key_);
  key.insert(key.end(), code_key_->begin(), code_key_->end());
  if (graphics_)
    append_graphics_key(facts, key);
  else
    tesla::append_key(compute_facts(facts), key);
  frontend::append_key(facts.samples, key);
  return {};
}

Result<Shader::Translation> Shader::translate(const frontend::Facts& facts, bool dispatch_all) const {
  Translation translation;
  if (program_.type != ProgramType::compute) {
    WARPJIT_TRY(translation.function, translate_graphics(facts, dispatch_all));
    return translation;
  }
  WARPJIT_TRY(translation.function, tesla::translate(program_, compute_facts(facts), dispatch_all,
                                                     {texture_uses_, facts.samples, sample_table_}));
  return translation;
}

void Shader::fill_table(const frontend::Values& values, std::span<std::uint32_t> table) const {
  if (graphics_) {
    if (stage() == Stage::fragment) frontend::fill_pixel_table(values.pixels, table);
    graphics_->constants.fill(values.grid.constants, table);
  } else {
    const std::span<std::uint32_t> launched = table.subspan(sample_table_.end() / 4);
    std::ranges::fill(launched, 0U);
    write_header(values.grid, {}, std::as_writable_bytes(launched));
  }
  for (std::size_t k = 0; k < texture_uses_.size(); ++k) {
    const frontend::TextureUse& use = texture_uses_[k];
    const textures::TextureView* texture = values.grid.bound.texture(use.texture);
    const Sampler* sampler = use.needs_sampler ? values.grid.bound.sampler(use.sampler) : nullptr;
    if (texture != nullptr)
      frontend::fill_sample_words(*texture, sampler != nullptr ? *sampler : Sampler{},
                                  table.subspan(sample_table_.words(k) / 4));
  }
}

std::size_t Shader::begin_block(const frontend::Grid& grid, const ir::BlockPosition& block,
                                std::span<std::byte> shared) const {
  write_header(grid, block, shared);
  return std::min(shared.size(), kParameterOffset + grid.parameters.size());
}

Result<std::unique_ptr<frontend::GuestInterpreter>> Shader::prepare_guest(
    const frontend::Facts& facts) const {
  if (program_.type != ProgramType::compute) return prepare_graphics_guest(facts);
  WARPJIT_TRY(Interpreter interpreter,
              Interpreter::prepare(program_, modes_, unpacked(facts.grid.code_addresses)));
  return std::unique_ptr<frontend::GuestInterpreter>(std::make_unique<Blocks>(std::move(interpreter)));
}

Status Shader::profile(const frontend::Grid& grid, std::optional<frontend::BlockFault>& fault,
                       Profile& profile) const {
  WARPJIT_TRY(const frontend::CheckedGrid checked, check_grid(grid));
  WARPJIT_TRY(const Interpreter interpreter,
              Interpreter::prepare(program_, modes_, unpacked(grid_facts(grid, checked).code_addresses)));
  RunReport run;
  const Status status = interpreter.run_profiled(grid, run, profile);
  fault = fault_of(run);
  return status;
}

}  // namespace warpjit::tesla
