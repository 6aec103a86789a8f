// Buffers in memory that programs name by tables and entries.
#include <limits>

#include "launch/reading.h"

namespace warpjit::tool {

namespace {

constexpr std::size_t kMostBuffers = 64;

Result<BufferSource> read_buffer(const JsonField& field) {
  constexpr std::int64_t kMostEntry = 0xffffff, kMostBytes = 0xffffffff;
  WARPJIT_CHECK(field.expect_object());
  WARPJIT_CHECK(field.expect_keys({"table", "entry", "address", "bytes"}));
  BufferSource buffer;
  const auto number = [&](const char* key, std::int64_t most) -> Result<std::uint64_t> {
    WARPJIT_TRY(const JsonField given, field.require(key));
    WARPJIT_TRY(const std::int64_t value, given.integer(0, most));
    return static_cast<std::uint64_t>(value);
  };
  WARPJIT_TRY(const std::uint64_t table, number("table", 0xff));
  WARPJIT_TRY(const std::uint64_t entry, number("entry", kMostEntry));
  WARPJIT_TRY(buffer.address, number("address", std::numeric_limits<std::int64_t>::max()));
  WARPJIT_TRY(const std::uint64_t bytes, number("bytes", kMostBytes));
  buffer.table = static_cast<std::uint8_t>(table);
  buffer.entry = static_cast<std::uint32_t>(entry);
  buffer.bytes = static_cast<std::uint32_t>(bytes);
  return buffer;
}

}  // namespace

Status read_buffers(Reading& reading) {
  const auto field = reading.root.find("table_buffers");
  if (!field) return {};
  if (!reading.launch.program->takes_buffers())
    return field->error("programs of this guest have no tables of buffers");
  WARPJIT_CHECK(field->expect_array());
  if (field->size() > kMostBuffers)
    return field->error("at most " + std::to_string(kMostBuffers) + " buffers");
  for (std::size_t k = 0; k < field->size(); ++k) {
    WARPJIT_TRY(const BufferSource buffer, read_buffer(field->at(k)));
    reading.launch.grid.buffers.push_back(buffer);
  }
  return {};
}

}  // namespace warpjit::tool
