#include "command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <sstream>

#include "base/text.h"
#include "output.h"
#include "system.h"

namespace warpjit::tool {

namespace {

constexpr std::size_t kMostOfProblem = 1000;  // bytes of a message
constexpr const char* kNumber = "number";     // the validator of an option that is one

std::string whole_range(std::uint64_t low, std::uint64_t high) {
  return std::to_string(low) + " to " + std::to_string(high);
}
// A decimal number, or a hexadecimal one with 0x, which becomes decimal: the library takes a sign, too, and
// 010 for 8.
CLI::Validator whole_number(std::uint64_t low, std::uint64_t high) {
  return {[low, high](std::string& given) {
            const auto number = text::parse_unsigned(given, high);
            if (!number || *number < low)
              return text::quoted(given) + " is no whole number from " + whole_range(low, high);
            given = std::to_string(*number);
            return std::string();
          },
          "", kNumber};
}

std::optional<double> parse_fraction(std::string_view given) {
  double number = 0;
  const char* const last = given.data() + given.size();
  const auto [end, error] = std::from_chars(given.data(), last, number);
  if (error != std::errc{} || end != last || !std::isfinite(number)) return std::nullopt;
  return number;
}
CLI::Validator fraction(double low, double high, const std::string& range) {
  return {[=](std::string& given) {
            const auto number = parse_fraction(given);
            if (number && *number >= low && *number <= high) return std::string();
            return text::quoted(given) + " is no number " + range;
          },
          "", kNumber};
}

// What --help, --help-all or --version prints. The library makes it with streams, which leave out what they
// have no memory for: two texts are the same if both are whole.
std::string help_text(const CLI::App& app, const CLI::ParseError& request) {
  std::ostringstream first, second;
  app.exit(request, first, first);
  app.exit(request, second, second);
  if (!first || !second || first.str() != second.str()) throw std::bad_alloc();
  return first.str();
}

template <class Number>
Option add_number(CLI::App* app, const std::string& names, Number& value, const std::string& text,
                  std::uint64_t most) {
  CLI::Option* const option = app->add_option(names, value, text);
  option->transform(whole_number(0, most));
  return Option(option);
}

}  // namespace

Option Option::required(bool required) const {
  option_->required(required);
  return *this;
}
Option Option::range(std::uint64_t low, std::uint64_t high) const {
  *option_->get_validator(kNumber) = whole_number(low, high).description(whole_range(low, high));
  return *this;
}
Option Option::between(double low, double high) const {
  const std::string range = fmt::format("from {} to {}", low, high);
  *option_->get_validator(kNumber) = fraction(low, high, range).description(range);
  return *this;
}
Option Option::one_of(std::vector<std::string> words) const {
  option_->check(CLI::IsMember(std::move(words)));
  return *this;
}
Option Option::needs(Option other) const {
  option_->needs(other.option_);
  return *this;
}
Option Option::excludes(Option other) const {
  option_->excludes(other.option_);
  return *this;
}
Option Option::separated_by_commas() const {
  option_->delimiter(',');
  return *this;
}
Option Option::show_default() const {
  option_->capture_default_str();
  return *this;
}
Option Option::description(const std::string& text) const {
  option_->description(text);
  return *this;
}

std::string Command::name() const { return app_->get_name(); }
Command Command::add_command(const std::string& name, const std::string& text) const {
  return {app_->add_subcommand(name, text), exit_code_};
}
Option Command::option(const std::string& names, std::string& value, const std::string& text) const {
  return Option(app_->add_option(names, value, text));
}
Option Command::option(const std::string& names, std::optional<std::string>& value,
                       const std::string& text) const {
  return Option(app_->add_option(names, value, text));
}
Option Command::option(const std::string& names, unsigned& value, const std::string& text) const {
  return add_number(app_, names, value, text, UINT32_MAX);
}
Option Command::option(const std::string& names, std::uint64_t& value, const std::string& text) const {
  return add_number(app_, names, value, text, UINT64_MAX);
}
Option Command::option(const std::string& names, double& value, const std::string& text) const {
  CLI::Option* const option = app_->add_option(names, value, text);
  constexpr double kMost = std::numeric_limits<float>::max();
  return Option(option->check(fraction(-kMost, kMost, "as 3, -0.5 or 1e-3")));
}
Option Command::option(const std::string& names, std::optional<unsigned>& value,
                       const std::string& text) const {
  return add_number(app_, names, value, text, UINT32_MAX);
}
Option Command::option(const std::string& names, std::optional<std::uint64_t>& value,
                       const std::string& text) const {
  return add_number(app_, names, value, text, UINT64_MAX);
}
Option Command::option(const std::string& names, std::vector<std::string>& values,
                       const std::string& text) const {
  return Option(app_->add_option(names, values, text));
}
Option Command::option(const std::string& names, std::vector<std::uint32_t>& values,
                       const std::string& text) const {
  return add_number(app_, names, values, text, UINT32_MAX);
}
Option Command::option(const std::string& names, std::vector<std::uint64_t>& values,
                       const std::string& text) const {
  return add_number(app_, names, values, text, UINT64_MAX);
}
Option Command::limit(const std::string& names, void (*begin)(double), const std::string& text) const {
  constexpr double kLeast = 1e-6, kMost = 1e9;
  CLI::Option* const option = app_->add_option_function<double>(names, begin, text);
  return Option(option->check(fraction(kLeast, kMost, "above 0, up to 1e9")));
}
Option Command::flag(const std::string& names, bool& value, const std::string& text) const {
  return Option(app_->add_flag(names, value, text));
}
Option Command::existing(const std::string& name) const { return Option(app_->get_option(name)); }
void Command::footer(const std::string& text) const { app_->footer(text); }
void Command::action(std::function<int()> action) const {
  app_->callback([action = std::move(action), code = exit_code_] { *code = action(); });
}

std::vector<std::string> Command::given() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : app_->parse_order()) names.push_back(option->get_single_name());
  return names;
}
void Command::fail_without(const std::string& name) const { throw CLI::RequiredError(name); }

CommandLine::CommandLine(const std::string& name, const std::string& text, const std::string& version)
    : app_(std::make_unique<CLI::App>(text, name)) {
  app_->require_subcommand(1);
  app_->allow_windows_style_options(false);  // a word that begins with / is a file
  app_->set_help_all_flag("--help-all", "Help of all commands");
  app_->set_version_flag("--version", version);
}
CommandLine::~CommandLine() = default;

int CommandLine::run(int argc, char** argv, int usage_error) {
  try {
    std::vector<std::string> words = system::arguments(argc, argv);
    std::reverse(words.begin(), words.end());  // as the library takes them
    app_->parse(std::move(words));
  } catch (const CLI::ParseError& problem) {
    if (problem.get_exit_code() == 0) {
      write_out(help_text(*app_, problem));
      return 0;
    }
    print_err("{}\nRun with --help for more information.\n", text::shortened(problem.what(), kMostOfProblem));
    return usage_error;
  }
  return exit_code_;
}

}  // namespace warpjit::tool
