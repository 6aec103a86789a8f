// The commands of `warpjit debug` that show something where the thread stands.
#include <fmt/core.h>

#include <algorithm>

#include "debug/origin_chain.h"
#include "debug/register_picture.h"
#include "files.h"
#include "picture_file.h"
#include "stop.h"

namespace warpjit::tool {

Result<Json> Debugger::print(const Words& words, std::string_view all) {
  if (words.size() < 2) return wrong("a register or a number is missing", "print");
  std::string_view text = all.substr(all.find(words[0]) + words[0].size() + 1);
  const bool compares =
      text.find_first_of("<>=!") != std::string_view::npos || text.find(" is ") != std::string_view::npos;
  Json reply{{"reply", "value"}, {"expression", std::string(text)}};
  if (compares) {
    WARPJIT_TRY(const bool holding, holds(session_, lane_, text));
    reply["holds"] = holding;
    return reply;
  }
  WARPJIT_TRY(const DebugValue value, value_of(session_, lane_, text));
  reply["value"] = value.word;
  reply["readings"] = readings_json(value.word);
  return reply;
}

Result<Json> Debugger::changed_registers() {
  Json list = Json::array();
  if (at() != 0) {
    WARPJIT_TRY(const DebugStep before, session_.step(at() - 1));
    for (const auto& write : before.writes)
      if (write.lane == lane_)
        list.push_back(
            {{"register", session_.name(write.word)}, {"value", write.after}, {"before", write.before}});
  }
  return Json{{"reply", "registers"}, {"registers", std::move(list)}};
}

Result<Json> Debugger::registers(const Words& words) {
  if (words.size() > 1 && words[1] == "changed") return changed_registers();
  Json list = Json::array();
  for (unsigned word = 0; word < session_.words(); ++word) {
    const std::string name = session_.name(word);
    // "r3" and "r3.x" name registers; "r" all of a bank, of which those that are not 0 are shown.
    bool named = false, exact = false;
    for (std::size_t k = 1; k < words.size(); ++k) {
      if (!name.starts_with(words[k])) continue;
      const bool whole = name.size() == words[k].size() || name[words[k].size()] == '.';
      exact = exact || whole;
      named = named || whole || words[k].find_first_of("0123456789") == std::string_view::npos;
    }
    if (words.size() > 1 && !named) continue;
    WARPJIT_TRY(const std::uint32_t value, session_.value(word, lane_));
    if (value != 0 || exact) list.push_back({{"register", name}, {"value", value}});
  }
  return Json{{"reply", "registers"}, {"registers", std::move(list)}};
}

Result<Json> Debugger::lanes(const Words& words) {
  if (words.size() < 2) return wrong("a register is missing", "lanes");
  WARPJIT_TRY(const DebugRegister reg, register_of(session_, lane_, words[1]));
  std::uint32_t executing = ~0U;
  if (at() < session_.steps()) {
    WARPJIT_TRY(const DebugStep now, session_.step(at()));
    executing = now.lanes;
  }
  Json list = Json::array();
  for (unsigned lane = 0; lane < session_.lanes(); ++lane) {
    WARPJIT_TRY(const std::uint32_t value, session_.value(reg.word, lane));
    list.push_back({{"lane", lane}, {"value", value}, {"executes", (executing >> lane & 1) != 0}});
  }
  return Json{
      {"reply", "lanes"}, {"register", session_.name(reg.word)}, {"lanes", std::move(list)}, {"lane", lane_}};
}

Result<Json> Debugger::list(const Words& words) {
  constexpr std::size_t kAround = 5;
  WARPJIT_TRY(const std::uint64_t around,
              words.size() > 1 ? number_of(words[1], 1 << 20) : Result<std::uint64_t>(kAround));
  const std::vector<std::uint32_t> all = session_.addresses();
  std::uint32_t now = ~0U;
  if (at() < session_.steps()) {
    WARPJIT_TRY(const DebugStep step, session_.step(at()));
    now = step.address;
  }
  const auto here =
      static_cast<std::size_t>(std::distance(all.begin(), std::lower_bound(all.begin(), all.end(), now)));
  const std::size_t first = here - std::min<std::size_t>(here, around);
  const std::size_t end = std::min<std::size_t>(all.size(), here + around + 1);
  Json lines = Json::array();
  for (std::size_t k = first; k < end; ++k) {
    Json line = instruction_json(all[k]);
    line["next"] = all[k] == now;
    for (const std::string& label : source().labels_at(all[k])) line["labels"].push_back(label);
    lines.push_back(std::move(line));
  }
  return Json{{"reply", "list"}, {"lines", std::move(lines)}};
}

Result<Json> Debugger::calls_json() {
  WARPJIT_TRY(const std::vector<DebugCall> calls, session_.calls(lane_));
  Json list = Json::array();
  // The innermost one first, as stacks are shown.
  for (auto call = calls.rbegin(); call != calls.rend(); ++call) {
    Json one = instruction_json(call->address);
    one["step"] = call->step;
    one["back"] = call->back;
    list.push_back(std::move(one));
  }
  return list;
}

Result<Json> Debugger::where() {
  Json reply{{"reply", "where"},          {"place", session_.place().text()}, {"step", at()},
             {"steps", session_.steps()}, {"draw", session_.what()},          {"lane", lane_},
             {"lanes", session_.lanes()}};
  if (at() < session_.steps()) {
    WARPJIT_TRY(const DebugStep now, session_.step(at()));
    reply["address"] = now.address;
    reply["text"] = session_.text(now.address);
    if (Json line = source().at(now.address); !line.is_null()) reply["source"] = std::move(line);
    reply["executing"] = now.lanes;
  }
  WARPJIT_TRY(reply["calls"], calls_json());
  return reply;
}

Result<Json> Debugger::lane(const Words& words) {
  if (words.size() < 2) return wrong("a number is missing", "lane");
  WARPJIT_TRY(const std::uint64_t number, number_of(words[1], session_.lanes() - 1));
  lane_ = static_cast<unsigned>(number);
  return stopped("lane " + std::to_string(lane_));
}

Json origin_json(DebugSession& session, const DebugOrigin& origin) {
  Json nodes = Json::array();
  for (const DebugOrigin::Node& node : origin.nodes) {
    DebugPlace place = session.place();
    place.step = node.step;
    Json one{{"from", name(node.from)}, {"step", node.step},     {"value", node.value},
             {"special", node.special}, {"place", place.text()}, {"of", node.of}};
    if (node.word != ~0U) one["register"] = session.name(node.word);
    if (node.from == DebugOrigin::From::memory) one["memory"] = node.memory;
    if (node.texel) one["texel"] = texel_json(*node.texel);
    const bool by_instruction =
        node.from != DebugOrigin::From::start && node.from != DebugOrigin::From::uniform &&
        node.from != DebugOrigin::From::undefined && node.from != DebugOrigin::From::written && !node.texel;
    if (by_instruction) {
      one["address"] = node.address;
      one["text"] = session.text(node.address);
    }
    nodes.push_back(std::move(one));
  }
  return nodes;
}

Result<Json> Debugger::origin(const Words& words) {
  if (words.size() < 2) return wrong("a register is missing", "origin");
  const bool special = words.size() > 2 && words[2] == "nan";
  WARPJIT_TRY(const DebugRegister reg, register_of(session_, lane_, words[1]));
  WARPJIT_TRY(const DebugOrigin origin, session_.origin(reg.word, reg.lane, at(), special));
  // Earlier draws are named; whoever wants to goes there.
  WARPJIT_TRY(Json nodes, OriginChain(session_, special, 0, 0).nodes(origin));
  return Json{{"reply", "origin"}, {"nodes", std::move(nodes)}};
}

Result<Json> Debugger::picture(const Words& words) {
  if (words.size() < 2) return wrong("a register is missing", "picture");
  if (at() == session_.steps()) return wrong("the thread has ended: go back to an instruction", "picture");
  WARPJIT_TRY(const DebugRegister reg, register_of(session_, lane_, words[1]));
  WARPJIT_TRY(const DebugStep now, session_.step(at()));
  RunOptions run;
  run.cancel = cancel_word();
  WARPJIT_TRY(const DebugPicture picture,
              picture_of(capture_, session_.place().draw, reg.word, now.address, run));
  const RegisterPicture shown = show_register(picture);
  Json reply{{"reply", "picture"},
             {"register", session_.name(reg.word)},
             {"address", now.address},
             {"width", picture.width},
             {"height", picture.height},
             {"pixels", shown.pixels},
             {"least", double{shown.least}},
             {"most", double{shown.most}},
             {"nan", shown.nans},
             {"inf", shown.infinities}};
  if (words.size() > 2) {
    const std::string file(words[2]);
    WARPJIT_CHECK(write_file(file, write_png(shown.image)));
    reply["file"] = file;
  }
  return reply;
}

Result<Json> Debugger::up_stage(const Words& words) {
  const std::vector<DebugPlace> vertices = session_.vertices();
  if (vertices.empty())
    return wrong("no vertex program gave this thread its inputs", session_.place().text());
  WARPJIT_TRY(const std::uint64_t number,
              words.size() > 1 ? number_of(words[1], vertices.size() - 1) : Result<std::uint64_t>(0));
  WARPJIT_CHECK(session_.go(vertices[static_cast<std::size_t>(number)]));
  lane_ = session_.lane();
  return stopped("vertex " + std::to_string(number) + " of the primitive");
}

Result<Json> Debugger::info(const Words& words) {
  if (words.size() > 1 && std::string_view("draw").starts_with(words[1])) return where();
  Json list = Json::array();
  for (const Stop& stop : stops_)
    list.push_back({{"number", stop.number}, {"text", stop.text}, {"hits", stop.hits}});
  return Json{{"reply", "breakpoints"}, {"breakpoints", std::move(list)}};
}

}  // namespace warpjit::tool
