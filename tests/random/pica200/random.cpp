#include "random/pica200/random.h"

#include <algorithm>
#include <bit>

#include "base/element_ref.h"
#include "base/random.h"
#include "frontend/pica200/encoding/encoding.h"
#include "random/words.h"

namespace warpjit::pica200 {
namespace {

// Where conversions to the address registers and to 24 bits change what they do.
constexpr std::uint32_t kConversionEdges[] = {0x42fe0000, 0x42fffe00, 0x42ff0000,
                                              0x43000000, 0xc3000000, 0xc3010000};

float random_value(Random& random, const RandomOptions& options) {
  if (options.special_values && random.chance(8))
    return std::bit_cast<float>(random.chance(20) ? random::one_of(random, kConversionEdges)
                                                  : random::one_of(random, random::kFloatEdges));
  if (options.special_values && random.chance(4))
    return std::bit_cast<float>(static_cast<std::uint32_t>(random.next()));
  return random::moderate_float(random);
}

// Entries of the three stacks.
struct Depth {
  unsigned calls = 0, ifs = 0, loops = 0;
};
constexpr Depth kStackSizes{4, 8, 4};

// A procedure or the main program; flow targets are relative to its start, those of calls are procedures.
struct Segment {
  std::vector<Instruction> code;
  Depth needs;              // of the stacks, from its first word on
  std::uint32_t start = 0;  // after layout
};

// Registers that guarded backward jumps keep for themselves: components of r15 count, against c95.
constexpr std::uint16_t kCounter = 0x1F, kLimits = 0x7F;

class Generator {
 public:
  Generator(std::uint64_t seed, const RandomOptions& options) : random_(seed), options_(options) {
    for (int k = 0; k < kOpcodeCount; ++k) {
      const auto opcode = static_cast<Opcode>(k);
      const OpcodeInfo& info = pica200::info(opcode);
      if (info.reads[0] == 0 || (opcode == Opcode::mova && !options.relative)) continue;
      const bool transcendental =
          opcode == Opcode::ex2 || opcode == Opcode::lg2 || opcode == Opcode::rcp || opcode == Opcode::rsq;
      if (transcendental && !options.transcendental) continue;
      arithmetic_.push_back(opcode);
    }
    for (std::size_t k = 0; k < kMaxDescriptors; ++k) {
      auto word = static_cast<std::uint32_t>(random_.next());
      // A third without swizzles and negation, so that values survive.
      if (random_.chance(35)) word = (word & 15) | (kPlainDescriptor & ~15U);
      descriptors_.push_back(word);
    }
    for (unsigned lane = 0; lane < 4; ++lane) descriptors_[lane] = (kPlainDescriptor & ~15U) | 8U >> lane;
    if (options.geometry) descriptors_[kWholeMove] = kPlainDescriptor;
  }

  Program program() {
    if (options_.geometry) choose_geometry();
    const unsigned procedures = options_.flow ? random_.below(4) : 0;
    for (unsigned k = 0; k < procedures; ++k) {
      Segment segment;
      segment_ = &segment;
      segment.needs = block({}, 2 + random_.below(size_ / 4 + 1), false);
      pad(0);
      jumps();
      callable_.push_back(std::move(segment));
    }
    Segment main;
    segment_ = &main;
    if (independent_) prelude();
    block({}, size_, false);
    emit(Opcode::end);
    jumps();
    return link(std::move(main));
  }

 private:
  static constexpr std::uint32_t kPlainDescriptor = 0x0D86C36F;
  static constexpr std::uint16_t kWholeMove = 8;  // the descriptor of moves that geometry programs need

  std::uint32_t here() const { return static_cast<std::uint32_t>(segment_->code.size()); }

  using Emitted = ElementRef<Instruction>;
  Emitted emit(Opcode opcode) {
    Instruction instruction;
    instruction.opcode = opcode;
    if (random_.chance(5))
      instruction.unused = static_cast<std::uint32_t>(random_.next()) & unused_bits(instruction.opcode);
    needs_padding_ = false;
    return append(segment_->code, instruction);
  }

