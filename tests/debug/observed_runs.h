// All threads of an engine's runs in the guest interpreter, too, while an observer sees them: they must leave what the run
// leaves, events must go on from each other, and what they say of registers and memory at the end must be the results.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "debug/saved_memory.h"
#include "debug/trace.h"
#include "frontend/interpret/observer.h"
#include "frontend/interpret/pixels.h"
#include "frontend/pica200/facts/register_file.h"
#include "frontend/tesla/facts/register_file.h"
#include "frontend/tesla/shader.h"
#include "frontend/usse/facts/register_file.h"
#include "frontend/usse/facts/slots.h"
#include "frontend/usse/shader.h"
#include "runtime/engine/observed_run.h"
#include "support/same_bytes.h"
#include "warpjit/warpjit.hpp"

namespace warpjit::tests {

class ObservedRuns final : public runtime::RunWatcher, public interpret::Observer {
 public:
  using Event = interpret::Event;
  using Part = runtime::ObservedPart::Program;
  static constexpr unsigned kMostLanes = 32;

  // Sees the engine's runs from now on; must outlive them.
  explicit ObservedRuns(const Engine& engine) : engine_(engine) { engine.state().set_watcher(this); }

  // A run for which something is wrong ends with an error `internal`, but for one that failed though the observed one did
  // not, which cannot end twice: what that was, or nothing.
  const std::string& failed_alone() {
    settle();
    return failed_alone_;
  }

  struct Counts {
    // Words of results that were compared with registers; bytes with what events say was stored.
    std::uint64_t programs = 0, groups = 0, steps = 0, words = 0, stored = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  Status before(runtime::LaunchState& launch, const RunOptions& options) override {
    settle();
    wrong_.clear();
    ends_.clear();
    const auto pieces = runtime::written_memory(launch);
    WARPJIT_CHECK(before_.save(pieces));
    for (const Part part : {Part::vertex, Part::geometry, Part::own})
      if (const runtime::LaunchData* const holder = runtime::holder_of(launch, part))
        if (!holder->shader->register_banks().empty()) {
          WARPJIT_CHECK(observe(launch, *holder, part, options, pieces));
          before_.restore();
        }
    waiting_ = true;
    return {};
  }
  Status after(runtime::LaunchState&) override {
    waiting_ = false;
    for (const End& end : ends_) {
      if (!end.status.ok())
        fail(std::string(end.program) + ": fails only with an observer: " + to_string(end.status.error()));
      for (std::size_t k = 0; k < end.left.pieces().size(); ++k)
        if (!same_bytes(end.left.copy(k), end.left.pieces()[k]))
          fail(std::string(end.program) + ": leaves another byte " +
               std::to_string(first_difference(end.left.copy(k), end.left.pieces()[k])) + " in piece " +
               std::to_string(k));
    }
    return wrong_.empty() ? Status() : Error{ErrorCode::internal, wrong_, "observed"};
  }
  // The last run ended with an error.
  void settle() {
    if (std::exchange(waiting_, false) && !ends_.empty() &&
        std::ranges::all_of(ends_, [](const End& end) { return end.status.ok(); }))
      failed_alone_ = "a run fails, and does not with an observer";
  }
  void fail(const std::string& what) {
    if (wrong_.empty()) wrong_ = what;
  }

  // ---- The observed run of a program
  struct End {
    const char* program;
    Status status;
    debug::SavedMemory left;
  };
  Status observe(runtime::LaunchState& launch, const runtime::LaunchData& holder, Part part,
                 const RunOptions& options, const std::vector<std::span<std::byte>>& pieces) {
    constexpr const char* kNames[] = {"the program", "the vertex stage", "the geometry stage"};
    launch_ = &holder;
    shader_ = holder.shader;
    banks_ = shader_->register_banks();
    words_ = frontend::words_of(banks_);
    varyings_ = words_;
    for (const frontend::RegisterBank& bank : banks_)
      if (bank.of == frontend::RegisterBank::Of::varying)
        varyings_ = std::min<unsigned>(varyings_, bank.first);
    groups_.clear();
    stores_.clear();
    newest_ = nullptr;
    rows_ = 0;
    find_results();
    ++counts_.programs;
    End end{kNames[static_cast<unsigned>(part)],
            runtime::run_observed(engine_.state(), launch, {.program = part, .whole = true}, *this, options),
            {}};
    if (end.status.ok()) {
      end_group();
      compare_rows();
      if (part == Part::own) compare_stores();
    }
    newest_ = nullptr;
    const Status saved = end.left.save(pieces);
    ends_.push_back(std::move(end));
    return saved;
  }

