// What a Pipeline holds: the registers, the arrays, and a launch for each recent combination of program
// and formats.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/recent_cache.h"
#include "frontend/pica200/draw/draw_rows.h"
#include "frontend/pica200/draw/index_list.h"
#include "frontend/pica200/draw/registers.h"
#include "frontend/pica200/shader.h"
#include "runtime/work/launch.h"

namespace warpjit::pica200 {

using runtime::DrawBindings;

class PipelineState {
 public:
  Registers registers;
  Status bind(unsigned attribute, const AttributeArray& array);
  void unbind(unsigned attribute);

  // `indices` is empty for a draw without.
  Result<DrawResult> draw(const Engine& engine, std::uint32_t first, std::size_t count,
                          const RunOptions& options);
  template <class Index>
  Result<DrawResult> draw_indexed(const Engine& engine, std::span<const Index> indices,
                                  const RunOptions& options);

 private:
  // Of programs, and of launches with their tables: a thousand programs with two layouts each.
  static constexpr std::size_t kProgramBytes = std::size_t{8} << 20, kLaunchBytes = std::size_t{16} << 20;

  struct CachedLaunch {
    Launch launch;
    std::uint64_t values_version = 0, layout_version = 0;  // of the registers that its values come from
  };

  Status find_program();
  Status lay_out();
  CachedLaunch& find_launch();
  std::vector<Vertex>& find_results(std::size_t count);
  void update_values(CachedLaunch& entry) const;
  Status check_arrays(std::uint64_t first, std::uint64_t last) const;
  Result<DrawResult> run(const Engine& engine, std::uint64_t base, std::uint64_t count,
                         const RunOptions& options);

  std::array<std::optional<AttributeArray>, kAttributes> arrays_;
  std::uint64_t arrays_version_ = 1;

  RecentCache<warpjit::Program> programs_{kProgramBytes};
  std::optional<warpjit::Program> program_;
  std::uint64_t program_version_ = 0;  // of the registers that program_ comes from

  // Laid out for these versions.
  std::uint64_t laid_program_ = 0, laid_layout_ = 0, laid_arrays_ = 0;
  DrawBindings draw_;
  std::array<ArrayInput, kAttributes> inputs_;  // in arrays and read by the program
  std::array<std::uint8_t, kAttributes> input_attributes_{};
  std::size_t input_count_ = 0;

  RecentCache<CachedLaunch> launches_{kLaunchBytes};
  IndexList indices_;
  struct Results {
    std::uint8_t stored = 0;  // DrawFacts::stored
    std::uint64_t used = 0;   // 0: never
    std::vector<Vertex> vertices;
  };
  std::array<Results, 4> results_;
  std::uint64_t results_clock_ = 0;
};

}  // namespace warpjit::pica200
