#include <fmt/core.h>

#include "serving/base/words.h"
#include "serving/inputs/json_lines.h"
#include "serving/inputs/readers.h"

namespace rankscope::serving {
namespace {

double UnitOf(const json::Value& metric) {
  const std::string unit = metric["unit"].TextOr("ms");
  return unit == "s" || unit == "sec" ? 1e9 : unit == "us" ? 1e3 : unit == "ns" ? 1 : 1e6;
}

// {"value": 12.5, "unit": "ms"}.
Ns DurationOf(const json::Value& metric) {
  const auto value = metric["value"].Number();
  if (!value) return std::nullopt;
  return ToNs(*value, UnitOf(metric));
}

std::vector<std::int64_t> GapsOf(const json::Value& metric) {
  std::vector<std::int64_t> gaps;
  for (const json::Value& gap : metric["value"].Items()) {
    const auto value = gap.Number();
    if (const Ns ns = value ? ToNs(*value, UnitOf(metric)) : std::nullopt) gaps.push_back(*ns);
  }
  return gaps;
}

}  // namespace

Status ReadAiperf(const InputFile& file, Collection& to) {
  std::vector<Request> requests;
  std::int64_t warmup = 0;
  const auto take = [&](const json::Value& line) {
    const json::Value metadata = line["metadata"];
    const Ns start = AsMoment(metadata["request_start_ns"].Integer());
    if (!start) return false;
    if (metadata["benchmark_phase"].TextOr("") == "warmup") {
      ++warmup;
      return true;
    }
    const json::Value metrics = line["metrics"];
    Request request;
    request.side = Side::kClient;
    request.id = metadata["x_request_id"].TextOr("");
    request.arrival = *start;
    request.e2e = DurationOf(metrics["request_latency"]);
    const Ns end = AsMoment(metadata["request_end_ns"].Integer());
    if (!request.e2e && end) request.e2e = AsDuration(*end - *start);
    request.ttft = DurationOf(metrics["time_to_first_token"]);
    request.prompt_tokens = CountOf(metrics["input_sequence_length"]["value"]);
    request.output_tokens = CountOf(metrics["output_sequence_length"]["value"]);
    request.gaps = GapsOf(metrics["inter_chunk_latency"]);
    if (metadata["was_cancelled"].Flag().value_or(false)) {
      request.outcome = Outcome::kCancelled;
    } else if (line["error"].IsKnown()) {
      request.outcome = Outcome::kFailed;
      request.problem = line["error"]["message"].TextOr(line["error"].ToString());
    }
    requests.push_back(std::move(request));
    return true;
  };
  RS_RETURN_IF_ERROR(ForEachDocument(file, to, "AIPerf's records", take));
  const std::uint32_t source = to.AddSource(file, "AIPerf");
  to.Count(source, static_cast<std::int64_t>(requests.size()));
  if (warmup > 0)
    to.Note(fmt::format("{}: {} requests of the warm-up are left out", file.path, warmup));
  for (Request& request : requests) {
    request.source = source;
    to.data.requests.push_back(std::move(request));
  }
  return OkStatus();
}

}  // namespace rankscope::serving
