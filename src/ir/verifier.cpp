#include "ir/verifier.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "ir/barrier.h"
#include "ir/callout.h"
#include "ir/look_up.h"
#include "ir/memory.h"
#include "ir/printer.h"

namespace warpjit::ir {
namespace {

// Keeps its own dominator computation: a checker that shared it with the passes would share their mistakes.
class Verifier {
 public:
  explicit Verifier(const Function& f) : f_(f) {}

  Status run() {
    if (f_.block_count() == 0) return fail("has no entry block");
    if (!f_.block(Function::entry()).first.valid()) return fail("has an empty entry block");
    const struct {
      const char* name;
      std::uint64_t count, most;
    } counts[] = {{"inputs", f_.input_count, kMaxBindings},
                  {"outputs", f_.output_count, kMaxBindings},
                  {"bytes of uniforms", f_.uniform_bytes, kMaxUniformBytes},
                  {"slots", f_.slot_count, kMaxSlots},
                  {"bytes of primitives", f_.primitive_bytes, kMaxPrimitiveBytes},
                  {"planes", f_.tile_planes, kMaxTilePlanes},
                  {"textures", f_.texture_count, kMaxTextureCount}};
    for (const auto& [name, count, most] : counts)
      if (count > most)
        return fail("has " + std::to_string(count) + " " + name + ", above " + std::to_string(most));
    if (f_.uniform_bytes % 4 != 0) return fail("has a uniform table that is not whole words");
    if (f_.primitive_bytes % 16 != 0) return fail("has primitives that are not whole rows of 16 bytes");
    if (!f_.samples.empty() && f_.samples.size() != f_.texture_count)
      return fail("has not as many sources as textures");
    for (const SampleSource& source : f_.samples) {
      if (source.words % 16 != 0 || source.words + sample_words::kBytes > f_.uniform_bytes)
        return fail("has a source whose words are outside the uniform table");
      if (const char* reason = unsupported(source.key)) return fail(std::string("samples ") + reason);
    }
    if (!f_.pixels && (f_.primitive_bytes != 0 || f_.tile_planes != 0))
      return fail("has primitives or planes, but no pixels");

    position_.assign(f_.inst_count(), kNowhere);
    for (std::uint32_t b = 0; b < f_.block_count(); ++b) WARPJIT_CHECK(check_list(Block{b}));
    for (std::uint32_t b = 0; b < f_.block_count(); ++b) WARPJIT_CHECK(check_edges(Block{b}));
    WARPJIT_CHECK(match_edges());
    WARPJIT_CHECK(check_lane_order());
    compute_dominators();
    for (std::uint32_t b = 0; b < f_.block_count(); ++b)
      for (Inst i : f_.insts(Block{b})) WARPJIT_CHECK(check_inst(i));
    return {};
  }

 private:
  static constexpr std::uint32_t kNowhere = ~0u;

  Status fail(std::string message) const {
    return Error{ErrorCode::internal, std::move(message), "IR function \"" + f_.name + "\""};
  }
  Status fail(Block b, const std::string& message) const {
    return Error{ErrorCode::internal, message,
                 "IR function \"" + f_.name + "\", block b" + std::to_string(b.id)};
  }
  Status fail(Inst i, const std::string& message) const {
    return Error{ErrorCode::internal, message,
                 "IR function \"" + f_.name + "\", block b" + std::to_string(f_.inst(i).block.id) + ", `" +
                     print(f_, i) + "`"};
  }

