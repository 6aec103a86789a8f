#include "debug/debugger.h"

#include "debug/register_picture.h"
#include "files.h"
#include "picture_file.h"
#include "stop.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <functional>

namespace warpjit::tool {
namespace {

constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 48;

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return words;
    text.remove_prefix(first);
    const std::size_t end = std::min(text.find_first_of(" \t\r\n"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

Error wrong(std::string message, std::string_view where) {
  return {ErrorCode::bad_input, std::move(message), std::string(where)};
}

Result<std::uint64_t> number_of(std::string_view text, std::uint64_t most) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number > most)
    return wrong("not a number up to " + std::to_string(most), text);
  return number;
}
Result<std::uint64_t> count_of(const std::vector<std::string_view>& words) {
  return words.size() > 1 ? number_of(words[1], kMostSteps) : Result<std::uint64_t>(1);
}

// What stands after the first word that is `word`; empty if no word is.
std::string_view after(std::string_view all, std::string_view word) {
  for (std::size_t at = all.find(word); at != std::string_view::npos; at = all.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if (at != 0 && all[at - 1] == ' ' && end < all.size() && all[end] == ' ') return all.substr(end + 1);
  }
  return {};
}

std::string address_text(std::uint32_t address) { return fmt::format("0x{:x}", address); }

}  // namespace

struct Debugger::Verb {
  const char *name, *short_name, *takes, *does;
  Result<Json> (*run)(Debugger&, const Words&, std::string_view);
};

const std::vector<Debugger::Verb>& Debugger::verbs() {
  static const std::vector<Verb> kVerbs{
      {"step", "s", "[N]", "to the next instruction of this thread",
       [](Debugger& d, const Words& w, std::string_view) { return d.step(w, false); }},
      {"reverse-step", "rs", "[N]", "to the instruction before it",
       [](Debugger& d, const Words& w, std::string_view) { return d.step(w, true); }},
      {"next", "n", "[N]", "to an instruction after this one in the code, over loops and calls",
       [](Debugger& d, const Words& w, std::string_view) { return d.next(w); }},
      {"continue", "c", "", "to the next stop, or the end",
       [](Debugger& d, const Words&, std::string_view) { return d.go_on(false); }},
      {"reverse-continue", "rc", "", "back to the stop before it, or the start",
       [](Debugger& d, const Words&, std::string_view) { return d.go_on(true); }},
      {"finish", "fin", "", "to the end",
       [](Debugger& d, const Words&, std::string_view) { return d.finish(); }},
      {"goto", "g", "STEP | PLACE", "to a step, or another thread: \"goto draw 3 vertex 5\"",
       [](Debugger& d, const Words& w, std::string_view) { return d.go(w); }},
      {"break", "b", "ADDRESS [if EXPRESSION] [count N]", "stop there",
       [](Debugger& d, const Words& w, std::string_view all) { return d.break_at(w, all); }},
      {"watch", "w", "REGISTER [if EXPRESSION] [count N]", "stop after an instruction that writes it",
       [](Debugger& d, const Words& w, std::string_view all) { return d.watch(w, all, false); }},
      {"rwatch", "rw", "REGISTER", "back to the last instruction that wrote it",
       [](Debugger& d, const Words& w, std::string_view all) { return d.watch(w, all, true); }},
      {"catch", "", "nan | inf | fault | uninitialized | diverge | join | discard | sample | barrier | rule",
       "stop after an instruction that does this",
       [](Debugger& d, const Words& w, std::string_view all) { return d.catch_event(w, all); }},
      {"delete", "d", "[N]", "stops no more",
       [](Debugger& d, const Words& w, std::string_view) { return d.remove(w); }},
      {"print", "p", "REGISTER[@LANE] | NUMBER | COMPARISON", "in all readings",
       [](Debugger& d, const Words& w, std::string_view all) { return d.print(w, all); }},
      {"registers", "r", "[changed | NAME...]",
       "that are not 0, that the last instruction changed, or whose names begin so",
       [](Debugger& d, const Words& w, std::string_view) { return d.registers(w); }},
      {"lanes", "", "REGISTER", "of all threads that run together",
       [](Debugger& d, const Words& w, std::string_view) { return d.lanes(w); }},
      {"list", "l", "[N]", "the code around this instruction",
       [](Debugger& d, const Words& w, std::string_view) { return d.list(w); }},
      {"where", "bt", "", "the place, and which threads execute",
       [](Debugger& d, const Words&, std::string_view) { return d.where(); }},
      {"lane", "", "N", "look at another thread of those that run together",
       [](Debugger& d, const Words& w, std::string_view) { return d.lane(w); }},
      {"origin", "o", "REGISTER[@LANE] [nan]", "where its value comes from; nan: only NaNs and infinities",
       [](Debugger& d, const Words& w, std::string_view) { return d.origin(w); }},
      {"picture", "pic", "REGISTER [FILE.png]", "before this instruction, of every pixel of the draw",
       [](Debugger& d, const Words& w, std::string_view) { return d.picture(w); }},
      {"up-stage", "up", "[N]", "from a fragment to a vertex of its primitive, 0 to 2",
       [](Debugger& d, const Words& w, std::string_view) { return d.up_stage(w); }},
      {"info", "i", "[breakpoints | draw]", "what there is",
       [](Debugger& d, const Words& w, std::string_view) { return d.info(w); }},
      {"help", "h", "[COMMAND]", "this",
       [](Debugger& d, const Words& w, std::string_view) { return Result<Json>(d.help(w)); }},
      {"quit", "q", "", "end",
       [](Debugger& d, const Words&, std::string_view) {
         d.ended_ = true;
         return Result<Json>(Json{{"reply", "end"}});
       }},
  };
  return kVerbs;
}

Json Debugger::start() {
  auto reply = stopped("start");
  return reply ? *reply : Json{{"error", message_of(reply.error())}};
}

Json Debugger::run(std::string_view command) {
  std::string line(command.substr(std::min(command.find_first_not_of(" \t\r\n"), command.size())));
  if (line.empty()) line = last_;
  const Words words = split(line);
  if (words.empty()) return {{"reply", "nothing"}};
  const Verb* found = nullptr;
  std::string others;
  for (const Verb& verb : verbs()) {
    if (words[0] == verb.name || words[0] == verb.short_name) {
      found = &verb;
      others.clear();
      break;
    }
    if (!std::string_view(verb.name).starts_with(words[0])) continue;
    others += (others.empty() ? "" : ", ") + std::string(verb.name);
    found = &verb;
  }
  if (found == nullptr || others.find(',') != std::string::npos)
    return {{"error", found == nullptr ? "there is no such command; \"help\" lists them"
                                       : "this may be any of " + others},
            {"command", std::string(words[0])}};
  last_ = line;
  // The words point into a text that lives as long as the command.
  auto reply = found->run(*this, words, line);
  if (!reply) return {{"error", message_of(reply.error())}, {"command", found->name}};
  (*reply)["command"] = found->name;
  return std::move(*reply);
}

// ---- Moving

Result<Json> Debugger::stopped(std::string reason) {
  Json reply{{"reply", "stop"},        {"place", session_.place().text()},
             {"step", at()},           {"steps", session_.steps()},
             {"lane", lane_},          {"reason", std::move(reason)},
             {"draw", session_.what()}};
  if (!session_.difference().empty()) reply["difference"] = session_.difference();
  if (at() != 0) {
    WARPJIT_TRY(const DebugStep before, session_.step(at() - 1));
    Json changed = Json::array();
    for (const auto& write : before.writes)
      if (write.lane == lane_)
        changed.push_back(
            {{"register", session_.name(write.word)}, {"before", write.before}, {"after", write.after}});
    reply["changed"] = std::move(changed);
    if (before.happened != 0) reply["happened"] = happened_json(before.happened);
    reply["last"] = {{"address", before.address}, {"text", session_.text(before.address)}};
  }
  Json hints = Json::array();
  if (at() == session_.steps()) {
    reply["end"] = session_.end().ok() ? "done" : message_of(session_.end().error());
    hints = {"rs", "rc"};
  } else {
    WARPJIT_TRY(const DebugStep now, session_.step(at()));
    reply["next"] = {{"address", now.address}, {"text", session_.text(now.address)}, {"lanes", now.lanes}};
    hints.push_back("s");
    for (const auto& read : now.reads)
      if (read.lane == lane_) {
        hints.push_back("p " + session_.name(read.word));
        hints.push_back("origin " + session_.name(read.word));
        break;
      }
  }
  if (reply.contains("changed") && !reply["changed"].empty()) {
    const std::string& name = std::as_const(reply)["changed"][0]["register"].string();
    hints.push_back("origin " + name);
    hints.push_back("lanes " + name);
  }
  Json different = Json::array();
  for (const Json& hint : hints)
    if (std::none_of(different.begin(), different.end(), [&](const Json& other) { return other == hint; }))
      different.push_back(hint);
  reply["hints"] = std::move(different);
  return reply;
}

Result<Json> Debugger::step(const Words& words, bool backwards) {
  WARPJIT_TRY(std::uint64_t count, count_of(words));
  const DebugSearch ours{.any = true, .lanes = 1U << lane_};
  std::uint64_t now = at();
  for (; count != 0; --count) {
    // The instructions of other threads are passed over.
    WARPJIT_TRY(const auto found, session_.search(ours, backwards ? now : now + 1, backwards));
    const std::uint64_t next = found.value_or(backwards ? 0 : session_.steps());
    if (next == now) break;
    now = next;
    if (!found) break;
  }
  WARPJIT_CHECK(session_.go_to(std::min(now, session_.steps())));
  return stopped(now == session_.steps() ? "end" : now == 0 ? "start" : "step");
}

Result<Json> Debugger::next(const Words& words) {
  WARPJIT_TRY(std::uint64_t count, count_of(words));
  std::uint64_t now = at();
  for (; count != 0 && now < session_.steps(); --count) {
    WARPJIT_TRY(const DebugStep here, session_.step(now));
    DebugSearch later{.lanes = 1U << lane_};
    for (const std::uint32_t address : session_.addresses())
      if (address > here.address) later.addresses.push_back(address);
    // Straight on, one step is the next address; a loop or a call comes back to it.
    WARPJIT_TRY(const auto found, session_.search(later, now + 1));
    now = found.value_or(session_.steps());
  }
  WARPJIT_CHECK(session_.go_to(now));
  return stopped(now == session_.steps() ? "end" : "step");
}

Result<Json> Debugger::go_on(bool backwards) {
  std::uint64_t best = backwards ? 0 : session_.steps();
  const Stop* hit = nullptr;
  for (Stop& stop : stops_) {
    // Breakpoints stop before their instruction, others after what they wait for.
    const bool before = !stop.search.addresses.empty();
    std::uint64_t from = backwards ? (before ? at() : at() == 0 ? 0 : at() - 1) : (before ? at() + 1 : at());
    for (std::uint64_t hits = 0;;) {
      WARPJIT_TRY(const auto found, session_.search(stop.search, from, backwards));
      if (!found) break;
      const std::uint64_t stand = *found + (before ? 0 : 1);
      if (backwards ? stand < best : stand > best) break;
      if (!stop.condition.empty()) {
        const std::uint64_t was = at();
        WARPJIT_CHECK(session_.go_to(stand));
        const auto holding = holds(session_, lane_, stop.condition);
        WARPJIT_CHECK(session_.go_to(was));
        if (!holding) return holding.error();
        if (!*holding) {
          from = backwards ? *found : *found + 1;
          continue;
        }
      }
      if (++hits < stop.count) {
        from = backwards ? *found : *found + 1;
        continue;
      }
      if (hit == nullptr || stand != best) best = stand, hit = &stop;
      break;
    }
  }
  WARPJIT_CHECK(session_.go_to(best));
  if (hit != nullptr) {
    for (Stop& stop : stops_) stop.hits += &stop == hit ? 1 : 0;
    return stopped("stop " + std::to_string(hit->number) + ": " + hit->text);
  }
  return stopped(backwards ? "start" : "end");
}

Result<Json> Debugger::finish() {
  WARPJIT_CHECK(session_.go_to(session_.steps()));
  return stopped("end");
}

Result<Json> Debugger::go(const Words& words) {
  if (words.size() == 2) {
    WARPJIT_TRY(const std::uint64_t step, number_of(words[1], kMostSteps));
    WARPJIT_CHECK(session_.go_to(step));
    return stopped("goto");
  }
  std::string text;
  for (std::size_t k = 1; k < words.size(); ++k) text += std::string(words[k]) + " ";
  WARPJIT_TRY(const DebugPlace place, DebugPlace::parse(text));
  const DebugPlace was = session_.place();
  if (const Status gone = session_.go(place); !gone) {
    WARPJIT_CHECK(session_.go(was));  // it goes on where it was
    return gone.error();
  }
  lane_ = session_.lane();
  return stopped("goto");
}

// ---- Stops

Result<std::uint32_t> Debugger::address_of(std::string_view text) const {
  std::uint32_t address = 0;
  std::string_view digits = text;
  if (digits.starts_with("0x")) digits.remove_prefix(2);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), address, 16);
  const std::vector<std::uint32_t> all = session_.addresses();
  if (error != std::errc() || end != digits.data() + digits.size() ||
      !std::binary_search(all.begin(), all.end(), address))
    return wrong(all.empty() ? "the program has no listing"
                             : "no instruction is there; addresses are " + address_text(all.front()) +
                                   " to " + address_text(all.back()) + ", \"list\" shows them",
                 text);
  return address;
}

