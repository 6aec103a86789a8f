// A value inside an untrusted JSON document together with its path, so that every error names the field
// ("launch.json, inputs.v0.stride: ..."). Reads numbers with the launch file's rule: any number may be
// written as a bit pattern, "0x7fc00000".
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json.h"

namespace warpjit::tool {

class JsonField {
 public:
  JsonField(const Json& value, const std::string& file_name) : value_(&value), file_name_(&file_name) {}

  const Json& json() const { return *value_; }
  const std::string& path() const { return path_; }
  // An error whose `where` is the file and this field.
  Error error(std::string message, ErrorCode code = ErrorCode::bad_input) const;
  // `inner` (from reading a file that the field names) put at this field.
  Error wrap(const Error& inner) const;

  Status expect_object() const;
  // This object has no keys but these.
  Status expect_keys(std::span<const std::string_view> known) const;
  Status expect_keys(std::initializer_list<std::string_view> known) const {
    return expect_keys(std::span(known.begin(), known.size()));
  }
  Status expect_array() const;
  // An array of `size` items, or of at most `most`; `what` they are: "numbers (columns, rows)".
  Status expect_size(std::size_t size, std::string_view what) const;
  Status expect_most(std::size_t most, std::string_view what) const;

  bool has(std::string_view key) const { return value_->contains(key); }
  JsonField at(std::string_view key) const;  // which must exist
  JsonField at(std::size_t index) const;     // which must exist
  std::optional<JsonField> find(std::string_view key) const;
  Result<JsonField> require(std::string_view key) const;
  std::size_t size() const { return value_->size(); }

  Result<std::string> string() const;
  Result<bool> boolean() const;
  // An integer within [low, high], or a bit pattern of at most `bits` bits: a pattern with the top bit set
  // is negative where low is.
  Result<std::int64_t> integer(std::int64_t low, std::int64_t high, unsigned bits = 64) const;
  // The bits of an IEEE binary32: a number, rounded to nearest, or a bit pattern.
  Result<std::uint32_t> float_bits() const;
  // A tolerance: finite, not negative.
  Result<double> tolerance() const;

 private:
  Result<std::uint64_t> bit_pattern(unsigned bits) const;

  const Json* value_;
  const std::string* file_name_;
  std::string path_;
};

// "is an array", "is a string", ...: what a value is, for messages.
std::string_view kind(const Json& value);

}  // namespace warpjit::tool
