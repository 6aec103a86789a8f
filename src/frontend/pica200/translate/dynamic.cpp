// The scope stacks of docs/guests/pica200.md 9 as run-time state: each stack is a row of variables, top entry
// first, shifted by pushes and pops. Every address at which control may arrive has a block and a number;
// after a transfer a switch over that number goes on. Slow, but of bounded size for any program.
#include <algorithm>
#include <array>

#include "frontend/pica200/flow/reach.h"
#include "frontend/pica200/translate/instruction.h"

namespace warpjit::pica200 {
namespace {

using ir::I1;
using ir::I32;

constexpr unsigned kCallDepth = 4, kIfDepth = 8, kLoopDepth = 4;
// Stack variables. Addresses are held as numbers of leaders (addresses that begin a block);
// kNowhere is no address.
constexpr std::uint32_t kVarCallEnd = kStaticVariables, kVarCallReturn = kVarCallEnd + kCallDepth,
                        kVarIfElse = kVarCallReturn + kCallDepth, kVarIfEnd = kVarIfElse + kIfDepth,
                        kVarLoopEntry = kVarIfEnd + kIfDepth, kVarLoopEnd = kVarLoopEntry + kLoopDepth,
                        kVarLoopCount = kVarLoopEnd + kLoopDepth, kVarLoopStep = kVarLoopCount + kLoopDepth,
                        kVarLoopSaved = kVarLoopStep + kLoopDepth, kVarNext = kVarLoopSaved + kLoopDepth,
                        kVariables = kVarNext + 1;
constexpr std::int32_t kNowhere = -1;
// Stands for every address after the last word but kEndAddress.
constexpr std::uint32_t kPastEnd = kMaxCodeWords;

class DynamicTranslator : private InstructionTranslator {
 public:
  DynamicTranslator(const Program& program, const TranslationFacts& facts, const UnitAccess& unit)
      : InstructionTranslator(program, facts, unit, kVariables) {}

  Result<ir::Function> run(std::uint32_t entry) {
    if (Status status = find_leaders(entry); !status) return status.error();
    ir::Block start = function_.add_block();
    dispatch_ = function_.add_block();
    for (std::uint32_t address : leaders_) blocks_.push_back(function_.add_block(address));
    ir::Block exit = function_.add_block();

    builder_.set_block(start);
    ssa_.seal(start);
    begin_thread();
    for (std::uint32_t v : {kVarCallEnd, kVarIfElse, kVarLoopEnd})
      for (unsigned k = 0; k < (v == kVarIfElse ? kIfDepth : kCallDepth); ++k)
        write(v + k, constant(kNowhere));
    write(kVarNext, constant(leader(entry)));
    builder_.jump(dispatch_);
    for (std::size_t k = 0; k < leaders_.size(); ++k) translate_from(k, exit);
    builder_.set_guest_address(ir::kNoAddress);
    builder_.set_block(dispatch_);
    ssa_.seal(dispatch_);
    std::vector<ir::Block> targets = blocks_;
    targets.push_back(exit);
    builder_.switch_(read<I32>(kVarNext), targets);
    for (ir::Block b : blocks_) ssa_.seal(b);
    builder_.set_block(exit);
    ssa_.seal(exit);
    end_thread();
    builder_.ret();
    WARPJIT_CHECK(ssa_.finish());
    return std::move(function_);
  }

 private:
  // Addresses at which control can arrive other than from the word before, and those after scope ends.
  Status find_leaders(std::uint32_t entry) {
    const std::size_t words = program_.code.size();
    code_ = find_reached(program_, entry);
    if (!code_.undefined.empty()) {
      const std::uint32_t address = code_.undefined.front();
      return decode(program_.code[address], address, program_.source_name).error();
    }
    std::vector<char> is_leader(kPastEnd + 1, 0);
    std::copy_n(code_.leader.begin(), words, is_leader.begin());
    is_leader[entry] = 1;
    is_leader[kEndAddress] = code_.thread_end ? 1 : 0;
    is_leader[kPastEnd] = code_.past_end ? 1 : 0;
    for (const auto& [address, i] : code_.code.instructions()) {
      if (program_.stage != Stage::geometry && (i.info().traits & kGeometry) != 0)
        return Error{ErrorCode::bad_input, std::string(i.info().name) + " belongs to geometry programs",
                     program_.where(address)};
      if (i.opcode == Opcode::loop)
        loop_ends_.push_back(i.target + 1U);
      else if (i.opcode == Opcode::ifu || i.opcode == Opcode::ifc)
        if_ends_.push_back(i.target);
      else if ((i.info().traits & kTarget) != 0 && i.opcode != Opcode::jmpc && i.opcode != Opcode::jmpu)
        call_ends_.push_back(std::uint32_t{i.target} + i.num);
    }
    leader_of_.assign(kPastEnd + 1, kNowhere);
    for (std::uint32_t address = 0; address <= kPastEnd; ++address)
      if (is_leader[address]) {
        leader_of_[address] = static_cast<std::int32_t>(leaders_.size());
        leaders_.push_back(address);
      }
    return {};
  }

