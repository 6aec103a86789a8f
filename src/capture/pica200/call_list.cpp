#include "capture/pica200/call_list.h"

namespace warpjit::pica200 {
namespace {

constexpr std::uint32_t kResult = 1 << 16;
constexpr std::size_t kHead = 12, kResultBytes = 16;

}  // namespace

void add_call(capture::Numbers& to, const PipelineCall& call, const std::optional<CallResult>& result) {
  const std::uint32_t unit = call.unit == Unit::geometry ? 1 : 0;
  to.word(static_cast<std::uint32_t>(call.kind) | unit << 8 | (result ? kResult : 0));
  to.word(call.first).word(static_cast<std::uint32_t>(call.words.size()));
  to.words(call.words);
  if (result) to.long_word(result->hash).word(result->draws).word(result->ended ? 1 : 0);
}

Result<PipelineCall> CallReader::next() {
  const std::size_t left = bytes_.bytes().size() - at_;
  const auto wrong = [&](const std::string& what) { return Error{ErrorCode::bad_input, what, ""}; };
  if (left < kHead)
    return wrong("a call is cut after " + std::to_string(left) + " bytes, expected at least 12");
  const std::uint32_t head = bytes_.word(at_), count = bytes_.word(at_ + 8), kind = head & 0xFF;
  if (kind < 1 || kind > kLastPipelineCall || (head & ~(kResult | 0x1FF)) != 0)
    return wrong("a call begins with " + capture::hex_text(head) + ", expected a kind from 1 to " +
                 std::to_string(kLastPipelineCall) + ", bit 8 for the unit and bit 16 for a result");
  const std::uint64_t size =
      kHead + 4 * std::uint64_t{count} + ((head & kResult) != 0 ? kResultBytes : std::size_t{0});
  if (size > left)
    return wrong("a call of " + capture::hex_text(size) + " bytes, and " + capture::hex_text(left) +
                 " are left");
  words_.resize(count);
  for (std::size_t n = 0; n < count; ++n) words_[n] = bytes_.word(at_ + kHead + 4 * n);
  const PipelineCall call{static_cast<CallKind>(kind), (head >> 8 & 1) != 0 ? Unit::geometry : Unit::vertex,
                          bytes_.word(at_ + 4), words_};
  result_.reset();
  if ((head & kResult) != 0) {
    const std::size_t at = at_ + static_cast<std::size_t>(size) - kResultBytes;
    result_ = CallResult{bytes_.long_word(at), bytes_.word(at + 8), bytes_.word(at + 12) != 0};
  }
  at_ += static_cast<std::size_t>(size);
  return call;
}

CountedCalls count_calls(std::span<const std::byte> bytes) {
  CountedCalls counted;
  for (CallReader reader(bytes); !reader.done(); ++counted.calls) {
    counted.at = reader.at();
    if (const auto call = reader.next(); !call) {
      counted.status = call.error();
      return counted;
    }
  }
  return counted;
}

}  // namespace warpjit::pica200
