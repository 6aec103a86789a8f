// The generator of random.h: straight code and control flow of all programs, and what compute kernels
// have of their own. fragment.cpp has what fragment programs have.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.h"
#include "frontend/assembly/lines.h"
#include "frontend/tesla/assembly/instruction.h"
#include "frontend/tesla/encoding/encoding.h"
#include "random/tesla/random.h"
#include "random/words.h"

namespace warpjit::tesla {

class RandomGenerator {
 public:
  RandomGenerator(std::uint64_t seed, const RandomOptions& options) : random_(seed), options_(options) {}

  RandomFragment run_fragment();
  RandomVertex run_vertex(std::uint32_t slots, bool before_geometry);
  RandomGeometry run_geometry(std::uint32_t vertices, std::uint32_t words, std::uint32_t slots);
  RandomKernel run();

 private:
  // Registers with a purpose; random instructions write $r0 to $r31, $a2, $a3 and all flags.
  static constexpr unsigned kGeneral = 32;
  static constexpr unsigned kCounter = 40;  // of loops: 3 levels, then one for each function
  static constexpr unsigned kThread = 50;   // in the block
  static constexpr unsigned kOutput = 51;   // address of the thread's words of g1
  static constexpr unsigned kScratch = 52;
  static constexpr unsigned kWarp = 53;          // that differs from the others
  static constexpr std::uint32_t kSlots = 0x80;  // s[]: a word for each thread from here
  static constexpr unsigned kDataWords = 64;     // of c0; the tables follow

  using Label = std::size_t;
  struct Fixup {
    std::size_t word;
    Instruction instruction;
    Label label;
  };

  // The program's own body and its functions, which call only later ones.
  void bodies() {
    body(0, 0);
    switch (type_) {
      case ProgramType::fragment:
        fragment_epilogue();
        break;
      case ProgramType::geometry:
        geometry_epilogue();
        break;
      case ProgramType::vertex:
        vertex_epilogue();
        break;
      case ProgramType::compute:
        epilogue();
        break;
    }
    for (current_function_ = 1; current_function_ <= functions_.size(); ++current_function_) {
      define(functions_[current_function_ - 1]);
      budget_ = std::max(budget_, 6);
      body(0, 2);
      line("ret");
    }
  }

  void name_program(Program& program) {
    program.name = program.source_name = "random";
    program.code = std::move(code_);
    program.registers = 64;
  }

  // Words that are often edge values of integers or floats.
  std::uint32_t data() {
    if (random_.one_in(6)) return random::one_of(random_, random::kIntegerEdges);
    if (random_.one_in(5)) return random::one_of(random_, random::kFloatEdges);
    if (random_.one_in(2)) return 0x3c000000 + (static_cast<std::uint32_t>(random_.next()) & 0x87ffffff);
    return static_cast<std::uint32_t>(random_.next() >> 20);
  }

  // --- Code ------------------------------------------------------------------------------------------------

  void put(std::uint64_t word) {
    code_.push_back(static_cast<std::uint32_t>(word));
    code_.push_back(static_cast<std::uint32_t>(word >> 32));
  }
  // One long instruction of assembly, which is known to be right.
  void line(const std::string& text) {
    const auto parsed = parse_instruction(type_, assembly::split_line(text, tesla::kLanguage));
    put(*encode(type_, parsed.value().instruction));
  }
  Label new_label() {
    labels_.push_back(0);
    return labels_.size() - 1;
  }
  void define(Label label) { labels_[label] = static_cast<std::uint32_t>(4 * code_.size()); }
  // "bra", "joinat", ...; a predicate before it is allowed.
  void jump(const std::string& text, Label label) {
    const auto parsed = parse_instruction(type_, assembly::split_line(text + " 0x0", tesla::kLanguage));
    fixups_.push_back({code_.size(), parsed.value().instruction, label});
    put(0);
  }
  void patch() {
    for (Fixup& fixup : fixups_) {
      fixup.instruction.target = labels_[fixup.label];
      const std::uint64_t word = *encode(type_, fixup.instruction);
      code_[fixup.word] = static_cast<std::uint32_t>(word);
      code_[fixup.word + 1] = static_cast<std::uint32_t>(word >> 32);
    }
  }
  static std::string reg(unsigned index) { return "$r" + std::to_string(index); }
  std::string any_reg() { return reg(random_.below(kGeneral)); }
  std::string predicate() {
    constexpr const char* kConditions[] = {"l",  "e",  "le",  "g",  "lg",  "ge",  "lge", "u",
                                           "lu", "eu", "leu", "gu", "lgu", "geu", "o",   "c",
                                           "a",  "s",  "ns",  "na", "nc",  "no"};
    // One draw after the other: compilers choose the order of what one expression draws.
    const char* condition = kConditions[random_.below(std::size(kConditions))];
    const std::string flags = std::to_string(random_.below(4));
    return std::string("(") + condition + " $c" + flags + ") ";
  }