  struct Group {
    interpret::ObservedGroup place;
    std::uint64_t first_row = 0;
    std::vector<std::uint32_t> words;  // by words, then lanes
    std::uint32_t& at(unsigned word, unsigned lane) { return words[std::size_t{word} * kMostLanes + lane]; }
  };

  bool observes(const interpret::ObservedGroup& group) override {
    end_group();
    const bool is_block = group.kind == interpret::ObservedGroup::Kind::block;
    if (is_block && group.first == 0) groups_.clear();
    newest_ = &groups_[is_block ? static_cast<std::uint32_t>(group.first) : 0];
    newest_->place = group;
    newest_->place.quads = {};
    newest_->first_row = rows_;
    if (group.kind == interpret::ObservedGroup::Kind::rows)
      rows_ += static_cast<unsigned>(std::popcount(group.lanes));
    newest_->words.assign(std::size_t{words_} * kMostLanes, 0);
    ++counts_.groups;
    // The record of some groups is kept.
    trace_ = debug::Trace();
    traced_.clear();
    keeps_ = counts_.groups % 7 == 1;
    if (keeps_) trace_ = debug::Trace(banks_, kMostLanes, 0);
    return true;
  }
  void holds(std::uint16_t word, unsigned lane, std::uint32_t value) override {
    if (word >= words_ || lane >= kMostLanes) return fail("holds a word that is not there");
    newest_->at(word, lane) = value;
    if (keeps_) trace_.hold(word, lane, value);
  }

  bool step() override {
    const Event& event = this->event();
    ++counts_.steps;
    const bool is_block = newest_->place.kind == interpret::ObservedGroup::Kind::block;
    Group& group = is_block ? groups_.at(event.group) : *newest_;
    const bool is_newest = &group == newest_;
    for (const Event::Write& write : event.writes) {
      if (write.word >= words_ || write.lane >= kMostLanes) {
        fail("writes a word that is not there");
        continue;
      }
      if (write.word >= varyings_) group.at(write.word, write.lane) = write.after;
    }
    // An instruction may take two halves of a varying, which are two values of one word.
    const auto was_written = [&](const Event::Read& read) {
      return std::ranges::any_of(event.writes, [&](const Event::Write& write) {
        return write.word == read.word && write.lane == read.lane && write.after == read.value;
      });
    };
    for (const Event::Read& read : event.reads)
      if (read.word >= words_ || read.lane >= kMostLanes)
        fail("reads a word that is not there");
      else if (read.word >= varyings_ && was_written(read))
        continue;
      else if (((read.value ^ group.at(read.word, read.lane)) & read.bits) != 0)
        fail_at(event,
                "reads another value of " + frontend::name_of(banks_, read.word) + " than was written");
    for (const Event::Write& write : event.writes) {
      if (write.word >= varyings_) continue;
      if (write.before != group.at(write.word, write.lane))
        fail_at(event, "says another value of " + frontend::name_of(banks_, write.word) + " before it");
      group.at(write.word, write.lane) = write.after;
    }
    for (const Event::Memory& access : event.memory)
      if (access.store && !access.faulted && !access.shared) store(access);
    if (keeps_ && is_newest && trace_.steps() < 2000) {
      trace_.add(event);
      traced_.push_back(event);
    }
    return wrong_.empty();
  }
  void fail_at(const Event& event, const std::string& what) {
    fail("at " + std::to_string(event.address) + ": " + what);
  }