  // As the assembler, unless scopes may share their ends: no scope ends empty, after flow that would be lost,
  // or where another one ends.
  void pad(std::uint32_t block_start) {
    const bool empty = here() == block_start;
    if (empty || (needs_padding_ && !(options_.shared_ends && random_.chance(60)))) emit(Opcode::nop);
    needs_padding_ = true;
  }

  std::uint16_t source(bool wide) {
    if (wide && random_.chance(45)) return static_cast<std::uint16_t>(0x20 + random_.below(96));
    if (random_.chance(30)) return static_cast<std::uint16_t>(random_.below(8));
    if (random_.chance(5)) return static_cast<std::uint16_t>(random_.below(16));
    if (options_.reuses && random_.chance(15)) return kept_register();
    return static_cast<std::uint16_t>(0x10 + random_.below(8));
  }

  void arithmetic() {
    const Emitted i = emit(arithmetic_[random_.below(static_cast<unsigned>(arithmetic_.size()))]);
    const Format format = i->info().format;
    const bool multiply_add = format == Format::multiply_add || format == Format::multiply_add_inverted;
    i->descriptor = static_cast<std::uint16_t>(random_.below(multiply_add ? 32 : kMaxDescriptors));
    const int wide = wide_source(format);
    i->src1 = source(wide == 1);
    if (i->source_count() > 1) i->src2 = source(wide == 2);
    if (i->source_count() > 2) i->src3 = source(wide == 3);
    if (options_.relative && random_.chance(40))
      i->idx = static_cast<std::uint16_t>(random_.below(independent_ ? 3 : 4));  // aL is there before a LOOP
    i->dst = static_cast<std::uint16_t>(random_.chance(30) ? random_.below(16) : 0x10 + random_.below(8));
    i->cmp_x = static_cast<std::uint16_t>(random_.below(8));
    i->cmp_y = static_cast<std::uint16_t>(random_.below(8));
  }

  void choose_geometry() {
    independent_ = random_.chance(50) || options_.reuses;
    for (unsigned count = 1 + random_.below(3); count > 0; --count)
      enabled_ = static_cast<std::uint16_t>(enabled_ | 1U << random_.below(16));
  }

  Emitted move(std::uint16_t to, std::uint16_t from) {
    const Emitted i = emit(Opcode::mov);
    i->descriptor = kWholeMove;
    i->dst = to;
    i->src1 = from;
    return i;
  }

  // r8 to r11: nothing but keep_registers() writes them.
  std::uint16_t kept_register() { return static_cast<std::uint16_t>(0x18 + random_.below(4)); }

  // ifu b15, then nothing, else some registers and outputs.
  void keep_registers() {
    emit(Opcode::ifu)->uniform = 15;
    const std::uint32_t at = here() - 1;
    emit(Opcode::nop);
    const std::uint32_t otherwise = here();
    for (unsigned count = 1 + random_.below(5); count > 0; --count)
      move(random_.chance(70) ? kept_register() : static_cast<std::uint16_t>(random_.below(16)),
           static_cast<std::uint16_t>(random_.below(8)));
    set_extent(at, otherwise, here() - otherwise);
    needs_padding_ = true;
  }

  // True if something is left out that would otherwise hide what earlier invocations left.
  bool leaves_out(unsigned percent) { return options_.reuses && random_.chance(percent); }

  // Writes everything that could otherwise be read from an earlier invocation.
  void prelude() {
    if (leaves_out(50)) {
      keep_registers();
      emit(Opcode::nop);
    }
    const bool all = !leaves_out(30);
    for (std::uint16_t reg = 0x10; reg < 0x20; ++reg)
      if ((reg < 0x18 && (all || !leaves_out(15))) || reg == kCounter)
        move(reg, static_cast<std::uint16_t>(random_.below(8)));
    move(0, 0)->opcode = Opcode::mova;
    const Emitted compare = emit(Opcode::cmp);
    compare->descriptor = kWholeMove;
    compare->src1 = 0;
    compare->src2 = 0x10;
    for (std::uint16_t vertex = 0; vertex < 3; ++vertex)
      if (!leaves_out(10)) emission(vertex, vertex == 2);
  }