  // An address that lanes may not agree on, in $a3: "$a3+", for an operand.
  std::string random_address() {
    constexpr const char* kMasks[] = {"0x1c", "0x3c", "0x3f", "0x7c"};
    const std::string scratch = reg(kScratch), from = any_reg();
    line("and b32 " + scratch + " " + from + " " + kMasks[random_.below(std::size(kMasks))]);
    line("shl $a3 " + scratch + " 0x0");
    return "$a3+";
  }

  // What reads other lanes or memory that others may write is allowed here.
  bool may_touch(unsigned depth) const {
    return !options_.together || (depth == 0 && current_function_ == 0);
  }

  // A comparison of the thread's number with a constant, which mostly is one of the threads' numbers.
  std::string thread_predicate() {
    constexpr const char* kConditions[] = {"l", "le", "g", "ge", "e", "lg"};
    constexpr std::uint32_t kNumbers[] = {0, 1, 15, 16, 31, 32, 63, 64, 100, 127, 128, 255, 256, 0x7fffffff};
    const std::string scratch = reg(kScratch);
    if (type_ == ProgramType::compute && random_.one_in(3)) {
      line("mov b32 " + scratch + " u16 s[0xc]");
      line("shl b32 " + scratch + " " + scratch + " 0x5");
    } else {
      const std::uint32_t n = random_.one_in(4) ? data() : kNumbers[random_.below(std::size(kNumbers))];
      line("mov b32 " + scratch + " " + std::to_string(n));
    }
    const char* condition = kConditions[random_.below(std::size(kConditions))];
    const char* type = random_.one_in(4) ? " s32 " : " u32 ";
    const std::string flags = "$c" + std::to_string(random_.below(3));
    line("set " + flags + " # " + condition + type + reg(kThread) + " " + scratch);
    return (random_.one_in(2) ? "(lg " : "(e ") + flags + ") ";
  }

  // --- Frame -----------------------------------------------------------------------------------------------

  void prologue(const RandomKernel& kernel) {
    const std::string thread = reg(kThread), output = reg(kOutput), scratch = reg(kScratch);
    const auto number = [](std::uint32_t value) { return std::to_string(value); };
    const std::uint32_t x = kernel.block[0], y = kernel.block[1], threads = x * y * kernel.block[2];
    // thread = x + (y + z * ny) * nx; factors and sums are below 2^16.
    line("shr u32 " + scratch + " $r0 0x1a");
    line("mov b32 " + output + " " + number(y));
    line("mul " + scratch + " u24 " + scratch + " " + output);
    line("shr u32 " + thread + " $r0 0x10");
    line("and b32 " + thread + " " + thread + " 0x3ff");
    line("add b32 " + scratch + " " + scratch + " " + thread);
    line("mov b32 " + output + " " + number(x));
    line("mul " + scratch + " u24 " + scratch + " " + output);
    line("and b32 " + thread + " $r0 0xffff");
    line("add b32 " + thread + " " + thread + " " + scratch);
    // output = 128 * (thread + threads * block)
    line("mov b32 " + scratch + " u16 s[0xe]");
    line("mov b32 " + output + " " + number(kernel.grid[0]));
    line("mul " + scratch + " u24 " + scratch + " " + output);
    line("mov b32 " + output + " u16 s[0xc]");
    line("add b32 " + scratch + " " + scratch + " " + output);
    line("mov b32 " + output + " " + number(threads));
    line("mul " + scratch + " u24 " + scratch + " " + output);
    line("add b32 " + output + " " + scratch + " " + thread);
    line("shl b32 " + output + " " + output + " 0x7");
    line("shl b32 " + scratch + " " + thread + " 0x2");
    line("shl $a1 " + scratch + " 0x0");
    // Values: of the thread, of g0.
    for (unsigned k = 1; k < kGeneral; ++k) {
      if (random_.one_in(4)) {
        line("mov b32 " + reg(k) + " " + std::to_string(data()));
        continue;
      }
      line("mov b32 " + scratch + " " + std::to_string(random_.below(256)));
      line("add b32 " + scratch + " " + scratch + " " + thread);
      line("and b32 " + scratch + " " + scratch + " 0xff");
      line("shl b32 " + scratch + " " + scratch + " 0x2");
      line("ld b32 " + reg(k) + " g0[" + scratch + "]");
    }
    if (options_.lanes_meet) line("st b32 s[$a1+" + std::to_string(kSlots) + "] $r1");
  }

