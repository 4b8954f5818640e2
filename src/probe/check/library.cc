// Libraries of makers and calls of their functions.
#include <fmt/format.h>

#include <algorithm>

#include "probe/check/device_checker.h"

namespace rankscope::probe {
namespace {

constexpr std::size_t kMostArguments = 6;  // that are passed in registers
constexpr std::int64_t kLeastTimeout_ns = 1'000'000;

bool IsFunctionName(std::string_view name) {
  return !name.empty() && name.size() <= 200 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

bool DeviceChecker::ReadSonames(const Expr& expr, Library& library) {
  const std::vector<const Expr*> names = expr.kind == ExprKind::kList ? expr.a : std::vector{&expr};
  for (const Expr* one : names) {
    const auto name = TextOf(*one, "the name of a library");
    if (!name) return false;
    // Which folders are searched is the operator's business.
    if (name->empty() || name->find_first_of("/\n") != std::string::npos) {
      wrong_.Error(one->place, "a library is called by its name, without a folder",
                   "write \"libaccel.so.1\"");
      return false;
    }
    library.files.push_back(*name);
  }
  if (!library.files.empty()) return true;
  wrong_.Error(expr.place, "a library has a name", "write \"libaccel.so.1\"");
  return false;
}

int DeviceChecker::ReadLibrary(const Expr& expr, std::string_view name) {
  const Call call = CallOf(expr);
  if (!CheckCall(call, 1, 1, {"init", "shutdown", "ok", "timeout", "codes"})) return -1;
  Library library;
  library.name = name;
  library.place = expr.place;
  bool is_good = ReadSonames(*call.values[0], library);
  for (const auto& [keyword, to] :
       {std::pair("init", &library.init), std::pair("shutdown", &library.shutdown)}) {
    const Keyword* const given = call.Find(keyword);
    if (given == nullptr) continue;
    *to = TextOf(*given->value, fmt::format("`{}`", keyword)).value_or("");
    is_good = is_good && IsFunctionName(*to);
    if (given->value->kind == ExprKind::kText && !IsFunctionName(*to))
      wrong_.Error(given->value->place, "this is no name of a function", "write \"accel_init\"");
  }
  if (const Keyword* ok = call.Find("ok")) {
    const auto value = WholeOf(*ok->value, "`ok`", INT32_MIN, INT32_MAX);
    is_good = is_good && value.has_value();
    library.ok = value.value_or(0);
  }
  if (const Keyword* timeout = call.Find("timeout")) {
    const auto ns = DurationOf(*timeout->value);
    is_good = is_good && ns.has_value();
    library.timeout_ns = ns.value_or(library.timeout_ns);
    if (ns && *ns < kLeastTimeout_ns) {
      wrong_.Error(timeout->value->place, "a timeout is 1 ms at least", "write timeout=ms(200)");
      is_good = false;
    }
  }
  if (const Keyword* codes = call.Find("codes")) {
    const auto layout = ReadLayout(*codes->value);
    is_good = is_good && layout.has_value();
    if (layout && layout->enum_of < 0) {
      wrong_.Error(codes->value->place, "`codes` is an enum", "write codes=enum(i32, TIMEOUT=10)");
      is_good = false;
    }
    if (layout) library.codes = layout->enum_of;
  }
  if (!is_good) return -1;
  made_.libraries.push_back(std::move(library));
  return static_cast<int>(made_.libraries.size()) - 1;
}

bool DeviceChecker::ReadOut(const Expr& expr, Source& source) {
  const Call call = CallOf(expr);
  if (!CheckCall(call, 1, 1, {"version"})) return false;
  CallArgument argument;
  argument.kind = CallArgument::Kind::kOut;
  const auto layout = ReadLayout(*call.values[0]);
  if (!layout) return false;
  argument.layout = *layout;
  if (const Keyword* version = call.Find("version")) {
    const auto number = WholeOf(*version->value, "`version`", 1, 255);
    if (!number) return false;
    const bool has_field =
        layout->struct_of >= 0 &&
        made_.structs[static_cast<std::size_t>(layout->struct_of)].fields[0].layout.width ==
            Width::kU32;
    if (!has_field) {
      wrong_.Error(version->place, "a version stands in the first field of a struct, a u32",
                   "declare the struct with version=u32 first");
      return false;
    }
    argument.version = static_cast<int>(*number);
  }
  const bool has_out = std::ranges::any_of(source.arguments, [](const CallArgument& one) {
    return one.kind == CallArgument::Kind::kOut;
  });
  if (has_out) {
    wrong_.Error(expr.place, "a call has one out()", "call it twice, or declare a struct");
    return false;
  }
  source.layout = *layout;
  source.type = TypeOf(*layout);
  source.arguments.push_back(argument);
  return true;
}

bool DeviceChecker::ReadCallArgument(const Expr& expr, Source& source) {
  if (IsFunction(expr, "out")) return ReadOut(expr, source);
  const int node = Expression(expr);
  const TypeKind kind = TypeAt(node).kind;
  if (kind == TypeKind::kAny) return false;
  const bool is_good = kind == TypeKind::kI64 || kind == TypeKind::kU64 || kind == TypeKind::kPtr ||
                       kind == TypeKind::kEnum || kind == TypeKind::kStr;
  if (!is_good) {
    wrong_.Error(
        expr.place,
        fmt::format("an argument is a whole number, a pointer, an enum or a text, and this is {}",
                    Name(node)),
        "convert it, or hand on something else");
    return false;
  }
  if (facts_[static_cast<std::size_t>(node)].has_delta) {
    wrong_.Error(expr.place, "an argument of a call is no change over time", "hand on a value");
    return false;
  }
  source.arguments.push_back({.kind = CallArgument::Kind::kValue,
                              .node = node,
                              .is_pointer = kind == TypeKind::kPtr,
                              .sources = SourcesOf(made_, node)});
  return true;
}

bool DeviceChecker::ReadResult(const Call& call, Source& source, Place place) {
  const bool has_out = std::ranges::any_of(source.arguments, [](const CallArgument& one) {
    return one.kind == CallArgument::Kind::kOut;
  });
  const Keyword* const returns = call.Find("returns");
  if (returns == nullptr) {
    if (has_out) return true;
    wrong_.Error(place, "this call gives nothing", "add out(u64), or returns=u64");
    return false;
  }
  const auto layout = ReadLayout(*returns->value);
  if (!layout) return false;
  const bool is_whole = !layout->is_array && layout->struct_of < 0 &&
                        layout->width != Width::kF32 && layout->width != Width::kF64 &&
                        layout->width != Width::kChars;
  if (!is_whole || has_out) {
    wrong_.Error(
        returns->place,
        has_out ? "a call has out() or returns=" : "a call returns a whole number or a pointer",
        has_out ? "leave one out" : "take out(f64) where the library has such a function");
    return false;
  }
  source.layout = *layout;
  source.type = TypeOf(*layout);
  source.gives_result = true;
  return true;
}

int DeviceChecker::CallSource(const Expr& expr) {
  const Expr& called = *expr.a[0];
  const Expr& owner = *called.a[0];
  const auto found = owner.kind == ExprKind::kName ? symbols_.find(owner.name) : symbols_.end();
  if (found != symbols_.end()) found->second.is_used = true;
  if (found != symbols_.end() && found->second.kind == SymbolKind::kWrong) return Wrong(expr.place);
  if (found == symbols_.end() || found->second.kind != SymbolKind::kLibrary ||
      called.name != "call") {
    if (owner.kind == ExprKind::kName && found == symbols_.end() && !IsBuiltIn(owner.name))
      UnknownName(owner);
    else
      wrong_.Error(called.place, "only call() of a library is called so",
                   "write drv = library(\"libaccel.so.1\") and drv.call(\"function\", ...)");
    return Wrong(expr.place);
  }
  const Call call{.name = "call",
                  .place = called.place,
                  .values = std::span(expr.a).subspan(1),
                  .keywords = &expr.keywords};
  if (!CheckCall(call, 1, 1 + kMostArguments,
                 {"every", "cache", "optional", "na", "unit", "returns"}))
    return Wrong(expr.place);
  Source source;
  source.kind = SourceKind::kCall;
  source.library = found->second.index;
  const auto function = TextOf(*call.values[0], "the name of a function");
  if (!function) return Wrong(expr.place);
  source.function = *function;
  bool is_good = IsFunctionName(*function);
  if (!is_good)
    wrong_.Error(call.values[0]->place, "this is no name of a function", "write \"accel_count\"");
  for (const Expr* one : call.values.subspan(1))
    is_good = ReadCallArgument(*one, source) && is_good;
  is_good = is_good && ReadResult(call, source, expr.place);
  is_good = is_good && ReadSchedule(call, source);
  is_good = is_good && ReadSourceUnit(call, source);
  is_good = is_good && ReadNotAvailable(call, source);
  if (!is_good) return Wrong(expr.place);
  return AddSource(std::move(source), expr.place);
}

}  // namespace rankscope::probe
