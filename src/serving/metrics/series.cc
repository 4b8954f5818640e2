#include "serving/metrics/series.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <span>

#include "base/text.h"
#include "serving/metrics/replicas.h"

namespace rankscope::serving {
namespace {

std::string LabelOf(const std::string& labels, std::string_view name) {
  const std::string key = std::string(name) + "=";
  std::size_t at = 0;
  while (at < labels.size()) {
    const std::size_t end = std::min(labels.find('\0', at), labels.size());
    if (std::string_view(labels).substr(at, key.size()) == key)
      return labels.substr(at + key.size(), end - at - key.size());
    at = end + 1;
  }
  return {};
}

struct ByNumber {
  bool operator()(const std::string& a, const std::string& b) const {
    return std::pair(a.size(), a) < std::pair(b.size(), b);
  }
};

// "prefill", "decode", or "" of engines that do both.
std::string RoleOf(const std::string& labels) {
  const std::string type = LabelOf(labels, "engine_type");
  return type == "prefill" || type == "decode" ? type : "";
}

// "0", "decode", "decode engine 0"; "" without.
std::string EngineOf(const std::string& labels) {
  std::string engine = LabelOf(labels, "engine");
  if (engine.empty()) engine = LabelOf(labels, "dp_rank");
  const std::string role = RoleOf(labels);
  if (role.empty() || engine.empty()) return role + engine;
  return role + " engine " + engine;
}

// Of the model that a server of language models, or Triton, serves; "" without.
std::string ModelOf(const std::string& labels) {
  const std::string model = LabelOf(labels, "model_name");
  return model.empty() ? LabelOf(labels, "model") : model;
}

bool BeginsWithRole(const std::string& engine) {
  return engine.starts_with("prefill") || engine.starts_with("decode");
}

// Copies of the same numbers: all ranks of a tensor or pipeline group but the first of its engine.
std::vector<bool> CopiesIn(const ServingData& data) {
  const char* const names[2] = {"tp_rank", "pp_rank"};
  const ByNumber less;
  std::map<std::string, std::string> first[2];
  for (const std::string& labels : data.labels) {
    for (int i = 0; i < 2; ++i) {
      const std::string rank = LabelOf(labels, names[i]);
      if (rank.empty()) continue;
      const auto [at, is_new] = first[i].emplace(EngineOf(labels), rank);
      if (!is_new && less(rank, at->second)) at->second = rank;
    }
  }
  std::vector<bool> is_copy;
  for (const std::string& labels : data.labels) {
    bool copy = false;
    for (int i = 0; i < 2; ++i) {
      const std::string rank = LabelOf(labels, names[i]);
      copy = copy || (!rank.empty() && rank != first[i][EngineOf(labels)]);
    }
    is_copy.push_back(copy);
  }
  return is_copy;
}

// Of a server with several engines the points that count with one.
struct Engine {
  std::string name;  // "": all that there is
  bool is_first = true;
};

// Values of one scrape by series: the labels, and of buckets their bound.
struct Cells {
  std::map<std::pair<std::uint32_t, double>, double> values;
};
struct ScrapeCells {
  // Of each metric the index of its name that counts.
  std::map<Metric, std::uint16_t> names;
  std::map<std::pair<Metric, Part>, Cells> cells;
};

bool TakesGreatest(Metric metric) {
  return metric == Metric::kKvUsage || metric == Metric::kProcessStart;
}

// What the series gained; of those that were not there before all. Of what is no number, now or
// before, the gain is unknown and left out. Counts falls.
Cells GainOf(const Cells& now, const Cells* before, bool& has_fallen) {
  Cells gain;
  for (const auto& [series, value] : now.values) {
    if (std::isnan(value)) continue;
    double gained = value;
    if (before != nullptr) {
      const auto old = before->values.find(series);
      if (old != before->values.end()) {
        if (std::isnan(old->second)) continue;
        if (value >= old->second) {
          gained = value - old->second;
        } else {
          has_fallen = true;
        }
      }
    }
    gain.values[series] = gained;
  }
  return gain;
}

// Counters that are missing from a scrape, or no number in it, stand where they stood.
void KeepLast(const ScrapeCells& before, ScrapeCells& now) {
  for (const auto& [key, cells] : before.cells) {
    if (KindOf(key.first) == MetricKind::kGauge) continue;
    auto& values = now.cells[key].values;
    for (const auto& [series, value] : cells.values) {
      const auto [at, is_new] = values.emplace(series, value);
      if (!is_new && std::isnan(at->second)) at->second = value;
    }
  }
}

std::optional<double> ProcessStart(const ScrapeCells& cells) {
  const auto found = cells.cells.find({Metric::kProcessStart, Part::kValue});
  if (found == cells.cells.end()) return std::nullopt;
  std::optional<double> start;
  for (const auto& [series, value] : found->second.values)
    start = std::max(start.value_or(value), value);
  return start;
}

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
// A clock that was set moves the begin of a process, too.
constexpr double kSameStart = 2e9;

double SumOf(const Cells& cells) {
  double sum = 0;
  for (const auto& [series, value] : cells.values) sum += value;
  return sum;
}

class Reader {
 public:
  explicit Reader(const ServingData& data) : data_(data), is_copy_(CopiesIn(data)) {
    for (const std::string& labels : data.labels) {
      engines_.push_back(EngineOf(labels));
      models_.push_back(ModelOf(labels));
      roles_.push_back(RoleOf(labels));
    }
  }

