// Arm Mali Valhall (v9; G57, G77, G78): compute, vertex and fragment programs (docs/guests/valhall.md).
//
//   auto program = warpjit::valhall::load_words({.code = words});
//   warpjit::Launch launch(*program);
//   launch.set_grid(16);                                   // workgroups, up to 65535 in x, y and z
//   launch.set_block(64);                                  // at most 1024 threads
//   launch.set_parameters(uniforms);                       // u0, u1, ...: up to 256 words
//   launch.bind_constants("c0", buffer, buffer_size);      // c0 to c14: the buffers of table 0
//   launch.map_memory("mem", 0x700010000, data, size);     // 64-bit addresses, with up to four high words
//   auto report = engine.run(launch);
//
// A fragment program's launch has the same uniforms, buffers and memory, with vertices, targets and state as
// warpjit/pixels.hpp has them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "warpjit/warpjit.hpp"

namespace warpjit::valhall {

// How a program computes with floats; its descriptor says it.
struct FloatMode {
  // Denormal inputs and results of arithmetic become zeros with their sign.
  bool flush_single = false, flush_half = false;
  bool suppress_nan = false;       // a NaN result becomes +0
  bool suppress_infinity = false;  // an infinite result becomes the greatest finite number with its sign
  bool operator==(const FloatMode&) const = default;
};

inline constexpr std::uint8_t kMaxTable = 31;  // the greatest number of a resource table

// What the code of a fragment program depends on besides its words; descriptors of its draw say it.
struct FragmentSetup {
  static constexpr std::uint8_t kNoTarget = 0xff;
  // The colour target (0 to 7) that BLEND of blend_descriptor_n writes; kNoTarget: it writes none.
  std::array<std::uint8_t, 8> blend_targets{0, 1, 2, 3, 4, 5, 6, 7};
  bool points_from_bottom = false;  // the place in a point counts from its lower left corner
  // The resource tables, 0 to 31, whose entries are the textures and samplers of a launch, by their slots.
  // A handle of another table is a fault.
  std::uint8_t texture_table = 4, sampler_table = 3;
  // Samples of a pixel, 1 or 4. Each sample has runs of its own, with its number and
  // RasterState::sample_point; sample_points are the places of all.
  std::uint8_t samples = 1, sample = 0;
  std::array<std::array<std::uint8_t, 2>, 4> sample_points{{{128, 128}, {128, 128}, {128, 128}, {128, 128}}};
  bool operator==(const FragmentSetup&) const = default;
};

// Bare code words, which may be hostile and are not kept.
struct RawProgram {
  std::span<const std::uint64_t> code{};
  std::uint64_t address = 0;       // in the guest's memory, of the first word
  std::uint32_t entry = 0;         // byte of the code where threads begin, a multiple of 8
  std::uint32_t local_bytes = 0;   // of a thread's own memory, at most 64 KiB
  std::uint32_t shared_bytes = 0;  // of a workgroup's memory, at most 64 KiB
  FloatMode mode = {};
  Stage stage = Stage::compute;
  FragmentSetup fragment = {};   // of fragment programs
  std::string source_name = {};  // for messages
};
// Errors: bad_input; resource_limit.
WARPJIT_API Result<warpjit::Program> load_words(const RawProgram& raw);
// warpjit's assembly, which is also what it lists.
WARPJIT_API Result<warpjit::Program> load_assembly(std::string_view text, const Selection& selection = {});

// ---- Captures: a GPU's memory with the jobs that a driver left in it (docs/captures.md) ----------------
//
//   auto capture = warpjit::valhall::Capture::load(file_bytes, "frame.wjcap");
//   struct Pictures : warpjit::valhall::CaptureVisitor {
//     bool picture(const warpjit::valhall::CapturePicture& picture) override { return show(picture), true; }
//   } pictures;
//   auto status = capture->run(engine, pictures);

// Where a list of jobs begins.
struct JobChain {
  std::uint64_t address = 0;
  bool fragment = false;  // the recorder's word; jobs themselves say what they are
};

// A job that has run, but for fragment jobs, whose draws and pictures are seen instead. A draw with which a
// fragment job begins is seen as a job at its address.
struct CaptureJob {
  std::uint64_t address = 0;
  std::string_view kind;         // "compute", "write value", "malloc vertex", "pre-frame draw 0" ...
  std::optional<Report> report;  // of a compute job and of a pre-frame draw
};

// A draw of a malloc vertex job, with its results.
struct CaptureDraw {
  std::size_t number = 0;                                   // of the run's draws, in the order of their jobs
  std::uint64_t job = 0, fragment_job = 0;                  // addresses; no fragment job: nothing draws it
  std::string_view mode;                                    // "triangle strip"
  std::uint32_t vertices = 0, instances = 0;                // vertices of an instance that were shaded
  std::uint8_t targets = 0;                                 // bit n: colour target n may be written
  bool depth = false;                                       // depth or stencil is tested or written
  bool drawn = false;                                       // false: no pixel can change
  std::optional<Report> position{}, varying{}, fragment{};  // of the programs that ran
};

// A target when its fragment job has ended: rows of pixels without padding, row 0 first.
struct CapturePicture {
  static constexpr unsigned kDepth = ~0U;
  std::uint64_t fragment_job = 0;          // address
  unsigned target = 0;                     // kDepth: depth, with stencil if the format has it
  PixelFormat format = PixelFormat::none;  // none: raw pixels to which nothing was drawn
  std::uint32_t width = 0, height = 0;
  std::size_t pixel_bytes = 0;
  std::span<const std::byte> pixels;            // valid during the call
  bool stored = false;                          // they are in the capture's memory, too
  std::optional<CaptureComparison> compared{};  // with what hardware has left there, if the file has it
};

// Sees what a run does, in its order. False ends it.
class WARPJIT_API CaptureVisitor {
 public:
  virtual ~CaptureVisitor();
  virtual bool job(const CaptureJob& job);
  virtual bool draw(const CaptureDraw& draw);
  virtual bool picture(const CapturePicture& picture);
};

using warpjit::CaptureBytes;

// Calls on one capture must not overlap.
class WARPJIT_API Capture {
 public:
  // A .wjcap file, a device core dump of panfrost, a text of PAN_MESA_DEBUG=trace,dump, or memory records. The
  // bytes may be hostile and are not kept. Errors name the byte, and of texts the line: bad_input,
  // resource_limit, unsupported.
  static Result<Capture> load(std::span<const std::byte> file, std::string_view name);
  // The same, or several such texts of one run, in their order.
  static Result<Capture> load(std::span<const CaptureBytes> files);
  Capture(Capture&&) noexcept;
  Capture& operator=(Capture&&) noexcept;
  ~Capture();

