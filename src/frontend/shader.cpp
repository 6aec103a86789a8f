#include "frontend/shader.h"

#include <charconv>
#include <cstdio>

namespace warpjit::frontend {
namespace {

Error not_for(const char* work) {
  return {ErrorCode::internal, std::string("this interpreter is not for ") + work, {}};
}

}  // namespace

Status GuestInterpreter::run(const Values&, const Facts&, std::span<const Rows>, std::span<const Rows>,
                             std::size_t, const RunLimits&) const {
  return not_for("rows");
}

Status GuestInterpreter::run_blocks(const Grid&, std::uint64_t, std::uint64_t, const RunLimits&,
                                    std::optional<BlockFault>&) const {
  return not_for("grids");
}

Status GuestInterpreter::draw(const Values&, const interpret::PixelWork&, const RunLimits&) const {
  return not_for("pixels");
}

std::uint32_t Declarations::largest_word(const Location& location) const {
  for (const Limit& limit : limits)
    if (limit.kind == location.kind && location.first >= limit.first &&
        location.first < limit.first + limit.count)
      return limit.largest;
  return ~std::uint32_t{0};
}

Result<Location> Shader::find(LocationKind, std::string_view name) const {
  return Error{ErrorCode::bad_input,
               "'" + std::string(name) + "' is not a name of this program, which has no registers to bind",
               source_name()};
}

std::optional<unsigned> number_after(std::string_view name, std::string_view prefix, unsigned limit) {
  if (!name.starts_with(prefix) || name.size() == prefix.size()) return std::nullopt;
  const std::string_view digits = name.substr(prefix.size());
  unsigned number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  const bool padded = digits.size() > 1 && digits[0] == '0';
  if (error != std::errc() || stop != end || padded || number >= limit) return std::nullopt;
  return number;
}

Result<SpaceName> find_space(const Shader& shader, std::string_view name) {
  if (const MemorySpaces* const spaces = shader.memory()) return spaces->find_space(name);
  return Error{ErrorCode::bad_input,
               "there is no memory space '" + std::string(name) + "': this program has none to map",
               shader.source_name()};
}

std::string bracketed(std::uint32_t address) {
  char text[32];
  std::snprintf(text, sizeof text, "[0x%x]", address);
  return text;
}

}  // namespace warpjit::frontend
