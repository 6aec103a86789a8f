// Preparation for the interpreter: finds reachable code and makes its micro-operations.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/fuel.h"
#include "base/vector.h"
#include "frontend/interpret/fault.h"
#include "frontend/pica200/interpret/ops.h"

namespace warpjit::pica200 {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

// A CALL, IF or LOOP that can be executed: where its END check fires, and where that leads.
struct Scope {
  Opcode opcode;
  std::uint32_t end, first, second;
  std::uint32_t next_of_end = kNone;  // another scope with the same end
};

// A bound on all addresses that flow instructions can name.
std::uint32_t address_limit(const Program& program) {
  auto limit = static_cast<std::uint32_t>(program.code.size() + 1);
  for (const std::uint32_t word : program.code) {
    const auto i = try_decode(word);
    if (i && (i->info().traits & kTarget) != 0) limit = std::max(limit, i->target + i->num + 2U);
  }
  return limit;
}

// Finds addresses by following edges without the stacks' contents. With `known`, the scopes of a first
// search, it follows the well-formed reading only: an instruction in the last slot of a scope never falls
// through. Without, everything that the hardware's stacks could do is followed.
class Reachability {
 public:
  Reachability(const Program& program, std::uint32_t limit, const Reachability* known)
      : program_(program), known_(known), reached_(limit), origin_(limit), scope_of_end_(limit, kNone) {}

  void run(std::uint32_t entry) {
    reach(entry, entry);
    while (!work_.empty()) {
      const std::uint32_t address = work_.back();
      work_.pop_back();
      visit(address);
    }
  }

  std::uint32_t limit() const { return static_cast<std::uint32_t>(reached_.size()); }
  bool reached(std::uint32_t address) const { return reached_[address]; }
  // The instruction from which `address` was first reached.
  std::uint32_t origin(std::uint32_t address) const { return origin_[address]; }
  bool ends_scope(std::uint32_t address) const {
    return address < limit() && scope_of_end_[address] != kNone;
  }

  template <class Visit>
  void for_scopes_ending_at(std::uint32_t address, const Visit& visit) const {
    if (address >= limit()) return;
    for (std::uint32_t k = scope_of_end_[address]; k != kNone; k = scopes_[k].next_of_end) visit(scopes_[k]);
  }

 private:
  void reach(std::uint32_t address, std::uint32_t from) {
    if (reached_[address]) return;
    reached_[address] = true;
    origin_[address] = from;
    work_.push_back(address);
    if (program_.structural_scopes)
      for_scopes_ending_at(address, [&](const Scope& scope) { leave(scope, address); });
  }

  void leave(const Scope& scope, std::uint32_t from) {
    reach(scope.first, from);
    reach(scope.second, from);
  }

  void open(Scope scope, std::uint32_t from) {
    scope.next_of_end = scope_of_end_[scope.end];
    scope_of_end_[scope.end] = static_cast<std::uint32_t>(scopes_.size());
    scopes_.push_back(scope);
    if (scope.end > 0 && reached_[scope.end - 1] && executes(scope.end - 1)) leave(scope, from);
    if (program_.structural_scopes && reached_[scope.end]) leave(scope, from);
    if (scope.opcode == Opcode::loop && breaks_) reach(scope.end, from);
  }

  bool executes(std::uint32_t address) const {
    return address != kEndAddress && address < program_.code.size() &&
           try_decode(program_.code[address]).has_value();
  }

  // A BREAK may leave any loop, since the callee of a loop's CALL can break it.
  void break_loops(std::uint32_t from) {
    if (breaks_) return;
    breaks_ = true;
    for (const Scope& scope : scopes_)
      if (scope.opcode == Opcode::loop) reach(scope.end, from);
  }

