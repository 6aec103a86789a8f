// What sees a guest interpreter run: one event for each instruction that a group of threads executes, with the
// register words that it reads and writes in each lane, the memory that it touches and the texels that it samples. An
// interpreter that has no observer, or whose group is not observed, records nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ir/types.h"

namespace warpjit::interpret {

struct Quad;

// Threads that an interpreter runs together, before their first instruction.
struct ObservedGroup {
  enum class Kind : std::uint8_t {
    rows,    // vertices, or invocations of a geometry program, from `first` on
    block,   // a warp of a block of a grid: threads from `first` on of that block
    quads,   // fragments: lanes 4q to 4q + 3 are those of quad q
    launch,  // what runs once for all threads of a draw, in lane 0
  };
  Kind kind = Kind::rows;
  std::uint32_t lanes = 0;  // bit n: lane n has a thread
  std::uint64_t first = 0;
  ir::BlockPosition block{};
  std::span<const Quad> quads{};
};

// What else an instruction did, as bits.
enum Happened : std::uint16_t {
  kSampled = 1,     // a texture
  kDiscarded = 2,   // lanes ended, or will write nothing
  kDiverged = 4,    // lanes parted
  kJoined = 8,      // lanes that waited go on
  kFaulted = 16,    // memory, a register or code that is not there
  kEnded = 32,      // lanes came to their end
  kBarrier = 64,    // lanes wait for others of their block
  kRule = 128,      // a result that IEEE arithmetic would not have given
  kUndefined = 256  // it read a register that nothing had written
};

// One instruction of a group.
struct Event {
  struct Read {
    std::uint16_t word = 0;
    std::uint8_t lane = 0;
    std::uint32_t bits = 0;  // which of the word's
    std::uint32_t value = 0;
  };
  struct Write {
    std::uint16_t word = 0;
    std::uint8_t lane = 0;
    std::uint32_t bits = 0;
    std::uint32_t before = 0, after = 0;
  };
  struct Memory {
    std::uint64_t address = 0;
    std::uint32_t value = 0;   // the first four bytes
    std::uint32_t before = 0;  // of a store
    std::uint8_t bytes = 0;
    std::uint8_t lane = 0;
    std::uint8_t space = 0;  // a number of the guest's
    bool store = false, faulted = false;
    bool shared = false;  // it is the block's own memory, where the low half of addresses begins at 0
    bool atomic = false;  // it does not race with others that are, too: atomics, and what holds a lock
    const std::byte* place = nullptr;  // where the host has these bytes
  };
  // A texel as memory has it.
  struct Texel {
    const std::byte* place = nullptr;  // where the host has it; null: only a block that it was decoded from
    std::array<std::uint32_t, 4> bits{};    // from the lowest up
    std::uint32_t x = 0, y = 0, layer = 0;  // of the level; slices, layers and faces count together
    float weight = 0;                       // in the sample, 0 to 1
    std::uint16_t texture = 0;              // the number that the guest samples it by
    std::uint8_t level = 0;
    std::uint8_t bytes = 0;
    std::uint8_t lane = 0;
    bool special = false;  // a component that the sample takes is a NaN or an infinity
  };
  std::uint32_t address = 0;  // of the instruction, as SourceMap::where takes it
  std::uint32_t lanes = 0;    // bit n: lane n executed it
  // Lanes that came to it, also those whose condition did not hold. 0: it was not executed, some lanes only met here.
  std::uint32_t active = 0;
  std::uint32_t group = 0;  // ObservedGroup::first of the block's group
  std::uint32_t stack = 0;  // entries of the group's control stack after it, if there is one
  std::uint16_t happened = 0;
  std::vector<Read> reads{};
  std::vector<Write> writes{};
  std::vector<Memory> memory{};
  std::vector<Texel> texels{};
};

class Observer {
 public:
  virtual ~Observer() = default;

  // A group is about to run; true: its instructions are to be seen, from start() on.
  virtual bool observes(const ObservedGroup& group) = 0;
  // A word of its register file has a value at its start, which is 0 for words that are not named.
  virtual void holds(std::uint16_t word, unsigned lane, std::uint32_t value) = 0;
  // A word that it holds was made of a slot of the primitive's vertices, alone or with others, before the first instruction;
  // `sampled`: a texture was sampled there.
  virtual void made_of([[maybe_unused]] std::uint16_t word, [[maybe_unused]] std::uint16_t slot,
                       [[maybe_unused]] bool sampled) {}
  // The same of a texel.
  virtual void made_of_texel([[maybe_unused]] std::uint16_t word,
                             [[maybe_unused]] const Event::Texel& texel) {}
  // A fragment's colour for a target is what a word holds now, alone or with others.
  virtual void gave([[maybe_unused]] unsigned target, [[maybe_unused]] std::uint16_t word,
                    [[maybe_unused]] unsigned lane) {}
  // It has executed event(). False ends the run, as an error `cancelled`.
  virtual bool step() = 0;

  // The event of the instruction that is being executed.
  Event& event() { return event_; }
  // An instruction begins.
  Event& begin(std::uint32_t address, std::uint32_t lanes) {
    event_.address = address;
    event_.lanes = event_.active = lanes;
    event_.group = event_.stack = 0;
    event_.happened = 0;
    event_.reads.clear();
    event_.writes.clear();
    event_.memory.clear();
    event_.texels.clear();
    return event_;
  }
  void read(std::uint32_t word, unsigned lane, std::uint32_t value, std::uint32_t bits = ~0U) {
    event_.reads.push_back({static_cast<std::uint16_t>(word), static_cast<std::uint8_t>(lane), bits, value});
  }
  void wrote(std::uint32_t word, unsigned lane, std::uint32_t before, std::uint32_t after,
             std::uint32_t bits = ~0U) {
    event_.writes.push_back(
        {static_cast<std::uint16_t>(word), static_cast<std::uint8_t>(lane), bits, before, after});
  }
  // It reads a word that is not in the thread's registers: a slot of a primitive's vertices.
  void read_varying(std::uint32_t word, unsigned lane, std::uint32_t value) {
    wrote(word, lane, 0, value);
    read(word, lane, value);
  }
  void happened(unsigned what) { event_.happened |= static_cast<std::uint16_t>(what); }

 private:
  Event event_;
};

}  // namespace warpjit::interpret
