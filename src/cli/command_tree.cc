#include "cli/command_tree.h"

#include <algorithm>
#include <string_view>

namespace rankscope::cli {
namespace {

// "{text,json}" of "TEXT:{text,json}", without the braces; empty if there are none.
std::string_view Choices(std::string_view type) {
  const std::size_t open = type.find('{');
  if (open == std::string_view::npos || type.back() != '}') return {};
  return type.substr(open + 1, type.size() - open - 2);
}

std::vector<std::string> SplitAtCommas(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    parts.emplace_back(part.substr(std::min(part.size(), part.find_first_not_of(' '))));
  }
  return parts;
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

Argument ReadArgument(const CLI::Option& option, const WordsOfType& words) {
  Argument argument;
  argument.about = option.get_description();
  argument.default_value = option.get_default_str();
  argument.is_required = option.get_required();
  argument.repeats = option.get_items_expected_max() > 1 ||
                     option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  if (option.get_positional()) {
    argument.names = {option.get_name(true)};
  } else {
    for (const std::string& name : option.get_snames()) argument.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) argument.names.push_back("--" + name);
    if (option.get_items_expected_max() == 0) return argument;
  }
  const std::string type = option.get_type_name();
  argument.value = type.starts_with('{') ? "TEXT" : type.substr(0, type.find(':'));
  argument.words = SplitAtCommas(Choices(type));
  if (!argument.words.empty()) {
    argument.offer = Offer::kWords;
  } else if (!SetOffer(argument.value, words, argument) && option.get_positional()) {
    SetOffer(argument.names[0], words, argument);
  }
  return argument;
}

Command Read(const CLI::App& app, const std::string& path, const WordsOfType& words) {
  Command command;
  command.name = app.get_name();
  command.path = path;
  command.about = app.get_description();
  command.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    auto& list = option->get_positional() ? command.places : command.options;
    list.push_back(ReadArgument(*option, words));
  }
  const auto all = [](const CLI::App*) { return true; };
  for (const CLI::App* below : app.get_subcommands(all)) {
    const std::string& name = below->get_name();
    command.commands.push_back(Read(*below, path.empty() ? name : path + " " + name, words));
  }
  return command;
}

void Append(const Command& command, std::vector<const Command*>& all) {
  all.push_back(&command);
  for (const Command& below : command.commands) Append(below, all);
}

}  // namespace

Command ReadCommandTree(const CLI::App& app, const WordsOfType& words) {
  return Read(app, "", words);
}

std::vector<const Command*> AllCommands(const Command& root) {
  std::vector<const Command*> all;
  Append(root, all);
  return all;
}

}  // namespace rankscope::cli
