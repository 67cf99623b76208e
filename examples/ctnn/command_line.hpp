// SPDX-License-Identifier: BSL-1.0
// The commands and options of the tool, each described once: help, the manual and the completions of shells are views
// of it.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>

#include "settle.hpp"

namespace tool {

class command_line {
 public:
  command_line();

  /// Reads the arguments of main(). Throws CLI::ParseError, usage_error.
  void parse(int argc, const char* const* argv);
  /// Does what they ask for. Throws ctnn::error, usage_error.
  void run() const { chosen_(); }

  /// What a parse error means, and what was perhaps meant instead: one sentence.
  std::string explain(const CLI::ParseError&) const;
  /// The help of a command that has been parsed, or of the tool.
  std::string help() const { return app_.help(); }
  const CLI::App& app() const { return app_; }

 private:
  template <class Options>
  CLI::App& add(const std::string& name, const std::string& text, Options& options, void (*act)(const Options&)) {
    CLI::App& command = *app_.add_subcommand(name, text);
    command.callback([this, &options, act] {
      chosen_ = [&options, act] {
        settle(options);
        act(options);
      };
    });
    return command;
  }
  void add_info();
  void add_optimize();
  void add_quantize();
  void add_run();
  void add_compare();
  void add_bench();
  void add_header();
  void add_draw();
  void add_extract();
  void add_others();

  CLI::App app_;
  std::function<void()> chosen_;
  info_options info_;
  optimize_options optimize_;
  quantize_options quantize_;
  run_options run_;
  compare_options compare_;
  bench_options bench_;
  header_options header_;
  draw_options draw_;
  extract_options extract_;
  std::string shell_, about_;
};

/// MODEL, as the first of a command's positional arguments.
CLI::Option* add_model(CLI::App& command, model_source& m);
/// Options of all commands that read a model, in groups of their own: they come behind those of the command. How it is
/// rewritten can be left out.
void add_model_options(CLI::App& command, model_source& m, bool with_rewriting = true);

/// The commands as `as` wants them: completion for bash, zsh or fish, or a manual page (man).
std::string description(const CLI::App& app, const std::string& as);

/// Help whose descriptions are wrapped.
std::shared_ptr<CLI::FormatterBase> help_formatter();

}  // namespace tool