  void visit(std::uint32_t address) {
    if (!executes(address)) return;
    const Instruction i = *try_decode(program_.code[address]);
    const std::uint32_t next = address + 1, target = i.target, end = target + i.num;
    if (i.opcode == Opcode::end) return;
    // With structural scopes only what comes before all flow is taken as certain.
    if (known_ != nullptr && program_.structural_scopes && (i.info().traits & kFlow) != 0) return;
    for_scopes_ending_at(next, [&](const Scope& scope) { leave(scope, address); });
    switch (i.opcode) {
      case Opcode::call:
      case Opcode::callc:
      case Opcode::callu:
        reach(target, address);
        open({i.opcode, end, next, next}, address);
        break;
      case Opcode::ifc:
      case Opcode::ifu:
        reach(target, address);
        open({i.opcode, target, end, end}, address);
        break;
      case Opcode::loop:
        open({i.opcode, target + 1, next, target + 1}, address);
        break;
      case Opcode::jmpc:
      case Opcode::jmpu:
        reach(target, address);
        break;
      case Opcode::break_:
      case Opcode::breakc:
        if (known_ == nullptr) break_loops(address);
        break;
      default:
        break;
    }
    if (known_ != nullptr &&
        (i.opcode == Opcode::call || i.opcode == Opcode::break_ || known_->ends_scope(next)))
      return;
    reach(next, address);
  }

