#include "frontend/tesla/translate/graphics.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <cstring>
#include <optional>

#include "frontend/pixels/fragment_frame.h"
#include "frontend/tesla/container/graphics.h"
#include "frontend/tesla/translate/thread_order.h"

namespace warpjit::tesla {

using ir::F32;
using ir::I1;
using ir::I32;

namespace {

using RegisterSet = std::bitset<kMaxRegisters>;

constexpr std::uint32_t kSpaceBytes = 0x10000;
constexpr std::uint32_t kMostLocalBytes = 1024;
bool uses_local(const ReachedCode& code) {
  return std::ranges::any_of(code.instructions(), [](const ReachedInstruction& reached) {
    const Instruction& i = reached.instruction;
    return i.opcode == Opcode::ld_l || i.opcode == Opcode::st_l || i.src[0].kind == Operand::Kind::local ||
           i.src[1].kind == Operand::Kind::local || i.src[2].kind == Operand::Kind::local;
  });
}

bool is_static(const Operand& operand) { return operand.address == 0 && !operand.post_increment; }

// c[] from the uniform table; memory that others could see is refused.
class StageTranslator : public ThreadTranslator {
 protected:
  StageTranslator(const Program& program, const ComputeFacts& facts, const ReachedCode& code,
                  const ControlFlow& flow, const ConstantTable& constants)
      : ThreadTranslator(program, facts, code, flow), constants_(constants) {
    function_.group_lanes = 0;
    function_.block_groups = 0;
    function_.slot_count = local_words();
  }

  // l[] is kept in slots, word by word: no address is computed.
  std::uint32_t local_words() const { return uses_local(code_) ? (program_.local_bytes + 3) / 4 : 0; }
  void clear_local() {
    for (std::uint32_t slot = 0; slot < local_words(); ++slot) b_.StoreSlot(b_.constant(true), word(0), slot);
  }
  // A word of a vertex, of what o[] holds.
  F32 result(const ResultWord& from) {
    if (from.constant) return b_.constant_bits(*from.constant);
    const F32 value = b_.BitcastI32ToF32(read_output(from.output));
    return from.clamped ? b_.BitcastI32ToF32(as_bits(saturated(flushed(value)))) : value;
  }
  bool stored_local(const Operand& operand, unsigned word_number, I32 value) override {
    if (operand.kind != Operand::Kind::local) return false;
    const std::uint32_t size = size_of(operand.type);
    if (size > program_.local_bytes) return true;
    const LocalPlace place = local_place(operand);
    const I1 where = b_.And1(guard_, place.exists);
    const auto store = [&](I1 here, std::uint32_t slot) {
      I32 stored = value;
      if (size < 4) {
        const I32 bits = b_.IShl32(word(size == 1 ? 0xff : 0xffff), place.bit);
        stored = b_.IOr32(b_.IAnd32(b_.LoadSlot(slot), b_.IXor32(bits, word(~0U))),
                          b_.IAnd32(b_.IShl32(value, place.bit), bits));
      }
      b_.StoreSlot(here, stored, slot);
    };
    if (place.fixed)
      store(where, *place.fixed + word_number);
    else
      for (std::uint32_t slot = word_number; slot < local_words(); ++slot)
        store(b_.And1(where, b_.IEq32(place.slot, word(slot - word_number))), slot);
    return true;
  }

  I32 load(const Operand& operand, unsigned word_number) override {
    if (operand.kind == Operand::Kind::local) return load_local(operand, word_number);
    if (operand.kind != Operand::Kind::constant) return word(0);
    const std::uint32_t base = constants_.offset[operand.space], size = size_of(operand.type);
    if (is_static(operand)) {
      const std::uint32_t at = (operand.value & 0xffff) + 4 * word_number;
      if (at % size != 0 || at + size > constants_.bytes[operand.space]) return word(0);
      return extracted(operand.type, b_.LoadUniformI32(base + (at & ~3U)), word(at % 4 * 8));
    }
    const I32 at = address(operand);
    const auto row = b_.LoadUniformRow(b_.IShrU32(at, word(4)),
                                       base | std::uint64_t{constants_.bytes[operand.space] / 16} << 32);
    const I32 column = b_.IAnd32(b_.IShrU32(at, word(2)), word(3));
    I32 value = component(row, column);
    value = extracted(operand.type, value, b_.IShl32(b_.IAnd32(at, word(3)), word(3)));
    if (size == 1) return value;
    return b_.select(is_zero(b_.IAnd32(at, word(size - 1))), value, word(0));
  }

