#include "debug/trace.h"

#include <algorithm>
#include <utility>

namespace warpjit::debug {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
  return hash ^ hash >> 29;
}

bool is_same(const Event::Read& a, const Event::Read& b) {
  return a.word == b.word && a.lane == b.lane && a.bits == b.bits;
}
bool is_same(const Event::Write& a, const Event::Write& b) {
  return a.word == b.word && a.lane == b.lane && a.bits == b.bits;
}

// True if writes of one word follow each other, and write the same.
bool writes_the_same(std::span<const Event::Write> writes) {
  for (std::size_t k = 1; k < writes.size(); ++k)
    if (writes[k].word == writes[k - 1].word &&
        (writes[k].after != writes[k - 1].after || writes[k].bits != writes[k - 1].bits))
      return false;
  return true;
}

}  // namespace

Trace::Trace(std::span<const frontend::RegisterBank> banks, unsigned lanes, std::uint64_t from)
    : banks_(banks),
      start_(words_of(banks), lanes),
      varyings_(words_of(banks)),
      from_(from),
      spacing_(std::max(1024U, words_of(banks) * lanes / 4)) {
  held_.resize(std::size_t{varyings_} * lanes);
  defined_ = held_;
  for (const frontend::RegisterBank& bank : banks)
    if (bank.of == frontend::RegisterBank::Of::thread)
      threads_end_ = std::max(threads_end_, bank.first + unsigned{bank.registers} * bank.components);
  for (const frontend::RegisterBank& bank : banks)
    if (bank.of == frontend::RegisterBank::Of::varying) varyings_ = std::min<unsigned>(varyings_, bank.first);
}

std::uint32_t Trace::shape_of(const Event& event, std::uint16_t happened, bool same) {
  std::uint64_t hash = mixed(mixed(event.address, event.lanes), happened * 2U + (same ? 1U : 0U));
  for (const Event::Read& read : event.reads)
    hash = mixed(hash, std::uint64_t{read.word} << 40 | std::uint64_t{read.lane} << 32 | read.bits);
  for (const Event::Write& write : event.writes)
    hash = mixed(hash, ~(std::uint64_t{write.word} << 40 | std::uint64_t{write.lane} << 32 | write.bits));
  const auto equal = [](const auto& a, const auto& b) { return is_same(a, b); };
  for (auto [at, end] = shapes_by_hash_.equal_range(hash); at != end; ++at) {
    const Shape& shape = shapes_[at->second];
    if (shape.head.address == event.address && shape.head.lanes == event.lanes && shape.same == same &&
        shape.head.happened == happened && std::ranges::equal(shape.reads, event.reads, equal) &&
        std::ranges::equal(shape.writes, event.writes, equal))
      return at->second;
  }
  for (const Event::Write& write : event.writes)
    if (const auto* const bank = bank_of(banks_, write.word))
      writes_uniforms_ = writes_uniforms_ || bank->of == frontend::RegisterBank::Of::launch;
  const auto number = static_cast<std::uint32_t>(shapes_.size());
  shapes_.push_back({{event.address, event.lanes, happened}, event.reads, event.writes, same});
  shapes_by_hash_.emplace(hash, number);
  shape_bytes_ += sizeof(Shape) + 64 + event.reads.size() * sizeof(Event::Read) +
                  event.writes.size() * sizeof(Event::Write);
  return number;
}

bool Trace::add(const Event& given) {
  const auto is_outside = [&](const auto& access) { return !has_place(access.word, access.lane); };
  if (std::ranges::none_of(given.reads, is_outside) && std::ranges::none_of(given.writes, is_outside))
    return add_inside(given);
  Event event = given;
  std::erase_if(event.reads, is_outside);
  std::erase_if(event.writes, is_outside);
  return add_inside(event);
}

bool Trace::add_inside(const Event& event) {
  if (steps_ == 0) now_ = start_;
  if (steps_ >= kMostSteps) return false;
  std::uint16_t happened = event.happened;
  for (const Event::Read& read : event.reads)
    if (read.word < threads_end_ && !defined_[std::size_t{read.word} * lanes() + read.lane])
      happened |= interpret::kUndefined;
  if (steps_ >= from_ && !full_) {
    if (heads_.empty()) first_ = steps_;
    if (heads_.size() % spacing_ == 0) states_.push_back(now_);
    const bool same = writes_the_same(event.writes);
    heads_.push_back({shape_of(event, happened, same), static_cast<std::uint32_t>(values_.size()),
                      static_cast<std::uint32_t>(memory_.size())});
    for (std::size_t k = 0; k < event.writes.size(); ++k)
      if (!same || k == 0 || event.writes[k].word != event.writes[k - 1].word)
        values_.push_back(event.writes[k].after);
    memory_.insert(memory_.end(), event.memory.begin(), event.memory.end());
    for (const Event::Texel& texel : event.texels) texels_.push_back({steps_, texel});
    full_ = bytes() > kMostBytes;
  }
  for (const Event::Write& write : event.writes) {
    now_.set(write.word, write.lane, write.after);
    defined_[std::size_t{write.word} * lanes() + write.lane] = true;
  }
  ++steps_;
  return true;
}

