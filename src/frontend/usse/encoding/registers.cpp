// Register numbers and banks of USSE words.
#include <algorithm>

#include "frontend/usse/encoding/encoding.h"

namespace warpjit::usse {
namespace {

// What a bank field means, and the same extended. Index registers are banks here, too.
enum class Selector : std::uint8_t { r, o, pa, sa, c, immediate, idx, index1, index2 };
using Selectors = std::array<Selector, 4>;
constexpr Selectors kDestinations[] = {{Selector::r, Selector::o, Selector::pa, Selector::index1},
                                       {Selector::sa, Selector::c, Selector::idx, Selector::index2}};
constexpr Selectors kSources[] = {{Selector::r, Selector::o, Selector::pa, Selector::sa},
                                  {Selector::index1, Selector::c, Selector::immediate, Selector::index2}};
// Fields of one bit.
constexpr Selectors kNarrow[] = {{Selector::r, Selector::pa}, {Selector::o, Selector::sa}};

const Selectors& selectors(const SyntaxToken& token, bool extended) {
  if (token.bank.width() == 1) return kNarrow[extended ? 1 : 0];
  return (token.kind == SyntaxToken::Kind::destination ? kDestinations : kSources)[extended ? 1 : 0];
}

constexpr Bank kIndexedBanks[] = {Bank::r, Bank::o, Bank::pa, Bank::sa};
constexpr unsigned kGlobalBit = 6;  // of the number of a special constant

Bank bank_of(Selector selector) {
  switch (selector) {
    case Selector::r:
      return Bank::r;
    case Selector::o:
      return Bank::o;
    case Selector::pa:
      return Bank::pa;
    case Selector::sa:
      return Bank::sa;
    case Selector::c:
      return Bank::c;
    case Selector::immediate:
      return Bank::immediate;
    default:
      return Bank::idx;
  }
}

bool is_doubled(const SyntaxToken& token, const Instruction& instruction) {
  if (token.dual) return unified_is_vector(instruction, token.kind == SyntaxToken::Kind::destination);
  return token.doubled;
}

Error misfit(const SyntaxToken& token, const std::string& what) {
  return {ErrorCode::bad_input,
          (token.kind == SyntaxToken::Kind::destination ? "the destination "
                                                        : "source " + std::to_string(token.index) + " ") +
              what,
          {}};
}

Error out_of_range(const SyntaxToken& token, unsigned most) {
  return misfit(token, "is out of range; numbers are 0 to " + std::to_string(most));
}

// Those that a field can name, "r, pa, sa[idx]".
std::string banks_of(const SyntaxToken& token) {
  constexpr std::string_view kNames[] = {"r", "o", "pa", "sa", "c", "#", "idx", "by idx1", "by idx2"};
  std::string text;
  for (const bool extended : {false, true}) {
    if (extended && token.extension == 0) break;
    const std::size_t count = token.bank.width() == 1 ? 2 : 4;
    for (std::size_t k = 0; k < count; ++k)
      text += (text.empty() ? "" : ", ") +
              std::string(kNames[static_cast<std::size_t>(selectors(token, extended)[k])]);
  }
  return text;
}

}  // namespace

Result<Register> decode_register(const SyntaxToken& token, const Instruction& instruction,
                                 std::uint64_t word) {
  const auto raw = static_cast<std::uint16_t>(token.field.get(word));
  if (token.internal) return Register{.bank = Bank::i, .number = raw};
  if (token.secondary) return Register{.bank = Bank::sa, .number = raw};
  const bool extended = token.extension != 0 && encoding::read_bits(word, token.extension, 1) != 0;
  const Selector selector = selectors(token, extended)[token.bank.get(word)];
  const unsigned width = token.field.width(), factor = is_doubled(token, instruction) ? 2 : 1;
  Register reg{.bank = bank_of(selector), .number = static_cast<std::uint16_t>(raw * factor)};
  if (selector == Selector::index1 || selector == Selector::index2) {
    reg.bank = kIndexedBanks[raw >> (width - 2)];
    reg.index = selector == Selector::index1 ? 1 : 2;
    reg.index_words = static_cast<std::uint8_t>(factor);
    reg.number = static_cast<std::uint16_t>((raw & low_mask<unsigned>(width - 2)) * factor);
  } else if (selector == Selector::r && raw >= (1U << width) - 4) {
    reg.bank = Bank::i;
    reg.number = raw & 3;
  } else if (selector == Selector::c || selector == Selector::immediate || selector == Selector::idx) {
    reg.number = raw;
    if (selector == Selector::immediate && !token.high.empty())
      reg.number = static_cast<std::uint16_t>(raw | token.high.get(word) << width);
    if (selector == Selector::c && (raw >> kGlobalBit & 1) != 0) {
      reg.bank = Bank::g;
      reg.number = raw & low_mask<std::uint16_t>(kGlobalBit);
    }
  }
  return reg;
}

Result<std::uint64_t> encode_register(const SyntaxToken& token, const Instruction& instruction,
                                      const Register& reg, std::uint64_t word) {
  const unsigned width = token.field.width(), factor = is_doubled(token, instruction) ? 2 : 1;
  const std::string bank_name(name(reg.bank));
  if (token.internal || token.secondary) {
    if (reg.bank != (token.internal ? Bank::i : Bank::sa) || reg.index != 0)
      return misfit(token, std::string("can only be in bank ") + (token.internal ? "i" : "sa"));
    if (reg.number > low_mask<unsigned>(width)) return out_of_range(token, low_mask<unsigned>(width));
    return token.field.set(word, reg.number);
  }
  unsigned raw = reg.number / factor, most = low_mask<unsigned>(width);
  bool whole = reg.number % factor == 0, counts_pairs = true;
  Selector selector = Selector::r;
  switch (reg.bank) {
    case Bank::r:
      most -= 4;
      break;
    case Bank::i:
      if (reg.index == 0 && reg.number > 3) return out_of_range(token, 3);
      raw = reg.number + (1U << width) - 4;
      whole = true;
      break;
    case Bank::pa:
      selector = Selector::pa;
      break;
    case Bank::sa:
      selector = Selector::sa;
      break;
    case Bank::o:
      selector = Selector::o;
      break;
    case Bank::c:
    case Bank::g:
      selector = Selector::c;
      raw = reg.number;
      most = low_mask<unsigned>(std::min(width, kGlobalBit));
      whole = reg.bank == Bank::c || width > kGlobalBit;
      counts_pairs = false;
      break;
    case Bank::immediate:
      selector = Selector::immediate;
      raw = reg.number;
      most = low_mask<unsigned>(width + token.high.width());
      whole = true;
      counts_pairs = false;
      break;
    case Bank::idx:
      selector = Selector::idx;
      raw = reg.number;
      whole = true;
      counts_pairs = false;
      break;
  }
  if (reg.index != 0) {
    const auto* const bank = std::ranges::find(kIndexedBanks, reg.bank);
    if (bank == std::end(kIndexedBanks)) return misfit(token, "cannot be indexed in bank " + bank_name);
    most = low_mask<unsigned>(width - 2);
    if (raw > most) return out_of_range(token, most * factor);
    if (reg.index_words != factor)
      return misfit(token, factor == 2 ? "is by an index that counts pairs of words: 2*idx1, 2*idx2"
                                       : "is by an index that counts words: idx1, idx2");
    selector = reg.index == 1 ? Selector::index1 : Selector::index2;
    raw |= static_cast<unsigned>(bank - kIndexedBanks) << (width - 2);
    most = raw;
  }
  if (raw > most) return out_of_range(token, counts_pairs ? most * factor : most);
  if (!whole) return misfit(token, "begins with an even register");
  if (reg.bank == Bank::g) raw |= 1U << kGlobalBit;
  for (const bool extended : {false, true}) {
    if (extended && token.extension == 0) break;
    const Selectors& list = selectors(token, extended);
    const std::size_t count = token.bank.width() == 1 ? 2 : 4;
    for (std::size_t k = 0; k < count; ++k) {
      if (list[k] != selector) continue;
      word = token.bank.set(word, static_cast<std::uint32_t>(k));
      if (token.extension != 0) word = encoding::write_bits(word, token.extension, 1, extended ? 1 : 0);
      if (selector == Selector::immediate && !token.high.empty()) word = token.high.set(word, raw >> width);
      return token.field.set(word, raw);
    }
  }
  return misfit(token, "cannot be " + std::string(reg.index != 0 ? "indexed" : "in bank " + bank_name) +
                           "; it may be in " + banks_of(token));
}

}  // namespace warpjit::usse