  // SETEMIT and EMIT, or one of them.
  void emission() { emission(static_cast<std::uint16_t>(random_.below(random_.chance(5) ? 4 : 3))); }
  // `complete`: a triangle may be submitted.
  void emission(std::uint16_t vertex, bool complete = true) {
    if (independent_)  // whole outputs: the other bank must not show
      for (std::uint16_t reg = 0; reg < 16; ++reg)
        if ((enabled_ >> reg & 1) != 0 && !leaves_out(35))
          move(reg, static_cast<std::uint16_t>(0x10 + random_.below(8)));
    if (independent_ || !random_.chance(20)) {
      const Emitted set = emit(Opcode::setemit);
      set->vertex = vertex;
      set->primitive = complete && random_.chance(50) ? 1 : 0;
      set->winding = static_cast<std::uint16_t>(random_.below(2));
    }
    if (independent_ || !random_.chance(10)) emit(Opcode::emit);
  }

  void condition(Emitted i) {
    i->condition = static_cast<std::uint16_t>(random_.below(4));
    i->ref_x = static_cast<std::uint16_t>(random_.below(2));
    i->ref_y = static_cast<std::uint16_t>(random_.below(2));
  }

  // A random condition on the flags or on a bool uniform, by the instruction's format.
  void decide(Emitted i) {
    if (i->info().format == Format::condition_flow) condition(i);
    if (i->info().format == Format::bool_flow)
      i->uniform = static_cast<std::uint16_t>(random_.below(independent_ ? 15 : 16));
  }

  static void raise(Depth& needs, const Depth& inner) {
    needs.calls = std::max(needs.calls, inner.calls);
    needs.ifs = std::max(needs.ifs, inner.ifs);
    needs.loops = std::max(needs.loops, inner.loops);
  }

  // About `budget` instructions, `open` being what is on the stacks. Gives what it needs besides.
  Depth block(Depth open, unsigned budget, bool in_loop) {
    Depth needs;
    while (budget > 0) {
      const unsigned choice = options_.flow ? random_.below(100) : 100;
      unsigned spent = 1;
      if (options_.geometry && random_.chance(8)) {
        emission();
      } else if (choice < 7) {
        raise(needs, conditional(open, spent = budget / 3, in_loop));
      } else if (choice < 11) {
        raise(needs, loop(open, spent = budget / 3));
      } else if (choice < 16) {
        raise(needs, call(open));
      } else if (choice < 19 && in_loop) {
        decide(emit(random_.chance(25) ? Opcode::break_ : Opcode::breakc));
        needs_padding_ = true;
      } else if (choice < 20 && random_.chance(25)) {
        emit(Opcode::end);
      } else if (choice < 25 && options_.jumps) {
        const Emitted jump = emit(random_.chance(70) ? Opcode::jmpc : Opcode::jmpu);
        decide(jump);
        jump->num = static_cast<std::uint16_t>(random_.below(2));
        open_jumps_.push_back(here() - 1);
        needs_padding_ = true;
      } else if (choice < 27 && options_.jumps && counters_ < 4 && budget > 4) {
        raise(needs, repeat(open, spent = budget / 3));
      } else {
        arithmetic();
      }
      budget -= std::min(budget, std::max(spent, 1U));
    }
    return needs;
  }

  Depth conditional(Depth open, unsigned budget, bool in_loop) {
    if (open.ifs == kStackSizes.ifs) return {};
    ++open.ifs;
    decide(emit(random_.chance(60) ? Opcode::ifc : Opcode::ifu));
    const std::uint32_t at = here() - 1;
    Depth needs = block(open, random_.below(budget + 1), in_loop);
    pad(at + 1);
    const std::uint32_t otherwise = here();
    if (random_.chance(50)) {
      raise(needs, block(open, random_.below(budget + 1), in_loop));
      pad(otherwise);
    }
    set_extent(at, otherwise, here() - otherwise);
    ++needs.ifs;
    return needs;
  }

  Depth loop(Depth open, unsigned budget) {
    if (open.loops == kStackSizes.loops) return {};
    ++open.loops;
    emit(Opcode::loop)->uniform = static_cast<std::uint16_t>(random_.below(4));
    const std::uint32_t at = here() - 1;
    Depth needs = block(open, random_.below(budget + 1), true);
    pad(at + 1);
    set_extent(at, here() - 1, 0);
    ++needs.loops;
    return needs;
  }