  // ---- What it says at the end
  void end_group() {
    if (newest_ == nullptr || !wrong_.empty()) return;
    if (keeps_) compare_trace();
    if (!results_.empty()) keep_rows();
  }

  // A trace gives its events back, and the registers that they lead to.
  void compare_trace() {
    for (std::uint64_t n = 0; n < trace_.steps(); n += 1 + n / 16) {
      const Event is = trace_.event(n);
      const Event& was = traced_[n];
      const auto key = [](const auto& access, std::uint32_t value) {
        return std::tuple(access.word, access.lane, access.bits, value);
      };
      bool same = is.address == was.address && is.lanes == was.lanes &&
                  is.writes.size() == was.writes.size() && is.reads.size() == was.reads.size() &&
                  is.memory.size() == was.memory.size();
      for (std::size_t k = 0; same && k < is.writes.size(); ++k)
        same = key(is.writes[k], is.writes[k].after) == key(was.writes[k], was.writes[k].after);
      for (std::size_t k = 0; same && k < is.reads.size(); ++k)
        same = is.reads[k].word >= varyings_ || key(is.reads[k], is.reads[k].value & is.reads[k].bits) ==
                                                    key(was.reads[k], was.reads[k].value & was.reads[k].bits);
      if (!same) fail_at(was, "the trace's step " + std::to_string(n) + " is another one");
    }
    if (trace_.steps() >= 2000) return;
    const debug::RegisterFile last = trace_.before(trace_.steps());
    for (unsigned word = 0; word < words_; ++word)
      for (unsigned lane = 0; lane < kMostLanes; ++lane)
        if (last.get(word, lane) != newest_->at(word, lane))
          fail("the trace ends with another " + frontend::name_of(banks_, word));
  }

  // Registers at the end of a group's rows, in the order of results_.
  void keep_rows() {
    if (newest_->place.kind != interpret::ObservedGroup::Kind::rows) return;  // what runs once for all rows
    for (unsigned lane = 0; lane < kMostLanes; ++lane) {
      const std::uint64_t row = newest_->first_row + lane;
      if ((newest_->place.lanes >> lane & 1) == 0 || row >= launch_->count) continue;  // copies come last
      for (const Result& result : results_) ends_of_rows_.push_back(newest_->at(result.word, lane));
    }
  }
  void compare_rows() {
    for (std::size_t n = 0; n < ends_of_rows_.size(); ++n) {
      const Result& result = results_[n % results_.size()];
      const std::uint64_t row = n / results_.size();
      std::uint32_t left = 0;
      std::memcpy(&left, result.rows + row * result.stride, 4);
      std::uint32_t value = ends_of_rows_[n];
      if (result.one_nan && (value & 0x7fffffff) > 0x7f800000) value = 0x7fc00000;
      ++counts_.words;
      if (value != left)
        return fail("row " + std::to_string(row) + ": " + frontend::name_of(banks_, result.word) +
                    " is not the result: " + std::to_string(value) + ", " + std::to_string(left));
    }
  }
  void find_results() {
    results_.clear();
    ends_of_rows_.clear();
    if (launch_->work() != Work::rows || launch_->allow_overlap) return;
    for (std::uint32_t n = 0; n < launch_->output_count; ++n) {
      const runtime::LaunchData::Output& output = launch_->outputs[n];
      const Format& format = output.buffer.format;
      if (component_size(format.type) != 4 || output.buffer.data == nullptr) continue;
      for (unsigned k = 0; k < format.components; ++k)
        if (const auto word = word_of(output.number, k))
          results_.push_back({*word, static_cast<const std::byte*>(output.buffer.data) + 4 * k,
                              output.buffer.stride, shader_->isa() == Isa::pica200 && output.number < 32});
    }
  }
  // The register that component k of an output is.
  std::optional<unsigned> word_of(unsigned output, unsigned k) const {
    switch (shader_->isa()) {
      case Isa::pica200: {
        using Words = pica200::RegisterWords;
        if (output < 32) return Words::kO + 4 * output + k;
        if (output == 32 && k < 2) return Words::kA0 + k;
        if (output == 33 && k < 1) return Words::kAL + k;
        if (output == 34 && k < 2) return Words::kCmp + k;
        return std::nullopt;
      }
      case Isa::usse: {
        const unsigned slot = 4 * output + k;
        if (slot >= usse::kSlots) return std::nullopt;
        const auto source = usse::slot_sources(static_cast<const usse::Shader&>(*shader_).program())[slot];
        if (source.kind != usse::SlotSource::Kind::word) return std::nullopt;
        return usse::kOWords + source.word;
      }
      case Isa::tesla: {
        const auto results = tesla::result_words(static_cast<const tesla::Shader&>(*shader_).program());
        const unsigned slot = 4 * output + k;
        if (slot >= results.size() || results[slot].constant || results[slot].clamped) return std::nullopt;
        return tesla::output_word(results[slot].output);
      }
      default:
        return std::nullopt;
    }
  }

