#include "analysis/analysis.h"

#include <charconv>

namespace rankscope {

Result<Options> CompleteOptions(const Analysis& analysis, const Options& given) {
  Options complete;
  std::string known;
  for (const OptionSpec& option : analysis.options) {
    complete[option.name] = option.default_value;
    known += (known.empty() ? "" : ", ") + option.name;
  }
  for (const auto& [name, value] : given) {
    if (!complete.contains(name)) {
      return Error(StatusCode::kInvalidArgument, "{} has no option '{}'; {}", analysis.name, name,
                   known.empty() ? "it has none" : "it has: " + known);
    }
    complete[name] = value;
  }
  if (analysis.check) RS_RETURN_IF_ERROR(analysis.check(complete));
  return complete;
}

Result<std::int64_t> IntOption(const Options& options, std::string_view name) {
  const std::string& text = options.find(name)->second;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  return Error(StatusCode::kInvalidArgument, "option {} must be a whole number, not '{}'", name,
               text);
}

}  // namespace rankscope
