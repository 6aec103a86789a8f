// Running what the backend makes: executable memory, launch buffers between guard bytes and guard pages, and
// the settings that every test of generated code goes through.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/target.h"
#include "ir/builder.h"
#include "support/guarded_bytes.h"

namespace warpjit::backend {

using Words = std::array<std::uint32_t, 4>;

using tests::GuardedBytes;

// The rows of one binding: row r has its four words at first() + r * stride. Thread t has the rows from
// t * per_thread on.
class Rows {
 public:
  std::uint64_t per_thread = 1;
  Rows(std::uint64_t threads, std::int64_t stride);
  std::byte* first() const { return first_; }
  std::int64_t stride() const { return stride_; }
  std::uint64_t threads() const { return threads_; }
  Words get(std::uint64_t thread) const;
  void set(std::uint64_t thread, const Words& words);
  // True if every byte that belongs to no row is as it was.
  bool guards_intact() const;

 private:
  std::uint64_t threads_;
  std::int64_t stride_;
  GuardedBytes bytes_;
  std::byte* first_;
};

struct Launch {
  std::uint64_t threads = 0;  // a multiple of the code's lanes
  std::uint64_t fuel = 1000;  // of a group
  std::uint32_t cancel = 0;
  std::vector<Rows> inputs, outputs;
  std::uint32_t numbered = 0;  // bit k: words of another input number the rows of input k
  std::vector<std::uint32_t> table;
  // Work over pixels.
  const void* quads = nullptr;
  const pixels::GroupRecord* groups = nullptr;
  std::byte* tile = nullptr;
  std::vector<ir::TexelView> textures;
};

// A copy of machine code that can be called; never writable and executable at once.
class Executable {
 public:
  // `shift` bytes (a multiple of 64) into the mapping.
  explicit Executable(const MachineCode& code, std::size_t shift = 0);
  const MachineCode& code() const { return code_; }
  void* kernel() const { return address_ + code_.kernel_offset; }
  void* preamble() const { return code_.preamble_offset == ~0u ? nullptr : address_ + code_.preamble_offset; }

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(std::byte* address) const;
  };
  MachineCode code_;
  std::unique_ptr<std::byte, Unmap> mapping_;
  std::byte* address_ = nullptr;
};

struct Outcome {
  KernelStatus status = KernelStatus::done;
  std::uint32_t guest_address = ir::kNoAddress;
  bool invalid = false;  // the kernel raised the invalid flag
};

// The arguments of a call; `table` must hold code.table_bytes and be 64-byte aligned. Code calls out in its
// own convention: `abi` must be the one it was compiled for.
KernelArgs make_args(const MachineCode& code, Launch& launch, std::uint32_t* table, Abi abi = Abi::native);

// Runs the preamble, if there is one, then all groups. Checks that guards are intact.
Outcome run(const Executable& executable, Launch& launch);

// How code is made: everything that must not change what it computes.
struct Setting {
  Target target = Target::x64_v3;
  std::uint32_t parts = 1;
  std::uint32_t registers = 0;
  bool single_pixels = false;             // CompileOptions::single_pixels
  std::optional<RowLayout> rows_ahead{};  // CompileOptions::rows_ahead
  std::int32_t bytes_ahead_of_rows = 0;   // Tuning::bytes_ahead_of_rows
  std::uint32_t lanes() const { return parts * backend::lanes(target); }
  std::string text() const;
};
// Compiles with all checks on; a failure fails the test and gives empty code.
MachineCode compile(const ir::GroupProgram& program, const Setting& setting, Abi abi = Abi::native);
MachineCode compile(const ir::Function& kernel, const Setting& setting, Abi abi = Abi::native);

// The settings that a test of one target goes through: parts 1, 2, 3 with all registers and with 4. Half of
// them round by the mode.
std::vector<Setting> all_settings(Target target);

// Tests that run once per target and are skipped where it does not run.
class OnTarget : public ::testing::TestWithParam<Target> {
 protected:
  void SetUp() override {
    if (!runs_here(GetParam())) GTEST_SKIP() << "this CPU does not run " << name(GetParam());
  }
};
#define WARPJIT_ON_EVERY_TARGET(suite)                                         \
  INSTANTIATE_TEST_SUITE_P(Targets, suite, ::testing::ValuesIn(kPlainTargets), \
                           [](const auto& tested) { return std::string(name(tested.param)); })

// Also, where arithmetic of halves is tested, once per target that has it.
#define WARPJIT_ON_TARGETS_WITH_HALVES(suite)                                                           \
  INSTANTIATE_TEST_SUITE_P(WithHalves, suite, ::testing::Values(Target::x64_v4_fp16, Target::a64_fp16), \
                           [](const auto& tested) { return std::string(name(plain(tested.param))); })

// A kernel in group form under construction, with a block to begin in.
struct KernelBuilder {
  ir::Function function;
  ir::Builder b{function};
  explicit KernelBuilder(std::uint32_t inputs, std::uint32_t outputs = 1, std::uint32_t uniform_bytes = 0);
  ir::I32 word(ir::F32 value) { return b.BitcastF32ToI32(value); }
  ir::F32 real(ir::I32 value) { return b.BitcastI32ToF32(value); }
  ir::I32 load_slot(std::uint32_t slot) {
    return ir::I32{function.result(b.emit_inst(ir::Opcode::LoadSlot, {}, slot))};
  }
  // A phi that is the same in all lanes.
  template <class T>
  T uniform_phi(ir::Block block) {
    T made = b.phi<T>(block);
    function.value(made).uniformity = ir::Uniformity::group;
    return made;
  }
  void arrive(ir::Value phi, std::initializer_list<ir::Value> values) {
    function.set_operands(function.definition(phi), std::vector<ir::Value>(values));
  }
  // Stores to output `index` in every lane.
  void store(ir::F32 x, ir::F32 y, ir::F32 z, ir::F32 w, std::uint32_t index = 0) {
    b.StoreOutput(b.constant(true), x, y, z, w, index);
  }
  void store_words(ir::I32 x, ir::I32 y, ir::I32 z, ir::I32 w) { store(real(x), real(y), real(z), real(w)); }
};

}  // namespace warpjit::backend
