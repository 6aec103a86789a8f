#include "debug/origin.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace warpjit::debug {
namespace {

using From = DebugOrigin::From;
using Node = DebugOrigin::Node;

class Backwards {
 public:
  explicit Backwards(const OriginSearch& search)
      : trace_(search.trace),
        banks_(search.banks),
        code_(search.code),
        special_(search.special),
        most_(search.most) {}

  FoundOrigin run(unsigned word, unsigned lane, std::uint64_t step) {
    find(word, lane, step, trace_.before(step).get(word, lane));
    return follow_all();
  }
  FoundOrigin run_color(unsigned target, unsigned lane) {
    std::vector<Word> words;
    for (const Trace::Given& given : trace_.given())
      if (given.target == target && given.lane == lane)
        words.push_back({given.word, given.step, trace_.before(given.step).get(given.word, lane)});
    return run_written(lane, trace_.end(), words);
  }
  FoundOrigin run_store(unsigned lane, std::uint64_t step, std::uint32_t value) {
    std::vector<Word> same, all;
    for (const Event::Read& read : trace_.event(step).reads) {
      if (read.lane != lane) continue;
      all.push_back({read.word, step, read.value});
      if (read.value == value) same.push_back(all.back());
    }
    return run_written(lane, step, same.empty() ? all : same);
  }

 private:
  // A word, and its value before a step.
  struct Word {
    unsigned word = 0;
    std::uint64_t step = 0;
    std::uint32_t value = 0;
  };
  FoundOrigin run_written(unsigned lane, std::uint64_t step, const std::vector<Word>& words) {
    Node root{.from = From::written, .step = step, .word = ~0U, .lane = lane};
    if (trace_.has(step)) root.address = trace_.head(step).address;
    if (!words.empty()) root.value = words.front().value;
    add({~0U, lane, step, ~std::uint64_t{0}}, std::move(root));
    std::vector<std::size_t> all, special;
    for (const Word& word : words) {
      const std::size_t number = find(word.word, lane, word.step, word.value);
      if (std::ranges::find(all, number) != all.end()) continue;
      all.push_back(number);
      if (is_special(origin_.nodes[number])) special.push_back(number);
    }
    // Nodes that nobody follows are not asked for.
    const bool some = special_ && !special.empty();
    for (const std::size_t number : all)
      if (some && std::ranges::find(special, number) == special.end())
        origin_.nodes[number].from = From::more;
    origin_.nodes[0].of = some ? std::move(special) : std::move(all);
    return follow_all();
  }
  // By what gave it, or else as f32.
  static bool is_special(const Node& node) {
    return node.special || (node.from != From::computed && (node.value & 0x7f800000) == 0x7f800000);
  }

  FoundOrigin follow_all() {
    // In the order in which they were found, so that what is near comes before what is far.
    for (std::size_t k = 0; k < origin_.nodes.size(); ++k)
      if (origin_.nodes[k].from == From::computed) follow(k);
    return {std::move(origin_), std::move(bytes_)};
  }

