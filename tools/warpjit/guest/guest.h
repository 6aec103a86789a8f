// What the tool knows of one guest beyond frontend::Shader: the containers, sources and bare words that its
// programs come in, the keys that its launch files have, and its listings. What only some guests have is an
// interface of its own. Another guest is another Guest and a line in guests().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "frontend/assembly/source_notes.h"
#include "frontend/shader.h"
#include "json.h"
#include "launch/json_field.h"
#include "warpjit/pica200.hpp"
#include "warpjit/tesla.hpp"
#include "warpjit/valhall.hpp"
#include "warpjit/warpjit.hpp"

namespace warpjit::tool {

using ShaderPtr = std::shared_ptr<const frontend::Shader>;

// "0x3f800000".
std::string hex(std::uint32_t word);
Json words_array(std::span<const std::uint32_t> words);
// The register with this number of its kind, counted as Location::first is.
Location numbered(LocationKind kind, unsigned number);

// ---- Programs

// How programs compute: nothing for the usual way, else as the guest's launch files say it.
using GuestModes = std::variant<std::monostate, pica200::Modes, tesla::Modes, valhall::FragmentSetup>;
template <class Modes>
Modes modes_or_usual(const GuestModes& modes) {
  const auto* const given = std::get_if<Modes>(&modes);
  return given != nullptr ? *given : Modes();
}

// Which program of a container, and where it begins.
struct ProgramRequest {
  std::string entry;                     // a name; empty: the container's own entry
  std::optional<std::uint32_t> address;  // a guest address instead
  std::optional<std::size_t> index;
  std::optional<Stage> stage;
};
// "0", "12" and "0x1c" as an address, everything else as a name.
void set_entry(ProgramRequest& request, const std::string& text);

struct ListOptions {
  bool exact = false;  // the form that assembles to the same words, bit by bit
  bool names = true;   // what the container calls registers
  bool words = true;   // addresses and words
  bool labels = true;  // blocks, procedures and labels, not addresses
};

// Programs that a file holds.
class Container {
 public:
  virtual ~Container() = default;
  virtual std::size_t size() const = 0;  // programs
  virtual Stage stage(std::size_t index) const = 0;
  virtual Result<ShaderPtr> load(const ProgramRequest& request, const GuestModes& modes) const = 0;
  // All programs as one source; nothing if the guest lists them one by one.
  virtual std::optional<std::string> list(const ListOptions&) const { return std::nullopt; }
};

// Code without a container.
struct RawWords {
  Stage stage = Stage::vertex;
  std::vector<std::uint32_t> code, descriptors;
  std::uint32_t entry = 0;
  bool guess_state = false;       // what the code names of it is the graphics state
  std::uint32_t registers = 128;  // of a thread
  std::uint32_t local_bytes = 0;  // of a thread
  std::string source_name;        // for messages
  tesla::GraphicsState graphics;  // of guests with GraphicsState
};

struct AssembleOptions {
  bool labels = false;  // store the names of procedures and labels
};
struct AssemblyWarning {
  std::string where, message;  // "file:line:column"
};
struct Assembled {
  std::vector<std::byte> container;
  std::string summary;  // "12 code words, ..."
  std::unique_ptr<Container> programs;
  std::vector<AssemblyWarning> warnings;
};
struct SourceText {
  std::string name, text;
};

// ---- What only some guests have

struct LaunchFile;  // launch/launch_file.h
struct Reading;     // launch/reading.h

// Programs whose registers get values from launches, by name.
class NamedRegisters {
 public:
  // The first register of each file of uniforms, and the names of all registers of a kind, for messages:
  // "c0-c95, i0-i3, b0-b15".
  virtual std::span<const std::string_view> uniform_files() const = 0;
  virtual std::string_view names(LocationKind kind) const = 0;
  // True if this register gets its value from the container, or from a texture or buffer of the launch.
  virtual bool is_preset(const frontend::Shader& shader, const Location& location) const = 0;
  // True if this output or state register holds floats.
  virtual bool is_float(const Location& location) const = 0;
  // Bit n: the code writes output register n.
  virtual std::uint64_t outputs_written(const frontend::Shader& shader) const = 0;
  // Uniform registers without names, from the first one on, that a launch should have values for.
  virtual std::uint32_t unnamed_uniforms(const frontend::Shader& shader) const = 0;
  // `program` of a vertex stage that passes its first input on as its first output; null if geometry programs
  // never come alone.
  virtual Json passing_vertex() const = 0;

