#include "serving/inputs/log_lines.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "json/reader.h"
#include "serving/base/words.h"

namespace rankscope::serving {
namespace {

constexpr std::int64_t kNsPerS = 1'000'000'000;
constexpr std::int64_t kNsPerMs = 1'000'000;

std::optional<std::int64_t> IntegerBetween(std::string_view text, std::string_view before,
                                           std::string_view after) {
  const auto part = Between(text, before, after);
  return part ? ToInteger(Trimmed(*part)) : std::nullopt;
}

std::optional<double> NumberBetween(std::string_view text, std::string_view before,
                                    std::string_view after) {
  const auto part = Between(text, before, after);
  return part ? ToNumber(Trimmed(*part)) : std::nullopt;
}

// "#running-req: 16, ..": 16 of "#running-req: ".
std::optional<double> NumberAfter(std::string_view text, std::string_view before) {
  const std::size_t at = text.find(before);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(at + before.size());
  const auto number = ToNumber(rest.substr(0, rest.find_first_not_of("0123456789.")));
  return number && *number >= 0 && *number <= 1e12 ? number : std::nullopt;
}

std::string_view FirstWord(std::string_view text) {
  text = Trimmed(text);
  return text.substr(0, text.find_first_of(" \t,;\"}"));
}

// The request of `"POST /v1/completions HTTP/1.1"`.
struct Call {
  std::string_view method, path;
  std::size_t end = 0;  // behind the closing quote
};

std::optional<Call> CallIn(std::string_view line) {
  for (const std::string_view method :
       {"POST", "GET", "PUT", "DELETE", "HEAD", "PATCH", "OPTIONS"}) {
    std::size_t at = line.find(fmt::format("\"{} ", method));
    if (at == std::string_view::npos) continue;
    at += method.size() + 2;
    const std::size_t end = line.find('"', at);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view rest = line.substr(at, end - at);
    const std::size_t path_end = rest.find(' ');
    if (path_end == std::string_view::npos || !Contains(rest.substr(path_end), "HTTP/"))
      return std::nullopt;
    return Call{method, rest.substr(0, path_end), end + 1};
  }
  return std::nullopt;
}

// "0.123", or a list of several upstreams, "0.1, 0.2": their sum. "-" is unknown.
Ns SecondsIn(std::string_view text) {
  Ns sum;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(",:"), text.size());
    const Ns one = AsDuration(DecimalToNs(Trimmed(text.substr(0, end)), kNsPerS));
    if (one) sum = AsDuration(sum.value_or(0) + *one);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return sum;
}

Ns NamedSeconds(std::string_view line, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    for (std::size_t at = line.find(name); at != std::string_view::npos;
         at = line.find(name, at + 1)) {
      if (at > 0 && (line[at - 1] == '_' || (line[at - 1] >= 'a' && line[at - 1] <= 'z'))) continue;
      std::string_view rest = line.substr(at + name.size());
      if (!rest.starts_with('=')) continue;
      rest.remove_prefix(1);
      if (rest.starts_with('"')) return SecondsIn(rest.substr(1, rest.find('"', 1) - 1));
      return SecondsIn(FirstWord(rest));
    }
  }
  return std::nullopt;
}

void SetStatus(Request& request, std::int64_t status) {
  if (status >= 400) {
    request.outcome = status == 499 ? Outcome::kCancelled : Outcome::kFailed;
    request.problem = fmt::format("HTTP {}", status);
  }
}