Result<Json> Debugger::add_stop(Stop stop, std::string_view all) {
  std::string_view condition = after(all, "if");
  if (const std::size_t end = condition.find(" count "); end != std::string_view::npos)
    condition = condition.substr(0, end);
  stop.condition = condition;
  if (const std::string_view count = after(all, "count"); !count.empty()) {
    WARPJIT_TRY(stop.count, number_of(split(count)[0], kMostSteps));
  }
  if (!stop.condition.empty()) {
    // A name that is wrong is said at once.
    const auto holding = holds(session_, lane_, stop.condition);
    if (!holding) return holding.error();
  }
  stop.search.lanes = 1U << lane_;
  stop.number = ++last_stop_;
  stop.text = all;
  Json reply{{"reply", "breakpoint"}, {"number", stop.number}, {"text", stop.text}};
  stops_.push_back(std::move(stop));
  return reply;
}

Result<Json> Debugger::break_at(const Words& words, std::string_view all) {
  if (words.size() < 2) return wrong("an address is missing", "break");
  WARPJIT_TRY(const std::uint32_t address, address_of(words[1]));
  return add_stop({.search = {.addresses = {address}}}, all);
}

Result<Json> Debugger::watch(const Words& words, std::string_view all, bool backwards) {
  if (words.size() < 2) return wrong("a register is missing", words[0]);
  WARPJIT_TRY(const DebugRegister reg, register_of(session_, lane_, words[1]));
  if (!backwards) return add_stop({.search = {.words = {reg.word}}}, all);
  WARPJIT_TRY(const auto found, session_.search({.words = {reg.word}, .lanes = 1U << reg.lane}, at(), true));
  if (!found) return wrong("no instruction before step " + std::to_string(at()) + " writes it", words[1]);
  WARPJIT_CHECK(session_.go_to(*found));
  return stopped("the next instruction writes " + std::string(words[1]));
}

