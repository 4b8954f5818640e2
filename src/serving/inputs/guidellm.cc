#include <span>

#include "serving/base/words.h"
#include "serving/inputs/benchmark_level.h"
#include "serving/inputs/json_lines.h"
#include "serving/inputs/readers.h"

namespace rankscope::serving {
namespace {

// The first of the names that is known.
json::Value Any(const json::Value& of, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (of[name].IsKnown()) return of[name];
  }
  return of[*names.begin()];
}

Ns MillisOf(const json::Value& value) {
  const auto number = value.Number();
  return number ? ToNs(*number, 1e6) : std::nullopt;
}

// How its requests came: {"type_": "constant", "rate": 5.0}, {"type_": "concurrent", "streams": 8}.
LoadLevel LevelOf(const json::Value& benchmark) {
  const json::Value own = benchmark["config"]["strategy"];
  const json::Value strategy = own.IsKnown() ? own : benchmark["args"]["strategy"];
  const std::string type = strategy["type_"].TextOr("");
  const auto rate = strategy["rate"].Number();
  LoadLevel level{.kind = LoadKind::kClosed};
  if (type == "synchronous") {
    level.users = 1;
  } else if (type == "concurrent") {
    level.users = CountOf(Any(strategy, {"streams", "max_concurrency"}));
  } else if (rate && *rate > 0 && *rate <= 1e7) {
    level.kind = LoadKind::kOpen;
    level.target_per_s = *rate;
    if (type == "constant" || type == "poisson") level.arrivals = type;
  }
  if (!level.users && !level.target_per_s)
    level.arrivals = type == "throughput" ? "full throughput" : "a rate that is not recorded";
  return level;
}

// Those of one benchmark.
struct Benchmark {
  LoadLevel level;
  std::size_t begin = 0, end = 0;  // of the requests
};

}  // namespace

Status ReadGuidellm(const InputFile& file, Collection& to) {
  std::vector<Request> requests;
  std::vector<Benchmark> benchmarks;
  const auto take = [&](const json::Value& root) {
    for (const json::Value& benchmark : root["benchmarks"].Items()) {
      benchmarks.push_back({.level = LevelOf(benchmark), .begin = requests.size()});
      for (const auto& [list, outcome] :
           {std::pair("successful", Outcome::kDone), std::pair("incomplete", Outcome::kCancelled),
            std::pair("errored", Outcome::kFailed)}) {
        for (const json::Value& one : benchmark["requests"][list].Items()) {
          Request request;
          request.side = Side::kClient;
          request.outcome = outcome;
          request.id = one["request_id"].TextOr("");
          request.arrival = MomentOfJson(Any(one, {"request_start_time", "start_time"}));
          const Ns end = MomentOfJson(Any(one, {"request_end_time", "end_time"}));
          request.e2e = SecondsOf(one["request_latency"]);
          if (!request.e2e && end && request.arrival)
            request.e2e = AsDuration(*end - *request.arrival);
          request.ttft = MillisOf(one["time_to_first_token_ms"]);
          request.prompt_tokens = CountOf(one["prompt_tokens"]);
          request.output_tokens = CountOf(one["output_tokens"]);
          request.problem = one["error"].TextOr("");
          requests.push_back(std::move(request));
        }
      }
      benchmarks.back().end = requests.size();
    }
    return !requests.empty();
  };
  RS_RETURN_IF_ERROR(ForEachDocument(file, to, "a report of GuideLLM", take));
  const std::uint32_t source = to.AddSource(file, "GuideLLM");
  to.Count(source, static_cast<std::int64_t>(requests.size()));
  for (Benchmark& one : benchmarks) {
    one.level.source = source;
    AddBenchmarkLevel(std::move(one.level),
                      std::span(requests).subspan(one.begin, one.end - one.begin), to);
  }
  for (Request& request : requests) {
    request.source = source;
    to.data.requests.push_back(std::move(request));
  }
  return OkStatus();
}

}  // namespace rankscope::serving