std::optional<Request> OfJsonLine(std::string_view line) {
  const auto reader = json::Reader::Parse(line);
  if (!reader.ok()) return std::nullopt;
  const json::Value root = reader->root();
  const auto seconds = [&](std::string_view name) -> Ns {
    if (const auto number = root[name].Number()) return ToNs(*number, 1e9);
    return SecondsIn(root[name].TextOr(""));
  };
  Request request{.side = Side::kProxy};
  request.e2e = seconds("request_time");
  request.upstream = seconds("upstream_response_time");
  if (!request.e2e) {
    // Envoy's, in milliseconds.
    if (const auto ms = root["duration"].Number()) request.e2e = ToNs(*ms, 1e6);
  }
  if (!request.e2e) return std::nullopt;
  for (const char* name : {"start_time", "time", "time_iso8601", "timestamp", "msec"}) {
    const std::string text = root[name].TextOr(root[name].ToString());
    if ((request.arrival = ToMoment(text))) {
      if (std::string_view(name) != "start_time") request.arrival = *request.arrival - *request.e2e;
      break;
    }
  }
  request.id = root["request_id"].TextOr(root["x_request_id"].TextOr(""));
  for (const char* name : {"status", "response_code"}) {
    const std::string text = root[name].TextOr(root[name].ToString());
    if (const auto status = ToInteger(text)) SetStatus(request, *status);
  }
  return request;
}

// Words behind the call, those in quotes as one.
std::vector<std::string_view> WordsOf(std::string_view text) {
  std::vector<std::string_view> words;
  while (!(text = Trimmed(text)).empty()) {
    const bool is_quoted = text[0] == '"';
    const std::size_t end = is_quoted ? text.find('"', 1) : text.find_first_of(" \t");
    if (end == std::string_view::npos) {
      words.push_back(text);
      break;
    }
    words.push_back(text.substr(is_quoted ? 1 : 0, is_quoted ? end - 1 : end));
    text.remove_prefix(end + (is_quoted ? 1 : 0));
  }
  return words;
}

bool IsDecimal(std::string_view text) {
  return Contains(text, ".") && DecimalToNs(text, kNsPerS).has_value();
}

// [start] "POST /x HTTP/2" 200 - 154 0 226 100 "for" "agent" "request id" "authority" "upstream".
void TakeEnvoy(Request& request, std::string_view line,
               const std::vector<std::string_view>& words) {
  if (words.size() < 6) return;
  if (const auto ms = ToInteger(words[4]); ms && *ms >= 0 && *ms < 1'000'000'000)
    request.e2e = *ms * kNsPerMs;
  // Its upstream service time ends at the response's headers: what remains of the duration is not
  // the network's, but also the response's that is streamed behind them.
  if (words.size() > 8 && words[8] != "-") request.id = std::string(words[8]);
  if (const auto start = Between(line, "[", "]")) request.arrival = ToMoment(*start);
}

}  // namespace