  // One, or one for each engine.
  std::vector<ReplicaSeries> Read(const ReplicaScrapes& scrapes) const {
    std::set<std::string, ByNumber> names;
    for (const Scrape* scrape : scrapes.scrapes) {
      for (const Point& point : scrape->points) {
        if (!engines_[point.labels].empty()) names.insert(engines_[point.labels]);
      }
    }
    if (names.size() < 2) return {ReadEngine(scrapes, {})};
    std::vector<ReplicaSeries> all;
    for (const std::string& name : names) {
      all.push_back(ReadEngine(scrapes, {.name = name, .is_first = all.empty()}));
      all.back().replica += (BeginsWithRole(name) ? " " : " engine ") + name;
    }
    return all;
  }

 private:
  ReplicaSeries ReadEngine(const ReplicaScrapes& scrapes, const Engine& engine) const {
    ReplicaSeries series{.replica = scrapes.name};
    series.is_since_start = scrapes.scrapes.size() == 1;
    std::set<std::string> models, roles;
    std::optional<ScrapeCells> before;
    std::optional<double> start;
    for (const Scrape* scrape : scrapes.scrapes) {
      ScrapeCells now = CellsOf(*scrape, engine);
      for (const auto& [metric, name] : now.names) {
        const std::string_view server = KnownMetrics()[name].server;
        if (!server.empty() && series.server.empty()) series.server = server;
      }
      for (const Point& point : scrape->points) {
        if (!IsOf(engine, point)) continue;
        if (!models_[point.labels].empty()) models.insert(models_[point.labels]);
        if (!roles_[point.labels].empty()) roles.insert(roles_[point.labels]);
      }
      const auto new_start = ProcessStart(now);
      // It counts from zero, whether or not it has counted further than the one before.
      bool is_reset = before && start && new_start && *new_start > *start + kSameStart;
      if (is_reset) before.emplace();
      if (new_start) start = new_start;
      series.moments.push_back(MomentOf(*scrape, now, before, series.is_since_start, is_reset));
      if (before || series.is_since_start) AddModels(now, before, series.models);
      series.resets += is_reset;
      if (before && !is_reset) KeepLast(*before, now);
      before = std::move(now);
    }
    for (const std::string& model : models)
      series.model += (series.model.empty() ? "" : ", ") + model;
    if (roles.size() == 1) series.role = *roles.begin();
    return series;
  }

  bool IsOf(const Engine& engine, const Point& point) const {
    if (is_copy_[point.labels]) return false;
    const std::string& name = engines_[point.labels];
    if (engine.name.empty() || name == engine.name) return true;
    return name.empty() &&
           (engine.is_first || KnownMetrics()[point.metric].metric == Metric::kProcessStart);
  }

