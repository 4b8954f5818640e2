// Files and the clock, and what all sources share: schedules, units, values that stand for nothing.
#include <fmt/format.h>

#include <algorithm>

#include "probe/check/device_checker.h"

namespace rankscope::probe {
namespace {

constexpr std::size_t kMostSources = 1000;
constexpr std::size_t kMostPath = 1000;
constexpr int kMostColumns = 1000;

bool HasParentStep(std::string_view path) {
  for (std::size_t at = path.find(".."); at != std::string_view::npos;
       at = path.find("..", at + 1)) {
    const bool begins = at == 0 || path[at - 1] == '/';
    const bool ends = at + 2 == path.size() || path[at + 2] == '/';
    if (begins && ends) return true;
  }
  return false;
}

}  // namespace

int DeviceChecker::AddSource(Source source, Place place) {
  if (loop_) {
    wrong_.Error(place, "a source stands within a `for`", "give it a name in a line of its own");
    return Wrong(place);
  }
  if (made_.sources.size() >= kMostSources) {
    wrong_.Error(place, fmt::format("this class has more than {} sources", kMostSources),
                 "split it in several classes");
    return Wrong(place);
  }
  source.place = place;
  ++sources_of_name_;
  source.name =
      sources_of_name_ == 1 ? std::string(name_) : fmt::format("{}.{}", name_, sources_of_name_);
  Node node;
  node.op = Op::kSource;
  node.type = source.type;
  node.unit = source.unit;
  node.place = place;
  node.ref = static_cast<int>(made_.sources.size());
  made_.sources.push_back(std::move(source));
  return Add(std::move(node));
}

bool DeviceChecker::ReadSchedule(const Call& call, Source& source) {
  const Keyword* const every = call.Find("every");
  const Keyword* const cache = call.Find("cache");
  if (every != nullptr && cache != nullptr) {
    wrong_.Error(cache->place, "a source has every= or cache=", "leave one out");
    return false;
  }
  if (const Keyword* optional = call.Find("optional")) {
    const auto flag = FlagOf(*optional->value, "`optional`");
    if (!flag) return false;
    source.is_optional = *flag;
  }
  if (cache != nullptr) {
    source.has_own_schedule = true;
    source.every_ns = kForever;
    if (cache->value->kind == ExprKind::kName && cache->value->name == "forever") return true;
    wrong_.Error(cache->value->place, "`cache` is `forever`",
                 "write cache=forever, or every=s(10)");
    return false;
  }
  if (every == nullptr) return true;
  const auto ns = DurationOf(*every->value);
  if (!ns) return false;
  source.has_own_schedule = true;
  source.every_ns = *ns;
  if (*ns >= kLeastEvery_ns) return true;
  wrong_.Error(every->value->place, "a source is read every 10 ms at most", "write every=ms(10)");
  return false;
}

bool DeviceChecker::ReadSourceUnit(const Call& call, Source& source) {
  const Keyword* const unit = call.Find("unit");
  if (unit == nullptr) return true;
  std::string name;
  if (!ReadUnit(*unit->value, source.unit, name)) return false;
  const TypeKind kind = source.type.kind;
  if (kind == TypeKind::kI64 || kind == TypeKind::kU64 || kind == TypeKind::kF64) return true;
  wrong_.Error(unit->place, fmt::format("{} has no unit", TypeText(made_, source.type)),
               "leave it out");
  return false;
}

bool DeviceChecker::ReadNotAvailable(const Call& call, Source& source) {
  const Keyword* const na = call.Find("na");
  if (na == nullptr) return true;
  const bool is_list = na->value->kind == ExprKind::kList;
  std::vector<const Expr*> values = is_list ? na->value->a : std::vector{na->value};
  Node as_source;
  as_source.type = source.type;
  for (const Expr* one : values) {
    int value = Expression(*one), like = Add(as_source);
    if (IsAny(value)) return false;
    if (At(value).op != Op::kConstant) {
      wrong_.Error(one->place, "`na` is a value that stands in the file", "write na=0xFFFFFFFF");
      return false;
    }
    if (!Unify(like, value, "`na`", one->place)) return false;
    source.not_available.push_back(At(value).constant);
  }
  return true;
}

bool DeviceChecker::ReadPath(const Expr& expr, std::string& path) {
  const auto text = TextOf(expr, "a path");
  if (!text) return false;
  path = *text;
  if (path.empty() || path.size() > kMostPath) {
    wrong_.Error(expr.place, fmt::format("a path has 1 to {} bytes", kMostPath),
                 "write file(\"device/vendor\", str)");
    return false;
  }
  if (HasParentStep(path)) {
    wrong_.Error(expr.place, "a path goes up with `..`", "begin with /sys or /proc");
    return false;
  }
  const bool is_absolute = path.starts_with('/');
  if (is_absolute && !path.starts_with("/sys/") && !path.starts_with("/proc/")) {
    wrong_.Error(expr.place, "only files below /sys and /proc are read",
                 "begin with /sys or /proc");
    return false;
  }
  if (!is_absolute && !has_folder_) {
    wrong_.Error(expr.place,
                 "this path is relative to an instance, and there are no folders of instances",
                 "begin with /sys or /proc, or write instances = glob(...)");
    return false;
  }
  return true;
}

bool DeviceChecker::ReadKey(const Call& call, Source& source) {
  const Keyword* const key = call.Find("key");
  const Keyword* const column = call.Find("column");
  if (key != nullptr) {
    const auto text = TextOf(*key->value, "`key`");
    if (!text) return false;
    source.key = *text;
    if (text->empty() || text->find_first_of(" \t\n") != std::string::npos) {
      wrong_.Error(key->value->place, "a key is one word at the begin of a line",
                   "write key=\"MemFree:\"");
      return false;
    }
  }
  if (column == nullptr) return true;
  const auto number = WholeOf(*column->value, "`column`", 1, kMostColumns);
  if (!number) return false;
  source.column = static_cast<int>(*number);
  if (key != nullptr) return true;
  wrong_.Error(column->place, "`column` counts words behind a key", "add key=");
  return false;
}

int DeviceChecker::FileSource(const Expr& expr, const Call& call) {
  const bool is_text = call.name == "text";
  const std::size_t count = is_text ? 1 : 2;
  std::vector<std::string> keywords = {"every", "cache", "optional", "na", "key", "column"};
  if (!is_text) keywords.emplace_back("unit");
  if (!CheckCall(call, count, count, keywords)) return Wrong(expr.place);
  Source source;
  bool is_good = ReadPath(*call.values[0], source.path);
  source.type = {.kind = TypeKind::kStr};
  source.layout = {.width = Width::kChars};
  const bool is_str =
      is_text || (call.values[1]->kind == ExprKind::kName && call.values[1]->name == "str");
  if (!is_str) {
    const auto layout = ReadLayout(*call.values[1]);
    if (!layout) return Wrong(expr.place);
    if (layout->is_array || layout->struct_of >= 0 || layout->width == Width::kPtr ||
        layout->width == Width::kChars) {
      wrong_.Error(call.values[1]->place, "a file holds a number, an enum or a text",
                   "write i64, u64, f64 or str");
      return Wrong(expr.place);
    }
    source.layout = *layout;
    source.type = TypeOf(*layout);
  }
  is_good = ReadSchedule(call, source) && is_good;
  is_good = ReadSourceUnit(call, source) && is_good;
  is_good = ReadNotAvailable(call, source) && is_good;
  is_good = ReadKey(call, source) && is_good;
  if (!is_good) return Wrong(expr.place);
  WarnOfSameFile(source);
  return AddSource(std::move(source), expr.place);
}

void DeviceChecker::WarnOfSameFile(const Source& source) {
  const auto same = std::ranges::find_if(made_.sources, [&](const Source& one) {
    return one.kind == SourceKind::kFile && one.path == source.path && one.key == source.key &&
           one.column == source.column && one.type == source.type;
  });
  if (same == made_.sources.end() || symbols_.count(name_) == 0) return;
  wrong_.Warn(symbols_.at(name_).place,
              fmt::format("`{}` reads what `{}` reads", name_, same->name),
              fmt::format("take `{}` here", same->name));
}

int DeviceChecker::ClockSource(const Expr& expr) {
  const Call call = CallOf(expr);
  if (!CheckCall(call, 0, 0, {})) return Wrong(expr.place);
  Source source;
  source.kind = SourceKind::kClock;
  source.type = {.kind = TypeKind::kI64};
  source.layout = {.width = Width::kI64};
  source.unit = *FindUnit("nanoseconds");
  return AddSource(std::move(source), expr.place);
}

}  // namespace rankscope::probe
