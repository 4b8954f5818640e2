#include "sim/serving/run_to_end.h"

#include <algorithm>
#include <utility>

namespace rankscope::sim {
namespace {

Status CheckPlan(const Engine& engine, const std::vector<PlannedRequest>& planned) {
  std::int64_t before = 0;
  for (const PlannedRequest& one : planned) {
    if (one.arrival_ns < before)
      return Error(StatusCode::kInvalidArgument,
                   "requests are to be in the order of their arrival");
    before = one.arrival_ns;
    RS_RETURN_IF_ERROR(engine.Check(one.spec));
  }
  return OkStatus();
}

}  // namespace

Result<RunOutcome> RunToEnd(const CostShape& shape, const EngineSettings& settings,
                            const EngineNoise& noise, const std::vector<PlannedRequest>& planned,
                            const std::function<void(const Step&)>& see) {
  RS_ASSIGN_OR_RETURN(const auto engine, Engine::Make(shape, settings, noise));
  RS_RETURN_IF_ERROR(CheckPlan(*engine, planned));
  RunOutcome outcome;
  outcome.requests.resize(planned.size());
  for (std::size_t i = 0; i < planned.size(); ++i) {
    outcome.requests[i] = {.id = i,
                           .prompt_tokens = planned[i].spec.prompt_tokens,
                           .is_aborted = true,
                           .arrival_ns = planned[i].arrival_ns};
  }
  std::size_t next = 0;
  std::int64_t now_ns = 0;
  while (true) {
    const bool is_idle = engine->running() + engine->waiting() == 0;
    if (is_idle && next == planned.size()) break;
    if (is_idle) now_ns = std::max(now_ns, planned[next].arrival_ns);
    for (; next < planned.size() && planned[next].arrival_ns <= now_ns; ++next)
      engine->Add(next, planned[next].spec, planned[next].arrival_ns);
    const auto step = engine->Begin(now_ns);
    if (!step) {
      outcome.died_ns = now_ns;
      break;
    }
    if (see) see(*step);
    ++outcome.steps;
    outcome.busy_ns += step->end_ns - step->begin_ns;
    now_ns = step->end_ns;
    for (const RequestRecord& record : engine->End().ended) outcome.requests[record.id] = record;
  }
  outcome.end_ns = now_ns;
  outcome.preemptions = engine->preemptions();
  return outcome;
}

double GoodputPerS(const RunOutcome& outcome, std::int64_t ttft_ns, std::int64_t tpot_ns) {
  if (outcome.died_ns || outcome.requests.size() < 2) return 0;
  const auto good = std::ranges::count_if(outcome.requests, [&](const RequestRecord& one) {
    return !one.is_aborted && one.TtftNs() <= ttft_ns &&
           one.TpotNs() <= static_cast<double>(tpot_ns);
  });
  const auto span_ns = outcome.requests.back().arrival_ns - outcome.requests.front().arrival_ns;
  return span_ns == 0 ? 0 : static_cast<double>(good) * 1e9 / static_cast<double>(span_ns);
}

}  // namespace rankscope::sim
