#include "command_line.h"

#include <CLI/CLI.hpp>

namespace warpjit::tool {

Option Option::required(bool required) const {
  option_->required(required);
  return *this;
}
Option Option::range(std::uint64_t low, std::uint64_t high) const {
  option_->check(CLI::Range(low, high));
  return *this;
}
Option Option::between(double low, double high) const {
  option_->check(CLI::Range(low, high));
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
Option Command::option(const std::string& names, unsigned& value, const std::string& text) const {
  return Option(app_->add_option(names, value, text));
}
Option Command::option(const std::string& names, std::uint64_t& value, const std::string& text) const {
  return Option(app_->add_option(names, value, text));
}
Option Command::option(const std::string& names, double& value, const std::string& text) const {
  return Option(app_->add_option(names, value, text));
}
Option Command::option(const std::string& names, std::optional<unsigned>& value,
                       const std::string& text) const {
  return Option(app_->add_option(names, value, text));
}
Option Command::option(const std::string& names, std::optional<std::uint64_t>& value,
                       const std::string& text) const {
  return Option(app_->add_option(names, value, text));
}
Option Command::option(const std::string& names, std::vector<std::string>& values,
                       const std::string& text) const {
  return Option(app_->add_option(names, values, text));
}
Option Command::option(const std::string& names, std::vector<std::uint32_t>& values,
                       const std::string& text) const {
  return Option(app_->add_option(names, values, text));
}
Option Command::option(const std::string& names, std::vector<std::uint64_t>& values,
                       const std::string& text) const {
  return Option(app_->add_option(names, values, text));
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
  app_->set_help_all_flag("--help-all", "Help of all commands");
  app_->set_version_flag("--version", version);
}
CommandLine::~CommandLine() = default;

int CommandLine::run(int argc, char** argv, int usage_error) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app_->exit(problem) == 0 ? 0 : usage_error;
  }
  return exit_code_;
}

}  // namespace warpjit::tool