 protected:
  ~NamedRegisters() = default;
};

// What a launch of a grid can give.
struct GridLimits {
  std::array<std::uint32_t, 3> grid{}, block{};  // 1: the guest does not have this dimension
  std::uint32_t shared_bytes = 0;
  std::uint32_t parameter_offset = 0;  // of the first parameter, in shared memory if they lie there
  std::uint32_t parameter_bytes = 0;
  bool first_block = false;  // true if the first block can have another number than 0
};
// What code names of its spaces.
struct GridUse {
  std::uint32_t parameter_bytes = 0;
  struct Space {
    std::string name;
    bool constant = false, written = false;
    std::uint32_t bytes = 0;   // of a constant space: those that are read at fixed places
    std::uint32_t preset = 0;  // how many of these the container gives
  };
  std::vector<Space> spaces;  // constant ones first
  // How many attributes are named by vertex programs that fetch them and store results themselves, and
  // whether results are stored.
  std::uint32_t attributes = 0;
  bool results = false;
  std::uint32_t images = 0;  // how many are named
  // Buffers in memory that are named: tables in the top bytes, entries in the others.
  std::vector<std::uint32_t> buffers{};
  bool shared = false;  // code has an address of shared memory, and nothing says how much there is
};
// Programs with memory: kernels over grids, and graphics programs with the same spaces.
class MemorySpaces {
 public:
  virtual GridLimits grid_limits() const = 0;
  virtual Result<GridUse> use(const frontend::Shader& shader) const = 0;

 protected:
  ~MemorySpaces() = default;
};

// Programs that sample: what a template has for the textures that their code names.
class SampledTextures {
 public:
  virtual Json textures(const frontend::Shader& shader) const = 0;
  virtual Json samplers(const frontend::Shader& shader) const = 0;  // null if textures say them

 protected:
  ~SampledTextures() = default;
};

// The memory that textures of control words or entries are in.
struct EntryMemory {
  std::uint64_t address = 0;  // of the first byte
  const void* data = nullptr;
  std::size_t size = 0;
  bool level_views = true;
};

// State of a driver, and geometry programs whose strips are drawn.
using EntryWords = std::array<std::uint32_t, 8>;
class DriverState {
 public:
  // The key `graphics` of bare words.
  virtual Status read_graphics(const JsonField& field, RawWords& words) const = 0;
  // Textures and samplers as entries.
  virtual Result<Texture> read_texture(const EntryWords& words, const EntryMemory& memory) const = 0;
  virtual Result<Sampler> read_sampler(const EntryWords& words, bool seamless) const = 0;
  // `program` of a fragment stage that is white, and words that a geometry program reads of each vertex.
  virtual Json white_fragment() const = 0;
  virtual std::uint32_t vertex_words(const frontend::Shader& shader) const = 0;

