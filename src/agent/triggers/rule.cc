#include "agent/triggers/rule.h"

#include <array>
#include <charconv>
#include <cmath>

#include "base/nearest_name.h"

namespace rankscope::agent {
namespace {

struct Function {
  std::string_view name;
  RuleValue value;
};
constexpr std::array<Function, 3> kFunctions = {{
    {"rate", RuleValue::kRate},
    {"increase", RuleValue::kIncrease},
    {"relative", RuleValue::kRelative},
}};

struct Unit {
  std::string_view name;
  double ms;
};
constexpr std::array<Unit, 5> kUnits = {
    {{"ms", 1}, {"min", 60'000}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}}};
constexpr double kLongestHoldMs = 24 * 3'600'000.0;

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  void SkipBlanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool Take(std::string_view word) {
    SkipBlanks();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  // Letters, without taking them.
  std::string_view Word() {
    SkipBlanks();
    std::size_t end = at_;
    while (end < text_.size() && text_[end] >= 'a' && text_[end] <= 'z') ++end;
    return text_.substr(at_, end - at_);
  }
  Result<double> TakeNumber(std::string_view what) {
    SkipBlanks();
    double value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() || !std::isfinite(value)) return Expected(what);
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }
  Result<Selector> TakeSelectorHere() { return TakeSelector(text_, at_); }
  bool IsAtEnd() {
    SkipBlanks();
    return at_ == text_.size();
  }
  Status Expected(std::string_view what) {
    SkipBlanks();
    return Error(StatusCode::kInvalidArgument, "column {}: {}, not {}", at_ + 1, what,
                 at_ < text_.size() ? fmt::format("'{}'", text_.substr(at_, 12)) : "the end");
  }

 private:
  const std::string_view text_;
  std::size_t at_ = 0;
};

// "rate(": what stands before the bracket, when it is a function's name.
Status TakeFunction(std::string_view text, Reader& reader, Rule& rule) {
  const std::size_t bracket = text.find('(');
  if (bracket == std::string_view::npos || bracket > text.find('{')) return OkStatus();
  for (const Function& one : kFunctions) {
    Reader ahead = reader;
    if (!ahead.Take(one.name) || !ahead.Take("(")) continue;
    reader.Take(one.name);
    reader.Take("(");
    rule.value = one.value;
    return OkStatus();
  }
  std::vector<std::string> names;
  names.reserve(kFunctions.size());
  for (const Function& one : kFunctions) names.emplace_back(one.name);
  const std::string_view nearest = NearestName(reader.Word(), names);
  return reader.Expected(fmt::format("functions are rate, increase and relative{}",
                                     nearest.empty() ? "" : fmt::format(" ({}?)", nearest)));
}

Status TakeHold(Reader& reader, Rule& rule) {
  if (reader.Word() != "for") return OkStatus();
  reader.Take("for");
  RS_ASSIGN_OR_RETURN(const double count,
                      reader.TakeNumber("a duration is expected behind 'for', such as 60s"));
  for (const Unit& unit : kUnits) {
    if (reader.Word() != unit.name) continue;
    const double ms = count * unit.ms;
    if (ms < 0 || ms > kLongestHoldMs)
      return reader.Expected("a duration is 0 to 24 hours before its unit");
    reader.Take(unit.name);
    rule.hold_ms = static_cast<std::int64_t>(ms);
    return OkStatus();
  }
  return reader.Expected("a duration ends in ms, s, min or h");
}

}  // namespace

Result<Rule> ParseRule(std::string_view text) {
  Rule rule;
  rule.text = text;
  Reader reader(text);
  RS_RETURN_IF_ERROR(TakeFunction(text, reader, rule));
  RS_ASSIGN_OR_RETURN(rule.selector, reader.TakeSelectorHere());
  if (rule.value != RuleValue::kItself && !reader.Take(")"))
    return reader.Expected("the function's ) is expected");
  rule.is_above = reader.Take(">");
  if (!rule.is_above && !reader.Take("<")) return reader.Expected("< or > is expected");
  RS_ASSIGN_OR_RETURN(rule.threshold,
                      reader.TakeNumber(fmt::format("a number is expected behind '{}'",
                                                    rule.is_above ? '>' : '<')));
  RS_RETURN_IF_ERROR(TakeHold(reader, rule));
  if (!reader.IsAtEnd()) return reader.Expected("'for 60s' or nothing is expected");
  return rule;
}

}  // namespace rankscope::agent
