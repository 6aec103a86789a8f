// Calls of Pipeline's as data: a recording takes them, and a replay makes them again.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "frontend/pica200/facts/physical_memory.h"
#include "warpjit/pica200.hpp"

namespace warpjit::pica200 {

// What `first` is, then the words. The numbers are those of files.
enum class CallKind : std::uint32_t {
  write = 1,              // id, from bit 16 on the bytes; the value
  writes = 2,             // 0; pairs of id and value
  code = 3,               // the first word; words
  descriptors = 4,        // the first one; words
  entry = 5,              // the word
  f24 = 6,                // 0 or 1
  structural_scopes = 7,  // 0 or 1
  floats = 8,             // the first register; four words each
  ints = 9,               // the first register; words
  bools = 10,             // the first, from bit 16 on their number; bits
  fixed_attributes = 11,  // the first one; four words each
  attribute_count = 12,
  permutation = 13,    // the attribute, from bit 16 on its register
  output_mask = 14,    // bits
  output_map = 15,     // 0; words
  geometry_unit = 16,  // 0; GeometryUnit::words
  reset = 17,          // Start
  load = 18,           // the number of bytes; these, in words
  outside = 19,        // Outside
  topology = 20,       // 0 or 1
  draw = 21,           // the first vertex; their number
  draw_indexed8 = 22,  // the number of indices; these, in words
  draw_indexed16 = 23,
  draw_arrays = 24,
  draw_elements = 25,
  draw_immediate = 26,
  commands = 27,  // 0; words
  packet = 28,    // id, from bit 16 on the bytes, bit 20 for consecutive registers; words
  // Calls of Gpu, which draw pixels.
  gpu_packet = 29,  // as packet
  gpu_draw_immediate = 30,
};

struct PipelineCall {
  CallKind kind{};
  Unit unit = Unit::vertex;
  std::uint32_t first = 0;
  std::span<const std::uint32_t> words{};
};
inline constexpr std::uint32_t kLastPipelineCall = 30;

PipelineCall packet_call(CallKind kind, const Packet& packet);
Packet packet_of(const PipelineCall& call);

// What the draws of a call gave.
struct CallResult {
  // FNV-1a by words of 32 bits. A draw has the number of its vertices, for each of a vertex's 24 words the sum of all
  // vertices' and the sum of that sum after each vertex, and the number of its indices with two such sums of
  // words of 64 bits, the last one filled with zeros; an error has 2^32 - 1.
  std::uint64_t hash = 0xcbf29ce484222325;
  std::uint32_t draws = 0;  // that gave vertices or an error
  bool ended = false;       // the visitor ended the list after the last one
};

// Whom a pipeline tells of its calls, and of memory between begin_call and end_call.
class PipelineRecording : public MemoryWatch {
 public:
  virtual void begin_call(const PipelineCall& call) = 0;
  virtual void end_call(const PipelineCall& call, const CallResult& result) = 0;
  // Something was done that it cannot record.
  virtual void lose(const char* what) = 0;
  virtual Status end_frame() = 0;
  virtual Status finish() = 0;
};

// Results of draws one after the other. As a visitor it ends a list after `most` draws.
class CallResults final : public CommandVisitor {
 public:
  explicit CallResults(std::uint32_t most = UINT32_MAX) : most_(most) {}
  void add(const Result<DrawResult>& result);
  void set_ended(bool ended) { result_.ended = ended; }
  bool draw(const Result<DrawResult>& result) override;
  const CallResult& result() const { return result_; }

 private:
  std::uint32_t most_;
  CallResult result_;
};

// Makes a call again. Errors of calls are part of their results.
CallResult make_call(Pipeline& pipeline, const PipelineCall& call, std::uint32_t most_draws,
                     const Engine& engine, const RunOptions& options);

}  // namespace warpjit::pica200