  void store(const Event::Memory& access) {
    // Byte by byte: others may have written a part.
    for (unsigned n = 0; n < std::min<unsigned>(access.bytes, 4); ++n)
      stores_[{access.space, access.address + n}] = static_cast<std::byte>(access.value >> 8 * n);
    for (unsigned n = 4; n < access.bytes; ++n) stores_.erase({access.space, access.address + n});
  }
  // The byte of guest memory; null: a thread's own, or a target's.
  const std::byte* find(std::uint8_t space, std::uint64_t address) const {
    const frontend::Grid& grid = launch_->values.grid;
    const auto in = [&](std::size_t number, std::uint64_t high) -> const std::byte* {
      if (number >= grid.globals.size() || address >> 32 != high) return nullptr;
      for (const frontend::MappedRange& range : grid.globals[number]) {
        const auto offset = static_cast<std::uint32_t>(address) - std::uint64_t{range.address};
        if (static_cast<std::uint32_t>(address) >= range.address && offset < range.bytes.size())
          return &range.bytes[offset];
      }
      return nullptr;
    };
    switch (shader_->isa()) {
      case Isa::tesla:
        return space < 18 ? nullptr : in(space - 18U, 0);
      case Isa::usse:
        return in(0, 0);
      case Isa::valhall:
        for (std::size_t n = 0; n < grid.high_words.size(); ++n)
          if (const std::byte* const found = in(n, grid.high_words[n])) return found;
        return nullptr;
      default:
        return nullptr;
    }
  }
  void compare_stores() {
    if (launch_->pixels && launch_->pixels->has_blocks()) return;  // of the 3DS's fixed function
    for (const auto& [place, byte] : stores_) {
      const std::byte* const now = find(place.first, place.second);
      if (now == nullptr) continue;
      ++counts_.stored;
      if (*now != byte)
        return fail("address " + std::to_string(place.second) + " does not have what was stored last");
    }
  }

  const Engine& engine_;
  std::string wrong_;  // in the run first
  std::string failed_alone_;
  Counts counts_;
  debug::SavedMemory before_;
  std::vector<End> ends_;  // of the launch that runs
  bool waiting_ = false;   // it has not ended yet

  const runtime::LaunchData* launch_ = nullptr;  // whose program is seen
  const frontend::Shader* shader_ = nullptr;
  std::span<const frontend::RegisterBank> banks_;
  unsigned words_ = 0, varyings_ = 0;
  std::uint64_t rows_ = 0;
  std::map<std::uint32_t, Group> groups_;  // of a block, by their first threads; else one
  Group* newest_ = nullptr;
  // Registers that are results of a launch over rows, and where these lie.
  struct Result {
    unsigned word = 0;
    const std::byte* rows = nullptr;
    std::size_t stride = 0;
    bool one_nan = false;  // all NaNs are the same one in memory
  };
  std::vector<Result> results_;
  std::vector<std::uint32_t> ends_of_rows_;
  std::map<std::pair<std::uint8_t, std::uint64_t>, std::byte> stores_;
  bool keeps_ = false;
  debug::Trace trace_;
  std::vector<Event> traced_;
};

}  // namespace warpjit::tests
