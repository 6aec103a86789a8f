// The command line: commands with their options, and what these accept. One source file alone sees the
// library that parses it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace warpjit::tool {

// An option of a command; a handle.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option required(bool required = true) const;
  Option range(std::uint64_t low, std::uint64_t high) const;
  Option between(double low, double high) const;
  Option one_of(std::vector<std::string> words) const;
  Option needs(Option other) const;
  Option excludes(Option other) const;
  Option separated_by_commas() const;
  Option show_default() const;
  Option description(const std::string& text) const;

 private:
  CLI::Option* option_;
};

// A command; a handle. `names`: "-o,--out", or a word for what stands without a name.
class Command {
 public:
  Command(CLI::App* app, int* exit_code) : app_(app), exit_code_(exit_code) {}

  std::string name() const;
  Command add_command(const std::string& name, const std::string& text) const;
  // Whole numbers are decimal or, with 0x, hexadecimal, and fractions are finite.
  Option option(const std::string& names, std::string& value, const std::string& text) const;
  Option option(const std::string& names, std::optional<std::string>& value, const std::string& text) const;
  Option option(const std::string& names, unsigned& value, const std::string& text) const;
  Option option(const std::string& names, std::uint64_t& value, const std::string& text) const;
  Option option(const std::string& names, double& value, const std::string& text) const;
  Option option(const std::string& names, std::optional<unsigned>& value, const std::string& text) const;
  Option option(const std::string& names, std::optional<std::uint64_t>& value, const std::string& text) const;
  Option option(const std::string& names, std::vector<std::string>& values, const std::string& text) const;
  Option option(const std::string& names, std::vector<std::uint32_t>& values, const std::string& text) const;
  Option option(const std::string& names, std::vector<std::uint64_t>& values, const std::string& text) const;
  // Seconds, above 0: `begin` is called with them.
  Option limit(const std::string& names, void (*begin)(double), const std::string& text) const;
  Option flag(const std::string& names, bool& value, const std::string& text) const;
  Option existing(const std::string& name) const;
  // What follows the options in the help.
  void footer(const std::string& text) const;
  // What the command does; the result is the exit code.
  void action(std::function<int()> action) const;

  // ---- While it runs
  std::vector<std::string> given() const;  // the options that were given, without dashes
  // Ends the command with a usage error.
  [[noreturn]] void fail_without(const std::string& name) const;

 private:
  CLI::App* app_;
  int* exit_code_;
};

class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& text, const std::string& version);
  ~CommandLine();
  Command root() { return {app_.get(), &exit_code_}; }
  // Runs the command that is named. The result is its exit code; `usage_error` if the words are wrong.
  int run(int argc, char** argv, int usage_error);

 private:
  std::unique_ptr<CLI::App> app_;
  int exit_code_ = 0;
};

}  // namespace warpjit::tool
