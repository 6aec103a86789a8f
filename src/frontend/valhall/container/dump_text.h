// What Mesa's panfrost driver writes with PAN_MESA_DEBUG=trace,dump: a text with the trace of each chain of jobs,
// then the memory after it ran (docs/captures.md). Texts may be hostile: reading takes time and memory by
// their length, but for lines that stand for repeated ones, which have a limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/valhall/container/chain_memory.h"
#include "warpjit/valhall.hpp"

namespace warpjit::valhall {

struct DumpedJob {
  std::uint64_t address = 0;
  std::string type;  // as the text has it: "Malloc vertex"
  std::uint64_t line = 0;
};
struct DumpedBuffer {
  std::uint64_t address = 0, size = 0;
  bool open = false;  // it ends in zeros whose number is not in the text: the size is the least
  std::uint64_t line = 0;
};
// A block of a text.
struct DumpedChain {
  JobChain chain;
  std::string file;
  std::vector<DumpedJob> jobs;  // in the order of the text; the first one is the chain's
  std::vector<DumpedBuffer> buffers;
  ChainMemory memory;
};

// True if it is such a text, or what the driver writes with one of the two words alone.
bool is_dump_text(std::span<const std::byte> bytes);

// Reads the texts of one run, one after the other. Errors name line and byte, and what was expected there:
// bad_input, resource_limit.
class DumpTextReader {
 public:
  explicit DumpTextReader(const ImageLimits& limits = {}) : limits_(limits), expanded_left_(limits.bytes) {}

  Status read(std::span<const std::byte> text, const std::string& name);
  std::vector<DumpedChain> take_chains() { return std::move(chains_); }

 private:
  class Text;
  ImageLimits limits_;
  std::uint64_t expanded_left_;  // bytes that lines may still stand for without having them
  std::vector<DumpedChain> chains_;
};

}  // namespace warpjit::valhall
