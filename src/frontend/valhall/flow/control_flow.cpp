#include "frontend/valhall/flow/control_flow.h"

#include <algorithm>

namespace warpjit::valhall {
namespace {

// True if the next instruction may be another than the one after it.
bool transfers(const Instruction& i) { return i.opcode == Opcode::branchz || i.opcode == Opcode::blend; }
// The target of one that transfers control, at an address; it may lie outside the code.
std::int64_t target_of(const Instruction& i, std::uint32_t address) {
  const std::int64_t words = i.opcode == Opcode::blend ? i.target : i.offset;
  return std::int64_t{address} + 8 + 8 * words;
}

// BLEND always jumps.
bool always_jumps(const Instruction& i) {
  return i.opcode == Opcode::blend || (i.opcode == Opcode::branchz && always_taken(i).value_or(false));
}
bool goes_on(const Instruction& i) { return i.flow != Flow::end && !always_jumps(i); }
bool jumps(const Instruction& i) {
  return i.flow != Flow::end &&
         (always_jumps(i) || (i.opcode == Opcode::branchz && always_taken(i).value_or(true)));
}

}  // namespace

std::optional<bool> always_taken(const Instruction& i) {
  const Source& a = i.source[0];
  if (a.kind != Source::Kind::constant) return std::nullopt;
  const std::uint32_t value = kConstants[a.value], low = value & 0xffff, high = value >> 16;
  const auto nonzero = [&] {
    switch (a.lanes) {
      case Lanes::h0:
        return low != 0;
      case Lanes::h1:
        return high != 0;
      case Lanes::both:
        return low != 0 && high != 0;
      case Lanes::lowbits:
        return ((low | high) & 1) != 0;
      default:
        return value != 0;
    }
  };
  return nonzero() != i.if_zero;
}

Result<ReachedCode> find_reached(const Program& program) {
  ReachedCode reached(program.code.size());
  flow::Worklist work(8 * program.code.size());
  const auto outside = [&](const char* what, std::uint64_t address) {
    return Error{ErrorCode::unsupported, what, program.where(address)};
  };
  if (program.entry % 8 != 0 || program.entry / 8 >= program.code.size())
    return outside("the entry is no instruction of the code", program.entry);
  work.add(program.entry);
  for (std::uint32_t address = 0; work.take(address);) {
    WARPJIT_TRY(const Instruction i, decode(program.code, address, program.source_name));
    reached.add(address, i);
    if (i.opcode == Opcode::branchzi)
      return Error{ErrorCode::unsupported, "a branch to an address in registers", program.where(address)};
    const auto go = [&](std::int64_t to) {
      const bool inside = to >= 0 && to < static_cast<std::int64_t>(8 * program.code.size());
      if (inside) work.add(static_cast<std::uint32_t>(to));
      return inside;
    };
    if (jumps(i) && !go(target_of(i, address))) return outside("the branch leaves the code", address);
    if (goes_on(i) && !go(std::int64_t{address} + 8)) return outside("control runs past the code", address);
  }
  return reached;
}

ControlFlow find_blocks(const Program& program, const ReachedCode& code) {
  std::vector<std::uint32_t> addresses, leaders{program.entry};
  for (const auto& [address, i] : code.instructions()) {
    addresses.push_back(address);
    if (!transfers(i) || i.flow == Flow::end) continue;
    if (jumps(i)) leaders.push_back(static_cast<std::uint32_t>(target_of(i, address)));
    if (goes_on(i)) leaders.push_back(address + 8);
  }
  std::ranges::sort(addresses);
  std::ranges::sort(leaders);
  leaders.erase(std::unique(leaders.begin(), leaders.end()), leaders.end());
  const auto place = [&](std::uint32_t address) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(leaders, address) - leaders.begin());
  };
  const std::uint32_t entry = place(program.entry);
  const auto block_at = [&](std::uint32_t address) {
    const std::uint32_t n = place(address);
    return n == entry ? 0 : n + (n < entry ? 1 : 0);
  };
  ControlFlow flow;
  flow.blocks.resize(leaders.size());
  for (const std::uint32_t leader : leaders) {
    FlowBlock& block = flow.blocks[block_at(leader)];
    block.first = leader;
    auto at = std::ranges::lower_bound(addresses, leader);
    while (true) {
      const std::uint32_t address = *at++;
      const Instruction& i = *code.at(address);
      block.end = address + 8;
      if (i.flow == Flow::end) break;
      if (transfers(i)) {
        unsigned count = 0;
        if (jumps(i)) {
          const auto target = static_cast<std::uint32_t>(target_of(i, address));
          block.edges[count++] = {block_at(target), target <= address};
        }
        if (goes_on(i)) block.edges[count++] = {block_at(address + 8), false};
        block.edge_count = static_cast<std::uint8_t>(count);
        break;
      }
      if (std::ranges::binary_search(leaders, block.end)) {
        block.edges[0] = {block_at(block.end), false};
        break;
      }
    }
  }
  flow::keep_backward_in_cycles(flow.blocks, flow.successors());
  return flow;
}

flow::Successors ControlFlow::successors() const { return flow::successors_of(blocks, kThreadEnds); }

}  // namespace warpjit::valhall
