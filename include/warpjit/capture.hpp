// Captures: frames of a GPU as files, of every guest (docs/captures.md).
//
//   auto capture = warpjit::Capture::load(file_bytes, "frame.wjcap");
//   struct Pictures : warpjit::CaptureVisitor {
//     bool picture(const warpjit::CapturePicture& picture) override { return show(picture), true; }
//   } pictures;
//   auto status = capture->run(engine, pictures);
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpjit/engine.hpp"
#include "warpjit/export.h"
#include "warpjit/pixels.hpp"
#include "warpjit/program.hpp"
#include "warpjit/report.hpp"
#include "warpjit/result.hpp"
#include "warpjit/types.hpp"

namespace warpjit {

// Takes the next bytes of a file that is being written, which are valid during the call. False: they cannot be
// taken, and the file is given up.
using CaptureSink = bool (*)(void* context, std::span<const std::byte> bytes);

// A file of a capture and its name for messages.
struct CaptureBytes {
  std::span<const std::byte> bytes;
  std::string_view name;
};

// What a user calls an address, a register, a draw or a uniform.
struct CaptureName {
  enum class Of : std::uint8_t { address, reg, draw, uniform };
  Of of = Of::address;
  std::uint64_t number = 0;
  std::string text;
};

// A program that ran for a draw or a job.
struct CaptureProgram {
  std::string_view stage;  // "vertex", "position", "fragment", "compute"
  const Report* report = nullptr;
  const Program* program = nullptr;  // null: not shown
};

// A job of the GPU that has run: a command list, a fill, a job of a chain, a scene, a launch. What the
// processor did between them does not count.
struct CaptureJob {
  std::size_t number = 0, frame = 0;              // from 0 on
  std::string_view what;                          // "commands at 0x18000000, 64 bytes"
  std::span<const CaptureProgram> programs = {};  // that ran for it outside of draws
};

// A draw, or a launch without pixels, that has run.
struct CaptureDraw {
  using Program = CaptureProgram;
  std::size_t number = 0, job = 0, frame = 0;  // from 0 on
  std::string_view what;                       // "triangle strip of 12 vertices"
  bool drawn = true;                           // false: no pixel could change
  std::span<const Program> programs;           // in their order; none where several draws ran as one
};

// How the bytes of a picture differ from those that are expected.
struct CaptureComparison {
  std::uint64_t units = 0;    // pixels, or bytes of an output without pixels
  std::uint64_t differ = 0;   // at all
  std::uint64_t beyond = 0;   // by more than the output's tolerance in a channel
  std::uint64_t allowed = 0;  // of those
  // The first one beyond, of pixels row * width + column; nothing where none is, or where it is not known.
  std::optional<std::uint64_t> first{};
  bool holds() const { return beyond <= allowed; }
};

// What lies in a target or an output.
struct CapturePicture {
  std::string_view name;              // "color0", "depth", or that of an output
  std::size_t frame = 0, job = 0;     // that have ended, or are about to
  std::optional<std::size_t> draw{};  // after which; none: after the job, or at the end of the run
  std::uint64_t address = 0;          // in the guest's memory; 0: it has none
  // Rows of pixels without padding, the first one in memory first; none: the output has no pixels.
  PixelFormat format = PixelFormat::none;
  std::uint32_t width = 0, height = 0;
  std::span<const std::byte> pixels;
  std::span<const std::byte> bytes;  // as the guest's memory has them; engines agree on them
  std::optional<CaptureComparison> compared{};
};

// A texture that a program of a draw samples.
struct CaptureTexture {
  std::size_t draw = 0;       // which comes next
  std::string_view stage;     // of the program
  std::uint32_t unit = 0;     // of its textures
  std::uint32_t layer = 0;    // a face of a cube; else 0
  std::uint64_t address = 0;  // of its bytes in the guest's memory; 0: it has none of its own
  std::string_view format;    // "rgba8", or what its guest calls it
  // Extents are those of the first level that the program sees; `levels` is how many it sees.
  std::uint32_t width = 0, height = 0, levels = 1;
  std::size_t number = 0;  // from 0 on; textures of equal address, contents and kind have the same
  // A picture of that level, of at most CaptureInterest::textures pixels a side: 4 bytes a pixel (r, g, b, a),
  // the top row first. Each pixel is a mean of the texels that it stands for. Of arrays and volumes, the first
  // layer. None: the run has shown this number before.
  std::uint32_t picture_width = 0, picture_height = 0;
  std::span<const std::byte> rgba;
};

// What a visitor wants to see beside jobs and the pictures that they leave.
struct CaptureInterest {
  bool draws = true;              // without, draws of one state may run together, which takes less time
  bool targets_of_draws = false;  // as pictures, after each draw that may write them
  std::uint32_t textures = 0;  // above 0: those that draws sample, and the largest extent of their pictures
};

// Sees what a run does, in its order. False ends the run, which is no error.
class WARPJIT_API CaptureVisitor {
 public:
  virtual ~CaptureVisitor();
  virtual bool job(const CaptureJob& job);
  virtual bool draw(const CaptureDraw& draw);
  virtual bool picture(const CapturePicture& picture);
  virtual bool texture(const CaptureTexture& texture);
  // Asked when a run begins.
  virtual CaptureInterest interest() const;
};

// Frames of one GPU with all that they read. Calls on one capture may overlap but for those that are not
// const.
class WARPJIT_API Capture {
 public:
  // A .wjcap file of any version, or what guests have besides (docs/captures.md). The bytes may be hostile and
  // are not kept. Errors name the byte and what was expected there: bad_input, resource_limit, unsupported.
  static Result<Capture> load(std::span<const std::byte> file, std::string_view name);
  // The same, or several files of one run, in their order.
  static Result<Capture> load(std::span<const CaptureBytes> files);
  Capture(Capture&&) noexcept;
  Capture& operator=(Capture&&) noexcept;
  ~Capture();

  Isa isa() const;
  std::uint32_t product() const;  // of the GPU, as its guest numbers them; 0: the file does not say
  std::size_t frames() const;     // at least 1
  std::size_t jobs() const;
  std::span<const CaptureName> names() const;
  // Errors: bad_input for a text that is not UTF-8 or empty; resource_limit for more than 2^20.
  Status set_names(std::span<const CaptureName> names);
  std::span<const std::string> notes() const;  // what files say, and what was assumed, for people

  // Runs all of it, from what memory holds at first; the capture stays as it is. Errors name job, draw and
  // field: bad_input, unsupported, resource_limit; also those of Engine::run. What was seen before an error
  // was right.
  Status run(const Engine& engine, CaptureVisitor& visitor, const RunOptions& options = {}) const;

  // As .wjcap of version 2. Errors: io for a sink that does not take bytes; unsupported for what such files
  // do not hold.
  Status write(CaptureSink sink, void* context) const;

  // For warpjit's own modules.
  class State;
  explicit Capture(std::unique_ptr<State> state);
  State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace warpjit
