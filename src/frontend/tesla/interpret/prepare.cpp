// Prepares programs for the interpreter and runs the blocks of a grid: warps in turn, barriers between them.
#include <algorithm>
#include <cstring>
#include <limits>

#include "base/stop_reason.h"
#include "frontend/tesla/container/graphics.h"
#include "frontend/tesla/facts/launch.h"
#include "frontend/tesla/facts/reach.h"
#include "frontend/tesla/facts/register_file.h"
#include "frontend/tesla/interpret/graphics.h"
#include "frontend/tesla/interpret/op.h"

namespace warpjit::tesla {
namespace {

constexpr std::uint32_t kNoOp = ~std::uint32_t{0};

std::uint8_t registers_of(Type type) { return static_cast<std::uint8_t>(std::max(1U, size_of(type) / 4)); }

}  // namespace

RunWarp loop_for(HostCode code) {
  static const interpret::Instances<RunWarp> loops = WARPJIT_INSTANCES(run_warp);
  return loops.choose(code);
}

void start_warp(Warp& warp, const Program& program, unsigned lanes, std::uint64_t fuel) {
  std::memset(warp.registers.r, 0, sizeof warp.registers.r[0] * std::max(program.registers, 1U));
  std::memset(warp.registers.a, 0, sizeof warp.registers.a);
  std::memset(warp.registers.c, 0, sizeof warp.registers.c);
  warp.active = lanes == kLanes ? ~0U : (1U << lanes) - 1;
  warp.exited = ~warp.active;
  warp.broken = warp.returned = 0;
  warp.observer = nullptr;
  warp.pc = program.entry;
  warp.stack.clear();
  warp.done = false;
  warp.waiting = -1;
  warp.fuel = group_fuel(fuel);
  warp.of_all_lanes = 0;
  warp.counts = FuelCounts(fuel);
}

void show_warp(const BlockContext& context, Warp& warp, interpret::ObservedGroup group) {
  interpret::Observer* const observer = context.limits.observer;
  group.lanes = warp.active;
  if (group.kind == interpret::ObservedGroup::Kind::block) {
    // `quadon` lets the other lanes of a quad run, too.
    std::uint32_t quads = warp.active | warp.active >> 1;
    quads = (quads | quads >> 2) & 0x11111111U;
    group.lanes = quads * 15;
  }
  if (observer == nullptr || !observer->observes(group)) return;
  warp.observer = observer;
  warp.observed = group.lanes;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if ((group.lanes >> lane & 1) == 0) continue;
    for (unsigned number = 0; number < context.registers; ++number)
      // A block's threads find their place in $r0, be it 0.
      if (warp.registers.r[number][lane] != 0 || (number == 0 && context.graphics == nullptr))
        observer->holds(general_word(number), lane, warp.registers.r[number][lane]);
    if (context.graphics == nullptr) continue;
    for (unsigned word = 0; word < context.graphics->attributes.size(); ++word)
      observer->holds(attribute_word(word), lane, context.graphics->attributes[word][lane]);
  }
}

bool count_transfer(Warp& warp, std::uint32_t lanes) {
  if (warp.fuel == -1) warp.counts.restart(warp.of_all_lanes);
  return warp.counts.count(0, kLanes, [&](std::size_t lane) { return (lanes >> lane & 1) != 0; });
}

std::string to_string(const MemoryFault& fault) {
  const char* names[] = {"c", "s", "l", "a", "p", "o", "v", "g"};
  const auto space = static_cast<unsigned>(fault.space) - static_cast<unsigned>(Operand::Kind::constant);
  std::string name = space < 8 ? names[space] : "?";
  if (fault.space == Operand::Kind::constant || fault.space == Operand::Kind::global)
    name += std::to_string(fault.index);
  return interpret::access_text(fault.is_store, name, fault.address, fault.thread, fault.block);
}

void RunReport::add(const RunReport& other) {
  if (!first_fault)
    first_fault = other.first_fault;
  else if (other.first_fault)
    first_fault->accesses += other.first_fault->accesses;
  warp_instructions += other.warp_instructions;
  lane_instructions += other.lane_instructions;
  deepest_stack = std::max(deepest_stack, other.deepest_stack);
}

Interpreter::Interpreter() = default;
Interpreter::Interpreter(Interpreter&&) noexcept = default;
Interpreter& Interpreter::operator=(Interpreter&&) noexcept = default;
Interpreter::~Interpreter() = default;