  void epilogue() {
    const std::string scratch = reg(kScratch);
    for (unsigned k = 0; k < 28; k += 4) {
      line("add b32 " + scratch + " " + reg(kOutput) + " " + std::to_string(4 * k));
      line("st b128 g1[" + scratch + "] $r" + std::to_string(k) + "q");
    }
    for (unsigned k = 0; k < 4; ++k) line("mov $r" + std::to_string(k) + " $c" + std::to_string(k));
    line("add b32 " + scratch + " " + reg(kOutput) + " 112");
    line("exit st b128 g1[" + scratch + "] $r0q");
  }

  // --- Bodies ----------------------------------------------------------------------------------------------

  // `loops`: how many enclose it, callers included.
  void body(unsigned depth, unsigned loops) {
    const unsigned count = 2 + random_.below(8);
    for (unsigned k = 0; k < count && budget_ > 0; ++k) {
      --budget_;
      if (!options_.flow || depth >= 5 || !random_.one_in(5)) {
        statement(depth);
        continue;
      }
      if (has_tables_ && random_.one_in(3)) {
        branch_table(depth, loops);
        continue;
      }
      switch (random_.below(6)) {
        case 0:
        case 1:
          conditional(depth, loops);
          break;
        case 2:
        case 3:
          if (loops < 3) loop(depth, loops);
          break;
        case 4:
          if (loops < (current_function_ == 0 ? 2U : 3U)) call();
          break;
        default:
          early_exit();
          break;
      }
    }
    if (depth == 0 && budget_ > 0 && current_function_ == 0) body(0, loops);
  }

  void conditional(unsigned depth, unsigned loops) {
    const bool joined = reconverges_ || !random_.one_in(3);
    const Label end = new_label(), other = new_label();
    if (joined) jump("joinat", end);
    const bool has_else = random_.one_in(2);
    jump((random_.one_in(3) ? thread_predicate() : predicate()) + "bra", has_else ? other : end);
    body(depth + 1, loops);
    if (has_else) {
      jump("bra", end);
      define(other);
      body(depth + 1, loops);
    }
    define(end);
    if (joined) line("join nop");
  }

  // To one of a few places, which may go on into the next one.
  void branch_table(unsigned depth, unsigned loops) {
    const std::string scratch = reg(kScratch);
    const bool joined = reconverges_ || !random_.one_in(3);
    const Label end = new_label();
    if (joined) jump("joinat", end);
    std::vector<Label> places(1 + random_.below(4));
    for (Label& place : places) place = new_label();
    const unsigned entries = 1U << random_.below(3);
    line("mov b32 " + scratch + " " + std::to_string(entries - 1));
    line("and b32 " + scratch + " " + scratch + " " + any_reg());
    line("shl $a4 " + scratch + " 0x2");
    line("bra c0[$a4+" + std::to_string(4 * (kDataWords + tables_.size())) + "]");
    for (unsigned k = 0; k < entries; ++k)
      tables_.push_back(places[random_.below(static_cast<unsigned>(places.size()))]);
    for (const Label place : places) {
      define(place);
      body(depth + 1, loops);
      if (random_.one_in(2)) jump("bra", end);
    }
    define(end);
    if (joined) line("join nop");
  }

