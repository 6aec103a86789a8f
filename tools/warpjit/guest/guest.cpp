#include "guest/guest.h"

#include <fmt/core.h>

#include <charconv>

namespace warpjit::tool {

std::string hex(std::uint32_t word) { return fmt::format("{:#010x}", word); }

Json words_array(std::span<const std::uint32_t> words) {
  Json list = Json::array();
  for (const std::uint32_t word : words) list.push_back(hex(word));
  return list;
}

Location numbered(LocationKind kind, unsigned number) {
  Location location;
  location.kind = kind;
  location.first = static_cast<std::uint16_t>(number);
  location.count = 1;
  return location;
}

void set_entry(ProgramRequest& request, const std::string& text) {
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  std::uint32_t address = 0;
  const char* begin = text.data() + (hexadecimal ? 2 : 0);
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(begin, end, address, hexadecimal ? 16 : 10);
  if (failure == std::errc() && stop == end && begin != end)
    request.address = address;
  else
    request.entry = text;
}

std::span<const Guest* const> guests() {
  static const Guest* const kGuests[] = {&pica200_guest(), &tesla_guest(), &valhall_guest(), &usse_guest()};
  return kGuests;
}

const Guest& guest_of(Isa isa) {
  for (const Guest* guest : guests())
    if (guest->isa() == isa) return *guest;
  return *guests().front();  // every Isa has one
}

const Guest* find_guest(std::string_view content, const std::string& name) {
  for (const Guest* guest : guests())
    if (guest->recognizes(content, name)) return guest;
  return nullptr;
}

std::span<const std::string_view> Guest::uniform_files() const {
  return registers() != nullptr ? registers()->uniform_files() : std::span<const std::string_view>();
}
std::string_view Guest::register_names(LocationKind kind) const {
  return registers() != nullptr ? registers()->names(kind) : "none";
}
bool Guest::is_preset(const frontend::Shader& shader, const Location& location) const {
  return registers() != nullptr && registers()->is_preset(shader, location);
}
bool Guest::is_float(const Location& location) const {
  return registers() == nullptr || registers()->is_float(location);
}
GridLimits Guest::grid_limits() const { return spaces() != nullptr ? spaces()->grid_limits() : GridLimits(); }
Result<GridUse> Guest::grid_use(const frontend::Shader& shader) const {
  if (spaces() == nullptr) return GridUse();
  return spaces()->use(shader);
}

std::string guest_names() {
  std::string list;
  for (const Guest* guest : guests()) list += (list.empty() ? "" : ", ") + std::string(name(guest->isa()));
  return list;
}

std::string all_file_kinds() {
  std::string list;
  for (const Guest* guest : guests())
    list += (list.empty() ? "" : "; ") + std::string(guest->traits().file_kinds);
  return list;
}

Status check_only_program(const ProgramRequest& request, Stage stage, std::size_t code_bytes,
                          std::uint32_t entry_unit, const std::string& source_name) {
  const auto wrong = [&](std::string message) {
    return Error{ErrorCode::bad_input, std::move(message), source_name};
  };
  if (!request.entry.empty())
    return wrong(
        fmt::format("the file has one program, which has no name; the entry is '{}'", request.entry));
  if (request.index.value_or(0) != 0)
    return wrong(fmt::format("the file has one program; the index is {}", *request.index));
  if (request.address && entry_unit == 0)
    return wrong(fmt::format("programs of this guest begin with the first word; the entry is {:#x}",
                             *request.address));
  if (request.address && (*request.address % entry_unit != 0 || *request.address >= code_bytes))
    return wrong(fmt::format("entry {:#x}: expected a multiple of {} below the code's {:#x} bytes",
                             *request.address, entry_unit, code_bytes));
  if (request.stage && *request.stage != stage)
    return wrong(fmt::format("it is a {} program, not a {} program", name(stage), name(*request.stage)));
  return {};
}

Result<SourceText> only_source(std::span<const SourceText> sources, const AssembleOptions& options) {
  if (options.labels)
    return Error{ErrorCode::bad_input, "only SHBIN containers have labels; this guest's files have none",
                 "--labels"};
  if (sources.size() != 1)
    return Error{ErrorCode::bad_input, "programs of this guest are assembled one source at a time",
                 sources[1].name};
  return sources[0];
}

Status check_names(const ListOptions& options) {
  if (options.names) return {};
  return Error{ErrorCode::bad_input, "registers of this guest have no names but their own", "--no-names"};
}

Result<std::vector<std::uint32_t>> words_from(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.empty() || bytes.size() % 4 != 0)
    return Error{ErrorCode::bad_input,
                 fmt::format("bare words are 4 bytes each, but the file has {} bytes", bytes.size()), name};
  std::vector<std::uint32_t> words(bytes.size() / 4);
  for (std::size_t k = 0; k < bytes.size(); ++k)
    words[k / 4] |= std::to_integer<std::uint32_t>(bytes[k]) << (k % 4 * 8);
  return words;
}

}  // namespace warpjit::tool
