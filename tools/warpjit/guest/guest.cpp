#include "guest/guest.h"
#include "launch/reading.h"

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

Status Guest::read_graphics(const JsonField& field, RawWords&) const {
  return field.error("programs of this guest have no such state");
}

Result<std::uint32_t> Guest::read_attribute_format(const JsonField& field) const {
  return field.error("programs of this guest fetch no attributes");
}

Result<ControlTexture> Guest::read_control_texture(const frontend::Shader&, unsigned,
                                                   std::span<const std::uint32_t>, const EntryMemory&) const {
  return Error{ErrorCode::bad_input, "textures of this guest have no control words", ""};
}
Status Guest::read_console_values(Reading& reading) const {
  for (const char* const key : {"streams", "attributes", "buffers"})
    if (reading.root.has(key)) return reading.root.at(key).error("does not belong to programs of this guest");
  return {};
}
Result<PixelFormat> Guest::read_surface_format(std::uint32_t) const {
  return Error{ErrorCode::bad_input, "this guest has no such surfaces", ""};
}
Result<BlendState> Guest::read_blend_word(std::uint32_t, const frontend::Shader&, PixelFormat) const {
  return Error{ErrorCode::bad_input, "this guest has no such words", ""};
}
Result<RasterState> Guest::console_raster(const frontend::Shader*, Topology) const {
  return Error{ErrorCode::bad_input, "this guest has no such state", ""};
}

Result<Texture> Guest::read_texture_entry(const EntryWords&, const EntryMemory&) const {
  return Error{ErrorCode::bad_input, "this guest has no such entries", ""};
}
Result<Sampler> Guest::read_sampler_entry(const EntryWords&, bool) const {
  return Error{ErrorCode::bad_input, "this guest has no such entries", ""};
}

Result<Json> Guest::jobs_json(std::span<const std::byte>, const std::string& name, std::uint64_t) const {
  return Error{ErrorCode::bad_input, "this guest has no memory images", name};
}

Status Guest::read_job(const ImageJob& job, LaunchFile&) const {
  return Error{ErrorCode::bad_input, "this guest has no memory images", job.name};
}

std::string guest_names() {
  std::string list;
  for (const Guest* guest : guests()) list += (list.empty() ? "" : ", ") + std::string(name(guest->isa()));
  return list;
}

std::string all_file_kinds() {
  std::string list;
  for (const Guest* guest : guests()) list += (list.empty() ? "" : "; ") + std::string(guest->file_kinds());
  return list;
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
