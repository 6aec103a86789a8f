#include "capture/field_cursor.h"

#include <algorithm>
#include <utility>

namespace warpjit::capture {

void FieldWriter::blob(std::span<const std::byte> value) {
  word(static_cast<std::uint32_t>(value.size()));
  numbers_.text({reinterpret_cast<const char*>(value.data()), value.size()});
  for (std::size_t n = value.size(); n % 4 != 0; ++n) numbers_.text({"\0", 1});
}

void FieldReader::fail(std::size_t at, std::string what, ErrorCode code) {
  if (!error_) error_ = file_.fail(at, std::move(what), code);
}

bool FieldReader::has(std::size_t size) {
  if (ok() && end_ - at_ < size)
    fail(at_, std::string("the section ends in ") + what_ + ", expected " + std::to_string(size) + " bytes");
  return ok();
}

void FieldReader::word(std::uint32_t& value) {
  if (has(4)) value = file_.word(std::exchange(at_, at_ + 4));
}
void FieldReader::long_word(std::uint64_t& value) {
  if (has(8)) value = file_.long_word(std::exchange(at_, at_ + 8));
}
void FieldReader::real(float& value) {
  auto bits = std::bit_cast<std::uint32_t>(value);
  word(bits);
  value = std::bit_cast<float>(bits);
}
void FieldReader::integer(std::int32_t& value) {
  auto bits = static_cast<std::uint32_t>(value);
  word(bits);
  value = static_cast<std::int32_t>(bits);
}

std::optional<std::uint32_t> FieldReader::read_between(std::uint64_t least, std::uint64_t most,
                                                       const char* what) {
  std::uint32_t read = 0;
  const std::size_t at = at_;
  word(read);
  if (ok() && (read < least || read > most))
    fail(at, std::string(what) + " is " + std::to_string(read) + ", expected " + std::to_string(least) +
                 " to " + std::to_string(most));
  return ok() ? std::optional(read) : std::nullopt;
}

// 0 after an error.
std::uint32_t FieldReader::read_count(std::size_t least_bytes, const char* what) {
  std::uint32_t count = 0;
  const std::size_t at = at_;
  word(count);
  const std::size_t most = (end_ - at_) / least_bytes;
  if (ok() && count > most)
    fail(at, std::string(what) + ": " + std::to_string(count) + ", expected at most " + std::to_string(most) +
                 " in what is left of the section");
  return ok() ? count : 0;
}

std::span<const std::byte> FieldReader::read_bytes(std::size_t most, const char* what) {
  std::uint32_t size = 0;
  const std::size_t at = at_;
  word(size);
  if (!ok()) return {};
  const std::size_t padded = (std::size_t{size} + 3) / 4 * 4;
  if (size > most || padded > end_ - at_) {
    fail(at, std::string(what) + " has " + hex_text(size) + " bytes, expected at most " +
                 hex_text(std::min<std::uint64_t>(most, end_ - at_)));
    return {};
  }
  return file_.bytes().subspan(std::exchange(at_, at_ + padded), size);
}

void FieldReader::text(std::string& value, std::size_t most, const char* what) {
  const std::span<const std::byte> bytes = read_bytes(most, what);
  value.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}
void FieldReader::blob(std::vector<std::byte>& value) {
  const std::span<const std::byte> bytes = read_bytes(SIZE_MAX, "a size");
  value.assign(bytes.begin(), bytes.end());
}

std::span<const std::byte> FieldReader::rest() {
  const std::size_t from = std::exchange(at_, end_);
  return file_.bytes().subspan(from, end_ - from);
}

Status FieldReader::finish() {
  if (ok() && at_ != end_) fail(at_, hex_text(end_ - at_) + " bytes after " + what_ + ", expected none");
  return error_ ? Status(*error_) : Status();
}

}  // namespace warpjit::capture
