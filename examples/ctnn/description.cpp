// SPDX-License-Identifier: BSL-1.0
// The command line for shells and for man.
#include <set>

#include "command_line.hpp"

namespace tool {

namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

struct option_words {
  std::vector<std::string> names;  ///< "-o", "--out"
  std::string text;
  std::vector<std::string> choices;  ///< the only values that it has
  bool value = false;
};

option_words words_of(const CLI::Option* o) {
  option_words w;
  for (const std::string& name : o->get_snames()) w.names.push_back('-' + name);
  for (const std::string& name : o->get_lnames()) w.names.push_back("--" + name);
  w.text = o->get_description();
  w.value = o->get_type_size() != 0;
  const std::string kind = o->get_type_name();
  const std::size_t begin = kind.find('{'), end = kind.find('}');
  if (!w.value || begin == kind.npos || end == kind.npos) return w;
  std::istringstream all(kind.substr(begin + 1, end - begin - 1));
  for (std::string one; std::getline(all, one, ',');) w.choices.push_back(one);
  return w;
}
std::vector<option_words> options_of(const CLI::App& app) {
  std::vector<option_words> all;
  for (const CLI::Option* o : app.get_options())
    if (!o->get_lnames().empty() || !o->get_snames().empty()) all.push_back(words_of(o));
  return all;
}
/// Values of the positional arguments that are no files.
std::vector<std::string> positional_choices(const CLI::App& app, const CLI::App& command) {
  std::vector<std::string> all;
  for (const CLI::Option* o : command.get_options())
    if (o->get_positional()) all = words_of(o).choices;
  if (command.get_name() == "help")
    for (const CLI::App* c : commands_of(app)) all.push_back(c->get_name());
  return all;
}

std::string joined(const std::vector<std::string>& words, const char* between = " ") {
  std::string out;
  for (const std::string& w : words) out += (out.empty() ? "" : between) + w;
  return out;
}
std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

std::string for_bash(const CLI::App& app) {
  std::vector<std::string> names;
  std::string options, values, arguments;
  for (const CLI::App* command : commands_of(app)) {
    names.push_back(command->get_name());
    std::vector<std::string> all;
    for (const option_words& o : options_of(*command)) {
      all.insert(all.end(), o.names.begin(), o.names.end());
      if (o.choices.empty()) continue;
      std::vector<std::string> places;
      for (const std::string& name : o.names) places.push_back(command->get_name() + ' ' + name);
      values += "    '" + joined(places, "'|'") + "') words='" + joined(o.choices) + "' ;;\n";
    }
    options += "      " + command->get_name() + ") words='" + joined(all) + "' ;;\n";
    if (const auto choices = positional_choices(app, *command); !choices.empty())
      arguments += "      " + command->get_name() + ") words='" + joined(choices) + "' ;;\n";
  }
  return "# SPDX-License-Identifier: BSL-1.0\n"
         "# bash completion for ctnn, which writes it: ctnn completion bash\n"
         "_ctnn() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} words=\n"
         "  COMPREPLY=()\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    COMPREPLY=($(compgen -W '" +
         joined(names) +
         " --help --version' -- \"$word\"))\n"
         "    return\n"
         "  fi\n"
         "  case \"$command $before\" in\n" +
         values +
         "  esac\n"
         "  if [ -z \"$words\" ] && [[ $word == -* ]]; then\n"
         "    case $command in\n" +
         options +
         "    esac\n"
         "  elif [ -z \"$words\" ]; then\n"
         "    case $command in\n" +
         arguments +
         "    esac\n"
         "  fi\n"
         "  [ -z \"$words\" ] || COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "}\n"
         "complete -o bashdefault -o default -F _ctnn ctnn\n";
}

