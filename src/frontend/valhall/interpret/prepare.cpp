// Which instructions programs run, and how (docs/guests/valhall.md 8, 10).
#include <algorithm>

#include "frontend/reach.h"
#include "frontend/valhall/interpret/fragment.h"
#include "frontend/valhall/interpret/interpret.h"
#include "frontend/valhall/interpret/lanes.h"
#include "frontend/valhall/interpret/op.h"
#include "frontend/valhall/interpret/texture.h"

namespace warpjit::valhall {
namespace {

constexpr std::uint32_t kNoOp = ~std::uint32_t{0};

// Parts and sizes of what memory messages move.
constexpr AccessPart kByte[] = {{0, 1, 0, 0}};
constexpr AccessPart kHalfWord[] = {{0, 2, 0, 0}};
constexpr AccessPart kBytes3[] = {{0, 1, 0, 0}, {1, 1, 0, 8}, {2, 1, 0, 16}};
constexpr AccessPart kWordAndHalf[] = {{0, 4, 0, 0}, {4, 2, 1, 0}};
constexpr AccessPart kWords[] = {{0, 4, 0, 0}, {4, 4, 1, 0}, {8, 4, 2, 0}, {12, 4, 3, 0}};

// Bits that an instruction without a destination has in its place, which mean nothing.
constexpr std::uint64_t kNoDestination = std::uint64_t{0xff} << 40;

// Special values that programs have (docs/guests/valhall.md 8.2, 10.1). Those of fragments: the size of
// targets, and no number of a warp or memory of a workgroup.
bool has_special(Stage stage, std::uint8_t value) {
  using Entry = std::pair<unsigned, unsigned>;
  constexpr Entry kEntries[] = {{0, 2}, {1, 1}, {1, 3}, {3, 1}, {3, 3}, {3, 15}};
  constexpr Entry kOfFragments[] = {{0, 4}, {1, 1}, {3, 1}, {3, 3}, {3, 15}};
  constexpr Entry kOfWorkgroup = {1, 3};
  const Entry entry(special_page(value), special_entry(value));
  if (stage == Stage::fragment) return std::ranges::find(kOfFragments, entry) != std::end(kOfFragments);
  if (stage == Stage::vertex && entry == kOfWorkgroup) return false;
  return std::ranges::find(kEntries, entry) != std::end(kEntries);
}

Status check_common(const Instruction& i, Stage stage, std::uint64_t ignored) {
  if ((i.unused & ~ignored) != 0) return refused(i, "bits that no field has are set");
  if (const Status registers = check_registers(i); !registers) return refused(i, registers.error().message);
  // What only ATEST reads goes through a register where a uniform keeps it from naming it.
  const auto is_moved_datum = [&](const Source& source) {
    return stage == Stage::fragment && i.opcode == Opcode::mov && special_page(source.value) == 0 &&
           special_entry(source.value) == 5;
  };
  for (const Source& source : i.source)
    if (source.kind == Source::Kind::special && !is_moved_datum(source) && !has_special(stage, source.value))
      return refused(i,
                     std::string(stage_name(stage)) + " programs have no " +
                         std::string(special_name(special_page(source.value), special_entry(source.value))));
  return {};
}

bool is_of_vertices(Opcode opcode) {
  return opcode == Opcode::lea_buf_imm || opcode == Opcode::ld_attr || opcode == Opcode::ld_attr_imm ||
         opcode == Opcode::lea_attr || opcode == Opcode::lea_attr_imm;
}

// Registers that components of a message are in.
unsigned registers_of_components(const Instruction& i) {
  const bool halves = i.register_format == RegisterFormat::f16 || i.register_format == RegisterFormat::s16 ||
                      i.register_format == RegisterFormat::u16;
  const unsigned components = i.vector_size + 1U;
  return halves ? (components + 1) / 2 : components;
}

// Instructions of vertex programs alone.
Status check_of_vertices(const Instruction& i) {
  if (i.opcode == Opcode::lea_buf_imm) {
    if (i.table != 0xd || i.index != 0)
      return refused(i, "table " + std::to_string(i.table) + ", index " + std::to_string(i.index) +
                            " is not that of results");
    return check_count(i, i.write, 2);
  }
  if (!attribute_entry(i)) return refused(i, "the attribute is not a constant");
  if (i.opcode == Opcode::lea_attr || i.opcode == Opcode::lea_attr_imm) return check_count(i, i.write, 3);
  return check_count(i, i.write, registers_of_components(i));
}

Status make_image_op(WarpOp& op) {
  const Instruction& i = op.i;
  if (i.opcode == Opcode::st_cvt) {
    op.kind = WarpOp::Kind::store_texel;
    return check_count(i, i.read, registers_of_components(i));
  }
  if (!image_entry(i)) return refused(i, "the image is not a constant");
  const bool loads = i.opcode == Opcode::ld_tex || i.opcode == Opcode::ld_tex_imm;
  op.kind = loads ? WarpOp::Kind::load_texel : WarpOp::Kind::texel_address;
  return check_count(i, i.write, loads ? registers_of_components(i) : 3);
}

// Flow after an operation: calls `visit` with the addresses, which may lie outside of the code.
template <class Visit>
void each_successor(const WarpOp& op, const Visit& visit) {
  if (op.i.flow == Flow::end) return;
  const Known known = op.kind == WarpOp::Kind::branch  ? known_branch(op.i)
                      : op.kind == WarpOp::Kind::blend ? Known::taken
                                                       : Known::not_taken;
  if (known != Known::not_taken) visit(op.target);
  if (known != Known::taken) visit(std::int64_t{op.address} + 8);
}

// A BLEND that control can come to from one of the same target; null: there is no such BLEND.
const WarpOp* find_second_blend(const Program& program, const std::vector<WarpOp>& ops,
                                const std::vector<std::uint32_t>& op_of_word) {
  for (std::uint8_t target = 0; target < kMaxColorTargets; ++target) {
    const auto blends = [&](const WarpOp& op) {
      return op.kind == WarpOp::Kind::blend && blend_target(op, program.fragment) == target;
    };
    flow::Worklist words(program.code.size());
    const auto follow = [&](const WarpOp& op) {
      each_successor(op, [&](std::int64_t address) {
        if (address >= 0 && address / 8 < static_cast<std::int64_t>(program.code.size()))
          words.add(static_cast<std::uint32_t>(address / 8));
      });
    };
    for (const WarpOp& op : ops)
      if (blends(op)) follow(op);
    for (std::uint32_t word = 0; words.take(word);) {
      const WarpOp& op = ops[op_of_word[word]];
      if (blends(op)) return &op;
      follow(op);
    }
  }
  return nullptr;
}

unsigned registers_loaded(const Instruction& i) {
  const unsigned words = (shape_of(i.type).bytes + 3U) / 4;
  return i.lane == LoadLane::d0 ? 2 : words;
}

Status check_atomic(const Instruction& i) {
  if (i.compare && i.atomic != Atomic::exchange) return refused(i, "`compare` is of axchg");
  const unsigned words = i.type == Type::i64 ? 2 : 1;
  if (i.opcode == Opcode::atom1_return) return i.write.count == 0 ? Status{} : check_count(i, i.write, words);
  WARPJIT_CHECK(check_count(i, i.read, i.compare ? 2 * words : words));
  return i.opcode == Opcode::atom ? Status{} : check_count(i, i.write, words);
}

}  // namespace

Error refused(const Instruction& i, const std::string& why) {
  return {ErrorCode::unsupported, mnemonic(i) + ": " + why, {}};
}

Status check_count(const Instruction& i, const Staging& staging, unsigned count) {
  if (staging.count == count) return {};
  return refused(i, std::to_string(staging.count) + " staging registers are not " + std::to_string(count));
}

bool is_of_images(Opcode opcode) {
  return opcode == Opcode::ld_tex || opcode == Opcode::ld_tex_imm || opcode == Opcode::lea_tex ||
         opcode == Opcode::lea_tex_imm || opcode == Opcode::st_cvt;
}

AccessShape shape_of(Type type) {
  const std::span<const AccessPart> words(kWords);
  switch (type) {
    case Type::i8:
      return {kByte, 1, 1};
    case Type::i16:
      return {kHalfWord, 2, 2};
    case Type::i24:
      return {kBytes3, 3, 1};
    case Type::i48:
      return {kWordAndHalf, 6, 2};
    case Type::i64:
      return {words.first(2), 8, 4};
    case Type::i96:
      return {words.first(3), 12, 4};
    case Type::i128:
      return {words, 16, 4};
    default:
      return {words.first(1), 4, 4};
  }
}

bool takes_branch(const Instruction& branch, std::uint32_t value) {
  const std::uint32_t low = value & 0xffff, high = value >> 16;
  switch (branch.source[0].lanes) {
    case Lanes::h0:
      value = low;
      break;
    case Lanes::h1:
      value = high;
      break;
    case Lanes::both:
      value = low != 0 && high != 0 ? 1 : 0;
      break;
    case Lanes::lowbits:
      value &= 0x00010001;
      break;
    default:
      break;
  }
  return (value == 0) == branch.if_zero;
}

Known known_branch(const Instruction& branch) {
  const Source& source = branch.source[0];
  if (source.kind != Source::Kind::constant) return Known::no;
  return takes_branch(branch, kConstants[source.value]) ? Known::taken : Known::not_taken;
}

Result<WarpOp> make_op(const Instruction& i, std::uint32_t address, Stage stage) {
  WarpOp op{.i = i, .address = address};
  const auto check = [&](std::uint64_t ignored = 0) { return check_common(i, stage, ignored); };
  if (is_of_vertices(i.opcode)) {
    if (stage != Stage::vertex)
      return refused(i, std::string(stage_name(stage)) + " programs do not have it");
    WARPJIT_CHECK(check());
    WARPJIT_CHECK(check_of_vertices(i));
    op.kind = i.opcode == Opcode::lea_buf_imm ? WarpOp::Kind::result_address
              : i.opcode == Opcode::ld_attr || i.opcode == Opcode::ld_attr_imm
                  ? WarpOp::Kind::load_attribute
                  : WarpOp::Kind::attribute_address;
    return op;
  }
  if (is_of_images(i.opcode)) {
    WARPJIT_CHECK(check());
    WARPJIT_CHECK(make_image_op(op));
    return op;
  }
  if (is_texture(i.opcode)) {
    WARPJIT_CHECK(check());
    WARPJIT_CHECK(check_texture(i));
    op.kind = WarpOp::Kind::texture;
    return op;
  }
  if (is_of_fragments(i.opcode)) {
    if (stage != Stage::fragment)
      return refused(i, std::string(stage_name(stage)) + " programs do not have it");
    if (const Status registers = check_registers(i); !registers) return refused(i, registers.error().message);
    WARPJIT_CHECK(make_fragment_op(op));
    WARPJIT_CHECK(check_common(op.i, stage, i.opcode == Opcode::discard ? kNoDestination : 0));
    return op;
  }
  switch (i.opcode) {
    case Opcode::nop:
      return op;
    case Opcode::branchz:
      WARPJIT_CHECK(check(kNoDestination));
      op.kind = WarpOp::Kind::branch;
      op.target = std::int64_t{address} + 8 + std::int64_t{8} * i.offset;
      return op;
    case Opcode::barrier:
      if (stage != Stage::compute)
        return refused(i, std::string(stage_name(stage)) + " programs have no workgroup");
      WARPJIT_CHECK(check(kNoDestination));
      op.kind = WarpOp::Kind::barrier;
      return op;
    case Opcode::load:
    case Opcode::ld_buffer:
      WARPJIT_CHECK(check());
      WARPJIT_CHECK(check_count(i, i.write, registers_loaded(i)));
      op.kind = i.opcode == Opcode::load ? WarpOp::Kind::load : WarpOp::Kind::load_buffer;
      return op;
    case Opcode::lea_pka:
      WARPJIT_CHECK(check());
      WARPJIT_CHECK(check_count(i, i.write, 2));
      op.kind = WarpOp::Kind::buffer_address;
      return op;
    case Opcode::store:
      WARPJIT_CHECK(check());
      WARPJIT_CHECK(check_count(i, i.read, (shape_of(i.type).bytes + 3U) / 4));
      op.kind = WarpOp::Kind::store;
      return op;
    case Opcode::atom:
    case Opcode::atom_return:
    case Opcode::atom1_return:
      WARPJIT_CHECK(check());
      WARPJIT_CHECK(check_atomic(i));
      op.kind = WarpOp::Kind::atomic;
      return op;
    case Opcode::clper:
    case Opcode::wmask:
      WARPJIT_CHECK(check());
      WARPJIT_CHECK(check_exchange(i));
      if (stage == Stage::fragment && i.subgroup > Subgroup::four) return refused(i, "lanes of other quads");
      op.kind = WarpOp::Kind::exchange;
      return op;
    default: {
      WARPJIT_TRY(op.operation, find_operation(i));
      WARPJIT_CHECK(check());
      op.kind = WarpOp::Kind::arithmetic;
      return op;
    }
  }
}

Interpreter::Interpreter() = default;
Interpreter::Interpreter(Interpreter&&) noexcept = default;
Interpreter& Interpreter::operator=(Interpreter&&) noexcept = default;
Interpreter::~Interpreter() = default;

Result<Interpreter> Interpreter::prepare(const Program& program) {
  const auto located = [&](const Error& error, std::uint32_t address) {
    return Error{error.code, error.message, program.where(address)};
  };
  WARPJIT_CHECK(check_limits(program));
  Interpreter result;
  result.op_of_word_.assign(program.code.size(), kNoOp);
  flow::Worklist words(program.code.size());
  const auto reach = [&](std::int64_t address) {
    if (address >= 0 && address / 8 < static_cast<std::int64_t>(program.code.size()))
      words.add(static_cast<std::uint32_t>(address / 8));
  };
  reach(program.entry);
  for (std::uint32_t word = 0; words.take(word);) {
    const std::uint32_t address = 8 * word;
    WARPJIT_TRY(const Instruction i, decode(program.code, address, program.source_name));
    auto op = make_op(i, address, program.stage);
    if (!op) return located(op.error(), address);
    result.op_of_word_[word] = static_cast<std::uint32_t>(result.ops_.size());
    result.ops_.push_back(*op);
    each_successor(*op, reach);
  }
  if (const WarpOp* const op = find_second_blend(program, result.ops_, result.op_of_word_))
    return located(refused(op->i, "a lane may have written this target before"), op->address);
  result.program_ = program;
  // A program that does not say where a thread's memory is has none.
  constexpr std::pair kLocalPointer(1U, 1U);
  const bool has_local = std::ranges::any_of(result.ops_, [&](const WarpOp& op) {
    return std::ranges::any_of(op.i.source, [&](const Source& source) {
      return source.kind == Source::Kind::special &&
             std::pair(special_page(source.value), special_entry(source.value)) == kLocalPointer;
    });
  });
  if (!has_local) result.program_.local_bytes = 0;
  return result;
}

}  // namespace warpjit::valhall
