#include "serving/causes/replay_gain.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "serving/causes/server_words.h"
#include "serving/causes/waiting.h"
#include "statistics/statistics.h"
#include "table/human_number.h"

namespace rankscope::serving {
namespace {

constexpr std::size_t kReplayGainLeastRequests = 100;
constexpr std::size_t kMostWork = 200'000'000;  // requests of all steps: seconds
constexpr double kFullKv = 0.9;

struct ModelRequest {
  double arrival = 0;
  double prompt = 0, output = 0;
  double around = 0;  // frontend and network
};

struct Model {
  DecodeCost cost;
  double prefill_ns = 0;       // per prompt token
  double tokens_per_step = 1;  // of a generating request
  double slots = 0, budget = 0;
};

struct Outcomes {
  std::vector<double> times;  // in the order of arrival
  double tokens_per_s = 0;
};

// nullopt: it takes too long.
std::optional<Outcomes> Replay(const Model& model, const std::vector<ModelRequest>& requests) {
  struct Running {
    std::size_t request;
    double prompt, output;
  };
  Outcomes outcomes;
  outcomes.times.resize(requests.size());
  std::vector<Running> running;
  std::size_t next = 0, work = 0;
  double now = requests.front().arrival, tokens = 0, last = now;
  while (next < requests.size() || !running.empty()) {
    if (running.empty()) now = std::max(now, requests[next].arrival);
    while (next < requests.size() && requests[next].arrival <= now &&
           static_cast<double>(running.size()) < model.slots) {
      running.push_back({next, requests[next].prompt, requests[next].output});
      ++next;
    }
    work += running.size() + 1;
    if (work > kMostWork) return std::nullopt;
    double budget = model.budget, generating = 0, context = 0;
    for (const Running& one : running) generating += one.prompt <= 0;
    budget = std::max(1.0, budget - generating);
    std::vector<Running> left;
    std::vector<std::size_t> ended;
    left.reserve(running.size());
    for (Running one : running) {
      if (one.prompt <= 0) {
        one.output -= model.tokens_per_step;
      } else {
        const double chunk = std::min(one.prompt, budget);
        one.prompt -= chunk;
        budget -= chunk;
        context += chunk;
        if (one.prompt <= 0) one.output -= 1;  // the prompt's last step gives the first token
      }
      if (one.prompt <= 0 && one.output <= 0) {
        ended.push_back(one.request);
      } else {
        left.push_back(one);
      }
    }
    now += model.cost.At(generating) + model.prefill_ns * context;
    for (const std::size_t i : ended) {
      outcomes.times[i] = now - requests[i].arrival + requests[i].around;
      tokens += requests[i].output;
    }
    last = now;
    running = std::move(left);
  }
  outcomes.tokens_per_s = tokens / std::max(last - requests.front().arrival, 1.0) * 1e9;
  return outcomes;
}

std::optional<Model> ModelOf(const Analysis& analysis) {
  if (!analysis.batches.cost) return std::nullopt;
  Model model{.cost = *analysis.batches.cost};
  double square = 0, product = 0, generated = 0, requests = 0;
  for (const Iteration& one : analysis.data.iterations) {
    if (one.is_dummy) continue;
    const auto context = static_cast<double>(one.context_tokens);
    const auto generating = static_cast<double>(one.generation_requests);
    square += context * context;
    product += context * (static_cast<double>(one.elapsed_ns) - model.cost.At(generating));
    generated += static_cast<double>(one.generation_tokens);
    requests += generating;
    model.slots = std::max(model.slots, generating + static_cast<double>(one.context_requests));
    model.budget = std::max(model.budget, context + static_cast<double>(one.generation_tokens));
  }
  if (!(square > 0)) return std::nullopt;
  model.prefill_ns = std::max(0.0, product / square);
  if (requests > 0) model.tokens_per_step = std::max(1.0, generated / requests);
  return model;
}

std::vector<ModelRequest> RequestsOf(const Analysis& analysis) {
  const Population& population = analysis.population;
  std::vector<ModelRequest> requests;
  for (std::size_t i = 0; i < population.requests.size(); ++i) {
    const Request& request = analysis.requests[population.requests[i]];
    const Parts& parts = population.parts[i];
    if (!request.arrival || !request.prompt_tokens || !request.output_tokens) return {};
    const std::int64_t around =
        parts.of(Stage::kFrontend).value_or(0) + parts.of(Stage::kNetwork).value_or(0);
    requests.push_back(
        {.arrival = static_cast<double>(*request.arrival -
                                        *analysis.requests[population.requests[0]].arrival),
         .prompt = std::max(
             1.0, static_cast<double>(*request.prompt_tokens - request.cached_tokens.value_or(0))),
         .output = std::max(1.0, static_cast<double>(*request.output_tokens)),
         .around = static_cast<double>(around)});
  }
  return requests;
}

double Mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

}  // namespace

void StateGain(const Analysis& analysis, Finding& finding) {
  if (!finding.no_gain.empty()) return;
  if (!finding.more_slots) {
    finding.no_gain = "this change is not modelled";
    return;
  }
  std::set<std::uint32_t> engines;
  for (const Iteration& one : analysis.data.iterations) engines.insert(one.source);
  const auto model = ModelOf(analysis);
  if (!model || engines.size() > 1) {
    finding.no_gain =
        engines.size() > 1
            ? std::string("iterations of several engines, whose requests are not told apart")
            : "a model needs the engine's iterations" + HowIterations(ServerOf(analysis));
    return;
  }
  const std::vector<ModelRequest> requests = RequestsOf(analysis);
  if (requests.size() < kReplayGainLeastRequests) {
    finding.no_gain =
        fmt::format("a model needs arrival, prompt and output tokens of {} requests or more",
                    kReplayGainLeastRequests);
    return;
  }
  const auto now = Replay(*model, requests);
  if (!now) {
    finding.no_gain = "the recorded requests are too many to replay";
    return;
  }
  std::vector<double> recorded;
  double tokens = 0, end = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    recorded.push_back(static_cast<double>(analysis.population.parts[i].total));
    tokens += requests[i].output;
    end = std::max(end, requests[i].arrival + recorded.back());
  }
  const double recorded_rate = tokens / std::max(end - requests.front().arrival, 1.0) * 1e9;
  const auto miss = [](double is, double was) { return 100 * std::abs(is - was) / was; };
  const double error =
      std::max(miss(Median(now->times), Median(recorded)), miss(now->tokens_per_s, recorded_rate));
  if (!(error <= kMostModelErrorPct)) {
    finding.no_gain = fmt::format("the model of this server misses the recording by {}, over {}",
                                  HumanPercent(error), HumanPercent(kMostModelErrorPct));
    return;
  }
  const Waiting waiting = WaitingOf(analysis.loads);
  double factor = *finding.more_slots;
  if (waiting.kv_known > 0 && waiting.mean_kv_waiting > 0)
    factor = std::min(factor, kFullKv / waiting.mean_kv_waiting);
  Model changed = *model;
  changed.slots = std::floor(model->slots * factor);
  if (changed.slots <= model->slots) {
    finding.no_gain = "the KV cache has no room for more requests at once";
    return;
  }
  const auto then = Replay(changed, requests);
  if (!then) {
    finding.no_gain = "the recorded requests are too many to replay";
    return;
  }
  finding.gain_pct = 100 * (1 - Mean(then->times) / Mean(now->times));
  finding.model_error_pct = error;
  finding.change += fmt::format(
      " With {} a request takes {} on average in the model, now {}.", HumanDecimal(changed.slots),
      HumanDuration(Mean(recorded) * Mean(then->times) / Mean(now->times)),
      HumanDuration(Mean(recorded)));
}

}  // namespace rankscope::serving
