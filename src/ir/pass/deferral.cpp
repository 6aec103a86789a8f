#include "ir/pass/deferral.h"

#include <algorithm>

namespace warpjit::ir {
namespace {

using Positions = std::vector<std::uint32_t>;  // ascending places in the order

void insert(Positions& set, std::uint32_t position) {
  const auto at = std::lower_bound(set.begin(), set.end(), position);
  if (at == set.end() || *at != position) set.insert(at, position);
}
void insert(Positions& set, const Positions& more) {
  for (std::uint32_t position : more) insert(set, position);
}

}  // namespace

bool diverges(const Function& f, Block b) {
  const Inst end = f.terminator(b);
  return f.inst(end).operand_count != 0 && f.value(f.operand(end, 0)).uniformity == Uniformity::varying;
}

std::optional<std::vector<std::vector<Block>>> deferred_exits(const Function& f, const Loops& loops) {
  const auto& order = loops.order();
  std::vector<std::vector<Block>> result(loops.loops().size());
  // Before each block, without what is pending around its loop.
  std::vector<Positions> deferred(order.size());
  std::vector<Positions> around(loops.loops().size());                // what is pending around a loop
  std::vector<std::vector<Positions>> leaving(loops.loops().size());  // targets at each way out
  // All targets of one way on, from a block of `loop`.
  const auto go_on = [&](std::uint32_t loop, Positions targets) {
    const std::uint32_t next = targets.front();
    if (loop != Loops::kNone && next >= loops.loop(loop).end) {
      leaving[loop].push_back(std::move(targets));
    } else {
      targets.erase(targets.begin());
      insert(deferred[next], targets);
    }
  };
  Positions targets;
  std::size_t waiting = 0;
  for (std::uint32_t at = 0; at < order.size(); ++at) {
    const Block b = order[at];
    const std::uint32_t loop = loops.innermost(b);
    const auto& successors = f.block(b).successors;
    waiting += deferred[at].size();
    if (waiting > kMaxDeferred * (at + 64)) return std::nullopt;
    if (loops.is_header(b)) around[loop].swap(deferred[at]);
    if (successors.size() == 1 && loops.position(successors[0]) <= at) {
      // The end of the loop: whoever left it on the way goes on with those who leave last.
      const Positions& parted = deferred[at];
      for (std::uint32_t position : parted) result[loop].push_back(order[position]);
      // All through the loop what waits around it does, and who left in an earlier turn.
      waiting += (parted.size() + around[loop].size()) * (loops.loop(loop).end - loops.loop(loop).first);
      if (!parted.empty()) leaving[loop].emplace_back();
      for (Positions& out : leaving[loop]) {
        insert(out, parted);
        insert(out, around[loop]);
        go_on(loops.loop(loop).parent, std::move(out));
      }
      continue;
    }
    if (successors.empty()) continue;
    targets = deferred[at];
    const bool part = diverges(f, b);
    for (Block s : successors) {
      if (!part) targets = deferred[at];
      insert(targets, loops.position(s));
      if (!part) go_on(loop, targets);
    }
    if (part) go_on(loop, targets);
  }
  return result;
}

}  // namespace warpjit::ir
