// LD_BUFFER and LEA_PKA (valhall.md 8.3).
#include "frontend/valhall/translate/buffers.h"

#include <algorithm>

#include "frontend/valhall/facts/launch.h"
#include "frontend/valhall/translate/access.h"
#include "frontend/valhall/translate/instruction.h"

namespace warpjit::valhall {

using ir::I1;
using ir::I32;

std::vector<BufferFacts> buffer_facts(std::span<const frontend::BufferSource> buffers) {
  std::vector<BufferFacts> all;
  for (const frontend::BufferSource& buffer : buffers)
    all.push_back({buffer_handle(buffer), static_cast<std::uint32_t>(buffer.address >> 32)});
  return all;
}

void fill_buffer_words(std::span<const frontend::BufferSource> buffers, std::span<std::uint32_t> table) {
  for (std::size_t k = 0; k < buffers.size() && (k + 1) * kBufferWords <= table.size(); ++k) {
    table[k * kBufferWords] = static_cast<std::uint32_t>(buffers[k].address);
    table[k * kBufferWords + 1] = buffers[k].bytes;
  }
}

// A fault that names the handle.
void InstructionTranslator::no_buffer(I32 handle, I1 where) {
  if (function_.is_constant(where) && function_.constant(where) == 0) return;
  const ir::MemoryAccess nothing{.space = ir::Space::global,
                                 .index = kBufferSpace,
                                 .element = ir::Element::u8,
                                 .alignment = 1,
                                 .extent = 1};
  b_.LoadMemory(where, handle, nothing.pack());
}

// The buffers that a handle may name, of a load the constant spaces among them.
InstructionTranslator::NamedBuffers InstructionTranslator::named_buffers(I32 handle, bool loads) {
  const auto may_name = [&](std::uint32_t known) {
    return !function_.is_constant(handle) || function_.constant(handle) == known;
  };
  NamedBuffers named{.none = truth(true)};
  for (std::uint32_t k = 0; k < kMaxBuffers && loads; ++k) {
    if (!facts_.has_constant_buffer(k) || !may_name(k)) continue;
    named.constants.push_back(k);
    named.none = b_.AndNot1(named.none, is_named(handle, k));
  }
  for (std::uint32_t k = 0; k < facts_.buffers.size(); ++k) {
    const BufferFacts& buffer = facts_.buffers[k];
    if ((loads && facts_.has_constant_buffer(buffer.handle)) || !may_name(buffer.handle)) continue;
    const I32 low = buffer_word(k, BufferWord::address), bytes = buffer_word(k, BufferWord::bytes);
    const I1 here = is_named(handle, buffer.handle);
    named.none = b_.AndNot1(named.none, here);
    if (!named.in_memory) {
      named.place = {{low, word(buffer.high)}, bytes};
      named.in_memory = here;
      continue;
    }
    named.place = {{b_.select(here, low, named.place.address.low),
                    b_.select(here, word(buffer.high), named.place.address.high)},
                   b_.select(here, bytes, named.place.bytes)};
    named.in_memory = b_.Or1(*named.in_memory, here);
  }
  return named;
}

namespace {

// How many bytes must be inside for a part to be: what is less than a word lies inside as a whole.
std::uint32_t end_of_part(const Moved& parts, unsigned k) {
  return parts.bytes < 4 ? parts.bytes : std::uint32_t{parts.part[k].unit} + parts.part[k].unit_bytes;
}

}  // namespace

// In some lanes the words of a buffer that is a constant space.
void InstructionTranslator::load_constant_buffer(Type type, std::uint32_t buffer, I32 offset, I1 where,
                                                 Words& words) {
  const Moved parts = moved_by(type);
  const std::uint32_t bytes = facts_.buffer_bytes[buffer];
  for (unsigned k = 0; k < parts.count; ++k) {
    const Part& part = parts.part[k];
    const std::uint32_t end = end_of_part(parts, k);
    const I1 inside = bytes < end ? truth(false) : b_.ILeU32(offset, word(bytes - end));
    const I1 here = b_.And1(where, inside);
    const I32 at = b_.IAdd32(offset, word(part.unit));
    const ir::MemoryAccess access{.space = ir::Space::constant,
                                  .index = static_cast<std::uint8_t>(buffer),
                                  .element = part.element,
                                  .alignment = parts.alignment,
                                  .extent = part.unit_bytes,
                                  .offset = part.offset};
    words[k] = b_.select(here, b_.LoadMemory(here, at, access.pack()), words[k]);
  }
}

// Those of one in memory.
void InstructionTranslator::load_memory_buffer(Type type, const NamedBuffers::Place& from, I32 offset,
                                               I1 where, Words& words) {
  const Moved parts = moved_by(type);
  std::array<I1, 4> here{};
  for (unsigned k = 0; k < parts.count; ++k) {
    const I32 end = word(end_of_part(parts, k));
    const I1 inside = b_.And1(b_.ILeU32(end, from.bytes), b_.ILeU32(offset, b_.ISub32(from.bytes, end)));
    here[k] = b_.And1(where, inside);
  }
  const Pair at{b_.IAdd32(from.address.low, offset), from.address.high};
  const Words found = load_words(type, at, here);
  for (unsigned k = 0; k < parts.count; ++k) words[k] = b_.select(here[k], found[k], words[k]);
}

void InstructionTranslator::load_buffer(const Instruction& i) {
  const I32 handle = source_word(i.source[1]), offset = source_word(i.source[0]);
  const NamedBuffers named = named_buffers(handle, true);
  no_buffer(handle, named.none);
  Words words{word(0), word(0), word(0), word(0)};
  for (const std::uint32_t buffer : named.constants)
    load_constant_buffer(i.type, buffer, offset, is_named(handle, buffer), words);
  if (named.in_memory) load_memory_buffer(i.type, named.place, offset, *named.in_memory, words);
  set_loaded(i, words);
}

Status InstructionTranslator::load_buffer_address(const Instruction& i) {
  if (i.write.count != 2) return unsupported(i, "the number of staging registers");
  const I32 handle = source_word(i.source[1]), offset = source_word(i.source[0]);
  const NamedBuffers named = named_buffers(handle, false);
  no_buffer(handle, named.none);
  Pair sum{word(0), word(0)};
  if (named.in_memory) {
    const Pair address = add(named.place.address, {offset, word(0)});
    sum = {b_.select(*named.in_memory, address.low, word(0)),
           b_.select(*named.in_memory, address.high, word(0))};
  }
  set_gpr(i.write.first, sum.low);
  set_gpr(i.write.first + 1U, sum.high);
  return {};
}

}  // namespace warpjit::valhall
