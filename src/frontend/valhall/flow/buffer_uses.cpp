#include "frontend/valhall/flow/buffer_uses.h"

#include <algorithm>

#include "frontend/valhall/flow/constants.h"

namespace warpjit::valhall {
namespace {

bool names_buffer(Opcode opcode) { return opcode == Opcode::ld_buffer || opcode == Opcode::lea_pka; }

}  // namespace

bool BufferUses::names(std::uint32_t handle) const {
  return computed || std::ranges::binary_search(handles, handle);
}

BufferUses buffer_uses(const Program& program, const ReachedCode& code) {
  BufferUses uses;
  const bool any = std::ranges::any_of(
      code.instructions(), [](const auto& reached) { return names_buffer(reached.instruction.opcode); });
  if (!any) return uses;
  const bool followed = follow_constants(program, code, constants_at_start(),
                                         [&](std::uint32_t pc, const RegisterConstants& registers) {
                                           const Instruction& i = *code.at(pc);
                                           if (!names_buffer(i.opcode)) return;
                                           uses.addresses |= i.opcode == Opcode::lea_pka;
                                           const auto handle = constant_of(i.source[1], registers);
                                           if (handle)
                                             uses.handles.push_back(*handle);
                                           else
                                             uses.computed = true;
                                         });
  uses.computed = uses.computed || !followed;
  std::ranges::sort(uses.handles);
  uses.handles.erase(std::unique(uses.handles.begin(), uses.handles.end()), uses.handles.end());
  return uses;
}

bool names_buffers(const Program& program) {
  return std::ranges::any_of(program.code, [](std::uint64_t word) {
    const auto i = decode(word);
    return i && names_buffer(i->opcode);
  });
}

std::vector<frontend::BufferSource> buffers_of(const BufferUses& uses,
                                               std::span<const frontend::BufferSource> buffers) {
  std::vector<frontend::BufferSource> named;
  for (const frontend::BufferSource& buffer : buffers)
    if (uses.names(buffer_handle(buffer))) named.push_back(buffer);
  std::ranges::sort(named, {}, buffer_handle);
  return named;
}

}  // namespace warpjit::valhall