  // Where an operand of l[] lies; parts of a word begin at a bit of it.
  struct LocalPlace {
    std::optional<std::uint32_t> fixed;  // slot of the first word, if that is known; else
    I32 slot;
    I32 bit;
    I1 exists;  // and is aligned
  };
  LocalPlace local_place(const Operand& operand) {
    const std::uint32_t size = size_of(operand.type), bytes = program_.local_bytes;
    LocalPlace place;
    if (is_static(operand)) {
      const std::uint32_t at = operand.value & 0xffff;
      const bool exists = at % size == 0 && at + size <= bytes;
      place.fixed = exists ? at / 4 : 0;
      place.bit = word(at % 4 * 8);
      place.exists = b_.constant(exists);
      return place;
    }
    const I32 at = address(operand);
    place.slot = b_.IShrU32(at, word(2));
    place.bit = b_.IShl32(b_.IAnd32(at, word(3)), word(3));
    const I1 ends = b_.ILeU32(b_.IAdd32(at, word(size)), word(bytes));
    place.exists = b_.And1(ends, is_zero(b_.IAnd32(at, word(size - 1))));
    return place;
  }
  I32 load_local(const Operand& operand, unsigned word_number) {
    if (size_of(operand.type) > program_.local_bytes) return word(0);
    const LocalPlace place = local_place(operand);
    I32 value;
    if (place.fixed) {
      value = b_.LoadSlot(*place.fixed + word_number);
    } else {
      value = b_.LoadSlot(word_number);
      for (std::uint32_t slot = word_number + 1; slot < local_words(); ++slot)
        value = b_.select(b_.IEq32(place.slot, word(slot - word_number)), b_.LoadSlot(slot), value);
    }
    return b_.select(place.exists, extracted(operand.type, value, place.bit), word(0));
  }

  // Word `column`, 0 to 3, of a row.
  I32 component(const std::array<F32, 4>& row, I32 column) {
    I32 value = b_.BitcastF32ToI32(row[3]);
    for (unsigned k = 3; k-- > 0;)
      value = b_.select(b_.IEq32(column, word(k)), b_.BitcastF32ToI32(row[k]), value);
    return value;
  }

 private:
  I32 extracted(Type type, I32 value, I32 bit) {
    switch (type) {
      case Type::u8:
      case Type::b8:
        return b_.IAnd32(b_.IShrU32(value, bit), word(0xff));
      case Type::s8:
        return b_.IShrS32(b_.IShl32(b_.IShrU32(value, bit), word(24)), word(24));
      case Type::u16:
      case Type::b16:
        return b_.IAnd32(b_.IShrU32(value, bit), word(0xffff));
      case Type::s16:
        return b_.IShrS32(b_.IShl32(b_.IShrU32(value, bit), word(16)), word(16));
      default:
        return value;
    }
  }

  const ConstantTable& constants_;
};

class VertexTranslator final : public StageTranslator {
 public:
  VertexTranslator(const Program& program, const ComputeFacts& facts, const ReachedCode& code,
                   const ControlFlow& flow, const ConstantTable& constants, std::uint64_t inputs,
                   std::span<const std::uint8_t> outputs)
      : StageTranslator(program, facts, code, flow, constants), inputs_(inputs), outputs_(outputs) {
    function_.input_count = static_cast<std::uint32_t>(std::popcount(inputs));
    function_.output_count = static_cast<std::uint32_t>(outputs.size());
    function_.uniform_bytes = constants.end;
  }

 private:
  void begin() override {
    lanes_ = b_.constant(true);
    clear_local();
    const AttributeLayout layout = attribute_layout(program_.graphics);
    attributes_.assign(layout.words, word(0));
    std::array<I32, 4> row;
    for (std::uint32_t k = 0; k < layout.components.size(); ++k) {
      const std::uint32_t attribute = layout.components[k] / 4;
      if (k == 0 || attribute != layout.components[k - 1] / 4U) row = input(attribute);
      attributes_[k] = row[layout.components[k] % 4];
    }
    const std::array<I32, 4> ids = input(kIdInput);
    if (layout.vertex_id) attributes_[*layout.vertex_id] = ids[0];
    if (layout.instance_id) attributes_[*layout.instance_id] = ids[1];
    b_.jump(start());
  }

