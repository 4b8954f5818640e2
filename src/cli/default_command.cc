#include "cli/default_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/nearest_name.h"
#include "catalog/tables.h"
#include "cli/base/standard_input.h"

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
    if (option == program.options.end()) return word;
    const bool takes_next = *word == option->names && !option->is_flag;
    if (++word != arguments.end() && takes_next) ++word;
  }
  return word;
}

// Such as `--full` of `rankscope --full TRACES`.
bool IsOption(const std::string& word) {
  return word.starts_with('-') && word != kStandardInput && word != "-h" && word != "--help" &&
         word != "-V" && word != "--version";
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
  if (word == arguments.end() || word->empty()) return arguments;
  const std::string first = *word;
  Words commands;
  for (const CommandSpec& command : program.commands) commands.push_back(command.name);
  const auto is_command = [&](const std::string& one) {
    return std::ranges::find(commands, one) != commands.end();
  };
  if (IsOption(first)) {
    const auto command = std::find_if(word, arguments.end(), is_command);
    if (command != arguments.end()) {
      return Error(StatusCode::kInvalidArgument,
                   "{} stands before the command: options follow it, rankscope {} ... {}", first,
                   *command, first);
    }
    if (std::any_of(word, arguments.end(), IsPath)) arguments.insert(word, "analyze");
    return arguments;
  }
  if (first.starts_with('-') && first != kStandardInput) return arguments;
  if (first == "version") return Words{"--version"};
  if (first == "help") {
    const auto asked = arguments.erase(word);
    if (asked != arguments.end() && !asked->starts_with('-') && !is_command(*asked))
      return Error(StatusCode::kInvalidArgument,
                   "there is no command '{}'{}; rankscope help has all", *asked,
                   MeantCommand(*asked, commands));
    arguments.emplace_back("--help");
    return arguments;
  }
  if (is_command(first)) return arguments;
  if (IsPath(first)) {
    arguments.insert(word, "analyze");
    return arguments;
  }
  return Error(StatusCode::kInvalidArgument,
               "there is no command, file or folder '{}'{}; rankscope --help has all commands",
               first, MeantCommand(first, commands));
}

}  // namespace rankscope::cli
