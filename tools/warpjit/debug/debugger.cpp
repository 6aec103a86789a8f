#include "debug/debugger.h"

#include "base/words.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

namespace warpjit::tool {
namespace {

Result<std::uint64_t> count_of(const std::vector<std::string_view>& words) {
  return words.size() > 1 ? number_of(words[1]) : Result<std::uint64_t>(1);
}

// What stands after the first word that is `word`; empty if no word is.
std::string_view after(std::string_view all, std::string_view word) {
  for (std::size_t at = all.find(word); at != std::string_view::npos; at = all.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if (at != 0 && all[at - 1] == ' ' && end < all.size() && all[end] == ' ') return all.substr(end + 1);
  }
  return {};
}

}  // namespace

struct Debugger::Verb {
  const char *name, *short_name;
  std::string takes;
  const char* does;
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
      {"break", "b", "ADDRESS | LABEL | FILE:LINE [if EXPRESSION] [count N]", "stop there",
       [](Debugger& d, const Words& w, std::string_view all) { return d.break_at(w, all); }},
      {"watch", "w", "REGISTER [if EXPRESSION] [count N]", "stop after an instruction that writes it",
       [](Debugger& d, const Words& w, std::string_view all) { return d.watch(w, all, false); }},
      {"rwatch", "rw", "REGISTER", "back to the last instruction that wrote it",
       [](Debugger& d, const Words& w, std::string_view all) { return d.watch(w, all, true); }},
      {"catch", "", "nan | inf | " + happened_names(" | "), "stop after an instruction that does this",
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
      {"where", "bt", "", "the place, which threads execute, and calls",
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
  const Words words = text::words_of(line);
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

Json Debugger::help(const Words& words) const {
  Json list = Json::array();
  for (const Verb& verb : verbs()) {
    if (words.size() > 1 && words[1] != verb.name && words[1] != verb.short_name) continue;
    list.push_back(
        {{"name", verb.name}, {"short", verb.short_name}, {"takes", verb.takes}, {"does", verb.does}});
  }
  return {{"reply", "help"}, {"commands", std::move(list)}};
}

// ---- Moving

Result<Json> Debugger::stopped(std::string reason) {
  Json reply{{"reply", "stop"},        {"place", session_.place().text()},
             {"step", at()},           {"steps", session_.steps()},
             {"lane", lane_},          {"reason", std::move(reason)},
             {"draw", session_.what()}};
  if (!session_.difference().empty()) reply["difference"] = session_.difference();
  std::vector<std::string> hints;
  if (at() == session_.steps()) {
    reply["end"] = session_.end().ok() ? "done" : message_of(session_.end().error());
    hints = {"rs", "rc"};
  } else {
    WARPJIT_TRY(const DebugStep now, session_.step(at()));
    reply["next"] = instruction_json(now.address);
    reply["next"]["lanes"] = now.lanes;
    hints = {"s"};
    const auto read = std::ranges::find(now.reads, lane_, &DebugStep::Read::lane);
    if (read != now.reads.end())
      for (const char* what : {"p ", "origin "}) hints.push_back(what + session_.name(read->word));
  }
  if (at() != 0) {
    WARPJIT_TRY(const DebugStep before, session_.step(at() - 1));
    reply["last"] = instruction_json(before.address);
    reply["changed"] = changes_json(before);
    if (before.happened != 0) reply["happened"] = happened_json(before.happened);
    const auto write = std::ranges::find(before.writes, lane_, &DebugStep::Write::lane);
    if (write != before.writes.end())
      for (const char* what : {"origin ", "lanes "}) hints.push_back(what + session_.name(write->word));
  }
  for (auto hint = hints.begin(); hint != hints.end(); ++hint)
    if (std::find(hints.begin(), hint, *hint) == hint) reply["hints"].push_back(*hint);
  return reply;
}

Json Debugger::instruction_json(std::uint32_t address) {
  Json json{{"address", address}, {"text", session_.text(address)}};
  if (Json line = source().at(address); !line.is_null()) json["source"] = std::move(line);
  return json;
}

Json Debugger::changes_json(const DebugStep& step) const {
  Json changed = Json::array();
  for (const auto& write : step.writes)
    if (write.lane == lane_)
      changed.push_back(
          {{"register", session_.name(write.word)}, {"before", write.before}, {"after", write.after}});
  return changed;
}

const ProgramSource& Debugger::source() {
  const Program& program = session_.program();
  if (!source_ || source_of_ != program.shared_state()) {
    source_.emplace(program, file_);
    source_of_ = program.shared_state();
  }
  return *source_;
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

Result<std::optional<std::uint64_t>> Debugger::next_of(const Stop& stop, bool backwards, std::uint64_t best) {
  // Breakpoints stop before their instruction, others after what they wait for.
  const std::uint64_t after = stop.search.addresses.empty() ? 1 : 0;
  std::uint64_t from = backwards ? at() - std::min(after, at()) : at() + 1 - after;
  for (std::uint64_t hits = 0;;) {
    WARPJIT_TRY(const auto found, session_.search(stop.search, from, backwards));
    const std::uint64_t stand = found.value_or(0) + after;
    if (!found || (backwards ? stand < best : stand > best)) return std::optional<std::uint64_t>();
    WARPJIT_TRY(const bool holding, holds_at(stand, stop.condition));
    if (holding && ++hits >= stop.count) return std::optional(stand);
    from = backwards ? *found : *found + 1;
  }
}

Result<bool> Debugger::holds_at(std::uint64_t step, const std::string& condition) {
  if (condition.empty()) return true;
  const std::uint64_t was = at();
  WARPJIT_CHECK(session_.go_to(step));
  const auto holding = holds(session_, lane_, condition);
  WARPJIT_CHECK(session_.go_to(was));
  return holding;
}

Result<Json> Debugger::go_on(bool backwards) {
  std::uint64_t best = backwards ? 0 : session_.steps();
  Stop* hit = nullptr;  // of those that stop at the same step, the first one
  for (Stop& stop : stops_) {
    WARPJIT_TRY(const auto stand, next_of(stop, backwards, best));
    if (!stand || (hit != nullptr && *stand == best)) continue;
    best = *stand;
    hit = &stop;
  }
  WARPJIT_CHECK(session_.go_to(best));
  if (hit == nullptr) return stopped(backwards ? "start" : "end");
  ++hit->hits;
  return stopped("stop " + std::to_string(hit->number) + ": " + hit->text);
}

Result<Json> Debugger::finish() {
  WARPJIT_CHECK(session_.go_to(session_.steps()));
  return stopped("end");
}

Result<Json> Debugger::go(const Words& words) {
  if (words.size() == 2) {
    WARPJIT_TRY(const std::uint64_t step, number_of(words[1]));
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

Result<std::uint32_t> Debugger::address_of(std::string_view text) {
  if (const auto found = source().find(text)) return *found;
  std::uint32_t address = 0;
  std::string_view digits = text;
  if (digits.starts_with("0x")) digits.remove_prefix(2);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), address, 16);
  const std::vector<std::uint32_t> all = session_.addresses();
  if (all.empty()) return wrong("the program has no listing", text);
  if (error == std::errc() && end == digits.data() + digits.size() &&
      std::ranges::binary_search(all, address))
    return address;
  std::string message =
      fmt::format("no instruction is there; addresses are 0x{:x} to 0x{:x}, \"list\" shows them", all.front(),
                  all.back());
  if (const std::string labels = source().labels(); !labels.empty()) message += "; labels are " + labels;
  return wrong(message, text);
}

Result<Json> Debugger::add_stop(Stop stop, std::string_view all) {
  std::string_view condition = after(all, "if");
  if (const std::size_t end = condition.find(" count "); end != std::string_view::npos)
    condition = condition.substr(0, end);
  stop.condition = condition;
  if (const Words count = text::words_of(after(all, "count")); !count.empty()) {
    WARPJIT_TRY(stop.count, number_of(count[0]));
  }
  if (!stop.condition.empty()) {
    // A name that is wrong is said at once.
    const auto holding = holds(session_, lane_, stop.condition);
    if (!holding) return holding.error();
  }
  if (stop.search.lanes == ~0U) stop.search.lanes = 1U << lane_;
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
  const DebugSearch writes{.words = {reg.word}, .lanes = 1U << reg.lane};
  if (!backwards) return add_stop({.search = writes}, all);
  WARPJIT_TRY(const auto found, session_.search(writes, at(), true));
  if (!found) return wrong("no instruction before step " + std::to_string(at()) + " writes it", words[1]);
  WARPJIT_CHECK(session_.go_to(*found));
  return stopped("the next instruction writes " + std::string(words[1]));
}

Result<Json> Debugger::catch_event(const Words& words, std::string_view all) {
  const std::string_view what = words.size() < 2 ? std::string_view() : words[1];
  Stop stop;
  stop.search.nan = what == "nan";
  stop.search.infinity = what == "inf";
  stop.search.happened = happened_bit(what);
  if (!stop.search.nan && !stop.search.infinity && stop.search.happened == 0)
    return wrong("what can be caught: nan, inf, " + happened_names(", "), what);
  return add_stop(std::move(stop), all);
}

Result<Json> Debugger::remove(const Words& words) {
  if (words.size() > 1) {
    WARPJIT_TRY(const std::uint64_t number, number_of(words[1]));
    if (std::erase_if(stops_, [&](const Stop& stop) { return stop.number == number; }) == 0)
      return wrong("there is no such stop", words[1]);
  } else {
    stops_.clear();
  }
  return info({"info"});
}

}  // namespace warpjit::tool
