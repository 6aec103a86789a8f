#include "frontend/tesla/interpret/profile.h"

#include <algorithm>

#include "frontend/tesla/assembly/disassemble.h"
#include "frontend/tesla/interpret/memory.h"

namespace warpjit::tesla {
namespace {

constexpr std::size_t kMaxRaces = 1024;  // pairs of instructions; more are only counted

std::string thread_text(const BlockContext& context, std::uint32_t thread) {
  return "thread " + std::to_string(thread) + interpret::block_text(context.block);
}

// The number of consecutive 32-bit registers of an operand.
std::uint32_t registers_of(const WarpOp& op, const Operand& operand, bool of_memory) {
  if (of_memory) return std::max<std::uint32_t>(op.register_count, 1);
  return operand.type == Type::b64 ? 2 : operand.type == Type::b128 ? 4 : 1;
}

// True if its data goes to or from as many registers as the access has words.
bool moves_words(Opcode opcode) {
  switch (opcode) {
    case Opcode::ld_l:
    case Opcode::ld_g:
    case Opcode::st_l:
    case Opcode::st_g:
    case Opcode::red_g:
    case Opcode::atom_g:
      return true;
    default:
      return false;
  }
}

bool reads_condition_register(const Instruction& i) {
  return i.condition != kAlways || ((i.opcode == Opcode::iadd || i.opcode == Opcode::imad) &&
                                    i.operation == static_cast<std::uint8_t>(AddOperation::addc));
}

bool parts_lanes(Opcode opcode) {
  return opcode == Opcode::bra || opcode == Opcode::brk || opcode == Opcode::ret;
}

}  // namespace

Profiler::Profiler(const Program& program, LaneCounts* counts)
    : program_(program), counts_(counts), lines_(program.code.size()) {}

void Profiler::begin_block(BlockContext& context, std::size_t warps, std::size_t written) {
  warps_.assign(warps, {});
  for (WarpState& warp : warps_) {
    warp.written.r[0].fill(~0U);  // the place in the block
    warp.written.a[0] = ~0U;
  }
  shared_.assign(context.shared.size(), {});
  for (std::size_t k = 0; k < std::min(written, shared_.size()); ++k) shared_[k].written = true;
}

void Profiler::instruction(BlockContext& context, const Warp& warp, const WarpOp& op,
                           std::uint32_t executing) {
  if (counts_ != nullptr) {
    for (unsigned lane = 0; lane < kLanes; ++lane) (*counts_)[lane] += warp.active >> lane & 1;
    return;
  }
  if (op.i.lanes != 15) executing &= op.i.lanes * 0x11111111U;
  Line& line = this->line(op.pc);
  ++line.warps;
  line.lanes += static_cast<unsigned>(std::popcount(executing));
  ++active_lanes_[static_cast<unsigned>(std::popcount(warp.active))];
  if (parts_lanes(op.i.opcode) && executing != 0 && executing != warp.active) ++line.diverged;
  if (op.i.opcode == Opcode::vote) executing = warp.active;  // the condition is its operand
  if (warp.active == 0) return;
  reads(context, warp, op, executing);
  if (executing != 0) writes(warp, op, executing);
  if (op.i.opcode == Opcode::bar && op.i.wait != 0) ++warps_[warp.first_thread / kLanes].interval;
}

void Profiler::reads(BlockContext& context, const Warp& warp, const WarpOp& op, std::uint32_t executing) {
  const Instruction& i = op.i;
  const Written& written = warps_[warp.first_thread / kLanes].written;
  if (reads_condition_register(i))
    missing(context, warp, op, warp.active & ~written.c[i.condition_register], "$c", i.condition_register);
  const auto read_register = [&](std::uint32_t number, unsigned halves) {
    if (number >= program_.registers || executing == 0) return;  // those read 0
    std::uint32_t lanes = 0;
    for (unsigned half = 0; half < 2; ++half)
      if ((halves >> half & 1) != 0) lanes |= executing & ~written.r[number][half];
    missing(context, warp, op, lanes, "$r", number);
  };
  const auto read_operand = [&](const Operand& operand) {
    if (operand.kind == Operand::Kind::gpr) {
      if (operand.type == Type::b16) return read_register(operand.value / 2, 1U << (operand.value & 1));
      const std::uint32_t count = registers_of(op, operand, moves_words(i.opcode));
      for (std::uint32_t k = 0; k < count; ++k) read_register(operand.value + k, 3);
    } else if (operand.kind == Operand::Kind::flags) {
      missing(context, warp, op, executing & ~written.c[operand.value & 3], "$c", operand.value);
    } else if (operand.kind == Operand::Kind::address) {
      missing(context, warp, op, executing & ~written.a[operand.value & 7], "$a", operand.value);
    }
  };
  const auto read_address = [&](const Operand& operand) {
    if (!operand.is_memory()) return;
    if (operand.kind == Operand::Kind::global) read_register(operand.value, 3);
    missing(context, warp, op, executing & ~written.a[operand.address], "$a", operand.address);
  };
  read_address(i.dst);
  for (const Operand& operand : i.src) {
    read_operand(operand);
    read_address(operand);
    if (operand.kind == Operand::Kind::shared) shared(context, warp, op, operand, false, executing);
  }
  if (i.dst.kind == Operand::Kind::shared) shared(context, warp, op, i.dst, true, executing);
}

void Profiler::writes(const Warp& warp, const WarpOp& op, std::uint32_t executing) {
  const Instruction& i = op.i;
  Written& written = warps_[warp.first_thread / kLanes].written;
  if (i.flags >= 0) written.c[static_cast<std::size_t>(i.flags)] |= executing;
  if (i.dst.kind == Operand::Kind::address) written.a[i.dst.value & 7] |= executing;
  if (i.dst.kind != Operand::Kind::gpr) return;
  if (i.dst.type == Type::b16) {
    if (i.dst.value / 2 < kMaxRegisters) written.r[i.dst.value / 2][i.dst.value & 1] |= executing;
    return;
  }
  const std::uint32_t count = registers_of(op, i.dst, moves_words(i.opcode));
  for (std::uint32_t k = 0; k < count && i.dst.value + k < kMaxRegisters; ++k)
    for (std::uint32_t& half : written.r[i.dst.value + k]) half |= executing;
}

// Lanes that read what they have not written.
void Profiler::missing(BlockContext& context, const Warp& warp, const WarpOp& op, std::uint32_t lanes,
                       const char* name, std::uint32_t number) {
  if (lanes == 0) return;
  Line& line = this->line(op.pc);
  line.uninitialized_registers += static_cast<unsigned>(std::popcount(lanes));
  if (line.first_uninitialized.empty())
    line.first_uninitialized =
        name + std::to_string(number) + " of " +
        thread_text(context, warp.first_thread + static_cast<unsigned>(std::countr_zero(lanes)));
}

void Profiler::shared(BlockContext& context, const Warp& warp, const WarpOp& op, const Operand& operand,
                      bool is_store, std::uint32_t executing) {
  const OperandMemory access(context, warp, op, operand);
  const std::uint32_t interval = warps_[warp.first_thread / kLanes].interval;
  const std::size_t size = size_of(operand.type);
  const auto other_warp = [&](const Access& earlier) {
    return earlier.interval == interval && earlier.thread / kLanes != warp.first_thread / kLanes;
  };
  for (unsigned l = 0; l < kLanes; ++l) {
    if ((executing >> l & 1) == 0) continue;
    const std::uint32_t address = access.address(l), thread = warp.first_thread + l;
    if (address + size > shared_.size() || address % size != 0) continue;  // a fault
    const Access now{interval, op.pc, thread, op.i.lock != 0};
    bool unwritten = false;
    const Access* raced = nullptr;
    bool raced_store = true;
    for (std::size_t k = 0; k < size; ++k) {
      SharedByte& byte = shared_[address + k];
      if (other_warp(byte.store) && !(byte.store.lock && now.lock)) {
        raced = &byte.store;
        raced_store = true;
      } else if (is_store) {
        for (const Access* load : {&byte.load, &byte.other_load})
          if (other_warp(*load) && !(load->lock && now.lock)) raced = load, raced_store = false;
      }
      unwritten |= !is_store && !byte.written;
    }
    if (raced != nullptr) race(context, *raced, raced_store, now, is_store, address);
    for (std::size_t k = 0; k < size; ++k) {
      SharedByte& byte = shared_[address + k];
      if (is_store) {
        byte.store = now;
        byte.written = true;
      } else {
        if (other_warp(byte.load)) byte.other_load = byte.load;
        byte.load = now;
      }
    }
    if (!unwritten) continue;
    Line& line = this->line(op.pc);
    ++line.uninitialized_shared;
    if (line.first_uninitialized.empty())
      line.first_uninitialized = "s[" + std::to_string(address) + "] by " + thread_text(context, thread);
  }
}

void Profiler::race(BlockContext& context, const Access& first, bool first_stores, const Access& second,
                    bool second_stores, std::uint32_t address) {
  const RaceKey key{first.pc, second.pc};
  const auto found = races_.find(key);
  if (found != races_.end()) {
    ++found->second.count;
    return;
  }
  if (races_.size() == kMaxRaces) {
    ++further_races_;
    return;
  }
  races_[key] = {first.pc, second.pc, 1,
                 "s[" + std::to_string(address) + "]: " + (first_stores ? "store" : "load") + " by thread " +
                     std::to_string(first.thread) + ", " + (second_stores ? "store" : "load") + " by " +
                     thread_text(context, second.thread)};
}

Profile Profiler::result(const RunReport& report) const {
  Profile profile;
  for (std::size_t word = 0; word < lines_.size(); ++word) {
    if (lines_[word].warps == 0) continue;
    Line& line = profile.instructions.emplace_back(lines_[word]);
    line.address = static_cast<std::uint32_t>(4 * word);
    if (const auto i = decode(program_.type, program_.code, line.address)) line.text = disassemble(*i);
  }
  profile.active_lanes.assign(active_lanes_.begin(), active_lanes_.end());
  profile.deepest_stack = report.deepest_stack;
  for (const auto& [key, race] : races_) profile.races.push_back(race);
  profile.further_races = further_races_;
  return profile;
}

}  // namespace warpjit::tesla
