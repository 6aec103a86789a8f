// Tells an observer what becomes of a fragment, step by step (facts/fragment_file.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "frontend/interpret/observer.h"
#include "frontend/pica200/facts/fragment_file.h"
#include "frontend/pica200/interpret/fragment/texture.h"

namespace warpjit::pica200::fragment {

class FragmentSteps {
 public:
  // Of the pixel, whose lane is its place in its quad.
  FragmentSteps(interpret::Observer& observer, const FragmentSetup& setup, std::int32_t column,
                std::int32_t row);

  // A step begins; the one before it is done.
  void begin(unsigned step);
  // The last one is done.
  void end();
  // False: the observer ends the run.
  bool goes_on() const { return goes_on_; }

  void happened(unsigned what) { observer_.happened(what); }
  void read(unsigned word) { observer_.read(word, lane_, words_[word]); }
  void read(unsigned first, unsigned count) {
    for (unsigned n = 0; n < count; ++n) read(first + n);
  }
  void write(unsigned word, std::uint32_t value);
  void write(unsigned word, float value);
  void write(unsigned first, const Bytes4& color, unsigned count = 4);
  // A value of the triangle.
  void varying(unsigned word, float value);
  // Takes the texels that a unit reads.
  interpret::SeenTexels texels(unsigned unit) { return {observer_.event().texels, unit, lane_}; }
  // What the step writes there goes to the colour target.
  void give(unsigned first, unsigned count) { given_ = {first, count}; }
  // What stage `number` of the combiners reads.
  void read_stage(const CombinerStage& stage, unsigned number);
  // Bytes of a pixel of a target, as they are; then what a store made of them.
  void load(bool depth, std::size_t pixel, const std::byte* place);
  void store(bool depth, std::size_t pixel, const std::byte* place);

 private:
  void access(bool depth, std::size_t pixel, const std::byte* place, bool store);

  interpret::Observer& observer_;
  const FragmentSetup& setup_;
  unsigned lane_;
  bool open_ = false, goes_on_ = true;
  std::uint32_t loaded_ = 0;         // by the last load()
  std::array<unsigned, 2> given_{};  // by the step: the first word, and how many
  std::array<std::uint32_t, FragmentFile::kCount> words_{};
};

}  // namespace warpjit::pica200::fragment