  // Zeros if it is not bound.
  std::array<I32, 4> input(std::uint32_t number) {
    if ((inputs_ >> number & 1) == 0) return {word(0), word(0), word(0), word(0)};
    const std::uint64_t below = inputs_ & ((std::uint64_t{1} << number) - 1);
    const auto row = b_.LoadInput(static_cast<std::uint32_t>(std::popcount(below)));
    std::array<I32, 4> words;
    for (unsigned k = 0; k < 4; ++k) words[k] = b_.BitcastF32ToI32(row[k]);
    return words;
  }

  I32 attribute(const Operand& operand) override {
    const std::uint32_t n = operand.value / 4;
    return n < attributes_.size() ? attributes_[n] : word(0);
  }

  void end() override {
    const std::vector<ResultWord> results = result_words(program_);
    for (std::uint32_t k = 0; k < outputs_.size(); ++k) {
      std::array<F32, 4> row;
      for (std::size_t c = 0; c < 4; ++c) {
        const std::size_t slot = std::size_t{4} * outputs_[k] + c;
        row[c] = slot < results.size() ? result(results[slot]) : b_.constant(0.0F);
      }
      b_.StoreOutput(b_.constant(true), row[0], row[1], row[2], row[3], k);
    }
  }

  const std::uint64_t inputs_;
  const std::span<const std::uint8_t> outputs_;
  std::vector<I32> attributes_;
};

class GeometryTranslator final : public StageTranslator {
 public:
  GeometryTranslator(const Program& program, const ComputeFacts& facts, const ReachedCode& code,
                     const ControlFlow& flow, const ConstantTable& constants,
                     const frontend::StripFacts& strips)
      : StageTranslator(program, facts, code, flow, constants),
        strips_(strips),
        output_(strip_output(program)),
        results_(result_words(program)) {
    function_.input_count = 1;
    function_.output_count = frontend::kVerticesOutput + 1;
    function_.uniform_bytes = constants.end;
  }

 private:
  void begin() override {
    lanes_ = b_.constant(true);
    clear_local();
    number_ = b_.BitcastF32ToI32(input_row(word(0))[0]);
    write(kVarEmitted, word(0));
    write(kVarStrip, word(0));
    b_.jump(start());
  }

  std::array<F32, 4> input_row(I32 index) {
    return b_.LoadInputRow(index, std::uint64_t{strips_.input_rows()} << 32);
  }

  // a[] has the pointers of the vertices and the primitive's number (tesla.md 15.2).
  I32 attribute(const Operand& operand) override {
    if (operand.kind == Operand::Kind::vertex) return vertex_word(operand);
    if (operand.value / 4 == kPrimitiveIdAddress / 4) return number_;
    return operand.value / 4 < strips_.vertices ? word(operand.value / 4 * 4) : word(0);
  }

  I32 vertex_word(const Operand& operand) {
    const I32 base = address_register(operand.address);
    const I32 at = b_.IAnd32(b_.IAdd32(base, word(operand.value / 4 * kVertexStride)), word(0xffff));
    const I32 vertex = b_.IAnd32(b_.IShrU32(at, word(2)), word(kVertexStride / 4 - 1));
    const I32 n = b_.IShrU32(at, word(7));
    static_assert(kVertexStride == 1 << 7);
    const I1 exists = b_.And1(b_.ILtU32(vertex, word(strips_.vertices)), b_.ILtU32(n, word(strips_.words)));
    const I32 first = b_.IAdd32(b_.IMul32(vertex, word(strips_.vertex_rows())), word(1));
    const auto row = input_row(b_.IAdd32(first, b_.IShrU32(n, word(2))));
    return b_.select(exists, component(row, b_.IAnd32(n, word(3))), word(0));
  }