  // Order, links and membership of a block's list; sets position_.
  Status check_list(Block b) {
    const BlockData& block = f_.block(b);
    if (!block.first.valid() || !block.last.valid()) {
      if (block.first.valid() != block.last.valid()) return fail(b, "has a broken instruction list");
      if (!block.predecessors.empty() || !block.successors.empty()) return fail(b, "is empty but has edges");
      return {};
    }
    bool phis = true;
    Inst previous;
    std::uint32_t position = 0;
    for (Inst i = block.first; i.valid(); i = f_.inst(i).next) {
      if (i.id >= f_.inst_count()) return fail(b, "links to an instruction that does not exist");
      const InstData& data = f_.inst(i);
      if (position_[i.id] != kNowhere) return fail(b, "lists an instruction twice");
      if (data.block != b || data.previous != previous) return fail(i, "has broken links");
      position_[i.id] = position++;
      if (data.opcode != Opcode::Phi)
        phis = false;
      else if (!phis)
        return fail(i, "phi after another instruction");
      const bool last = i == block.last;
      if (info(data.opcode).terminator != last)
        return fail(i, last ? "block does not end with a terminator" : "terminator before the end");
      previous = i;
    }
    if (previous != block.last) return fail(b, "has a broken instruction list");
    return {};
  }

  Status check_edges(Block b) {
    const BlockData& block = f_.block(b);
    if (!block.first.valid()) return {};
    if (b == Function::entry() && !block.predecessors.empty()) return fail(b, "the entry has a predecessor");
    const Opcode opcode = f_.inst(block.last).opcode;
    const std::size_t count = block.successors.size();
    const bool right = opcode == Opcode::Jump     ? count == 1
                       : opcode == Opcode::Branch ? count == 2
                       : opcode == Opcode::Return ? count == 0
                                                  : count >= 1;
    if (!right) return fail(block.last, "has " + std::to_string(count) + " successors");
    if (count < 64 && (block.backward >> count) != 0)
      return fail(block.last, "marks an edge that is not there");
    for (Block s : block.successors) {
      if (s.id >= f_.block_count() || !f_.block(s).first.valid())
        return fail(block.last, "target does not exist");
    }
    for (Block s : block.successors) edges_.emplace_back(b.id, s.id);
    for (Block p : block.predecessors) edges_back_.emplace_back(p.id, b.id);
    return {};
  }

  // Each edge stands once at both of its ends.
  Status match_edges() {
    std::sort(edges_.begin(), edges_.end());
    std::sort(edges_back_.begin(), edges_back_.end());
    auto text = [](std::pair<std::uint32_t, std::uint32_t> edge) {
      return std::string("b")
          .append(std::to_string(edge.first))
          .append(" to b")
          .append(std::to_string(edge.second));
    };
    for (std::size_t k = 0; k < edges_.size() || k < edges_back_.size(); ++k) {
      if (k > 0 && k < edges_.size() && edges_[k] == edges_[k - 1])
        return fail("has the edge " + text(edges_[k]) + " twice");
      if (k == edges_.size() || (k < edges_back_.size() && edges_back_[k] < edges_[k]))
        return fail("has no successor for the predecessor edge " + text(edges_back_[k]));
      if (k == edges_back_.size() || edges_[k] < edges_back_[k])
        return fail("has no predecessor for the edge " + text(edges_[k]));
    }
    return {};
  }