  ScrapeCells CellsOf(const Scrape& scrape, const Engine& engine) const {
    ScrapeCells result;
    for (const Point& point : scrape.points) {
      const Metric metric = KnownMetrics()[point.metric].metric;
      const auto [at, is_new] = result.names.emplace(metric, point.metric);
      if (!is_new) at->second = std::min(at->second, point.metric);
    }
    for (const Point& point : scrape.points) {
      const Metric metric = KnownMetrics()[point.metric].metric;
      if (result.names[metric] != point.metric || !IsOf(engine, point)) continue;
      result.cells[{metric, point.part}].values[{point.labels, point.bound}] += point.value;
    }
    return result;
  }

  Moment MomentOf(const Scrape& scrape, const ScrapeCells& now,
                  const std::optional<ScrapeCells>& before, bool is_since_start,
                  bool& has_fallen) const {
    Moment moment{.time = scrape.time};
    for (const auto& [key, cells] : now.cells) {
      const auto [metric, part] = key;
      const auto index = static_cast<std::size_t>(metric);
      const Cells* old = nullptr;
      if (before) {
        const auto found = before->cells.find(key);
        if (found != before->cells.end()) old = &found->second;
      }
      const bool has_gain = before.has_value() || is_since_start;
      switch (KindOf(metric)) {
        case MetricKind::kGauge:
          TakeGauge(moment, metric, cells);
          break;
        case MetricKind::kCounter: {
          if (!has_gain) break;
          const Cells gain = GainOf(cells, old, has_fallen);
          if (!gain.values.empty()) moment.gained[index] = SumOf(gain);
          if (metric == Metric::kPromptTokensBySource) TakeCached(moment, gain);
          break;
        }
        case MetricKind::kHistogram: {
          if (!has_gain) break;
          const Cells gain = GainOf(cells, old, has_fallen);
          Histogram& histogram =
              moment.histograms.try_emplace(metric, Histogram{.sum = kUnknown}).first->second;
          const bool is_whole = gain.values.size() == cells.values.size();
          if (part == Part::kSum && is_whole) histogram.sum = SumOf(gain);
          if (part == Part::kCount) {
            histogram.count = SumOf(gain);
            if (!is_whole) histogram.sum = kUnknown;
          }
          if (part == Part::kBucket) TakeBuckets(histogram, cells, old, gain);
          break;
        }
      }
    }
    AddParts(moment);
    TakeBusySlots(moment, now, before);
    return moment;
  }

  // Of servers that count by model.
  void AddModels(const ScrapeCells& now, const std::optional<ScrapeCells>& before,
                 std::map<std::string, ModelCounts>& to) const {
    constexpr std::pair<Metric, double ModelCounts::*> kCounts[] = {
        {Metric::kFinished, &ModelCounts::finished},
        {Metric::kInferences, &ModelCounts::inferences},
        {Metric::kExecutions, &ModelCounts::executions},
        {Metric::kRequestTime, &ModelCounts::request_ns},
        {Metric::kQueueTime, &ModelCounts::queue_ns},
        {Metric::kInferTime, &ModelCounts::infer_ns}};
    if (!now.cells.contains({Metric::kInferences, Part::kValue}) &&
        !now.cells.contains({Metric::kRequestTime, Part::kValue}))
      return;
    for (const auto& [metric, count] : kCounts) {
      const std::pair key(metric, Part::kValue);
      const auto cells = now.cells.find(key);
      if (cells == now.cells.end()) continue;
      const Cells* old = nullptr;
      if (before) {
        const auto found = before->cells.find(key);
        if (found != before->cells.end()) old = &found->second;
      }
      bool has_fallen = false;
      for (const auto& [series, value] : GainOf(cells->second, old, has_fallen).values) {
        to[models_[series.first]].*count += value;
      }
    }
  }

  void TakeGauge(Moment& moment, Metric metric, const Cells& cells) const {
    auto& to = moment.gauges[static_cast<std::size_t>(metric)];
    for (const auto& [series, value] : cells.values) {
      if (!std::isfinite(value)) continue;
      to = TakesGreatest(metric) ? std::max(to.value_or(value), value) : to.value_or(0) + value;
      if (metric == Metric::kWaitingByReason &&
          LabelOf(data_.labels[series.first], "reason") == "capacity")
        moment.waiting_capacity = moment.waiting_capacity.value_or(0) + value;
    }
  }