  void emit(I1 where) override {
    const I32 emitted = read<I32>(kVarEmitted);
    const I1 fits = b_.And1(where, b_.ILtU32(emitted, word(output_.most_vertices)));
    const std::uint32_t rows = output_.vertex_rows();
    const I32 first = b_.IMul32(emitted, word(rows));
    for (std::uint32_t row = 0; row < rows; ++row) {
      std::array<F32, 4> words;
      for (std::uint32_t c = 0; c < 4; ++c) {
        const std::uint32_t slot = 4 * row + c;
        words[c] = slot < output_.slots    ? result(results_[slot])
                   : slot == output_.slots ? b_.BitcastI32ToF32(read<I32>(kVarStrip))
                                           : b_.constant(0.0F);
      }
      b_.StoreOutputRow(fits, b_.IAdd32(first, word(row)), words[0], words[1], words[2], words[3],
                        frontend::kVerticesOutput | std::uint64_t{rows * output_.most_vertices} << 32);
    }
    write(kVarEmitted, b_.select(fits, b_.IAdd32(emitted, word(1)), emitted));
  }
  void restart(I1 where) override {
    const I32 strip = read<I32>(kVarStrip);
    write(kVarStrip, b_.select(where, b_.IAdd32(strip, word(1)), strip));
  }

  void end() override {
    const F32 zero = b_.constant(0.0F);
    b_.StoreOutput(b_.constant(true), b_.BitcastI32ToF32(read<I32>(kVarEmitted)), zero, zero, zero,
                   frontend::kEmittedOutput);
  }

  const frontend::StripFacts strips_;
  const frontend::StripOutput output_;
  const std::vector<ResultWord> results_;
  I32 number_;
};

// Whether lanes of a quad see each other.
bool reads_quads(const ReachedCode& code) {
  return std::ranges::any_of(code.instructions(), [](const ReachedInstruction& reached) {
    const Opcode opcode = reached.instruction.opcode;
    return opcode == Opcode::quadop || opcode == Opcode::quadon || opcode == Opcode::vote;
  });
}
// Whether a lane that nobody asked for could do harm: turn in a loop for long, or trap.
bool is_for_live_lanes(const ReachedCode& code, const ControlFlow& flow) {
  const flow::Successors successors = flow.successors();
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
    if (code.at(flow.blocks[b].last)->opcode == Opcode::trap) return true;
    for (const std::uint32_t to : successors[b])
      if (flow.blocks[to].first <= flow.blocks[b].first) return true;
  }
  return false;
}
bool discards(const ReachedCode& code) {
  return std::ranges::any_of(code.instructions(), [](const ReachedInstruction& reached) {
    return reached.instruction.opcode == Opcode::discard;
  });
}

class FragmentTranslator final : public StageTranslator {
 public:
  FragmentTranslator(const Program& program, const ComputeFacts& facts, const ReachedCode& code,
                     const ControlFlow& flow, const std::vector<LaneEffects>& effects,
                     const ConstantTable& constants, const frontend::PixelFacts& pixels)
      : StageTranslator(program, facts, code, flow, constants),
        inputs_(fragment_inputs(program.graphics)),
        results_(fragment_results(program.graphics)),
        frame_(b_, pixels),
        reads_quads_(reads_quads(code)),
        for_live_lanes_(is_for_live_lanes(code, flow)) {
    function_.uniform_bytes = constants.end;
    if (order_matters(effects)) function_.lane_order = ir::LaneOrder::taken_first;
  }

  // Registers of which each lane's last value is kept for the others of its quad.
  void keep(const RegisterSet& registers) {
    for (std::uint32_t r = 0; r < kMaxRegisters; ++r)
      if (registers[r]) kept_[r] = function_.slot_count++;
  }

 private:
  void begin() override {
    lanes_ = b_.constant(true);
    const I1 live = frame_.begin({discards(code_), results_.depth.has_value(), false});
    write(kVarLive, live);
    clear_local();
    for (const std::uint32_t slot : kept_)
      if (slot != kNotKept) b_.StoreSlot(b_.constant(true), word(0), slot);
    // A group without live lanes needs no run; without such tests every group has one.
    if (reads_quads_ || !(for_live_lanes_ || frame_.tests_first()))
      b_.jump(start());
    else
      b_.branch(live, start(), exit());
  }

  void end() override {
    std::array<frontend::FragmentFrame::Words, kMaxColorTargets> colors;
    for (std::uint32_t k = 0; k < kMaxColorTargets; ++k)
      for (std::uint32_t c = 0; c < 4; ++c) colors[k][c] = gpr(results_.color(k) + c);
    std::optional<I32> depth;
    if (results_.depth) depth = gpr(*results_.depth);
    frame_.end(read<I1>(kVarLive), colors, depth);
  }

