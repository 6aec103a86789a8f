#include "random/valhall/generator.h"

#include <cassert>
#include <cstdio>

#include "frontend/valhall/assembly/assemble.h"
#include "frontend/valhall/interpret/arithmetic.h"
#include "frontend/valhall/interpret/attribute.h"

namespace warpjit::valhall {

std::string RandomCode::hex(std::uint32_t number) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "0x%x", number);
  return digits;
}

std::uint32_t RandomCode::value() {
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

void RandomCode::emit(const std::string& line) {
  const auto word = assemble_instruction(line);
  assert(word);
  code_.push_back(*word);
}

std::vector<std::uint64_t> RandomCode::take_code() {
  for (const auto& [place, label] : branches_) {
    auto instruction = decode(code_[place]);
    instruction->offset = static_cast<std::int32_t>(labels_[label]) - static_cast<std::int32_t>(place) - 1;
    code_[place] = *encode(*instruction);
  }
  return std::move(code_);
}

std::string RandomCode::staging(unsigned words) {
  const unsigned first = words == 1 ? any() : random_.below((kValues - words) / 2 + 1) * 2;
  std::string list = "@";
  for (unsigned k = 0; k < words; ++k) list += Text{k == 0 ? "" : ":", "r", first + k};
  return list;
}

RandomCode::Width RandomCode::width() {
  static constexpr Width kWidths[] = {{"i8", 1, 1, 1},   {"i16", 1, 2, 2},  {"i24", 1, 1, 3},
                                      {"i32", 1, 4, 4},  {"i48", 2, 2, 6},  {"i64", 2, 4, 8},
                                      {"i96", 3, 4, 12}, {"i128", 4, 4, 16}};
  return kWidths[random_.one_in(2) ? 3 : random_.below(8)];
}

void RandomCode::load(const Width& width, unsigned address, std::int32_t offset) {
  std::string lane;
  if (width.words == 1 && width.bytes < 3 && random_.one_in(3))
    lane = width.bytes == 1 && random_.one_in(2) ? Text{".b", 1 + random_.below(3)}
                                                 : std::string(width.bytes == 1 ? ".h0" : ".h1");
  emit(Text{"LOAD.", width.type, random_.one_in(2) ? ".unsigned" : "", lane, ".slot0 ", staging(width.words),
            ", r", address, ", offset:", offset});
}

ImageSource RandomCode::rows_image(std::uint64_t address, std::uint32_t rows, std::uint32_t row_bytes) {
  constexpr std::uint32_t kOrders[] = {0, 0, 0, 4, 12, 16, 226, 229, 240, 242};
  constexpr std::uint32_t kFirst = 64, kLast = 223;
  std::uint32_t format = 0;
  Result<VertexFormat> known = find_vertex_format(~0U);
  while (!known) {
    format = (kFirst + random_.below(kLast - kFirst + 1)) << 12;
    known = find_vertex_format(format);
  }
  return {.address = address,
          .format = format | kOrders[random_.below(std::size(kOrders))],
          .width = row_bytes / known->bytes(),
          .height = rows,
          .row_stride = row_bytes};
}

void RandomCode::set_image_uniforms(std::vector<std::uint32_t>& uniforms) const {
  constexpr std::uint32_t kColumns = 0x3f, kShift = 16, kColumnsAndRows = 0x001f'003f;
  uniforms[kImageUniforms] = kColumns;
  uniforms[kImageUniforms + 1] = kShift;
  uniforms[kImageUniforms + 2] = kColumnsAndRows;
  uniforms[kBufferUniform] = kChosen - 1;
}

void RandomCode::texel(unsigned images) {
  static constexpr const char* kFormats[] = {"auto", "f32", "f16", "s32", "u32", "s16", "u16"};
  static constexpr const char* kVectors[] = {"", ".v2", ".v3", ".v4"};
  const unsigned image = random_.below(images), format = random_.below(std::size(kFormats));
  const bool halves = format == 2 || format > 4;
  const unsigned count = 1 + random_.below(4);
  const std::string modifiers = Text{kVectors[count - 1], ".", kFormats[format], ".slot0 "};
  const std::string list = staging(halves ? (count + 1) / 2 : count);
  if (image == 0) {
    emit(Text{"LSHIFT_AND.i32 r", kTemporary, ", r", any(), ", 0x0.b00, u", kImageUniforms});
    emit(Text{"LSHIFT_OR.i32 r", kTemporary, ", r", kThread, ", u", kImageUniforms + 1, ".b00, r",
              kTemporary});
  } else {
    emit(Text{"LSHIFT_AND.i32 r", kTemporary, ", r", any(), ", 0x0.b00, u", kImageUniforms + 2});
  }
  std::string slice = "0x0";
  if (random_.one_in(8)) {
    slice = Text{"r", any()};
  } else if (random_.one_in(4)) {  // 1 in a half or both
    static constexpr std::uint32_t kSlices[] = {1, 0x10000, 0x10001};
    emit(Text{"IADD_IMM.i32 r", kTemporary + 3, ", 0x0, #", hex(kSlices[random_.below(3)])});
    slice = Text{"r", kTemporary + 3};
  }
  // One that there is not, now and then.
  const unsigned index = random_.one_in(40) ? 9 : image;
  if (image != 0 || random_.one_in(2)) {
    emit(Text{"LD_TEX_IMM", modifiers, list, ", r", kTemporary, ", ", slice, ", index:", index,
              ", table:0x5"});
    return;
  }
  emit(Text{"LEA_TEX_IMM.slot0 @r", kTemporary, ":r", kTemporary + 1, ":r", kTemporary + 2, ", r", kTemporary,
            ", ", slice, ", table:0x5, index:", index});
  if (random_.one_in(3)) {
    // In some lanes another format, of a byte, which fits everywhere.
    static constexpr std::uint32_t kBytes[] = {99, 131, 163, 195}, kOrders[] = {0, 12, 227, 228, 229, 240};
    emit(Text{"IADD_IMM.i32 r", kTemporary + 3, ", 0x0, #",
              hex(kBytes[random_.below(4)] << 12 | kOrders[random_.below(std::size(kOrders))])});
    emit(Text{"MUX.i32.neg r", kTemporary + 2, ", r", kTemporary + 2, ", r", kTemporary + 3, ", r", any()});
  }
  emit(Text{"ST_CVT", modifiers, list, ", r", kTemporary, ", r", kTemporary + 2, ", offset:0x0"});
}

void RandomCode::handle(unsigned reg, std::uint32_t entry) {
  emit(Text{"IADD_IMM.i32 r", reg, ", 0x0, #", hex(kBufferTable << 24 | entry)});
}

void RandomCode::table_buffer(const Width& width, unsigned mask_uniform) {
  constexpr unsigned kHandle = kTemporary + 2;
  if (random_.one_in(40)) {
    emit(Text{"MOV.i32 r", kHandle, ", r", any()});  // mostly none
  } else if (random_.one_in(3)) {
    emit(Text{"LSHIFT_AND.i32 r", kHandle, ", r", any(), ", 0x0.b00, u", kBufferUniform});
    emit(Text{"IADD_IMM.i32 r", kHandle, ", r", kHandle, ", #", hex(kBufferTable << 24 | kFirstChosen)});
  } else {
    handle(kHandle, kFirstChosen + random_.below(kChosen));
  }
  if (random_.one_in(20))
    emit(Text{"MOV.i32 r", kTemporary, ", r", any()});
  else
    emit(Text{"LSHIFT_AND.i32 r", kTemporary, ", r", any(), ", 0x0.b00, u", mask_uniform});
  if (!random_.one_in(3)) {
    emit(Text{"LD_BUFFER.", width.type, ".unsigned.slot0 ", staging(width.words), ", r", kTemporary, ", r",
              kHandle});
    return;
  }
  emit(Text{"LEA_PKA.slot0 @r", kTemporary, ":r", kTemporary + 1, ", r", kTemporary, ", r", kHandle});
  load(width, kTemporary, random_.one_in(2) ? 0 : 16);
}

void RandomCode::own_address(unsigned base_uniform) {
  emit(Text{"ISUB.u32 r", kTemporary, ", r", kOutput, ", u", base_uniform});
  handle(kTemporary + 2, 0);
  emit(Text{"LEA_PKA.slot0 @r", kTemporary, ":r", kTemporary + 1, ", r", kTemporary, ", r", kTemporary + 2});
}

void RandomCode::statements(unsigned count, unsigned depth) {
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
    } else if (kind != 9 || depth != 0 || !at_top()) {
      arithmetic();
    }
  }
}

