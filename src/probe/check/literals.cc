// What has to stand in the file as it is: texts, numbers, durations, units, arguments of calls.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/nearest_name.h"
#include "probe/check/device_checker.h"

namespace rankscope::probe {
namespace {

struct TimeUnit {
  std::string_view name;
  double ns;
};
constexpr TimeUnit kTimeUnits[] = {
    {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"minutes", 60e9}};
constexpr double kMostDuration_ns = 86'400e9;

std::string DidYouMean(std::string_view typed, const std::vector<std::string>& names,
                       std::string otherwise) {
  const std::string_view nearest = NearestName(typed, names);
  return nearest.empty() ? std::move(otherwise) : fmt::format("did you mean `{}`?", nearest);
}

}  // namespace

const Keyword* DeviceChecker::Call::Find(std::string_view wanted) const {
  const auto found = std::ranges::find(*keywords, wanted, &Keyword::name);
  return found == keywords->end() ? nullptr : &*found;
}

DeviceChecker::Call DeviceChecker::CallOf(const Expr& expr) const {
  return {.name = expr.a[0]->name,
          .place = expr.a[0]->place,
          .values = std::span(expr.a).subspan(1),
          .keywords = &expr.keywords};
}

bool DeviceChecker::CheckCall(const Call& call, std::size_t least, std::size_t most,
                              const std::vector<std::string>& keywords) {
  bool is_good = true;
  for (const Keyword& one : *call.keywords) {
    if (std::ranges::find(keywords, one.name) != keywords.end()) continue;
    is_good = false;
    const std::string all = keywords.empty()
                                ? std::string("it takes no named argument")
                                : fmt::format("it takes {}=", fmt::join(keywords, "=, "));
    wrong_.Error(one.place, fmt::format("`{}` has no argument `{}`", call.name, one.name),
                 DidYouMean(one.name, keywords, all));
  }
  const std::size_t count = call.values.size();
  if (count < least) {
    wrong_.Error(call.place,
                 fmt::format("`{}` needs {} argument{}, and has {}", call.name, least,
                             least == 1 ? "" : "s", count),
                 "docs/probes.md has all functions");
    return false;
  }
  if (count > most) {
    wrong_.Error(call.values[most]->place,
                 fmt::format("`{}` takes {} argument{} without a name", call.name, most,
                             most == 1 ? "" : "s"),
                 keywords.empty() ? "leave it out"
                                  : fmt::format("others are {}=", fmt::join(keywords, "=, ")));
    return false;
  }
  return is_good;
}

std::optional<std::string> DeviceChecker::TextOf(const Expr& expr, std::string_view what) {
  if (expr.kind == ExprKind::kText) return expr.text;
  wrong_.Error(expr.place, fmt::format("{} is a text", what), "write it in quotes");
  return std::nullopt;
}

std::optional<double> DeviceChecker::NumberOf(const Expr& expr, std::string_view what) {
  const bool is_negative = expr.kind == ExprKind::kUnary && expr.name == "-";
  const Expr& number = is_negative ? *expr.a[0] : expr;
  const double sign = is_negative ? -1 : 1;
  if (number.kind == ExprKind::kInteger) return sign * static_cast<double>(number.integer);
  if (number.kind == ExprKind::kReal) return sign * number.real;
  if (number.kind == ExprKind::kName) {
    const auto found = symbols_.find(number.name);
    if (found != symbols_.end() && found->second.kind == SymbolKind::kValue) {
      found->second.is_used = true;
      const int node = made_.names[static_cast<std::size_t>(found->second.index)].node;
      if (IsLiteral(node)) {
        const Value& value = At(node).constant;
        if (const auto* whole = value.If<std::int64_t>()) return sign * static_cast<double>(*whole);
        if (const auto* natural = value.If<std::uint64_t>())
          return sign * static_cast<double>(*natural);
        return sign * *value.If<double>();
      }
    }
  }
  wrong_.Error(expr.place, fmt::format("{} is a number that stands in the file", what),
               "write a number, or the name of one");
  return std::nullopt;
}

std::optional<std::int64_t> DeviceChecker::WholeOf(const Expr& expr, std::string_view what,
                                                   std::int64_t least, std::int64_t most) {
  const auto number = NumberOf(expr, what);
  if (!number) return std::nullopt;
  if (*number == std::trunc(*number) && *number >= static_cast<double>(least) &&
      *number <= static_cast<double>(most))
    return static_cast<std::int64_t>(*number);
  wrong_.Error(expr.place, fmt::format("{} is out of range", what),
               fmt::format("write a whole number from {} to {}", least, most));
  return std::nullopt;
}

std::optional<bool> DeviceChecker::FlagOf(const Expr& expr, std::string_view what) {
  if (expr.kind == ExprKind::kTrue) return true;
  if (expr.kind == ExprKind::kFalse) return false;
  wrong_.Error(expr.place, fmt::format("{} is True or False", what), "write one of them");
  return std::nullopt;
}

std::optional<std::int64_t> DeviceChecker::DurationOf(const Expr& expr) {
  const auto* const unit = std::ranges::find_if(
      kTimeUnits, [&](const TimeUnit& one) { return IsFunction(expr, one.name); });
  if (unit == std::end(kTimeUnits)) {
    wrong_.Error(expr.place, "a duration has its unit", "write ms(500), s(1) or minutes(5)");
    return std::nullopt;
  }
  const Call call = CallOf(expr);
  if (!CheckCall(call, 1, 1, {})) return std::nullopt;
  const auto number = NumberOf(*call.values[0], "a duration");
  if (!number) return std::nullopt;
  const double ns = *number * unit->ns;
  if (ns >= 1 && ns <= kMostDuration_ns) return static_cast<std::int64_t>(ns);
  wrong_.Error(expr.place, "this duration is out of range", "it is at most a day, and above 0");
  return std::nullopt;
}

bool DeviceChecker::ReadUnit(const Expr& expr, Unit& unit, std::string& name) {
  if (expr.kind != ExprKind::kName) {
    wrong_.Error(expr.place, "a unit is a name", "write unit=watts");
    return false;
  }
  const auto found = FindUnit(expr.name);
  if (!found) {
    wrong_.Error(expr.place, fmt::format("there is no unit `{}`", expr.name),
                 DidYouMean(expr.name, UnitNames(),
                            fmt::format("there are {}", fmt::join(UnitNames(), ", "))));
    return false;
  }
  unit = *found;
  name = expr.name;
  return true;
}

bool IsFunction(const Expr& expr, std::string_view name) {
  return expr.kind == ExprKind::kCall && expr.a[0]->kind == ExprKind::kName &&
         expr.a[0]->name == name;
}

}  // namespace rankscope::probe
