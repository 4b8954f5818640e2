#include "load/schedule/replay_file.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "json/reader.h"
#include "serving/base/words.h"

namespace rankscope::load {
namespace {

using serving::Lines;
using serving::ToNumber;

constexpr double kMostReplayedTokens = 10'000'000;

struct Columns {
  std::string_view format, at, prompt, output;
};
constexpr std::array kFormats = {
    Columns{"Azure", "TIMESTAMP", "ContextTokens", "GeneratedTokens"},
    Columns{"BurstGPT", "Timestamp", "Request tokens", "Response tokens"},
    Columns{"Vidur", "arrived_at", "num_prefill_tokens", "num_decode_tokens"},
};

std::vector<std::string_view> Cells(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t comma = line.find(',');
    cells.push_back(Trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

std::optional<std::size_t> Find(const std::vector<std::string_view>& names, std::string_view name) {
  const auto at = std::ranges::find(names, name);
  if (at == names.end()) return std::nullopt;
  return static_cast<std::size_t>(at - names.begin());
}

// Seconds as a number, or a date; in ns.
std::optional<std::int64_t> MomentOf(std::string_view text) {
  const auto seconds = ToNumber(text);
  return seconds ? serving::ToNs(*seconds, 1e9) : serving::ToMoment(text);
}

std::optional<std::int32_t> TokensOf(std::optional<double> number) {
  if (!number || !(*number >= 1) || *number > kMostReplayedTokens) return std::nullopt;
  return static_cast<std::int32_t>(*number);
}

Result<RecordedTrace> ParseCsv(std::string_view text, const std::string& path) {
  Lines lines(text);
  std::string_view line;
  lines.Next(line);
  const std::vector<std::string_view> names = Cells(line);
  for (const Columns& columns : kFormats) {
    const auto at = Find(names, columns.at), prompt = Find(names, columns.prompt),
               output = Find(names, columns.output);
    if (!at || !prompt || !output) continue;
    RecordedTrace trace{.format = std::string(columns.format)};
    const std::size_t last = std::max({*at, *prompt, *output});
    while (lines.Next(line)) {
      if (Trimmed(line).empty()) continue;
      const std::vector<std::string_view> cells = Cells(line);
      const auto moment = cells.size() > last ? MomentOf(cells[*at]) : std::nullopt;
      const auto prompt_tokens =
          cells.size() > last ? TokensOf(ToNumber(cells[*prompt])) : std::nullopt;
      const auto output_tokens =
          cells.size() > last ? TokensOf(ToNumber(cells[*output])) : std::nullopt;
      if (!moment || !prompt_tokens || !output_tokens) {
        ++trace.left_out;
        continue;
      }
      trace.requests.push_back(
          {.at = *moment, .prompt_tokens = *prompt_tokens, .output_tokens = *output_tokens});
    }
    return trace;
  }
  return Error(StatusCode::kBadData,
               "{}: no trace of requests: its columns are those of none of Azure "
               "(TIMESTAMP,ContextTokens,GeneratedTokens), BurstGPT (Timestamp, Request tokens, "
               "Response tokens), Vidur (arrived_at,num_prefill_tokens,num_decode_tokens), and it "
               "is no JSON lines as Mooncake's (timestamp, input_length, output_length)",
               path);
}

Result<RecordedTrace> ParseMooncake(std::string_view text, const std::string& path) {
  RecordedTrace trace{.format = "Mooncake"};
  Lines lines(text);
  std::string_view line;
  while (lines.Next(line)) {
    if (Trimmed(line).empty()) continue;
    const auto reader = json::Reader::Parse(line);
    const auto member = [&](std::string_view name) {
      return reader.ok() ? reader->root()[name].Number() : std::nullopt;
    };
    const auto ms = member("timestamp");
    const auto at = ms ? serving::ToNs(*ms, 1e6) : std::nullopt;
    const auto prompt = TokensOf(member("input_length")),
               output = TokensOf(member("output_length"));
    if (!at || !prompt || !output) {
      ++trace.left_out;
      continue;
    }
    RecordedRequest request{.at = *at, .prompt_tokens = *prompt, .output_tokens = *output};
    for (const json::Value& block : reader->root()["hash_ids"].Items())
      request.blocks.push_back(static_cast<std::uint64_t>(block.IntegerOr(0)));
    trace.requests.push_back(std::move(request));
  }
  if (trace.requests.empty())
    return Error(StatusCode::kBadData,
                 "{}: no line has timestamp, input_length and output_length, as Mooncake's traces "
                 "do",
                 path);
  return trace;
}

}  // namespace

Result<RecordedTrace> ParseTrace(std::string_view text, const std::string& path) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  RS_ASSIGN_OR_RETURN(RecordedTrace trace, Trimmed(text).starts_with('{')
                                               ? ParseMooncake(text, path)
                                               : ParseCsv(text, path));
  if (trace.requests.empty())
    return Error(StatusCode::kBadData, "{}: no line is a request with prompt and answer", path);
  std::ranges::stable_sort(trace.requests, {}, &RecordedRequest::at);
  const std::int64_t first = trace.requests.front().at;
  for (RecordedRequest& request : trace.requests) request.at -= first;
  return trace;
}

}  // namespace rankscope::load
