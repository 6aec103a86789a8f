#include "device/pica200/state_bytes.h"

namespace warpjit::pica200 {

StateBytes::StateBytes(Kind kind) { head(kind); }
StateBytes::StateBytes(Kind kind, std::span<const std::byte> from) : from_(from), reads_(true) { head(kind); }

void StateBytes::fail(const std::string& message) {
  if (!status_) return;
  status_ = Error{ErrorCode::bad_input, message,
                  "saved state, byte " + std::to_string(at_) + ", " + std::string(part_)};
}

void StateBytes::head(Kind kind) {
  std::uint32_t magic = kMagic, version = kVersion, found = static_cast<std::uint32_t>(kind);
  word(magic);
  if (ok() && magic != kMagic) fail("the bytes do not begin as a saved state");
  word(version);
  if (ok() && version != kVersion)
    fail("version " + std::to_string(version) + ", this library reads " + std::to_string(kVersion));
  word(found);
  if (ok() && found != static_cast<std::uint32_t>(kind))
    fail("kind " + std::to_string(found) + ", allowed is " +
         std::to_string(static_cast<std::uint32_t>(kind)) + " (1 a pipeline, 2 a GPU)");
}

void StateBytes::word(std::uint32_t& value) {
  if (!reads_) {
    for (unsigned n = 0; n < 4; ++n) bytes_.push_back(static_cast<std::byte>(value >> 8 * n));
    return;
  }
  if (!status_) return;
  if (from_.size() - at_ < 4) return fail("the bytes end here");
  value = 0;
  for (unsigned n = 0; n < 4; ++n) value |= std::to_integer<std::uint32_t>(from_[at_++]) << 8 * n;
}

void StateBytes::words(std::span<std::uint32_t> values) {
  for (std::uint32_t& value : values) word(value);
}

void StateBytes::trimmed(std::span<std::uint32_t> values) {
  std::size_t used = values.size();
  while (used != 0 && values[used - 1] == 0) --used;
  count(used, values.size(), 4);
  if (!status_) return;
  words(values.first(used));
  if (reads_)
    for (std::uint32_t& value : values.subspan(used)) value = 0;
}

void StateBytes::bounded(std::uint32_t& word_, std::uint32_t most) {
  word(word_);
  if (!reads_ || !status_ || word_ <= most) return;
  at_ -= 4;
  fail(std::to_string(word_) + ", allowed are 0 to " + std::to_string(most));
}

void StateBytes::count(std::size_t& value, std::size_t most, std::size_t bytes) {
  auto number = static_cast<std::uint32_t>(value);
  bounded(number, static_cast<std::uint32_t>(most));
  if (!reads_ || !status_) return;
  if (number > (from_.size() - at_) / bytes)
    return fail("the bytes end before " + std::to_string(number) + " entries do");
  value = number;
}

Status StateBytes::finish() {
  if (status_ && at_ != from_.size()) {
    part_ = "end";
    fail(std::to_string(from_.size() - at_) + " bytes are left over");
  }
  return status_;
}

}  // namespace warpjit::pica200
