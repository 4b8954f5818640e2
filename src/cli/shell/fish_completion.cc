#include <fmt/format.h>

#include "cli/shell/shell_completion.h"
#include "cli/shell/shell_words.h"

namespace rankscope::cli {
namespace {

// The part of a `complete` line that says what is offered. Files are switched off for the whole
// program, so that they are only offered where they are asked for.
std::string FishOffering(const Argument& argument) {
  switch (argument.offer) {
    case Offer::kFiles:
      return " -F";
    case Offer::kFolders:
      return " -a '(__fish_complete_directories (commandline -ct))'";
    case Offer::kWords:
      return " -a " + SingleQuoted(JoinWords(argument.words));
    case Offer::kNothing:
      break;
  }
  return "";
}

// An option's value is a file, unless -x says no.
const char* NeedsValue(const Argument& option) {
  if (option.is_flag()) return "";
  return option.offer == Offer::kFiles ? " -r" : " -x";
}

std::string NamesOf(const Argument& option) {
  std::string out;
  for (const std::string& name : option.names)
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  return out;
}

std::string Lines(const Command& command, const std::string& program) {
  std::string out;
  const auto add = [&](const std::string& condition, const std::string& rest) {
    out += fmt::format("complete -c {} -n {}{}\n", program, SingleQuoted(condition), rest);
  };
  const auto at = [&](std::size_t place) {
    return fmt::format("__{}_is \"{}|{}\"", program, command.path, place);
  };
  for (const Command& below : command.commands)
    add(at(0), fmt::format(" -a {} -d {}", below.name, SingleQuoted(below.about)));
  for (const Argument& option : command.options) {
    add(fmt::format("__{}_is \"{}|*\"", program, command.path),
        fmt::format("{}{}{} -d {}", NamesOf(option), NeedsValue(option), FishOffering(option),
                    SingleQuoted(option.about)));
  }
  for (std::size_t i = 0; i < command.places.size(); ++i) {
    if (command.places[i].offer != Offer::kNothing) add(at(i), FishOffering(command.places[i]));
  }
  return out;
}

std::string FishClamps(const Command& root) {
  std::string out;
  for (const Command* command : AllCommands(root)) {
    if (!command->repeats()) continue;
    out += fmt::format("        case {0}\n            test $place -lt {1}; or set place {1}\n",
                       SingleQuoted(command->path), command->places.size() - 1);
  }
  return out;
}

constexpr std::string_view kFishScript =
    R"(# Completion of {program} for fish. Made by: {program} completion fish
# Whether the cursor is at COMMAND|PLACE, a pattern; places count the arguments that are no options.
function __{program}_is
    set -l command ''
    set -l option ''
    set -l place 0
    for word in (commandline -opc)[2..-1]
        if test -n "$option"
            set option ''
            continue
        end
        switch "$command|$word"
            case {top}
                set command $word
            case {deeper}
                set command "$command $word"
            case {options}
                set option $word
            case '*|-*'
            case '*'
                set place (math $place + 1)
        end
    end
    switch "$command"
{clamps}    end
    string match -q -- $argv[1] "$command|$place"
end
complete -c {program} -f
{lines})";

std::string FishAlternatives(const std::vector<std::string>& keys) {
  return keys.empty() ? "''" : JoinWords(keys);
}

}  // namespace

std::string FishCompletion(const Command& root) {
  std::string lines;
  for (const Command* command : AllCommands(root)) lines += Lines(*command, root.name);
  return fmt::format(kFishScript, fmt::arg("program", root.name),
                     fmt::arg("top", FishAlternatives(TopCommandKeys(root))),
                     fmt::arg("deeper", FishAlternatives(DeeperCommandKeys(root))),
                     fmt::arg("options", FishAlternatives(ValueOptionKeys(root))),
                     fmt::arg("clamps", FishClamps(root)), fmt::arg("lines", lines));
}

}  // namespace rankscope::cli