  void loop(unsigned depth, unsigned loops) {
    // Functions have one level of loops and a counter each.
    const std::string scratch = reg(kScratch);
    const std::string counter =
        reg(kCounter + (current_function_ == 0 ? loops : 2 + static_cast<unsigned>(current_function_)));
    line("and b32 " + counter + " " + any_reg() + " 0x3");
    line("mov b32 " + scratch + " 1");
    line("add b32 " + counter + " " + counter + " " + scratch);
    const Label start = new_label(), end = new_label();
    const bool breaks = random_.one_in(2), joined = reconverges_ || random_.one_in(2);
    if (breaks)
      jump("breakaddr", end);
    else if (joined)
      jump("joinat", end);
    define(start);
    body(depth + 1, loops + 1);
    if (breaks && random_.one_in(2)) line(predicate() + "break");
    line("mov b32 " + scratch + " 1");
    line("sub b32 $c3 " + counter + " " + counter + " " + scratch);
    if (breaks) {
      line("(e $c3) break");
      jump("bra", start);
      define(end);
    } else {
      jump("(lg $c3) bra", start);
      define(end);
      if (joined) line("join nop");
    }
  }

  void call() {
    // A function may be called from several places, but only from earlier code.
    if (functions_.size() > current_function_ && random_.one_in(2)) {
      jump("call", functions_[current_function_ +
                              random_.below(static_cast<unsigned>(functions_.size() - current_function_))]);
      return;
    }
    if (functions_.size() >= 3) return;
    functions_.push_back(new_label());
    jump("call", functions_.back());
  }

  void early_exit() {
    if (has_forms_) return arithmetic();  // counts are of all warps
    if (options_.together)
      return type_ == ProgramType::fragment ? line(predicate() + "discard") : arithmetic();
    const Label over = new_label();
    const bool joined = reconverges_ || random_.one_in(2);
    if (joined) jump("joinat", over);
    jump(predicate() + "bra", over);
    if (type_ == ProgramType::compute) line("st b32 g1[" + reg(kOutput) + "] " + any_reg());
    line("exit nop");
    define(over);
    if (joined) line("join nop");
  }

  // All warps meet.
  void meet() {
    const auto barrier = [](const char* form, unsigned number, const std::string& count) {
      return std::string("bar ") + form + std::to_string(number) + " " + count;
    };
    if (!has_forms_) return line(barrier("inc wait ", 0, "all"));
    constexpr unsigned kAgain = 4;  // barriers that are used again
    const unsigned form = random_.below(4), number = random_.below(kAgain);
    const std::string threads = std::to_string(32 * warps_ - random_.below(32));
    const std::string count = random_.one_in(2) ? "all" : threads;
    if (form == 3 && next_barrier_ + kAgain < 16) {
      // One waits until the others have been here.
      const unsigned once = kAgain + next_barrier_++;
      const Label waits = new_label(), end = new_label();
      line("mov b32 " + reg(kWarp) + " " + std::to_string(random_.below(warps_)));
      line("shr u32 " + reg(kScratch) + " " + reg(kThread) + " 0x5");
      line("set $c3 # e u32 " + reg(kScratch) + " " + reg(kWarp));
      jump("joinat", end);
      jump("(lg $c3) bra", waits);
      line(barrier("inc ", once, count));
      jump("bra", end);
      define(waits);
      line(barrier("inc wait ", once, count));
      define(end);
      line("join nop");
    }
    if (form != 2) return line(barrier("inc wait ", number, count));
    line(barrier("inc ", number, count));
    for (unsigned k = random_.below(3); k > 0; --k) arithmetic();
    line(barrier("wait ", number, "all"));
  }

  void wild_barrier() {
    const unsigned form = random_.below(8), number = random_.below(3), count = 32 * random_.below(warps_ + 2);
    line(std::string("bar ") + (form != 7 ? "inc " : "") + (form < 3 || form == 7 ? "wait " : "") +
         std::to_string(number) + " " + (random_.one_in(2) ? "all" : std::to_string(count)));
  }