  const Program& program_;
  const Reachability* known_;
  std::vector<bool> reached_;
  std::vector<std::uint32_t> origin_;
  std::vector<std::uint32_t> scope_of_end_;
  std::vector<std::uint32_t> work_;
  std::vector<Scope> scopes_;
  bool breaks_ = false;
};

Error misplaced(const Instruction& i, std::string where) {
  return {ErrorCode::bad_input, std::string(i.info().name) + " belongs to geometry programs",
          std::move(where)};
}

Status check_certain(const Program& program, const Reachability& certain) {
  for (std::uint32_t address = 0; address < certain.limit(); ++address) {
    if (!certain.reached(address) || address == kEndAddress) continue;
    if (address >= program.code.size())
      return Error{ErrorCode::bad_input,
                   "the program runs past its last word without an `end`: control can reach word " +
                       std::to_string(address),
                   program.where(certain.origin(address))};
    WARPJIT_TRY(const Instruction i, decode(program.code[address], address, program.source_name));
    if (program.stage != Stage::geometry && (i.info().traits & kGeometry) != 0)
      return misplaced(i, program.where(address));
  }
  return {};
}

std::uint16_t offset_of(Register reg) {
  std::size_t base = 0;
  switch (reg.file) {
    case RegisterFile::v:
      base = offsetof(ThreadState, v);
      break;
    case RegisterFile::r:
      base = offsetof(ThreadState, r);
      break;
    case RegisterFile::o:
      base = offsetof(ThreadState, o);
      break;
    default:
      base = offsetof(Uniforms, c);
      break;
  }
  return static_cast<std::uint16_t>(base + reg.index * 16U);
}

// Truth of a CMP relation by outcome: bit 0 unordered, 1 less, 2 equal, 4 greater (pica200.md 8).
constexpr std::uint8_t kRelationTruth[8] = {0x04, 0x13, 0x02, 0x06, 0x10, 0x14, 0x17, 0x17};

// The plain kind of an arithmetic opcode; the general and indexed kinds follow it.
std::optional<Kind> plain_kind(Opcode opcode) {
  switch (opcode) {
#define PICA_CASE(name, ...) \
  case Opcode::name:         \
    return Kind::name##_plain;
    PICA_ALU_OPS(PICA_CASE)
#undef PICA_CASE
    default:
      return std::nullopt;
  }
}

Kind other_kind(Opcode opcode) {
  switch (opcode) {
#define PICA_CASE(name) \
  case Opcode::name:    \
    return Kind::name;
    // clang-format off
    PICA_CASE(litp) PICA_CASE(mova) PICA_CASE(cmp) PICA_CASE(nop) PICA_CASE(end) PICA_CASE(break_)
    PICA_CASE(breakc) PICA_CASE(call) PICA_CASE(callc) PICA_CASE(callu) PICA_CASE(ifc) PICA_CASE(ifu)
    PICA_CASE(loop) PICA_CASE(jmpc) PICA_CASE(jmpu)
    PICA_CASE(emit) PICA_CASE(setemit)
    // clang-format on
#undef PICA_CASE
                default : return Kind::fault;
  }
}

MicroOp make_alu(const Instruction& i, const Descriptor& descriptor) {
  MicroOp op;
  op.alu = {};
  const int wide = wide_source(i.info().format);
  bool plain = true;
  for (int source = 1, narrow = 0; source <= i.source_count(); ++source) {
    const Register reg = source_register(i.source(source));
    const std::uint8_t selector = descriptor.selector[static_cast<std::size_t>(source - 1)];
    const bool negate = descriptor.negate[static_cast<std::size_t>(source - 1)] != 0;
    const std::uint32_t sign = negate ? 0x80000000U : 0;
    plain &= !negate && selector == kIdentitySelector;
    std::int32_t* lanes = nullptr;
    unsigned first_read = 0;
    if (source == wide) {
      op.wide = offset_of(reg);
      op.wide_base = reg.file == RegisterFile::c ? 1 : 0;
      op.idx = reg.file == RegisterFile::c ? static_cast<std::uint8_t>(i.idx) : 0;
      op.c_index = reg.index;
      op.alu.sign_wide = sign;
      lanes = op.alu.wide;
    } else if (narrow++ == 0) {
      op.narrow1 = offset_of(reg);
      op.alu.sign1 = sign;
      first_read = 4;
      lanes = op.alu.narrow1;
    } else {
      op.narrow2 = offset_of(reg);
      op.alu.sign2 = sign;
      first_read = 8;
      lanes = op.alu.narrow2;
    }
    for (unsigned lane = 0; lane < 4; ++lane)
      lanes[lane] = static_cast<std::int32_t>(selected(selector, lane));
    const std::uint8_t named = i.info().reads[static_cast<std::size_t>(source - 1)];
    for (unsigned lane = 0; lane < 4; ++lane)
      if (enables(named, lane) || ((named & kLanes) != 0 && enables(descriptor.mask, lane)))
        op.alu.reads |= 1U << (first_read + lane);
  }
  for (unsigned lane = 0; lane < 4; ++lane) op.alu.mask[lane] = enables(descriptor.mask, lane) ? -1 : 0;
  op.components = descriptor.mask;
  op.dst = offset_of(dest_register(i.dst));
  op.cmp_x = kRelationTruth[i.cmp_x & 7];
  op.cmp_y = kRelationTruth[i.cmp_y & 7];
  if (const auto kind = plain_kind(i.opcode)) {
    const unsigned form = op.idx != 0 ? 2 : plain ? 0 : 1;
    op.kind = static_cast<Kind>(static_cast<unsigned>(*kind) + form);
  } else {
    op.kind = other_kind(i.opcode);
  }
  return op;
}

MicroOp make_flow(const Instruction& i, std::uint32_t address, bool checked) {
  MicroOp op;
  op.kind = other_kind(i.opcode);
  op.flow = {};
  op.flow.target = i.target;
  op.flow.num = i.num;
  op.flow.next = static_cast<std::uint16_t>(address + 1);
  for (unsigned flags = 0; flags < 4; ++flags)
    if (holds(i, (flags & 1) != 0, (flags & 2) != 0))
      op.flow.truth |= static_cast<std::uint16_t>(1U << flags);
  op.flow.uniform = static_cast<std::uint8_t>(i.uniform);
  op.flow.argument = (i.num & 1) == 0 ? 1 : 0;
  if (i.opcode == Opcode::setemit) {
    op.flow.uniform = static_cast<std::uint8_t>(i.vertex);
    op.flow.argument = static_cast<std::uint8_t>(i.primitive | i.winding << 1);
  }
  op.flow.checked = checked;
  op.flow.opcode = i.opcode;
  return op;
}

// Which END check an address needs: kinds of the scopes that end there.
Kind check_kind(const Reachability& possible, std::uint32_t next) {
  bool calls = false, ifs = false, loops = false;
  possible.for_scopes_ending_at(next, [&](const Scope& scope) {
    const bool is_if = scope.opcode == Opcode::ifc || scope.opcode == Opcode::ifu;
    (scope.opcode == Opcode::loop ? loops : is_if ? ifs : calls) = true;
  });
  if (calls + ifs + loops > 1) return Kind::check;
  return calls ? Kind::check_call : ifs ? Kind::check_if : loops ? Kind::check_loop : Kind::nop;
}

}  // namespace

