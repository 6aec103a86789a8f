// warpjit trace: the steps of a thread, one a line.
#include <fmt/core.h>

#include <bit>

#include "debug/debug_input.h"
#include "output.h"

namespace warpjit::tool {
namespace {

struct TraceOptions {
  DebugInput input;
  std::uint64_t from = 0, steps = ~std::uint64_t{0};
  bool all_lanes = false, json = false;
};

constexpr int kTraceVersion = 1;

bool is_shown(const TraceOptions& options, const DebugSession& session, unsigned lane) {
  return options.all_lanes || lane == session.lane();
}

Json header_json(const DebugSession& session) {
  return {{"warpjit_trace", kTraceVersion}, {"place", session.place().text()}, {"draw", session.what()},
          {"steps", session.steps()},       {"lane", session.lane()},          {"lanes", session.lanes()}};
}

Json step_json(const TraceOptions& options, const DebugSession& session, const DebugStep& step) {
  Json json{{"step", step.number},
            {"address", step.address},
            {"text", session.text(step.address)},
            {"lanes", step.lanes}};
  Json reads = Json::array(), writes = Json::array(), memory = Json::array(), texels = Json::array();
  for (const auto& read : step.reads)
    if (is_shown(options, session, read.lane)) {
      Json one{{"register", session.name(read.word)}, {"value", read.value}};
      if (options.all_lanes) one["lane"] = read.lane;
      reads.push_back(std::move(one));
    }
  for (const auto& write : step.writes)
    if (is_shown(options, session, write.lane)) {
      Json one{{"register", session.name(write.word)}, {"before", write.before}, {"after", write.after}};
      if (options.all_lanes) one["lane"] = write.lane;
      if (write.bits != ~0U) one["bits"] = write.bits;
      writes.push_back(std::move(one));
    }
  for (const auto& access : step.accesses)
    if (is_shown(options, session, access.lane)) {
      Json one{{"address", access.address}, {"bytes", access.bytes}, {"store", access.store}};
      if (access.faulted)
        one["fault"] = true;
      else
        one["value"] = access.value;
      if (access.store && !access.faulted) one["before"] = access.before;
      if (options.all_lanes) one["lane"] = access.lane;
      memory.push_back(std::move(one));
    }
  for (const auto& texel : step.texels)
    if (is_shown(options, session, texel.lane)) {
      Json one = texel_json(texel);
      if (options.all_lanes) one["lane"] = texel.lane;
      texels.push_back(std::move(one));
    }
  if (!reads.empty()) json["reads"] = std::move(reads);
  if (!writes.empty()) json["writes"] = std::move(writes);
  if (!memory.empty()) json["memory"] = std::move(memory);
  if (!texels.empty()) json["texels"] = std::move(texels);
  if (step.happened != 0) json["happened"] = happened_json(step.happened);
  return json;
}

Json end_json(const DebugSession& session) {
  Json json{{"end", session.end().ok() ? "done" : message_of(session.end().error())}};
  json["agrees"] = session.difference().empty();
  if (!session.difference().empty()) json["difference"] = session.difference();
  return json;
}

void print_step(const TraceOptions& options, const DebugSession& session, const DebugStep& step) {
  std::string line =
      fmt::format("{:6}  {:04x}  {:48}", step.number, step.address, session.text(step.address));
  std::string results;
  for (const auto& write : step.writes)
    if (is_shown(options, session, write.lane)) {
      results += fmt::format("  {}", session.name(write.word));
      if (options.all_lanes) results += fmt::format("[{}]", write.lane);
      results += " = " + value_text(write.after);
    }
  for (const auto& access : step.accesses)
    if (is_shown(options, session, access.lane))
      results += fmt::format("  {} {} bytes at 0x{:x}{}", access.store ? "stores" : "loads", access.bytes,
                             access.address, access.faulted ? ", which is not there" : "");
  if (step.happened != 0) results += "  " + happened_text(step.happened);
  print_out("{}{}\n", line, results);
}

int run_trace(const TraceOptions& options) {
  auto session = open_session(options.input);
  if (!session) return fail(session.error());
  if (options.json)
    write_out(header_json(*session).dump() + "\n");
  else
    print_out("{}: {} steps; {}\n", session->place().text(), session->steps(), session->what());
  const std::uint64_t end = options.steps < session->steps() - std::min(options.from, session->steps())
                                ? options.from + options.steps
                                : session->steps();
  for (std::uint64_t n = options.from; n < end; ++n) {
    const auto step = session->step(n);
    if (!step) return fail(step.error());
    if (!options.all_lanes && (step->lanes >> session->lane() & 1) == 0) continue;
    if (options.json)
      write_out(step_json(options, *session, *step).dump() + "\n");
    else
      print_step(options, *session, *step);
  }
  if (options.json)
    write_out(end_json(*session).dump() + "\n");
  else if (!session->difference().empty())
    print_out("differs from compiled code: {}\n", session->difference());
  else
    print_out("as compiled code\n");
  if (!session->end().ok()) return fail(session->end().error());
  return session->difference().empty() ? kOk : kMismatch;
}

}  // namespace

void add_trace(Command& app) {
  const auto options = std::make_shared<TraceOptions>();
  Command command = app.add_command("trace", "Print what a guest thread does, step by step");
  options->input.add_file_to(command);
  options->input.add_place_to(command);
  options->input.add_run_to(command);
  command.option("--from", options->from, "the first step");
  command.option("--steps", options->steps, "how many steps at most");
  command.flag("--all-lanes", options->all_lanes, "of all threads that run together with it");
  add_timeout(command);
  command.flag("--json", options->json, "print JSON, one object a line (docs/debugging.md)");
  command.footer(
      "Examples:\n"
      "  warpjit trace frame.wjcap draw 17 pixel 120,88\n"
      "  warpjit trace run.json vertex 5 --json\n"
      "  warpjit trace kernel.json thread 3,0,0 block 1,2 --from 100 --steps 20");
  command.action([options] { return run_trace(*options); });
}

}  // namespace warpjit::tool
