// What Windows reads to walk the stack through code: UNWIND_INFO, as its documentation of x64 exception handling lays
// it out.
#pragma once

#include <cstdint>
#include <vector>

namespace warpjit::backend::x64 {

// The steps of a prologue, in their order. `after` is the offset of the instruction after the step, from the begin of
// the prologue, at most 255.
class UnwindInfo {
 public:
  void push(std::size_t after, std::uint32_t reg) { add(after, kPush, reg); }
  void allocate(std::size_t after, std::uint32_t bytes) {  // a multiple of 8, below 512 KiB
    if (bytes <= 128)
      add(after, kAllocateSmall, bytes / 8 - 1);
    else
      add(after, kAllocateLarge, 0, bytes / 8);
  }
  // rsp is in `reg` from here on.
  void set_frame(std::size_t after, std::uint32_t reg) {
    frame_ = reg;
    add(after, kSetFrame, 0);
  }
  // An xmm register, `offset` bytes above the frame's register, a multiple of 16.
  void save_vector(std::size_t after, std::uint32_t reg, std::uint32_t offset) {
    add(after, kSaveVector, reg, offset / 16);
  }

  std::vector<std::uint8_t> bytes() const {
    std::vector<std::uint8_t> result;
    const auto put = [&](std::uint32_t byte) { result.push_back(static_cast<std::uint8_t>(byte)); };
    std::uint32_t codes = 0;
    for (const Step& step : steps_) codes += step.has_operand ? 2 : 1;
    put(1);  // version, no handler
    put(steps_.empty() ? 0 : steps_.back().after);
    put(codes);
    put(frame_);
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      put(step->after);
      put(step->operation | static_cast<std::uint32_t>(step->info) << 4);
      if (!step->has_operand) continue;
      put(step->operand & 0xff);
      put(step->operand >> 8);
    }
    while (result.size() % 4 != 0) put(0);
    return result;
  }

 private:
  static constexpr std::uint8_t kPush = 0, kAllocateLarge = 1, kAllocateSmall = 2, kSetFrame = 3,
                                kSaveVector = 8;
  struct Step {
    std::uint8_t after, operation, info;
    bool has_operand = false;
    std::uint16_t operand = 0;
  };
  void add(std::size_t after, std::uint8_t operation, std::uint32_t info) {
    steps_.push_back({static_cast<std::uint8_t>(after), operation, static_cast<std::uint8_t>(info)});
  }
  void add(std::size_t after, std::uint8_t operation, std::uint32_t info, std::uint32_t operand) {
    add(after, operation, info);
    steps_.back().has_operand = true;
    steps_.back().operand = static_cast<std::uint16_t>(operand);
  }

  std::vector<Step> steps_;
  std::uint32_t frame_ = 0;
};

}  // namespace warpjit::backend::x64
