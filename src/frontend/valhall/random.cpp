#include "frontend/valhall/random.h"

#include <cassert>
#include <concepts>
#include <cstdio>
#include <string>

#include "base/random.h"
#include "frontend/valhall/assembly/assemble.h"
#include "frontend/valhall/encoding/encoding.h"
#include "frontend/valhall/interpret/arithmetic.h"

namespace warpjit::valhall {
namespace {

std::string piece(std::string_view words) { return std::string(words); }
std::string piece(std::integral auto number) { return std::to_string(number); }
template <class... Pieces>
std::string text(const Pieces&... pieces) {
  return (piece(pieces) + ...);
}
std::string hex(std::uint32_t number) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "0x%x", number);
  return digits;
}

// r0 to r23 hold random values. Behind them:
constexpr unsigned kValues = 24;
constexpr unsigned kOutput = 24, kInput = 26;    // pairs: the thread's words, the input
constexpr unsigned kThread = 28, kLocal = 29;    // its number in the launch, in its workgroup
constexpr unsigned kShared = 30, kPrivate = 32;  // pairs: its words of the workgroup's memory, its own memory
constexpr unsigned kCounters = 34;               // pair: what atomics add to
constexpr unsigned kTemporary = 36;              // a pair, and another one
constexpr unsigned kLoop = 40, kLoops = 6;       // counters
constexpr std::uint32_t kUniforms = 64, kInputWords = 256, kBufferWords = 64, kLocalBytes = 64;
constexpr std::uint32_t kOwnWords = 32, kSharedBytes = 64;  // of a thread

class Generator {
 public:
  Generator(std::uint64_t seed, const RandomOptions& options) : random_(seed), options_(options) {}

  RandomKernel run() {
    RandomKernel kernel;
    make_launch(kernel);
    prologue(kernel);
    statements(options_.size, 0);
    for (unsigned k = 0; k < kValues; k += 4)
      emit(text("STORE.i128.slot0 @r", k, ":r", k + 1, ":r", k + 2, ":r", k + 3, ", r", kOutput,
                ", offset:", 4 * k));
    emit("NOP.end");
    for (const auto& [place, label] : branches_) {
      auto instruction = decode(code_[place]);
      instruction->offset = static_cast<std::int32_t>(labels_[label]) - static_cast<std::int32_t>(place) - 1;
      code_[place] = *encode(*instruction);
    }
    kernel.program.code = std::move(code_);
    return kernel;
  }

 private:
  using Label = std::size_t;

  void make_launch(RandomKernel& kernel) {
    kernel.program.source_name = "random";
    kernel.program.address = 0x7'4000'0000;
    kernel.program.local_bytes = kLocalBytes;
    constexpr std::array<std::array<std::uint32_t, 3>, 6> kBlocks = {
        {{16, 1, 1}, {64, 1, 1}, {8, 4, 1}, {5, 3, 2}, {20, 1, 1}, {4, 4, 4}}};
    kernel.block = kBlocks[random_.below(kBlocks.size())];
    kernel.grid = {1 + random_.below(3), 1 + random_.below(2), 1 + random_.below(2)};
    const std::uint32_t threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
    const std::uint32_t blocks = kernel.grid[0] * kernel.grid[1] * kernel.grid[2];
    kernel.program.shared_bytes = threads * kSharedBytes + 64;
    counters_ = threads * kSharedBytes;
    kernel.output_words = blocks * ((threads + 15) / 16 * 16) * kOwnWords + 16;
    if (random_.one_in(4))
      kernel.program.mode = {random_.one_in(2), random_.one_in(2), random_.one_in(3), random_.one_in(3)};
    kernel.uniforms.resize(kUniforms);
    kernel.buffer.resize(kBufferWords);
    kernel.input.resize(kInputWords);
    for (auto* words : {&kernel.uniforms, &kernel.buffer, &kernel.input})
      for (std::uint32_t& word : *words) word = value();
    // What 32 bits add to an address of the input reaches the next high word at most.
    constexpr std::uint64_t kFirst = 0x7'0000'1000, kSecond = 0x9'0010'0000;
    const bool input_first = random_.one_in(2);
    kernel.input_address = input_first ? kFirst : kSecond;
    kernel.output_address = input_first ? kSecond : kFirst;
    const std::uint64_t atomics = kernel.output_address + 4 * (kernel.output_words - 16);
    const std::uint64_t pairs[] = {kernel.output_address, kernel.input_address, atomics};
    for (unsigned k = 0; k < 3; ++k) {
      kernel.uniforms[2 * k] = static_cast<std::uint32_t>(pairs[k]);
      kernel.uniforms[2 * k + 1] = static_cast<std::uint32_t>(pairs[k] >> 32);
    }
    kernel.uniforms[6] = 4 * (kInputWords - 4);  // a mask of addresses of words
    kernel.uniforms[7] = 0x3c;
    barriers_ = options_.barriers && random_.one_in(2);
  }

