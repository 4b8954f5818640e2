// CommandSpec declares a command of the program: its name, its arguments and its action. The
// command line is parsed with these declarations, and help, shell completions and the manual page
// are generated from them (cli/).
//
//   void AddGreet(CommandSpec& program) {
//     CommandSpec& command = program.AddCommand("greet", "say hello");
//     auto arguments = std::make_shared<Arguments>();
//     command.AddOption("NAME", arguments->name, "whom to greet").Required();
//     command.AddOption("--times", arguments->times, "how often").Range(1, 10).ShowDefault();
//     command.Footer("Example:\n  rankscope greet Ada --times 2");
//     command.SetRun([arguments] { return Greet(*arguments); });
//   }
//
// Targets must outlive the declaration and the parsing; they hold the defaults.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace rankscope {

// The target of an option's value. A function gets the text, once.
using CommandTarget =
    std::variant<bool*, std::string*, int*, std::int64_t*, std::uint64_t*, double*,
                 std::optional<std::string>*, std::vector<std::string>*, std::vector<std::int64_t>*,
                 std::vector<int>*, std::function<void(const std::string&)>>;

// Bounds of a number, both included.
struct IntegerRange {
  std::int64_t least = 0;
  std::int64_t most = 0;
};
struct RealRange {
  double least = 0;
  double most = 0;
};
enum class NumberSign : std::uint8_t { kPositive, kNotNegative };
using NumberCheck = std::variant<std::monostate, IntegerRange, RealRange, NumberSign>;

struct CommandOption {
  std::string names;  // "-o,--output"; for positional arguments the name: "PATH"
  CommandTarget target;
  std::string about;
  bool is_flag = false;

  std::string type;                // placeholder of the value, "FILE"; "": by the target
  std::string default_text;        // as help shows it; "": not shown
  std::vector<std::string> words;  // allowed or offered words
  bool takes_words_alone = false;  // any other is an error
  NumberCheck check;
  bool is_required = false;
  char separator = 0;        // between values in one word; 0: none
  bool is_one_each = false;  // for a list: repeat its name before every value
  bool is_repeatable = false;
  int least_count = -1;  // number of values; -1: by the target
  int most_count = -1;
  std::vector<const CommandOption*> needs;
  std::vector<const CommandOption*> excludes;
  bool* was_given = nullptr;

  bool is_place() const { return !names.starts_with('-'); }
  bool is_list() const;

  CommandOption& Type(std::string name);
  CommandOption& Required(bool required = true);
  // Help shows the current value of the target.
  CommandOption& ShowDefault();
  CommandOption& OneOf(std::vector<std::string> all);
  // Shown and offered; the command must refuse other values itself.
  CommandOption& Offers(std::vector<std::string> all);
  CommandOption& Range(int least, int most);
  CommandOption& Range(double least, double most);
  CommandOption& Positive();
  CommandOption& NonNegative();
  CommandOption& Separator(char between);
  CommandOption& OneEach();
  CommandOption& Repeatable();
  CommandOption& Count(int least, int most);
  CommandOption& Needs(const CommandOption& other);
  CommandOption& Excludes(const CommandOption& other);
  // Sets `given` to whether the command line has it.
  CommandOption& TellGiven(bool& given);
};

struct CommandSpec {
  CommandSpec(std::string called, std::string what)
      : name(std::move(called)), summary(std::move(what)) {}
  CommandSpec(const CommandSpec&) = delete;  // commands and options are referred to
  CommandSpec& operator=(const CommandSpec&) = delete;

  std::string name;
  std::string summary;
  std::string footer;  // "Example:\n  ..."
  std::string group;   // group title in the help; "": none
  std::list<CommandOption> options;
  std::list<CommandSpec> commands;
  // Returns an exit code. Empty: one of `commands` must be named.
  std::function<int()> run;

  CommandSpec& AddCommand(std::string called, std::string what);
  CommandOption& AddFlag(std::string names, bool& target, std::string about);
  template <typename T>
  CommandOption& AddOption(std::string names, T& target, std::string about) {
    return Add({.names = std::move(names), .target = &target, .about = std::move(about)});
  }
  CommandOption& AddOption(std::string names, std::function<void(const std::string&)> take,
                           std::string about) {
    return Add({.names = std::move(names), .target = std::move(take), .about = std::move(about)});
  }
  void Footer(std::string text) { footer = std::move(text); }
  void SetRun(std::function<int()> does) { run = std::move(does); }

 private:
  CommandOption& Add(CommandOption option);
};

}  // namespace rankscope
