#include "frontend/register_bank.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace warpjit::frontend {
namespace {

constexpr std::string_view kComponents = "xyzw";

}  // namespace

unsigned words_of(std::span<const RegisterBank> banks) {
  unsigned words = 0;
  for (const RegisterBank& bank : banks)
    words = std::max(words, bank.first + unsigned{bank.registers} * bank.components);
  return words;
}

const RegisterBank* bank_of(std::span<const RegisterBank> banks, unsigned word) {
  for (const RegisterBank& bank : banks)
    if (word >= bank.first && word - bank.first < unsigned{bank.registers} * bank.components) return &bank;
  return nullptr;
}

std::string name_of(std::span<const RegisterBank> banks, unsigned word) {
  const RegisterBank* const bank = bank_of(banks, word);
  if (bank == nullptr) return "word " + std::to_string(word);
  const unsigned place = word - bank->first;
  std::string name(bank->name);
  if (bank->addressed) {
    char digits[16];
    char* const end = std::to_chars(digits, std::end(digits), 4 * place, 16).ptr;
    return name + "[0x" + std::string(digits, end) + "]";
  }
  if (bank->registers > 1) name += std::to_string(place / bank->components);
  if (bank->components > 1) name += {'.', kComponents[place % bank->components]};
  return name;
}

std::optional<unsigned> word_of(std::span<const RegisterBank> banks, std::string_view name) {
  for (const RegisterBank& bank : banks) {
    if (!name.starts_with(bank.name)) continue;
    std::string_view rest = name.substr(bank.name.size());
    unsigned number = 0, component = 0;
    if (bank.addressed) {
      if (!rest.starts_with("[0x") || !rest.ends_with("]")) continue;
      rest = rest.substr(3, rest.size() - 4);
      const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number, 16);
      if (error != std::errc() || end != rest.data() + rest.size() || number % 4 != 0 ||
          number / 4 >= unsigned{bank.registers} * bank.components)
        continue;
      return bank.first + number / 4;
    }
    if (bank.registers > 1) {
      const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
      if (error != std::errc() || number >= bank.registers) continue;
      rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    }
    if (bank.components > 1) {
      if (rest.size() != 2 || rest[0] != '.') continue;
      const std::size_t at = kComponents.find(rest[1]);
      if (at >= bank.components) continue;
      component = static_cast<unsigned>(at);
    } else if (!rest.empty()) {
      continue;
    }
    return bank.first + number * bank.components + component;
  }
  return std::nullopt;
}

}  // namespace warpjit::frontend