Result<Json> Debugger::catch_event(const Words& words, std::string_view all) {
  struct Event {
    const char* name;
    std::uint16_t bit;
  };
  constexpr Event kEvents[] = {{"fault", DebugStep::faulted},     {"uninitialized", DebugStep::undefined},
                               {"diverge", DebugStep::diverged},  {"join", DebugStep::joined},
                               {"discard", DebugStep::discarded}, {"sample", DebugStep::sampled},
                               {"barrier", DebugStep::barrier},   {"rule", DebugStep::rule}};
  const std::string_view what = words.size() < 2 ? std::string_view() : words[1];
  Stop stop;
  if (what == "nan") stop.search.nan = true;
  if (what == "inf") stop.search.infinity = true;
  for (const Event& event : kEvents)
    if (what == event.name) stop.search.happened = event.bit;
  if (!stop.search.nan && !stop.search.infinity && stop.search.happened == 0)
    return wrong(
        "what can be caught: nan, inf, fault, uninitialized, diverge, join, discard, sample, barrier, rule",
        what);
  return add_stop(std::move(stop), all);
}

Result<Json> Debugger::remove(const Words& words) {
  if (words.size() > 1) {
    WARPJIT_TRY(const std::uint64_t number, number_of(words[1], kMostSteps));
    if (std::erase_if(stops_, [&](const Stop& stop) { return stop.number == number; }) == 0)
      return wrong("there is no such stop", words[1]);
  } else {
    stops_.clear();
  }
  return info({"info"});
}