Result<Interpreter> Interpreter::prepare(const Program& program, const Modes& modes,
                                         std::span<const BranchTarget> targets) {
  WARPJIT_CHECK(check_graphics(program));
  WARPJIT_TRY(const ReachedCode code, ReachedCode::find(program, targets));
  Interpreter result;
  result.program_ = program;
  result.modes_ = modes;
  result.registers_ = program.registers;
  result.op_of_word_.assign(program.code.size(), kNoOp);

  const auto add = [&](const Instruction& i, std::uint32_t address) {
    WarpOp op{.i = i, .pc = address, .next = address + 4 * i.words(), .holds = condition_table(i.condition)};
    for (std::size_t n = 0; n < 3; ++n) {
      const Operand& operand = i.src[n];
      Source& source = op.src[n];
      if (operand.kind == Operand::Kind::gpr) {
        const bool half = operand.type == Type::b16;
        source.index = static_cast<std::uint16_t>(half ? operand.value / 2 : operand.value);
        source.kind = !half                      ? Source::Kind::whole
                      : (operand.value & 1) != 0 ? Source::Kind::high_half
                                                 : Source::Kind::low_half;
        if (source.index >= program.registers) source.kind = Source::Kind::zero;
      } else if (operand.kind == Operand::Kind::immediate || operand.kind == Operand::Kind::number) {
        source.kind = Source::Kind::pool;
        source.index = static_cast<std::uint16_t>(result.constants_.size());
        result.constants_.emplace_back().fill(operand.value);
      } else if (operand.is_memory() && operand.kind != Operand::Kind::global) {
        source.kind = Source::Kind::memory;
      }
    }
    op.post_increments =
        i.dst.post_increment || i.src[0].post_increment || i.src[1].post_increment || i.src[2].post_increment;
    op.register_count = registers_of(i.type);
    result.op_of_word_[address / 4] = static_cast<std::uint32_t>(result.ops_.size());
    result.ops_.push_back(op);
  };

  for (const ReachedInstruction& reached : code.instructions()) {
    if (result.constants_.size() > 0xfff0)
      return Error{ErrorCode::resource_limit, "more than 65520 immediates", program.where(reached.address)};
    add(reached.instruction, reached.address);
  }
  return result;
}

void Interpreter::set_up(BlockContext& context, const Launch& launch) const {
  context.launch = &launch;
  context.program = &program_;
  context.modes = &modes_;
  context.ops = ops_.data();
  context.op_of_word = op_of_word_.data();
  context.code_words = op_of_word_.size();
  context.pool = constants_.data();
  context.registers = registers_;
}

// Runs blocks of a launch with one set of warps.
struct BlockRun {
  BlockRun(const Interpreter& interpreter, const Launch& launch, const RunLimits& limits, RunWarp run_warp)
      : interpreter_(interpreter), launch_(launch), run_warp_(run_warp) {
    context_.limits = limits;
  }

  Status check() {
    WARPJIT_TRY(checked_, check_launch(interpreter_.program_, launch_));
    threads_ = checked_.threads;
    shared_bytes_ = checked_.shared_bytes;
    context_.constants = checked_.constants;
    return {};
  }

  void start() {
    const Program& program = interpreter_.program_;
    interpreter_.set_up(context_, launch_);
    warps_.resize((threads_ + kLanes - 1) / kLanes);
    context_.local.resize(std::size_t{program.local_bytes} * warps_.size() * kLanes);
    context_.shared.resize(shared_bytes_);
    context_.locked.resize(shared_bytes_ / 4);
  }

  // `start_registers`: of the only warp, which get its final ones.
  Status run_block(std::uint64_t number, WarpRegisters* start_registers) {
    context_.block = launch_.block_at(number);
    reset();
    if (start_registers != nullptr) warps_[0].registers = *start_registers;
    for (Warp& warp : warps_)
      show_warp(context_, warp,
                {.kind = interpret::ObservedGroup::Kind::block,
                 .first = warp.first_thread,
                 .block = context_.block});
    const Status status = run_warps();
    if (start_registers != nullptr) *start_registers = warps_[0].registers;
    return status;
  }

  const RunReport& report() const { return context_.report; }

