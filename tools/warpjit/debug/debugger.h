// The commands of `warpjit debug`: each takes words and gives a JSON object, which reply_text() shows people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "debug/expression.h"

namespace warpjit::tool {

class Debugger {
 public:
  // The session stands at a place of the capture, which outlives this.
  Debugger(const Capture& capture, DebugSession session)
      : capture_(capture), session_(std::move(session)), lane_(session_.lane()) {}

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
    DebugSearch search{};               // what makes it stop
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
  Result<Json> lanes(const Words& words);
  Result<Json> list(const Words& words);
  Result<Json> where();
  Result<Json> lane(const Words& words);
  Result<Json> origin(const Words& words);
  Result<Json> picture(const Words& words);
  Result<Json> up_stage(const Words& words);
  Result<Json> info(const Words& words);
  Json help(const Words& words) const;

  // Where it stands now, with what the step before it has changed, and what may come next.
  Result<Json> stopped(std::string reason);
  Result<Json> add_stop(Stop stop, std::string_view rest);
  Result<std::uint32_t> address_of(std::string_view text) const;
  std::uint64_t at() const { return session_.place().step; }

  const Capture& capture_;
  DebugSession session_;
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