  // Lanes that run something together in the order of addresses are those at one address; at the entry, and
  // where jumps alone lead from it, they are all there.
  Status check_lane_order() const {
    if (f_.lane_order != LaneOrder::lowest_address_first || f_.form == Form::group) return {};
    std::vector<bool> has_all(f_.block_count());
    for (Block b = Function::entry(); !has_all[b.id];) {
      has_all[b.id] = true;
      const Edges& next = f_.block(b).successors;
      if (next.size() == 1 && f_.block(next[0]).predecessors.size() == 1) b = next[0];
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
    for (std::uint32_t b = 1; b < f_.block_count(); ++b)
      if (!has_all[b] && order_matters_in(f_, Block{b}))
        places.emplace_back(f_.block(Block{b}).guest_address, b);
    std::sort(places.begin(), places.end());
    for (std::size_t k = 0; k < places.size(); ++k) {
      const Block b{places[k].second};
      if (places[k].first == kNoAddress) return fail(b, "has no address, which gives the order of lanes");
      if (k > 0 && places[k].first == places[k - 1].first) return fail(b, "has the address of another block");
    }
    return {};
  }

  // Cooper, Harvey and Kennedy's iteration over reverse postorder, then an interval number per block.
  void compute_dominators() {
    const std::size_t count = f_.block_count();
    order_of_.assign(count, kNowhere);
    std::vector<std::uint32_t> postorder;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> stack = {{0, 0}};
    std::vector<bool> seen(count);
    seen[0] = true;
    while (!stack.empty()) {
      auto& [b, next] = stack.back();
      const auto& successors = f_.block(Block{b}).successors;
      if (next < successors.size()) {
        const std::uint32_t s = successors[next++].id;
        if (!seen[s]) {
          seen[s] = true;
          stack.emplace_back(s, 0);
        }
      } else {
        postorder.push_back(b);
        stack.pop_back();
      }
    }
    const auto reachable = static_cast<std::uint32_t>(postorder.size());
    for (std::uint32_t k = 0; k < reachable; ++k) order_of_[postorder[k]] = reachable - 1 - k;
    idom_.assign(count, kNowhere);
    idom_[0] = 0;
    std::vector<std::uint32_t> below(count, kNowhere);  // of which block's meeting point it was found to be
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t k = reachable - 1; k-- > 0;) {
        const std::uint32_t b = postorder[k];
        std::uint32_t meet = kNowhere;
        for (Block p : f_.block(Block{b}).predecessors) {
          if (idom_[p.id] == kNowhere) continue;
          if (meet == kNowhere) meet = p.id;
          // Up from both to where they meet; no farther than to what is below `meet` already, so that many
          // predecessors take no more steps together than one alone.
          for (std::uint32_t at = p.id; at != meet && below[at] != b;) {
            std::uint32_t& later = order_of_[at] > order_of_[meet] ? at : meet;
            below[later] = b;
            later = idom_[later];
          }
        }
        if (idom_[b] != meet) idom_[b] = meet, changed = true;
      }
      std::fill(below.begin(), below.end(), kNowhere);
    }
    // Preorder intervals of the tree: a dominates b if and only if in_[a] <= in_[b] < out_[a].
    // Children follow their parents in reverse postorder, so sizes sum up from the end, and
    // starts follow from the front on.
    std::vector<std::uint32_t> size(count, 1), taken(count, 1);
    for (std::uint32_t k = 0; k + 1 < reachable; ++k) size[idom_[postorder[k]]] += size[postorder[k]];
    in_.assign(count, 0);
    out_.assign(count, 0);
    for (std::uint32_t k = reachable; k-- > 0;) {
      const std::uint32_t b = postorder[k];
      if (b != 0) {
        const std::uint32_t parent = idom_[b];
        in_[b] = in_[parent] + taken[parent];
        taken[parent] += size[b];
      }
      out_[b] = in_[b] + size[b];
    }
  }
  bool reachable(Block b) const { return order_of_[b.id] != kNowhere; }
  bool dominates(Block a, Block b) const { return in_[a.id] <= in_[b.id] && in_[b.id] < out_[a.id]; }

  Status check_inst(Inst i) {
    const InstData& data = f_.inst(i);
    const OpcodeInfo& row = info(data.opcode);
    const bool phi = data.opcode == Opcode::Phi;
    if (data.result_count != row.results.size()) return fail(i, "has the wrong number of results");
    for (std::uint32_t k = 0; k < data.result_count; ++k) {
      const Value v = f_.result(i, k);
      if (v.id >= f_.value_count()) return fail(i, "has a result that does not exist");
      const ValueData& value = f_.value(v);
      if (value.definition != i || value.result_index != k) return fail(i, "does not own its result");
      const Type wanted = phi ? data.phi_type : type_of_letter(row.results[k]);
      if (value.type != wanted || wanted == Type::none) return fail(i, "has a result of the wrong type");
    }
    const std::span<const Value> operands = f_.operands(i);
    const std::size_t wanted = phi ? f_.block(data.block).predecessors.size() : row.operands.size();
    if (operands.size() != wanted)
      return fail(
          i, "has " + std::to_string(operands.size()) + " operands instead of " + std::to_string(wanted));
    for (std::size_t k = 0; k < operands.size(); ++k) {
      if (operands[k].id >= f_.value_count()) return fail(i, "uses a value that does not exist");
      const Type type = phi ? data.phi_type : type_of_letter(row.operands[k]);
      if (f_.value(operands[k]).type != type)
        return fail(i, "operand " + std::to_string(k) + " is " +
                           std::string(name(f_.value(operands[k]).type)) + " instead of " +
                           std::string(name(type)));
      WARPJIT_CHECK(check_dominance(i, k, operands[k]));
    }
    WARPJIT_CHECK(check_immediate(i, data, row));
    WARPJIT_CHECK(check_form(i, data, row));
    return {};
  }

