#include "runtime/work/profile.h"

#include <algorithm>
#include <bit>

#include "frontend/interpret/fault.h"
#include "frontend/interpret/pixels.h"

namespace warpjit::runtime {
namespace {

using frontend::RegisterBank;
using Kind = interpret::ObservedGroup::Kind;

constexpr unsigned kMostLanes = 32;      // of a group
constexpr std::size_t kMaxRaces = 1024;  // pairs of instructions; more are only counted

}  // namespace

Profiler::Profiler(const frontend::Shader& shader, const frontend::Grid& grid)
    : shader_(shader), grid_(grid), words_(frontend::words_of(shader.register_banks())), of_thread_(words_) {
  for (const RegisterBank& bank : shader.register_banks())
    if (bank.of == RegisterBank::Of::thread)
      std::fill_n(of_thread_.begin() + bank.first, unsigned{bank.registers} * bank.components, true);
  if (shader.stage() != Stage::compute || shader.memory() == nullptr) return;
  if (const auto checked = shader.memory()->check_grid(grid)) header_.resize(checked->shared_bytes);
}

bool Profiler::observes(const interpret::ObservedGroup& group) {
  const unsigned lanes = std::bit_ceil(static_cast<unsigned>(std::bit_width(group.lanes)));
  if (active_lanes_.size() <= lanes) active_lanes_.resize(lanes + 1);
  const bool is_block = group.kind == Kind::block;
  if (is_block && group.first == 0) begin_block(group.block);
  if (group.kind == Kind::rows && newest_ != nullptr)
    rows_ += static_cast<unsigned>(std::popcount(newest_->place.lanes));
  newest_ = &groups_[is_block ? static_cast<std::uint32_t>(group.first) : 0];
  newest_->place = group;
  newest_->written.assign(std::size_t{words_} * kMostLanes, 0);
  newest_->interval = 1;
  return true;
}

void Profiler::begin_block(const ir::BlockPosition& block) {
  groups_.clear();
  shared_.assign(header_.size(), {});
  if (shader_.block_header() == nullptr) return;
  const std::size_t given = shader_.block_header()->begin_block(grid_, block, header_);
  for (std::size_t k = 0; k < std::min(given, shared_.size()); ++k) shared_[k].written = true;
}

std::uint32_t& Profiler::written(Group& group, unsigned word, unsigned lane) const {
  return group.written[std::size_t{word} * kMostLanes + lane];
}

void Profiler::holds(std::uint16_t word, unsigned lane, std::uint32_t) {
  if (word < words_) written(*newest_, word, lane) = ~0U;
}

bool Profiler::step() {
  const Event& event = this->event();
  if (event.active == 0) return true;
  const bool is_block = newest_->place.kind == Kind::block;
  Group& group = is_block ? groups_.at(event.group) : *newest_;
  Line& line = lines_[event.address];
  ++line.warps;
  line.lanes += static_cast<unsigned>(std::popcount(event.lanes));
  const auto active = static_cast<std::size_t>(std::popcount(event.active));
  if (active_lanes_.size() <= active) active_lanes_.resize(active + 1);
  ++active_lanes_[active];
  if ((event.happened & interpret::kDiverged) != 0) ++line.diverged;
  deepest_stack_ = std::max(deepest_stack_, event.stack);
  see_registers(group, line);
  for (const Event::Memory& access : event.memory) {
    if (access.faulted)
      ++line.faults;
    else if (access.shared)
      see_shared(group, access, line);
  }
  if ((event.happened & interpret::kBarrier) != 0) ++group.interval;
  return true;
}

void Profiler::see_registers(Group& group, Line& line) {
  for (const Event::Read& read : event().reads) {
    if (read.word >= words_ || !of_thread_[read.word]) continue;
    if ((read.bits & ~written(group, read.word, read.lane)) == 0) continue;
    ++line.uninitialized_registers;
    if (line.first_uninitialized.empty())
      line.first_uninitialized =
          frontend::name_of(shader_.register_banks(), read.word) + " of " + thread_text(group, read.lane);
  }
  for (const Event::Write& write : event().writes)
    if (write.word < words_) written(group, write.word, write.lane) |= write.bits;
}

void Profiler::see_shared(const Group& group, const Event::Memory& access, Line& line) {
  const auto address = static_cast<std::uint32_t>(access.address);
  if (address > shared_.size() || access.bytes > shared_.size() - address) return;
  const auto first_thread = static_cast<std::uint32_t>(group.place.first);
  const Access now{group.interval, event().address, first_thread + access.lane, first_thread, access.atomic};
  const auto races = [&](const Access& earlier) {
    return earlier.interval == group.interval && earlier.group != first_thread &&
           !(earlier.atomic && now.atomic);
  };
  SharedByte* const bytes = &shared_[address];
  bool unwritten = false, raced_store = true;
  const Access* raced = nullptr;
  for (std::size_t k = 0; k < access.bytes; ++k) {
    const SharedByte& byte = bytes[k];
    if (races(byte.store)) {
      raced = &byte.store;
      raced_store = true;
    } else if (access.store) {
      for (const Access* load : {&byte.load, &byte.other_load})
        if (races(*load)) raced = load, raced_store = false;
    }
    unwritten |= !access.store && !byte.written;
  }
  if (raced != nullptr) see_race(group, *raced, raced_store, now, access.store, address);
  for (std::size_t k = 0; k < access.bytes; ++k) {
    SharedByte& byte = bytes[k];
    if (access.store) {
      byte.store = now;
      byte.written = true;
    } else {
      if (byte.load.interval == group.interval && byte.load.group != first_thread)
        byte.other_load = byte.load;
      byte.load = now;
    }
  }
  if (!unwritten) return;
  ++line.uninitialized_shared;
  if (line.first_uninitialized.empty())
    line.first_uninitialized = "s[" + std::to_string(address) + "] by " + thread_text(group, access.lane);
}

void Profiler::see_race(const Group& group, const Access& first, bool first_stores, const Access& second,
                        bool second_stores, std::uint32_t address) {
  const RaceKey key{first.address, second.address};
  const auto found = races_.find(key);
  if (found != races_.end()) {
    ++found->second.count;
    return;
  }
  if (races_.size() == kMaxRaces) {
    ++further_races_;
    return;
  }
  races_[key] = {first.address, second.address, 1,
                 "s[" + std::to_string(address) + "]: " + (first_stores ? "store" : "load") + " by thread " +
                     std::to_string(first.thread) + ", " + (second_stores ? "store" : "load") + " by " +
                     thread_text(group, second.thread - second.group)};
}

std::string Profiler::thread_text(const Group& group, unsigned lane) const {
  const interpret::ObservedGroup& place = group.place;
  switch (place.kind) {
    case Kind::block:
      return "thread " + std::to_string(place.first + lane) + interpret::block_text(place.block);
    case Kind::quads: {
      if (lane / 4 >= place.quads.size()) break;
      const interpret::Quad& quad = place.quads[lane / 4];
      return "pixel (" + std::to_string(quad.x + static_cast<std::int32_t>(lane & 1)) + ", " +
             std::to_string(quad.y + static_cast<std::int32_t>(lane >> 1 & 1)) + ")";
    }
    case Kind::rows:
      return (shader_.stage() == Stage::vertex     ? "vertex "
              : shader_.stage() == Stage::geometry ? "invocation "
                                                   : "thread ") +
             std::to_string(rows_ + lane);
    case Kind::launch:
      break;
  }
  return "lane " + std::to_string(lane);
}

Profile Profiler::result() const {
  Profile profile;
  for (const auto& [address, line] : lines_) profile.instructions.emplace_back(line).address = address;
  profile.active_lanes = active_lanes_;
  if (profile.active_lanes.empty()) profile.active_lanes.resize(2);
  profile.deepest_stack = deepest_stack_;
  for (const auto& [key, race] : races_) profile.races.push_back(race);
  profile.further_races = further_races_;
  return profile;
}

}  // namespace warpjit::runtime
