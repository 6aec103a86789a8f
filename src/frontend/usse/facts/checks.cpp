#include "frontend/usse/facts/checks.h"

#include <string>

#include "frontend/usse/facts/texels.h"

namespace warpjit::usse {
namespace {

Error refused(const Instruction& i, const std::string& what) {
  return {ErrorCode::unsupported, std::string(name(i.opcode)) + ": " + what, {}};
}

// Why a sample has no texture unit.
std::string no_unit(const Program& program, const Instruction& i) {
  const Source& state = i.s[1];
  const std::string place = std::string(name(state.bank)) + std::to_string(state.number);
  std::uint32_t units = 0;
  for (const DependentSampler& sampler : program.dependent_samplers) units |= 1U << sampler.unit;
  std::string list;
  for (unsigned unit = 0; unit < kTextureUnits; ++unit)
    if ((units >> unit & 1) != 0) list += (list.empty() ? " " : ", ") + std::to_string(unit);
  return "with control words in " + place + ", where the program has those of no unit; " +
         (list.empty() ? "it has none" : "it has those of unit" + list);
}

}  // namespace

Status check_executes(const Instruction& i) {
  for (const Destination& destination : i.d)
    if (destination.bank == Bank::idx && destination.number != 1 && destination.number != 2)
      return refused(i, "there is no index register " + std::to_string(destination.number));
  switch (i.group) {
    case Group::mov:
      if (i.opcode != Opcode::mov && i.s[0].bank == Bank::sa)
        return refused(i, "its test is in sa, where the console read 0; tests of uniforms are vtst's");
      return {};
    case Group::tst:
      if (i.sign_test == SignTest::none && !i.test_both)
        return refused(i, "without a test of the sign, either is not known; both is");
      if (i.sign_test == SignTest::reserved) return refused(i, "this test of the sign is not known");
      if (i.zero_test == ZeroTest::reserved) return refused(i, "this test of zero is not known");
      if (i.opcode == Opcode::tst && i.channel > 5)
        return refused(
            i, "channel " + std::to_string(i.channel) + " is not known; 0 to 5 are (x to w, all, any)");
      if (i.opcode == Opcode::tstmsk && !i.write_back)
        return refused(i, "a mask that is not written is not known");
      if (static_cast<unsigned>(i.alu) >= 16 && i.s[1].negate)
        return refused(i, "negated integers are not known");
      return {};
    case Group::bits:
      if (i.opcode == Opcode::rlp) return refused(i, "what it computes is not known");
      if (i.repeat_select) return refused(i, "what rptsel does is not known");
      return {};
    case Group::sop:
      for (const Factor factor : {i.rgb_factor1, i.rgb_factor2, i.alpha_factor1, i.alpha_factor2})
        if (factor == Factor::special || factor == Factor::code7)
          return refused(i, "this factor is not known");
      if (i.destination_mod) return refused(i, "the modifier of the destination is not known");
      if (i.alpha_source_mod) return refused(i, "the modifier of the alpha source is not known");
      return {};
    case Group::i8mad:
      if (i.rgb_mod0 || i.alpha_mod0 || i.rgb_complement1 || i.rgb_complement2 || i.alpha_complement1 ||
          i.alpha_complement2)
        return refused(i, "its modifiers are not known");
      return {};
    case Group::i16mad:
      if (i.absolute) return refused(i, "abs is not known");
      if (i.or_shift != 0) return refused(i, "or-shifts are not known");
      if (i.format1 == 3 || i.format2 == 3) return refused(i, "format 3 is not known");
      return {};
    case Group::i32mad2:
      if (i.step > 1) return refused(i, "step " + std::to_string(i.step) + " is not known");
      return {};
    case Group::smp:
      if (i.min_pack) return refused(i, "what minpack does is not known");
      if (gathers(i) && i.lod_mode == LodMode::gradients) return refused(i, "it gathers with gradients");
      return {};
    case Group::memory:
      if (i.address_mode != 0) return refused(i, "local and tiled addresses are not supported");
      if (i.increment_mode != 0 || i.decrement)
        return refused(i, "increments of addresses are not supported");
      if (i.range) return refused(i, "checks of a range are not supported");
      return {};
    case Group::flow:
      if (i.exception || i.predicate_wait || i.sync_external || i.monitor)
        return refused(i, "what its flags do is not known");
      if (i.opcode == Opcode::ret && i.link) return refused(i, "a return that is a call is not known");
      return {};
    default:
      return {};
  }
}

Status check_instruction(const Instruction& i, bool last, const Program& program, bool secondary) {
  WARPJIT_CHECK(check_executes(i));
  const bool fragments = program.stage == Stage::fragment && !secondary;
  for (unsigned k = 0; k < i.s.size(); ++k) {
    const Source& source = i.s[k];
    if (source.bank != Bank::g || !reads_source(i, k) || (fragments && source.number == kFaceRegister))
      continue;
    return refused(i, "what g" + std::to_string(source.number) +
                          " holds is not known; fragment programs read which way round their primitive is "
                          "from g16, nothing reads others");
  }
  if (i.opcode == Opcode::kill && !fragments) return refused(i, "only fragment programs discard");
  if (i.opcode == Opcode::depthf && !fragments) return refused(i, "only fragment programs have a depth");
  if (i.opcode == Opcode::emit) {
    if (program.stage != Stage::vertex || secondary) return refused(i, "only vertex programs emit");
    if (!i.end || !last) return refused(i, "it is not the end of the program");
  }
  if (i.opcode == Opcode::smp && !sampled_unit(program, i)) return refused(i, no_unit(program, i));
  return {};
}

// Lanes would write in an order that nothing defines.
Status check_not_shared(const Instruction& i) {
  if (i.opcode == Opcode::tst && !i.write_back) return {};
  for (const Destination& destination : i.d)
    if (destination.bank == Bank::sa)
      return refused(i, "a primary program that writes secondary attributes is not supported");
  return {};
}

}  // namespace warpjit::usse
