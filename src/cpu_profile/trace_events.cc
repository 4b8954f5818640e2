#include "cpu_profile/trace_events.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <iterator>

#include "cpu_profile/frame_runs.h"
#include "json/writer.h"

namespace rankscope::cpu_profile {
namespace {

// The number behind `"key":` in JSON, as text; empty: there is none.
std::string_view NumberBehind(std::string_view text, std::string_view key) {
  const std::string quoted = fmt::format("\"{}\"", key);
  const std::size_t at = text.find(quoted);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + quoted.size());
  const std::size_t begin = text.find_first_of("-0123456789");
  if (begin == std::string_view::npos ||
      text.substr(0, begin).find_first_not_of(" \t\r\n:\"") != std::string_view::npos)
    return {};
  text.remove_prefix(begin);
  return text.substr(0, text.find_first_not_of("-0123456789."));
}

std::optional<std::int64_t> IntegerBehind(std::string_view text, std::string_view key) {
  const std::string_view number = NumberBehind(text, key);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (number.empty() || error != std::errc()) return std::nullopt;
  return value;
}

// Microseconds with decimals. Only for windows: a digit that is lost does not matter.
std::optional<std::int64_t> NanosecondsBehind(std::string_view text, std::string_view key) {
  const std::string_view number = NumberBehind(text, key);
  double micros = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), micros);
  constexpr double kMost = 4e15;
  if (number.empty() || error != std::errc() || std::abs(micros) > kMost) return std::nullopt;
  return static_cast<std::int64_t>(micros * 1000);
}

// The event that a name is in: events of the profiler's own have no nested braces before their
// times.
std::string_view EventWith(std::string_view text, std::string_view name) {
  const std::size_t at = text.rfind(name);
  if (at == std::string_view::npos) return {};
  const std::size_t begin = text.rfind("\"ph\"", at);
  if (begin == std::string_view::npos) return {};
  const std::string_view event = text.substr(begin);
  return event.substr(0, event.find("\"ph\"", 4));
}

std::string Micros(std::int64_t ns) {
  const std::uint64_t size =
      ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", size / 1000, size % 1000);
}

}  // namespace

TraceClock ClockOfTrace(std::string_view head, std::string_view tail) {
  constexpr std::string_view kBase = "baseTimeNanoseconds";
  TraceClock clock;
  std::optional<std::int64_t> base =
      IntegerBehind(head.substr(0, head.find("\"traceEvents\"")), kBase);
  if (!base) base = IntegerBehind(tail, kBase);
  constexpr std::int64_t kMostBase = INT64_MAX / 2;
  if (base && *base > 0 && *base < kMostBase) clock.base_ns = *base;
  // {"ph": "X", "cat": "Trace", "ts": 5, "dur": 9, "pid": "Spans", ..., "name": "PyTorch Profiler
  // (0)"}, {"name": "Record Window End", "ph": "i", "s": "g", ..., "ts": 14}
  const std::string_view span = EventWith(tail, "\"PyTorch Profiler (");
  const auto begin = NanosecondsBehind(span, "ts");
  const auto extent = NanosecondsBehind(span, "dur");
  if (begin && extent && *extent > 0) {
    clock.begin_ns = clock.base_ns + *begin;
    clock.end_ns = clock.begin_ns + *extent;
  }
  return clock;
}

std::string TraceEvents(const Profile& profile, std::int64_t pid, const TraceClock& clock) {
  std::string json;
  std::uint32_t thread = UINT32_MAX;
  std::string lane;
  for (const FrameRun& run : RunsOf(profile, clock.begin_ns, clock.end_ns)) {
    if (run.thread != thread) {
      thread = run.thread;
      const Thread& one = profile.threads[thread];
      lane = one.name.empty() ? fmt::format("cpu {} ({})", one.id, profile.kind)
                              : fmt::format("cpu {} {} ({})", one.id, one.name, profile.kind);
    }
    const Function& function = profile.stacks.function(run.function);
    json::Writer event(json);
    event.BeginObject().Member("ph", "X").Member("cat", "cpu_sample");
    event.Member("name", LabelOf(function)).Member("pid", pid).Member("tid", lane);
    event.Key("ts").Raw(Micros(run.begin_ns - clock.base_ns));
    event.Key("dur").Raw(Micros(run.end_ns - run.begin_ns));
    event.Key("args").BeginObject().Member("samples", run.samples).Member("sampler", profile.kind);
    event.Member("function", function.name).Member("file", function.file);
    if (run.line > 0) event.Member("line", run.line);
    if (run.with_lock > 0) event.Member("samples with the GIL", run.with_lock);
    event.Member("depth", run.depth).EndObject().EndObject();
    json += ",\n";
  }
  return json;
}

}  // namespace rankscope::cpu_profile