  // The node of a word as it is before a step, which has this value then.
  std::size_t find(unsigned word, unsigned lane, std::uint64_t step, std::uint32_t value) {
    const frontend::RegisterBank* const bank = bank_of(banks_, word);
    const bool of_thread = bank == nullptr || bank->of != frontend::RegisterBank::Of::launch;
    const auto writer =
        of_thread || trace_.writes_uniforms() ? trace_.writer(word, lane, step) : std::nullopt;
    const std::uint64_t at = writer.value_or(step);
    Node node{.step = at,
              .address = trace_.has(at) ? trace_.head(at).address : 0,
              .word = word,
              .lane = lane,
              .value = value};
    node.special = writer && code_.result(node.address, word, value) != 0;
    if (!of_thread && !writer)
      node.from = From::uniform;
    else if (!writer && trace_.first() != 0)
      node.from = From::more;  // the trace does not begin at the first step
    else if (!writer)
      node.from = trace_.is_held(word, lane) ? From::start : From::undefined;
    else if (is_varying(word))
      node.from = From::varying;
    const bool is_start = node.from == From::start;
    const std::size_t number = add({word, lane, writer.value_or(~std::uint64_t{0}), 0}, std::move(node));
    if (is_start) find_slots(number);
    return number;
  }
  // What was there before the first step may have been made of slots of the primitive's vertices.
  void find_slots(std::size_t number) {
    const Node node = origin_.nodes[number];
    std::vector<std::size_t> of;
    From from = From::start;
    for (const Trace::MadeOf& made : trace_.made_of()) {
      if (made.word != node.word) continue;
      from = made.sampled ? From::texture : From::varying;
      const std::uint32_t value = trace_.start().get(made.slot, node.lane);
      const bool is_special_slot = (value & 0x7f800000) == 0x7f800000;
      if ((special_ && !is_special_slot) || origin_.nodes.size() >= most_) continue;
      Node slot = node;
      slot.from = From::varying;
      slot.word = made.slot;
      slot.value = value;
      of.push_back(add({made.slot, node.lane, ~std::uint64_t{0}, 0}, std::move(slot)));
    }
    std::vector<Event::Texel> texels;
    for (const Trace::StartTexel& of_texel : trace_.start_texels())
      if (of_texel.word == node.word && of_texel.texel.lane == node.lane) texels.push_back(of_texel.texel);
    add_texels(node, std::move(texels), of);
    origin_.nodes[number].from = from;
    origin_.nodes[number].of = std::move(of);
  }

  // Those of the node's lane with the greatest weights; if only NaNs and infinities are followed, those, if there are some.
  void add_texels(const Node& node, std::vector<Event::Texel> texels, std::vector<std::size_t>& of) {
    std::erase_if(texels, [&](const Event::Texel& texel) { return texel.lane != node.lane; });
    if (special_ && std::ranges::any_of(texels, &Event::Texel::special))
      std::erase_if(texels, [&](const Event::Texel& texel) { return !texel.special; });
    std::ranges::stable_sort(texels, std::greater(), &Event::Texel::weight);
    if (texels.size() > DebugOrigin::kMostTexels) texels.resize(DebugOrigin::kMostTexels);
    for (const Event::Texel& texel : texels) {
      Node one = node;
      one.from = From::texel;
      one.word = ~0U;
      one.of.clear();
      one.value = texel.bits[0];
      one.special = texel.special;
      one.texel.emplace();
      one.texel->texture = texel.texture;
      one.texel->level = texel.level;
      one.texel->layer = texel.layer;
      one.texel->x = texel.x;
      one.texel->y = texel.y;
      one.texel->bytes = texel.bytes;
      one.texel->lane = texel.lane;
      one.texel->weight = texel.weight;
      one.texel->special = texel.special;
      one.texel->value = texel.bits;
      one.bytes = bytes_.size();
      const auto place = reinterpret_cast<std::uintptr_t>(texel.place);
      const std::size_t count = origin_.nodes.size();
      of.push_back(add({~1U, node.lane, node.step,
                        place != 0 ? std::uint64_t{place} : std::uint64_t{texel.y} << 32 | texel.x},
                       std::move(one)));
      if (origin_.nodes.size() != count) bytes_.push_back({texel.place, texel.bytes, texel.bits});
    }
  }

  // Word, lane and the step that gave it, or of loads ~0, lane, step and address.
  using Key = std::tuple<unsigned, unsigned, std::uint64_t, std::uint64_t>;
  std::size_t add(const Key& key, Node node) {
    const auto [at, is_new] = numbers_.try_emplace(key, origin_.nodes.size());
    if (is_new) origin_.nodes.push_back(std::move(node));
    return at->second;
  }

  bool is_varying(unsigned word) const {
    const frontend::RegisterBank* const bank = bank_of(banks_, word);
    return bank != nullptr && bank->of == frontend::RegisterBank::Of::varying;
  }
  // If a value is special, only operands that are special, too, are followed.
  bool is_followed(const Node& of, unsigned word, std::uint32_t operand) const {
    return !special_ || !of.special || code_.operand(of.address, word, operand) != 0;
  }