  void statement(unsigned depth) {
    if (type_ == ProgramType::fragment) return fragment_statement(depth);
    if (type_ == ProgramType::geometry) return geometry_statement(depth);
    if (type_ == ProgramType::vertex) return vertex_statement(depth);
    if (options_.wild_barriers && options_.lanes_meet && random_.one_in(8)) return wild_barrier();
    if (options_.textures && random_.one_in(8)) return sample_texture();
    const std::string slot = "s[$a1+" + std::to_string(kSlots) + "]", scratch = reg(kScratch);
    const unsigned kind = random_.below(24);
    if (!options_.lanes_meet && kind < 8 && kind != 6) return arithmetic();
    switch (kind) {
      case 0:  // the thread's own word of s[]
        return line("st b32 " + slot + " " + any_reg());
      case 1:
        return line("ld " + any_reg() + " b32 " + slot);
      case 2: {  // the word of another lane of the warp; s[] ends with the block
        if (!options_.warp_synchronous) return arithmetic();
        line("mov b32 " + scratch + " " + std::to_string(1U << random_.below(5)));
        line("xor b32 " + scratch + " " + scratch + " " + reg(kThread));
        line("shl b32 " + scratch + " " + scratch + " 0x2");
        line("shl $a4 " + scratch + " 0x0");
        return line("ld " + any_reg() + " b32 s[$a4+" + std::to_string(kSlots) + "]");
      }
      case 3: {  // words of other warps, between barriers that all threads reach
        if (!reconverges_ || depth != 0 || current_function_ != 0) return arithmetic();
        meet();
        line("mov b32 " + scratch + " " + std::to_string(random_.below(64)));
        line("xor b32 " + scratch + " " + scratch + " " + reg(kThread));
        line("shl b32 " + scratch + " " + scratch + " 0x2");
        line("shl $a4 " + scratch + " 0x0");
        line("ld " + any_reg() + " b32 s[$a4+" + std::to_string(kSlots) + "]");
        return meet();
      }
      case 4:
        return options_.votes ? vote() : arithmetic();
      case 5:
        if (!options_.quads || !random_.one_in(2)) return arithmetic();
        line("quadon");
        arithmetic();
        arithmetic();
        return line("quadpop");
      case 6:  // a word of the thread's own part of g1
        line("add b32 " + scratch + " " + reg(kOutput) + " " + std::to_string(4 * random_.below(32)));
        if (random_.one_in(2)) return line("st b32 g1[" + scratch + "] " + any_reg());
        return line("ld b32 " + any_reg() + " g1[" + scratch + "]");
      case 7:
        line("add b32 " + scratch + " " + reg(kOutput) + " " + std::to_string(4 * random_.below(32)));
        return add_atomically("g1[" + scratch + "]");
      default:
        return arithmetic();
    }
  }

  // Fragment programs.
  GraphicsState fragment_state(RandomFragment& fragment);
  void fragment_prologue();
  void fragment_epilogue();
  void interpolate(const std::string& into);
  void find_pixel_words();
  void pixel_memory();
  void fragment_statement(unsigned depth);

  // All graphics programs (memory.cpp).
  void choose_local();
  void fill_local();
  void memory_statement();
  std::string indexed_address(std::uint32_t bytes);
  void indexed_local();
  void indexed_constant();
  void lanes_statement(unsigned depth);

  // Textures (textures.cpp).
  void coordinate(const std::string& into);
  void sample_texture();

  // Vertex programs.
  void vertex_prologue();
  void vertex_epilogue();
  void vertex_statement(unsigned depth);

  // Geometry programs.
  void geometry_state(GraphicsState& state);
  void geometry_prologue();
  void geometry_epilogue();
  void geometry_statement(unsigned depth);
  void choose_vertex(const std::string& predicate);
  void emit_vertex(const std::string& predicate);

  void vote() {
    const std::string condition = random_.one_in(4) ? "" : predicate();
    const std::string operation = random_.one_in(2) ? "any" : "all";
    line(condition + "vote " + operation + " $c" + std::to_string(random_.below(4)));
  }

  void add_atomically(const std::string& place) {
    const std::string old = any_reg(), addend = any_reg();
    line("ld add u32 " + old + " " + place + " " + addend);
  }