  // What a server tells in parts.
  static void AddParts(Moment& moment) {
    const auto of = [&](Metric metric) -> std::optional<double>& {
      return moment.gauges[static_cast<std::size_t>(metric)];
    };
    const auto sum = [](const std::optional<double>& one, const std::optional<double>& other) {
      return one || other ? std::optional(one.value_or(0) + other.value_or(0)) : std::nullopt;
    };
    if (!of(Metric::kRunning))
      of(Metric::kRunning) = sum(of(Metric::kRunningContext), of(Metric::kRunningGeneration));
    of(Metric::kWaiting) = sum(of(Metric::kWaiting), of(Metric::kWaitingAtReplica));
  }

  void TakeCached(Moment& moment, const Cells& gain) const {
    for (const auto& [series, value] : gain.values) {
      const std::string source = LabelOf(data_.labels[series.first], "source");
      if (source.empty()) continue;
      const double cached = source == "local_compute" ? 0 : value;
      moment.cached_prompt_tokens = moment.cached_prompt_tokens.value_or(0) + cached;
    }
  }

  static void TakeBuckets(Histogram& histogram, const Cells& now, const Cells* old,
                          const Cells& gain) {
    // Series with other bounds do not add.
    std::map<std::uint32_t, std::set<double>> bounds, old_bounds;
    for (const auto& [series, value] : now.values) bounds[series.first].insert(series.second);
    if (old != nullptr)
      for (const auto& [series, value] : old->values)
        old_bounds[series.first].insert(series.second);
    for (const auto& [labels, set] : bounds) {
      if (set != bounds.begin()->second) histogram.has_same_bounds = false;
      const auto before = old_bounds.find(labels);
      if (before != old_bounds.end() && before->second != set) histogram.has_same_bounds = false;
    }
    if (!histogram.has_same_bounds) return;
    for (const auto& [series, value] : gain.values) histogram.buckets[series.second] += value;
  }

  // llama.cpp's mean is of the whole life: (m2 n2 - m1 n1) / (n2 - n1).
  static void TakeBusySlots(Moment& moment, const ScrapeCells& now,
                            const std::optional<ScrapeCells>& before) {
    const auto of = [](const ScrapeCells& cells, Metric metric) -> std::optional<double> {
      const auto found = cells.cells.find({metric, Part::kValue});
      return found == cells.cells.end() ? std::nullopt : std::optional(SumOf(found->second));
    };
    const auto mean = of(now, Metric::kBusySlots), calls = of(now, Metric::kDecodeCalls);
    if (!mean || !calls || !(*calls > 0)) return;
    if (!before) {
      moment.busy_slots = mean;
      return;
    }
    const auto old_mean = of(*before, Metric::kBusySlots);
    const auto old_calls = of(*before, Metric::kDecodeCalls);
    if (!old_mean && !old_calls) moment.busy_slots = mean;
    if (old_mean && old_calls && *calls > *old_calls)
      moment.busy_slots = (*mean * *calls - *old_mean * *old_calls) / (*calls - *old_calls);
  }

