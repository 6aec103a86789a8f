// What the tool knows of one guest beyond frontend::Shader: the containers, sources and bare words that its
// programs come in, the keys that only its launch files have, and its listings. Another guest is another
// Guest and a line in guests().
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

// How programs compute. Each guest reads the part that is its own.
struct GuestModes {
  pica200::Modes pica200;
  tesla::Modes tesla;
  valhall::FragmentSetup valhall;
};

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
  bool guess_state = false;       // is what the code names of it the graphics state?
  std::uint32_t registers = 128;  // of a thread
  std::uint32_t local_bytes = 0;  // of a thread
  std::string source_name;        // for messages
  tesla::GraphicsState graphics;  // of Tesla programs
};
// What of RawWords a guest has. 0: nothing.
struct WordsLimits {
  std::size_t code = 0, descriptors = 0;
  std::uint32_t entry_unit = 0;  // what entries count a word as: 1, or 4 bytes
  std::uint32_t registers = 0, local_bytes = 0;
};

// What a launch of a grid can give.
struct GridLimits {
  std::array<std::uint32_t, 3> grid{}, block{};  // 1: the guest does not have this dimension
  std::uint32_t shared_bytes = 0;
  std::uint32_t parameter_offset = 0;  // of the first parameter, in shared memory if they lie there
  std::uint32_t parameter_bytes = 0;
  bool first_block = false;  // can the first block have another number than 0?
};
// What a kernel's code names of its spaces.
struct GridUse {
  std::uint32_t parameter_bytes = 0;
  struct Space {
    std::string name;
    bool constant = false, written = false;
    std::uint32_t bytes = 0;   // of a constant space: those that are read at fixed places
    std::uint32_t preset = 0;  // of these the container gives so many
  };
  std::vector<Space> spaces;  // constant ones first
  // Of vertex programs that fetch attributes and store results themselves: how many are named, and whether
  // results are stored.
  std::uint32_t attributes = 0;
  bool results = false;
  std::uint32_t images = 0;  // how many are named
  // Buffers in memory that are named: tables in the top bytes, entries in the others.
  std::vector<std::uint32_t> buffers{};
  bool shared = false;  // code has an address of shared memory, and nothing says how much there is
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

// A texture or sampler as the guest's hardware has it, and the memory that it is in.
using EntryWords = std::array<std::uint32_t, 8>;
struct EntryMemory {
  std::uint64_t address = 0;  // of the first byte
  const void* data = nullptr;
  std::size_t size = 0;
  bool level_views = true;
};

struct LaunchFile;  // launch/launch_file.h
struct Reading;     // launch/reading.h

// A texture with its sampler, as control words of a guest say them.
struct ControlTexture {
  Texture texture;
  Sampler sampler;
  std::shared_ptr<const void> keep;  // what the texture refers to besides the memory
  // Uniform registers that hold control words, and these words.
  std::vector<std::pair<Location, std::uint32_t>> registers;
};

// What a launch file takes from a job of a memory image.
struct ImageJob {
  std::span<const std::byte> image;
  std::string name;  // of the file, for messages
  std::uint64_t job = 0;
  Stage stage = Stage::compute;
  bool varying = false;  // of the programs for vertices the one for varyings
};

class Guest {
 public:
  virtual ~Guest() = default;
  virtual Isa isa() const = 0;
  virtual std::span<const Stage> stages() const = 0;
  // Can programs of this stage run? Else they are only listed and assembled.
  virtual bool runs(Stage) const { return true; }

  // ---- Files
  // "an SHBIN (which begins with DVLB) ...", for messages.
  virtual std::string_view file_kinds() const = 0;
  // By what a file begins with, or the end of its name.
  virtual bool recognizes(std::string_view content, const std::string& name) const = 0;
  virtual Result<std::unique_ptr<Container>> read(std::span<const std::byte> bytes,
                                                  const std::string& name) const = 0;
  virtual WordsLimits words_limits() const = 0;
  // The key `graphics` of bare words. Errors: a guest that has none.
  virtual Status read_graphics(const JsonField& field, RawWords& words) const;
  virtual Result<ShaderPtr> load_words(const RawWords& words, const GuestModes& modes) const = 0;
  virtual Result<Assembled> assemble(std::span<const SourceText> sources,
                                     const AssembleOptions& options) const = 0;

