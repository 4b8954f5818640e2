#include <fmt/core.h>

#include <cmath>
#include <span>

#include "serving/base/words.h"
#include "serving/inputs/benchmark_level.h"
#include "serving/inputs/json_lines.h"
#include "serving/inputs/readers.h"

namespace rankscope::serving {
namespace {

constexpr std::int64_t kFirstWallNs = 1'000'000'000'000'000'000;  // September 2001

// First to last token: the gaps together. Unknown where one is, and where a request of several
// tokens, or of nobody knows how many, has none.
Ns TakeGaps(const json::Value& gaps, Request& request) {
  const auto items = gaps.Items();
  if (items.empty() && request.output_tokens.value_or(2) > 1) return std::nullopt;
  Ns decode = 0;
  for (const json::Value& gap : items) {
    const Ns ns = SecondsOf(gap);
    if (ns) request.gaps.push_back(*ns);
    decode = ns && decode ? AsDuration(*decode + *ns) : std::nullopt;
  }
  return decode;
}

// How its requests came: "request_rate" a number or "inf", "burstiness" the shape of a gamma
// distribution, "max_concurrency". nullopt where all came at once.
std::optional<LoadLevel> LevelOf(const json::Value& run) {
  LoadLevel level;
  const auto rate = run["request_rate"].Number();
  if (rate && *rate > 0 && *rate <= 1e7) {
    level.target_per_s = *rate;
    const double shape = run["burstiness"].Number().value_or(1);
    if (shape > 0 && run["burstiness"].IsKnown())
      level.arrivals =
          shape == 1 ? "poisson" : fmt::format("gamma (CV {:.2g})", 1 / std::sqrt(shape));
    return level;
  }
  level.kind = LoadKind::kClosed;
  level.users = CountOf(run["max_concurrency"]);
  return level.users && *level.users > 0 ? std::optional(level) : std::nullopt;
}

// Those of one run: a file may hold several.
struct Run {
  std::optional<LoadLevel> level;
  std::size_t begin = 0, end = 0;  // of the requests
};

}  // namespace

Status ReadVllmBench(const InputFile& file, Collection& to) {
  std::vector<Request> requests;
  std::vector<Run> runs;
  bool is_summary = false;
  Status wrong;
  const auto take = [&](const json::Value& run) {
    const auto ttfts = run["ttfts"].Items();
    const auto itls = run["itls"].Items();
    const auto prompts = run["input_lens"].Items();
    const auto outputs = run["output_lens"].Items();
    const auto errors = run["errors"].Items();
    const auto starts = run["start_times"].Items();
    if (ttfts.empty()) {
      is_summary = run["request_throughput"].IsKnown();
      return is_summary;
    }
    for (const auto& [name, list] :
         {std::pair("itls", &itls), std::pair("output_lens", &outputs)}) {
      if (!list->empty() && list->size() != ttfts.size())
        wrong =
            Error(StatusCode::kBadData, "{}: ttfts has {} values and {} has {}: it is not whole",
                  file.path, ttfts.size(), name, list->size());
    }
    if (!wrong.ok()) return true;
    runs.push_back({LevelOf(run), requests.size(), requests.size() + ttfts.size()});
    for (std::size_t i = 0; i < ttfts.size(); ++i) {
      Request request;
      request.side = Side::kClient;
      request.model = run["model_id"].TextOr("");
      request.ttft = SecondsOf(ttfts[i]);
      if (i < prompts.size()) request.prompt_tokens = CountOf(prompts[i]);
      if (i < outputs.size()) request.output_tokens = CountOf(outputs[i]);
      if (i < errors.size()) request.problem = errors[i].TextOr("");
      if (i < starts.size()) request.arrival = SecondsOf(starts[i]);
      request.has_wall_clock = request.arrival && *request.arrival > kFirstWallNs;
      if (i < itls.size()) request.decode = TakeGaps(itls[i], request);
      if (request.ttft && request.decode) request.e2e = *request.ttft + *request.decode;
      // A failed request has a time to first token of 0.
      if (!request.problem.empty()) {
        request.outcome = Outcome::kFailed;
        request.ttft.reset();
        request.e2e.reset();
        request.decode.reset();
      }
      requests.push_back(std::move(request));
    }
    return true;
  };
  RS_RETURN_IF_ERROR(ForEachDocument(file, to, "a result of vllm bench", take));
  RS_RETURN_IF_ERROR(wrong);
  if (is_summary && requests.empty())
    return Error(StatusCode::kBadData,
                 "{}: a result of vllm bench without its requests; run it with --save-detailed",
                 file.path);
  const std::uint32_t source = to.AddSource(file, "vllm bench");
  to.Count(source, static_cast<std::int64_t>(requests.size()));
  for (Run& one : runs) {
    if (!one.level) continue;
    one.level->source = source;
    AddBenchmarkLevel(std::move(*one.level),
                      std::span(requests).subspan(one.begin, one.end - one.begin), to);
  }
  for (Request& request : requests) {
    request.source = source;
    to.data.requests.push_back(std::move(request));
  }
  return OkStatus();
}

}  // namespace rankscope::serving
