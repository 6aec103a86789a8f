// warpjit origin and warpjit nan: where values were born.
#include <fmt/core.h>

#include <algorithm>

#include "debug/debugger.h"
#include "output.h"

namespace warpjit::tool {
namespace {

struct OriginOptions {
  DebugInput input;
  std::string value;
  bool nan = false, dot = false, json = false;
  std::uint64_t most = 64;
};

struct NanOptions {
  DebugInput input;
  unsigned threads = 0;
  bool infinities = false, json = false;
};

// A word, its lane, and the step before which it is looked at.
struct Asked {
  unsigned word = 0, lane = 0;
  std::uint64_t step = 0;
};

// The last NaN or infinity that the thread gave.
Result<Asked> last_nan(DebugSession& session) {
  const DebugSearch search{.nan = true, .infinity = true, .copies = true, .lanes = 1U << session.lane()};
  WARPJIT_TRY(const auto found, session.search(search, session.steps(), true));
  if (!found)
    return Error{ErrorCode::bad_input, "no instruction of this thread gives a NaN or an infinity",
                 session.place().text()};
  WARPJIT_TRY(const DebugStep step, session.step(*found));
  for (std::size_t k = step.writes.size(); k-- > 0;) {
    const auto& write = step.writes[k];
    if (write.lane == session.lane() && (write.nan || write.infinite))
      return Asked{write.word, write.lane, *found + 1};
  }
  return Error{ErrorCode::internal, "the step gives none", session.place().text()};
}

Result<Asked> asked_for(const OriginOptions& options, DebugSession& session) {
  if (options.nan && options.value.empty()) return last_nan(session);
  Asked asked{.step = session.place().step != 0 ? session.place().step : session.steps()};
  WARPJIT_TRY(const DebugRegister reg, register_of(session, session.lane(), options.value));
  asked.word = reg.word;
  asked.lane = reg.lane;
  return asked;
}

std::string dot_text(const Json& nodes) {
  std::string text = "digraph origin {\n  node [shape=box];\n";
  std::size_t number = 0;
  for (const Json& node : nodes) {
    const Json* const reg = node.find("register");
    const Json* const code = node.find("text");
    std::string label =
        (reg != nullptr ? reg->string() + " = " : "") + fmt::format("0x{:x}", node["value"].natural());
    label += "\\n" + (code != nullptr ? code->string() : node["from"].string());
    std::string escaped;
    for (const char letter : label) escaped += letter == '"' ? std::string("\\\"") : std::string(1, letter);
    text += fmt::format("  n{} [label=\"{}\"];\n", number, escaped);
    for (const Json& of : node["of"]) text += fmt::format("  n{} -> n{};\n", of.natural(), number);
    ++number;
  }
  return text + "}\n";
}

// Whether a NaN or an infinity was there before the program: the rasterizer interpolated it.
bool comes_from_vertices(const DebugOrigin& origin) {
  return std::any_of(origin.nodes.begin(), origin.nodes.end(), [](const DebugOrigin::Node& node) {
    return node.from == DebugOrigin::From::varying || node.from == DebugOrigin::From::start;
  });
}

// The births in the vertex programs of a fragment's primitive. The session goes there and comes back.
Result<Json> births_of_vertices(DebugSession& session, std::size_t most) {
  constexpr unsigned kMostPrograms = 4;
  const DebugPlace was = session.place();
  Json stages = Json::array();
  for (DebugPlace place : session.vertices())
    for (place.program = 0; place.program < kMostPrograms && session.go(place).ok(); ++place.program) {
      const auto asked = last_nan(session);
      if (!asked) continue;
      WARPJIT_TRY(const DebugOrigin origin,
                  session.origin(asked->word, asked->lane, asked->step, true, most));
      stages.push_back({{"reply", "origin"},
                        {"place", session.place().text()},
                        {"draw", session.what()},
                        {"nodes", origin_json(session, origin)}});
    }
  WARPJIT_CHECK(session.go(was));
  return stages;
}

int run_origin(const OriginOptions& options) {
  if (!options.nan && options.value.empty())
    return fail({ErrorCode::bad_input, "say which value: --value REGISTER, or --nan", "origin"});
  auto session = open_session(options.input);
  if (!session) return fail(session.error());
  const auto asked = asked_for(options, *session);
  if (!asked) return fail(asked.error());
  const auto origin = session->origin(asked->word, asked->lane, asked->step, options.nan,
                                      static_cast<std::size_t>(options.most));
  if (!origin) return fail(origin.error());
  const Json nodes = origin_json(*session, *origin);
  Json vertices = Json::array();
  for (const DebugPlace& place : session->vertices()) vertices.push_back(place.text());
  Json stages = Json::array();
  if (options.nan && comes_from_vertices(*origin)) {
    auto found = births_of_vertices(*session, static_cast<std::size_t>(options.most));
    if (!found) return fail(found.error());
    stages = std::move(*found);
  }
  if (options.dot) {
    write_out(dot_text(nodes));
    return kOk;
  }
  const Json reply{{"warpjit_origin", 1}, {"reply", "origin"},    {"place", session->place().text()},
                   {"nodes", nodes},      {"vertices", vertices}, {"stages", stages}};
  if (options.json) {
    print_json(reply);
    return kOk;
  }
  print_out("{}: {}\n", session->place().text(), session->what());
  write_out(reply_text(reply));
  for (const Json& stage : stages) {
    print_out("{}\n", stage["place"].string());
    write_out(reply_text(stage));
  }
  if (stages.empty())
    for (const Json& vertex : vertices) print_out("a vertex of its primitive: {}\n", vertex.string());
  return kOk;
}

int run_nan(const NanOptions& options) {
  const auto capture = load_any_capture(options.input.file);
  if (!capture) return fail(capture.error());
  RunOptions run = options.input.options().run;
  run.threads = options.threads;
  const auto births = find_births(*capture, options.infinities, run);
  if (!births) return fail(births.error());
  Json list = Json::array();
  for (const DebugBirth& birth : *births)
    list.push_back({{"draw", birth.draw},
                    {"stage", name(birth.stage)},
                    {"address", birth.address},
                    {"text", birth.text},
                    {"count", birth.count},
                    {"first", birth.first.text()}});
  if (options.json) {
    print_json({{"warpjit_nan", 1}, {"births", std::move(list)}});
    return kOk;
  }
  const char* const what = options.infinities ? "infinities" : "NaNs";
  if (births->empty()) print_out("no instruction gives {}\n", std::string(what));
  for (const DebugBirth& birth : *births)
    print_out("draw {:3}  {:8}  {:04x}  {:40}  {:8}, the first: {}\n", birth.draw,
              std::string(name(birth.stage)), birth.address, birth.text, birth.count, birth.first.text());
  return kOk;
}

}  // namespace

void add_origin(Command& app) {
  const auto options = std::make_shared<OriginOptions>();
  Command command = app.add_command("origin", "Say where a value of a guest thread was born");
  options->input.add_file_to(command);
  options->input.add_place_to(command);
  options->input.add_run_to(command);
  command.option("--value", options->value, "a register, before the place's step or at the end");
  command.flag("--nan", options->nan, "the last NaN or infinity of the thread, or of --value, to its birth");
  command.option("--most", options->most, "values at most").show_default();
  command.flag("--dot", options->dot, "print a graph for graphviz");
  command.flag("--json", options->json, "print JSON (docs/debugging.md)");
  add_timeout(command);
  command.footer(
      "Examples:\n"
      "  warpjit origin frame.wjcap draw 17 pixel 120,88 --nan\n"
      "  warpjit origin run.json vertex 5 step 41 --value r3.x --dot | dot -Tsvg -o r3.svg");
  command.action([options] { return run_origin(*options); });
}

void add_nan(Command& app) {
  const auto options = std::make_shared<NanOptions>();
  Command command = app.add_command("nan", "List the instructions of a capture that give NaNs");
  options->input.add_file_to(command);
  command.flag("--inf", options->infinities, "infinities in their place");
  command
      .option("--threads", options->threads,
              "host threads, each with the capture's memory of its own; 0: one for each CPU")
      .range(0, 16);
  command.flag("--json", options->json, "print JSON (docs/debugging.md)");
  add_timeout(command);
  command.footer("Example:\n  warpjit nan frame.wjcap");
  command.action([options] { return run_nan(*options); });
}

}  // namespace warpjit::tool