  // Any word; often a small integer or a float near 1, now and then an edge.
  std::uint32_t value() {
    constexpr std::uint32_t kEdges[] = {0,          1,          0x80000000, 0x7fffffff, 0xffffffff,
                                        0x7f800000, 0xff800000, 0x7fc00001, 0x00000001, 0x3f800000,
                                        0x3c003c00, 0x7c00fc00, 0x0001ffff, 0x80008000};
    switch (random_.below(4)) {
      case 0:
        return kEdges[random_.below(std::size(kEdges))];
      case 1:
        return random_.below(64);
      case 2:
        return (static_cast<std::uint32_t>(random_.next()) & 0x81ffffff) | 0x3e000000;
      default:
        return static_cast<std::uint32_t>(random_.next());
    }
  }

  // ---- Code

  void emit(const std::string& line) {
    const auto word = assemble_instruction(line);
    assert(word);
    code_.push_back(*word);
  }
  Label new_label() {
    labels_.push_back(0);
    return labels_.size() - 1;
  }
  void place(Label label) { labels_[label] = code_.size(); }
  void branch(const std::string& line, Label to) {
    branches_.push_back({code_.size(), to});
    emit(line + ", offset:0");
  }
  unsigned any() { return random_.below(kValues); }
  unsigned any_pair() { return random_.below(kValues / 2) * 2; }

  void prologue(const RandomKernel& kernel) {
    emit(text("MOV.i32 r", kThread, ", lane_id.w0"));
    emit(text("LSHIFT_OR.i32 r", kThread, ", warp_id.w0, 0x7060504.b00, r", kThread));
    emit(text("SHADDX.u64 r", kOutput, ", u0, r", kThread, ".w0, shift:0x7"));
    emit(text("MOV.i32 r", kInput, ", u2"));
    emit(text("MOV.i32 r", kInput + 1, ", u3"));
    emit(text("MOV.i32 r", kCounters, ", u4"));
    emit(text("MOV.i32 r", kCounters + 1, ", u5"));
    // x + size_x (y + size_y z)
    emit(text("IADD_IMM.i32 r", kTemporary, ", 0x0, #", hex(kernel.block[1])));
    emit(text("IMUL.i32 r", kLocal, ", r56, r", kTemporary));
    emit(text("IADD.u32 r", kLocal, ", r", kLocal, ", r55.h1"));
    emit(text("IADD_IMM.i32 r", kTemporary, ", 0x0, #", hex(kernel.block[0])));
    emit(text("IMUL.i32 r", kLocal, ", r", kLocal, ", r", kTemporary));
    emit(text("IADD.u32 r", kLocal, ", r", kLocal, ", r55.h0"));
    emit(text("LSHIFT_OR.i32 r", kShared, ", r", kLocal, ", 0x7060504.b22, 0x0"));
    emit(text("MOV.i32 r", kShared + 1, ", workgroup_local_pointer.w1"));
    emit(text("MOV.i32 r", kPrivate, ", thread_local_pointer.w0"));
    emit(text("MOV.i32 r", kPrivate + 1, ", thread_local_pointer.w1"));
    for (unsigned k = 0; k < kValues; k += 4) {
      if (random_.one_in(3)) {
        emit(text("LOAD.i128.unsigned.slot0 @r", k, ":r", k + 1, ":r", k + 2, ":r", k + 3, ", r", kInput,
                  ", offset:", 16 * random_.below(kInputWords / 4)));
        continue;
      }
      for (unsigned n = k; n < k + 4; ++n) switch (random_.below(4)) {
          case 0:
            emit(text("IADD.u32 r", n, ", r", kThread, ", u", random_.below(kUniforms)));
            break;
          case 1:
            emit(text("IADD_IMM.i32 r", n, ", r", kLocal, ", #", hex(value())));
            break;
          case 2:
            emit(text("U32_TO_F32 r", n, ", r", kLocal));
            break;
          default:
            emit(text("MOV.i32 r", n, ", u", random_.below(kUniforms)));
            break;
        }
    }
  }

