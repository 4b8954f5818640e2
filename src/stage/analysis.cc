#include "stage/analysis.h"

#include <algorithm>
#include <charconv>

namespace rankscope {

namespace {

std::optional<std::int64_t> ParseCount(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole && value >= 0 ? std::optional(value) : std::nullopt;
}

}  // namespace

const Table& InputTables::Named(std::string_view name) const {
  const auto found = std::find_if(tables_.begin(), tables_.end(),
                                  [&](const Table* table) { return table->name() == name; });
  RS_CHECK(found != tables_.end(), "{} is not among the inputs", name);
  return **found;
}

std::vector<OptionSpec> Analysis::AllOptions() const {
  std::vector<OptionSpec> all = mapper.options;
  all.insert(all.end(), options.begin(), options.end());
  return all;
}

Options MapperOptions(const Mapper& mapper, const Options& of_analysis) {
  Options values;
  for (const OptionSpec& option : mapper.options) {
    const auto given = of_analysis.find(option.name);
    values[option.name] = given == of_analysis.end() ? option.default_value : given->second;
  }
  return values;
}

Result<Options> CompleteOptions(const Analysis& analysis, const Options& given) {
  Options complete;
  std::string known;
  const std::vector<OptionSpec> options = analysis.AllOptions();
  for (const OptionSpec& option : options) {
    complete[option.name] = option.default_value;
    known += (known.empty() ? "" : ", ") + option.name;
  }
  for (const auto& [name, value] : given) {
    const auto place = complete.find(name);
    if (place == complete.end()) {
      return Error(StatusCode::kInvalidArgument, "{} has no option '{}'; {}", analysis.name, name,
                   known.empty() ? "it has none" : "it has: " + known);
    }
    place->second = value;
  }
  for (const OptionSpec& option : options) {
    if (option.type == OptionType::kCount && !ParseCount(complete[option.name])) {
      return Error(StatusCode::kInvalidArgument,
                   "option {} must be a whole number, 0 or more, not '{}'", option.name,
                   complete[option.name]);
    }
  }
  if (analysis.check) RS_RETURN_IF_ERROR(analysis.check(complete));
  return complete;
}

std::int64_t CountOption(const Options& options, std::string_view name) {
  const auto value = ParseCount(options.find(name)->second);
  RS_CHECK(value.has_value());
  return *value;
}

}  // namespace rankscope