void RandomCode::condition() {
  static constexpr const char* kConditions[] = {"lt", "ge", "eq", "ne", "gt", "le"};
  const char* const how = kConditions[random_.below(6)];
  switch (random_.below(5)) {
    case 0:
      emit(Text{"ICMP_OR.u32.", how, ".m1 r", kTemporary, ", r", any(), ", r", any(), ", 0x0"});
      break;
    case 1:
      emit(Text{"FCMP_OR.f32.", how, ".m1 r", kTemporary, ", r", any(), ", r", any(), ", 0x0"});
      break;
    case 2:  // the same for all lanes
      emit(Text{"ICMP_OR.s32.", how, ".m1 r", kTemporary, ", u", random_.below(kUniforms), ", 0x0, 0x0"});
      break;
    case 3:
      emit(Text{"IADD_IMM.i32 r", kTemporary, ", 0x0, #0x1"});
      emit(Text{"LSHIFT_AND.i32 r", kTemporary, ", r", kThread, ", 0x0.b00, r", kTemporary});
      break;
    default:
      emit(Text{"MOV.i32 r", kTemporary, ", r", any()});
      break;
  }
}
std::string RandomCode::branch_text(unsigned reg) {
  static constexpr const char* kParts[] = {"", "", ".h0", ".h1", ".and", ".lowbits"};
  const char* const part = kParts[random_.below(random_.one_in(3) ? 6 : 1)];
  return Text{"BRANCHZ", random_.one_in(2) ? ".eq" : "", random_.one_in(2) ? ".reconverge" : "", " r", reg,
              part};
}

