// A launch file bound to the library: a Launch whose inputs point into the file's buffers, and rows for the
// results, one interleaved row a thread.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "frontend/shader.h"
#include "launch_file.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::tool {

// A result of a launch: words [first, first + components) of a thread's row.
struct ResultColumn {
  std::string name;  // as the launch file has it
  StateName state;
  unsigned components = 4;
  unsigned first = 0;
  bool listed = true;  // false: only `expect` asks for it
};

class BoundLaunch {
 public:
  // The file is taken over. Errors: what the library refuses; results of more than 4 GiB.
  static Result<BoundLaunch> make(LaunchFile file);

  const LaunchFile& file() const { return *file_; }
  Launch& launch() { return launch_; }
  const Launch& launch() const { return launch_; }
  const std::vector<ResultColumn>& columns() const { return columns_; }
  // Words of one thread, and of all of them.
  const std::uint32_t* row(std::uint64_t thread) const { return words_.data() + thread * row_words_; }
  std::uint32_t word(const ResultColumn& column, std::uint64_t thread, unsigned k) const {
    return row(thread)[column.first + k];
  }
  // Threads that have rows: of a geometry launch its invocations.
  std::uint64_t threads() const { return threads_; }
  unsigned row_words() const { return row_words_; }
  // Runs it over cleared results and keeps what it reports.
  Result<Report> run(const Engine& engine, const RunOptions& options);
  // All results of the last run: the rows, then for each triangle its flag and its words.
  std::vector<std::uint32_t> results() const;
  // Triangles of the last run. Words: [vertex][enabled register][component].
  std::uint64_t triangle_count() const { return triangle_count_; }
  bool inverted(std::uint64_t triangle) const { return inverted_[static_cast<std::size_t>(triangle)] != 0; }
  const std::uint32_t* triangle(std::uint64_t n) const { return triangles_.get() + n * triangle_words(); }
  unsigned vertex_words() const { return 4 * static_cast<unsigned>(std::popcount(file_->geometry.outputs)); }
  unsigned triangle_words() const { return 3 * vertex_words(); }
  // FNV-1a over the listed results, thread by thread: the same on every host.
  std::uint64_t checksum() const;

  // What the translation of this launch depends on, as the engine would see it.
  Result<frontend::Facts> facts() const;

 private:
  BoundLaunch(std::unique_ptr<LaunchFile> file, Launch launch)
      : file_(std::move(file)), launch_(std::move(launch)) {}
  Status bind();
  Status bind_geometry();
  void add_column(const std::string& name, StateName state, unsigned components, bool listed);

  std::unique_ptr<LaunchFile> file_;  // the launch points into it
  Launch launch_;
  std::vector<ResultColumn> columns_;
  std::vector<std::uint32_t> words_;
  unsigned row_words_ = 0;
  std::uint64_t threads_ = 0;
  std::unique_ptr<std::uint32_t[]> triangles_;
  std::unique_ptr<std::uint8_t[]> inverted_;
  std::uint64_t triangle_count_ = 0;
};

// A result that is not what was expected.
struct Mismatch {
  std::uint64_t thread = 0;
  bool triangle = false;  // `thread` is the number of a triangle
  std::string name;       // "o0.x", "vertex 1, o0.x"
  bool is_float = true;
  std::uint32_t got = 0, wanted = 0;
};
std::string to_string(const Mismatch& mismatch);
// The first result that the launch's expectations do not accept.
std::optional<Mismatch> check_expectations(const BoundLaunch& bound);
// The first word that differs from results() of another run of the same launch.
std::optional<Mismatch> compare_results(const BoundLaunch& bound, const std::vector<std::uint32_t>& wanted);

}  // namespace warpjit::tool
