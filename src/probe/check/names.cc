// Names of a class: each has one value, and none is its own reason.
#include <fmt/format.h>

#include <algorithm>

#include "base/nearest_name.h"
#include "probe/check/device_checker.h"

namespace rankscope::probe {
namespace {

constexpr std::string_view kSpecial[] = {"vendor", "instances"};

bool IsSpecial(std::string_view name) { return std::ranges::count(kSpecial, name) > 0; }

bool IsMetric(std::string_view name) {
  return FindStandard(name) != nullptr || name.starts_with(kVendorPrefix);
}

void AddNames(const Expr& expr, std::vector<std::string_view>& names) {
  if (expr.kind == ExprKind::kName) names.push_back(expr.name);
  for (const Expr* one : expr.a) AddNames(*one, names);
  for (const Keyword& one : expr.keywords) AddNames(*one.value, names);
}

}  // namespace

void DeviceChecker::CheckHead() {
  made_.name = source_.name;
  made_.about = source_.about;
  made_.place = source_.place;
  const Expr* version = nullptr;
  for (const Expr* decorator : source_.decorators) {
    const bool is_version = IsFunction(*decorator, "requires") && decorator->a.size() == 2 &&
                            decorator->keywords.empty() && decorator->a[1]->kind == ExprKind::kText;
    if (!is_version) {
      wrong_.Error(decorator->place, "this decorator is not known", "write @requires(\"1\")");
      return;
    }
    version = decorator->a[1];
  }
  if (version == nullptr) {
    wrong_.Error(source_.place, "the version of the language is missing",
                 "write @requires(\"1\") above the class");
  } else if (version->text != std::to_string(kLanguageVersion)) {
    const bool is_number = !version->text.empty() &&
                           version->text.find_first_not_of("0123456789") == std::string::npos;
    wrong_.Error(version->place,
                 fmt::format("this class needs version {} of the language, and this program knows "
                             "version {}",
                             version->text, kLanguageVersion),
                 is_number ? "take a newer rankscope" : "write @requires(\"1\")");
  }
}

void DeviceChecker::Declare(const Assignment& one, SymbolKind kind, int index) {
  Symbol& symbol = symbols_[one.name];
  symbol.kind = kind;
  symbol.index = index;
}

void DeviceChecker::CollectNames() {
  if (source_.assignments.size() > kMostNames) {
    wrong_.Error(source_.assignments[kMostNames].place,
                 fmt::format("this class has more than {} names", kMostNames),
                 "split it in several classes");
  }
  for (const Assignment& one : source_.assignments) {
    const auto found = symbols_.find(one.name);
    if (IsBuiltIn(one.name)) {
      wrong_.Error(one.place, fmt::format("`{}` is a name of the language", one.name),
                   "take another name");
    } else if (found != symbols_.end()) {
      wrong_.Error(
          one.place,
          fmt::format("`{}` has a value in line {} already", one.name, found->second.place.line),
          "take another name");
    }
    Symbol symbol;
    symbol.place = one.place;
    if (IsSpecial(one.name)) symbol.kind = SymbolKind::kSpecial;
    symbols_.emplace(one.name, symbol);
    if (one.name == "instances" && one.value != nullptr)
      has_folder_ = IsFunction(*one.value, "glob");
  }
  for (const Assignment& one : source_.assignments)
    if (one.value != nullptr) CollectEnums(*one.value, one.name);
}

// Items of enums are names of the class, wherever the enum stands.
void DeviceChecker::CollectEnums(const Expr& expr, std::string_view name) {
  for (const Expr* one : expr.a) CollectEnums(*one, name);
  for (const Keyword& one : expr.keywords) CollectEnums(*one.value, one.name);
  if (!IsFunction(expr, "enum")) return;
  const int index = static_cast<int>(made_.enums.size());
  made_.enums.push_back({.name = std::string(name)});
  enums_[&expr] = index;
  for (const Keyword& one : expr.keywords) {
    const auto found = symbols_.find(one.name);
    if (found != symbols_.end()) {
      wrong_.Error(
          one.place,
          fmt::format("`{}` has a value in line {} already", one.name, found->second.place.line),
          "names of an enum are names of the class: take another");
    } else if (IsBuiltIn(one.name)) {
      wrong_.Error(one.place, fmt::format("`{}` is a name of the language", one.name),
                   "take another name");
    }
    symbols_.emplace(one.name, Symbol{SymbolKind::kEnumItem, index, 0, one.place, true});
  }
}

void DeviceChecker::TellCycle(const std::vector<std::size_t>& path, std::size_t from) {
  std::string names;
  for (std::size_t i = from; i < path.size(); ++i)
    names += fmt::format("{} -> ", source_.assignments[path[i]].name);
  const Assignment& first = source_.assignments[path[from]];
  wrong_.Error(first.place, fmt::format("{}{} is a circle", names, first.name),
               "one of them is to begin with a source");
}

// Depth first, without recursion: a file may have names that build on each other in any length.
std::vector<std::size_t> DeviceChecker::Order() {
  const std::size_t count = std::min(source_.assignments.size(), kMostNames);
  std::map<std::string_view, std::size_t> declared;  // names, and items of enums
  for (std::size_t i = 0; i < count; ++i) declared.emplace(source_.assignments[i].name, i);
  for (const auto& [expr, index] : enums_) {
    for (std::size_t i = 0; i < count; ++i) {
      const Assignment& one = source_.assignments[i];
      std::vector<const Expr*> waiting;
      if (one.value != nullptr) waiting.push_back(one.value);
      while (!waiting.empty()) {
        const Expr* const at = waiting.back();
        waiting.pop_back();
        if (at == expr)
          for (const Keyword& item : expr->keywords) declared.emplace(item.name, i);
        waiting.insert(waiting.end(), at->a.begin(), at->a.end());
        for (const Keyword& keyword : at->keywords) waiting.push_back(keyword.value);
      }
    }
  }
  std::vector<std::vector<std::size_t>> needs(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::string_view> names;
    if (source_.assignments[i].value != nullptr) AddNames(*source_.assignments[i].value, names);
    for (const std::string_view name : names) {
      const auto found = declared.find(name);
      const bool is_own_item =
          found != declared.end() && found->second == i && name != source_.assignments[i].name;
      if (found != declared.end() && !is_own_item) needs[i].push_back(found->second);
    }
  }
  enum State : char { kNew, kOpen, kDone };
  std::vector<State> state(count, kNew);
  std::vector<std::size_t> order;
  for (std::size_t root = 0; root < count; ++root) {
    std::vector<std::size_t> path, next;
    if (state[root] == kNew) {
      path.push_back(root);
      next.push_back(0);
      state[root] = kOpen;
    }
    while (!path.empty()) {
      const std::size_t at = path.back();
      if (next.back() == needs[at].size()) {
        state[at] = kDone;
        order.push_back(at);
        path.pop_back();
        next.pop_back();
        continue;
      }
      const std::size_t below = needs[at][next.back()++];
      if (state[below] == kOpen)
        TellCycle(path, static_cast<std::size_t>(std::ranges::find(path, below) - path.begin()));
      if (state[below] != kNew) continue;
      state[below] = kOpen;
      path.push_back(below);
      next.push_back(0);
    }
  }
  return order;
}

void DeviceChecker::CheckAssignments() {
  std::vector<std::string_view> seen;
  for (const std::size_t i : Order()) {
    const Assignment& one = source_.assignments[i];
    if (one.value == nullptr) continue;
    name_ = one.name;
    sources_of_name_ = 0;
    CheckAssignment(one);
  }
}

void DeviceChecker::CheckAssignment(const Assignment& one) {
  const Expr& value = *one.value;
  if (one.name == "vendor") {
    made_.vendor = TextOf(value, "`vendor`").value_or("");
  } else if (one.name == "instances") {
    CheckInstances(one);
  } else if (IsMetric(one.name)) {
    CheckExport(one);
  } else if (IsFunction(value, "enum")) {
    const int index = ReadEnum(value);
    if (index >= 0) Declare(one, SymbolKind::kEnum, index);
  } else if (IsFunction(value, "struct")) {
    const int index = ReadStruct(value, one.name);
    if (index >= 0) Declare(one, SymbolKind::kStruct, index);
  } else if (IsFunction(value, "library")) {
    const int index = ReadLibrary(value, one.name);
    if (index >= 0) Declare(one, SymbolKind::kLibrary, index);
  } else if (IsFunction(value, "gauge") || IsFunction(value, "counter")) {
    std::vector<std::string> standard;
    for (const StandardMetric& metric : StandardMetrics()) standard.emplace_back(metric.name);
    const std::string_view nearest = NearestName(one.name, standard);
    wrong_.Error(one.place, fmt::format("`{}` is no standard metric", one.name),
                 nearest.empty()
                     ? fmt::format("name a metric of your own {}{}", kVendorPrefix, one.name)
                     : fmt::format("did you mean `{}`? A metric of your own is {}{}", nearest,
                                   kVendorPrefix, one.name));
  } else {
    const int node = Expression(value);
    made_.names.push_back({std::string(one.name), one.place, node});
    Declare(one, SymbolKind::kValue, static_cast<int>(made_.names.size()) - 1);
  }
}

void DeviceChecker::CheckInstances(const Assignment& one) {
  const Expr& value = *one.value;
  const bool is_glob = IsFunction(value, "glob");
  if (!is_glob && !IsFunction(value, "range")) {
    wrong_.Error(value.place, "instances are folders, or a number of devices",
                 "write glob(\"/sys/class/accel/accel*\") or range(drv.call(...))");
    return;
  }
  const Call call = CallOf(value);
  if (!CheckCall(call, 1, 1,
                 is_glob ? std::vector<std::string>{"where"} : std::vector<std::string>{}))
    return;
  if (!is_glob) {
    made_.instances = InstanceKind::kRange;
    made_.count = Expression(*call.values[0]);
    RefuseChange(made_.count, call.values[0]->place);
    const TypeKind kind = TypeAt(made_.count).kind;
    if (kind != TypeKind::kI64 && kind != TypeKind::kU64 && kind != TypeKind::kAny)
      wrong_.Error(call.values[0]->place,
                   fmt::format("a number of devices is whole, and this is {}", Name(made_.count)),
                   "write range(drv.call(\"count\", out(u32)))");
    return;
  }
  made_.instances = InstanceKind::kGlob;
  ReadPath(*call.values[0], made_.pattern);
  if (!made_.pattern.empty() && !made_.pattern.starts_with('/'))
    wrong_.Error(call.values[0]->place, "the folders of instances are not relative",
                 "begin with /sys or /proc");
  if (const Keyword* where = call.Find("where")) {
    made_.where = Expression(*where->value);
    IsCondition(made_.where, where->value->place, "`where`");
    RefuseChange(made_.where, where->value->place);
  }
}

// Instances are looked for by one reading.
void DeviceChecker::RefuseChange(int node, Place place) {
  if (facts_[static_cast<std::size_t>(node)].has_delta)
    wrong_.Error(place, "which instances there are does not follow from a change over time",
                 "take a value");
}

void DeviceChecker::UnknownName(const Expr& expr) {
  std::vector<std::string> names = BuiltInNames();
  for (const auto& [name, symbol] : symbols_) names.emplace_back(name);
  const std::string_view nearest = NearestName(expr.name, names);
  wrong_.Error(expr.place, fmt::format("there is no name `{}`", expr.name),
               nearest.empty() ? std::string("give it a value in a line of its own")
                               : fmt::format("did you mean `{}`?", nearest));
}

void DeviceChecker::WarnOfUnused() {
  for (const auto& [name, symbol] : symbols_) {
    if (symbol.is_used || symbol.kind == SymbolKind::kSpecial ||
        symbol.kind == SymbolKind::kWrong || IsMetric(name))
      continue;
    wrong_.Warn(symbol.place, fmt::format("`{}` is used by no metric", name), "leave it out");
  }
}

}  // namespace rankscope::probe
