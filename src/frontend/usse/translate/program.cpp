#include "frontend/usse/translate/program.h"

#include <algorithm>
#include <utility>

namespace warpjit::usse {

using ir::F32;
using ir::I1;
using ir::I32;

namespace {

bool is_difference(const Instruction& i) {
  return i.opcode == Opcode::dsx || i.opcode == Opcode::dsy ||
         (i.group == Group::tst && (i.alu == Alu::dsx || i.alu == Alu::dsy));
}
bool quad_operation(const Instruction& i) {
  return is_difference(i) || ((is_branch(i) || i.opcode == Opcode::ret) && (i.any || i.all));
}

// True if operands move, even in the first turn.
bool steps(const Code& code) {
  return std::ranges::any_of(code.instructions(), [](const Instruction& i) { return i.group == Group::moe; });
}

// Which destinations an instruction writes.
template <class Function>
void each_destination(const Instruction& i, const Function& function) {
  switch (i.group) {
    case Group::flow:
    case Group::moe:
    case Group::depthf:
      return;
    case Group::memory:
      if (i.opcode == Opcode::ld) function(i.d[0]);
      return;
    case Group::tst:
      if (i.opcode == Opcode::tstmsk || i.write_back) function(i.d[0]);
      return;
    default:
      function(i.d[0]);
  }
}

}  // namespace

Effects::Effects(std::span<const Instruction> code) {
  for (std::size_t pc = 0; pc < code.size(); ++pc) {
    const Instruction& i = code[pc];
    loads = loads || i.opcode == Opcode::ld;
    stores = stores || i.opcode == Opcode::st;
    samples = samples || i.opcode == Opcode::smp;
    kills = kills || i.opcode == Opcode::kill;
    sets_depth = sets_depth || i.opcode == Opcode::depthf;
    quads = quads || quad_operation(i);
    loops = loops || (is_branch(i) &&
                      branch_target(i, static_cast<std::uint32_t>(pc)) <= static_cast<std::int64_t>(pc));
  }
}

bool reads_quads(const Program& program) {
  // Which predicate `pn` is depends on the place in the quad. Fragments have theirs in any case.
  const auto sees_others = [&](std::uint64_t word) {
    const Result<Instruction> i = decode(word);
    return i && (quad_operation(*i) || i->opcode == Opcode::smp ||
                 (program.stage == Stage::vertex && i->predicate == Predicate::pn));
  };
  return std::ranges::any_of(program.primary, sees_others);
}

ProgramTranslator::ProgramTranslator(const Program& program, const RegisterFile32& file,
                                     const UniformTable& table, Code primary, Code secondary,
                                     std::span<const ir::SampleKey> samples)
    : InstructionTranslator(program, file, table),
      primary_code_(std::move(primary)),
      secondary_code_(std::move(secondary)),
      effects_(primary_code_.instructions()),
      samples_(samples),
      uses_(texture_uses(program)),
      blocks_(function_, b_, ssa_) {
  written_sa_.assign(file.sa, false);
  mark_written(secondary_code_);
  function_.texture_count = table.samples;
  if (effects_.quads || effects_.stores || effects_.samples)
    function_.lane_order = ir::LaneOrder::lowest_address_first;
  if (effects_.quads || effects_.samples) {
    parted_ = primary_code_.parted_lanes();
    keep_operands();
  }
}

void ProgramTranslator::keep_operands() {
  const bool any_step = steps(primary_code_);
  for (std::size_t pc = 0; pc < parted_.size(); ++pc) {
    if (!parted_[pc]) continue;
    const Instruction& i = primary_code_.instructions()[pc];
    if (is_difference(i))
      for (unsigned k = 1; k < 3; ++k) keep_operand(i.s[k], repeats(i) && (i.repeat != 0 || any_step));
    if (i.opcode == Opcode::smp && takes_level_from_quad(i)) keep_operand(i.s[0], false);
  }
}

void ProgramTranslator::mark_written(const Code& code) {
  const bool any_step = steps(code);
  constexpr std::size_t kWordsOfGather = 4 * 4 + 2;  // four texels and their weights
  for (const Instruction& i : code.instructions()) {
    const std::size_t count =
        i.opcode == Opcode::smp && i.gather != Gather::none ? kWordsOfGather : 4U * (i.repeat + 1U);
    each_destination(i, [&](const Destination& d) {
      const bool is_sa = d.bank == Bank::sa ||
                         (code.secondary() && (d.bank == Bank::r || d.bank == Bank::pa || d.bank == Bank::o));
      if (!is_sa) return;
      const bool all = d.index != 0 || any_step;
      const std::size_t first = all ? 0 : std::min<std::size_t>(d.number, written_sa_.size()),
                        end = all ? written_sa_.size()
                                  : std::min<std::size_t>(d.number + count, written_sa_.size());
      std::fill(written_sa_.begin() + static_cast<std::ptrdiff_t>(first),
                written_sa_.begin() + static_cast<std::ptrdiff_t>(end), true);
    });
  }
}

Status ProgramTranslator::join() {
  const auto add = [&](const Code& code, std::uint32_t end) -> Status {
    // Where lanes see each other, those at one address are together, wherever they have been called from.
    const bool together = !code.secondary() && function_.lane_order != ir::LaneOrder::none;
    WARPJIT_TRY(const ControlFlow flow, together ? code.find_blocks_of_addresses() : code.find_blocks());
    if (together) {
      most_calls_ = flow.most_calls;
      tells_increments_ = std::ranges::any_of(
          flow.blocks, [](const FlowBlock& block) { return block.increments.size() > 1; });
    }
    const auto first = static_cast<std::uint32_t>(code_.size());
    for (FlowBlock block : flow.blocks) {
      for (FlowEdge& edge : block.edges) edge.target = edge.target == kThreadEnds ? end : edge.target + first;
      code_.push_back({block, code.secondary()});
    }
    return {};
  };
  if (!secondary_code_.instructions().empty()) {
    WARPJIT_CHECK(add(secondary_code_, kThreadEnds));
    setup_ = static_cast<std::uint32_t>(code_.size());
    for (Block& block : code_)
      for (FlowEdge& edge : block.code.edges)
        if (edge.target == kThreadEnds) edge.target = setup_;
  }
  FlowBlock setup;
  setup.edges[0].target = setup_ + 1;
  code_.push_back({setup, false});
  return add(primary_code_, kThreadEnds);
}

Result<ir::Function> ProgramTranslator::run() {
  WARPJIT_CHECK(check_textures());
  WARPJIT_CHECK(join());
  flow::Successors successors(code_.size());
  for (std::size_t b = 0; b < code_.size(); ++b)
    for (unsigned k = 0; k < code_[b].code.edge_count; ++k)
      if (const std::uint32_t target = code_[b].code.edges[k].target; target != kThreadEnds)
        successors[b].push_back(target);
  const auto behind = static_cast<std::uint32_t>(program_.primary.size());
  Status status;
  WARPJIT_CHECK(blocks_.run(
      successors, flow::reverse_post_order(successors),
      [&](std::uint32_t number) {
        // After a secondary program, all lanes come to the set-up together; its address is no other block's.
        if (number == setup_)
          return setup_ == 0 ? ir::kNoAddress
                             : behind + static_cast<std::uint32_t>(program_.secondary.size()) + 1;
        // A choice of where to return stands at what it leads to.
        if (code_[number].code.return_to) return ir::kNoAddress;
        return code_[number].code.first + (code_[number].of_secondary ? behind : 0);
      },
      [&] {
        secondary_ = true;
        for (std::uint32_t n = 0; n < file_.sa; ++n)
          if (written_sa_[n]) write(file_.first_sa() + n, b_.LoadUniformI32(table_.sa(n)));
        b_.jump(blocks_[0]);
      },
      [&](std::uint32_t number) {
        if (!status) {
          b_.jump(exit());
          return;
        }
        status = translate_block(number);
      },
      [&] {
        function_.block(exit()).guest_address =
            behind + static_cast<std::uint32_t>(program_.secondary.size());
        end();
      }));
  WARPJIT_CHECK(status);
  return std::move(function_);
}

Status ProgramTranslator::translate_block(std::uint32_t number) {
  const Block& block = code_[number];
  secondary_ = block.of_secondary;
  if (number == setup_) {
    b_.set_guest_address(ir::kNoAddress);
    for (std::uint32_t variable = 0; variable < kVarBanks; ++variable)
      if (variable < kVarPredicate)
        write(variable, word(0));
      else
        write(variable, truth(false));
    for (std::uint32_t variable = kVarBanks; variable < kept_.size(); ++variable)
      if (kept_[variable] != kNotKept)
        b_.StoreSlot(truth(true), variable < file_.first_sa() ? word(0) : read(variable), kept_[variable]);
    begin();
    blocks_.edge_made(setup_ + 1);
    return {};
  }
  const Code& code = block.of_secondary ? secondary_code_ : primary_code_;
  const auto behind = static_cast<std::uint32_t>(block.of_secondary ? program_.primary.size() : 0);
  std::vector<Increments> increments = block.code.increments;
  Status status;
  for (std::uint32_t pc = block.code.first; pc < block.code.end && status; ++pc) {
    const Instruction& i = code.instructions()[pc];
    b_.set_guest_address(pc + behind);
    address_ = pc + behind;
    if (i.group != Group::moe) {
      status = step(i, increments);
      continue;
    }
    for (Increments& one : increments) one.set(i);
    std::ranges::sort(increments);
    increments.erase(std::unique(increments.begin(), increments.end()), increments.end());
    if (tells_increments_ && !secondary_) set_increments(i, increments[0]);
  }
  end_block(block);
  return status;
}

Status ProgramTranslator::step(const Instruction& i, std::span<const Increments> increments) {
  if (is_too_long()) return too_long();
  if (i.opcode == Opcode::kill) return kill(i, predicate(i.predicate));
  if (is_branch(i) || i.opcode == Opcode::ret) return {};
  return instruction(i, increments, address_);
}

Status ProgramTranslator::kill(const Instruction& i, I1) {
  return unsupported(i, "programs of this stage do not have it");
}

// Whether a lane goes where its branch leads: the others of its quad at the branch have a say.
I1 ProgramTranslator::goes(const Instruction& i, I1 own) {
  if (secondary_ || (!i.any && !i.all)) return own;
  const I32 mine = b_.select(own, word(1), word(0));
  I32 result = mine;
  for (const std::uint64_t neighbours : {0xb1U, 0x4eU, 0x1bU}) {
    const I32 other = b_.QuadRead(truth(true), mine, word(i.all ? 1 : 0), neighbours);
    result = i.all ? b_.IAnd32(result, other) : b_.IOr32(result, other);
  }
  return b_.INe32(result, word(0));
}

// Calls in the lanes where `where` holds (none: in all).
void ProgramTranslator::call(I1 where, std::uint32_t return_to) {
  const auto chosen = [&](I32 value, I32 old) {
    return where.valid() ? b_.select(where, value, old) : value;
  };
  for (std::uint32_t k = most_calls_; k-- > 1;)
    write(kVarReturn + k, chosen(read(kVarReturn + k - 1), read(kVarReturn + k)));
  write(kVarReturn, chosen(word(return_to), read(kVarReturn)));
}

void ProgramTranslator::return_from_call(I1 where) {
  write(kVarReturnTo, read(kVarReturn));
  for (std::uint32_t k = 0; k + 1 < most_calls_; ++k) {
    const I32 next = read(kVarReturn + k + 1);
    write(kVarReturn + k, where.valid() ? b_.select(where, next, read(kVarReturn + k)) : next);
  }
}

void ProgramTranslator::end_block(const Block& block) {
  const FlowBlock& code = block.code;
  const auto target = [&](const FlowEdge& edge) {
    return edge.target == kThreadEnds ? blocks_.exit() : blocks_[edge.target];
  };
  const auto made = [&](const FlowEdge& edge) {
    if (edge.target != kThreadEnds) blocks_.edge_made(edge.target);
  };
  const FlowEdge &branch = code.edges[0], &next = code.edges[1];
  const bool one_way = code.edge_count == 1 || target(branch) == target(next);
  I1 goes_there;  // none: all do
  if (code.return_to) {
    goes_there = b_.IEq32(read(kVarReturnTo), word(*code.return_to));
  } else if (code.end > code.first) {
    const Instruction& i =
        (block.of_secondary ? secondary_code_ : primary_code_).instructions()[code.end - 1];
    if (code.edge_count == 2 && (!one_way || most_calls_ != 0)) goes_there = goes(i, predicate(i.predicate));
    if (most_calls_ != 0 && !block.of_secondary) {
      if (is_branch(i) && i.link) call(goes_there, code.end);
      if (i.opcode == Opcode::ret) return_from_call(goes_there);
    }
  }
  if (one_way)
    b_.jump(target(branch), branch.backward || (code.edge_count == 2 && next.backward));
  else
    b_.branch(goes_there, target(branch), target(next), (branch.backward ? 1 : 0) | (next.backward ? 2 : 0));
  made(branch);
  if (code.edge_count == 2) made(next);
}

InstructionTranslator::View ProgramTranslator::view_of_others() {
  if (secondary_) return View::unbegun;
  return !parted_.empty() && parted_[address_] ? View::last : View::own;
}

// ---- Instructions

I1 InstructionTranslator::predicate(Predicate predicate) {
  const auto p = [&](unsigned n) { return flag(kVarPredicate + n); };
  switch (predicate) {
    case Predicate::always:
      return I1();
    case Predicate::p0:
    case Predicate::p1:
    case Predicate::p2:
    case Predicate::p3:
      return p(static_cast<unsigned>(predicate) - static_cast<unsigned>(Predicate::p0));
    case Predicate::not_p0:
    case Predicate::not_p1:
    case Predicate::not_p2:
      return b_.Not1(p(static_cast<unsigned>(predicate) - static_cast<unsigned>(Predicate::not_p0)));
    default:
      break;
  }
  if (secondary_) return p(0);
  const I32 lane = b_.IAnd32(b_.LaneIndex(), word(3));
  I1 result = p(0);
  for (unsigned n = 1; n < 4; ++n) result = b_.select(b_.IEq32(lane, word(n)), p(n), result);
  return result;
}

std::uint32_t InstructionTranslator::number_of_increments(const Increments& increments) {
  std::array<std::int32_t, 8> key;
  std::ranges::copy(increments.swizzled, std::ranges::copy(increments.increment, key.begin()).out);
  if (numbers_.increments.empty()) numbers_.increments[{1, 1, 1, 1}] = 0;  // what lanes begin with
  return numbers_.increments.try_emplace(key, static_cast<std::uint32_t>(numbers_.increments.size()))
      .first->second;
}
std::uint32_t InstructionTranslator::number_of_offsets(const Increments& increments) {
  if (numbers_.offsets.empty()) numbers_.offsets[{}] = 0;
  return numbers_.offsets.try_emplace(increments.offset, static_cast<std::uint32_t>(numbers_.offsets.size()))
      .first->second;
}

void InstructionTranslator::set_increments(const Instruction& i, const Increments& increments) {
  if (i.opcode == Opcode::smlsi)
    write(kVarIncrements, word(number_of_increments(increments)));
  else
    write(kVarOffsets, word(number_of_offsets(increments)));
}

std::vector<InstructionTranslator::Variant> InstructionTranslator::variants(
    const Instruction& i, std::span<const Increments> increments, I1 where) {
  if (increments.size() == 1 || !takes_increments(i)) return {{increments[0], where}};
  std::map<std::vector<std::uint16_t>, std::vector<const Increments*>> alike;
  for (const Increments& one : increments) alike[moved_numbers(i, one)].push_back(&one);
  if (alike.size() == 1) return {{increments[0], where}};
  // Lanes here differ in one of both, or in both.
  const auto differ = [&](const auto& number) {
    return std::ranges::any_of(increments,
                               [&](const Increments& one) { return number(one) != number(increments[0]); });
  };
  const auto of_increments = [&](const Increments& one) { return number_of_increments(one); };
  const auto of_offsets = [&](const Increments& one) { return number_of_offsets(one); };
  const bool by_increments = differ(of_increments), by_offsets = differ(of_offsets);
  const auto has = [&](const Increments& one) {
    I1 both;
    if (by_increments) both = b_.IEq32(read(kVarIncrements), word(number_of_increments(one)));
    if (!by_offsets) return both;
    const I1 offsets = b_.IEq32(read(kVarOffsets), word(number_of_offsets(one)));
    return both.valid() ? b_.And1(both, offsets) : offsets;
  };
  std::vector<Variant> variants;
  for (const auto& [numbers, sets] : alike) {
    I1 any;
    for (const Increments* const one : sets) any = any.valid() ? b_.Or1(any, has(*one)) : has(*one);
    variants.push_back({*sets[0], where.valid() ? b_.And1(where, any) : any});
  }
  return variants;
}

Status InstructionTranslator::instruction(const Instruction& i, std::span<const Increments> increments,
                                          std::uint32_t address) {
  address_ = address;
  const I1 where = predicate(i.predicate);
  if (i.group == Group::memory) {
    WARPJIT_CHECK(i.opcode == Opcode::ld ? load(i, where) : store(i, where));
    commit(where);
    return {};
  }
  const std::vector<Variant> ways = variants(i, increments, where);
  for (unsigned k = 0; k <= i.repeat; ++k) {
    // Lanes write together, after all that any of them reads of the others.
    std::vector<std::vector<Write>> writes;
    for (const Variant& way : ways) {
      if (is_too_long()) return too_long();
      WARPJIT_CHECK(turn(in_turn(i, k, way.increments), k, way.where));
      writes.push_back(std::exchange(writes_, {}));
    }
    for (std::size_t n = 0; n < ways.size(); ++n) {
      writes_ = std::move(writes[n]);
      commit(ways[n].where);
    }
  }
  return {};
}

Status InstructionTranslator::turn(const Instruction& i, unsigned turn, I1 where) {
  switch (i.group) {
    case Group::vmad2:
    case Group::nmad:
    case Group::mad:
    case Group::dp:
    case Group::comp:
      return vector(i, turn);
    case Group::dual:
      dual(i);
      return {};
    case Group::mov:
      move(i);
      return {};
    case Group::pck:
      pack(i);
      return {};
    case Group::tst:
      return test(i);
    case Group::bits:
      bitwise(i);
      return {};
    case Group::sop:
      sum_of_products(i);
      return {};
    case Group::i8mad:
      mad8(i);
      return {};
    case Group::i16mad:
      mad16(i);
      return {};
    case Group::i32mad:
      mad32(i);
      return {};
    case Group::i32mad2:
      mad32_step(i);
      return {};
    case Group::smp:
      return sample(i);
    case Group::limm:
      write_word(i.d[0], 0, word(static_cast<std::uint32_t>(i.value(Immediate::value))));
      return {};
    case Group::depthf: {
      I32 depth = read_word(i.s[0], 0);
      I1 set = truth(true);
      if (where.valid()) {
        depth = b_.select(where, depth, read(kVarDepth));
        set = b_.Or1(where, flag(kVarDepthSet));
      }
      write(kVarDepth, depth);
      write(kVarDepthSet, set);
      return {};
    }
    default:
      return {};
  }
}

}  // namespace warpjit::usse
