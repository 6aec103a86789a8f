// What a group of guest threads did, step by step, and its registers at any step: deltas with full states between
// them, so that a step backwards costs no more than one forwards. Memory is bounded: what does not fit is recorded
// again when somebody looks there.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "debug/code_facts.h"
#include "frontend/interpret/observer.h"
#include "frontend/register_bank.h"

namespace warpjit::debug {

using interpret::Event;

// One word of a register file in each lane of a group.
class RegisterFile {
 public:
  RegisterFile() = default;
  RegisterFile(unsigned words, unsigned lanes) : lanes_(lanes), words_(std::size_t{words} * lanes) {}
  std::uint32_t get(unsigned word, unsigned lane) const { return words_[std::size_t{word} * lanes_ + lane]; }
  void set(unsigned word, unsigned lane, std::uint32_t value) {
    words_[std::size_t{word} * lanes_ + lane] = value;
  }
  unsigned lanes() const { return lanes_; }
  std::size_t bytes() const { return words_.size() * sizeof(std::uint32_t); }
  bool operator==(const RegisterFile&) const = default;

 private:
  unsigned lanes_ = 0;
  std::vector<std::uint32_t> words_;
};

using frontend::bank_of;
using frontend::name_of;
using frontend::word_of;
using frontend::words_of;

// What to look for: a step that does any of these in one of the lanes.
struct Search {
  std::vector<std::uint32_t> addresses{};  // it is there
  std::vector<unsigned> words{};           // it writes one of these
  std::uint16_t happened = 0;              // any of these bits
  bool nan = false, infinity = false;      // it gives one that it has not read
  bool any = false;                        // it is a step
  bool copies = false;                     // nan, infinity: it may have read one
  std::uint32_t lanes = ~0U;
  const CodeFacts* code = nullptr;  // of the program; null: nothing is a float
};

class Trace {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  static constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 28;
  static constexpr std::size_t kMostNotes = std::size_t{1} << 14;

  Trace() = default;
  // The guest has these registers. What events have of other words and lanes is left out. `from`: the first step whose
  // deltas are kept; as many as fit into kMostBytes.
  Trace(std::span<const frontend::RegisterBank> banks, unsigned lanes, std::uint64_t from);

  // ---- Recording
  void hold(std::uint16_t word, unsigned lane, std::uint32_t value) {
    if (!has_place(word, lane)) return;
    start_.set(word, lane, value);
    held_[std::size_t{word} * lanes() + lane] = defined_[std::size_t{word} * lanes() + lane] = true;
  }
  // Before the first step a word that is held was made of a varying's word (Observer::made_of).
  struct MadeOf {
    std::uint16_t word = 0, slot = 0;
    bool sampled = false;
    bool operator==(const MadeOf&) const = default;
  };
  void note(const MadeOf& made) {
    if (std::ranges::find(made_of_, made) == made_of_.end()) made_of_.push_back(made);
  }
  // The same of a texel.
  void note(std::uint16_t word, const Event::Texel& texel) {
    if (start_texels_.size() < kMostNotes) start_texels_.push_back({word, texel});
  }
  // A fragment's colour for a target is what a word has before step `step`.
  struct Given {
    std::uint64_t step = 0;
    unsigned target = 0, word = 0, lane = 0;
  };
  void note_given(unsigned target, unsigned word, unsigned lane) {
    if (given_.size() < kMostNotes && has_place(word, lane)) given_.push_back({steps_, target, word, lane});
  }
  // False: there are more steps than a trace may have.
  bool add(const Event& event);

