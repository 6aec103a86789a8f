// warpjit origin and warpjit nan: where values were born.
#include <fmt/core.h>

#include <map>

#include "debug/origin_chain.h"
#include "output.h"

namespace warpjit::tool {
namespace {

struct OriginOptions {
  DebugInput input;
  std::string value;
  bool nan = false, dot = false, json = false;
  std::uint64_t most = 64, draws = 8;
};

struct NanOptions {
  DebugInput input;
  unsigned threads = 0;
  bool infinities = false, json = false;
};

Result<AskedWord> asked_for(const OriginOptions& options, DebugSession& session) {
  if (options.nan && options.value.empty()) return last_nan(session);
  AskedWord asked{.step = session.place().step != 0 ? session.place().step : session.steps()};
  WARPJIT_TRY(const DebugRegister reg, register_of(session, session.lane(), options.value));
  asked.word = reg.word;
  asked.lane = reg.lane;
  return asked;
}

// Adds the nodes of a thread to a graph, whose nodes have numbers from `first` on.
void add_dot(const Json& nodes, std::size_t first, std::string& text) {
  std::size_t number = first;
  for (const Json& node : nodes) {
    const Json* const reg = node.find("register");
    const Json* const code = node.find("text");
    std::string label =
        (reg != nullptr ? reg->string() + " = " : "") + fmt::format("0x{:x}", node["value"].natural());
    label += "\\n" + (code != nullptr ? code->string() : node["from"].string());
    std::string escaped;
    for (const char letter : label) escaped += letter == '"' ? std::string("\\\"") : std::string(1, letter);
    text += fmt::format("  n{} [label=\"{}\"];\n", number, escaped);
    for (const Json& of : node["of"]) text += fmt::format("  n{} -> n{};\n", first + of.natural(), number);
    ++number;
  }
}

// The thread and those of earlier draws, whose first nodes are what they wrote.
std::string dot_text(const Json& reply) {
  std::string text = "digraph origin {\n  node [shape=box];\n";
  std::vector<const Json*> threads{&reply};
  for (const Json& one : reply["earlier"])
    if (one.contains("nodes")) threads.push_back(&one);
  std::map<std::string, std::size_t> written;  // the first node of each place
  std::vector<std::size_t> firsts;
  std::size_t first = 0;
  for (const Json* const thread : threads) {
    add_dot((*thread)["nodes"], first, text);
    firsts.push_back(first);
    if (thread != &reply) written.emplace((*thread)["place"].string(), first);
    first += (*thread)["nodes"].size();
  }
  for (std::size_t k = 0; k < threads.size(); ++k) {
    std::size_t number = firsts[k];
    for (const Json& node : (*threads[k])["nodes"]) {
      const Json* const writer = node.find("writer");
      const Json* const place = writer != nullptr ? writer->find("place") : nullptr;
      if (place != nullptr)
        if (const auto found = written.find(place->string()); found != written.end())
          text += fmt::format("  n{} -> n{} [style=dashed];\n", found->second, number);
      ++number;
    }
  }
  return text + "}\n";
}

void print_thread(const Json& thread) {
  write_out(reply_text(thread));
  if (const Json* const stages = thread.find("stages"))
    for (const Json& stage : *stages) {
      print_out("{}\n", stage["place"].string());
      write_out(reply_text(stage));
    }
}

Result<Json> find_origin(const OriginOptions& options, DebugSession& session) {
  WARPJIT_TRY(const AskedWord asked, asked_for(options, session));
  const auto most = static_cast<std::size_t>(options.most);
  WARPJIT_TRY(const DebugOrigin origin,
              session.origin(asked.word, asked.lane, asked.step, options.nan, most));
  OriginChain chain(session, options.nan, most, static_cast<std::size_t>(options.draws));
  WARPJIT_TRY(Json nodes, chain.nodes(origin));
  Json vertices = Json::array(), stages = Json::array();
  for (const DebugPlace& place : session.vertices()) vertices.push_back(place.text());
  if (options.nan && comes_from_vertices(origin)) {
    WARPJIT_TRY(Json found, chain.births_of_vertices());
    stages = std::move(found);
  }
  WARPJIT_TRY(Json earlier, chain.earlier());
  return Json{{"warpjit_origin", 1},
              {"reply", "origin"},
              {"place", session.place().text()},
              {"nodes", std::move(nodes)},
              {"vertices", std::move(vertices)},
              {"stages", std::move(stages)},
              {"earlier", std::move(earlier)}};
}

int run_origin(const OriginOptions& options) {
  if (!options.nan && options.value.empty())
    return fail({ErrorCode::bad_input, "say which value: --value REGISTER, or --nan", "origin"});
  auto session = open_session(options.input);
  if (!session) return fail(session.error());
  const auto reply = find_origin(options, *session);
  if (!reply) return fail(reply.error());
  if (options.dot) {
    write_out(dot_text(*reply));
    return kOk;
  }
  if (options.json) {
    print_json(*reply);
    return kOk;
  }
  print_out("{}: {}\n", session->place().text(), session->what());
  print_thread(*reply);
  for (const Json& thread : (*reply)["earlier"]) {
    const Json* const draw = thread.find("draw");
    print_out("{}{}\n", thread["place"].string(), draw != nullptr ? ": " + draw->string() : "");
    print_thread(thread);
  }
  if ((*reply)["stages"].empty())
    for (const Json& vertex : (*reply)["vertices"])
      print_out("a vertex of its primitive: {}\n", vertex.string());
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
  command.option("--most", options->most, "values of a thread at most").show_default();
  command.option("--draws", options->draws, "threads of earlier draws and launches at most").show_default();
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
