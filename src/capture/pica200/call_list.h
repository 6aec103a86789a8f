// Lists of calls as bytes. A call is {u32 kind, from bit 8 on the unit, bit 16 if a result follows; u32 first; u32 number
// of words; the words; u64 hash of what its draws gave, u32 number of draws, u32 1 if the caller ended the list after
// the last one}.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "capture/section_file.h"
#include "device/pica200/pipeline_call.h"

namespace warpjit::pica200 {

void add_call(capture::Numbers& to, const PipelineCall& call, const std::optional<CallResult>& result);

class CallReader {
 public:
  explicit CallReader(std::span<const std::byte> bytes) : bytes_(bytes, {}) {}
  bool done() const { return at_ == bytes_.bytes().size(); }
  std::size_t at() const { return at_; }
  // The next call, whose words are valid until the one after it; the error is what is wrong at at().
  Result<PipelineCall> next();
  const std::optional<CallResult>& result() const { return result_; }  // of that call

 private:
  capture::FileBytes bytes_;
  std::size_t at_ = 0;
  std::vector<std::uint32_t> words_;
  std::optional<CallResult> result_;
};

// All of them. Errors: as CallReader::next.
struct CountedCalls {
  std::size_t calls = 0, at = 0;  // at: where the one begins that is wrong
  Status status;
};
CountedCalls count_calls(std::span<const std::byte> bytes);

}  // namespace warpjit::pica200
