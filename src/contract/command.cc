#include "contract/command.h"

#include <fmt/format.h>

#include <type_traits>

namespace rankscope {

bool CommandOption::is_list() const {
  return std::holds_alternative<std::vector<std::string>*>(target) ||
         std::holds_alternative<std::vector<std::int64_t>*>(target) ||
         std::holds_alternative<std::vector<int>*>(target);
}

CommandOption& CommandOption::Type(std::string name) {
  type = std::move(name);
  return *this;
}

CommandOption& CommandOption::Required(bool required) {
  is_required = required;
  return *this;
}

CommandOption& CommandOption::ShowDefault() {
  default_text = std::visit(
      [](const auto& place) -> std::string {
        using Place = std::decay_t<decltype(place)>;
        if constexpr (std::is_pointer_v<Place>) {
          using Held = std::remove_pointer_t<Place>;
          if constexpr (std::is_arithmetic_v<Held> || std::is_same_v<Held, std::string>)
            return fmt::format("{}", *place);
        }
        return {};
      },
      target);
  return *this;
}

CommandOption& CommandOption::OneOf(std::vector<std::string> all) {
  takes_words_alone = true;
  return Offers(std::move(all));
}

CommandOption& CommandOption::Offers(std::vector<std::string> all) {
  words = std::move(all);
  return *this;
}

CommandOption& CommandOption::Range(int least, int most) {
  check = IntegerRange{least, most};
  return *this;
}

CommandOption& CommandOption::Range(double least, double most) {
  check = RealRange{least, most};
  return *this;
}

CommandOption& CommandOption::Positive() {
  check = NumberSign::kPositive;
  return *this;
}

CommandOption& CommandOption::NonNegative() {
  check = NumberSign::kNotNegative;
  return *this;
}

CommandOption& CommandOption::Separator(char between) {
  separator = between;
  return *this;
}

CommandOption& CommandOption::OneEach() {
  is_one_each = true;
  return *this;
}

CommandOption& CommandOption::Repeatable() {
  is_repeatable = true;
  return *this;
}

CommandOption& CommandOption::Count(int least, int most) {
  least_count = least;
  most_count = most;
  return *this;
}

CommandOption& CommandOption::Needs(const CommandOption& other) {
  needs.push_back(&other);
  return *this;
}

CommandOption& CommandOption::Excludes(const CommandOption& other) {
  excludes.push_back(&other);
  return *this;
}

CommandOption& CommandOption::TellGiven(bool& given) {
  was_given = &given;
  return *this;
}

CommandSpec& CommandSpec::AddCommand(std::string called, std::string what) {
  return commands.emplace_back(std::move(called), std::move(what));
}

CommandOption& CommandSpec::AddFlag(std::string names, bool& target, std::string about) {
  CommandOption& option = AddOption(std::move(names), target, std::move(about));
  option.is_flag = true;
  return option;
}

CommandOption& CommandSpec::Add(CommandOption option) {
  return options.emplace_back(std::move(option));
}

}  // namespace rankscope
