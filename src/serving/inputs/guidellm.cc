#include "serving/base/words.h"
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

}  // namespace

Status ReadGuidellm(const InputFile& file, Collection& to) {
  std::vector<Request> requests;
  const auto take = [&](const json::Value& root) {
    for (const json::Value& benchmark : root["benchmarks"].Items()) {
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
    }
    return !requests.empty();
  };
  RS_RETURN_IF_ERROR(ForEachDocument(file, to, "a report of GuideLLM", take));
  const std::uint32_t source = to.AddSource(file, "GuideLLM");
  to.Count(source, static_cast<std::int64_t>(requests.size()));
  for (Request& request : requests) {
    request.source = source;
    to.data.requests.push_back(std::move(request));
  }
  return OkStatus();
}

}  // namespace rankscope::serving