  void statements(unsigned count, unsigned depth) {
    while (count > 0) {
      const unsigned kind = random_.below(24);
      const unsigned part = 1 + random_.below(count);
      --count;
      if (kind < 3 && options_.flow && depth < kLoops) {
        const unsigned inside = std::min(part, count);
        count -= inside;
        kind == 0 ? loop(inside, depth) : choice(inside, depth);
      } else if (kind == 3 && options_.flow && random_.one_in(3)) {
        early_end();
      } else if (kind < 8 && options_.memory) {
        memory();
      } else if (kind == 8 && options_.other_lanes) {
        exchange();
      } else if (kind == 9 && barriers_ && depth == 0 && options_.memory) {
        share();
      } else {
        arithmetic();
      }
    }
  }

  // A condition in the temporary.
  void condition() {
    static constexpr const char* kConditions[] = {"lt", "ge", "eq", "ne", "gt", "le"};
    const char* const how = kConditions[random_.below(6)];
    switch (random_.below(5)) {
      case 0:
        emit(text("ICMP_OR.u32.", how, ".m1 r", kTemporary, ", r", any(), ", r", any(), ", 0x0"));
        break;
      case 1:
        emit(text("FCMP_OR.f32.", how, ".m1 r", kTemporary, ", r", any(), ", r", any(), ", 0x0"));
        break;
      case 2:  // the same for all lanes
        emit(text("ICMP_OR.s32.", how, ".m1 r", kTemporary, ", u", random_.below(kUniforms), ", 0x0, 0x0"));
        break;
      case 3:
        emit(text("IADD_IMM.i32 r", kTemporary, ", 0x0, #0x1"));
        emit(text("LSHIFT_AND.i32 r", kTemporary, ", r", kThread, ", 0x0.b00, r", kTemporary));
        break;
      default:
        emit(text("MOV.i32 r", kTemporary, ", r", any()));
        break;
    }
  }
  std::string branch_text(unsigned reg) {
    static constexpr const char* kParts[] = {"", "", ".h0", ".h1", ".and", ".lowbits"};
    const char* const part = kParts[random_.below(random_.one_in(3) ? 6 : 1)];
    return text("BRANCHZ", random_.one_in(2) ? ".eq" : "", random_.one_in(2) ? ".reconverge" : "", " r", reg,
                part);
  }

  // If, with or without else; sometimes a jump from the middle of one side behind the other, or into it.
  void choice(unsigned count, unsigned depth) {
    const Label other = new_label(), end = new_label(), middle = new_label();
    condition();
    branch(branch_text(kTemporary), other);
    statements(count / 2, depth + 1);
    if (random_.one_in(4)) {
      condition();
      branch(branch_text(kTemporary), random_.one_in(2) ? end : middle);
    }
    if (!random_.one_in(3)) branch("BRANCHZ.eq.reconverge 0x0", end);
    place(other);
    statements(count / 4, depth + 1);
    place(middle);
    statements(count - count / 2 - count / 4, depth + 1);
    place(end);
  }