std::optional<Iteration> ParseIteration(std::string_view line) {
  const auto text = Between(line, "Iteration(", "");
  if (!text) return std::nullopt;
  Iteration iteration;
  const auto number = ToInteger(text->substr(0, text->find(')')));
  const auto context = IntegerBetween(*text, "): ", " context requests");
  const auto context_tokens = IntegerBetween(*text, "context requests, ", " context tokens");
  const auto generation = IntegerBetween(*text, "context tokens, ", " generation requests");
  const auto tokens = IntegerBetween(*text, "generation requests, ", " generation tokens");
  const auto elapsed = Between(*text, "elapsed time: ", " ms");
  const Ns ns = elapsed ? AsDuration(DecimalToNs(Trimmed(*elapsed), kNsPerMs)) : std::nullopt;
  if (!number || !context || !context_tokens || !generation || !tokens || !ns) return std::nullopt;
  for (const std::int64_t count : {*context, *context_tokens, *generation, *tokens})
    if (count < 0 || count > 1'000'000'000) return std::nullopt;
  iteration.number = *number;
  iteration.context_requests = *context;
  iteration.context_tokens = *context_tokens;
  iteration.generation_requests = *generation;
  iteration.generation_tokens = *tokens;
  iteration.elapsed_ns = *ns;
  iteration.is_dummy = Contains(*text, "(dummy)");
  return iteration;
}

std::optional<Load> ParseLoad(std::string_view line) {
  if (!Contains(line, "Avg prompt throughput:") || !Contains(line, "Running:")) return std::nullopt;
  Load load;
  load.generation_tokens_per_s = NumberBetween(line, "Avg generation throughput: ", " tokens/s");
  load.running = NumberBetween(line, "Running: ", " reqs");
  load.waiting = NumberBetween(line, "Waiting: ", " reqs");
  if (!load.waiting) load.waiting = NumberBetween(line, "Pending: ", " reqs");
  if (const auto percent = NumberBetween(line, "KV cache usage: ", "%"))
    if (*percent >= 0 && *percent <= 101) load.kv_usage = *percent / 100;
  if (const auto percent = NumberBetween(line, "refix cache hit rate: ", "%"))
    load.prefix_hit_rate = *percent / 100;
  if (const auto engine = Between(line, "Engine ", ":"); engine && engine->size() <= 8)
    load.replica = fmt::format("engine {}", *engine);
  if (!load.running && !load.waiting) return std::nullopt;
  return load;
}

std::optional<Load> ParseSglangLoad(std::string_view line) {
  std::size_t at = line.find("Decode batch");
  const bool is_prefill = at == std::string_view::npos;
  if (is_prefill) at = line.find("Prefill batch");
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view text = line.substr(at);
  Load load;
  load.running = NumberAfter(text, "#running-req: ");
  load.waiting = NumberAfter(text, "#queue-req: ");
  if (!load.running || !load.waiting) return std::nullopt;
  if (const auto usage = NumberAfter(text, "token usage: "); usage && *usage >= 0 && *usage <= 1.01)
    load.kv_usage = *usage;
  load.generation_tokens_per_s = NumberAfter(text, "gen throughput (token/s): ");
  if (is_prefill) {
    load.running = *load.running + NumberAfter(text, "#new-seq: ").value_or(0);
    const auto made = NumberAfter(text, "#new-token: "),
               cached = NumberAfter(text, "#cached-token: ");
    if (made && cached && *made + *cached > 0) load.prefix_hit_rate = *cached / (*made + *cached);
  }
  const std::string_view before = line.substr(0, at);
  if (const std::size_t rank = before.find(" DP"); rank != std::string_view::npos) {
    const std::string_view digits = before.substr(rank + 3);
    const std::size_t end = std::min(digits.find_first_not_of("0123456789"), digits.size());
    if (end > 0 && end <= 8) load.replica = fmt::format("engine {}", digits.substr(0, end));
  }
  return load;
}

bool IsSglangPrefill(std::string_view line) { return Contains(line, "Prefill batch"); }

std::optional<Iteration> ParseTrtLlmIteration(std::string_view line) {
  const auto text = Between(line, "iter = ", "");
  if (!text || !Contains(*text, "'num_ctx_requests':")) return std::nullopt;
  if (NumberAfter(*text, "global_rank = ").value_or(0) != 0) return std::nullopt;
  const auto count = [&](std::string_view name) -> std::optional<std::int64_t> {
    const auto number = NumberAfter(*text, name);
    if (!number || !(*number >= 0 && *number <= 1e9)) return std::nullopt;
    return static_cast<std::int64_t>(*number);
  };
  const auto number = count("");
  const auto scheduled = count("num_scheduled_requests: ");
  const auto context = count("'num_ctx_requests': ");
  const auto context_tokens = count("'num_ctx_tokens': ");
  const auto tokens = count("'num_generation_tokens': ");
  const auto elapsed = Between(*text, "host_step_time = ", "ms");
  const Ns ns = elapsed ? AsDuration(DecimalToNs(Trimmed(*elapsed), kNsPerMs)) : std::nullopt;
  if (!number || !scheduled || !context || !context_tokens || !tokens || !ns ||
      *scheduled < *context)
    return std::nullopt;
  Iteration iteration{.number = *number,
                      .context_requests = *context,
                      .context_tokens = *context_tokens,
                      .generation_requests = *scheduled - *context,
                      .generation_tokens = *tokens,
                      .elapsed_ns = *ns};
  if (const auto moment = Between(*text, "timestamp = ", ",")) iteration.time = ToMoment(*moment);
  return iteration;
}

std::optional<Request> ParseAccess(std::string_view line) {
  if (Trimmed(line).starts_with('{')) return OfJsonLine(line);
  const auto call = CallIn(line);
  if (!call) return std::nullopt;
  const auto words = WordsOf(line.substr(call->end));
  const auto status = words.empty() ? std::nullopt : ToInteger(words[0]);
  if (!status || *status < 100 || *status > 599) return std::nullopt;
  Request request{.side = Side::kProxy};
  SetStatus(request, *status);
  if (Trimmed(line).starts_with('[')) {
    TakeEnvoy(request, line, words);
    return request;
  }
  request.e2e = NamedSeconds(line, {"request_time", "rt"});
  request.upstream = NamedSeconds(line, {"upstream_response_time", "urt"});
  if (!request.e2e && words.size() >= 2) {
    const std::string_view last = words.back();
    const std::string_view before = words[words.size() - 2];
    if (IsDecimal(before) && (IsDecimal(last) || last == "-")) {
      request.e2e = AsDuration(DecimalToNs(before, kNsPerS));
      request.upstream = AsDuration(DecimalToNs(last, kNsPerS));
    } else if (IsDecimal(last)) {
      request.e2e = AsDuration(DecimalToNs(last, kNsPerS));
    }
  }
  if (const auto id = Between(line, "request_id=", ""))
    request.id = std::string(FirstWord(id->starts_with('"') ? id->substr(1) : *id));
  if (const auto moment = Between(line, "[", "]")) {
    // The line is written when the request has ended.
    if (const Ns end = ToAccessLogMoment(*moment); end && request.e2e)
      request.arrival = *end - *request.e2e;
  }
  return request;
}

Ns TimeOfLine(std::string_view line, Ns about) {
  for (std::size_t at = 0; at < std::min<std::size_t>(line.size(), 64); ++at) {
    const bool begins =
        at == 0 || line[at - 1] == ' ' || line[at - 1] == '[' || line[at - 1] == '(';
    if (!begins || line[at] < '0' || line[at] > '9') continue;
    const std::string_view rest = line.substr(at);
    if (rest.size() >= 19 && rest[4] == '-' && rest[13] == ':') {
      // The zone may follow, or the message.
      for (std::size_t length : {35u, 30u, 29u, 27u, 26u, 24u, 23u, 20u, 19u}) {
        if (const Ns moment = rest.size() >= length ? ToMoment(rest.substr(0, length)) : Ns())
          return moment;
      }
    }
    // "11-27 02:43:00".
    if (rest.size() >= 14 && rest[2] == '-' && rest[5] == ' ' && rest[8] == ':' &&
        rest[11] == ':') {
      std::array<std::optional<std::int64_t>, 5> parts;
      for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = ToInteger(rest.substr(i * 3, 2));
      if (!about || !std::ranges::all_of(parts, [](const auto& part) { return part.has_value(); }))
        return std::nullopt;
      constexpr std::int64_t kDay = 86400 * kNsPerS;
      std::int64_t year = 1970 + *about / (365 * kDay + kDay / 4);
      // The year's first hours count as the last of the one before by this length.
      for (const std::int64_t one : {year + 1, year, year - 1}) {
        const Ns moment = MomentOf(one, *parts[0], *parts[1], *parts[2], *parts[3], *parts[4]);
        if (moment && *moment <= *about + kDay) {
          const auto comma = rest.size() > 18 && (rest[14] == '.' || rest[14] == ',')
                                 ? ToInteger(rest.substr(15, 3))
                                 : std::nullopt;
          return *moment + comma.value_or(0) * kNsPerMs;
        }
      }
      return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace rankscope::serving