Interpreter::Interpreter() = default;
Interpreter::Interpreter(Interpreter&&) noexcept = default;
Interpreter& Interpreter::operator=(Interpreter&&) noexcept = default;
Interpreter::~Interpreter() = default;

Result<Interpreter> Interpreter::prepare(const Program& program, std::uint32_t entry) {
  if (program.code.size() > kMaxCodeWords)
    return Error{ErrorCode::resource_limit, "the program has more than 4096 words", program.source_name};
  if (entry >= program.code.size())
    return Error{ErrorCode::bad_input,
                 "the entry " + std::to_string(entry) + " is past the last of " +
                     std::to_string(program.code.size()) + " words",
                 program.source_name};
  Reachability possible(program, address_limit(program), nullptr);
  possible.run(entry);
  Reachability certain(program, possible.limit(), &possible);
  certain.run(entry);
  WARPJIT_CHECK(check_certain(program, certain));

  Interpreter result;
  result.code_ = program.code;
  result.source_name_ = program.source_name;
  result.op_of_address_.assign(possible.limit(), 0);
  const auto append_fault = [&](std::uint32_t address) {
    MicroOp op;
    op.address = static_cast<std::uint16_t>(address);
    result.ops_.push_back(op);
  };
  append_fault(0);  // where every address that is not reached leads
  for (std::uint32_t address = 0; address < possible.limit(); ++address) {
    if (!possible.reached(address)) continue;
    result.op_of_address_[address] = static_cast<std::uint32_t>(result.ops_.size());
    Instruction end;
    end.opcode = Opcode::end;
    const auto instruction = address == kEndAddress          ? end
                             : address < program.code.size() ? try_decode(program.code[address])
                                                             : std::optional<Instruction>();
    const bool stray =
        instruction && program.stage != Stage::geometry && (instruction->info().traits & kGeometry) != 0;
    if (!instruction || stray) {
      append_fault(address);
      continue;
    }
    const bool structural = program.structural_scopes;
    const Kind check =
        structural && possible.ends_scope(address + 1) ? Kind::structural : check_kind(possible, address + 1);
    const bool flow = (instruction->info().traits & kFlow) != 0;
    const bool alu = instruction->source_count() != 0;
    MicroOp op = alu ? make_alu(*instruction, program.descriptor(instruction->descriptor))
                     : make_flow(*instruction, address, check != Kind::nop);
    op.address = static_cast<std::uint16_t>(address);
    if (structural && flow && instruction->opcode != Opcode::end) op.kind = Kind::structural;
    result.ops_.push_back(op);
    if (program.f24 && alu && (instruction->info().traits & kWritesDest) != 0) {
      op.kind = Kind::round;
      result.ops_.push_back(op);
    }
    if (check != Kind::nop && !flow) {
      MicroOp test = make_flow(*instruction, address, true);
      test.kind = check;
      test.flow.opcode = Opcode::nop;
      test.address = static_cast<std::uint16_t>(address);
      result.ops_.push_back(test);
    }
  }
  result.entry_op_ = result.op_of_address_[entry];
  return result;
}

Status Interpreter::finish(int outcome, std::uint32_t address, ThreadState& state) const {
  canonicalize_outputs(state);
  if (outcome == kDone) return {};
  const bool inside = address < code_.size();
  const std::string where = where_word(source_name_, address, inside ? code_[address] : 0);
  if (outcome == kOutOfFuel) return Error{ErrorCode::out_of_fuel, kOutOfFuelMessage, where};
  if (outcome == kCancelled) return Error{ErrorCode::cancelled, kCancelledMessage, where};
  if (!inside) return Error{ErrorCode::fault, "the program ran past its last word", where};
  const auto instruction = try_decode(code_[address]);
  if (!instruction) return Error{ErrorCode::fault, "undefined PICA200 opcode reached", where};
  return misplaced(*instruction, where);
}

Status Interpreter::run(const Uniforms& uniforms, ThreadState& state, const RunLimits& limits,
                        HostCode code) const {
  return run(uniforms, state, nullptr, limits, code);
}

Status Interpreter::run(const Uniforms& uniforms, ThreadState& state, const RunLimits& limits,
                        interpret::Observer& observer) const {
  return run_observed(uniforms, state, nullptr, limits, observer);
}