  // Each way back counts down.
  void loop(unsigned count, unsigned depth) {
    const unsigned counter = kLoop + depth;
    const Label head = new_label(), latch = new_label(), end = new_label();
    const bool fixed = random_.one_in(2);
    emit(text("IADD_IMM.i32 r", counter, ", 0x0, #", hex(fixed ? 1 + random_.below(4) : 3)));
    if (!fixed) emit(text("LSHIFT_AND.i32 r", counter, ", r", any(), ", 0x0.b00, r", counter));
    const bool first = random_.one_in(2);
    place(head);
    if (first) branch(text("BRANCHZ.eq r", counter), end);
    statements(count / 2, depth + 1);
    if (random_.one_in(3)) {
      condition();
      branch(branch_text(kTemporary), random_.one_in(2) ? end : latch);
    }
    if (random_.one_in(5)) {  // a second way back
      const Label on = new_label();
      condition();
      branch(branch_text(kTemporary), on);
      emit(text("IADD_IMM.i32 r", counter, ", r", counter, ", #0xFFFFFFFF"));
      emit(text("ICMP_OR.s32.gt.m1 r", kTemporary, ", r", counter, ", 0x0, 0x0"));
      branch(text("BRANCHZ r", kTemporary), head);
      place(on);
    }
    statements(count - count / 2, depth + 1);
    place(latch);
    emit(text("IADD_IMM.i32 r", counter, ", r", counter, ", #0xFFFFFFFF"));
    // Also where it was 0 before the first turn.
    emit(text("ICMP_OR.s32.gt.m1 r", kTemporary, ", r", counter, ", 0x0, 0x0"));
    branch(text("BRANCHZ", random_.one_in(2) ? ".reconverge" : "", " r", kTemporary), head);
    place(end);
  }

  void early_end() {
    const Label on = new_label();
    condition();
    branch(branch_text(kTemporary), on);
    emit("NOP.end");
    place(on);
  }

  // Any instruction that computes.
  void arithmetic() {
    for (int tries = 0; tries < 50; ++tries) {
      const Pattern& pattern = patterns()[random_.below(static_cast<unsigned>(patterns().size()))];
      auto instruction = decode(random_word(pattern));
      if (!instruction || !settle(*instruction)) continue;
      if (const auto word = encode(*instruction)) {
        code_.push_back(*word);
        return;
      }
    }
  }

  // A word of the pattern with defined fields.
  std::uint64_t random_word(const Pattern& pattern) {
    const auto choose = [&](unsigned count, const auto& defined) {
      unsigned value = random_.below(count);
      while (!defined(value)) value = random_.below(count);
      return value;
    };
    std::uint64_t word = pattern.word_with(0);
    for (const SyntaxToken& token : pattern.syntax()) {
      if (token.kind == SyntaxToken::Kind::modifier) {
        const Modifier& modifier = modifiers()[token.modifier];
        const unsigned values = 1U << token.field.width();
        word = token.field.set(word, choose(values, [&](unsigned n) { return modifier.defined(n); }));
      } else if (token.kind == SyntaxToken::Kind::source) {
        // A register, a uniform or a constant.
        const unsigned byte = random_.below(4) == 0 ? 0x80 + random_.below(0x60) : random_.below(0x40);
        word = token.field.set(word, byte);
        if (token.select == kNoSelect) continue;
        const Select& select = selects()[token.select];
        const auto has_lanes = [&](unsigned n) { return select.lanes[n] != Lanes::reserved; };
        word = write_bits(word, token.select_bit, select.width, choose(1U << select.width, has_lanes));
      } else if (token.kind == SyntaxToken::Kind::immediate || token.kind == SyntaxToken::Kind::destination) {
        word = token.field.set(word, random_.next());
      }
    }
    return word;
  }

