#include "cli/shell/shell_words.h"

namespace rankscope::cli {
namespace {

std::string Key(const Command& command, const std::string& word) {
  return SingleQuoted(command.path + "|" + word);
}

}  // namespace

std::string JoinWords(const std::vector<std::string>& words, const char* between) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += between;
    out += word;
  }
  return out;
}

std::vector<std::string> TopCommandKeys(const Command& root) {
  std::vector<std::string> keys;
  for (const Command& command : root.commands) keys.push_back(Key(root, command.name));
  return keys;
}

std::vector<std::string> DeeperCommandKeys(const Command& root) {
  std::vector<std::string> keys;
  for (const Command* command : AllCommands(root)) {
    if (command == &root) continue;
    for (const Command& below : command->commands) keys.push_back(Key(*command, below.name));
  }
  return keys;
}

std::vector<std::string> ValueOptionKeys(const Command& root) {
  std::vector<std::string> keys;
  for (const Command* command : AllCommands(root)) {
    for (const Argument& option : command->options) {
      if (option.is_flag()) continue;
      for (const std::string& name : option.names) keys.push_back(Key(*command, name));
    }
  }
  return keys;
}

std::vector<std::string> OptionNames(const Command& command) {
  std::vector<std::string> names;
  for (const Argument& option : command.options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

std::vector<std::string> CommandNames(const Command& command) {
  std::vector<std::string> names;
  for (const Command& below : command.commands) names.push_back(below.name);
  return names;
}

}  // namespace rankscope::cli
