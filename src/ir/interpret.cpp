#include "ir/interpret.h"

#include <algorithm>
#include <limits>
#include <string>

#include "ir/interpret_lanes.h"

namespace warpjit::ir {
namespace {
constexpr std::uint64_t kMaxFrameWords = std::uint64_t{1} << 26;
// The value of a slot before its first store: an unlikely value, so that tests notice it.
constexpr std::uint32_t kUnsetSlot = 0xdeadbeefu;
}  // namespace

// Turns blocks into a flat list: the operations of each block and, after all blocks, the operations of each
// edge with copies or fuel.
class Preparation {
 public:
  Preparation(const Function& f, Interpreter& out) : f_(f), out_(out) {}

  Status run() {
    WARPJIT_CHECK(lay_out_frame());
    starts_.assign(f_.block_count(), 0);
    // The entry has no predecessor and stands first.
    for (std::uint32_t b = 0; b < f_.block_count(); ++b) {
      starts_[b] = here();
      for (Inst i : f_.insts(Block{b})) operation(i);
    }
    for (std::size_t k = 0; k < edges_.size(); ++k) edge(edges_[k]);
    resolve_targets();
    if (unsupported_ != nullptr) return Error{ErrorCode::unsupported, unsupported_, f_.name};
    return {};
  }

 private:
  using Operation = Interpreter::Operation;
  struct Edge {
    Block from;
    std::uint32_t index;  // of the successor
    std::uint32_t start = 0;
  };

  std::uint32_t here() const { return static_cast<std::uint32_t>(out_.operations_.size()); }
  std::uint32_t at(Value v) const { return home_[v.id]; }

  Status lay_out_frame() {
    home_.assign(f_.value_count(), 0);
    std::uint64_t next = 0;
    bool stores_uniform = false, burns = false;
    std::size_t most_phis = 0;
    for (std::uint32_t b = 0; b < f_.block_count(); ++b) {
      std::size_t phis = 0;
      for (Inst i : f_.insts(Block{b})) {
        const InstData& data = f_.inst(i);
        for (std::uint32_t k = 0; k < data.result_count; ++k, ++next)
          home_[f_.result(i, k).id] = static_cast<std::uint32_t>(next * out_.lanes_);
        phis += data.opcode == Opcode::Phi;
        burns |= data.opcode == Opcode::BurnFuel;
        stores_uniform |= data.opcode == Opcode::StoreUniformF32 || data.opcode == Opcode::StoreUniformI32;
      }
      most_phis = std::max(most_phis, phis);
    }
    const std::uint64_t words = (next + most_phis + f_.slot_count + 1) * out_.lanes_;
    if (words > kMaxFrameWords)
      return Error{ErrorCode::resource_limit, "the program has too many values", ""};
    first_temporary_ = static_cast<std::uint32_t>(next * out_.lanes_);
    out_.first_slot_ = static_cast<std::uint32_t>((next + most_phis) * out_.lanes_);
    out_.slot_words_ = f_.slot_count * out_.lanes_;
    out_.frame_words_ = static_cast<std::uint32_t>(words);
    hoist_loads_ = !stores_uniform;
    burn_on_edges_ = f_.form == Form::thread || !burns;
    overwritten_.assign(home_.size(), ~0u);
    return {};
  }

  void operation(Inst i) {
    const InstData& data = f_.inst(i);
    const std::span<const Value> operands = f_.operands(i);
    Operation made;
    made.opcode = data.opcode;
    made.guest_address = data.guest_address;
    made.immediate = data.immediate;
    if (data.result_count != 0) made.result = at(data.first_result);
    if (operands.size() > 0 && data.opcode != Opcode::Phi) made.a = at(operands[0]);
    if (operands.size() > 1 && data.opcode != Opcode::Phi) made.b = at(operands[1]);
    if (operands.size() > 2 && data.opcode != Opcode::Phi) made.c = at(operands[2]);
    switch (data.opcode) {
      case Opcode::Phi:
        return;  // the edges copy
      case Opcode::ConstI1:
      case Opcode::ConstI32:
      case Opcode::ConstF32:
        out_.constants_.push_back({made.result, static_cast<std::uint32_t>(data.immediate)});
        return;
      case Opcode::LoadUniformI32:
      case Opcode::LoadUniformF32:
        if (hoist_loads_) {
          out_.broadcasts_.push_back(made);
          return;
        }
        break;
      case Opcode::Barrier:
        unsupported_ = "a barrier that schedule_groups has not seen";
        break;
      case Opcode::Sample:
        unsupported_ = "a sample that expand_samples has not seen";
        break;
      case Opcode::AnyActive:
      case Opcode::AllActive:
      case Opcode::QuadSwizzle32:
      case Opcode::QuadSwizzle1:
      case Opcode::QuadRead:
        if (f_.form == Form::thread) unsupported_ = "lanes that meet in thread form";
        break;
      case Opcode::StoreOutput:
      case Opcode::StoreOutputRow:  // the index goes with the words
        made.b = static_cast<std::uint32_t>(out_.lists_.size());
        for (std::size_t k = 1; k < operands.size(); ++k) out_.lists_.push_back(at(operands[k]));
        break;
      case Opcode::Jump:
      case Opcode::Branch:
      case Opcode::Switch:
        // Targets are edge numbers until resolve_targets.
        made.b = static_cast<std::uint32_t>(edges_.size());
        made.c = static_cast<std::uint32_t>(f_.block(data.block).successors.size());
        for (std::uint32_t k = 0; k < made.c; ++k) edges_.push_back({data.block, k});
        break;
      case Opcode::LaneRead:
        if (f_.form == Form::thread) unsupported_ = "lanes that meet in thread form";
        [[fallthrough]];
      default:
        if (!info(data.opcode).callout) break;
        made.b = static_cast<std::uint32_t>(out_.lists_.size());
        made.c = static_cast<std::uint32_t>(operands.size());
        for (Value v : operands) out_.lists_.push_back(at(v));
        break;
    }
    const bool memory = family(data.opcode) == Family::memory || data.opcode == Opcode::BlockIndex;
    out_.needs_block_ = out_.needs_block_ || memory;
    out_.needs_pixels_ = out_.needs_pixels_ || family(data.opcode) == Family::pixel;
    out_.operations_.push_back(made);
  }

