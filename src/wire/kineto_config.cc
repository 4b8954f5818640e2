#include "wire/kineto_config.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"

namespace rankscope::wire {
namespace {

enum class Kind : std::uint8_t { kText, kInteger, kWide, kFlag };
struct Key {
  std::string_view name;
  Kind kind;
};
// Those whose values Kineto reads as numbers or flags; of the others any text goes.
constexpr std::array kKeys = {
    Key{"PROFILE_START_TIME", Kind::kWide},
    Key{"ACTIVITIES_DURATION_MSECS", Kind::kInteger},
    Key{"ACTIVITIES_DURATION_SECS", Kind::kInteger},
    Key{"ACTIVITIES_WARMUP_PERIOD_SECS", Kind::kInteger},
    Key{"ACTIVITIES_ITERATIONS", Kind::kInteger},
    Key{"ACTIVITIES_WARMUP_ITERATIONS", Kind::kInteger},
    Key{"PROFILE_START_ITERATION", Kind::kInteger},
    Key{"PROFILE_START_ITERATION_ROUNDUP", Kind::kInteger},
    Key{"PROFILE_REPORT_INPUT_SHAPES", Kind::kFlag},
    Key{"PROFILE_PROFILE_MEMORY", Kind::kFlag},
    Key{"PROFILE_WITH_STACK", Kind::kFlag},
    Key{"PROFILE_WITH_FLOPS", Kind::kFlag},
    Key{"PROFILE_WITH_MODULES", Kind::kFlag},
    Key{"PROFILE_MEMORY", Kind::kFlag},
    Key{"PROFILE_MEMORY_DURATION_MSECS", Kind::kInteger},
    Key{"ACTIVITIES_MAX_GPU_BUFFER_SIZE_MB", Kind::kInteger},
};

Status CheckValue(std::string_view key, std::string_view value) {
  const auto found =
      std::find_if(kKeys.begin(), kKeys.end(), [&](const Key& one) { return one.name == key; });
  if (found == kKeys.end() || found->kind == Kind::kText) return OkStatus();
  if (found->kind == Kind::kFlag) {
    constexpr std::array<std::string_view, 10> kFlags = {"n", "y", "no",   "yes", "f",
                                                         "t", "0", "true", "1",   "false"};
    std::string lower(value);
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (std::find(kFlags.begin(), kFlags.end(), lower) != kFlags.end()) return OkStatus();
    return Error(StatusCode::kInvalidArgument, "{} takes true or false, not '{}'", key, value);
  }
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool is_whole = error == std::errc() && end == value.data() + value.size();
  // -1 turns it off.
  const std::int64_t least = key == "PROFILE_START_ITERATION" ? -1 : 0;
  const std::int64_t most = found->kind == Kind::kWide ? INT64_MAX : INT32_MAX;
  if (is_whole && number >= least && number <= most) return OkStatus();
  return Error(StatusCode::kInvalidArgument, "{} takes a whole number from {} to {}, not '{}'", key,
               least, most, value);
}

template <typename Visit>
void ForEachLine(std::string_view text, const Visit& visit) {
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    visit(number, text.substr(0, end));
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
  }
}

std::string_view WithoutComment(std::string_view line) {
  return Trimmed(line.substr(0, line.find('#')));
}

}  // namespace

Result<std::string> ToConfigText(const CaptureConfig& config) {
  if (config.log_file.empty() || config.log_file.front() != '/')
    return Error(StatusCode::kInvalidArgument, "the trace's path is to be absolute, not '{}'",
                 config.log_file);
  for (const std::string& value : {config.log_file, config.trace_id}) {
    if (value.find_first_of("=#\n\r") == std::string::npos && value.find('\0') == std::string::npos)
      continue;
    return Error(StatusCode::kInvalidArgument,
                 "'{}' has '=', '#' or a line's end, which Kineto cannot read in a value", value);
  }
  std::string text;
  const auto line = [&](std::string_view key, auto value) {
    text += fmt::format("{}={}\n", key, value);
  };
  line("ACTIVITIES_LOG_FILE", config.log_file);
  if (config.iterations > 0) {
    // Who is beyond the iteration by then begins at the next multiple of the round-up.
    const std::int64_t least_roundup = config.start_iteration >= 0 ? 0 : 1;
    const std::int64_t roundup = std::max(least_roundup, config.iteration_roundup);
    line("PROFILE_START_ITERATION", std::max<std::int64_t>(0, config.start_iteration));
    if (roundup > 0) line("PROFILE_START_ITERATION_ROUNDUP", roundup);
    line("ACTIVITIES_ITERATIONS", config.iterations);
    if (config.warmup_iterations > 0)
      line("ACTIVITIES_WARMUP_ITERATIONS", config.warmup_iterations);
    // A process that has not counted an iteration yet records a time in their place.
    line("ACTIVITIES_DURATION_MSECS", config.duration_ms);
  } else {
    line("PROFILE_START_TIME", config.start_unix_ms);
    line("ACTIVITIES_DURATION_MSECS", config.duration_ms);
  }
  line("ACTIVITIES_WARMUP_PERIOD_SECS", config.warmup_s);
  line("PROFILE_REPORT_INPUT_SHAPES", config.shapes);
  if (config.memory) line("PROFILE_PROFILE_MEMORY", true);
  if (config.memory_snapshot) {
    line("PROFILE_MEMORY", true);
    line("PROFILE_MEMORY_DURATION_MSECS", config.duration_ms);
  }
  line("PROFILE_WITH_STACK", config.stacks);
  line("PROFILE_WITH_FLOPS", config.flops);
  line("PROFILE_WITH_MODULES", config.modules);
  if (!config.trace_id.empty()) line("REQUEST_TRACE_ID", config.trace_id);
  RS_RETURN_IF_ERROR(CheckConfigText(text));
  return text;
}

