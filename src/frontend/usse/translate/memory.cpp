// Loads and stores (docs/guests/usse.md 6).
#include "ir/memory.h"
#include "frontend/usse/translate/instruction.h"

namespace warpjit::usse {

using ir::F32;
using ir::I1;
using ir::I32;

namespace {

constexpr std::uint32_t kSizes[] = {4, 2, 1};

ir::MemoryAccess access_of(std::uint32_t size) {
  const ir::Element element = size == 4 ? ir::Element::word : size == 2 ? ir::Element::u16 : ir::Element::u8;
  return {.space = ir::Space::global,
          .element = element,
          .alignment = 1,
          .extent = static_cast<std::uint8_t>(size)};
}

}  // namespace

I32 InstructionTranslator::first_address(const Instruction& i, const Source* more) {
  const std::uint32_t size = kSizes[i.size];
  const Source& offset = i.s[1];
  const I32 base = read_word(i.s[0], 0);
  I32 bytes = word(offset.number * size);
  if (offset.bank != Bank::immediate) {
    const I32 given = read_word(offset, 0);
    bytes = b_.IMul32(b_.IAnd32(given, word(0xffff)), b_.IShrU32(given, word(16)));
  }
  I32 address = b_.IAdd32(base, bytes);
  if (more != nullptr) address = b_.IAdd32(address, read_word(*more, 0));
  return i.moe ? address : b_.IAdd32(address, word(size));
}

Status InstructionTranslator::load(const Instruction& i, I1 where) {
  const std::uint32_t size = kSizes[i.size];
  const I32 address = first_address(i, &i.s[2]);
  const std::uint64_t access = access_of(size).pack();
  const I1 guard = where.valid() ? where : truth(true);
  for (unsigned k = 0; k <= i.repeat; ++k)
    write_word(i.d[0], k, b_.LoadMemory(guard, b_.IAdd32(address, word(size * k)), access));
  return {};
}

Status InstructionTranslator::store(const Instruction& i, I1 where) {
  const std::uint32_t size = kSizes[i.size];
  const I32 address = first_address(i, nullptr);
  const std::uint64_t access = access_of(size).pack();
  const I1 allowed = changing_memory();
  I1 guard = where.valid() ? where : truth(true);
  if (allowed.valid()) guard = b_.And1(guard, allowed);
  for (unsigned k = 0; k <= i.repeat; ++k)
    b_.StoreMemory(guard, b_.IAdd32(address, word(size * k)), read_word(i.s[2], k), access);
  return {};
}

}  // namespace warpjit::usse