  void interp(const Instruction& i) override {
    const std::uint32_t byte = i.src[0].value;
    if (byte == kFrontFacingAddress) return set_destination(i, frame_.front_facing());
    if (byte / 4 >= inputs_.size()) return set_destination(i, word(0));
    const FragmentInput& from = inputs_[byte / 4];
    if (from.kind == FragmentInput::Kind::primitive_id) return set_destination(i, frame_.primitive_number());
    if (from.kind == FragmentInput::Kind::slot && (i.flat != 0 || !from.interpolated))
      return set_destination(i, flat(from));
    F32 value = plane(from);
    if (i.src[1].kind != Operand::Kind::none) value = multiply(value, float_source(i, 1), false);
    set_float(i, value);
  }

  I1 faces_front() { return b_.INe32(frame_.front_facing(), word(0)); }
  I32 flat(const FragmentInput& from) {
    const I32 front = frame_.flat(from.use);
    return from.back_use == from.use ? front : b_.select(faces_front(), front, frame_.flat(from.back_use));
  }
  F32 plane(const FragmentInput& from) {
    const float center = program_.graphics.pixel_center_integer ? 0.0F : 0.5F;
    switch (from.kind) {
      case FragmentInput::Kind::x:
        return b_.FAddFlush32(frame_.column(), b_.constant(center));
      case FragmentInput::Kind::y:
        return b_.FAddFlush32(frame_.row(), b_.constant(center));
      case FragmentInput::Kind::depth:
        return frame_.depth();
      case FragmentInput::Kind::inverse_w:
        return frame_.inverse_w();
      default:
        break;
    }
    const F32 front = frame_.value(from.use);
    return from.back_use == from.use ? front : b_.select(faces_front(), front, frame_.value(from.back_use));
  }

  // The lanes of a quad vote; those that do not take part count for neither operation (tesla.md 15.4).
  I1 voted(VoteOperation operation, I1 condition) override {
    const bool any = operation == VoteOperation::any;
    const I32 own = b_.select(condition, word(1), word(0));
    I32 result = own;
    for (const std::uint32_t neighbours : {0xb1U, 0x4eU, 0x1bU}) {
      const I32 other = b_.QuadRead(lanes_, own, word(any ? 0 : 1), neighbours);
      result = any ? b_.IOr32(result, other) : b_.IAnd32(result, other);
    }
    return b_.INe32(result, word(0));
  }
  I32 physical_id() override { return b_.IAnd32(b_.LaneIndex(), word(3)); }

  void discard(I1 where) override {
    const I1 live = b_.AndNot1(read<I1>(kVarLive), where);
    write(kVarLive, live);
    if (reads_quads_) return;  // the lane goes on as a helper
    const ir::Block rest = function_.add_block(b_.guest_address());
    b_.branch(live, rest, exit());
    b_.set_block(rest);
    ssa_.seal(rest);
  }

  // A register that a lane may read which left its writer behind.
  void register_written(std::uint32_t index, I1 guard, I32 value) override {
    if (kept_[index] != kNotKept) b_.StoreSlot(guard, value, kept_[index]);
  }
  I32 neighbours_register(std::uint32_t index) override {
    return kept_[index] != kNotKept ? b_.LoadSlot(kept_[index]) : gpr(index);
  }