  Depth call(const Depth& open) {
    if (callable_.empty()) return {};
    const unsigned callee = random_.below(static_cast<unsigned>(callable_.size()));
    const Depth& inner = callable_[callee].needs;
    if (open.calls + inner.calls + 1 > kStackSizes.calls || open.ifs + inner.ifs > kStackSizes.ifs ||
        open.loops + inner.loops > kStackSizes.loops)
      return {};
    constexpr Opcode kCalls[] = {Opcode::call, Opcode::callc, Opcode::callu};
    const Emitted instruction = emit(kCalls[random_.below(3)]);
    decide(instruction);
    instruction->target = static_cast<std::uint16_t>(callee);
    needs_padding_ = true;
    return {inner.calls + 1, inner.ifs, inner.loops};
  }

  // counter = 0; do { block; counter += 1 } while (counter < limit), with one component of r15 per site.
  Depth repeat(const Depth& open, unsigned budget) {
    const unsigned lane = counters_++;
    const auto set = [&](Opcode opcode, std::uint16_t src1, std::uint16_t src2) {
      const Emitted i = emit(opcode);
      i->descriptor = static_cast<std::uint16_t>(lane);
      i->dst = kCounter;
      i->src1 = src1;
      i->src2 = src2;
    };
    set(Opcode::mov, kLimits - 1, 0);  // c94 = 0
    const std::uint32_t start = here();
    const Depth needs = block(open, random_.below(budget + 1), false);
    set(Opcode::add, kLimits - 2, kCounter);  // c93 = 1
    const Emitted compare = emit(Opcode::cmp);
    // Descriptor 4 + lane shows that component of the counter as x.
    compare->descriptor = static_cast<std::uint16_t>(4 + lane);
    descriptors_[compare->descriptor] = encode_descriptor(
        {0, {}, {static_cast<std::uint8_t>(lane * 0x55), static_cast<std::uint8_t>(lane * 0x55), 0}, 0});
    compare->src1 = kLimits;
    compare->src2 = kCounter;
    compare->cmp_x = 4;  // c95 > counter
    compare->cmp_y = 0;
    const Emitted jump = emit(Opcode::jmpc);
    jump->condition = 2;
    jump->ref_x = 1;
    jump->target = static_cast<std::uint16_t>(start);
    needs_padding_ = true;
    return needs;
  }

  void set_extent(std::uint32_t at, std::uint32_t target, std::uint32_t length) {
    segment_->code[at].target = static_cast<std::uint16_t>(target);
    segment_->code[at].num = static_cast<std::uint16_t>(length);
  }

  // Forward jumps go anywhere in the segment: on, out of blocks, into blocks. Most stay near.
  void jumps() {
    if (!open_jumps_.empty() && open_jumps_.back() + 1 == here()) emit(Opcode::nop);
    for (const std::uint32_t at : open_jumps_) {
      const std::uint32_t rest = here() - at - 1;  // at least 1: a segment ends in NOP or END
      const std::uint32_t reach = random_.chance(70) ? std::min(rest, 6U) : rest;
      segment_->code[at].target = static_cast<std::uint16_t>(at + 1 + random_.below(reach));
    }
    open_jumps_.clear();
  }

  Program link(Segment main) {
    std::vector<Segment*> order;
    for (Segment& segment : callable_) order.push_back(&segment);
    if (options_.at_limit)
      order.push_back(&main);
    else
      order.insert(order.begin() + random_.below(static_cast<unsigned>(order.size() + 1)), &main);
    std::size_t words = 0;
    for (const Segment* segment : order) words += segment->code.size();
    Program result;
    if (options_.at_limit)
      for (; words < kMaxCodeWords; ++words)
        result.code.push_back(static_cast<std::uint32_t>(random_.next()));
    auto address = static_cast<std::uint32_t>(result.code.size());
    for (Segment* segment : order) {
      segment->start = address;
      address += static_cast<std::uint32_t>(segment->code.size());
    }
    for (const Segment* segment : order)
      for (Instruction i : segment->code) {
        if (i.opcode == Opcode::call || i.opcode == Opcode::callc || i.opcode == Opcode::callu) {
          const Segment& callee = callable_[i.target];
          i.target = static_cast<std::uint16_t>(callee.start);
          i.num = static_cast<std::uint16_t>(callee.code.size());
        } else if ((i.info().traits & kTarget) != 0) {
          i.target = static_cast<std::uint16_t>(i.target + segment->start);
        }
        result.code.push_back(encode(i));
      }
    if (options_.at_limit) result.code.back() = static_cast<std::uint32_t>(random_.next());  // not END
    result.entry = main.start;
    result.main_end = main.start + static_cast<std::uint32_t>(main.code.size());
    result.descriptors = descriptors_;
    result.output_mask = options_.geometry ? enabled_ : 0xFFFF;
    if (options_.geometry) result.stage = Stage::geometry;
    result.input_mask = 0xFFFF;
    result.source_name = "random program";
    return result;
  }