// If, with or without else; sometimes a jump from the middle of one side to after the other, or into it.
void RandomCode::choice(unsigned count, unsigned depth) {
  const Label other = new_label(), end = new_label(), middle = new_label();
  condition();
  branch(branch_text(kTemporary), other);
  statements(count / 2, depth + 1);
  if (random_.one_in(4)) {
    condition();
    const Label to = random_.one_in(2) ? end : middle;
    branch(branch_text(kTemporary), to);
  }
  if (!random_.one_in(3)) branch("BRANCHZ.eq.reconverge 0x0", end);
  place(other);
  statements(count / 4, depth + 1);
  place(middle);
  statements(count - count / 2 - count / 4, depth + 1);
  place(end);
}

// Each way back counts down.
void RandomCode::loop(unsigned count, unsigned depth) {
  const unsigned counter = kLoop + depth;
  const Label head = new_label(), latch = new_label(), end = new_label();
  const bool fixed = random_.one_in(2);
  emit(Text{"IADD_IMM.i32 r", counter, ", 0x0, #", hex(fixed ? 1 + random_.below(4) : 3)});
  if (!fixed) emit(Text{"LSHIFT_AND.i32 r", counter, ", r", any(), ", 0x0.b00, r", counter});
  const bool first = random_.one_in(2);
  place(head);
  if (first) branch(Text{"BRANCHZ.eq r", counter}, end);
  statements(count / 2, depth + 1);
  if (random_.one_in(3)) {
    condition();
    const Label to = random_.one_in(2) ? end : latch;
    branch(branch_text(kTemporary), to);
  }
  if (random_.one_in(5)) {  // a second way back
    const Label on = new_label();
    condition();
    branch(branch_text(kTemporary), on);
    emit(Text{"IADD_IMM.i32 r", counter, ", r", counter, ", #0xFFFFFFFF"});
    emit(Text{"ICMP_OR.s32.gt.m1 r", kTemporary, ", r", counter, ", 0x0, 0x0"});
    branch(Text{"BRANCHZ r", kTemporary}, head);
    place(on);
  }
  statements(count - count / 2, depth + 1);
  place(latch);
  emit(Text{"IADD_IMM.i32 r", counter, ", r", counter, ", #0xFFFFFFFF"});
  // Also where it was 0 before the first turn.
  emit(Text{"ICMP_OR.s32.gt.m1 r", kTemporary, ", r", counter, ", 0x0, 0x0"});
  branch(Text{"BRANCHZ", random_.one_in(2) ? ".reconverge" : "", " r", kTemporary}, head);
  place(end);
}

void RandomCode::early_end() {
  const Label on = new_label();
  condition();
  branch(branch_text(kTemporary), on);
  end();
  place(on);
}

// Any instruction that computes.
void RandomCode::arithmetic() {
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
std::uint64_t RandomCode::random_word(const Pattern& pattern) {
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
bool RandomCode::settle(Instruction& i) {
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

void RandomCode::exchange() {
  static constexpr const char* kSizes[] = {".subgroup2", ".subgroup4", ".subgroup8", ""};
  static constexpr const char* kOperations[] = {"", ".xor", ".shift", ".rotate"};
  const char* const size = kSizes[random_.below(quads_alone_ ? 2 : 4)];
  if (random_.one_in(4)) {
    emit(Text{"WMASK", size, " r", any(), ", r", any()});
    return;
  }
  const std::string lane =
      !quads_alone_ && random_.one_in(4) ? Text{"r", any(), ".b0"} : Text{"0x3020100.b", random_.below(4)};
  emit(Text{"CLPER.i32", size, kOperations[random_.below(4)], " r", any(), ", r", any(), ", ", lane});
}

}  // namespace warpjit::valhall
