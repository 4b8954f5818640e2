#include "cli/default_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/nearest_name.h"
#include "catalog/tables.h"
#include "cli/standard_input.h"

namespace rankscope::cli {
namespace {

// A file or folder that is there, or what is written like one.
bool IsPath(const std::string& word) {
  std::error_code ignored;
  return word == kStandardInput || word.find_first_of("/*?[") != std::string::npos ||
         std::filesystem::exists(word, ignored);
}

using Words = std::vector<std::string>;

// Where the first word stands that is no option of the program itself (`--color always`).
Words::iterator FirstWord(const CommandSpec& program, Words& arguments) {
  auto word = arguments.begin();
  while (word != arguments.end() && word->starts_with("--")) {
    const auto names = [&](const CommandOption& option) {
      return *word == option.names || word->starts_with(option.names + "=");
    };
    const auto option = std::find_if(program.options.begin(), program.options.end(), names);
    if (option == program.options.end()) return arguments.end();
    const bool takes_next = *word == option->names && !option->is_flag;
    if (++word != arguments.end() && takes_next) ++word;
  }
  return word;
}

// "; did you mean query?"
std::string MeantCommand(const std::string& word, const Words& commands) {
  const std::string_view command = NearestName(word, commands);
  if (!command.empty()) return fmt::format("; did you mean {}?", command);
  const std::string_view table = NearestName(word, catalog::TableNames(Subject::kJob));
  return table.empty() ? "" : fmt::format("; did you mean rankscope table {} TRACES?", table);
}

}  // namespace

Result<Words> WithCommand(const CommandSpec& program, Words arguments) {
  if (arguments.empty()) return Words{"--help"};
  const auto word = FirstWord(program, arguments);
  const bool is_option =
      word != arguments.end() && word->starts_with('-') && *word != kStandardInput;
  if (word == arguments.end() || word->empty() || is_option) return arguments;
  const std::string first = *word;
  if (first == "version") return Words{"--version"};
  if (first == "help") {
    arguments.erase(word);
    arguments.emplace_back("--help");
    return arguments;
  }
  Words commands;
  for (const CommandSpec& command : program.commands) commands.push_back(command.name);
  if (std::find(commands.begin(), commands.end(), first) != commands.end()) return arguments;
  if (IsPath(first)) {
    arguments.insert(word, "analyze");
    return arguments;
  }
  return Error(StatusCode::kInvalidArgument,
               "there is no command, file or folder '{}'{}; rankscope --help has all commands",
               first, MeantCommand(first, commands));
}

}  // namespace rankscope::cli
