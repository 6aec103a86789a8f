#include "debug/origin_chain.h"

#include <algorithm>

namespace warpjit::tool {
namespace {

using From = DebugOrigin::From;
using By = DebugWriter::By;

// A thread's memory whose writers are looked for, each of which takes runs of the capture.
constexpr std::size_t kMostWriters = 8;

bool is_followed(const DebugWriter& writer) { return writer.by == By::fragment || writer.by == By::store; }

std::string target_name(unsigned target) {
  return target == DebugHistory::kDepth ? "depth" : "color" + std::to_string(target);
}

Json writer_json(const DebugWriter& writer) {
  Json json{{"by", name(writer.by)}};
  if (is_followed(writer)) json["place"] = writer.place.text();
  if (writer.by == By::draw) json["draw"] = writer.place.draw;
  if (writer.by != By::fragment) return json;
  json["target"] = target_name(writer.target);
  if (writer.blended) json["blended"] = true;
  return json;
}

}  // namespace

Result<AskedWord> last_nan(DebugSession& session) {
  const DebugSearch search{.nan = true, .infinity = true, .copies = true, .lanes = 1U << session.lane()};
  WARPJIT_TRY(const auto found, session.search(search, session.steps(), true));
  if (!found)
    return Error{ErrorCode::bad_input, "no instruction of this thread gives a NaN or an infinity",
                 session.place().text()};
  WARPJIT_TRY(const DebugStep step, session.step(*found));
  for (std::size_t k = step.writes.size(); k-- > 0;) {
    const auto& write = step.writes[k];
    if (write.lane == session.lane() && (write.nan || write.infinite))
      return AskedWord{write.word, write.lane, *found + 1};
  }
  return Error{ErrorCode::internal, "the step gives none", session.place().text()};
}

bool comes_from_vertices(const DebugOrigin& origin) {
  return std::any_of(origin.nodes.begin(), origin.nodes.end(), [](const DebugOrigin::Node& node) {
    return node.from == From::varying || node.from == From::start;
  });
}

Result<Json> OriginChain::nodes(const DebugOrigin& origin) {
  const Json nodes = origin_json(session_, origin);
  Json all = Json::array();
  std::size_t count = 0;
  for (std::size_t k = 0; k < origin.nodes.size(); ++k) {
    Json one = nodes[k];
    if (origin.nodes[k].bytes && count++ < kMostWriters) {
      WARPJIT_TRY(const DebugWriter writer, session_.writer(*origin.nodes[k].bytes));
      one["writer"] = writer_json(writer);
      if (is_followed(writer) && seen_.insert(writer.place.text() + target_name(writer.target)).second)
        writers_.push_back(writer);
    }
    all.push_back(std::move(one));
  }
  return all;
}

Result<Json> OriginChain::births_of_vertices() {
  constexpr unsigned kMostPrograms = 4;
  const DebugPlace was = session_.place();
  Json stages = Json::array();
  for (DebugPlace place : session_.vertices())
    for (place.program = 0; place.program < kMostPrograms && session_.go(place).ok(); ++place.program) {
      const auto asked = last_nan(session_);
      if (!asked) continue;
      WARPJIT_TRY(const DebugOrigin origin,
                  session_.origin(asked->word, asked->lane, asked->step, true, most_));
      WARPJIT_TRY(Json nodes, this->nodes(origin));
      stages.push_back({{"reply", "origin"},
                        {"place", session_.place().text()},
                        {"draw", session_.what()},
                        {"nodes", std::move(nodes)}});
    }
  WARPJIT_CHECK(session_.go(was));
  return stages;
}

Result<Json> OriginChain::earlier() {
  const DebugPlace was = session_.place();
  Json all = Json::array();
  for (std::size_t k = 0; k < writers_.size() && k < draws_; ++k) {
    WARPJIT_TRY(Json one, earlier(DebugWriter(writers_[k])));
    all.push_back(std::move(one));
  }
  WARPJIT_CHECK(session_.go(was));
  return all;
}

Result<Json> OriginChain::earlier(const DebugWriter& writer) {
  Json one{{"reply", "origin"}, {"place", writer.place.text()}};
  // What cannot be looked at ends the way there.
  const Status gone = session_.go(writer.place);
  if (!gone) {
    one["error"] = to_string(gone.error());
    return one;
  }
  one["draw"] = session_.what();
  if (writer.by == By::fragment) one["target"] = target_name(writer.target);
  WARPJIT_TRY(const DebugOrigin origin, session_.origin(writer, special_, most_));
  WARPJIT_TRY(Json nodes, this->nodes(origin));
  Json stages = Json::array();
  if (special_ && comes_from_vertices(origin)) {
    WARPJIT_TRY(Json found, births_of_vertices());
    stages = std::move(found);
  }
  one["nodes"] = std::move(nodes);
  one["stages"] = std::move(stages);
  return one;
}

}  // namespace warpjit::tool