  void edge(Edge& edge) {
    const BlockData& from = f_.block(edge.from);
    const Block target = from.successors[edge.index];
    edge.start = here();
    if (burn_on_edges_ && edge.index < 64 && ((from.backward >> edge.index) & 1) != 0) {
      Operation burn;
      burn.opcode = Opcode::BurnFuel;
      burn.a = kAllLanes;
      burn.guest_address = f_.inst(from.last).guest_address;
      if (burn.guest_address == kNoAddress) burn.guest_address = from.guest_address;
      out_.operations_.push_back(burn);
    }
    copies(edge.from, target, static_cast<std::uint32_t>(&edge - edges_.data()));
    if (here() == edge.start) {
      edge.start = starts_[target.id];
      return;
    }
    Operation jump;
    jump.opcode = Opcode::Jump;
    jump.immediate = starts_[target.id];
    out_.operations_.push_back(jump);
  }

  // The phis of an edge read before any of them is written: a source that is itself overwritten on this edge
  // goes through a temporary.
  void copies(Block from, Block target, std::uint32_t stamp) {
    const std::size_t slot = f_.predecessor_index(target, from);
    copies_.clear();
    for (Inst i : f_.insts(target)) {
      if (f_.inst(i).opcode != Opcode::Phi) break;
      const Value source = f_.operand(i, static_cast<std::uint32_t>(slot)), result = f_.result(i);
      if (source == result) continue;
      copies_.push_back({source, result});
      overwritten_[result.id] = stamp;
    }
    std::uint32_t temporary = first_temporary_;
    for (Copy& copy : copies_) {
      copy.from = at(copy.source);
      if (overwritten_[copy.source.id] != stamp) continue;
      push_copy(copy.from, temporary);
      copy.from = temporary;
      temporary += out_.lanes_;
    }
    for (const Copy& copy : copies_) push_copy(copy.from, at(copy.result));
  }
  void push_copy(std::uint32_t from, std::uint32_t to) {
    Operation copy;
    copy.opcode = Opcode::Phi;
    copy.a = from;
    copy.result = to;
    out_.operations_.push_back(copy);
  }

  void resolve_targets() {
    for (Operation& operation : out_.operations_) {
      const bool jumps = operation.opcode == Opcode::Jump || operation.opcode == Opcode::Branch ||
                         operation.opcode == Opcode::Switch;
      if (!jumps || operation.c == 0) continue;  // an edge's own jump has no edges
      const Edge* targets = edges_.data() + operation.b;
      switch (operation.opcode) {
        case Opcode::Jump:
          operation.immediate = targets[0].start;
          break;
        case Opcode::Branch:
          operation.immediate = targets[0].start | std::uint64_t{targets[1].start} << 32;
          break;
        case Opcode::Switch: {
          const std::uint32_t count = operation.c;
          operation.b = static_cast<std::uint32_t>(out_.lists_.size());
          for (std::uint32_t k = 0; k < count; ++k) out_.lists_.push_back(targets[k].start);
          break;
        }
        default:
          break;
      }
    }
  }

