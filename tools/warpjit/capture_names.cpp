#include "capture_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "files.h"
#include "launch/json_field.h"

namespace warpjit::tool {

namespace {

using Of = CaptureName::Of;

constexpr std::array<const char*, 4> kKinds = {"address", "register", "draw", "uniform"};

Result<CaptureName> read_capture_name(const JsonField& field) {
  WARPJIT_CHECK(field.expect_object());
  WARPJIT_CHECK(field.expect_keys({"address", "register", "draw", "uniform", "name"}));
  CaptureName name;
  std::size_t kinds = 0;
  for (std::size_t n = 0; n < kKinds.size(); ++n) {
    const auto number = field.find(kKinds[n]);
    if (!number) continue;
    ++kinds;
    name.of = static_cast<Of>(n);
    WARPJIT_TRY(const std::int64_t value, number->integer(0, INT64_MAX));
    name.number = static_cast<std::uint64_t>(value);
  }
  if (kinds != 1) return field.error("has one of address, register, draw and uniform");
  WARPJIT_TRY(const JsonField text, field.require("name"));
  WARPJIT_TRY(name.text, text.string());
  if (name.text.empty()) return text.error("is empty");
  return name;
}

}  // namespace

Result<std::vector<CaptureName>> read_names(const std::string& file) {
  WARPJIT_TRY(const std::vector<std::byte> bytes, read_file(file, kMaxJsonBytes));
  WARPJIT_TRY(const Json document, parse_json(as_text(bytes), file));
  const JsonField list(document, file);
  WARPJIT_CHECK(list.expect_array());
  std::vector<CaptureName> names;
  for (std::size_t n = 0; n < list.size(); ++n) {
    WARPJIT_TRY(CaptureName name, read_capture_name(list.at(n)));
    names.push_back(std::move(name));
  }
  return names;
}

NameTable::NameTable(std::span<const CaptureName> names) {
  for (const CaptureName& name : names)
    names_.insert_or_assign({name.of, name.number}, text::visible(name.text));
}

std::string_view NameTable::find(Of of, std::uint64_t number) const {
  const auto found = names_.find({of, number});
  return found == names_.end() ? std::string_view() : std::string_view(found->second);
}

std::string NameTable::with_addresses(std::string_view text) const {
  std::string result;
  while (!text.empty()) {
    const std::size_t start = text.find("0x");
    if (start == std::string_view::npos) break;
    const std::size_t end =
        std::min(text.find_first_not_of("0123456789abcdefABCDEF", start + 2), text.size());
    const auto number = text::parse_hexadecimal(text.substr(start + 2, end - start - 2), UINT64_MAX);
    result += text.substr(0, end);
    // Registers are shorter.
    constexpr std::size_t kLeastDigits = 5;
    if (const std::string_view name =
            number && end - start - 2 >= kLeastDigits ? find(Of::address, *number) : "";
        !name.empty())
      result += fmt::format(" ({})", name);
    text.remove_prefix(end);
  }
  return result += text;
}

Json NameTable::with_addresses(const Json& document) const {
  if (names_.empty()) return document;
  if (document.is_string()) return with_addresses(std::string_view(document.string()));
  if (document.is_array()) {
    Json list = Json::array();
    for (const Json& item : document) list.push_back(with_addresses(item));
    return list;
  }
  if (!document.is_object()) return document;
  Json object = Json::object();
  for (const JsonMember& member : document.members()) object[member.key] = with_addresses(member.value);
  return object;
}

std::string NameTable::of_draw(std::uint64_t number) const {
  const std::string_view name = find(Of::draw, number);
  return name.empty() ? std::string() : fmt::format(" ({})", name);
}

std::string NameTable::after(std::string_view word, Of of, std::string_view text) const {
  std::string result;
  for (std::size_t start = text.find(word); start != std::string_view::npos; start = text.find(word)) {
    const std::size_t digits = start + word.size();
    const std::size_t end = std::min(text.find_first_not_of("0123456789abcdefxABCDEF", digits), text.size());
    result += text.substr(0, end);
    if (const auto number = text::parse_unsigned(text.substr(digits, end - digits), UINT64_MAX))
      if (const std::string_view name = find(of, *number); !name.empty())
        result += fmt::format(" ({})", name);
    text.remove_prefix(end);
  }
  return result += text;
}

std::string NameTable::in(std::string_view text) const {
  if (names_.empty()) return std::string(text);
  return with_addresses(std::string_view(after("register ", Of::reg, after("draw ", Of::draw, text))));
}

Error NameTable::in(Error error) const {
  error.message = in(std::string_view(error.message));
  error.where = in(std::string_view(error.where));
  return error;
}

Json NameTable::json() const {
  Json list = Json::array();
  for (const auto& [key, text] : names_) {
    const char* const kind = kKinds[static_cast<std::size_t>(key.first)];
    Json number = key.first == Of::draw ? Json(key.second) : Json(fmt::format("{:#x}", key.second));
    list.push_back(Json{{kind, std::move(number)}, {"name", text}});
  }
  return list;
}

std::vector<std::string> NameTable::lines() const {
  std::vector<std::string> lines;
  for (const auto& [key, text] : names_)
    lines.push_back(
        key.first == Of::draw
            ? fmt::format("draw {}: {}", key.second, text)
            : fmt::format("{} {:#x}: {}", kKinds[static_cast<std::size_t>(key.first)], key.second, text));
  return lines;
}

}  // namespace warpjit::tool
