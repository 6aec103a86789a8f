// The commands of `warpjit debug`: each takes words and gives a JSON object, which reply_text() shows people.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "debug/expression.h"
#include "debug/program_source.h"

namespace warpjit::tool {

class Debugger {
 public:
  // The session stands at a place of the capture, which outlives this. `file`: where the capture is
  // from, beside which sources are looked for; empty: nowhere.
  Debugger(const Capture& capture, DebugSession session, std::string file = {})
      : capture_(capture), session_(std::move(session)), file_(std::move(file)), lane_(session_.lane()) {}

  // What it says when it begins.
  Json start();
  // One command. An error is an object with "error".
  Json run(std::string_view command);
  bool has_ended() const { return ended_; }
  DebugSession& session() { return session_; }

 private:
  // Where continue stops.
  struct Stop {
    std::size_t number = 0;
    std::string text{};                 // as it was given
    DebugSearch search{};               // what makes it stop; all lanes: the one that is looked at
    std::string condition{};            // empty: none
    std::uint64_t count = 0, hits = 0;  // it stops from hit `count` on
  };
  using Words = std::vector<std::string_view>;
  struct Verb;
  static const std::vector<Verb>& verbs();

  // ---- Commands
  Result<Json> step(const Words& words, bool backwards);
  Result<Json> next(const Words& words);
  Result<Json> go_on(bool backwards);
  Result<Json> finish();
  Result<Json> go(const Words& words);
  Result<Json> break_at(const Words& words, std::string_view all);
  Result<Json> watch(const Words& words, std::string_view all, bool backwards);
  Result<Json> catch_event(const Words& words, std::string_view all);
  Result<Json> remove(const Words& words);
  Result<Json> print(const Words& words, std::string_view all);
  Result<Json> registers(const Words& words);
  Result<Json> changed_registers();
  Result<Json> lanes(const Words& words);
  Result<Json> list(const Words& words);
  Result<Json> where();
  Result<Json> calls_json();
  Result<Json> lane(const Words& words);
  Result<Json> origin(const Words& words);
  Result<Json> picture(const Words& words);
  Result<Json> up_stage(const Words& words);
  Result<Json> info(const Words& words);
  Json help(const Words& words) const;

  // Where it stands now, with what the step before it has changed, and what may come next.
  Result<Json> stopped(std::string reason);
  Result<Json> add_stop(Stop stop, std::string_view rest);
  // Where an address, a label, or a line of the source is.
  Result<std::uint32_t> address_of(std::string_view text);
  // The step before which a stop makes the thread stand, from here on and not beyond `best`.
  Result<std::optional<std::uint64_t>> next_of(const Stop& stop, bool backwards, std::uint64_t best);
  Result<bool> holds_at(std::uint64_t step, const std::string& condition);
  // An instruction: `address`, `text`, and its line of the source.
  Json instruction_json(std::uint32_t address);
  // What a step has changed in the lane that is looked at.
  Json changes_json(const DebugStep& step) const;
  const ProgramSource& source();
  std::uint64_t at() const { return session_.place().step; }

  const Capture& capture_;
  DebugSession session_;
  std::string file_;
  std::optional<ProgramSource> source_;  // of this program:
  std::shared_ptr<const Program::State> source_of_;
  unsigned lane_;
  std::vector<Stop> stops_;
  std::size_t last_stop_ = 0;
  std::string last_;  // the command that an empty line repeats
  bool ended_ = false;
};

// A reply, for people.
std::string reply_text(const Json& reply);
// The nodes of an origin, with the names of a session's registers.
Json origin_json(DebugSession& session, const DebugOrigin& origin);

}  // namespace warpjit::tool