std::string for_zsh(const CLI::App& app) {
  const auto plain = [](std::string text) {
    text = replaced(std::move(text), "'", "'\\''");
    for (const char* c : {"[", "]", ":"}) text = replaced(std::move(text), c, std::string("\\") + c);
    return text;
  };
  std::string names, cases;
  for (const CLI::App* command : commands_of(app)) {
    names += "    '" + command->get_name() + ':' + plain(command->get_description()) + "'\n";
    cases += "    " + command->get_name() + ") options=(\n";
    for (const option_words& o : options_of(*command))
      for (const std::string& name : o.names) {
        const std::string values = o.choices.empty() ? "_files" : "(" + joined(o.choices) + ")";
        cases += "      '*" + name + '[' + plain(o.text) + ']' + (o.value ? ":value:" + values : "") + "'\n";
      }
    const auto choices = positional_choices(app, *command);
    cases += "      '*:file:" + (choices.empty() ? "_files" : '(' + joined(choices) + ')') + "') ;;\n";
  }
  return "#compdef ctnn\n"
         "# SPDX-License-Identifier: BSL-1.0\n"
         "# zsh completion for ctnn, which writes it: ctnn completion zsh\n"
         "_ctnn() {\n"
         "  local -a commands options\n"
         "  commands=(\n" +
         names +
         "  )\n"
         "  if (( CURRENT == 2 )); then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  case ${words[2]} in\n" +
         cases +
         "  esac\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  _arguments $options\n"
         "}\n"
         "_ctnn \"$@\"\n";
}

std::string for_fish(const CLI::App& app) {
  const auto plain = [](const std::string& text) {
    return '\'' + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + '\'';
  };
  std::string out =
      "# SPDX-License-Identifier: BSL-1.0\n"
      "# fish completion for ctnn, which writes it: ctnn completion fish\n";
  for (const CLI::App* command : commands_of(app)) {
    out += "complete -c ctnn -n __fish_use_subcommand -f -a " + command->get_name() + " -d " +
           plain(command->get_description()) + '\n';
    const std::string here = "complete -c ctnn -n '__fish_seen_subcommand_from " + command->get_name() + "'";
    for (const option_words& o : options_of(*command)) {
      out += here;
      for (const std::string& name : o.names) out += name[1] == '-' ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (o.value) out += " -r";
      if (!o.choices.empty()) out += " -f -a " + plain(joined(o.choices));
      out += " -d " + plain(o.text) + '\n';
    }
    if (const auto choices = positional_choices(app, *command); !choices.empty())
      out += here + " -f -a " + plain(joined(choices)) + '\n';
  }
  return out;
}

std::string for_man(const CLI::App& app) {
  const auto plain = [](const std::string& text) {
    std::string out = replaced(replaced(text, "\\", "\\e"), "-", "\\-");
    return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
  };
  const auto item = [&](const option_words& o) {
    std::vector<std::string> names;
    for (const std::string& name : o.names) names.push_back("\\fB" + plain(name) + "\\fR");
    const std::string value = o.choices.empty() ? "\\fIVALUE\\fR" : plain(joined(o.choices, "|"));
    return ".TP\n" + joined(names, ", ") + (o.value ? ' ' + value : "") + '\n' + plain(o.text) + '\n';
  };
  std::string out =
      ".\\\" SPDX-License-Identifier: BSL-1.0\n"
      ".\\\" ctnn writes this page: ctnn completion man\n"
      ".TH CTNN 1 \"\" \"ctnn\"\n"
      ".SH NAME\n"
      "ctnn \\- inspect, optimise, quantise and run neural networks from files\n"
      ".SH SYNOPSIS\n"
      ".B ctnn\n.I COMMAND MODEL\n.RI [ OPTION ...]\n.br\n.B ctnn help\n.RI [ COMMAND ]\n"
      ".SH DESCRIPTION\n"
      "A model is an ONNX file, a TensorFlow Lite file, or ncnn's\n.I x.param\nwith its weights in\n.IR x.bin .\n"
      "A file called\n.B \\-\nis standard input or output.\n"
      ".SH COMMANDS\n";
  std::string common;
  std::set<std::string> said;
  for (const CLI::App* command : commands_of(app)) {
    out += ".SS " + command->get_name() + '\n' + plain(command->get_description()) + '\n';
    for (const CLI::Option* o : command->get_options()) {
      const option_words w = words_of(o);
      if (w.names.empty() || w.names.back() == "--help") continue;
      if (o->get_group() == "Options") out += item(w);
      else if (said.insert(w.names[0]).second) {
        if (said.insert("group " + o->get_group()).second) common += ".SS " + o->get_group() + '\n';
        common += item(w);
      }
    }
  }
  return out + ".SH OPTIONS OF ALL COMMANDS THAT READ A MODEL\n" + common +
         ".SH EXIT STATUS\n0, or 1 if something was wrong with a file, or 2 for a command that cannot be understood.\n";
}

}  // namespace

std::string description(const CLI::App& app, const std::string& as) {
  return as == "bash" ? for_bash(app) : as == "zsh" ? for_zsh(app) : as == "fish" ? for_fish(app) : for_man(app);
}

}  // namespace tool
