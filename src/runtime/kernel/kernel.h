// A kernel: one translation of a shader under certain facts, ready to run. There is one kind per engine; all
// take the same arguments, so bindings, staging and threading are shared.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "backend/target.h"
#include "base/result.h"
#include "frontend/shader.h"

namespace warpjit::runtime {

// What compiled code polls: the caller's word, or one that stays 0.
inline const std::uint32_t* cancel_word(const std::atomic<std::uint32_t>* cancel) {
  static constexpr std::uint32_t kNever = 0;
  static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
  return cancel != nullptr ? reinterpret_cast<const std::uint32_t*>(cancel) : &kNever;
}

// Blocks of a grid that one host thread is to run, and what all of them share.
struct BlockRun {
  const frontend::Shader& shader;
  const frontend::Grid& grid;
  const frontend::CheckedGrid& checked;
  std::uint32_t* table;  // prepared
  std::uint64_t fuel;    // of a thread
  const std::atomic<std::uint32_t>* cancel;
};

class Kernel {
 public:
  virtual ~Kernel() = default;

  const CompileReport& report() const { return report_; }
  std::uint32_t lanes() const { return report_.lanes; }
  // What the cache counts for it.
  std::size_t cost() const { return cost_; }
  // When it was used last, by the clock of its cache.
  std::uint64_t last_use() const { return last_use_.load(std::memory_order_relaxed); }
  void set_last_use(std::uint64_t time) const { last_use_.store(time, std::memory_order_relaxed); }

  // Threads must run once each: somebody counts them.
  bool is_observed() const { return is_observed_; }

  std::size_t table_bytes() const { return table_bytes_; }
  // Fills the words of the table after those of Shader::fill_table with values that
  // are the same for all threads.
  virtual Status prepare(std::uint32_t* table) const = 0;
  // Runs args.group_count groups. `shader` gives the locations in messages; `values` is what the table was
  // filled from. Needs a FloatEnvironment, as does run_blocks.
  virtual Status run(backend::KernelArgs& args, const frontend::Shader& shader,
                     const frontend::Values& values) const = 0;
  // Blocks `first` to `first + count - 1` of a grid. Sets `fault` to the first one.
  virtual Status run_blocks(const BlockRun& run, std::uint64_t first, std::uint64_t count,
                            std::optional<frontend::BlockFault>& fault) const;

  // A whole draw of a fragment program: kernels of the guest interpreter.
  virtual Status draw(const frontend::Values& values, const interpret::PixelWork& work,
                      std::uint64_t fuel) const;

  // What a geometry program's kernel needs of the unit; and a guest interpreter for invocations that it
  // cannot run and for the unit's state after a run, or null if neither ever happens.
  const frontend::UnitUse& unit_use() const { return unit_use_; }
  const frontend::GuestInterpreter* one_by_one() const { return one_by_one_.get(); }
  // Call it before the kernel is shared.
  void set_unit_use(const frontend::UnitUse& use, std::shared_ptr<const frontend::GuestInterpreter> guest) {
    unit_use_ = use;
    one_by_one_ = std::move(guest);
  }

  // ir::overwritten_planes of a fragment program. Call it before the kernel is shared.
  std::uint64_t overwritten_planes() const { return overwritten_planes_; }
  void set_overwritten_planes(std::uint64_t planes) { overwritten_planes_ = planes; }

  // backend::MachineCode::pointers.
  std::span<const backend::PointerPlace> pointers() const { return pointers_; }

  // backend::MachineCode::single_pixels.
  bool takes_single_pixels() const { return single_pixels_; }

  // Makes what a later run would have to make first. A failure is reported by that run.
  virtual void complete(const frontend::Shader&) const {}

  // Why an interpreter runs in place of the engine that the options name.
  // Call it before the kernel is shared.
  void set_interpreted_because(std::string reason) { report_.interpreted_because = std::move(reason); }
  // All that the caller waits for.
  void set_compile_time(std::chrono::nanoseconds all) { report_.other_time += all - report_.compile_time(); }

 protected:
  CompileReport report_;
  std::size_t cost_ = 0, table_bytes_ = 0;
  bool single_pixels_ = false, is_observed_ = false;
  std::vector<backend::PointerPlace> pointers_;

 private:
  frontend::UnitUse unit_use_;
  std::uint64_t overwritten_planes_ = 0;
  std::shared_ptr<const frontend::GuestInterpreter> one_by_one_;
  mutable std::atomic<std::uint64_t> last_use_{0};
};

// What is reported of a kernel that was found in the cache, or made.
CompileReport report_of(const Kernel& kernel, bool hit);

// What a kernel may be made for besides its facts, because what a run works on is so.
struct KernelHints {
  bool small_primitives = false;                   // pixels: as backend::CompileOptions
  bool large_primitives = false;                   // pixels: wide groups are full
  bool flat_w = false;                             // pixels: frontend::PixelFacts
  std::optional<backend::RowLayout> rows_ahead{};  // vertices: as backend::CompileOptions
  bool many_ranges = false;                        // as backend::CompileOptions
  bool operator==(const KernelHints&) const = default;
};

}  // namespace warpjit::runtime