  static constexpr std::uint32_t kNotKept = ~0U;
  const std::vector<FragmentInput> inputs_;
  const FragmentResults results_;
  frontend::FragmentFrame frame_;
  const bool reads_quads_, for_live_lanes_;
  std::array<std::uint32_t, kMaxRegisters> kept_ = [] {
    std::array<std::uint32_t, kMaxRegisters> none;
    none.fill(kNotKept);
    return none;
  }();
};

// What only the guest interpreter runs.
const char* refused(const Program& program, const Instruction& i) {
  const ProgramType type = program.type;
  const bool meets = i.opcode == Opcode::quadop || i.opcode == Opcode::quadon || i.opcode == Opcode::vote ||
                     i.lanes != 15 || (i.opcode == Opcode::mov_from_sr && i.src[0].value == 0);
  if (type != ProgramType::fragment && meets) return "what shows which lanes share a warp";
  for (const Operand* operand : {&i.dst, &i.src[0], &i.src[1], &i.src[2]}) {
    using Kind = Operand::Kind;
    if (operand->kind == Kind::local && program.local_bytes > kMostLocalBytes) return "very much of l[]";
    if (operand->kind == Kind::vertex && operand->post_increment) return "p[] with a post-increment";
    if (operand->kind == Kind::global || operand->kind == Kind::shared)
      return "memory other than c[] and l[] in a graphics program";
    const bool is_row = operand->kind == Kind::attribute || operand->kind == Kind::output ||
                        operand->kind == Kind::interpolant;
    if (is_row && !is_static(*operand)) return "a[], o[] or v[] by an address register";
  }
  return nullptr;
}
Status check_supported(const Program& program, const ReachedCode& code) {
  if (code.branches_through_constants())
    return Error{ErrorCode::unsupported, "a branch through c[] in a graphics program", program.source_name};
  // An access to l[] by an address looks at each word of it.
  constexpr std::uint32_t kMostLooks = 1 << 13;
  std::uint32_t looks = 0;
  for (const auto& [address, i] : code.instructions()) {
    const char* reason = refused(program, i);
    for (const Operand* operand : {&i.dst, &i.src[0], &i.src[1], &i.src[2]})
      if (operand->kind == Operand::Kind::local && !is_static(*operand))
        looks += size_of(operand->type) / 4 * ((program.local_bytes + 3) / 4) + 1;
    if (looks > kMostLooks) reason = "very many accesses to l[] by an address register";
    if (reason != nullptr) return Error{ErrorCode::unsupported, reason, program.where(address)};
  }
  return {};
}

// Registers that quad operations read in blocks where lanes of their quads may be missing.
RegisterSet read_by_parted_quads(const ReachedCode& code, const ControlFlow& flow,
                                 const std::vector<bool>& whole) {
  RegisterSet registers;
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
    if (whole[b]) continue;
    for (std::uint32_t pc = flow.blocks[b].first; pc < flow.blocks[b].end;) {
      const Instruction& i = *code.at(pc);
      if (i.opcode == Opcode::quadop && i.src[0].kind == Operand::Kind::gpr && i.src[0].value < kMaxRegisters)
        registers.set(i.src[0].value);
      pc += 4 * i.words();
    }
  }
  return registers;
}

bool writes_any(const Instruction& i, const RegisterSet& registers) {
  if (i.dst.kind != Operand::Kind::gpr) return false;
  const std::uint32_t first = i.dst.type == Type::b16 ? i.dst.value / 2 : i.dst.value;
  for (std::uint32_t r = first; r < first + 4 && r < kMaxRegisters; ++r)  // four at most
    if (registers[r]) return true;
  return false;
}

void mark_writers(const ReachedCode& code, const ControlFlow& flow, const RegisterSet& registers,
                  std::vector<LaneEffects>& effects) {
  if (registers.none()) return;
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b)
    for (std::uint32_t pc = flow.blocks[b].first; pc < flow.blocks[b].end;) {
      const Instruction& i = *code.at(pc);
      effects[b].writes_neighbours = effects[b].writes_neighbours || writes_any(i, registers);
      pc += 4 * i.words();
    }
}

// Blocks with nothing but such quad operations are right wherever they stand.
void admit_kept(const ReachedCode& code, const ControlFlow& flow, std::vector<bool>& whole) {
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b) {
    bool all = true;
    for (std::uint32_t pc = flow.blocks[b].first; pc < flow.blocks[b].end;) {
      const Instruction& i = *code.at(pc);
      const bool reads_register = i.src[0].kind == Operand::Kind::gpr && i.src[0].type != Type::b16;
      all = all && i.opcode != Opcode::quadon && (i.opcode != Opcode::quadop || reads_register);
      pc += 4 * i.words();
    }
    if (all) whole[b] = true;
  }
}

}  // namespace

ConstantTable::ConstantTable(const ReachedCode& code, std::uint32_t first) {
  const auto read = [&](const Operand& operand) {
    if (operand.kind != Operand::Kind::constant) return;
    const std::uint32_t last =
        is_static(operand) ? (operand.value & 0xffff) + size_of(operand.type) : kSpaceBytes;
    bytes[operand.space] = std::max(bytes[operand.space], std::min(last, kSpaceBytes));
  };
  for (const auto& [address, i] : code.instructions())
    for (const Operand& operand : i.src) read(operand);
  end = first;
  for (std::size_t k = 0; k < kConstantSpaces; ++k) {
    bytes[k] = (bytes[k] + 15) / 16 * 16;
    offset[k] = end;
    end += bytes[k];
  }
  end = (end + 63) / 64 * 64;
}