 private:
  void reset() {
    const auto& [x, y, z] = launch_.block;
    std::ranges::fill(context_.shared, std::byte{0});
    std::ranges::fill(context_.locked, std::uint8_t{0});
    std::ranges::fill(context_.local, std::byte{0});
    context_.arrived.fill(0);
    context_.expected.fill(0);
    write_header(launch_, context_.block, context_.shared);

    for (std::size_t k = 0; k < warps_.size(); ++k) {
      Warp& warp = warps_[k];
      warp.first_thread = static_cast<std::uint32_t>(k * kLanes);
      start_warp(warp, interpreter_.program_, std::min(threads_ - warp.first_thread, kLanes),
                 context_.limits.fuel);
      // Lanes that no thread has are numbered on in the last dimension there is; only quadop sees them
      // (tesla.md 9.6: chosen).
      for (std::uint32_t l = 0; l < kLanes; ++l) {
        const std::uint32_t row = (warp.first_thread + l) / x, column = (warp.first_thread + l) % x;
        warp.registers.r[0][l] = y * z == 1 ? warp.first_thread + l
                                 : z == 1   ? column | row << 16
                                            : column | row % y << 16 | row / y << 26;
      }
    }
  }

  Status run_warps() {
    while (true) {
      bool progress = false, all_done = true;
      for (Warp& warp : warps_) {
        if (!warp.done && warp.waiting < 0) {
          progress = true;
          if (context_.limits.cancelled()) {
            context_.cancel_at(warp.pc);
            return stopped(warp);
          }
          const RunWarp run_warp = warp.observer != nullptr ? run_warp_observed : run_warp_;
          if (run_warp(context_, warp) == WarpOutcome::stopped) return stopped(warp);
          complete_barriers();
        }
        all_done &= warp.done;
      }
      if (all_done) return {};
      if (!progress) {
        const auto waits = std::ranges::find_if(warps_, [](const Warp& warp) { return !warp.done; });
        context_.stop = {ErrorCode::fault, message(StopReason::barrier_never_complete), waits->waiting_pc};
        return stopped(*waits);
      }
    }
  }

  // tesla.md 12.4: a barrier returns to 0 when its count is reached; who waits goes on when it is 0.
  void complete_barriers() {
    const auto alive = static_cast<std::uint32_t>(
        std::ranges::count_if(warps_, [](const Warp& warp) { return !warp.done; }));
    for (std::uint32_t id = 0; id < kBarriers; ++id) {
      const std::uint32_t expected = context_.expected[id] != 0 ? context_.expected[id] : alive;
      if (context_.arrived[id] >= expected) context_.arrived[id] = 0;
    }
    for (Warp& warp : warps_)
      if (warp.waiting >= 0 && context_.arrived[static_cast<std::size_t>(warp.waiting)] == 0)
        warp.waiting = -1;
  }

  Error stopped(const Warp& warp) const {
    return {context_.stop.code,
            std::string(context_.stop.message) + ", in warp " + std::to_string(warp.first_thread / kLanes) +
                interpret::block_text(context_.block),
            interpreter_.program_.where(context_.stop.address)};
  }

  const Interpreter& interpreter_;
  const Launch& launch_;
  RunWarp run_warp_;
  std::uint32_t threads_ = 0;
  std::size_t shared_bytes_ = 0;
  BlockContext context_;
  std::vector<Warp> warps_;
  frontend::CheckedGrid checked_;

 public:
  static Status run(const Interpreter& interpreter, const Launch& launch, std::uint64_t first,
                    std::uint64_t count, RunReport& report, const RunLimits& limits, RunWarp run_warp,
                    WarpRegisters* registers = nullptr) {
    BlockRun blocks(interpreter, launch, limits, run_warp);
    WARPJIT_CHECK(blocks.check());
    const std::uint64_t all = std::uint64_t{launch.grid[0]} * launch.grid[1];
    if (first > all || count > all - first)
      return Error{ErrorCode::bad_input, "the blocks are not in the grid", {}};
    blocks.start();
    Status status;
    for (std::uint64_t k = 0; k < count && status.ok(); ++k) status = blocks.run_block(first + k, registers);
    report.add(blocks.report());
    return status;
  }
};

Status Interpreter::run(const Launch& launch, std::uint64_t first_block, std::uint64_t count,
                        RunReport& report, HostCode code, std::optional<RunLimits> limits) const {
  return BlockRun::run(*this, launch, first_block, count, report, limits.value_or(launch.fuel),
                       loop_for(code));
}

Status Interpreter::run(const Launch& launch, RunReport& report, HostCode code) const {
  return run(launch, 0, std::uint64_t{launch.grid[0]} * launch.grid[1], report, code);
}

Status Interpreter::run_warp(const Launch& launch, WarpRegisters& registers, RunReport& report,
                             HostCode code) const {
  Launch one = launch;
  one.grid = {1, 1, 1};
  one.block = {kLanes, 1, 1};
  return BlockRun::run(*this, one, 0, 1, report, one.fuel, loop_for(code), &registers);
}

}  // namespace warpjit::tesla
