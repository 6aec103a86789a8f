// A debugger of guest programs: stands at one thread of a draw or a launch of a capture, and steps it in both
// directions (docs/debugging.md). The frame up to the draw runs in compiled code; the threads that run together with
// that one run in the guest interpreter, whose results must be those of the compiled code.
//
//   auto session = warpjit::DebugSession::open(*capture);
//   auto place = warpjit::DebugPlace::parse("draw 17 pixel 120,88");
//   if (auto status = session->go(*place); !status) return status;
//   for (std::uint64_t n = 0; n < session->steps(); ++n) show(*session->step(n));
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpjit/capture.hpp"
#include "warpjit/export.h"
#include "warpjit/pixels.hpp"
#include "warpjit/program.hpp"
#include "warpjit/result.hpp"
#include "warpjit/types.hpp"

namespace warpjit {

// Which thread of which draw, and where it stands. As text: "draw 17 pixel 120,88 fragment 0 step 41",
// "draw 3 vertex 5", "draw 0 thread 3,0,0 block 1,2", "draw 2 invocation 4". What is left out is 0; a `step` that is
// left out is the first.
struct WARPJIT_API DebugPlace {
  enum class Of : std::uint8_t {
    vertex,      // `number`: of the draw, instance after instance; of a launch of rows, the row
    invocation,  // of a geometry program
    pixel,  // (x, y) of the targets; `number`: which of the fragments of that pixel, in the order of primitives
    thread,  // of a grid, in a block
    // What runs once for all threads on the Vita, in lane 0; `number` 0: for those of the launch's program, 1: of the
    // draw's vertex program.
    secondary
  };
  std::size_t draw = 0;  // CaptureDraw::number
  Of of = Of::vertex;
  std::uint64_t number = 0;
  std::uint32_t x = 0, y = 0;
  std::array<std::uint32_t, 3> thread{}, block{};
  // A draw may have several programs with such threads, as Mali's for positions and for varyings: which one, from 0.
  unsigned program = 0;
  std::uint64_t step = 0;