std::size_t Trace::bytes() const {
  return heads_.size() * sizeof(Step) + values_.size() * sizeof(std::uint32_t) +
         memory_.size() * sizeof(Event::Memory) + texels_.size() * sizeof(StepTexel) + shape_bytes_ +
         states_.size() * start_.bytes();
}

Trace::Head Trace::head(std::uint64_t step) const { return shapes_[heads_[step - first_].shape].head; }

RegisterFile Trace::before(std::uint64_t step) const {
  const std::uint64_t index = step - first_;
  if (states_.empty()) return start_;
  const std::size_t state = std::min<std::size_t>(index / spacing_, states_.size() - 1);
  RegisterFile file = states_[state];
  for (std::size_t k = state * spacing_; k < index; ++k) apply(k, file);
  return file;
}

Event Trace::event(std::uint64_t step) const {
  const std::size_t index = step - first_;
  const Shape& shape = shapes_[heads_[index].shape];
  Event event;
  event.address = shape.head.address;
  event.lanes = shape.head.lanes;
  event.happened = shape.head.happened;
  RegisterFile file = before(step);
  event.reads = shape.reads;
  for (Event::Read& read : event.reads) read.value = file.get(read.word, read.lane);
  event.writes = shape.writes;
  for (Event::Write& write : event.writes) write.before = file.get(write.word, write.lane);
  auto written = event.writes.begin();
  for_writes(index, [&](const Event::Write& write, std::uint32_t value) {
    written++->after = value;
    file.set(write.word, write.lane, value);
  });
  for (Event::Read& read : event.reads)
    if (read.word >= varyings_) read.value = file.get(read.word, read.lane);
  const std::span<const Event::Memory> memory = accesses(step);
  event.memory.assign(memory.begin(), memory.end());
  event.texels = texels(step);
  return event;
}

std::vector<Event::Texel> Trace::texels(std::uint64_t step) const {
  std::vector<Event::Texel> texels;
  for (auto of = std::ranges::lower_bound(texels_, step, {}, &StepTexel::step);
       of != texels_.end() && of->step == step; ++of)
    texels.push_back(of->texel);
  return texels;
}

std::span<const Event::Memory> Trace::accesses(std::uint64_t step) const {
  const std::size_t index = step - first_;
  const std::size_t end = index + 1 < heads_.size() ? heads_[index + 1].memory : memory_.size();
  return std::span(memory_).subspan(heads_[index].memory, end - heads_[index].memory);
}

bool Trace::matches(const Search& search, std::uint64_t step) const {
  const std::size_t index = step - first_;
  const Shape& shape = shapes_[heads_[index].shape];
  if ((shape.head.lanes & search.lanes) == 0) return false;
  if (search.any || (shape.head.happened & search.happened) != 0) return true;
  if (std::ranges::find(search.addresses, shape.head.address) != search.addresses.end()) return true;
  const auto is_looked_at = [&](unsigned lane) { return (search.lanes >> lane & 1) != 0; };
  if (!search.words.empty())
    for (const Event::Write& write : shape.writes)
      if (is_looked_at(write.lane) && std::ranges::find(search.words, write.word) != search.words.end())
        return true;
  return search.code != nullptr && (search.nan || search.infinity) && gives_special(search, step);
}

bool Trace::gives_special(const Search& search, std::uint64_t step) const {
  const std::size_t index = step - first_;
  const std::uint32_t address = head(step).address;
  const unsigned wanted =
      (search.nan ? unsigned{CodeFacts::kNan} : 0) | (search.infinity ? unsigned{CodeFacts::kInfinity} : 0);
  const auto gives = [&](const Event::Write& write, std::uint32_t value) {
    return (search.lanes >> write.lane & 1) != 0 && write.word < threads_end_ &&
           (search.code->result(address, write.word, value) & wanted) != 0;
  };
  bool any = false;
  for_writes(index,
             [&](const Event::Write& write, std::uint32_t value) { any = any || gives(write, value); });
  if (!any || search.copies) return any;
  const Event whole = event(step);  // with what was read, which takes longer
  return std::ranges::any_of(whole.writes, [&](const Event::Write& write) {
    return gives(write, write.after) && std::ranges::none_of(whole.reads, [&](const Event::Read& read) {
             return read.lane == write.lane &&
                    (search.code->operand(address, read.word, read.value) & wanted) != 0;
           });
  });
}

std::optional<std::uint64_t> Trace::find(const Search& search, std::uint64_t from, bool backwards) const {
  if (backwards) {
    for (std::uint64_t step = std::min(from, end()); step-- > first();)
      if (matches(search, step)) return step;
  } else {
    for (std::uint64_t step = std::max(from, first()); step < end(); ++step)
      if (matches(search, step)) return step;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> Trace::writer(unsigned word, unsigned lane, std::uint64_t step) const {
  return find({.words = {word}, .lanes = 1U << lane}, step, true);
}

}  // namespace warpjit::debug
