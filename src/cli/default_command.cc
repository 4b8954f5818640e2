#include "cli/default_command.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/nearest_name.h"

namespace rankscope::cli {
namespace {

// A file or folder that is there, or what is written like one.
bool IsPath(const std::string& word) {
  std::error_code ignored;
  return word.find_first_of("/*?[") != std::string::npos || std::filesystem::exists(word, ignored);
}

}  // namespace

Result<std::vector<std::string>> WithCommand(const CommandSpec& program,
                                             std::vector<std::string> arguments) {
  if (arguments.empty()) return std::vector<std::string>{"--help"};
  const std::string& first = arguments.front();
  if (first.empty() || first.starts_with('-')) return arguments;
  std::vector<std::string> commands;
  for (const CommandSpec& command : program.commands) commands.push_back(command.name);
  if (std::find(commands.begin(), commands.end(), first) != commands.end()) return arguments;
  if (IsPath(first)) {
    arguments.insert(arguments.begin(), "analyze");
    return arguments;
  }
  const std::string_view nearest = NearestName(first, commands);
  return Error(StatusCode::kInvalidArgument,
               "there is no command, file or folder '{}'{}; rankscope --help has all commands",
               first, nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest));
}

}  // namespace rankscope::cli