  // Errors: bad_input, naming the word that is wrong and what may stand there.
  static Result<DebugPlace> parse(std::string_view text);
  std::string text() const;
};

// What one instruction did in the lanes that executed it.
struct DebugStep {
  // What else happened, as bits of `happened`.
  enum : std::uint16_t {
    sampled = 1,     // a texture
    discarded = 2,   // lanes ended, or will write nothing
    diverged = 4,    // lanes parted
    joined = 8,      // lanes that waited go on
    faulted = 16,    // memory, a register or code that is not there
    ended = 32,      // lanes came to their end
    barrier = 64,    // lanes wait for others of their block
    rule = 128,      // a result that IEEE arithmetic would not have given
    undefined = 256  // it read a register that nothing had written
  };
  struct Read {
    unsigned word = 0, lane = 0;
    std::uint32_t bits = 0;  // which of the word's
    std::uint32_t value = 0;
  };
  struct Write {
    unsigned word = 0, lane = 0;
    std::uint32_t bits = 0;
    std::uint32_t before = 0, after = 0;
    bool nan = false, infinite = false;  // the instruction gives a float, or two f16 of which one is that
  };
  struct Access {
    std::uint64_t address = 0;
    unsigned bytes = 0, lane = 0;
    bool store = false, faulted = false;
    std::uint32_t before = 0, value = 0;  // the first four bytes
  };
  // That a sampler read. Column and row are as memory has them; slices, layers and faces count together.
  struct Texel {
    unsigned texture = 0;  // the number that the guest samples it by
    unsigned level = 0, layer = 0, x = 0, y = 0;
    unsigned bytes = 0, lane = 0;
    float weight = 0;                      // in the sample, 0 to 1
    bool special = false;                  // a component that the sample takes is a NaN or an infinity
    std::array<std::uint32_t, 4> value{};  // its bytes in memory, from the lowest up
  };
  std::uint64_t number = 0;
  std::uint32_t address = 0;  // of the instruction, as listings give it
  std::uint32_t lanes = 0;    // bit n: lane n executed it
  std::uint16_t happened = 0;
  std::vector<Read> reads;
  std::vector<Write> writes;
  std::vector<Access> accesses;
  std::vector<Texel> texels;
};

// A call that a thread has not come back from.
struct DebugCall {
  std::uint64_t step = 0;     // that called
  std::uint32_t address = 0;  // of its instruction
  std::uint32_t back = 0;     // of the one after it, where the thread comes back
};

// What to look for: a step that does any of these in one of the lanes.
struct DebugSearch {
  std::vector<std::uint32_t> addresses{};  // it executes one of these
  std::vector<unsigned> words{};           // it writes one of these
  std::uint16_t happened = 0;              // any of these bits
  bool nan = false, infinity = false;      // it gives one, of f32, that it has not read
  bool any = false;                        // it is a step
  bool copies = false;                     // nan, infinity: it may have read one
  std::uint32_t lanes = ~0U;
};

// Where a value comes from, backwards: each node is a value in a lane, with what it was made of.
struct DebugOrigin {
  enum class From : std::uint8_t {
    computed,   // of the nodes in `of`; without any it is a birth
    copied,     // the same bits as its only node
    start,      // it was there before the first instruction: an attribute, a number of the thread
    uniform,    // the launch gives it
    varying,    // a slot of the primitive's vertices
    memory,     // loaded; nothing in this trace has stored it
    texture,    // sampled at the coordinates in `of`, which also has texels
    undefined,  // nothing had written the register
    more,       // not followed: there are too many
    texel,      // of a texture: those with the greatest weights, at most kMostTexels
    written     // the registers in `of`, which a fragment gave to a target, or a thread stored
  };
  static constexpr std::size_t kMostTexels = 4;
  struct Node {
    From from = From::computed;
    std::uint64_t step = 0;  // that gave it; of `start`, `uniform` and `undefined`, that read it
    std::uint32_t address = 0;
    unsigned word = 0, lane = 0;
    std::uint32_t value = 0;
    bool special = false;      // an instruction gave it as a float that is a NaN or an infinity
    std::uint64_t memory = 0;  // the address that it was loaded from
    std::vector<std::size_t> of{};
    std::optional<DebugStep::Texel> texel{};
    std::optional<std::size_t> bytes{};  // of memory and texels: for DebugSession::writer
  };
  std::vector<Node> nodes;  // the first one is what was asked for
};
WARPJIT_API const char* name(DebugOrigin::From from);

// Who wrote bytes of memory last, before a draw that read them.
struct DebugWriter {
  enum class By : std::uint8_t {
    given,      // nobody: the capture has them so, or changed them after the last draw that wrote them
    same_draw,  // the draw that read them
    fragment,   // `place`, to `target`
    store,      // a thread: `place`, with the step that stored
    draw,       // a draw or a launch, of which no thread is known
    unknown     // memory does not have them: they were decoded or copied
  };
  By by = By::given;
  DebugPlace place{};
  unsigned target = 0;      // DebugHistory::kDepth: depth and stencil
  bool blended = false;     // a part of what was there is left
  std::uint32_t value = 0;  // the first four bytes that were read
};
WARPJIT_API const char* name(DebugWriter::By by);  // "same draw"

struct DebugOptions {
  // Whether what the interpreter leaves is compared with what the compiled code leaves.
  bool check = true;
  RunOptions run{};  // of the compiled code
};

// An instruction of a program of a draw that gives NaNs or infinities of which it has read none.
struct DebugBirth {
  std::size_t draw = 0;
  Stage stage{};
  std::uint32_t address = 0;
  std::string text;         // of the instruction
  std::uint64_t count = 0;  // of results
  DebugPlace first{};       // of the first one, at its instruction
};
// All of a capture, in the order of draws and addresses; its programs run in the guest interpreter. Each of
// `options.threads` host threads (at most 16; 0: one for each CPU) replays the capture in memory of its own and looks at
// the draws that no other does. Errors: those of Capture::run.
WARPJIT_API Result<std::vector<DebugBirth>> find_births(const Capture& capture, bool infinities = false,
                                                        const RunOptions& options = {});

// A register before an instruction, of every pixel of a draw.
struct DebugPicture {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint32_t>
      values;  // row 0 first: of the last fragment of the pixel that executed the instruction
  std::vector<std::uint8_t> there;  // not 0: there is such a fragment
};
// Errors: those of Capture::run; bad_input for a draw without pixels.
WARPJIT_API Result<DebugPicture> picture_of(const Capture& capture, std::size_t draw, unsigned word,
                                            std::uint32_t address, const RunOptions& options = {});

// Calls must not overlap.
class WARPJIT_API DebugSession {
 public:
  // The capture is copied as a handle. Errors: resource_limit.
  static Result<DebugSession> open(const Capture& capture, const DebugOptions& options = {});
  DebugSession(DebugSession&&) noexcept;
  DebugSession& operator=(DebugSession&&) noexcept;
  ~DebugSession();