  const Function& f_;
  Interpreter& out_;
  std::vector<std::uint32_t> home_;         // word offset of a value
  std::vector<std::uint32_t> overwritten_;  // per value: the last edge that writes it
  std::vector<std::uint32_t> starts_;       // of blocks
  std::vector<Edge> edges_;
  struct Copy {
    Value source, result;
    std::uint32_t from = 0;
  };
  std::vector<Copy> copies_;
  std::uint32_t first_temporary_ = 0;
  bool hoist_loads_ = false, burn_on_edges_ = false;
  const char* unsupported_ = nullptr;
};

bool Interpreter::valid_lanes(unsigned lanes) { return is_group_width(lanes); }

Result<Interpreter> Interpreter::prepare(const Function& f, unsigned lanes) {
  if (!valid_lanes(lanes))
    return Error{ErrorCode::bad_input, "no group of " + std::to_string(lanes) + " lanes exists", ""};
  Interpreter made;
  made.lanes_ = f.form == Form::thread ? 1 : lanes;
  made.input_count_ = f.input_count;
  made.output_count_ = f.output_count;
  made.uniform_words_ = f.uniform_bytes / 4;
  made.texture_count_ = f.texture_count;
  made.inner_groups_ = f.inner_groups;
  made.has_blocks_ = f.block_groups != 0;
  made.frame_slots_ = f.frame_slots;
  made.frame_words_of_block_ = std::max(f.block_groups, 1U) * f.frame_slots * made.lanes_;
  made.record_lanes_ = lanes;
  made.group_lanes_ = f.group_lanes != 0 ? f.group_lanes : made.lanes_;
  if (f.group_lanes != 0 && f.form == Form::group && f.group_lanes != lanes)
    return Error{ErrorCode::bad_input,
                 "the function has groups of " + std::to_string(f.group_lanes) + " lanes", f.name};
  WARPJIT_CHECK(Preparation(f, made).run());
  return made;
}

Interpreter::Frame Interpreter::make_frame() const {
  Frame frame;
  frame.storage_.resize(frame_words_ + 16);
  const auto address = reinterpret_cast<std::uintptr_t>(frame.storage_.data());
  frame.words_ = frame.storage_.data() + ((64 - address % 64) % 64) / 4;
  for (const Constant& constant : constants_)
    std::fill_n(frame.words_ + constant.result, lanes_, constant.bits);
  return frame;
}

Status Interpreter::run(const Memory& memory, std::uint64_t first_thread, std::uint64_t thread_count,
                        std::uint64_t fuel) const {
  Frame frame = make_frame();
  return run(frame, memory, first_thread, thread_count, fuel);
}

Status Interpreter::run(Frame& frame, const Memory& memory, std::uint64_t first_thread,
                        std::uint64_t thread_count, std::uint64_t fuel) const {
  if (memory.inputs.size() < input_count_) return Error{ErrorCode::bad_input, "an input has no binding", ""};
  if (memory.outputs.size() < output_count_)
    return Error{ErrorCode::bad_input, "an output has no binding", ""};
  if (memory.uniform.size() < uniform_words_)
    return Error{ErrorCode::bad_input, "the uniform table is too short", ""};
  if (memory.textures.size() < texture_count_)
    return Error{ErrorCode::bad_input, "a texture has no memory", ""};
  if (needs_block_ && memory.block == nullptr)
    return Error{ErrorCode::bad_input, "the block has no memory", ""};
  if (needs_pixels_ && (memory.quads == nullptr || memory.groups == nullptr || memory.tile == nullptr))
    return Error{ErrorCode::bad_input, "there are no records of pixels", ""};
  if (memory.frame.size() < frame_words_of_block_)
    return Error{ErrorCode::bad_input, "the frame is too short", ""};
  const RunGroup run_group = run_group_for(lanes_);
  for (const Operation& load : broadcasts_)
    std::fill_n(frame.words_ + load.result, lanes_, memory.uniform[load.immediate / 4]);

  GroupContext context;
  context.operations = operations_.data();
  context.lists = lists_.data();
  context.inputs = memory.inputs.data();
  context.outputs = memory.outputs.data();
  context.uniform = memory.uniform.data();
  context.cancel = memory.cancel;
  context.first_slot = first_slot_;
  context.lanes = lanes_;
  context.block = memory.block;
  context.quads = memory.quads;
  context.groups = memory.groups;
  context.tile = memory.tile;
  context.record_lanes = record_lanes_;
  context.textures = memory.textures.data();
  context.block_frame = memory.frame.data();
  context.frame_slots = frame_slots_;
  context.group_lanes = group_lanes_;
  context.inner = inner_groups_ > 1;
  context.blocks = has_blocks_;
  context.fuel = group_fuel(fuel);
  // With one lane the thread is the group.
  FuelCounts counts(lanes_ == 1 && !context.inner ? 0 : fuel);
  context.fuel_counts = &counts;
  for (std::uint64_t done = 0; done < thread_count; done += lanes_) {
    context.first_thread = first_thread + done;
    context.active = static_cast<std::uint32_t>(std::min<std::uint64_t>(lanes_, thread_count - done));
    std::fill_n(frame.words_ + first_slot_, slot_words_, kUnsetSlot);
    const GroupOutcome outcome = run_group(context, frame.words_);
    if (outcome.end == GroupEnd::done) continue;
    std::string where;
    if (outcome.guest_address != kNoAddress) where = "guest address " + std::to_string(outcome.guest_address);
    if (outcome.end == GroupEnd::stopped)
      return Error{ErrorCode::fault, std::string(message(outcome.reason)), where};
    if (outcome.end == GroupEnd::cancelled)
      return Error{ErrorCode::cancelled, "the launch was cancelled", where};
    return Error{ErrorCode::out_of_fuel, kOutOfFuelMessage, where};
  }
  return {};
}

}  // namespace warpjit::ir
