#include "serving/base/words.h"
#include "serving/inputs/json_lines.h"
#include "serving/inputs/readers.h"

namespace rankscope::serving {
namespace {

constexpr std::int64_t kMostLevels = 1'000'000;
constexpr std::int64_t kMostTokens = 100'000'000;  // of a request
constexpr double kMostPerS = 1e7;

Ns Duration(const json::Value& value) { return AsDuration(value.Integer()); }

Count TokensOf(const json::Value& value) {
  const Count count = CountOf(value);
  return count && *count <= kMostTokens ? count : std::nullopt;
}

std::optional<double> Positive(const json::Value& value) {
  const auto number = value.Number();
  return number && *number >= 0 && *number <= kMostPerS ? number : std::nullopt;
}

// Of what is to be kept: 0 would be kept by nothing.
Ns Limit(const json::Value& value) {
  const Ns limit = Duration(value);
  return limit && *limit > 0 ? limit : std::nullopt;
}

bool TakeRequest(const json::Value& line, std::vector<Request>& to) {
  const Ns begin = AsMoment(line["begin_ns"].Integer());
  const std::int64_t level = line["level"].IntegerOr(-1);
  if (!begin || level < 0 || level > kMostLevels) return false;
  Request request;
  request.side = Side::kClient;
  request.level = static_cast<std::int32_t>(level);
  request.id = line["id"].TextOr("");
  request.arrival = begin;
  request.e2e = Duration(line["end_ns"]);
  request.ttft = Duration(line["first_token_ns"]);
  request.lag = Duration(line["lag_ns"]);
  request.sent = Duration(line["sent_ns"]);
  for (const json::Value& gap : line["gaps_ns"].Items()) {
    if (const Ns ns = Duration(gap)) request.gaps.push_back(*ns);
  }
  // A first token behind the end contradicts itself.
  if (request.ttft && request.e2e && *request.ttft > *request.e2e) request.ttft.reset();
  request.prompt_tokens = TokensOf(line["prompt_tokens"]);
  request.output_tokens = TokensOf(line["output_tokens"]);
  request.cached_tokens = CountOf(line["cached_tokens"]);
  const std::string outcome = line["outcome"].TextOr("");
  request.outcome = outcome == ToString(Outcome::kFailed)      ? Outcome::kFailed
                    : outcome == ToString(Outcome::kCancelled) ? Outcome::kCancelled
                                                               : Outcome::kDone;
  request.problem = line["problem"].TextOr("");
  to.push_back(std::move(request));
  return true;
}

bool TakeLevel(const json::Value& line, std::vector<LoadLevel>& to) {
  const std::int64_t number = line["load_level"].IntegerOr(-1);
  if (number < 0 || number > kMostLevels) return false;
  LoadLevel level{.number = static_cast<std::int32_t>(number)};
  const std::string kind = line["kind"].TextOr("");
  level.kind = kind == ToString(LoadKind::kClosed)   ? LoadKind::kClosed
               : kind == ToString(LoadKind::kReplay) ? LoadKind::kReplay
                                                     : LoadKind::kOpen;
  level.arrivals = line["arrivals"].TextOr("");
  level.target_per_s = Positive(line["target_per_s"]);
  level.end_per_s = Positive(line["end_per_s"]);
  level.users = CountOf(line["users"]);
  level.begin = AsMoment(line["begin_ns"].Integer());
  level.sending = Duration(line["sending_ns"]);
  level.client_busy_pct = Positive(line["client_busy_pct"]);
  level.was_stopped = line["stopped"].Flag().value_or(false);
  const json::Value slo = line["slo"];
  level.objective = {
      .ttft = Limit(slo["ttft_ns"]), .tpot = Limit(slo["tpot_ns"]), .e2e = Limit(slo["e2e_ns"])};
  to.push_back(std::move(level));
  return true;
}

// Stands behind its level.
bool TakeCapture(const json::Value& line, std::vector<LoadLevel>& levels) {
  const std::int64_t number = line["load_capture"].IntegerOr(-1);
  const auto level = std::ranges::find_if(
      levels, [&](const LoadLevel& one) { return one.number == number && !one.capture; });
  if (level == levels.end()) return false;
  level->capture = {.run = line["run"].TextOr(""),
                    .page = line["page"].TextOr(""),
                    .begin = AsMoment(line["begin_ns"].Integer()),
                    .files = CountOf(line["files"]),
                    .problem = line["problem"].TextOr("")};
  return true;
}

}  // namespace

Status ReadLoadRecord(const InputFile& file, Collection& to) {
  std::vector<Request> requests;
  std::vector<LoadLevel> levels;
  const auto take = [&](const json::Value& line) {
    if (line["load_level"].IsKnown()) return TakeLevel(line, levels);
    if (line["load_capture"].IsKnown()) return TakeCapture(line, levels);
    return TakeRequest(line, requests);
  };
  RS_RETURN_IF_ERROR(ForEachDocument(file, to, "records of rankscope load", take));
  const std::uint32_t source = to.AddSource(file, "rankscope load");
  to.Count(source, static_cast<std::int64_t>(requests.size()));
  for (Request& request : requests) {
    request.source = source;
    to.data.requests.push_back(std::move(request));
  }
  for (LoadLevel& level : levels) {
    level.source = source;
    to.data.levels.push_back(std::move(level));
  }
  return OkStatus();
}

}  // namespace rankscope::serving