Status Interpreter::run_observed(const Uniforms& uniforms, ThreadState& state, InterpretedUnit* unit,
                                 const RunLimits& limits, interpret::Observer& observer) const {
  if (limits.cancelled()) return finish(kCancelled, ops_[entry_op_].address, state);
  const Ending ending = run_loop_observed(ops_.data(), op_of_address_.data(), entry_op_, uniforms, state,
                                          unit, limits, observer);
  return finish(ending.outcome, ending.address, state);
}

Status Interpreter::run(Uniforms& uniforms, InterpretedUnit& unit, const RunLimits& limits,
                        interpret::Observer* observer) const {
  const Status status = observer == nullptr
                            ? run(uniforms, unit.registers, &unit, limits, HostCode::best)
                            : run_observed(uniforms, unit.registers, &unit, limits, *observer);
  uniforms.b |= 0x8000;
  return status;
}

Status Interpreter::run(const Uniforms& uniforms, ThreadState& state, InterpretedUnit* unit,
                        const RunLimits& limits, HostCode code) const {
  // Threads may make no backward transfer.
  if (limits.cancelled()) return finish(kCancelled, ops_[entry_op_].address, state);
  static const interpret::Instances<RunLoop> loops = WARPJIT_INSTANCES(run_loop);
  const Ending ending =
      loops.choose(code)(ops_.data(), op_of_address_.data(), entry_op_, uniforms, state, unit, limits);
  return finish(ending.outcome, ending.address, state);
}

void InterpretedUnit::emit() {
  const auto each_enabled = [&](auto&& visit) {
    for (unsigned n = 0; n < 16; ++n)
      if ((enabled >> n & 1) != 0) visit(n);
  };
  if (vertex < 3) each_enabled([&](unsigned n) { std::copy_n(registers.o[n], 4, vertices[vertex][n]); });
  if (primitive) {
    if (triangles.count < triangles.room) {
      auto* row = triangles.rows + std::size_t{triangles.count} * 3 * std::popcount(enabled) * 16;
      for (const auto& corner : vertices)
        each_enabled([&](unsigned n) {
          for (unsigned c = 0; c < 4; ++c, row += 4) {
            const float value = corner[n][c];
            const std::uint32_t bits = value == value ? std::bit_cast<std::uint32_t>(value) : 0x7fc00000;
            std::memcpy(row, &bits, 4);
          }
        });
    }
    if (winding && triangles.count < Triangles::kFlags)
      triangles.inverted[triangles.count / 32] |= std::uint32_t{1} << triangles.count % 32;
    ++triangles.count;
  }
  std::swap(registers.o, other_bank);
}

void apply_constants(const ProgramInfo& program, Uniforms& uniforms) {
  for (const Constant& constant : program.constants) {
    const unsigned index = constant.reg.index;
    switch (constant.reg.file) {
      case RegisterFile::c: {
        const auto values = constant.floats();
        std::copy(values.begin(), values.end(), uniforms.c[index]);
        break;
      }
      case RegisterFile::i:
        for (unsigned k = 0; k < 4; ++k) uniforms.i[index][k] = static_cast<std::uint8_t>(constant.raw[k]);
        break;
      case RegisterFile::b:
        uniforms.b =
            static_cast<std::uint16_t>((uniforms.b & ~(1U << index)) | (constant.raw[0] & 1) << index);
        break;
      default:
        break;
    }
  }
}

void canonicalize_outputs(ThreadState& state) {
  using f4 = Vector<float, 4>;
  static_assert(offsetof(ThreadState, r) == offsetof(ThreadState, o) + sizeof state.o);
  Vector<std::int32_t, 4> any = {};
  for (unsigned k = 0; k < 32; ++k) {
    f4 value;
    std::memcpy(&value, k < 16 ? state.o[k] : state.r[k - 16], sizeof value);
    any |= value != value;
  }
  if ((any[0] | any[1] | any[2] | any[3]) == 0) return;
  for (auto* file : {&state.o, &state.r})
    for (auto& reg : *file)
      for (float& value : reg)
        if (value != value) value = std::bit_cast<float>(0x7fc00000);
}

}  // namespace warpjit::pica200