void ConstantTable::fill(std::span<const std::span<const std::byte>> constants,
                         std::span<std::uint32_t> table) const {
  for (std::size_t k = 0; k < kConstantSpaces; ++k) {
    if (bytes[k] == 0) continue;
    const std::span<std::uint32_t> to = table.subspan(offset[k] / 4, bytes[k] / 4);
    std::ranges::fill(to, 0U);
    const std::size_t size = std::min<std::size_t>(bytes[k], constants[k].size());
    if (size != 0) std::memcpy(to.data(), constants[k].data(), size);
  }
}

Result<ir::Function> translate_vertex(const Program& program, const ComputeFacts& facts,
                                      const ReachedCode& code, const ConstantTable& constants,
                                      std::uint64_t inputs, std::span<const std::uint8_t> outputs) {
  WARPJIT_CHECK(check_supported(program, code));
  WARPJIT_TRY(const ControlFlow flow, discover(program, code, facts.modes.call_limit));
  VertexTranslator translation(program, facts, code, flow, constants, inputs, outputs);
  WARPJIT_CHECK(translation.run());
  return std::move(translation.function());
}

frontend::StripOutput strip_output(const Program& program) {
  constexpr Topology kTopologies[] = {Topology::points, Topology::line_strip, Topology::triangle_strip};
  const GraphicsState& state = program.graphics;
  return {kTopologies[state.geometry_output - 1], static_cast<std::uint32_t>(state.geometry_results.size()),
          state.geometry_vertices};
}

Result<ir::Function> translate_geometry(const Program& program, const ComputeFacts& facts,
                                        const ReachedCode& code, const ConstantTable& constants,
                                        const frontend::StripFacts& strips) {
  WARPJIT_CHECK(check_supported(program, code));
  WARPJIT_TRY(const ControlFlow flow, discover(program, code, facts.modes.call_limit));
  GeometryTranslator translation(program, facts, code, flow, constants, strips);
  WARPJIT_CHECK(translation.run());
  return std::move(translation.function());
}

Result<ir::Function> translate_fragment(const Program& program, const ComputeFacts& facts,
                                        const ReachedCode& code, const ConstantTable& constants,
                                        const frontend::PixelFacts& pixels) {
  WARPJIT_CHECK(frontend::FragmentFrame::check(pixels));
  WARPJIT_CHECK(check_supported(program, code));
  // Each round splits further blocks, or keeps further registers.
  constexpr unsigned kMaxRounds = 16;
  constexpr std::size_t kMaxBlocks = 4096;
  std::vector<std::uint32_t> split;
  RegisterSet kept;
  const char* reason = "control flow whose lanes run in an order that blocks do not keep";
  std::uint32_t where = program.entry;
  for (unsigned round = 0; round < kMaxRounds; ++round) {
    WARPJIT_TRY(ControlFlow flow, discover(program, code, facts.modes.call_limit, split));
    if (flow.blocks.size() > kMaxBlocks) break;
    std::vector<LaneEffects> effects = lane_effects(code, flow, program);
    mark_writers(code, flow, kept, effects);
    if (order_matters(effects)) arrange(flow, effects);
    FragmentTranslator translation(program, facts, code, flow, effects, constants, pixels);
    translation.keep(kept);
    WARPJIT_CHECK(translation.run());
    if (translation.function().lane_order == ir::LaneOrder::none) return std::move(translation.function());

    std::vector<bool> whole = find_whole_blocks(translation, flow);
    const RegisterSet needed = read_by_parted_quads(code, flow, whole) | kept;
    if (needed != kept) {
      kept = needed;
      continue;
    }
    admit_kept(code, flow, whole);
    const OrderProblem problem = check_order(translation, flow, effects, std::move(whole));
    if (problem.reason == nullptr) return std::move(translation.function());
    reason = problem.reason;
    where = flow.blocks[problem.block].last;
    const std::size_t before = split.size();
    for (const std::uint32_t block : problem.splits)
      if (const std::uint32_t address = flow.blocks[block].last;
          std::ranges::find(split, address) == split.end())
        split.push_back(address);
    if (split.size() == before) break;
  }
  return Error{ErrorCode::unsupported, reason, program.where(where)};
}

}  // namespace warpjit::tesla