  // ---- Launch files
  virtual Status read_modes(const JsonField& field, GuestModes& modes) const = 0;
  // The program as bare words: what `program` of a launch file takes.
  virtual Json words_json(const frontend::Shader& shader) const = 0;
  // What differs from the default modes.
  virtual Json modes_json(const frontend::Shader& shader) const = 0;
  // A warning that results are not the chip's; empty for most modes.
  virtual std::string modes_note(const frontend::Shader&) const { return {}; }
  // The names of registers, for messages: "c0-c95, i0-i3, b0-b15".
  virtual std::string_view register_names(LocationKind kind) const = 0;
  // The first register of each file of uniforms.
  virtual std::vector<std::string> uniform_files() const { return {}; }
  // Does this register get its value from the container, or from a texture of the launch?
  virtual bool is_preset(const frontend::Shader&, const Location&) const { return false; }
  // Does this output or state register hold floats?
  virtual bool is_float(const Location&) const { return true; }
  // Bit n: the code writes output register n.
  virtual std::uint64_t outputs_written(const frontend::Shader&) const { return 0; }
  // `program` of a vertex stage that passes its first input on as its first output.
  virtual Json passing_vertex() const { return {}; }
  // Of guests whose geometry programs run in draws: `program` of a fragment stage that is white, and words
  // that a geometry program reads of each vertex.
  virtual Json white_fragment() const { return {}; }
  virtual std::uint32_t vertex_words(const frontend::Shader&) const { return 4; }
  // May launch files have a program as lines of assembly, `source`? `words_json` then gives that.
  virtual bool takes_source() const { return false; }
  // Do fragment programs have uniform registers?
  virtual bool pixels_have_uniforms() const { return false; }
  // Uniform registers from the first one on that a launch should have values for.
  virtual std::uint32_t uniform_words(const frontend::Shader&) const { return 0; }
  // The texture of a slot. Errors: a guest that has no control words.
  virtual Result<ControlTexture> read_control_texture(const frontend::Shader& shader, unsigned slot,
                                                      std::span<const std::uint32_t> words,
                                                      const EntryMemory& memory) const;
  // `textures` for what a program samples, to begin with.
  virtual Json textures_json(const frontend::Shader&) const { return Json::object(); }
  // `samplers`, where textures do not say them.
  virtual Json samplers_json(const frontend::Shader&) const { return Json::object(); }
  // Adds to a template the buffers in memory whose addresses a program takes, and this memory.
  virtual void add_buffers(const frontend::Shader&, Json&) const {}
  // ---- In the console's terms. Errors: a guest that has none of these.
  // `streams` and `attributes` of vertex programs, `buffers`: as inputs and uniforms.
  virtual Status read_console_values(Reading& reading) const;
  // A format of a colour surface by its number.
  virtual Result<PixelFormat> read_surface_format(std::uint32_t number) const;
  virtual Result<BlendState> read_blend_word(std::uint32_t word, const frontend::Shader& fragment,
                                             PixelFormat target) const;
  // What the console does without being asked. `vertex`: null for vertices without a program.
  virtual Result<RasterState> console_raster(const frontend::Shader* vertex, Topology topology) const;

  // Errors: a guest that has none.
  virtual Result<Texture> read_texture_entry(const EntryWords& words, const EntryMemory& memory) const;
  virtual Result<Sampler> read_sampler_entry(const EntryWords& words, bool seamless) const;
  // Do vertex programs fetch attributes and store results themselves? These run on grids.
  virtual bool fetches_attributes() const { return false; }
  // A pixel format of such an attribute by its name or number. Errors: no such name; a format that attributes
  // cannot have.
  virtual Result<std::uint32_t> read_attribute_format(const JsonField& field) const;
  virtual std::string attribute_format_name(std::uint32_t format) const { return hex(format); }
  virtual GridLimits grid_limits() const { return {}; }
  virtual Result<GridUse> grid_use(const frontend::Shader&) const { return GridUse{}; }

  // ---- Listings
  virtual Result<std::string> list(const frontend::Shader& shader, const ListOptions& options) const = 0;
  // One object an instruction: address, words, text; `mnemonic` if the text's first word says more than that.
  virtual Json list_json(const frontend::Shader& shader) const = 0;
  // The instruction at an address; empty if there is none.
  virtual std::string instruction(const frontend::Shader& shader, std::uint32_t address) const = 0;
  // What `warpjit info` adds to what frontend::Shader tells: keys of a program's object.
  virtual void describe(const frontend::Shader& shader, Json& json) const = 0;
  // The chain of jobs that begins at an address of a memory image. Errors: a guest that has none.
  virtual Result<Json> jobs_json(std::span<const std::byte> image, const std::string& name,
                                 std::uint64_t address) const;
  // Program, extents and memory of such a job. Errors: a guest that has none.
  virtual Status read_job(const ImageJob& job, LaunchFile& launch) const;
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

// Little-endian words from the bytes of a file. Errors: a size that is no multiple of 4, nothing.
Result<std::vector<std::uint32_t>> words_from(std::span<const std::byte> bytes, const std::string& name);

}  // namespace warpjit::tool