// ---- Looking

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

Result<Json> Debugger::registers(const Words& words) {
  Json list = Json::array();
  const bool changed = words.size() > 1 && words[1] == "changed";
  if (changed) {
    if (at() != 0) {
      WARPJIT_TRY(const DebugStep before, session_.step(at() - 1));
      for (const auto& write : before.writes)
        if (write.lane == lane_)
          list.push_back(
              {{"register", session_.name(write.word)}, {"value", write.after}, {"before", write.before}});
    }
    return Json{{"reply", "registers"}, {"registers", std::move(list)}};
  }
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
  std::size_t here = all.size();
  std::uint32_t now = ~0U;
  if (at() < session_.steps()) {
    WARPJIT_TRY(const DebugStep step, session_.step(at()));
    now = step.address;
    here = static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), now) - all.begin());
  }
  const std::size_t first = here - std::min<std::size_t>(here, around),
                    end = std::min<std::size_t>(all.size(), here + around + 1);
  Json lines = Json::array();
  for (std::size_t k = first; k < end; ++k)
    lines.push_back({{"address", all[k]}, {"text", session_.text(all[k])}, {"next", all[k] == now}});
  return Json{{"reply", "list"}, {"lines", std::move(lines)}};
}

Result<Json> Debugger::where() {
  Json reply{{"reply", "where"},          {"place", session_.place().text()}, {"step", at()},
             {"steps", session_.steps()}, {"draw", session_.what()},          {"lane", lane_},
             {"lanes", session_.lanes()}};
  if (at() < session_.steps()) {
    WARPJIT_TRY(const DebugStep now, session_.step(at()));
    reply["address"] = now.address;
    reply["text"] = session_.text(now.address);
    reply["executing"] = now.lanes;
  }
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
    Json one{{"from", name(node.from)},
             {"step", node.step},
             {"value", node.value},
             {"place", place.text()},
             {"of", node.of}};
    if (node.word != ~0U) one["register"] = session.name(node.word);
    if (node.from == DebugOrigin::From::memory) one["memory"] = node.memory;
    const bool by_instruction = node.from != DebugOrigin::From::start &&
                                node.from != DebugOrigin::From::uniform &&
                                node.from != DebugOrigin::From::undefined;
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
  return Json{{"reply", "origin"}, {"nodes", origin_json(session_, origin)}};
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

Json Debugger::help(const Words& words) const {
  Json list = Json::array();
  for (const Verb& verb : verbs()) {
    if (words.size() > 1 && words[1] != verb.name && words[1] != verb.short_name) continue;
    list.push_back(
        {{"name", verb.name}, {"short", verb.short_name}, {"takes", verb.takes}, {"does", verb.does}});
  }
  return {{"reply", "help"}, {"commands", std::move(list)}};
}

}  // namespace warpjit::tool
