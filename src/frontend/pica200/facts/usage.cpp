#include "frontend/pica200/facts/usage.h"

#include <algorithm>
#include <bitset>

#include "frontend/reach.h"

namespace warpjit::pica200 {

CodeUsage find_usage(const Program& program, std::uint32_t entry) {
  std::bitset<kMaxCodeWords> reached;
  std::bitset<kMaxDescriptors> named;
  flow::Worklist work(std::min<std::size_t>(program.code.size(), kMaxCodeWords));
  work.add(entry);
  CodeUsage usage;
  for (std::uint32_t address = 0; work.take(address);) {
    if (address == kEndAddress) continue;
    reached.set(address);
    const std::optional<Instruction> instruction = try_decode(program.code[address]);
    if (!instruction) continue;
    const OpcodeInfo& info = instruction->info();
    for (int n = 1; n <= 3; ++n) {
      if (info.reads[n - 1] == 0) continue;
      const Register reg = source_register(instruction->source(n));
      if (reg.file == RegisterFile::v) usage.inputs |= static_cast<std::uint16_t>(1u << reg.index);
      if (reg.file == RegisterFile::c && n == wide_source(info.format) && instruction->idx != 0)
        usage.relative = true;
    }
    if ((info.traits & (kWritesDest | kWritesAddress | kWritesFlags)) != 0)
      named.set(instruction->descriptor);
    if (info.format == Format::bool_flow)
      usage.bools |= static_cast<std::uint16_t>(1u << instruction->uniform);

    if (instruction->opcode == Opcode::end) continue;
    work.add(address + 1);
    if ((info.traits & kTarget) != 0) {
      work.add(instruction->target);
      work.add(instruction->target + 1u);  // after a LOOP's last word
      work.add(instruction->target + instruction->num);
    }
  }
  for (std::uint32_t a = 0; a < kMaxCodeWords; ++a)
    if (reached[a]) usage.addresses.push_back(static_cast<std::uint16_t>(a));
  for (std::uint32_t d = 0; d < kMaxDescriptors; ++d)
    if (named[d]) usage.descriptors.push_back(static_cast<std::uint16_t>(d));
  return usage;
}

}  // namespace warpjit::pica200