  std::int32_t leader(std::uint32_t address) const {
    return leader_of_[address < program_.code.size() || address == kEndAddress ? address : kPastEnd];
  }
  I32 constant(std::int32_t value) { return builder_.constant(value); }
  static bool contains(const std::vector<std::uint32_t>& list, std::uint32_t address) {
    return std::find(list.begin(), list.end(), address) != list.end();
  }

  void translate_from(std::size_t number, ir::Block exit) {
    builder_.set_block(blocks_[number]);
    if (leaders_[number] == kEndAddress) return builder_.jump(exit);
    if (leaders_[number] == kPastEnd)
      return stay(blocks_[number], static_cast<std::uint32_t>(program_.code.size()));
    for (std::uint32_t pc = leaders_[number];; ++pc) {
      const Instruction& i = *code_.code.at(pc);
      builder_.set_guest_address(pc);
      if (i.opcode == Opcode::end) return builder_.jump(exit);
      const bool flow = (i.info().traits & kFlow) != 0;
      if (!flow) instruction(i);
      if (!flow && leader(pc + 1) == kNowhere) continue;
      if (!flow && !contains(call_ends_, pc + 1) && !contains(if_ends_, pc + 1) &&
          !contains(loop_ends_, pc + 1))
        return builder_.jump(blocks_[static_cast<std::size_t>(leader(pc + 1))]);
      write(kVarNext, constant(leader(pc + 1)));
      I1 breaks = flow ? transfer(i, pc) : builder_.constant(false);
      check_ends(pc + 1, breaks);
      // Backward transfers count against the fuel; leaders ascend with addresses.
      ir::Block backward = function_.add_block(pc), forward = function_.add_block(pc);
      builder_.branch(builder_.ILeS32(read<I32>(kVarNext), constant(last_leader(pc))), backward, forward);
      ssa_.seal(backward);
      ssa_.seal(forward);
      builder_.set_block(backward);
      builder_.jump(dispatch_, true);
      builder_.set_block(forward);
      return builder_.jump(dispatch_);
    }
  }
  // The highest leader at or below an address.
  std::int32_t last_leader(std::uint32_t address) const {
    return static_cast<std::int32_t>(std::upper_bound(leaders_.begin(), leaders_.end(), address) -
                                     leaders_.begin()) -
           1;
  }

  // variable = condition ? value : what it was
  void write_if(I1 condition, std::uint32_t variable, I32 value) {
    write(variable, builder_.select(condition, value, read<I32>(variable)));
  }
  void push_if(I1 condition, std::uint32_t stack, unsigned depth, I32 value) {
    for (unsigned k = depth; k-- > 1;) write_if(condition, stack + k, read<I32>(stack + k - 1));
    write_if(condition, stack, value);
  }
  void pop_if(I1 condition, std::uint32_t stack, unsigned depth, bool marks) {
    for (unsigned k = 0; k + 1 < depth; ++k) write_if(condition, stack + k, read<I32>(stack + k + 1));
    if (marks) write_if(condition, stack + depth - 1, constant(kNowhere));
  }