  void follow(std::size_t number) {
    const Node node = origin_.nodes[number];
    const Event event = trace_.event(node.step);
    std::vector<std::size_t> of;
    const auto has_room = [&] {
      if (origin_.nodes.size() < most_) return true;
      origin_.nodes[number].from = From::more;
      return false;
    };
    unsigned operands = 0;
    // An instruction that interpolates several slots gives each result one of them.
    const bool is_slot = std::ranges::any_of(event.reads, [&](const Event::Read& read) {
      return read.lane == node.lane && is_varying(read.word) && read.value == node.value;
    });
    for (const Event::Read& read : event.reads) {
      if (read.lane != node.lane) continue;
      if (is_slot && !(is_varying(read.word) && read.value == node.value)) continue;
      const bool again = std::ranges::any_of(event.reads, [&](const Event::Read& other) {
        return &other < &read && other.lane == read.lane && other.word == read.word;
      });
      if (again) continue;
      ++operands;
      if (!is_followed(node, read.word, read.value)) continue;
      if (!has_room()) return;
      of.push_back(find(read.word, read.lane, is_varying(read.word) ? node.step + 1 : node.step, read.value));
    }
    for (const Event::Memory& access : event.memory) {
      if (access.lane != node.lane || access.store || access.faulted) continue;
      if (access.bytes == 4 && !is_followed(node, CodeFacts::kMemory, access.value)) continue;
      if (!has_room()) return;
      of.push_back(load(access, node.step));
    }
    Node& self = origin_.nodes[number];
    if ((event.happened & interpret::kSampled) != 0) {
      self.from = From::texture;
      add_texels(node, event.texels, of);
      origin_.nodes[number].of = std::move(of);
      return;
    }
    if (operands == 1 && of.size() == 1 && event.memory.empty() && origin_.nodes[of[0]].value == self.value)
      self.from = From::copied;
    self.of = std::move(of);
  }

  // What was loaded: stored by an earlier step, or there before.
  std::size_t load(const Event::Memory& access, std::uint64_t step) {
    for (std::uint64_t n = step; n-- > trace_.first();) {
      const std::span<const Event::Memory> accesses = trace_.accesses(n);
      for (const Event::Memory& store : accesses) {
        if (!store.store || store.faulted || store.space != access.space || store.address != access.address)
          continue;
        // The register that it stored is among those that the step read.
        const Event event = trace_.event(n);
        for (const Event::Read& read : event.reads)
          if (read.lane == store.lane && read.value == store.value)
            return find(read.word, read.lane, n, read.value);
      }
    }
    const std::size_t count = origin_.nodes.size();
    const std::size_t number =
        add({~0U, access.lane, step, access.address}, {.from = From::memory,
                                                       .step = step,
                                                       .address = trace_.head(step).address,
                                                       .word = ~0U,
                                                       .lane = access.lane,
                                                       .value = access.value,
                                                       .memory = access.address,
                                                       .bytes = bytes_.size()});
    if (origin_.nodes.size() != count)
      bytes_.push_back({access.place, std::min<unsigned>(access.bytes, 4), {access.value}});
    return number;
  }

  const Trace& trace_;
  std::span<const frontend::RegisterBank> banks_;
  const CodeFacts& code_;
  bool special_;
  std::size_t most_;
  DebugOrigin origin_;
  std::vector<FoundOrigin::Bytes> bytes_;
  std::map<Key, std::size_t> numbers_;
};

}  // namespace

FoundOrigin find_origin(const OriginSearch& search, unsigned word, unsigned lane, std::uint64_t step) {
  return Backwards(search).run(word, lane, step);
}
FoundOrigin find_origin_of_color(const OriginSearch& search, unsigned target, unsigned lane) {
  return Backwards(search).run_color(target, lane);
}
FoundOrigin find_origin_of_store(const OriginSearch& search, unsigned lane, std::uint64_t step,
                                 std::uint32_t value) {
  return Backwards(search).run_store(lane, step, value);
}

}  // namespace warpjit::debug
