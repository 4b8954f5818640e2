#include "tune/adapter/fill.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rankscope::tune {
namespace {

constexpr std::string_view kSettings = "settings", kArguments = "arguments";

// Calls `text` with what stands between names, and `name` with those.
template <typename Text, typename Name>
void ForEachPart(std::string_view all, Text text, Name name) {
  while (!all.empty()) {
    const std::size_t begin = all.find("${");
    const std::size_t end = begin == std::string_view::npos ? begin : all.find('}', begin);
    if (end == std::string_view::npos) break;
    text(all.substr(0, begin));
    name(all.substr(begin + 2, end - begin - 2));
    all.remove_prefix(end + 1);
  }
  text(all);
}

class Filler {
 public:
  Filler(const Adapter& adapter, const Point& point, const Filling& filling)
      : adapter_(adapter), point_(point), filling_(filling) {}

  Result<std::string> Text(std::string_view text) const {
    std::string filled;
    Status status;
    ForEachPart(
        text, [&](std::string_view part) { filled += part; },
        [&](std::string_view name) {
          Result<std::string> value = Value(name);
          if (!value.ok())
            status = value.status();
          else
            filled += *value;
        });
    if (!status.ok()) return status;
    return filled;
  }

  std::vector<std::string> Words(std::string_view name) const {
    return name == kSettings ? SettingWords(adapter_, point_) : filling_.arguments;
  }

 private:
  Result<std::string> Value(std::string_view name) const {
    if (name == kSettings || name == kArguments)
      return fmt::format("{}", fmt::join(Words(name), " "));
    for (std::size_t i = 0; i < adapter_.knobs.size(); ++i) {
      const Parameter& parameter = adapter_.knobs[i].parameter;
      if (parameter.name == name) return ValueText(parameter, point_[i]);
    }
    for (const auto* values : {&filling_.values, &adapter_.values}) {
      const auto found = values->find(std::string(name));
      if (found == values->end()) continue;
      if (!found->second.empty()) return found->second;
      return Error(StatusCode::kInvalidArgument,
                   "{}: ${{{}}} has no value yet: give it with --set {}=VALUE", adapter_.source,
                   name, name);
    }
    return Error(StatusCode::kInvalidArgument, "{}: ${{{}}} stands for nothing", adapter_.source,
                 name);
  }

  const Adapter& adapter_;
  const Point& point_;
  const Filling& filling_;
};

}  // namespace

std::string ValueText(const Parameter& parameter, double value) {
  if (parameter.scale == Scale::kChoice)
    return parameter.choices.at(static_cast<std::size_t>(value));
  return fmt::format("{:.10g}", value);
}

std::vector<std::string> SettingWords(const Adapter& adapter, const Point& point) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < adapter.knobs.size(); ++i) {
    const Knob& knob = adapter.knobs[i];
    if (!knob.flag.empty()) {
      words.push_back(knob.flag);
      words.push_back(ValueText(knob.parameter, point[i]));
    } else if (!knob.flags.empty()) {
      const std::string& flag = knob.flags.at(static_cast<std::size_t>(point[i]));
      if (!flag.empty()) words.push_back(flag);
    }
  }
  return words;
}

Result<std::vector<std::string>> FillWords(const Adapter& adapter, const Point& point,
                                           const Filling& filling,
                                           const std::vector<std::string>& words) {
  const Filler filler(adapter, point, filling);
  std::vector<std::string> filled;
  for (const std::string& word : words) {
    if (word == "${settings}" || word == "${arguments}") {
      const auto more = filler.Words(std::string_view(word).substr(2, word.size() - 3));
      filled.insert(filled.end(), more.begin(), more.end());
      continue;
    }
    RS_ASSIGN_OR_RETURN(std::string text, filler.Text(word));
    filled.push_back(std::move(text));
  }
  return filled;
}

Result<std::string> FillText(const Adapter& adapter, const Point& point, const Filling& filling,
                             std::string_view text) {
  return Filler(adapter, point, filling).Text(text);
}

Result<std::map<std::string, std::string>> FillEnvironment(const Adapter& adapter,
                                                           const Point& point,
                                                           const Filling& filling) {
  const Filler filler(adapter, point, filling);
  std::map<std::string, std::string> environment;
  for (const auto& [name, text] : adapter.trial->environment) {
    RS_ASSIGN_OR_RETURN(environment[name], filler.Text(text));
  }
  for (std::size_t i = 0; i < adapter.knobs.size(); ++i) {
    const Knob& knob = adapter.knobs[i];
    if (!knob.variable.empty()) environment[knob.variable] = ValueText(knob.parameter, point[i]);
  }
  return environment;
}

std::vector<std::string> NamesIn(std::string_view text) {
  std::vector<std::string> names;
  ForEachPart(
      text, [](std::string_view) {}, [&](std::string_view name) { names.emplace_back(name); });
  return names;
}

}  // namespace rankscope::tune