  // The effect of a flow instruction before the END check; returns whether it is a BREAK.
  I1 transfer(const Instruction& i, std::uint32_t pc) {
    I1 never = builder_.constant(false), holds = builder_.constant(true);
    if (i.info().traits & kReadsFlags) holds = condition(i);
    if (i.opcode == Opcode::callu || i.opcode == Opcode::ifu || i.opcode == Opcode::jmpu) {
      holds = facts_.bools_known >> i.uniform & 1 ? builder_.constant((facts_.bools >> i.uniform & 1) != 0)
                                                  : boolean(i.uniform);
      if (i.opcode == Opcode::jmpu && (i.num & 1) != 0) holds = builder_.Not1(holds);
    }
    const std::uint32_t end = static_cast<std::uint32_t>(i.target) + i.num;
    switch (i.opcode) {
      case Opcode::break_:
      case Opcode::breakc:
        return holds;
      case Opcode::call:
      case Opcode::callc:
      case Opcode::callu:
        push_if(holds, kVarCallEnd, kCallDepth, constant(leader(end)));
        push_if(holds, kVarCallReturn, kCallDepth, constant(leader(pc + 1)));
        write_if(holds, kVarNext, constant(leader(i.target)));
        break;
      case Opcode::ifu:
      case Opcode::ifc:
        push_if(holds, kVarIfElse, kIfDepth, constant(leader(i.target)));
        push_if(holds, kVarIfEnd, kIfDepth, constant(leader(end)));
        write_if(builder_.Not1(holds), kVarNext, constant(leader(i.target)));
        break;
      case Opcode::loop: {
        const std::uint32_t uniform = facts_.layout.i(i.uniform & 3);
        push_if(holds, kVarLoopEntry, kLoopDepth, constant(leader(pc + 1)));
        push_if(holds, kVarLoopEnd, kLoopDepth, constant(leader(i.target + 1u)));
        push_if(holds, kVarLoopCount, kLoopDepth, builder_.LoadUniformI32(uniform));
        push_if(holds, kVarLoopStep, kLoopDepth, builder_.LoadUniformI32(uniform + 8));
        push_if(holds, kVarLoopSaved, kLoopDepth, read<I32>(kVarAL));
        write(kVarAL, builder_.LoadUniformI32(uniform + 4));
        break;
      }
      default:
        write_if(holds, kVarNext, constant(leader(i.target)));
        break;  // JMPC, JMPU
    }
    return never;
  }

  // The END check: CALL, IF, LOOP, later ones overriding what earlier ones chose.
  void check_ends(std::uint32_t next, I1 breaks) {
    I32 here = constant(leader(next)), compared = here;
    I1 popping = builder_.constant(true);
    for (unsigned pops = 1; pops <= kCallDepth; ++pops) {
      popping = builder_.And1(popping, builder_.IEq32(read<I32>(kVarCallEnd), compared));
      compared = read<I32>(kVarCallReturn);
      if (pops < kCallDepth)
        write_if(popping, kVarNext, compared);  // the fourth pop leaves the pc: a hardware bug
      pop_if(popping, kVarCallEnd, kCallDepth, true);
      pop_if(popping, kVarCallReturn, kCallDepth, false);
    }
    I1 if_ends = builder_.IEq32(read<I32>(kVarIfElse), here);
    write_if(if_ends, kVarNext, read<I32>(kVarIfEnd));
    pop_if(if_ends, kVarIfElse, kIfDepth, true);
    pop_if(if_ends, kVarIfEnd, kIfDepth, false);

    I1 open = builder_.INe32(read<I32>(kVarLoopEnd), constant(kNowhere));
    I1 left = builder_.And1(breaks, open);
    I1 ends = builder_.AndNot1(builder_.IEq32(read<I32>(kVarLoopEnd), here), left);
    write_if(ends, kVarAL, builder_.IAdd32(read<I32>(kVarAL), read<I32>(kVarLoopStep)));
    I32 count = read<I32>(kVarLoopCount);
    I1 again = builder_.And1(ends, builder_.INe32(count, constant(0)));
    write_if(ends, kVarLoopCount, builder_.IAdd32(count, constant(-1)));
    write_if(again, kVarNext, read<I32>(kVarLoopEntry));
    I1 leaves = builder_.Or1(left, builder_.AndNot1(ends, again));
    write_if(leaves, kVarNext, read<I32>(kVarLoopEnd));
    I32 saved = read<I32>(kVarLoopSaved);
    pop_if(leaves, kVarLoopEnd, kLoopDepth, true);
    for (std::uint32_t stack : {kVarLoopEntry, kVarLoopCount, kVarLoopStep, kVarLoopSaved})
      pop_if(leaves, stack, kLoopDepth, false);
    // A surrounding LOOP gets its aL back.
    I1 around = builder_.INe32(read<I32>(kVarLoopEnd), constant(kNowhere));
    write_if(builder_.And1(leaves, around), kVarAL, saved);
  }

  ReachedCode code_;
  std::vector<std::uint32_t> leaders_;   // addresses, ascending
  std::vector<std::int32_t> leader_of_;  // by address; kNowhere: none
  std::vector<std::uint32_t> call_ends_, if_ends_, loop_ends_;
  std::vector<ir::Block> blocks_;  // by leader
  ir::Block dispatch_;
};

}  // namespace

Result<ir::Function> translate_dynamic(const Program& program, std::uint32_t entry,
                                       const TranslationFacts& facts, const UnitAccess& unit) {
  return DynamicTranslator(program, facts, unit).run(entry);
}

}  // namespace warpjit::pica200
