// warpjit debug: steps through a guest thread, forwards and backwards.
#include <fmt/core.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <optional>

#include "debug/debugger.h"
#include "files.h"
#include "output.h"
#include "stop.h"
#include "system.h"

namespace warpjit::tool {
namespace {

struct ShellOptions {
  DebugInput input;
  std::vector<std::string> batch;
  std::string script;
  bool json = false, timing = false;
};

class Shell {
 public:
  Shell(const ShellOptions& options, Debugger debugger) : options_(options), debugger_(std::move(debugger)) {}

  void begin() { show(debugger_.start()); }
  // Commands with semicolons or line feeds between them. False: the last one was `quit`.
  bool run(std::string_view commands) {
    while (!commands.empty()) {
      const std::size_t end = std::min(commands.find_first_of(";\n"), commands.size());
      const std::string_view one = commands.substr(0, end);
      commands.remove_prefix(std::min(end + 1, commands.size()));
      const std::size_t first = one.find_first_not_of(" \t\r");
      if (first == std::string_view::npos || one[first] == '#') continue;
      const auto start = std::chrono::steady_clock::now();
      Json reply = debugger_.run(one);
      if (options_.timing)
        reply["milliseconds"] =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
      show(reply);
      if (debugger_.has_ended()) return false;
    }
    return true;
  }
  // On a terminal an empty line says the last command again.
  void read_lines(bool prompts) {
    for (std::string line; !debugger_.has_ended();) {
      if (prompts) write_err("(warpjit) ");
      if (!std::getline(std::cin, line)) return;
      if (line.empty() && prompts)
        show(debugger_.run(""));
      else
        run(line);
      flush_out();
    }
  }
  int code() {
    DebugSession& session = debugger_.session();
    if (!session.difference().empty() && !options_.json)
      print_out("the threads do not leave what compiled code leaves: {}\n", session.difference());
    return failed_ ? kBadInput : session.difference().empty() ? kOk : kMismatch;
  }

 private:
  void show(const Json& reply) {
    failed_ = failed_ || reply.contains("error");
    if (options_.json) {
      write_out(reply.dump() + "\n");
      return;
    }
    print_lines(reply_text(reply));
    if (options_.timing && reply.contains("milliseconds"))
      print_out("   {:.3f} ms\n", reply["milliseconds"].real());
  }
  // Names in replies may be hostile: each line is shown as one.
  static void print_lines(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      print_out("{}\n", std::string(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  const ShellOptions& options_;
  Debugger debugger_;
  bool failed_ = false;  // of a script: some command was wrong
};

int run_debug(const ShellOptions& options) {
  std::optional<std::string> script;
  if (!options.script.empty()) {
    const auto bytes = read_file(options.script, kMaxJsonBytes);
    if (!bytes) return fail(bytes.error());
    script = std::string(as_text(*bytes));
  }
  const auto capture = load_any_capture(options.input.file);
  if (!capture) return fail(capture.error());
  auto session = open_session(options.input, *capture);
  if (!session) return fail(session.error());
  Shell shell(options, Debugger(*capture, std::move(*session), options.input.file));
  const bool scripted = script || !options.batch.empty();
  if (!scripted) {
    shell.begin();
    shell.read_lines(system::is_terminal(0));
    return kOk;
  }
  bool goes_on = !script || shell.run(*script);
  for (const std::string& commands : options.batch) goes_on = goes_on && shell.run(commands);
  return shell.code();
}

}  // namespace

void add_debug(Command& app) {
  const auto options = std::make_shared<ShellOptions>();
  Command command =
      app.add_command("debug", "Step through a guest thread of a capture, forwards and backwards");
  options->input.add_file_to(command);
  options->input.add_place_to(command);
  options->input.add_run_to(command);
  command.option("--batch", options->batch,
                 "commands with semicolons between them, in place of a terminal's");
  command.option("-x", options->script, "a file of commands; # begins a comment");
  command.flag("--timing", options->timing, "how long each command takes");
  command.flag("--json", options->json, "print JSON, one object a command");
  add_timeout(command);
  command.footer(
      "Commands are those of gdb, with reverse twins; `help` lists them.\n"
      "Examples:\n"
      "  warpjit debug frame.wjcap draw 17 pixel 120,88\n"
      "  warpjit debug run.json vertex 5 --batch 'catch nan; continue; origin r3.x nan'\n"
      "  warpjit debug kernel.json thread 3,0,0 block 1,2 -x commands.txt --json");
  command.action([options] { return run_debug(*options); });
}

}  // namespace warpjit::tool
