#include "probe/check/built_ins.h"

#include <algorithm>
#include <array>

namespace rankscope::probe {
namespace {

using enum BuiltInKind;
constexpr std::array kBuiltIns = {
    BuiltIn{"Device", kWord, "class Name(Device):", "what every class is"},
    BuiltIn{"absent", kWord, "absent", "no value"},
    BuiltIn{"forever", kWord, "cache=forever", "read once"},
    BuiltIn{"index", kWord, "index", "the number of the instance, of range()"},
    BuiltIn{"file", kFunction,
            "file(path, type, every=, cache=, optional=, unit=, na=, key=, column=)",
            "a number, enum or text from a file below /sys or /proc"},
    BuiltIn{"text", kFunction, "text(path, every=, cache=, optional=, na=, key=, column=)",
            "a text from a file below /sys or /proc, without the line's end"},
    BuiltIn{"glob", kFunction, "glob(path, where=condition)", "an instance for each folder"},
    BuiltIn{"range", kFunction, "range(count)", "so many instances, or numbers of a list"},
    BuiltIn{"library", kFunction, "library(name, init=, shutdown=, ok=, codes=, timeout=)",
            "a vendor's library, whose functions are called by name"},
    BuiltIn{"struct", kFunction, "struct(field=type, ..., size=)", "fields laid out as C does"},
    BuiltIn{"enum", kFunction, "enum(type, NAME=number, ...)", "numbers that have names"},
    BuiltIn{"array", kFunction, "array(type, count)", "so many of a type"},
    BuiltIn{"chars", kFunction, "chars(count)", "a text in so many bytes"},
    BuiltIn{"out", kFunction, "out(type, version=)", "what a library's function writes"},
    BuiltIn{"gauge", kFunction, "gauge(x, unit=, lo=, hi=, help=)", "a metric: a current level"},
    BuiltIn{"counter", kFunction, "counter(x, unit=, help=)",
            "a metric: a sum since a start of the device's"},
    BuiltIn{"delta", kFunction, "delta(x, wrap=)", "change since the previous reading"},
    BuiltIn{"rate", kFunction, "rate(x, wrap=)", "change per second"},
    BuiltIn{"min", kFunction, "min(a, b, ...)", "the least number, also of a list"},
    BuiltIn{"max", kFunction, "max(a, b, ...)", "the largest number, also of a list"},
    BuiltIn{"sum", kFunction, "sum(list)", "all numbers of a list added up"},
    BuiltIn{"abs", kFunction, "abs(x)", "without its sign"},
    BuiltIn{"or_else", kFunction, "or_else(x, y)", "y where x is absent"},
    BuiltIn{"monotonic_ns", kFunction, "monotonic_ns()", "the time of the round, in nanoseconds"},
    BuiltIn{"requires", kFunction, "@requires(\"1\")", "the version of the language"},
    BuiltIn{"str", kType, "str", "a text of a file"},
    BuiltIn{"bool", kType, "bool", "True or False"},
    BuiltIn{"ns", kDuration, "ns(number)", "nanoseconds"},
    BuiltIn{"us", kDuration, "us(number)", "microseconds"},
    BuiltIn{"ms", kDuration, "ms(number)", "milliseconds"},
    BuiltIn{"s", kDuration, "s(number)", "seconds"},
    BuiltIn{"minutes", kDuration, "minutes(number)", "minutes"},
    BuiltIn{"i8", kType, "i8", "a signed number of 8 bits"},
    BuiltIn{"i16", kType, "i16", "a signed number of 16 bits"},
    BuiltIn{"i32", kType, "i32", "a signed number of 32 bits"},
    BuiltIn{"i64", kType, "i64", "a signed number of 64 bits; i64(x) converts"},
    BuiltIn{"u8", kType, "u8", "a number of 8 bits"},
    BuiltIn{"u16", kType, "u16", "a number of 16 bits"},
    BuiltIn{"u32", kType, "u32", "a number of 32 bits"},
    BuiltIn{"u64", kType, "u64", "a number of 64 bits; u64(x) converts"},
    BuiltIn{"f32", kType, "f32", "a real of 32 bits"},
    BuiltIn{"f64", kType, "f64", "a real of 64 bits; f64(x) converts"},
    BuiltIn{"ptr", kType, "ptr", "a pointer of a library, to be passed on"},
};

}  // namespace

std::string_view ToString(BuiltInKind kind) {
  switch (kind) {
    case kFunction:
      return "function";
    case kType:
      return "type";
    case kDuration:
      return "duration";
    case kWord:
      return "word";
  }
  return "";
}

std::span<const BuiltIn> BuiltIns() { return kBuiltIns; }

const std::vector<std::string>& BuiltInNames() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const BuiltIn& one : kBuiltIns) names.emplace_back(one.name);
    return names;
  }();
  return kNames;
}

bool IsBuiltIn(std::string_view name) {
  return std::ranges::find(kBuiltIns, name, &BuiltIn::name) != kBuiltIns.end();
}

}  // namespace rankscope::probe