  Status check_dominance(Inst user, std::size_t k, Value v) const {
    const InstData& data = f_.inst(user);
    const Inst definition = f_.definition(v);
    if (definition.id >= position_.size() || position_[definition.id] == kNowhere)
      return fail(user, "uses %" + std::to_string(v.id) + ", which is in no block");
    const Block home = f_.inst(definition).block;
    const Block at = data.opcode == Opcode::Phi ? f_.block(data.block).predecessors[k] : data.block;
    if (!reachable(at) || !reachable(data.block)) return {};
    const bool same_block = home == at && data.opcode != Opcode::Phi;
    const bool fine =
        same_block ? position_[definition.id] < position_[user.id] : reachable(home) && dominates(home, at);
    if (!fine) return fail(user, "uses %" + std::to_string(v.id) + " where its definition does not dominate");
    return {};
  }

  Status check_immediate(Inst i, const InstData& data, const OpcodeInfo& row) const {
    const std::uint64_t n = data.immediate, low = n & 0xffffffffu, high = n >> 32;
    using enum ImmediateKind;
    const struct {
      ImmediateKind kind;
      std::uint64_t end;  // of its numbers
      const char* fault;
    } plain[] = {{none, 1, "has an immediate"},
                 {truth, 2, "i1 constant is neither 0 nor 1"},
                 {word, std::uint64_t{1} << 32, "constant has more than 32 bits"},
                 {output, f_.output_count, "output does not exist"},
                 {slot, f_.slot_count, "slot does not exist"},
                 {tile_plane, f_.tile_planes, "plane does not exist"},
                 {texture, f_.texture_count, "reads a texture that does not exist"},
                 {frame_slot, f_.frame_slots, "frame slot does not exist"},
                 {axis, BlockPosition().size(), "is no direction of a grid"},
                 {quad, 0x100, "has no lanes of a quad"},
                 {stop_reason, kStopReasons, "stops for no reason"},
                 {look_up_table, kLookUpTables, "has no such table"},
                 {special_function, kSpecialFunctions, "has no such variant"},
                 {rounding, kRoundingModes, "has no such variant"},
                 {integer_rounding, kSignedInteger + kRoundingModes, "has no such variant"},
                 {is_signed, 2, "has no such variant"}};
    for (const auto& [kind, end, fault] : plain)
      if (kind == row.immediate)
        return n < end ? Status{}
                       : fail(i, std::string(fault) + ": the immediate " + std::to_string(n) +
                                     " is not below " + std::to_string(end));
    switch (row.immediate) {
      case uniform_offset:
        if (n % 4 != 0 || n >= f_.uniform_bytes) return fail(i, "offset outside the uniform table");
        if (data.opcode == Opcode::LookUpUniform32 && n + 4 * kLookUpWords > f_.uniform_bytes)
          return fail(i, "words outside the uniform table");
        break;
      case uniform_rows:
        if (low % 4 != 0 || low + high * 16 > f_.uniform_bytes)
          return fail(i, "rows outside the uniform table");
        break;
      case input:
        if (low >= f_.input_count || high > f_.input_count) return fail(i, "input does not exist");
        break;
      case input_rows:
        if (low >= f_.input_count) return fail(i, "input does not exist");
        return check_rows(i, high);
      case output_rows:
        if (low >= f_.output_count) return fail(i, "output does not exist");
        return check_rows(i, high);
      case primitive_offset:
        if (n % 4 != 0 || n >= f_.primitive_bytes) return fail(i, "offset outside the primitive's record");
        break;
      case sample: {
        const SampleUse use = SampleUse::unpack(n);
        if (use.pack() != n || static_cast<unsigned>(use.operation) >= kSampleOperations)
          return fail(i, "is no sample");
        if (use.source >= f_.samples.size()) return fail(i, "has a source that does not exist");
        break;
      }
      case frame_rows:
        if (!std::has_single_bit(high)) return fail(i, "has no power of two of slots");
        if (low + high > f_.frame_slots) return fail(i, "frame slot does not exist");
        break;
      case access: {
        const MemoryAccess access = MemoryAccess::unpack(n);
        if (!access.valid() || access.pack() != n) return fail(i, "is no possible access");
        if (access.space == Space::constant && row.writes && data.opcode != Opcode::LoadMemory)
          return fail(i, "writes constants");
        break;
      }
      case barrier:
        if (BarrierForm::unpack(n).pack() != n) return fail(i, "is no possible barrier");
        break;
      case f64_operation:
        if ((n & 0xff) >= kF64Functions || n >> 8 >= kRoundingModes) return fail(i, "has no such variant");
        break;
      default:
        break;
    }
    return {};
  }
  Status check_rows(Inst i, std::uint64_t rows) const {
    return rows == 0 || rows > kMaxRows ? fail(i, "has no rows, or too many") : Status{};
  }