  const ServingData& data_;
  std::vector<bool> is_copy_;
  std::vector<std::string> engines_, models_, roles_;  // of each of data_.labels
};

// What a server of prefill counts of a request that one of decode counts, too.
constexpr Metric kOfPrefill[] = {Metric::kFinished, Metric::kFailed, Metric::kGenerationTokens,
                                 Metric::kTtft,     Metric::kItl,    Metric::kTpot,
                                 Metric::kE2e};
// How much of a prompt was cached only prefill knows.
constexpr Metric kOfPrompts[] = {Metric::kPromptTokens, Metric::kCachedTokens};

void Drop(ReplicaSeries& series, std::span<const Metric> metrics) {
  for (Moment& moment : series.moments) {
    for (const Metric metric : metrics) {
      moment.gained[static_cast<std::size_t>(metric)].reset();
      moment.histograms.erase(metric);
    }
  }
}

// Returns how many servers' counts do not count.
std::int64_t CountRequestsOnce(std::vector<ReplicaSeries>& all) {
  std::set<std::string> prefilled, decoded;  // models
  for (const ReplicaSeries& series : all) {
    if (series.role == "prefill") prefilled.insert(series.model);
    if (series.role == "decode") decoded.insert(series.model);
  }
  std::int64_t count = 0;
  for (ReplicaSeries& series : all) {
    if (series.role == "prefill" && decoded.contains(series.model)) {
      Drop(series, kOfPrefill);
      ++count;
    }
    if (series.role == "decode" && prefilled.contains(series.model)) Drop(series, kOfPrompts);
  }
  return count;
}

}  // namespace

void ModelCounts::Add(const ModelCounts& other) {
  finished += other.finished;
  inferences += other.inferences;
  executions += other.executions;
  request_ns += other.request_ns;
  queue_ns += other.queue_ns;
  infer_ns += other.infer_ns;
}

std::optional<double> ReplicaSeries::Gained(Metric metric) const {
  std::optional<double> sum;
  for (const Moment& moment : moments) {
    const auto& gained = moment.gained[static_cast<std::size_t>(metric)];
    if (gained) sum = sum.value_or(0) + *gained;
  }
  return sum;
}

std::optional<Histogram> ReplicaSeries::Gains(Metric metric) const {
  std::optional<Histogram> sum;
  for (const Moment& moment : moments) {
    const auto found = moment.histograms.find(metric);
    if (found == moment.histograms.end()) continue;
    if (!sum) {
      sum = found->second;
    } else {
      sum->Add(found->second);
    }
  }
  return sum;
}

Ns ReplicaSeries::Duration() const {
  if (moments.empty() || !moments.back().time) return std::nullopt;
  if (!is_since_start) {
    return moments.front().time ? Ns(*moments.back().time - *moments.front().time) : std::nullopt;
  }
  const auto& start = moments.front().gauges[static_cast<std::size_t>(Metric::kProcessStart)];
  if (!start || *start <= 0 || *start > 9e18) return std::nullopt;
  const std::int64_t duration = *moments.front().time - static_cast<std::int64_t>(*start);
  return duration > 0 ? Ns(duration) : std::nullopt;
}

std::vector<ReplicaSeries> SeriesOf(ServingData& data) {
  const Reader reader(data);
  std::vector<ReplicaSeries> all;
  for (const ReplicaScrapes& scrapes : ReplicasOf(data)) {
    for (ReplicaSeries& series : reader.Read(scrapes)) {
      if (series.resets > 0)
        data.notes.push_back(fmt::format(
            "{}: counters began anew {} time{}: the server was started again; what was counted "
            "before is kept",
            series.replica, series.resets, series.resets == 1 ? "" : "s"));
      all.push_back(std::move(series));
    }
  }
  if (const std::int64_t prefill = CountRequestsOnce(all); prefill > 0)
    data.notes.push_back(
        fmt::format("requests, their times and their output count at the servers that decode, not "
                    "again at {} that prefill{}",
                    prefill, prefill == 1 ? "s" : ""));
  return all;
}

std::vector<Load> LoadsOf(const std::vector<ReplicaSeries>& replicas) {
  std::vector<Load> loads;
  for (const ReplicaSeries& series : replicas) {
    Ns before;
    for (const Moment& moment : series.moments) {
      const auto gauge = [&](Metric metric) {
        return moment.gauges[static_cast<std::size_t>(metric)];
      };
      Load load{.replica = series.replica,
                .model = series.model,
                .role = series.role,
                .time = moment.time};
      load.running = gauge(Metric::kRunning);
      load.waiting = gauge(Metric::kWaiting);
      load.waiting_capacity = moment.waiting_capacity;
      load.kv_usage = gauge(Metric::kKvUsage);
      const auto tokens = moment.gained[static_cast<std::size_t>(Metric::kGenerationTokens)];
      if (tokens && before && moment.time && *moment.time > *before)
        load.generation_tokens_per_s =
            *tokens / (static_cast<double>(*moment.time - *before) / 1e9);
      before = moment.time;
      if (load.running || load.waiting || load.kv_usage) loads.push_back(std::move(load));
    }
  }
  return loads;
}

}  // namespace rankscope::serving
