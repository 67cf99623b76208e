// SPDX-License-Identifier: BSL-1.0
// What people read of the command line: help, and what is said of one that cannot be understood.
#include <ctnn/base/nearest.hpp>

#include "command_line.hpp"
#include "rewriting.hpp"

namespace tool {

namespace {

/// Words in lines of `width`, the first behind `head`, the others below it.
std::string in_columns(const std::string& head, const std::string& text, std::size_t column, std::size_t width) {
  std::string out = "  " + head, line;
  if (out.size() + 2 > column && !text.empty()) out += '\n' + std::string(column, ' ');
  else out.resize(std::max(out.size(), column), ' ');
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!line.empty() && column + line.size() + 1 + word.size() > width) {
      out += line + '\n' + std::string(column, ' ');
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  out += line;
  out.erase(out.find_last_not_of(' ') + 1);
  return out + '\n';
}

class wrapped : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* o, bool positional) const override {
    return in_columns(names_of(o, positional) + make_option_opts(o), make_option_desc(o), 30, 100);
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return in_columns(command->get_name(), command->get_description(), 16, 100);
  }

 private:
  static std::string names_of(const CLI::Option* o, bool positional) {
    if (positional) return o->get_name(true);
    std::string all;
    for (const std::string& name : o->get_snames()) all += (all.empty() ? "-" : ", -") + name;
    for (const std::string& name : o->get_lnames()) all += (all.empty() ? "--" : ", --") + name;
    return all;
  }
};

/// The nearest of the options' names.
std::string near_option(const CLI::App& command, const std::string& asked) {
  std::vector<std::string> names;
  for (const CLI::Option* o : command.get_options())
    for (const std::string& name : o->get_lnames()) names.push_back("--" + name);
  ctnn::ir::nearest_name near(asked);
  for (const std::string& name : names) near.consider(name);
  return meant(asked, near.name());
}

const CLI::App& parsed_command(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? app : *commands.back();
}

void require_command(const CLI::App& app, const std::string& asked) {
  ctnn::ir::nearest_name near(asked);
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  for (const std::string& name : names) {
    if (name == asked) return;
    near.consider(name);
  }
  throw usage_error("'" + asked + "' is not a command" + meant(asked, near.name()) + " (ctnn --help)");
}

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter() {
  const auto f = std::make_shared<wrapped>();
  f->label("REQUIRED", "(required)");
  f->label("TEXT", "");
  return f;
}

void command_line::parse(int argc, const char* const* argv) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (!arguments.empty() && arguments[0] == "help") {
    arguments.erase(arguments.begin());
    arguments.insert(arguments.begin() + (arguments.empty() ? 0 : 1), "--help");
  }
  if (arguments.empty()) throw usage_error("expected a command (ctnn --help)");
  if (arguments[0].empty() || arguments[0][0] != '-') require_command(app_, arguments[0]);
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  app_.parse(arguments);
}

std::string command_line::explain(const CLI::ParseError& e) const {
  const CLI::App& command = parsed_command(app_);
  const std::string help = " (" + (&command == &app_ ? std::string("ctnn") : "ctnn " + command.get_name()) + " --help)";
  for (const std::string& text : app_.remaining(true))
    if (text.size() > 1 && text[0] == '-') {
      const std::string asked = text.substr(0, text.find('='));
      return asked + ": there is no such option" + near_option(command, asked) + help;
    }
  return e.what() + help;
}

}  // namespace tool
