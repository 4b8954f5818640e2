#include <fmt/format.h>

#include "cli/shell/shell_completion.h"
#include "cli/shell/shell_words.h"

namespace rankscope::cli {
namespace {

// Text inside a specification of _arguments or _describe, where these have a meaning.
std::string Escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string ZshOffering(const Argument& argument) {
  switch (argument.offer) {
    case Offer::kFiles:
      return "_files";
    case Offer::kFolders:
      return "_files -/";
    case Offer::kWords:
      return "(" + JoinWords(argument.words) + ")";
    case Offer::kNothing:
      break;
  }
  return " ";
}

std::string FunctionOf(const Command& command, const std::string& program) {
  std::string name = "_" + program;
  if (!command.path.empty()) name += "_" + command.path;
  for (char& c : name) {
    if (c == ' ') c = '_';
  }
  return name;
}

// A specification for each name of an option; a name takes away all names of its option.
std::string OptionSpecs(const Argument& option) {
  std::string out;
  for (const std::string& name : option.names) {
    std::string spec = option.repeats ? "*" : "(" + JoinWords(option.names) + ")";
    spec += name;
    if (!option.is_flag()) spec += name.starts_with("--") ? "=" : "+";
    spec += "[" + Escaped(option.about) + "]";
    if (!option.is_flag()) spec += ":" + Escaped(option.value) + ":" + ZshOffering(option);
    out += " \\\n    " + SingleQuoted(spec);
  }
  return out;
}

std::string PlaceSpecs(const Command& command) {
  std::string out;
  for (const Argument& place : command.places) {
    const char* prefix = place.repeats ? "*:" : place.is_required ? ":" : "::";
    out += " \\\n    " + SingleQuoted(prefix + Escaped(place.names[0]) + ":" + ZshOffering(place));
  }
  return out;
}

// The commands right below this one, those of a group under its title.
std::string Descriptions(const Command& command) {
  std::string out;
  for (std::size_t i = 0; i < command.commands.size();) {
    const std::string& group = command.commands[i].group;
    out += "      commands=(\n";
    for (; i < command.commands.size() && command.commands[i].group == group; ++i) {
      const Command& below = command.commands[i];
      out += "        " + SingleQuoted(Escaped(below.name) + ":" + Escaped(below.about)) + "\n";
    }
    out += fmt::format("      )\n      _describe -t commands {} commands && found=0\n",
                       SingleQuoted(group.empty() ? "command" : group));
  }
  return out;
}

// What a command with others below it does: offers them, then hands over to the chosen one.
std::string Dispatch(const Command& command, const std::string& program) {
  std::string cases;
  for (const Command& below : command.commands)
    cases += fmt::format("        {}) {} ;;\n", below.name, FunctionOf(below, program));
  return fmt::format(
      " \\\n    '1:command:->command' \\\n    '*::argument:->argument' && return\n"
      "  case $state in\n    command)\n      local found=1\n{}      return $found ;;\n"
      "    argument)\n      case $words[1] in\n{}      esac ;;\n  esac\n",
      Descriptions(command), cases);
}

std::string Function(const Command& command, const std::string& program) {
  std::string options;
  for (const Argument& option : command.options) options += OptionSpecs(option);
  const std::string name = FunctionOf(command, program);
  if (command.commands.empty())
    return fmt::format("{}() {{\n  _arguments -s -S{}{}\n}}\n", name, options, PlaceSpecs(command));
  return fmt::format(
      "{}() {{\n  local context state state_descr line\n  local -a commands\n"
      "  typeset -A opt_args\n  _arguments -C{}{}}}\n",
      name, options, Dispatch(command, program));
}

}  // namespace

std::string ZshCompletion(const Command& root) {
  std::string out = fmt::format(
      "#compdef {0}\n# Completion of {0} for zsh. Made by: {0} completion zsh\n", root.name);
  for (const Command* command : AllCommands(root)) out += Function(*command, root.name);
  // A file of $fpath is run to complete; a script that is sourced registers its function.
  out += fmt::format(
      "if [[ $funcstack[1] == _{0} ]]; then\n  _{0} \"$@\"\nelse\n  compdef _{0} {0}\nfi\n",
      root.name);
  return out;
}

}  // namespace rankscope::cli