  // Those of the file, then those that were added. Bare records have no chains.
  std::span<const JobChain> chains() const;
  // Errors: resource_limit for more than 4096.
  Status add_chain(const JobChain& chain);
  void clear_chains();
  std::uint32_t gpu() const;  // its product number; 0: the file does not say
  void set_gpu(std::uint32_t gpu);
  std::span<const std::string> notes() const;  // what files do not say and was assumed, for people
  // Malloc vertex jobs of all chains. Errors: those of run() for chains.
  Result<std::size_t> count_draws() const;

  // Runs the chains, one after the other, job by job; a fragment job draws what the vertex jobs before it
  // have left in its tiler context. Changes the capture's memory as the GPU would, but for compressed
  // targets, which a visitor alone sees. Errors name draw, job, descriptor and field: bad_input, unsupported,
  // resource_limit; also those of Engine::run. Pictures of earlier jobs were seen; those of the job with
  // the error are not stored.
  Status run(const Engine& engine, CaptureVisitor& visitor, const RunOptions& options = {});

  // Copies the memory at a guest's address. Errors: bad_input for bytes that the capture does not have.
  Status read_memory(std::uint64_t address, std::span<std::byte> to) const;

  // For warpjit's own modules.
  class State;
  State& state() const { return *state_; }

 private:
  explicit Capture(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace warpjit::valhall
