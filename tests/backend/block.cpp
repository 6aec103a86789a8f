#include "backend/block.h"

#include <algorithm>
#include <cstring>

#include "base/float_environment.h"
#include "ir/interpret.h"
#include "ir/pipeline.h"
#include "ir/printer.h"
#include "support/random_ir.h"

namespace warpjit::backend {
namespace {

using warpjit::testing::Random;

std::vector<std::vector<BlockSetup::Range>> globals_of(const BlockSetup& setup) {
  auto globals = setup.globals;
  globals.resize(ir::kMaxSpaces);
  globals[BlockKernel::kKept] = {{0, setup.groups * setup.lanes * 32}};
  return globals;
}

void run_code(const MachineCode& code, BlockContents& contents, const BlockSetup& setup,
              std::uint32_t inner_groups) {
  MemoryWindows windows;
  windows.set(contents.memory);
  Launch launch;
  launch.threads = std::uint64_t{setup.groups / inner_groups} * setup.lanes;
  launch.fuel = 100'000;
  GuardedBytes table((contents.table.size() * 4 + code.table_bytes + 127) / 64 * 64, true);
  std::copy(contents.table.begin(), contents.table.end(), reinterpret_cast<std::uint32_t*>(table.data()));
  KernelArgs args = make_args(code, launch, reinterpret_cast<std::uint32_t*>(table.data()));
  args.memory = &contents.memory;
  args.windows = windows.data();
  args.frame = contents.frame.data();
  args.group_index = 0;
  const Executable executable(code);
  const FloatEnvironment environment;
  const auto before = FloatEnvironment::read();
  using Entry = void (*)(KernelArgs*);
  if (executable.preamble() != nullptr) reinterpret_cast<Entry>(executable.preamble())(&args);
  windows.aim(code.pointers, contents.memory, reinterpret_cast<const std::uint32_t*>(table.data()));
  reinterpret_cast<Entry>(executable.kernel())(&args);
  constexpr FloatEnvironment::Word kFlags = FloatEnvironment::kSticky;
  EXPECT_EQ(FloatEnvironment::read() | kFlags, before | kFlags) << "the environment changed";
  EXPECT_EQ(args.status, KernelStatus::done);
}

}  // namespace

BlockContents::BlockContents(const BlockSetup& setup, std::uint64_t seed)
    : table(setup.table), one_group_(setup.groups == 1) {
  Random random(seed);
  const auto make = [&](std::size_t size) {
    bytes_.emplace_back((size + 3) / 4 * 4, true);
    std::byte* data = bytes_.back().data();
    for (std::size_t k = 0; k < size; ++k) data[k] = static_cast<std::byte>(random.below(256));
    return data;
  };
  const auto globals = globals_of(setup);
  for (const auto* spaces : {&setup.constants, &globals})
    for (const auto& space : *spaces) {
      ranges_.emplace_back();
      for (const BlockSetup::Range& range : space)
        ranges_.back().push_back({make(range.size), range.address, range.size});
    }
  for (std::size_t k = 0; k < setup.constants.size(); ++k) memory.constants[k] = ranges_[k];
  for (std::size_t k = 0; k < globals.size(); ++k) memory.globals[k] = ranges_[setup.constants.size() + k];
  memory.shared = {make(setup.shared_bytes + 2 * kSharedMargin) + kSharedMargin, setup.shared_bytes};
  locks_.resize(setup.shared_bytes / 4);
  memory.locks = locks_;
  memory.local_bytes = setup.local_bytes;
  memory.local = make(std::size_t{setup.groups} * setup.lanes * (setup.local_bytes + 3) / 4 * 4);
  memory.lanes = setup.lanes;
  frame.resize(64 * 1024);
}

std::string BlockContents::difference(const BlockContents& other) const {
  for (std::size_t n = 0; n < bytes_.size(); ++n) {
    if (!bytes_[n].guards_intact() || !other.bytes_[n].guards_intact()) return "bytes beside a range changed";
    if (one_group_ && bytes_[n].data() + kSharedMargin == memory.shared.data()) continue;
    for (std::size_t k = 0; k < bytes_[n].size(); k += 4) {
      std::uint32_t mine, theirs;
      std::memcpy(&mine, bytes_[n].data() + k, 4);
      std::memcpy(&theirs, other.bytes_[n].data() + k, 4);
      if (mine == theirs) continue;
      char text[96];
      std::snprintf(text, sizeof text, "range %zu, byte %zu: wanted 0x%08x, got 0x%08x", n, k, mine, theirs);
      return text;
    }
  }
  if (locks_ != other.locks_) return "locks differ";
  const auto text = [](const ir::MemoryFault& f) {
    if (!f.happened) return std::string("no fault");
    return "fault of " + std::string(f.is_store ? "store" : "load") + " to " + std::string(name(f.space)) +
           std::to_string(f.index) + " at " + std::to_string(f.address) + ", guest " +
           std::to_string(f.guest_address) + ", thread " + std::to_string(f.thread);
  };
  if (text(memory.fault) != text(other.memory.fault))
    return "wanted " + text(memory.fault) + ", got " + text(other.memory.fault);
  return "";
}

void expect_same(const ir::GroupProgram& program, const BlockSetup& setup, Target target,
                 std::uint64_t seed) {
  const ir::Function& f = program.kernel;
  BlockContents wanted(setup, seed);
  wanted.table.resize(std::max<std::size_t>(wanted.table.size(), f.uniform_bytes / 4));
  ir::Memory memory;
  memory.uniform = wanted.table;
  memory.block = &wanted.memory;
  memory.frame = wanted.frame;
  if (program.preamble.block_count() != 0) {
    const auto first = ir::Interpreter::prepare(program.preamble, 1);
    ASSERT_TRUE(first.ok()) << to_string(first.error());
    ASSERT_TRUE(first->run(memory, 0, 1, 0).ok());
  }
  const auto interpreter = ir::Interpreter::prepare(f, setup.lanes);
  ASSERT_TRUE(interpreter.ok()) << to_string(interpreter.error());
  const Status ran =
      interpreter->run(memory, 0, std::uint64_t{setup.groups / f.inner_groups} * setup.lanes, 100'000);
  ASSERT_TRUE(ran.ok()) << to_string(ran.error());
  struct Setting {
    std::uint32_t registers = 0;
    Tuning tuning = {};
    bool many_ranges = false;
  };
  std::vector<Setting> settings = {{}, {.registers = 4}, {.many_ranges = true}};
  if (target == Target::x64_v3)  // as for some processors
    for (const std::uint32_t registers : {0u, 4u})
      settings.push_back({.registers = registers, .tuning = {.extracts_lanes = true, .guesses_modes = true}});
  for (const auto& [registers, tuning, many_ranges] : settings) {
    CompileOptions options;
    options.registers = registers;
    options.tuning = tuning;
    options.many_ranges = many_ranges;
    options.validate = true;
    const auto code = compile(program, target, options);
    ASSERT_TRUE(code.ok()) << to_string(code.error());
    ASSERT_EQ(code->lanes, setup.lanes);
    BlockContents got(setup, seed);
    run_code(*code, got, setup, f.inner_groups);
    ASSERT_EQ(wanted.difference(got), "")
        << name(target) << ", registers " << registers << (many_ranges ? ", many ranges" : "") << "\n"
        << ir::print(f) << list(*code);
  }
}

void expect_same(const ir::Function& thread_form, const BlockSetup& setup, Target target,
                 std::uint64_t seed) {
  ir::PipelineOptions options;
  options.verify = true;
  const auto program = ir::run_pipeline(thread_form, options);
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  expect_same(*program, setup, target, seed);
}

BlockKernel::BlockKernel(const BlockSetup& setup) {
  function.name = "test";
  function.group_lanes = setup.lanes;
  function.block_groups = setup.groups;
  function.lane_order = ir::LaneOrder::taken_first;
  function.uniform_bytes = static_cast<std::uint32_t>(setup.table.size() * 4);
  b.set_block(function.add_block());
}

void BlockKernel::keep(ir::I32 value, std::uint32_t number) {
  ir::MemoryAccess access;
  access.index = kKept;
  store(access, b.IAdd32(b.IShl32(thread(), b.constant(5)), b.constant(4 * number)), value);
}

}  // namespace warpjit::backend