  // A random word of a random pattern of arithmetic, its operands moved to where they may be.
  void arithmetic() {
    while (true) {
      const Pattern& pattern = patterns()[random_.below(static_cast<unsigned>(patterns().size()))];
      if (pattern.form == Form::short_ || !is_arithmetic(pattern.opcode)) continue;
      std::uint64_t noise = random_.next();
      if (random_.one_in(2)) noise &= random_.next();
      const std::uint64_t word = pattern.word_with(noise);
      auto instruction =
          try_decode(type_, static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32));
      if (!instruction || !settle(*instruction)) continue;
      const auto settled = encode(type_, *instruction);
      if (!settled) continue;
      return put(*settled);
    }
  }

  bool is_arithmetic(Opcode opcode) const {
    if (opcode >= Opcode::dfma && opcode <= Opcode::dset) return options_.doubles;
    if (opcode == Opcode::quadop) return options_.quads && options_.lanes_meet;
    return (opcode >= Opcode::iadd && opcode < Opcode::bra) || opcode <= Opcode::add_a;
  }

  bool settle(Instruction& i) {
    // The number of a lane depends on which quads run together.
    if (type_ != ProgramType::compute && i.opcode == Opcode::mov_from_sr) return false;
    const bool may_meet = type_ == ProgramType::fragment || (options_.quads && options_.lanes_meet);
    if (!may_meet && type_ != ProgramType::compute) i.lanes = 15;  // for the same reason
    i.unused = 0;
    i.marker = Instruction::Marker::none;
    if (size_of(i.source_type) == 8 && i.src[0].is_memory()) return false;
    if (i.form == Form::long_) {
      if (random_.one_in(3)) {
        if (!condition_defined(i.condition)) return false;
      } else {
        const bool reads =
            i.opcode == Opcode::mov_from_c || i.operation == static_cast<int>(AddOperation::addc);
        i.condition = kAlways;
        if (!reads) i.condition_register = 0;
      }
    }
    const auto rounding = static_cast<Rounding>(i.rounding);
    if ((i.opcode == Opcode::fadd || i.opcode == Opcode::fmul) && rounding != Rounding::nearest)
      i.rounding = 3;
    for (Operand* operand : {&i.dst, &i.src[0], &i.src[1], &i.src[2]}) {
      operand->post_increment = false;
      switch (operand->kind) {
        case Operand::Kind::gpr:
          operand->value %= operand->type == Type::b16 ? 2 * kGeneral : kGeneral;
          if (operand->type == Type::b64) operand->value &= ~1U;
          break;
        case Operand::Kind::address:
          operand->value = 2 + operand->value % 2;
          break;
        case Operand::Kind::constant:
          operand->space = 0;
          operand->address = 0;
          operand->value %= 256;
          break;
        case Operand::Kind::shared:  // the launch header
          operand->address = 0;
          operand->value %= 16;
          break;
        case Operand::Kind::attribute:
          return false;
        case Operand::Kind::vertex:
          operand->address = 1;
          operand->value %= 4 * input_words_;
          break;
        case Operand::Kind::output:
          operand->address = 0;
          break;
        default:
          break;
      }
    }
    // Short and immediate multiply-adds name their destination twice.
    if (i.form == Form::immediate && (i.opcode == Opcode::imad || i.opcode == Opcode::fmad)) i.src[2] = i.dst;
    return true;
  }

  Random random_;
  const RandomOptions& options_;
  ProgramType type_ = ProgramType::compute;
  std::uint32_t input_words_ = 0;                 // of v[], of a vertex in p[], or of attributes
  std::uint32_t input_vertices_ = 0, slots_ = 0;  // of geometry programs
  std::uint32_t local_bytes_ = 0;                 // of graphics programs
  std::vector<std::uint32_t> code_;
  std::vector<std::uint32_t> labels_;
  std::vector<Fixup> fixups_;
  std::vector<Label> functions_;
  std::vector<Label> tables_;         // what each word of them is the address of
  std::size_t current_function_ = 0;  // 0: the kernel itself
  int budget_ = 0;
  bool reconverges_ = false, has_forms_ = false, has_tables_ = false;
  unsigned warps_ = 0;
  unsigned next_barrier_ = 0;  // of those that are used once
};

}  // namespace warpjit::tesla
