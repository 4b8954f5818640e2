#include "cli/parse.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <sstream>

#include "base/nearest_name.h"
#include "cli/base/command.h"
#include "cli/base/messages.h"
#include "cli/base/output.h"
#include "table/terminal_text.h"

namespace rankscope::cli {
namespace {

// CLI11's own checks print numbers with all of their digits, 309 of the largest, and help that
// repeats the type. `what` follows "is not" in the message, `help` the type in help: "INT:1..10".
template <typename T, typename IsGood>
CLI::Validator NumberThat(const IsGood& is_good, const std::string& what, const std::string& help) {
  const auto check = [is_good, what](const std::string& typed) -> std::string {
    T number{};
    const bool is_number = CLI::detail::lexical_cast(typed, number);
    return is_number && is_good(number) ? "" : fmt::format("'{}' is not {}", typed, what);
  };
  return {check, help};
}

template <typename T>
CLI::Validator RangeOf(T least, T most) {
  return NumberThat<T>([=](T number) { return number >= least && number <= most; },
                       fmt::format("a number from {} to {}", least, most),
                       fmt::format("{}..{}", least, most));
}

CLI::Validator ValidatorOf(const NumberCheck& check) {
  if (const auto* range = std::get_if<IntegerRange>(&check))
    return RangeOf(range->least, range->most);
  if (const auto* range = std::get_if<RealRange>(&check)) return RangeOf(range->least, range->most);
  if (std::get<NumberSign>(check) == NumberSign::kPositive)
    return NumberThat<double>([](double number) { return number > 0; }, "a number above 0",
                              "POSITIVE");
  return NumberThat<double>([](double number) { return number >= 0; }, "a number from 0 on",
                            "NONNEGATIVE");
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

CLI::Validator OneOf(const std::vector<std::string>& words) {
  const auto check = [words](const std::string& typed) -> std::string {
    if (std::ranges::find(words, typed) != words.end()) return "";
    const std::string_view meant = NearestName(typed, words);
    return fmt::format("there is no '{}'{} ({})", typed,
                       meant.empty() ? "" : fmt::format("; did you mean {}?", meant),
                       Joined(words));
  };
  return CLI::Validator(check, "{" + Joined(words) + "}");
}

// The parser of a program and what its parts were declared by.
class Parser {
 public:
  explicit Parser(const CommandSpec& program) : app_(program.summary, program.name) {
    app_.set_version_flag("-V,--version", ProgramVersion());
    Fill(app_, program);
  }

  CLI::App& app() { return app_; }
  // What was asked for, after parsing.
  const CommandSpec& chosen() const { return *chosen_; }

  void TellGiven() const {
    for (const auto& [option, parsed] : options_)
      if (option->was_given != nullptr) *option->was_given = parsed->count() > 0;
  }

 private:
  void Fill(CLI::App& app, const CommandSpec& command) {
    app.footer(command.footer);
    for (const CommandOption& option : command.options) options_[&option] = Add(app, option);
    for (const CommandOption& option : command.options) Relate(option);
    for (const CommandSpec& below : command.commands) {
      CLI::App* const parsed = app.add_subcommand(below.name, below.summary);
      // Else CLI11 gives it the group of the command above.
      parsed->group(below.group.empty() ? "Subcommands" : below.group);
      // What the program itself takes may stand behind the command, too.
      parsed->fallthrough();
      Fill(*parsed, below);
    }
    if (!command.run) app.require_subcommand(1);
    app.callback([this, &command] {
      if (command.run) chosen_ = &command;
    });
  }

  static CLI::Option* Bind(CLI::App& app, const CommandOption& option) {
    return std::visit(
        [&](const auto& target) -> CLI::Option* {
          using Target = std::decay_t<decltype(target)>;
          if constexpr (!std::is_pointer_v<Target>) {
            return app.add_option_function<std::string>(option.names, target, option.about);
          } else if constexpr (std::is_same_v<Target, bool*>) {
            return app.add_flag(option.names, *target, option.about);
          } else {
            return app.add_option(option.names, *target, option.about);
          }
        },
        option.target);
  }

  static CLI::Option* Add(CLI::App& app, const CommandOption& option) {
    CLI::Option* const parsed = Bind(app, option);
    if (!option.type.empty()) parsed->type_name(option.type);
    if (option.takes_words_alone) {
      parsed->check(OneOf(option.words));
    } else if (!option.words.empty()) {
      parsed->type_name("{" + Joined(option.words) + "}");
    }
    if (option.check.index() != 0) parsed->check(ValidatorOf(option.check));
    parsed->required(option.is_required);
    if (!option.default_text.empty()) parsed->default_str(option.default_text);
    if (option.separator != 0) parsed->delimiter(option.separator);
    if (option.is_repeatable) parsed->take_all();
    if (option.least_count >= 0) parsed->expected(option.least_count, option.most_count);
    if (option.is_one_each) parsed->allow_extra_args(false);
    return parsed;
  }

  void Relate(const CommandOption& option) {
    for (const CommandOption* other : option.needs) options_[&option]->needs(options_.at(other));
    for (const CommandOption* other : option.excludes)
      options_[&option]->excludes(options_.at(other));
  }

  CLI::App app_;
  std::map<const CommandOption*, CLI::Option*> options_;
  const CommandSpec* chosen_ = nullptr;
};

// What CLI11 has to say: help, the version, or what is wrong with the command line.
int AnswerOf(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream asked;
  std::ostringstream wrong;
  const bool is_wrong = app.exit(error, asked, wrong) != 0;
  std::istringstream lines(wrong.str());
  for (std::string line; std::getline(lines, line);) WriteToStderr(SafeForTerminal(line) + "\n");
  if (is_wrong) return kBadUsage;
  const Status written = WriteOutput("", asked.str());
  return written.ok() ? static_cast<int>(kDone) : Fail(written);
}

}  // namespace

int RunCommandLine(const CommandSpec& program, const std::vector<std::string>& arguments) {
  Parser parser(program);
  // The last first, as CLI11 wants them.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    parser.app().parse(reversed);
  } catch (const CLI::ParseError& error) {
    return AnswerOf(parser.app(), error);
  }
  parser.TellGiven();
  return parser.chosen().run();
}

}  // namespace rankscope::cli