  // Runs the capture up to the place's draw, and records the threads of the place. Errors: bad_input for a place
  // that is not there, saying which ones are; those of Capture::run before it.
  Status go(const DebugPlace& place);
  // Where it stands, with the number of the step that comes next.
  const DebugPlace& place() const;
  // The draw, in words.
  const std::string& what() const;

  // After go(): the steps that the threads made, 0 to steps() - 1. At steps() they have ended.
  std::uint64_t steps() const;
  // The place's own lane of `lanes()` lanes.
  unsigned lane() const;
  unsigned lanes() const;
  // Errors of go_to() and step(): bad_input for a step that is not there.
  Status go_to(std::uint64_t step);
  Result<DebugStep> step(std::uint64_t number);
  // The places of the vertices of a fragment's primitive, in the first instance; none without a vertex program.
  std::vector<DebugPlace> vertices() const;
  // How the run ended, if it was by an error: a fault, fuel. Else ok.
  const Status& end() const;
  // Not empty: where interpreter and compiled code differ.
  const std::string& difference() const;

  // ---- Registers, as words of 32 bits
  unsigned words() const;
  std::string name(unsigned word) const;
  std::optional<unsigned> find(std::string_view name) const;
  // Before the step that comes next. Errors: those of step().
  Result<std::uint32_t> value(unsigned word, unsigned lane);
  // The first step from `from` on, or the last one before it, that does what is looked for. Errors: those of step().
  Result<std::optional<std::uint64_t>> search(const DebugSearch& what, std::uint64_t from,
                                              bool backwards = false);
  // Where the value that a register has before a step comes from. `special`: only NaNs and infinities are followed, to
  // where no operand is one. Errors: those of step() and value().
  Result<DebugOrigin> origin(unsigned word, unsigned lane, std::uint64_t step, bool special = false,
                             std::size_t most = 64);
  // Who wrote the bytes of a node of an origin that was made since go(). Runs the capture up to the draw once or twice.
  // Errors: those of Capture::run; bad_input for bytes that are not known.
  Result<DebugWriter> writer(std::size_t bytes);
  // After go() to a fragment or a store: where the values that it wrote come from. The first node is `written`. Errors:
  // bad_input for another place; those of step().
  Result<DebugOrigin> origin(const DebugWriter& writer, bool special = false, std::size_t most = 64);
  // The calls that a lane is in before the step that comes next, the outermost one first, as its steps show them; at
  // most kMostCalls, the innermost ones. Guests without calls have none. Errors: those of step().
  static constexpr std::size_t kMostCalls = 1000;
  Result<std::vector<DebugCall>> calls(unsigned lane);
  // The program that the threads run; after go().
  const Program& program() const;
  // Its listing: text of an address; empty: there is no instruction.
  std::string text(std::uint32_t address) const;
  std::vector<std::uint32_t> addresses() const;  // of all instructions, ascending

  class State;

