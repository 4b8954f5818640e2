#include "serving/causes/analysis.h"
#include "serving/metrics/device_energy.h"
#include "serving/metrics/model_steps.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

namespace rankscope::serving {
namespace {

constexpr double kLeastNs = 0.5;
constexpr double kSameRequests = 0.1;

// Loads of a log are of its file, and of the engine where a file has several.
void NameReplicas(ServingData& data) {
  std::set<std::pair<std::uint32_t, std::string>> engines;
  for (const Load& load : data.loads) engines.emplace(load.source, load.replica);
  for (Load& load : data.loads) {
    if (load.is_named) continue;
    const std::string file = std::filesystem::path(data.sources[load.source].path).stem().string();
    const auto first = engines.lower_bound({load.source, ""});
    const bool is_alone = first != engines.end() && (std::next(first) == engines.end() ||
                                                     std::next(first)->first != load.source);
    load.replica = is_alone || load.replica.empty() ? file : file + " " + load.replica;
  }
}

MeanTimes OfRequests(const Population& population) {
  MeanTimes times{.is_of_requests = true};
  const auto count = static_cast<double>(population.parts.size());
  times.requests = count;
  double total = 0, queue = 0, frontend = 0, engine = 0;
  for (const Parts& parts : population.parts) {
    total += static_cast<double>(parts.total) / count;
    queue += static_cast<double>(parts.of(Stage::kQueue).value_or(0)) / count;
    frontend += static_cast<double>(parts.of(Stage::kFrontend).value_or(0)) / count;
    engine += static_cast<double>(parts.of(Stage::kPrefill).value_or(0) +
                                  parts.of(Stage::kDecode).value_or(0)) /
              count;
  }
  times.total = total;
  if (population.depth >= Depth::kQueue) times.queue = queue;
  if (population.depth == Depth::kAll) {
    times.engine = engine;
    if (std::ranges::any_of(population.parts,
                            [](const Parts& one) { return one.of(Stage::kFrontend).has_value(); }))
      times.frontend = frontend;
  }
  return times;
}

double CountOf(const std::vector<ReplicaSeries>& replicas, Metric metric) {
  double count = 0;
  for (const ReplicaSeries& series : replicas) {
    if (const auto gains = series.Gains(metric)) count += gains->count;
  }
  return count;
}

using CountsOfModels = std::map<std::string, ModelCounts>;

// Triton counts by model.
CountsOfModels CountsByModel(const std::vector<ReplicaSeries>& replicas) {
  CountsOfModels models;
  for (const ReplicaSeries& series : replicas) {
    for (const auto& [model, counts] : series.models) models[model].Add(counts);
  }
  return models;
}

// All requests, those of ensembles once, with the queue of their steps.
ModelCounts RequestsOfModels(const CountsOfModels& models) {
  const ModelSteps found = StepsOf(models);
  ModelCounts all;
  double own_queue = 0, steps_queue = 0;  // of ensembles, which may count their steps' or not
  for (const auto& [model, counts] : models) {
    if (found.steps.contains(model)) {
      steps_queue += found.ensembles.contains(model) ? 0 : counts.queue_ns;
      continue;
    }
    all.Add(counts);
    if (found.ensembles.contains(model)) own_queue += counts.queue_ns;
  }
  all.queue_ns += std::max(own_queue, steps_queue) - own_queue;
  return all;
}

MeanTimes OfMetrics(const std::vector<ReplicaSeries>& replicas) {
  MeanTimes times;
  const auto mean = [&](Metric metric) -> std::optional<double> {
    // A request is at a server of each role, one behind the other.
    std::map<std::string_view, Histogram> by_role;
    for (const ReplicaSeries& series : replicas) {
      if (const auto gains = series.Gains(metric)) {
        Histogram& all = by_role[series.role];
        all.sum += gains->sum;
        all.count += gains->count;
      }
    }
    std::optional<double> sum;
    for (const auto& [role, all] : by_role) {
      if (const auto of_role = all.Mean()) sum = sum.value_or(0) + *of_role;
    }
    return sum;
  };
  times.total = mean(Metric::kE2e);
  times.queue = mean(Metric::kQueue);
  times.engine = mean(Metric::kInference);
  // Of as many requests as have a time in all: others are of pieces of a prompt, or of steps.
  const auto of_requests = [&](Metric metric) -> std::optional<double> {
    const double requests = CountOf(replicas, Metric::kE2e), count = CountOf(replicas, metric);
    return std::abs(count - requests) <= kSameRequests * requests ? mean(metric) : std::nullopt;
  };
  times.prefill = of_requests(Metric::kPrefill);
  times.decode = of_requests(Metric::kDecode);
  // SGLang tells prefill alone; what follows the first token is decode.
  const auto first_token = of_requests(Metric::kTtft);
  if (times.prefill && !times.decode && times.total && first_token && *times.total >= *first_token)
    times.decode = *times.total - *first_token;
  if (!times.prefill || !times.decode) {
    times.prefill.reset();
    times.decode.reset();
  }
  if (!times.engine && times.prefill) times.engine = *times.prefill + *times.decode;
  for (const ReplicaSeries& series : replicas) {
    if (const auto gains = series.Gains(Metric::kE2e)) times.requests += gains->count;
  }
  if (!times.total) {
    const ModelCounts all = RequestsOfModels(CountsByModel(replicas));
    if (all.finished > 0 && all.request_ns > 0) {
      times.total = all.request_ns / all.finished;
      times.requests = all.finished;
      times.queue = all.queue_ns / all.finished;
    }
  }
  // Ray Serve tells both parts and no sum.
  if (!times.total && times.queue && times.engine) {
    times.total = *times.queue + *times.engine;
    for (const ReplicaSeries& series : replicas) {
      if (const auto gains = series.Gains(Metric::kInference)) times.requests += gains->count;
    }
    return times;
  }
  if (times.total && times.queue && times.engine && *times.total >= *times.queue + *times.engine)
    times.frontend = *times.total - *times.queue - *times.engine;
  // What remains of sums of doubles is nothing.
  if (times.frontend && *times.frontend < kLeastNs) times.frontend = 0;
  return times;
}

std::vector<ModelTimes> TimesByModel(const std::vector<ReplicaSeries>& replicas) {
  std::map<std::string, std::vector<ReplicaSeries>> by_model;
  for (const ReplicaSeries& series : replicas) by_model[series.model].push_back(series);
  std::vector<ModelTimes> models;
  for (const auto& [model, of_model] : by_model) models.push_back({model, OfMetrics(of_model)});
  if (models.size() < 2) models.clear();
  return models;
}

// Of those that execute themselves.
std::vector<ModelTimes> TimesOfTriton(const CountsOfModels& all) {
  const ModelSteps found = StepsOf(all);
  std::vector<ModelTimes> models;
  for (const auto& [model, counts] : all) {
    if (!(counts.executions > 0) || !(counts.finished > 0) || found.ensembles.contains(model))
      continue;
    models.push_back({model,
                      {.total = counts.request_ns / counts.finished,
                       .queue = counts.queue_ns / counts.finished,
                       .requests = counts.finished}});
  }
  if (models.size() < 2 && found.ensembles.empty()) models.clear();
  return models;
}

std::map<std::string, Executions> ExecutionsOf(const std::vector<ReplicaSeries>& replicas) {
  const CountsOfModels all = CountsByModel(replicas);
  const ModelSteps found = StepsOf(all);
  Ns scraped;
  for (const ReplicaSeries& series : replicas)
    scraped = std::max(scraped, series.models.empty() ? Ns() : series.Duration());
  std::map<std::string, Executions> executions;
  for (const auto& [model, counts] : all) {
    if (!(counts.executions > 0) || found.ensembles.contains(model)) continue;
    Executions& one = executions[model];
    one.size = counts.inferences / counts.executions;
    // Each request counts its execution's time.
    if (scraped && *scraped > 0 && counts.finished > 0 && counts.infer_ns > 0)
      one.at_once =
          counts.infer_ns * counts.executions / counts.finished / static_cast<double>(*scraped);
  }
  return executions;
}

}  // namespace

std::optional<double> MeanTimes::QueueShare() const {
  if (!queue || !total || !(*total > 0)) return std::nullopt;
  return *queue / *total;
}

Analysis Analyse(ServingData data) {
  Analysis analysis{.data = std::move(data)};
  NameReplicas(analysis.data);
  KeepOneExporter(analysis.data);
  analysis.replicas = SeriesOf(analysis.data);
  analysis.loads = LoadsOf(analysis.replicas);
  analysis.loads.insert(analysis.loads.end(), analysis.data.loads.begin(),
                        analysis.data.loads.end());
  std::ranges::stable_sort(analysis.loads, {}, [](const Load& load) {
    return std::pair(load.replica, load.time.value_or(0));
  });
  Joined joined = JoinRequests(analysis.data.requests);
  analysis.requests = std::move(joined.requests);
  analysis.told = std::move(joined.told);
  analysis.joined = joined.joined;
  if (joined.repeated > 0)
    analysis.data.notes.push_back(fmt::format(
        "{} requests are recorded twice, by the same side at the same time, and count once",
        joined.repeated));
  analysis.population = Choose(analysis.requests);
  analysis.tail = TailOf(analysis.requests, analysis.population);
  analysis.batches = BatchesOf(analysis.data.iterations);
  analysis.little =
      CheckLittle(analysis.requests, analysis.population, analysis.loads, analysis.replicas);
  analysis.times =
      analysis.population.parts.empty() ? MeanTimes() : OfRequests(analysis.population);
  if (!analysis.times.total || (!analysis.times.queue && !analysis.replicas.empty())) {
    MeanTimes metrics = OfMetrics(analysis.replicas);
    if (metrics.total && (metrics.queue || !analysis.times.total)) analysis.times = metrics;
  }
  analysis.executions = ExecutionsOf(analysis.replicas);
  if (!analysis.times.is_of_requests) {
    analysis.models = analysis.executions.empty() ? TimesByModel(analysis.replicas)
                                                  : TimesOfTriton(CountsByModel(analysis.replicas));
  }
  return analysis;
}

}  // namespace rankscope::serving