  // Registers of values, few of what only the guest interpreter has. False: this one is not made.
  bool settle(Instruction& i) {
    if (is_message(i) || i.opcode == Opcode::nop || i.opcode == Opcode::branchz ||
        i.opcode == Opcode::branchzi || i.opcode == Opcode::discard || i.opcode == Opcode::barrier ||
        i.opcode == Opcode::clper || i.opcode == Opcode::wmask)
      return false;
    i.flow = Flow::none;
    const bool wide = elements_of(i.type).bits == 64;
    i.write_mask = static_cast<std::uint8_t>(wide || !random_.one_in(8) ? 3 : 1 + random_.below(2));
    i.destination = static_cast<std::uint8_t>(wide ? any_pair() : any());
    if (i.opcode == Opcode::fadd || i.opcode == Opcode::fma || i.opcode == Opcode::ldexp)
      i.round = Round::nearest_even;
    for (Source& source : i.source) {
      if (source.kind == Source::Kind::gpr)
        source.value = static_cast<std::uint8_t>(source.wide ? any_pair() : any());
      if (source.kind == Source::Kind::uniform) source.value %= kUniforms;
      if (source.kind == Source::Kind::uniform && source.wide) source.value &= ~1U;
    }
    return find_operation(i).ok();
  }

  // Registers for so many words, from an even one on if they are several.
  std::string staging(unsigned words) {
    const unsigned first = words == 1 ? any() : random_.below((kValues - words) / 2 + 1) * 2;
    std::string list = "@";
    for (unsigned k = 0; k < words; ++k) list += text(k == 0 ? "" : ":", "r", first + k);
    return list;
  }

  struct Width {
    const char* type;
    unsigned words, alignment, bytes;
  };
  Width width() {
    static constexpr Width kWidths[] = {{"i8", 1, 1, 1},   {"i16", 1, 2, 2},  {"i24", 1, 1, 3},
                                        {"i32", 1, 4, 4},  {"i48", 2, 2, 6},  {"i64", 2, 4, 8},
                                        {"i96", 3, 4, 12}, {"i128", 4, 4, 16}};
    return kWidths[random_.one_in(2) ? 3 : random_.below(8)];
  }

  void load(const Width& width, unsigned address, std::int32_t offset) {
    std::string lane;
    if (width.words == 1 && width.bytes < 3 && random_.one_in(3))
      lane = width.bytes == 1 && random_.one_in(2) ? text(".b", 1 + random_.below(3))
                                                   : std::string(width.bytes == 1 ? ".h0" : ".h1");
    emit(text("LOAD.", width.type, random_.one_in(2) ? ".unsigned" : "", lane, ".slot0 ",
              staging(width.words), ", r", address, ", offset:", offset));
  }

  // A pair: the address in a pair plus a masked register.
  void indexed(unsigned base, const char* mask) {
    emit(text("LSHIFT_AND.i32 r", kTemporary, ", r", any(), ", 0x0.b00, ", mask));
    emit(text("SHADDX.u64 r", kTemporary, ", r", base, ", r", kTemporary, ".w0, shift:0x0"));
  }

  void memory() {
    const Width w = width();
    const auto offset = [&](std::uint32_t bytes) {
      const std::uint32_t at = random_.below(bytes - w.bytes + 1);
      return static_cast<std::int32_t>(random_.one_in(20) ? at : at / w.alignment * w.alignment);
    };
    const auto store = [&](unsigned base, std::int32_t at) {
      emit(text("STORE.", w.type, ".slot0 ", staging(w.words), ", r", base, ", offset:", at));
    };
    switch (random_.below(9)) {
      case 0:  // the input
        indexed(kInput, random_.one_in(20) ? "u8" : "u6");
        return load(w, kTemporary, random_.one_in(3) ? offset(16) : 0);
      case 1:
        return load(w, kInput, offset(4 * kInputWords));
      case 2:
        return store(kOutput, offset(4 * kOwnWords));
      case 3:
        return load(w, kOutput, offset(4 * kOwnWords));
      case 4:
        return store(kShared, offset(kSharedBytes));
      case 5: {  // of this lane or its neighbour
        if (random_.one_in(2)) return load(w, kShared, offset(kSharedBytes));
        emit(text("IADD_IMM.i32 r", kTemporary + 1, ", 0x0, #0x40"));
        emit(text("LSHIFT_XOR.i32 r", kTemporary, ", r", kShared, ", 0x0.b00, r", kTemporary + 1));
        emit(text("MOV.i32 r", kTemporary + 1, ", r", kShared + 1));
        return load(w, kTemporary, offset(kSharedBytes));
      }
      case 6:  // its own memory, the same place or another one for each lane
        if (random_.one_in(2))
          return random_.one_in(2) ? store(kPrivate, offset(kLocalBytes))
                                   : load(w, kPrivate, offset(kLocalBytes));
        indexed(kPrivate, "u7");
        return random_.one_in(2) ? store(kTemporary, 0) : load(w, kTemporary, 0);
      case 7:
        return atomic();
      default:
        emit(text("LSHIFT_AND.i32 r", kTemporary, ", r", any(), ", 0x0.b00, u6"));
        emit(text("LD_BUFFER.", w.type, ".unsigned.slot0 ", staging(w.words), ", ",
                  random_.one_in(2) ? text("r", kTemporary) : std::string("0x0"), ", 0x0"));
        return;
    }
  }

