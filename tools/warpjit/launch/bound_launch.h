// A launch file bound to the library: a Launch whose inputs point into the file's buffers, and room for what
// a run leaves: one interleaved row a thread, triangles, memory.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "launch/launch_file.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::tool {

// A register at the end of each thread: words [first, first + components) of a thread's row.
struct ResultColumn {
  Location reg;
  unsigned components = 4;
  unsigned first = 0;
};

class BoundLaunch {
 public:
  // The file is taken over. Errors: what the library refuses; results of more than 4 GiB.
  static Result<BoundLaunch> make(LaunchFile file);

  const LaunchFile& file() const { return *file_; }
  Launch& launch() { return launch_; }
  const Launch& launch() const { return launch_; }

  // Runs it over cleared results and memory as the file gives it, and keeps what the run reports.
  Result<Report> run(const Engine& engine, const RunOptions& options);
  // Its two parts.
  void clear();
  Result<Report> run_on(const Engine& engine, const RunOptions& options);
  // The same observed, in the guest interpreter.
  Result<Report> run_profiled(const Engine& engine, const RunOptions& options, Profile& profile);
  // Sets memory, which runs write to, to what the file gives. run() does it, too.
  void restore_memory();
  // The same for the targets.
  void clear_pictures();

  // ---- Rows
  const std::vector<ResultColumn>& columns() const { return columns_; }
  const ResultColumn& column(const LaunchOutput& output) const;  // of rows and primitives
  // Words of one thread.
  const std::uint32_t* row(std::uint64_t thread) const { return words_.data() + thread * row_words_; }
  std::uint32_t word(const ResultColumn& column, std::uint64_t thread, unsigned k) const {
    return row(thread)[column.first + k];
  }
  // Threads that have rows: of a geometry launch its invocations, of a grid none.
  std::uint64_t threads() const { return threads_; }
  unsigned row_words() const { return row_words_; }

  // ---- Triangles of the last run. Words: [vertex][enabled register][component].
  std::uint64_t triangle_count() const { return triangle_count_; }
  bool inverted(std::uint64_t triangle) const { return inverted_[static_cast<std::size_t>(triangle)] != 0; }
  const std::uint32_t* triangle(std::uint64_t n) const { return triangles_.get() + n * triangle_words(); }
  unsigned vertex_words() const { return 4 * static_cast<unsigned>(std::popcount(file_->geometry.outputs)); }
  unsigned triangle_words() const { return 3 * vertex_words(); }
  // The output registers that a vertex has, in the order of their words.
  std::vector<std::string> vertex_registers() const;

  // ---- Memory after the last run, piece by piece
  const std::vector<std::vector<std::byte>>& memory() const { return memory_; }
  std::uint32_t word(const LaunchOutput& range, std::size_t k) const;

  // ---- Targets after the last run: of each bound one its bytes, packed, row 0 first
  struct Picture {
    unsigned target = 0;  // number of the colour target, or kDepthPicture
    PixelFormat format = PixelFormat::none;
    std::vector<std::byte> bytes{};
    std::uint64_t hash() const;  // FNV-1a of the bytes
  };
  const std::vector<Picture>& pictures() const { return pictures_; }
  const Picture* picture(unsigned target) const;  // null: not bound
  // What each pixel of a target has before a run: pixel_size() bytes.
  std::vector<std::byte> cleared_pixel(const Picture& picture) const;
  static std::string picture_name(unsigned target);  // "color0", "depth"

  // All results of the last run: the rows, then for each triangle its flag and its words, then the memory;
  // then the targets, whose last word may be filled up with zeros.
  std::vector<std::uint32_t> results() const;
  // FNV-1a over the listed results, thread by thread, the triangles and the memory: the same on every host.
  std::uint64_t checksum() const;

  // What the translation of this launch depends on, as the engine would see it. `general`: with booleans that
  // may have any value.
  Result<frontend::Facts> facts(bool general = false) const;

 private:
  BoundLaunch(std::unique_ptr<LaunchFile> file, Launch launch)
      : file_(std::move(file)), launch_(std::move(launch)) {}
  Status bind();
  Status bind_rows();
  Status bind_primitives();
  Status bind_grid();
  Status bind_memory();
  Status bind_pixels();
  Status bind_stage_memory(const LaunchFile& file, Launch& launch);
  // Errors: a run has changed bytes that it may not.
  Status check_descriptors() const;
  void add_column(const LaunchOutput& output);

  std::unique_ptr<LaunchFile> file_;  // the launch points into it
  Launch launch_;
  std::vector<ResultColumn> columns_;
  std::vector<std::uint32_t> words_;
  unsigned row_words_ = 0;
  std::uint64_t threads_ = 0;
  std::unique_ptr<std::uint32_t[]> triangles_;
  std::unique_ptr<std::uint8_t[]> inverted_;
  std::uint64_t triangle_count_ = 0;
  std::vector<std::vector<std::byte>> memory_;  // what engines write to
  // The same of vertex stages, and what it begins with.
  std::vector<std::pair<const LaunchMemory*, std::vector<std::byte>>> stage_memory_;
  std::vector<Picture> pictures_;  // the targets that engines write to
};

// A result that is not what was expected.
struct Mismatch {
  std::string place;         // "thread 3, o0.x", "triangle 4, vertex 1, o0.y", "g14[0x2000]"
  std::uint64_t thread = 0;  // of a row
  ComponentType type = ComponentType::f32;
  std::uint32_t got = 0, wanted = 0;
};
std::string to_string(const Mismatch& mismatch);
// The first result that the launch's expectations do not accept.
std::optional<Mismatch> check_expectations(const BoundLaunch& bound);
// The first word that differs from results() of another run of the same launch.
std::optional<Mismatch> compare_results(const BoundLaunch& bound, const std::vector<std::uint32_t>& wanted);

}  // namespace warpjit::tool