Status CheckConfigText(std::string_view text) {
  if (text.find('\0') != std::string_view::npos)
    return Error(StatusCode::kInvalidArgument, "the configuration has a NUL byte");
  Status wrong = OkStatus();
  ForEachLine(text, [&](int number, std::string_view whole) {
    const std::string_view line = WithoutComment(whole);
    if (line.empty() || !wrong.ok()) return;
    const std::size_t equals = line.find('=');
    const bool is_pair =
        equals != std::string_view::npos && line.find('=', equals + 1) == std::string_view::npos &&
        !Trimmed(line.substr(0, equals)).empty() && !Trimmed(line.substr(equals + 1)).empty();
    if (!is_pair) {
      wrong =
          Error(StatusCode::kInvalidArgument,
                "line {} of the configuration is not KEY=VALUE with one '=': '{}'", number, line);
      return;
    }
    const Status value =
        CheckValue(Trimmed(line.substr(0, equals)), Trimmed(line.substr(equals + 1)));
    if (!value.ok())
      wrong = Error(StatusCode::kInvalidArgument, "line {} of the configuration: {}", number,
                    value.message());
  });
  return wrong;
}

std::optional<std::string> ValueIn(std::string_view text, std::string_view key) {
  std::optional<std::string> found;
  ForEachLine(text, [&](int, std::string_view whole) {
    const std::string_view line = WithoutComment(whole);
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || Trimmed(line.substr(0, equals)) != key) return;
    found = std::string(Trimmed(line.substr(equals + 1)));
  });
  return found;
}

std::string WithValue(std::string_view text, std::string_view key, std::string_view value) {
  std::string changed;
  ForEachLine(text, [&](int, std::string_view line) {
    const std::string_view said = WithoutComment(line);
    if (Trimmed(said.substr(0, said.find('='))) == key) return;
    changed += std::string(line) + "\n";
  });
  return changed + fmt::format("{}={}\n", key, value);
}

std::string TracePath(std::string_view log_file, std::int64_t pid) {
  for (const std::string_view end :
       {std::string_view(".pt.trace.json"), std::string_view(".json")}) {
    const std::size_t at = log_file.find(end);
    if (at != std::string_view::npos)
      return fmt::format("{}_{}{}", log_file.substr(0, at), pid, log_file.substr(at));
  }
  return std::string(log_file);
}

std::string SnapshotPath(std::string_view log_file, std::int64_t pid) {
  if (log_file.find(".json") != std::string_view::npos) return TracePath(log_file, pid);
  constexpr std::string_view kEnd = ".pickle";
  if (log_file.ends_with(kEnd)) log_file.remove_suffix(kEnd.size());
  return fmt::format("{}_{}{}", log_file, pid, kEnd);
}

std::string FallbackSnapshotPath(std::int64_t pid) {
  return fmt::format("/tmp/memory_snapshot_{}.pickle", pid);
}

std::string FallbackTracePath(std::int64_t pid) {
  return fmt::format("/tmp/libkineto_activities_{}.json", pid);
}

bool IsAllowedPath(std::string_view log_file, std::string_view allowed_folder) {
  if (log_file.find("..") != std::string_view::npos) return false;
  if (log_file.starts_with("/tmp/")) return true;
  if (allowed_folder.empty()) return false;
  std::string folder(allowed_folder);
  if (folder.back() != '/') folder += '/';
  return log_file.starts_with(folder);
}

}  // namespace rankscope::wire