  // Sums at counters of the launch, which nobody reads; anything at those of the workgroup.
  void atomic() {
    static constexpr const char* kFunctions[] = {"aadd", "asmin", "asmax", "aumin", "aumax",
                                                 "aand", "aor",   "axor",  "axchg"};
    if (random_.one_in(2)) {
      emit(text("ATOM.i32.slot0.aadd @r", any(), ", r", kCounters, ", offset:", hex(4 * random_.below(16))));
      return;
    }
    emit(text("IADD_IMM.i32 r", kTemporary, ", 0x0, #", hex(counters_ + 8 * random_.below(4))));
    emit(text("MOV.i32 r", kTemporary + 1, ", r", kShared + 1));
    const char* const function = kFunctions[random_.below(9)];
    switch (random_.below(4)) {
      case 0:
        emit(text("ATOM_RETURN.i32.slot0.", function, " ", staging(1), ", ", staging(1), ", r", kTemporary,
                  ", offset:0x0"));
        return;
      case 1:
        emit(text("ATOM_RETURN.i32.slot0.axchg.compare ", staging(1), ", ", staging(2), ", r", kTemporary,
                  ", offset:0x4"));
        return;
      case 2:
        emit(text("ATOM_RETURN.i64.slot0.", function, " ", staging(2), ", ", staging(2), ", r", kTemporary,
                  ", offset:0x0"));
        return;
      default:
        emit(text("ATOM1_RETURN.i32.slot0.ainc ", staging(1), ", r", kTemporary, ", offset:0x4"));
        return;
    }
  }

  void exchange() {
    static constexpr const char* kSizes[] = {".subgroup2", ".subgroup4", ".subgroup8", ""};
    static constexpr const char* kOperations[] = {"", ".xor", ".shift", ".rotate"};
    const char* const size = kSizes[random_.below(random_.one_in(24) ? 4 : 2)];
    if (random_.one_in(4)) {
      emit(text("WMASK", size, " r", any(), ", r", any()));
      return;
    }
    const std::string lane =
        random_.one_in(24) ? text("r", any(), ".b0") : text("0x3020100.b", random_.below(4));
    emit(text("CLPER.i32", size, kOperations[random_.below(4)], " r", any(), ", r", any(), ", ", lane));
  }

  // Words of the workgroup that other warps wrote.
  void share() {
    emit("BARRIER.slot7.wait");
    emit(text("IADD_IMM.i32 r", kTemporary, ", 0x0, #", hex(random_.below(16) * 4)));
    emit(text("MOV.i32 r", kTemporary + 1, ", r", kShared + 1));
    load({"i32", 1, 4, 4}, kTemporary, static_cast<std::int32_t>(random_.below(4) * kSharedBytes));
    emit("BARRIER.slot7.wait");
  }

  Random random_;
  const RandomOptions options_;
  std::vector<std::uint64_t> code_;
  std::vector<std::size_t> labels_;
  struct Branch {
    std::size_t place;
    Label label;
  };
  std::vector<Branch> branches_;
  std::uint32_t counters_ = 0;
  bool barriers_ = false;
};

}  // namespace

RandomKernel random_kernel(std::uint64_t seed, const RandomOptions& options) {
  return Generator(seed, options).run();
}

}  // namespace warpjit::valhall
