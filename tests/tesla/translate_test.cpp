#include "tesla/translate_test.h"

#include <algorithm>
#include <cstring>

#include "frontend/tesla/facts/launch.h"
#include "frontend/tesla/shader.h"
#include "ir/interpret.h"
#include "ir/memory.h"
#include "ir/printer.h"

namespace warpjit::tesla {
namespace {

ComputeFacts facts_of(const Program& program, const Modes& modes, const Launch& launch,
                      std::uint32_t shared_bytes) {
  ComputeFacts facts;
  facts.block = launch.block;
  facts.shared_bytes = shared_bytes;
  facts.local_bytes = program.local_bytes;
  if (const auto checked = check_launch(program, launch))
    for (std::uint32_t space = 0; space < kConstantSpaces; ++space)
      facts.constant_bytes[space] = static_cast<std::uint32_t>(checked->constants[space].size());
  facts.branch_targets = targets_of(program, launch);
  facts.modes = modes;
  return facts;
}

std::uint32_t shared_bytes_of(const Program& program, const Launch& launch) {
  const std::size_t bytes = std::max({kParameterOffset + launch.parameters.size(),
                                      std::size_t{program.shared_bytes}, std::size_t{launch.shared_bytes}});
  return static_cast<std::uint32_t>((bytes + 63) / 64 * 64);
}

// c[] with what the program presets.
std::vector<std::byte> constants_of(const Program& program, const Launch& launch, std::uint32_t space) {
  const auto given = launch.constants[space];
  std::size_t size = given.size();
  for (const ConstantSegment& segment : program.constants)
    if (segment.space == space) size = std::max(size, std::size_t{segment.offset} + segment.bytes);
  std::vector<std::byte> bytes((size + 3) / 4 * 4);
  for (const ConstantSegment& segment : program.constants)
    if (segment.space == space)
      std::ranges::copy(std::as_bytes(std::span(segment.words))
                            .first(std::min<std::size_t>(segment.bytes, 4 * segment.words.size())),
                        bytes.begin() + segment.offset);
  std::ranges::copy(given, bytes.begin());
  return bytes;
}

}  // namespace

BranchTargets targets_of(const Program& program, const Launch& launch) {
  const std::uint32_t spaces = branch_spaces(program);
  const auto checked = check_launch(program, launch);
  return spaces == 0 || !checked ? BranchTargets{} : branch_targets(program, spaces, checked->constants);
}

IrOutcome run_ir(const Program& program, const Modes& modes, const Launch& launch,
                 const ir::PipelineOptions& options) {
  const std::uint32_t shared_bytes = shared_bytes_of(program, launch);
  auto function = translate(program, facts_of(program, modes, launch, shared_bytes), options.dispatch_all);
  if (!function) return {function.error()};
  auto group = ir::run_pipeline(std::move(*function), options);
  if (!group) return {group.error()};
  const std::uint32_t lanes = group->kernel.group_lanes;
  auto preamble = ir::Interpreter::prepare(group->preamble, kLanes);
  if (!preamble) return {preamble.error()};
  auto kernel = ir::Interpreter::prepare(group->kernel, lanes);
  if (!kernel) return {kernel.error()};

  std::vector<std::uint32_t> table(group->kernel.uniform_bytes / 4);
  ir::Memory memory;
  memory.uniform = table;
  std::vector<std::vector<std::byte>> constants;
  std::vector<std::vector<ir::MemoryRange>> ranges;
  constants.reserve(kConstantSpaces);
  ranges.reserve(2 * kConstantSpaces);
  ir::BlockMemory block;
  memory.block = &block;
  for (std::uint32_t space = 0; space < kConstantSpaces; ++space) {
    auto& bytes = constants.emplace_back(constants_of(program, launch, space));
    auto& constant = ranges.emplace_back();
    if (!bytes.empty()) constant.push_back({bytes.data(), 0, static_cast<std::uint32_t>(bytes.size())});
    block.constants[space] = constant;
    auto& global = ranges.emplace_back();
    for (const GlobalRange& range : launch.globals[space])
      global.push_back({range.bytes.data(), range.address, static_cast<std::uint32_t>(range.bytes.size())});
    block.globals[space] = global;
  }
  const std::uint32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
  const std::uint32_t groups = group->kernel.block_groups;
  EXPECT_EQ(groups * lanes, (threads + kLanes - 1) / kLanes * kLanes);
  block.lanes = lanes;
  std::vector<std::byte> shared(shared_bytes), local;
  std::vector<std::uint8_t> locks(shared_bytes / 4);
  block.shared = shared;
  block.locks = locks;
  block.local_bytes = program.local_bytes;
  local.resize(std::size_t{4} * ir::BlockMemory::local_words(program.local_bytes) * groups * lanes);
  block.local = local.data();
  std::vector<std::uint32_t> frame(std::size_t{group->kernel.frame_slots} * groups * lanes);
  memory.frame = frame;
  for (std::uint32_t by = 0; by < launch.grid[1]; ++by)
    for (std::uint32_t bx = 0; bx < launch.grid[0]; ++bx) {
      std::ranges::fill(shared, std::byte{0});
      std::ranges::fill(local, std::byte{0});
      std::ranges::fill(locks, std::uint8_t{0});
      const std::uint32_t header[8] = {launch.grid_id,
                                       launch.block[0],
                                       launch.block[1],
                                       launch.block[2],
                                       launch.grid[0],
                                       launch.grid[1],
                                       bx,
                                       by};
      for (std::size_t k = 0; k < 8; ++k) {
        const auto half = static_cast<std::uint16_t>(header[k]);
        std::memcpy(shared.data() + 2 * k, &half, 2);
      }
      std::ranges::copy(launch.parameters, shared.begin() + kParameterOffset);
      if (!table.empty()) std::memcpy(table.data(), shared.data(), std::min(4 * table.size(), shared.size()));
      block.block = {bx, by};
      if (const Status status = preamble->run(memory, 0, 1, 1); !status.ok()) return {status.error()};
      const std::uint64_t count = std::uint64_t{groups / group->kernel.inner_groups} * lanes;
      const Status status = kernel->run(memory, 0, count, launch.fuel);
      if (!status.ok()) return {status.error(), block.fault.happened};
    }
  return {{}, block.fault.happened};
}

namespace {

constexpr unsigned kKept = 60, kRowWords = 128;  // registers, words for each lane
constexpr unsigned kFirstA = kKept, kFirstC = kKept + 4;

std::uint32_t& kept(WarpRegisters& registers, unsigned n, unsigned lane) {
  if (n < kFirstA) return registers.r[n][lane];
  return n < kFirstC ? registers.a[1 + n - kFirstA][lane] : registers.c[n - kFirstC][lane];
}

// Code that loads or stores all of these, before or after other code.
std::string loads() {
  std::string text = "and b32 $r60 $r0 0xffff\nshl b32 $r60 $r60 0x9\nadd b32 $r61 $r60 0xf0\n";
  for (unsigned k = 0; k < 8; ++k) {
    text += "ld b32 $r62 g15[$r61]\nadd b32 $r61 $r61 0x4\n";
    text += k < 4 ? "shl $a" + std::to_string(k + 1) + " $r62 0x0\n"
                  : "mov $c" + std::to_string(k - 4) + " $r62\n";
  }
  text += "mov b32 $r61 $r60\n";
  for (unsigned k = 0; k < kKept; k += 4)
    text += "ld b128 $r" + std::to_string(k) + "q g15[$r61]\nadd b32 $r61 $r61 0x10\n";
  return text;
}
std::string stores() {
  std::string text = "mov b32 $r61 $r60\n";
  for (unsigned k = 0; k < kKept; k += 4)
    text += "st b128 g15[$r61] $r" + std::to_string(k) + "q\nadd b32 $r61 $r61 0x10\n";
  for (unsigned k = 0; k < 8; ++k)
    text += "mov $r62 $" + (k < 4 ? "a" + std::to_string(k + 1) : "c" + std::to_string(k - 4)) +
            "\nst b32 g15[$r61] $r62\nadd b32 $r61 $r61 0x4\n";
  return text + "exit nop\n";
}

// Runs code between loads and stores of all registers: `run` gets the whole, and the bytes of g15.
template <class Run>
auto run_between(const Program& program, WarpRegisters& registers, Run run) {
  static const Program before = program_of(loads()), after = program_of(stores());
  Program whole = program;
  whole.registers = kMaxRegisters;
  whole.code = before.code;
  whole.code.insert(whole.code.end(), program.code.begin(), program.code.end() - 2);
  whole.code.insert(whole.code.end(), after.code.begin(), after.code.end());
  std::vector<std::uint32_t> words(kLanes * kRowWords);
  for (unsigned l = 0; l < kLanes; ++l)
    for (unsigned n = 0; n < kFirstC + 4; ++n) words[l * kRowWords + n] = kept(registers, n, l);
  const auto outcome = run(whole, std::as_writable_bytes(std::span(words)));
  for (unsigned l = 0; l < kLanes; ++l)
    for (unsigned n = 0; n < kFirstC + 4; ++n) kept(registers, n, l) = words[l * kRowWords + n];
  return outcome;
}

}  // namespace

IrOutcome run_warp_ir(const Program& program, const Modes& modes, const Launch& launch,
                      WarpRegisters& registers, const ir::PipelineOptions& options) {
  return run_between(program, registers, [&](const Program& whole, std::span<std::byte> memory) {
    Launch one = launch;
    one.grid = {1, 1, 1};
    one.block = {kLanes, 1, 1};
    one.globals[15] = {{.address = 0, .bytes = memory}};
    return run_ir(whole, modes, one, options);
  });
}

Status run_warp_engine(const Engine& engine, const RunOptions& options, const Program& program,
                       WarpRegisters& registers) {
  return run_between(program, registers, [&](const Program& whole, std::span<std::byte> memory) -> Status {
    WARPJIT_TRY(std::shared_ptr<const Shader> shader, Shader::make(whole));
    warpjit::Launch launch(warpjit::Program(std::move(shader)));
    EXPECT_TRUE(launch.set_block(kLanes));
    WARPJIT_CHECK(launch.map_memory("g15", 0, memory.data(), memory.size()));
    WARPJIT_TRY(const Report report, engine.run(launch, options));
    if (report.engine != options.engine)
      return Error{ErrorCode::unsupported, "another engine ran", program.source_name};
    return {};
  });
}

void expect_same_registers(const WarpRegisters& guest, const WarpRegisters& ir, const std::string& name) {
  WarpRegisters wanted = guest, got = ir;
  for (unsigned n = 0; n < kFirstC + 4; ++n)
    for (unsigned l = 0; l < kLanes; ++l) {
      if (kept(wanted, n, l) == kept(got, n, l)) continue;
      ADD_FAILURE() << name
                    << (n < kFirstA   ? ": $r"
                        : n < kFirstC ? ": $a"
                                      : ": $c")
                    << (n < kFirstA   ? n
                        : n < kFirstC ? n - kFirstA + 1
                                      : n - kFirstC)
                    << " of lane " << l << std::hex << ": guest " << kept(wanted, n, l) << ", IR "
                    << kept(got, n, l);
      return;
    }
}

Compared compare(const Program& program, const Comparison& comparison, const std::string& name) {
  Launch launch = comparison.launch;
  launch.constants[0] = std::as_bytes(std::span(comparison.c0));
  const auto with_memory = [&](Words& g0, Words& g1) {
    launch.globals[0] = {{.address = 0, .bytes = std::as_writable_bytes(std::span(g0))}};
    launch.globals[1] = {{.address = 0, .bytes = std::as_writable_bytes(std::span(g1))}};
  };
  Words wanted0 = comparison.g0, wanted = comparison.g1;
  with_memory(wanted0, wanted);
  auto interpreter = Interpreter::prepare(program, comparison.modes, targets_of(program, launch));
  if (!interpreter) {
    ADD_FAILURE() << name << ": " << to_string(interpreter.error());
    return Compared::different;
  }
  RunReport report;
  const Status guest = interpreter->run(launch, report);

  struct Variant {
    const char* what;
    ir::PipelineOptions options;
  };
  const auto wide = [](std::uint32_t lanes) { return [=](const ir::Function&) { return lanes; }; };
  std::vector<Variant> variants = {{"optimized", {.verify = true}},
                                   {"plain", {.optimize = false, .verify = true}},
                                   {"dispatched", {.dispatch_all = true, .verify = true}},
                                   {"64 lanes", {.verify = true, .group_lanes = wide(64)}},
                                   {"128 lanes", {.verify = true, .group_lanes = wide(128)}},
                                   {"256 lanes", {.verify = true, .group_lanes = wide(256)}}};
  for (const Variant& variant : variants) {
    Words g0 = comparison.g0, g1 = comparison.g1;
    with_memory(g0, g1);
    const IrOutcome ir = run_ir(program, comparison.modes, launch, variant.options);
    if (!ir.status.ok() && ir.status.error().code == ErrorCode::unsupported) {
      if (comparison.reason != nullptr) *comparison.reason = ir.status.error().message;
      if (comparison.expect_supported) ADD_FAILURE() << name << ": " << to_string(ir.status.error());
      return Compared::unsupported;
    }
    if (ir.status.ok() != guest.ok()) {
      ADD_FAILURE() << name << ", " << variant.what << ": guest "
                    << (guest.ok() ? "finishes" : to_string(guest.error())) << ", IR "
                    << (ir.status.ok() ? "finishes" : to_string(ir.status.error()));
      return Compared::different;
    }
    if (!guest.ok()) {
      EXPECT_EQ(guest.error().code, ir.status.error().code) << name;
      continue;
    }
    EXPECT_EQ(report.first_fault.has_value(), ir.faulted) << name << ", " << variant.what;
    const auto differs = std::ranges::mismatch(wanted, g1);
    if (differs.in1 == wanted.end() && g0 == wanted0) continue;
    const auto at = differs.in1 - wanted.begin();
    ADD_FAILURE() << name << ", " << variant.what << ": word " << at << std::hex << " of g1: guest "
                  << (differs.in1 == wanted.end() ? 0 : *differs.in1) << ", IR "
                  << (differs.in1 == wanted.end() ? 0 : *differs.in2);
    return Compared::different;
  }
  return Compared::same;
}

}  // namespace warpjit::tesla
