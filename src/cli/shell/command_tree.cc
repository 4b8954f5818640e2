#include "cli/shell/command_tree.h"

#include <algorithm>
#include <string_view>
#include <type_traits>

namespace rankscope::cli {
namespace {

std::vector<std::string> NamesOf(const CommandOption& option) {
  std::vector<std::string> names;
  std::string_view text = option.names;
  while (!text.empty()) {
    const std::string_view name = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), name.size() + 1));
    names.emplace_back(name);
  }
  std::ranges::stable_sort(names, {},
                           [](const std::string& name) { return name.starts_with("--"); });
  return names;
}

// What stands for a value whose option names no type.
std::string TypeOf(const CommandTarget& target) {
  return std::visit(
      [](const auto& place) -> std::string {
        using Place = std::decay_t<decltype(place)>;
        if constexpr (std::is_same_v<Place, double*>) {
          return "FLOAT";
        } else if constexpr (std::is_same_v<Place, std::uint64_t*>) {
          return "UINT";
        } else if constexpr (std::is_same_v<Place, int*> || std::is_same_v<Place, std::int64_t*> ||
                             std::is_same_v<Place, std::vector<int>*> ||
                             std::is_same_v<Place, std::vector<std::int64_t>*>) {
          return "INT";
        } else {
          return "TEXT";
        }
      },
      target);
}

// False when nothing is known of a type or place of that name.
bool SetOffer(const std::string& name, const WordsOfType& words, Argument& argument) {
  if (const auto found = words.find(name); found != words.end()) {
    argument.offer = Offer::kWords;
    argument.words = found->second;
  } else if (name == "FILE" || name == "PATH") {
    argument.offer = Offer::kFiles;
  } else if (name == "FOLDER") {
    argument.offer = Offer::kFolders;
  }
  return argument.offer != Offer::kNothing;
}

Argument ReadArgument(const CommandOption& option, const WordsOfType& words) {
  Argument argument;
  argument.about = option.about;
  argument.default_value = option.default_text;
  argument.is_required = option.is_required;
  argument.repeats =
      option.is_repeatable || (option.most_count < 0 ? option.is_list() : option.most_count > 1);
  argument.names = NamesOf(option);
  if (option.is_flag) return argument;
  argument.value = option.type.empty() ? TypeOf(option.target) : option.type;
  argument.words = option.words;
  if (!argument.words.empty()) {
    argument.offer = Offer::kWords;
  } else if (!SetOffer(argument.value, words, argument) && option.is_place()) {
    SetOffer(argument.names[0], words, argument);
  }
  return argument;
}

// What every command takes.
Argument Help() {
  return {.names = {"-h", "--help"}, .value = "", .about = "Print this help message and exit"};
}
Argument Version() {
  return {.names = {"-V", "--version"},
          .value = "",
          .about = "Display program version information and exit"};
}

Command Read(const CommandSpec& declared, const std::string& path, const WordsOfType& words) {
  Command command;
  command.name = declared.name;
  command.path = path;
  command.about = declared.summary;
  command.footer = declared.footer;
  command.group = declared.group;
  command.options.push_back(Help());
  if (path.empty()) command.options.push_back(Version());
  for (const CommandOption& option : declared.options) {
    auto& list = option.is_place() ? command.places : command.options;
    list.push_back(ReadArgument(option, words));
  }
  for (const CommandSpec& below : declared.commands) {
    command.commands.push_back(
        Read(below, path.empty() ? below.name : path + " " + below.name, words));
  }
  return command;
}

void Append(const Command& command, std::vector<const Command*>& all) {
  all.push_back(&command);
  for (const Command& below : command.commands) Append(below, all);
}

}  // namespace

Command ReadCommandTree(const CommandSpec& program, const WordsOfType& words) {
  return Read(program, "", words);
}

std::vector<const Command*> AllCommands(const Command& root) {
  std::vector<const Command*> all;
  Append(root, all);
  return all;
}

}  // namespace rankscope::cli
