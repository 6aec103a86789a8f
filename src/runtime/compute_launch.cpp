// ComputeProgram and ComputeLaunch: the public handles.
#include <algorithm>

#include "frontend/tesla/assemble.h"
#include "frontend/tesla/cubin.h"
#include "frontend/tesla/shader.h"
#include "warpjit/compute.hpp"

namespace warpjit {
namespace {

Result<ComputeProgram> make_program(tesla::Program program) {
  WARPJIT_TRY(std::shared_ptr<const tesla::Shader> shader, tesla::Shader::make(std::move(program)));
  return ComputeProgram(std::move(shader));
}

}  // namespace

Result<ComputeProgram> ComputeProgram::from_cubin(std::span<const std::byte> bytes, const Choice& choice) {
  WARPJIT_TRY(const tesla::Container container, tesla::read_cubin(bytes, choice.source_name));
  WARPJIT_TRY(tesla::Program program, tesla::select_program(container, choice.kernel));
  return make_program(std::move(program));
}

Result<ComputeProgram> ComputeProgram::from_assembly(std::string_view text, const Choice& choice) {
  WARPJIT_TRY(const tesla::Container container, tesla::assemble(text, choice.source_name));
  WARPJIT_TRY(tesla::Program program, tesla::select_program(container, choice.kernel));
  return make_program(std::move(program));
}

Result<ComputeProgram> ComputeProgram::from_words(std::span<const std::uint32_t> code, const Words& words) {
  tesla::Program program;
  program.code.assign(code.begin(), code.end());
  program.registers = words.registers;
  program.shared_bytes = words.shared_bytes;
  program.local_bytes = words.local_bytes;
  program.source_name = words.source_name;
  return make_program(std::move(program));
}

const std::string& ComputeProgram::name() const { return shader_->name(); }
const std::string& ComputeProgram::source_name() const { return shader_->source_name(); }
std::uint32_t ComputeProgram::registers() const { return shader_->registers(); }
std::uint32_t ComputeProgram::shared_bytes() const { return shader_->shared_bytes(); }
std::uint32_t ComputeProgram::local_bytes() const { return shader_->local_bytes(); }
std::size_t ComputeProgram::code_size() const { return shader_->code_words(); }

ComputeLaunch::ComputeLaunch(ComputeProgram program)
    : program_(std::move(program)), state_(std::make_unique<frontend::ComputeLaunch>()) {}
ComputeLaunch::ComputeLaunch(const ComputeLaunch& other)
    : program_(other.program_), state_(std::make_unique<frontend::ComputeLaunch>(*other.state_)) {}
ComputeLaunch& ComputeLaunch::operator=(const ComputeLaunch& other) { return *this = ComputeLaunch(other); }
ComputeLaunch::ComputeLaunch(ComputeLaunch&&) noexcept = default;
ComputeLaunch& ComputeLaunch::operator=(ComputeLaunch&&) noexcept = default;
ComputeLaunch::~ComputeLaunch() = default;

const ComputeProgram& ComputeLaunch::program() const { return program_; }
void ComputeLaunch::set_grid(std::uint32_t x, std::uint32_t y) { state_->grid = {x, y}; }
void ComputeLaunch::set_block(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  state_->block = {x, y, z};
}
void ComputeLaunch::set_parameters(std::span<const std::byte> bytes) {
  state_->parameters.assign(bytes.begin(), bytes.end());
}
void ComputeLaunch::set_shared_bytes(std::uint32_t bytes) { state_->shared_bytes = bytes; }
void ComputeLaunch::set_modes(const TeslaModes& modes) { state_->modes = modes; }
void ComputeLaunch::set_fuel(std::uint64_t fuel) { state_->fuel = fuel; }

Status ComputeLaunch::bind_constant(unsigned space, const void* data, std::size_t size) {
  if (space >= state_->constants.size())
    return Error{ErrorCode::bad_input, "there are spaces c0 to c15", "c" + std::to_string(space)};
  state_->constants[space] = {static_cast<const std::byte*>(data), size};
  return {};
}

Status ComputeLaunch::map_global(unsigned space, std::uint32_t address, void* data, std::size_t size) {
  if (space >= state_->globals.size())
    return Error{ErrorCode::bad_input, "there are spaces g0 to g15", "g" + std::to_string(space)};
  std::vector<frontend::GlobalRange>& ranges = state_->globals[space];
  const auto behind = std::find_if(ranges.begin(), ranges.end(), [&](const frontend::GlobalRange& range) {
    return range.address > address;
  });
  ranges.insert(behind, {address, {static_cast<std::byte*>(data), size}});
  return {};
}

void ComputeLaunch::unmap_globals() {
  for (std::vector<frontend::GlobalRange>& ranges : state_->globals) ranges.clear();
}

}  // namespace warpjit