 private:
  explicit DebugSession(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// A primitive at a pixel: its fragment there and what became of it, or why it has none.
struct DebugHistoryRow {
  enum class Fate : std::uint8_t {
    // Fragments.
    written,
    blended,        // with what was there
    masked,         // it passed all tests, and nothing of the target is written
    early_stencil,  // this test failed before the program ran
    early_depth,
    discarded,  // by the program
    alpha,      // this test failed after it
    stencil,
    depth,
    failed,  // the program ended with an error
    // Primitives without one, `primitives` of them, of which `primitive` is the first.
    scissor,     // they cover the pixel, which is outside
    culled,      // they would cover it, but for the side that is seen
    clipped,     // the view volume, or a clip or cull distance, cut off what would cover it
    degenerate,  // without area or size, around the pixel
    not_finite,  // a coordinate is NaN or infinite; where they lie nobody knows
    missing,     // an index names no vertex
    // Neither.
    changed  // something other than these draws wrote the pixel: a clear, a copy, the processor
  };
  struct Pixel {
    std::array<std::uint32_t, 4> bits{};  // in memory, from the lowest up
    // Red, green, blue, alpha, as blending sees them: bits of f32, but integers of integer formats; depth (bits of
    // f32) and stencil.
    std::array<std::uint32_t, 4> values{};
    friend bool operator==(const Pixel&, const Pixel&) = default;
  };
  // `value` COMPARE `stored`, if the fragment came to it: depth and alpha as bits of f32, stencil masked.
  struct Test {
    bool on = false;
    Compare compare = Compare::always;
    std::uint32_t value = 0, stored = 0;
  };
  Fate fate = Fate::written;
  std::size_t draw = 0, job = 0, frame = 0;  // CaptureDraw; of `changed`, the draw that met it so
  std::uint32_t instance = 0;
  std::uint32_t primitive = 0, part = 0;  // of the instance; triangle of what clipping left of it
  std::uint64_t primitives = 1;
  bool front_facing = true;
  // Its number, which DebugPlace takes, among the draw's fragments of the pixel whose programs ran; none: its did not.
  std::optional<std::uint64_t> fragment{};
  std::uint32_t instructions = 0;  // that it executed
  Test alpha{}, stencil{}, depth{};
  bool gives_color = false;
  std::array<std::uint32_t, 4> color{};  // that the program gave to the target, as values of a pixel
  // The target: a number for each memory that it had, and what it holds there. No bytes: it is not bound.
  std::uint32_t surface = 0;
  unsigned bytes = 0;                      // of a pixel
  PixelFormat format = PixelFormat::none;  // none: one of the guest's own
  Pixel before{}, after{};
  std::optional<std::size_t> overwritten{};  // the first row after it that leaves nothing of what it wrote

  bool is_fragment() const { return fate <= Fate::failed; }
  bool is_miss() const { return fate >= Fate::scissor && fate <= Fate::missing; }
};
WARPJIT_API const char* name(DebugHistoryRow::Fate fate);  // "early depth"

// All that met a pixel, in order: all draws run in compiled code, those with the pixel before that in the guest
// rasterizer for its quad alone, which must leave the same.
class WARPJIT_API DebugHistory {
 public:
  static constexpr unsigned kDepth = kMaxColorTargets;  // the target that is depth and stencil
  static constexpr std::size_t kMostRows = 100000;

  // `x`, `y` count in pictures of the target, from the row that is first in memory. Errors: bad_input for a pixel that
  // no draw has, saying which ones there are.
  static Result<DebugHistory> make(const Capture& capture, std::uint32_t x, std::uint32_t y,
                                   unsigned target = 0, const DebugOptions& options = {});
  DebugHistory(DebugHistory&&) noexcept;
  DebugHistory& operator=(DebugHistory&&) noexcept;
  ~DebugHistory();

  const std::vector<DebugHistoryRow>& rows() const;
  // Where trace and debug see the fragment of a row; none: they cannot.
  std::optional<DebugPlace> place(std::size_t row) const;
  // A draw that has rows, in words.
  std::string what(std::size_t draw) const;
  std::size_t draws() const;     // that ran
  std::size_t observed() const;  // that had the pixel
  // How the capture ended, if it was by an error, or by more than kMostRows rows. Else ok.
  const Status& end() const;
  // Not empty: where interpreter and compiled code differ.
  const std::string& difference() const;

  class State;

 private:
  explicit DebugHistory(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace warpjit