  Random random_;
  const RandomOptions& options_;
  std::vector<Opcode> arithmetic_;
  std::vector<std::uint32_t> descriptors_;
  std::vector<Segment> callable_;
  Segment* segment_ = nullptr;
  std::vector<std::uint32_t> open_jumps_;
  unsigned size_ = std::min(options_.size, 500U);  // lengths in the encoding have 8 bits
  unsigned counters_ = 0;
  bool needs_padding_ = false;
  bool independent_ = false;  // geometry: invocations do not read what others left
  std::uint16_t enabled_ = 0;
};

void random_data(Random& random, const RandomOptions& options, RandomProgram& out) {
  for (auto& reg : out.uniforms.c)
    for (float& value : reg) value = random_value(random, options);
  for (unsigned lane = 0; lane < 4; ++lane) {  // what guarded jumps count with
    out.uniforms.c[93][lane] = 1;
    out.uniforms.c[94][lane] = 0;
    out.uniforms.c[95][lane] = static_cast<float>(1 + random.below(3));
  }
  for (auto& reg : out.uniforms.i) {
    for (std::uint8_t& value : reg) value = static_cast<std::uint8_t>(random.next());
    reg[0] = static_cast<std::uint8_t>(random.below(4));
    if (random.chance(70)) reg[2] = static_cast<std::uint8_t>(random.below(4));
  }
  out.uniforms.b = static_cast<std::uint16_t>(random.next());
  out.threads.resize(options.threads);
  for (ThreadState& thread : out.threads)
    for (auto& reg : thread.v)
      for (float& value : reg) value = random_value(random, options);
}

bool terminates(RandomProgram& candidate) {
  const auto interpreter = Interpreter::prepare(candidate.program, candidate.program.entry);
  if (!interpreter) return false;
  if (candidate.program.stage == Stage::geometry) {
    Uniforms uniforms = candidate.uniforms;
    InterpretedUnit unit;
    unit.enabled = candidate.program.output_mask;
    for (const ThreadState& thread : candidate.threads) {
      std::copy_n(&thread.v[0][0], 64, &unit.registers.v[0][0]);
      unit.triangles = {};
      if (!interpreter->run(uniforms, unit, kRandomFuel)) return false;
      candidate.most_triangles = std::max(candidate.most_triangles, unit.triangles.count);
    }
    return candidate.most_triangles <= Triangles::kMost;
  }
  for (ThreadState thread : candidate.threads)
    if (!interpreter->run(candidate.uniforms, thread, kRandomFuel)) return false;
  return true;
}

}  // namespace

RandomProgram random_program(std::uint64_t seed, const RandomOptions& options) {
  RandomOptions wanted = options;
  // Few candidates run out of fuel; hardly any does without jumps, and none can without flow.
  for (std::uint64_t attempt = 0;; ++attempt) {
    if (attempt == 8) wanted.jumps = false;
    if (attempt == 16) wanted.flow = false;
    Random random(seed * 0x2545f4914f6cdd1d + attempt);
    RandomProgram result;
    result.program = Generator(random.next(), wanted).program();
    result.program.f24 = options.f24;
    result.program.structural_scopes = options.structural;
    random_data(random, wanted, result);
    if (terminates(result)) return result;
  }
}

std::uint32_t random_word(std::uint64_t seed, Opcode opcode) {
  return patterns()[static_cast<std::size_t>(opcode)].word_with(
      static_cast<std::uint32_t>(Random(seed).next()));
}

}  // namespace warpjit::pica200