  Status check_form(Inst i, const InstData& data, const OpcodeInfo& row) const {
    const bool group = f_.form == Form::group;
    if (row.group_only && !group) return fail(i, "stands in thread form");
    if (row.family == Family::pixel && !f_.pixels) return fail(i, "stands in a function without pixels");
    if ((data.opcode == Opcode::PixelCenterX || data.opcode == Opcode::PixelCenterY) &&
        f_.primitive_bytes == 0)
      return fail(i, "the primitive has no record");
    const bool preamble = group && data.block == Function::entry() &&
                          f_.inst(f_.terminator(data.block)).opcode == Opcode::Return;
    if (row.preamble_only && !preamble) return fail(i, "stands outside a preamble");
    if (!group) return {};
    if (data.opcode == Opcode::Branch || data.opcode == Opcode::Switch) {
      if (f_.value(f_.operand(i, 0)).uniformity == Uniformity::varying)
        return fail(i, "branches on a varying value");
    }
    if (data.opcode == Opcode::MinLaneU32) {
      const Value v = f_.operand(i, 0);
      const Opcode source = f_.definition_of(v).opcode;
      if (f_.value(v).uniformity == Uniformity::varying && source != Opcode::SelectI32 &&
          source != Opcode::LoadSlot && source != Opcode::LoadFrameRow && source != Opcode::Phi)
        return fail(i, "reads lanes that may be dead");
    }
    if (row.pure && !row.convergent && data.opcode != Opcode::Phi && data.result_count != 0) {
      Uniformity uniformity = Uniformity::launch;
      for (std::uint32_t k = 0; k < data.operand_count; ++k)
        if (!row.is_mask(k)) uniformity = std::max(uniformity, f_.value(f_.operand(i, k)).uniformity);
      if (f_.value(data.first_result).uniformity < uniformity)
        return fail(i, "claims a narrower uniformity than its operands have");
    }
    return {};
  }

  const Function& f_;
  std::vector<std::uint32_t> position_;                                      // of an instruction in its block
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_, edges_back_;  // from, to
  std::vector<std::uint32_t> order_of_, idom_, in_, out_;                    // per block
};

}  // namespace

Status verify(const Function& f) { return Verifier(f).run(); }

}  // namespace warpjit::ir