 protected:
  ~DriverState() = default;
};

// A texture with its sampler, as control words say them.
struct ControlTexture {
  Texture texture;
  Sampler sampler;
  std::shared_ptr<const void> keep;  // what the texture refers to besides the memory
  // Uniform registers that hold control words, and these words.
  std::vector<std::pair<Location, std::uint32_t>> registers;
};
// Draws in the console's own terms.
class ConsoleState {
 public:
  // `streams` and `attributes` of vertex programs, `buffers`: as inputs and uniforms.
  virtual Status read_values(Reading& reading) const = 0;
  virtual Result<ControlTexture> read_texture(const frontend::Shader& shader, unsigned slot,
                                              std::span<const std::uint32_t> words,
                                              const EntryMemory& memory) const = 0;
  // A format of a colour surface by its number.
  virtual Result<PixelFormat> read_surface_format(std::uint32_t number) const = 0;
  virtual Result<BlendState> read_blend(std::uint32_t word, const frontend::Shader& fragment,
                                        PixelFormat target) const = 0;
  // What the console does by itself. `vertex`: null for vertices without a program.
  virtual Result<RasterState> raster(const frontend::Shader* vertex, Topology topology) const = 0;
  // Adds to a template the buffers in memory whose addresses a program takes, and this memory.
  virtual void add_buffers(const frontend::Shader& shader, Json& json) const = 0;

 protected:
  ~ConsoleState() = default;
};

// What a launch file takes from a job of a memory image.
struct ImageJob {
  std::span<const std::byte> image;
  std::string name;  // of the file, for messages
  std::uint64_t job = 0;
  Stage stage = Stage::compute;
  bool varying = false;  // of the programs for vertices the one for varyings
};
// Guests whose memory images have jobs.
class MemoryJobs {
 public:
  // The chain of jobs that begins at an address of a memory image.
  virtual Result<Json> list(std::span<const std::byte> image, const std::string& name,
                            std::uint64_t address) const = 0;
  // What a capture that names its chains runs: `chains` with their `jobs` in short, `draws`, `programs`. It may
  // be several files.
  virtual Result<Json> summarize(std::span<const valhall::CaptureBytes> files) const = 0;
  // Program, extents and memory of a job.
  virtual Status read(const ImageJob& job, LaunchFile& launch) const = 0;

 protected:
  ~MemoryJobs() = default;
};

// Vertex programs that fetch attributes and store results themselves, which makes their work that of a grid.
class FetchedAttributes {
 public:
  // A pixel format of an attribute or image by its name or number. Errors: no such name; a format that
  // attributes cannot have.
  virtual Result<std::uint32_t> read_format(const JsonField& field) const = 0;
  virtual std::string format_name(std::uint32_t format) const = 0;

 protected:
  ~FetchedAttributes() = default;
};

// ---- The guest

// What of RawWords a guest has. 0: nothing.
struct WordsLimits {
  std::size_t code = 0, descriptors = 0;
  std::uint32_t entry_unit = 0;  // what entries count a word as: 1, or 4 bytes
  std::uint32_t registers = 0, local_bytes = 0;
};
struct GuestTraits {
  Isa isa{};
  std::span<const Stage> stages;  // the first is that of bare words
  std::string_view file_kinds;    // "an SHBIN (which begins with DVLB) ...", for messages
  WordsLimits words{};
  bool takes_source = false;                          // launch files may have programs as lines of assembly
  bool fragment_uniforms = false;                     // fragment programs have uniform registers
  std::span<const std::string_view> inexact_modes{};  // modes with which results are not the chip's
};

class Guest {
 public:
  virtual ~Guest() = default;
  const GuestTraits& traits() const { return traits_; }
  Isa isa() const { return traits_.isa; }

  // ---- Files
  // By what a file begins with, or the end of its name.
  virtual bool recognizes(std::string_view content, const std::string& name) const = 0;
  virtual Result<std::unique_ptr<Container>> read(std::span<const std::byte> bytes,
                                                  const std::string& name) const = 0;
  virtual Result<ShaderPtr> load_words(const RawWords& words, const GuestModes& modes) const = 0;
  virtual Result<Assembled> assemble(std::span<const SourceText> sources,
                                     const AssembleOptions& options) const = 0;

  // ---- Launch files
  virtual Result<GuestModes> read_modes(const JsonField& field) const = 0;
  // The program without a container: what `program` of a launch file takes.
  virtual Json words_json(const frontend::Shader& shader) const = 0;
  // What differs from the usual modes.
  virtual Json modes_json(const frontend::Shader& shader) const = 0;