  // ---- Looking
  std::uint64_t steps() const { return steps_; }  // that the group made
  unsigned lanes() const { return start_.lanes(); }
  // Steps whose events are here.
  std::uint64_t first() const { return first_; }
  std::uint64_t end() const { return first_ + heads_.size(); }
  bool has(std::uint64_t step) const { return step >= first() && step < end(); }
  // What a step that is here did: 0 is the group's first.
  Event event(std::uint64_t step) const;
  std::span<const Event::Memory> accesses(std::uint64_t step) const;
  // What a step that is here sampled.
  std::vector<Event::Texel> texels(std::uint64_t step) const;
  struct StartTexel {
    std::uint16_t word = 0;
    Event::Texel texel;
  };
  std::span<const MadeOf> made_of() const { return made_of_; }
  std::span<const StartTexel> start_texels() const { return start_texels_; }
  std::span<const Given> given() const { return given_; }
  // Whether a step writes what is a uniform of other threads.
  bool writes_uniforms() const { return writes_uniforms_; }
  // Whether a word had a value before the first step.
  bool is_held(unsigned word, unsigned lane) const { return held_[std::size_t{word} * lanes() + lane]; }
  // Its address, lanes and interpret::Happened alone.
  struct Head {
    std::uint32_t address = 0, lanes = 0;
    std::uint16_t happened = 0;
  };
  Head head(std::uint64_t step) const;
  // Registers before a step that is here, or after the last one.
  RegisterFile before(std::uint64_t step) const;
  const RegisterFile& start() const { return start_; }
  // The first step from `from` on, or the last one before it. Steps that are not here are not seen.
  std::optional<std::uint64_t> find(const Search& search, std::uint64_t from, bool backwards) const;
  // The last step before `step` that writes a word in a lane.
  std::optional<std::uint64_t> writer(unsigned word, unsigned lane, std::uint64_t step) const;
  std::size_t bytes() const;

 private:
  // What steps at one address have in common again and again.
  struct Shape {
    Head head;
    std::vector<Event::Read> reads;    // without values
    std::vector<Event::Write> writes;  // the same
    bool same = false;                 // all lanes write the same into each word: a value for each word
  };
  struct Step {
    std::uint32_t shape = 0, value = 0;  // places in shapes_ and values_
    std::uint32_t memory = 0;            // of its first access in memory_
  };
  bool add_inside(const Event& event);
  std::uint32_t shape_of(const Event& event, std::uint16_t happened, bool same);
  // Calls function(write, value) for each word that a step writes, in their order.
  template <class Function>
  void for_writes(std::size_t index, const Function& function) const {
    const Shape& shape = shapes_[heads_[index].shape];
    std::size_t value = heads_[index].value;
    for (std::size_t k = 0; k < shape.writes.size(); ++k) {
      function(shape.writes[k], values_[value]);
      const bool last = k + 1 == shape.writes.size() || shape.writes[k + 1].word != shape.writes[k].word;
      if (!shape.same || last) ++value;
    }
  }
  void apply(std::size_t index, RegisterFile& file) const {
    for_writes(index, [&](const Event::Write& write, std::uint32_t value) {
      file.set(write.word, write.lane, value);
    });
  }

  bool matches(const Search& search, std::uint64_t step) const;
  // Whether it gives a NaN or an infinity that is looked for, and has not read one unless copies count.
  bool gives_special(const Search& search, std::uint64_t step) const;
  bool has_place(unsigned word, unsigned lane) const {
    return lane < lanes() && std::size_t{word} * lanes() + lane < held_.size();
  }

  std::span<const frontend::RegisterBank> banks_;
  bool writes_uniforms_ = false;
  RegisterFile start_, now_;
  std::vector<MadeOf> made_of_;
  std::vector<bool> held_, defined_;  // words, in each lane, that were held; and those written, too
  unsigned threads_end_ = 0;          // the words after those of threads
  unsigned varyings_ = 0;             // words from here on are read in the step that sets them
  std::uint64_t from_ = 0, first_ = 0, steps_ = 0;
  bool full_ = false;
  std::vector<Step> heads_;
  std::vector<std::uint32_t> values_;  // what steps write
  std::vector<Event::Memory> memory_;
  struct StepTexel {
    std::uint64_t step = 0;
    Event::Texel texel;
  };
  std::vector<StepTexel> texels_;  // by ascending steps
  std::vector<StartTexel> start_texels_;
  std::vector<Given> given_;
  std::vector<Shape> shapes_;
  std::size_t shape_bytes_ = 0;
  std::unordered_multimap<std::uint64_t, std::uint32_t> shapes_by_hash_;
  std::uint32_t spacing_ = 1024;      // steps from one state to the next
  std::vector<RegisterFile> states_;  // before step first_ + k * spacing_
};

}  // namespace warpjit::debug
