#include "frontend/pica200/flow/reach.h"

namespace warpjit::pica200 {
namespace {

// Calls visit(address) for each address that a transfer at `address` can lead to, the next one included.
template <class Visit>
void for_named_addresses(const Instruction& i, std::uint32_t address, const Visit& visit) {
  visit(address + 1);
  if ((i.info().traits & kTarget) == 0) return;
  visit(i.target);
  if (i.opcode == Opcode::loop)
    visit(i.target + 1U);
  else if (i.opcode != Opcode::jmpc && i.opcode != Opcode::jmpu)
    visit(std::uint32_t{i.target} + i.num);
}

}  // namespace

ReachedCode find_reached(const Program& program, std::uint32_t entry) {
  const std::size_t words = program.code.size();
  ReachedCode result;
  result.code = flow::CodeMap<Instruction, 1>(words);
  result.leader.assign(words + 1, 0);
  flow::Worklist work(words);
  const auto reach = [&](std::uint32_t address) {
    if (address == kEndAddress) {
      result.thread_end = true;
      return;
    }
    result.past_end |= address >= words;
    work.add(address);
  };
  reach(entry);
  for (std::uint32_t address = 0; work.take(address);) {
    const auto i = try_decode(program.code[address]);
    if (!i) {
      result.undefined.push_back(address);
      continue;
    }
    result.code.add(address, *i);
    if (i->opcode == Opcode::end) continue;
    if ((i->info().traits & kFlow) != 0)
      for_named_addresses(*i, address, [&](std::uint32_t named) {
        if (named <= words) result.leader[named] = 1;
        if (named != address + 1) reach(named);
      });
    reach(address + 1);
  }
  return result;
}

}  // namespace warpjit::pica200
