#include <fmt/format.h>

#include "cli/shell/shell_completion.h"
#include "cli/shell/shell_words.h"

namespace rankscope::cli {
namespace {

// readline itself completes files, with its quoting, when the function gives no words.
std::string BashOffering(const Argument& argument) {
  switch (argument.offer) {
    case Offer::kFiles:
      return "compopt -o default";
    case Offer::kFolders:
      return "compopt -o dirnames";
    case Offer::kWords:
      return "words=" + SingleQuoted(JoinWords(argument.words));
    case Offer::kNothing:
      break;
  }
  return ":";
}

// A case of the keys of what is after the cursor's words.
std::string Cases(const Command& command) {
  std::string out;
  const auto add = [&](const std::vector<std::string>& words, const std::string& action) {
    std::vector<std::string> keys;
    keys.reserve(words.size());
    for (const std::string& word : words) keys.push_back(SingleQuoted(command.path + "|" + word));
    out += fmt::format("    {}) {} ;;\n", JoinWords(keys, " | "), action);
  };
  if (!command.options.empty())
    add({"-"}, "words=" + SingleQuoted(JoinWords(OptionNames(command))));
  if (!command.commands.empty())
    add({"0"}, "words=" + SingleQuoted(JoinWords(CommandNames(command))));
  for (const Argument& option : command.options) {
    if (!option.is_flag()) add(option.names, BashOffering(option));
  }
  for (std::size_t i = 0; i < command.places.size(); ++i)
    add({std::to_string(i)}, BashOffering(command.places[i]));
  return out;
}

// "$place" stays at the last place of commands that take any number of words there.
std::string BashClamps(const Command& root) {
  std::string out;
  for (const Command* command : AllCommands(root)) {
    if (!command->repeats()) continue;
    out += fmt::format("    {0}) ((place < {1})) || place={1} ;;\n", SingleQuoted(command->path),
                       command->places.size() - 1);
  }
  return out;
}

constexpr std::string_view kBashScript =
    R"(# Completion of {program} for bash. Made by: {program} completion bash
_{program}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} command='' option='' place=0 key words='' seen i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    seen=${{COMP_WORDS[i]}}
    if [[ -n $option ]]; then
      [[ $seen == = ]] || option='' # --option=value is three words
      continue
    fi
    case "$command|$seen" in
      {top}) command=$seen ;;
      {deeper}) command="$command $seen" ;;
      {options}) option=$seen ;;
      *'|-'*) ;;
      *) ((++place)) ;;
    esac
  done
  case "$command" in
{clamps}  esac
  [[ $word == = ]] && word=''
  if [[ -n $option ]]; then
    key="$command|$option"
  elif [[ $word == -* ]]; then
    key="$command|-"
  else
    key="$command|$place"
  fi
  COMPREPLY=()
  case "$key" in
{cases}  esac
  [[ -z $words ]] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}}
complete -F _{program} {program}
)";

std::string BashAlternatives(const std::vector<std::string>& keys) {
  return keys.empty() ? "''" : JoinWords(keys, " | ");
}

}  // namespace

std::string BashCompletion(const Command& root) {
  std::string cases;
  for (const Command* command : AllCommands(root)) cases += Cases(*command);
  return fmt::format(kBashScript, fmt::arg("program", root.name),
                     fmt::arg("top", BashAlternatives(TopCommandKeys(root))),
                     fmt::arg("deeper", BashAlternatives(DeeperCommandKeys(root))),
                     fmt::arg("options", BashAlternatives(ValueOptionKeys(root))),
                     fmt::arg("clamps", BashClamps(root)), fmt::arg("cases", cases));
}

}  // namespace rankscope::cli