  // ---- Listings
  virtual Result<std::string> list(const frontend::Shader& shader, const ListOptions& options) const = 0;
  // One object an instruction: address, words, text; `mnemonic` if the text's first word says more than that.
  virtual Json list_json(const frontend::Shader& shader) const = 0;
  // The instruction at an address; empty without one.
  virtual std::string instruction(const frontend::Shader& shader, std::uint32_t address) const = 0;
  // What `warpjit info` adds to what frontend::Shader tells: keys of a program's object.
  virtual void describe(const frontend::Shader& shader, Json& json) const = 0;

  // ---- Sources
  // What names of its assembly sources end with: ".pica".
  virtual std::string_view source_ending() const = 0;
  // Where the instructions of a program stand in a source, and its labels; nothing if that gives other code. Errors:
  // those of the assembler.
  virtual Result<std::optional<assembly::SourceNotes>> source_notes(const frontend::Shader& shader,
                                                                    const SourceText& source) const = 0;
  // Labels that the container has kept: address and name, ascending.
  virtual std::vector<std::pair<std::uint32_t, std::string>> labels(const frontend::Shader&) const {
    return {};
  }

  // ---- What only some guests have; null: this one has none
  const NamedRegisters* registers() const { return parts_.registers; }
  const MemorySpaces* spaces() const { return parts_.spaces; }
  const SampledTextures* samples() const { return parts_.samples; }
  const DriverState* driver() const { return parts_.driver; }
  const ConsoleState* console() const { return parts_.console; }
  const FetchedAttributes* attributes() const { return parts_.attributes; }
  const MemoryJobs* jobs() const { return parts_.jobs; }

  // These hold for every guest: without registers, spaces or samples there is nothing.
  std::span<const std::string_view> uniform_files() const;
  std::string_view register_names(LocationKind kind) const;
  bool is_preset(const frontend::Shader& shader, const Location& location) const;
  bool is_float(const Location& location) const;
  GridLimits grid_limits() const;
  Result<GridUse> grid_use(const frontend::Shader& shader) const;

 protected:
  struct Parts {
    const NamedRegisters* registers = nullptr;
    const MemorySpaces* spaces = nullptr;
    const SampledTextures* samples = nullptr;
    const DriverState* driver = nullptr;
    const ConsoleState* console = nullptr;
    const FetchedAttributes* attributes = nullptr;
    const MemoryJobs* jobs = nullptr;
  };
  Guest(const GuestTraits& traits, const Parts& parts) : traits_(traits), parts_(parts) {}

 private:
  GuestTraits traits_;
  Parts parts_;
};

std::span<const Guest* const> guests();
const Guest& guest_of(Isa isa);
// The guest whose file this is; null if none knows it.
const Guest* find_guest(std::string_view content, const std::string& name);
// "pica200, tesla, valhall, usse".
std::string guest_names();
// Each guest's containers and sources, a sentence for messages.
std::string all_file_kinds();

// The only ones of their kind; guest_of and find_guest give them.
const Guest& pica200_guest();
const Guest& tesla_guest();
const Guest& valhall_guest();
const Guest& usse_guest();

// For guests whose files hold one program without a name: checks what a request says of it. `entry_unit`:
// what entries are multiples of; 0 if programs begin with the first word.
Status check_only_program(const ProgramRequest& request, Stage stage, std::size_t code_bytes,
                          std::uint32_t entry_unit, const std::string& source_name);
// The only source of those that assemble one at a time, without labels. Errors: several, labels.
Result<SourceText> only_source(std::span<const SourceText> sources, const AssembleOptions& options);
// Errors: --no-names, of guests whose registers have no names but their own.
Status check_names(const ListOptions& options);

// Little-endian words from the bytes of a file. Errors: a size that is no multiple of 4, nothing.
Result<std::vector<std::uint32_t>> words_from(std::span<const std::byte> bytes, const std::string& name);

}  // namespace warpjit::tool
