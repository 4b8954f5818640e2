#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "schemas/serving.h"
#include "serving/binned_tables.h"
#include "serving/energy_table.h"
#include "serving/objective.h"
#include "serving/tables.h"
#include "serving/tuning_tables.h"
#include "statistics/statistics.h"
#include "table/or_null.h"

namespace rankscope::serving {
namespace {

Table FindingsTable(const Causes& causes) {
  const auto& schema = SchemaOf<ServingFindings>();
  auto table = schema.NewTable(std::string(ServingFindings::kName));
  for (const Finding& finding : causes.findings) {
    table.Add({schema.id = std::string_view(finding.id), schema.severity = finding.severity(),
               schema.title = std::string_view(finding.title),
               schema.evidence = std::string_view(finding.evidence),
               schema.change = std::string_view(finding.change), schema.lost_pct = finding.lost_pct,
               schema.gain_pct = finding.gain_pct, schema.model_error_pct = finding.model_error_pct,
               schema.no_gain = TextOrNull(finding.no_gain)});
  }
  return table;
}

struct StageValues {
  std::vector<double> values;  // of each request
  double sum = 0;
};

void AddStage(TableOf<ServingStages>& table, std::string_view name, StageValues stage,
              double total) {
  const auto& schema = SchemaOf<ServingStages>();
  std::ranges::sort(stage.values);
  const auto at = [&](double q) { return Quantile(std::span<const double>(stage.values), q); };
  table.Add({schema.stage = name, schema.from = std::string_view("requests"),
             schema.requests = static_cast<std::int64_t>(stage.values.size()),
             schema.share_pct = total > 0 ? Value(100 * stage.sum / total) : Value(kNull),
             schema.mean_ns = stage.sum / static_cast<double>(stage.values.size()),
             schema.p50_ns = at(0.5), schema.p90_ns = at(0.9), schema.p99_ns = at(0.99)});
}

void AddRequestStages(TableOf<ServingStages>& table, const Population& population) {
  StageValues total;
  for (const Parts& parts : population.parts) {
    total.values.push_back(static_cast<double>(parts.total));
    total.sum += static_cast<double>(parts.total);
  }
  AddStage(table, "total", total, total.sum);
  for (std::size_t stage = 0; stage < kStageCount; ++stage) {
    StageValues values;
    bool is_known = false;
    for (const Parts& parts : population.parts) {
      is_known = is_known || parts.ns[stage].has_value();
      values.values.push_back(static_cast<double>(parts.ns[stage].value_or(0)));
      values.sum += values.values.back();
    }
    if (is_known)
      AddStage(table, ToString(static_cast<Stage>(stage)), std::move(values), total.sum);
  }
}

void AddMetricStages(TableOf<ServingStages>& table, const Analysis& analysis) {
  const auto& schema = SchemaOf<ServingStages>();
  const auto all = [&](Metric metric) {
    Histogram sum;
    bool is_first = true;
    for (const ReplicaSeries& series : analysis.replicas) {
      const auto gains = series.Gains(metric);
      // Of a queue at each of two servers no distribution is known.
      if (!gains || (metric == Metric::kQueue && !series.role.empty())) continue;
      if (is_first) {
        sum = *gains;
      } else {
        sum.Add(*gains);
      }
      is_first = false;
    }
    return sum;
  };
  const MeanTimes& times = analysis.times;
  const auto add = [&](std::string_view name, std::optional<double> mean,
                       const Histogram& histogram) {
    if (!mean) mean = histogram.Mean();
    if (!mean) return;
    const auto p50 = histogram.Quantile(0.5), p99 = histogram.Quantile(0.99);
    const double count = histogram.count > 0 ? histogram.count : times.requests;
    table.Add(
        {schema.stage = name, schema.from = std::string_view("metrics"),
         schema.requests =
             static_cast<std::int64_t>(std::isfinite(count) ? std::clamp(count, 0.0, 1e15) : 0),
         schema.share_pct =
             times.total && *times.total > 0 ? Value(100 * *mean / *times.total) : Value(kNull),
         schema.mean_ns = *mean, schema.p50_least_ns = p50 ? FiniteOrNull(p50->least) : kNull,
         schema.p50_most_ns = p50 ? FiniteOrNull(p50->most) : kNull,
         schema.p99_least_ns = p99 ? FiniteOrNull(p99->least) : kNull,
         schema.p99_most_ns = p99 ? FiniteOrNull(p99->most) : kNull});
  };
  add("total", times.total, all(Metric::kE2e));
  add("frontend", times.frontend, {});
  add("queue", times.queue, all(Metric::kQueue));
  if (times.prefill && times.decode) {
    add("prefill", times.prefill, all(Metric::kPrefill));
    add("decode", times.decode, all(Metric::kDecode));
  } else if (times.engine) {
    add("response", times.engine, all(Metric::kInference));
  } else if (times.total && times.queue) {
    add("response", *times.total - *times.queue, {});
  }
}

Table StagesTable(const Analysis& analysis) {
  auto table = SchemaOf<ServingStages>().NewTable(std::string(ServingStages::kName));
  if (!analysis.population.parts.empty()) AddRequestStages(table, analysis.population);
  // Metrics tell what requests do not.
  if (analysis.times.total && !analysis.times.is_of_requests) AddMetricStages(table, analysis);
  return table;
}

struct MethodSums {
  std::vector<const Parts*> parts;
  std::int64_t failed = 0;
  double total = 0;
};

Table MethodsTable(const Analysis& analysis) {
  const auto& schema = SchemaOf<ServingMethods>();
  auto table = schema.NewTable(std::string(ServingMethods::kName));
  const Population& population = analysis.population;
  if (!IsOfService(population.depth)) return table;
  std::map<std::string_view, MethodSums> methods;
  double total = 0;
  for (std::size_t i = 0; i < population.requests.size(); ++i) {
    MethodSums& sums = methods[analysis.requests[population.requests[i]].method];
    sums.parts.push_back(&population.parts[i]);
    sums.total += static_cast<double>(population.parts[i].total);
    total += static_cast<double>(population.parts[i].total);
  }
  for (const Request& request : analysis.requests) {
    if (request.outcome != Outcome::kDone && !request.method.empty())
      ++methods[request.method].failed;
  }
  std::vector<std::pair<std::string_view, const MethodSums*>> order;
  for (const auto& [method, sums] : methods) order.emplace_back(method, &sums);
  std::ranges::stable_sort(order, {}, [](const auto& one) { return -one.second->total; });
  for (const auto& [method, sums] : order) {
    const auto add = [&, method = method, sums = sums](std::string_view stage,
                                                       std::vector<double> values) {
      std::ranges::sort(values);
      double sum = 0;
      for (const double value : values) sum += value;
      const auto at = [&](double q) {
        return values.empty() ? Value(kNull) : Value(Quantile(std::span<const double>(values), q));
      };
      table.Add({schema.method = method, schema.stage = stage,
                 schema.requests = static_cast<std::int64_t>(values.size()),
                 schema.failed = sums->failed,
                 schema.share_pct = total > 0 ? Value(100 * sum / total) : Value(kNull),
                 schema.mean_ns = values.empty() ? Value(kNull)
                                                 : Value(sum / static_cast<double>(values.size())),
                 schema.p50_ns = at(0.5), schema.p90_ns = at(0.9), schema.p99_ns = at(0.99)});
    };
    std::vector<double> totals;
    for (const Parts* one : sums->parts) totals.push_back(static_cast<double>(one->total));
    add("total", std::move(totals));
    for (const Stage stage :
         {Stage::kQueue, Stage::kRead, Stage::kLock, Stage::kHandler, Stage::kSend}) {
      std::vector<double> values;
      bool is_known = false;
      for (const Parts* one : sums->parts) {
        is_known = is_known || one->of(stage).has_value();
        values.push_back(static_cast<double>(one->of(stage).value_or(0)));
      }
      if (is_known) add(ToString(stage), std::move(values));
    }
  }
  return table;
}

Table TailTable(const Analysis& analysis) {
  const auto& schema = SchemaOf<ServingTail>();
  auto table = schema.NewTable(std::string(ServingTail::kName));
  if (!analysis.tail) return table;
  const Tail& tail = *analysis.tail;
  const auto add = [&](std::string_view part, double ns) {
    table.Add({schema.part = part, schema.excess_ns = ns,
               schema.share_pct = 100 * ns / tail.excess_ns(), schema.requests = tail.requests,
               schema.quantile = tail.quantile});
  };
  for (std::size_t stage = 0; stage < kStageCount; ++stage)
    if (tail.stage_ns[stage]) add(ToString(static_cast<Stage>(stage)), *tail.stage_ns[stage]);
  add(tail.is_by_method ? "method" : "length", tail.length_ns);
  table.SortBy({{schema.excess_ns, true}});
  return table;
}

Table LittleTable(const Analysis& analysis) {
  const auto& schema = SchemaOf<ServingLittle>();
  auto table = schema.NewTable(std::string(ServingLittle::kName));
  for (const LittleRow& row : analysis.little) {
    table.Add({schema.stage = std::string_view(row.stage), schema.level = row.level,
               schema.rate_per_s = row.rate, schema.time_ns = row.time_ns,
               schema.difference_pct = row.difference_pct, schema.from = std::string_view(row.from),
               schema.verdict = std::string_view(row.verdict)});
  }
  return table;
}

Table BatchesTable(const Analysis& analysis) {
  const auto& schema = SchemaOf<ServingBatches>();
  auto table = schema.NewTable(std::string(ServingBatches::kName));
  struct Sums {
    std::vector<double> elapsed;
    double context_requests = 0, context_tokens = 0, generation_requests = 0, total = 0;
  };
  std::array<Sums, kBatchKindCount> kinds;
  double total = 0;
  for (const Iteration& one : analysis.data.iterations) {
    if (one.is_dummy) continue;
    Sums& sums = kinds[static_cast<std::size_t>(KindOf(one))];
    sums.elapsed.push_back(static_cast<double>(one.elapsed_ns));
    sums.total += static_cast<double>(one.elapsed_ns);
    total += static_cast<double>(one.elapsed_ns);
    sums.context_requests += static_cast<double>(one.context_requests);
    sums.context_tokens += static_cast<double>(one.context_tokens);
    sums.generation_requests += static_cast<double>(one.generation_requests);
  }
  for (std::size_t kind = 0; kind < kBatchKindCount; ++kind) {
    Sums& sums = kinds[kind];
    if (sums.elapsed.empty()) continue;
    std::ranges::sort(sums.elapsed);
    const auto count = static_cast<double>(sums.elapsed.size());
    const auto at = [&](double q) { return Quantile(std::span<const double>(sums.elapsed), q); };
    table.Add({schema.kind = ToString(static_cast<BatchKind>(kind)),
               schema.from = std::string_view("log"),
               schema.iterations = static_cast<std::int64_t>(sums.elapsed.size()),
               schema.time_pct = total > 0 ? Value(100 * sums.total / total) : Value(kNull),
               schema.mean_ns = sums.total / count, schema.p50_ns = at(0.5),
               schema.p99_ns = at(0.99), schema.context_requests = sums.context_requests / count,
               schema.context_tokens = sums.context_tokens / count,
               schema.generation_requests = sums.generation_requests / count});
  }
  for (const TracePhase& phase : analysis.data.trace_phases) {
    table.Add({schema.kind = std::string_view(phase.phase), schema.from = std::string_view("trace"),
               schema.iterations = phase.steps, schema.time_pct = phase.time_pct,
               schema.mean_ns = phase.mean_ns, schema.p50_ns = phase.median_ns,
               schema.device_busy_pct = phase.busy_pct});
  }
  return table;
}

// The earliest moment of all by clocks that count from 1970: times of tables count from it.
std::int64_t OriginOf(const Analysis& analysis) {
  Ns first;
  const auto take = [&](Ns time) {
    if (time) first = std::min(first.value_or(*time), *time);
  };
  for (const Request& request : analysis.requests)
    if (request.has_wall_clock) take(request.arrival);
  for (const Load& load : analysis.loads) take(load.time);
  for (const Iteration& one : analysis.data.iterations)
    take(one.time ? Ns(*one.time - one.elapsed_ns) : std::nullopt);
  return first.value_or(0);
}

Value Since(std::int64_t origin, Ns time) { return time ? Value(*time - origin) : Value(kNull); }

Table LoadTable(const Analysis& analysis) {
  const std::int64_t origin = OriginOf(analysis);
  const auto& schema = SchemaOf<ServingLoad>();
  auto table = schema.NewTable(std::string(ServingLoad::kName));
  for (const Load& load : analysis.loads) {
    table.Add({schema.replica = std::string_view(load.replica),
               schema.time_ns = Since(origin, load.time), schema.running = load.running,
               schema.waiting = load.waiting, schema.sending = load.sending,
               schema.waiting_capacity = load.waiting_capacity,
               schema.kv_cache_pct = load.kv_usage ? Value(100 * *load.kv_usage) : Value(kNull),
               schema.generation_tokens_per_s = load.generation_tokens_per_s});
  }
  return table;
}

void AddMetric(TableOf<ServingMetrics>& table, const ReplicaSeries& series, Metric metric) {
  const auto& schema = SchemaOf<ServingMetrics>();
  const auto index = static_cast<std::size_t>(metric);
  const Ns duration = series.Duration();
  const auto rate = [&](double gained) {
    return duration && *duration > 0 ? Value(gained / (static_cast<double>(*duration) / 1e9))
                                     : Value(kNull);
  };
  const std::string_view replica = series.replica, server = series.server;
  if (KindOf(metric) == MetricKind::kGauge) {
    std::int64_t samples = 0;
    double sum = 0, most = 0, last = 0;
    for (const Moment& moment : series.moments) {
      if (!moment.gauges[index]) continue;
      last = *moment.gauges[index];
      most = samples == 0 ? last : std::max(most, last);
      sum += last;
      ++samples;
    }
    if (samples == 0) return;
    table.Add({schema.replica = replica, schema.server = server, schema.metric = NameOf(metric),
               schema.kind = std::string_view("gauge"), schema.unit = UnitOf(metric),
               schema.samples = samples, schema.mean = sum / static_cast<double>(samples),
               schema.most = most, schema.last = last});
    return;
  }
  if (KindOf(metric) == MetricKind::kCounter) {
    const auto gained = series.Gained(metric);
    if (!gained) return;
    const auto samples = std::ranges::count_if(
        series.moments, [&](const Moment& one) { return one.gained[index].has_value(); });
    table.Add({schema.replica = replica, schema.server = server, schema.metric = NameOf(metric),
               schema.kind = std::string_view("counter"), schema.unit = UnitOf(metric),
               schema.samples = static_cast<std::int64_t>(samples), schema.gained = *gained,
               schema.per_s = rate(*gained)});
    return;
  }
  const auto gains = series.Gains(metric);
  if (!gains) return;
  const auto p50 = gains->Quantile(0.5), p99 = gains->Quantile(0.99);
  const auto samples = std::ranges::count_if(
      series.moments, [&](const Moment& one) { return one.histograms.contains(metric); });
  const auto mean = gains->Mean();
  table.Add({schema.replica = replica, schema.server = server, schema.metric = NameOf(metric),
             schema.kind = std::string_view("histogram"), schema.unit = UnitOf(metric),
             schema.samples = static_cast<std::int64_t>(samples), schema.mean = mean,
             schema.gained = gains->count, schema.per_s = rate(gains->count),
             schema.p50_least = p50 ? FiniteOrNull(p50->least) : kNull,
             schema.p50_most = p50 ? FiniteOrNull(p50->most) : kNull,
             schema.p99_least = p99 ? FiniteOrNull(p99->least) : kNull,
             schema.p99_most = p99 ? FiniteOrNull(p99->most) : kNull});
}

Table MetricsTable(const Analysis& analysis) {
  auto table = SchemaOf<ServingMetrics>().NewTable(std::string(ServingMetrics::kName));
  for (const ReplicaSeries& series : analysis.replicas) {
    for (std::size_t metric = 0; metric < kMetricCount; ++metric)
      AddMetric(table, series, static_cast<Metric>(metric));
  }
  return table;
}

Ns FirstTokenOf(const Request& request) {
  if (request.ttft) return request.ttft;
  if (request.queue && request.prefill) return *request.queue + *request.prefill;
  return std::nullopt;
}

Ns DecodeOf(const Request& request, const std::optional<Parts>& parts) {
  if (parts && parts->of(Stage::kDecode)) return parts->of(Stage::kDecode);
  return request.decode;
}

Ns PerTokenOf(const Request& request, const std::optional<Parts>& parts) {
  const Ns decode = DecodeOf(request, parts);
  if (!decode || !request.output_tokens || *request.output_tokens < 2) return std::nullopt;
  return *decode / (*request.output_tokens - 1);
}

Value NumberOrNull(std::int64_t number) { return number == 0 ? Value(kNull) : Value(number); }

Table RequestsTable(const Analysis& analysis) {
  const auto& schema = SchemaOf<ServingRequests>();
  auto table = schema.NewTable(std::string(ServingRequests::kName));
  const std::int64_t origin = OriginOf(analysis);
  Ns first_other;  // of clocks that begin anywhere
  for (const Request& request : analysis.requests) {
    if (request.arrival && !request.has_wall_clock)
      first_other = std::min(first_other.value_or(*request.arrival), *request.arrival);
  }
  std::int64_t number = 0;
  for (const Request& request : analysis.requests) {
    const Told& told = analysis.told[static_cast<std::size_t>(number)];
    const auto parts = PartsOf(request);
    const auto stage = [&](Stage one) { return parts ? parts->of(one) : std::nullopt; };
    const Ns gap = request.gaps.empty() ? Ns() : Ns(std::ranges::max(request.gaps));
    table.Add(
        {schema.request = number++,
         schema.id = TextOrNull(request.id),
         schema.trace_id = TextOrNull(request.trace_id),
         schema.side = ToString(request.side),
         schema.outcome = ToString(request.outcome),
         schema.problem = TextOrNull(request.problem),
         schema.replica = TextOrNull(request.replica),
         schema.model = TextOrNull(request.model),
         schema.method = TextOrNull(request.method),
         schema.level = told.level >= 0 ? Value(std::int64_t{told.level}) : Value(kNull),
         schema.arrival_ns =
             Since(request.has_wall_clock ? origin : first_other.value_or(0), request.arrival),
         schema.has_own_clock = request.arrival ? Value(!request.has_wall_clock) : Value(kNull),
         schema.e2e_ns = request.e2e,
         schema.first_token_ns = FirstTokenOf(request),
         schema.network_ns = stage(Stage::kNetwork),
         schema.frontend_ns = stage(Stage::kFrontend),
         schema.queue_ns = request.queue,
         schema.prefill_ns = request.prefill ? request.prefill : stage(Stage::kPrefill),
         schema.decode_ns = DecodeOf(request, parts),
         schema.read_ns = request.read,
         schema.lock_ns = request.lock,
         schema.handler_ns = stage(Stage::kHandler),
         schema.send_ns = request.send,
         schema.per_token_ns = PerTokenOf(request, parts),
         schema.longest_gap_ns = gap,
         schema.prompt_tokens = request.prompt_tokens,
         schema.output_tokens = request.output_tokens,
         schema.cached_tokens = request.cached_tokens,
         schema.lock = TextOrNull(request.lock_name),
         schema.lock_held_ns = request.held,
         schema.batch = request.batch,
         schema.batch_size = request.batch_size,
         schema.thread = NumberOrNull(request.thread),
         schema.connection = NumberOrNull(request.connection),
         schema.source = std::string_view(analysis.data.sources[request.source].path)});
  }
  return table;
}

Table IterationsTable(const Analysis& analysis) {
  const std::int64_t origin = OriginOf(analysis);
  const auto& schema = SchemaOf<ServingIterations>();
  auto table = schema.NewTable(std::string(ServingIterations::kName));
  for (const Iteration& one : analysis.data.iterations) {
    table.Add({schema.iteration = one.number, schema.kind = ToString(KindOf(one)),
               schema.time_ns = Since(origin, one.time), schema.elapsed_ns = one.elapsed_ns,
               schema.context_requests = one.context_requests,
               schema.context_tokens = one.context_tokens,
               schema.generation_requests = one.generation_requests,
               schema.generation_tokens = one.generation_tokens, schema.is_dummy = one.is_dummy});
  }
  return table;
}

Value Of(const std::optional<Spread>& spread, double Spread::*what) {
  return spread ? Value((*spread).*what) : Value(kNull);
}

// "objective, capacity".
std::string MarksOf(const Saturation& found, std::size_t level) {
  std::string marks;
  for (const auto& [where, mark] : {std::pair(found.objective, "objective"),
                                    {found.broken, "broken"},
                                    {found.capacity, "capacity"},
                                    {found.overload, "beyond"},
                                    {found.knee, "knee"}}) {
    if (where == level) marks += fmt::format("{}{}", marks.empty() ? "" : ", ", mark);
  }
  return marks;
}

Table LevelsTable(const Study& study) {
  const auto& schema = SchemaOf<ServingLevels>();
  auto table = schema.NewTable(std::string(ServingLevels::kName));
  const std::int64_t origin = OriginOf(study.all);
  for (std::size_t i = 0; i < study.levels.size(); ++i) {
    const LevelResult& one = study.levels[i];
    const std::string marks = MarksOf(study.saturation, i);
    const LevelCapture capture = one.level.capture.value_or(LevelCapture());
    table.Add({schema.level = std::int64_t{one.level.number},
               schema.begin_ns = Since(origin, one.level.has_wall_clock ? one.level.begin : Ns()),
               schema.kind = ToString(one.level.kind),
               schema.arrivals = TextOrNull(one.level.arrivals),
               schema.target_per_s = one.level.target_per_s,
               schema.end_per_s = one.level.end_per_s,
               schema.users = one.level.users,
               schema.state = ToString(one.state),
               schema.marks = TextOrNull(marks),
               schema.headroom_pct = HeadroomPct(one, study.saturation),
               schema.is_focus = study.focus == i,
               schema.was_stopped = one.level.was_stopped,
               schema.invalid = TextOrNull(one.invalid),
               schema.requests = one.requests,
               schema.failed = one.failed,
               schema.unfinished = one.unfinished,
               schema.warm_up_ns = one.warm_up,
               schema.window_ns = one.window,
               schema.offered_per_s = one.offered_per_s,
               schema.served_per_s = one.served_per_s,
               schema.output_tokens_per_s = one.output_tokens_per_s,
               schema.inside = one.inside,
               schema.ttft_p50_ns = Of(one.ttft, &Spread::p50),
               schema.ttft_p90_ns = Of(one.ttft, &Spread::p90),
               schema.ttft_p99_ns = Of(one.ttft, &Spread::p99),
               schema.tpot_p50_ns = Of(one.tpot, &Spread::p50),
               schema.tpot_p90_ns = Of(one.tpot, &Spread::p90),
               schema.tpot_p99_ns = Of(one.tpot, &Spread::p99),
               schema.e2e_mean_ns = Of(one.e2e, &Spread::mean),
               schema.e2e_p50_ns = Of(one.e2e, &Spread::p50),
               schema.e2e_p90_ns = Of(one.e2e, &Spread::p90),
               schema.e2e_p99_ns = Of(one.e2e, &Spread::p99),
               schema.e2e_from_send_p99_ns = Of(one.e2e_from_send, &Spread::p99),
               schema.good_pct = one.good_pct,
               schema.good_error_pct = one.good_error_pct,
               schema.good_per_s = one.good_per_s,
               schema.lag_p99_ns = one.lag_p99,
               schema.client_busy_pct = one.level.client_busy_pct,
               schema.silence_ns = one.silence,
               schema.silence_at_ns = one.silence_at,
               schema.is_stall = one.is_stall,
               schema.capture_run = TextOrNull(capture.run),
               schema.capture_page = TextOrNull(capture.page),
               schema.capture_files = capture.files,
               schema.capture_problem = TextOrNull(capture.problem)});
  }
  return table;
}

Table GoodputTable(const Analysis& analysis, const Objective& objective) {
  const auto& schema = SchemaOf<ServingGoodput>();
  auto table = schema.NewTable(std::string(ServingGoodput::kName));
  for (const GoodputRow& row : GoodputOf(analysis, objective)) {
    table.Add({schema.objective = row.objective, schema.limit_ns = row.limit,
               schema.requests = row.known, schema.good = row.known > 0 ? Value(row.good) : kNull,
               schema.good_pct = row.known > 0 ? Percent(row.good, row.known) : Value(kNull),
               schema.per_s = row.per_s});
  }
  return table;
}

Table SourcesTable(const Analysis& analysis) {
  const auto& schema = SchemaOf<ServingSources>();
  auto table = schema.NewTable(std::string(ServingSources::kName));
  const std::int64_t origin = OriginOf(analysis);
  for (const Source& source : analysis.data.sources) {
    table.Add({schema.path = std::string_view(source.path),
               schema.format = std::string_view(source.format), schema.records = source.records,
               schema.origin = origin > 0 ? Value(origin) : Value(kNull)});
  }
  return table;
}

Table NotesTable(const Analysis& analysis, const Causes& causes) {
  const auto& schema = SchemaOf<ServingNotes>();
  auto table = schema.NewTable(std::string(ServingNotes::kName));
  const auto add = [&](std::string_view note, bool leads = false) {
    table.Add({schema.note = note, schema.is_unchecked = false, schema.leads = leads});
  };
  if (const std::string failures = FailureWords(analysis); !failures.empty()) add(failures, true);
  const Population& population = analysis.population;
  const auto count = [&](std::int64_t number, std::string_view what, bool leads = false) {
    if (number > 0)
      add(fmt::format("{} of {} records of requests {}", number, analysis.requests.size(), what),
          leads);
  };
  // What remains speaks for no more than itself.
  const bool is_mostly_wrong =
      population.contradictory * 2 > static_cast<std::int64_t>(analysis.requests.size());
  const auto count_wrong = [&] {
    count(population.contradictory, "contradict themselves: their stages exceed their time",
          is_mostly_wrong);
  };
  if (is_mostly_wrong) count_wrong();
  for (const std::string& note : analysis.data.notes) add(note);
  count(population.failed, "failed and are in no stage");
  count(population.cancelled, "were cancelled and are in no stage");
  count(population.without_duration, "have no duration");
  if (!is_mostly_wrong) count_wrong();
  count(population.others, "are by another side or less fine than the rest, and in no stage");
  if (!population.parts.empty() && population.parts.size() < kLeastForTail)
    add(fmt::format("what makes the slowest requests slow needs {} requests; these are {}",
                    kLeastForTail, analysis.population.parts.size()));
  for (const ReplicaSeries& series : analysis.replicas) {
    if (series.is_since_start)
      add(
          fmt::format("{}: one scrape: counts are of the server's whole life; scrape it twice, "
                      "before and after what is slow",
                      series.replica));
  }
  for (const std::string& one : causes.unchecked)
    table.Add(
        {schema.note = std::string_view(one), schema.is_unchecked = true, schema.leads = false});
  return table;
}

}  // namespace

std::vector<Table> MakeTables(const Study& study) {
  const Analysis& all = study.all;
  const Analysis& part = study.part();
  std::vector<Table> tables;
  tables.push_back(FindingsTable(study.causes));
  tables.push_back(StagesTable(part));
  tables.push_back(MethodsTable(part));
  tables.push_back(TailTable(part));
  tables.push_back(LittleTable(part));
  tables.push_back(LevelsTable(study));
  tables.push_back(BatchesTable(part));
  tables.push_back(BatchSizesTable(all));
  tables.push_back(OverTimeTable(all, OriginOf(all)));
  tables.push_back(LoadTable(all));
  tables.push_back(MetricsTable(all));
  tables.push_back(GoodputTable(all, study.objective));
  tables.push_back(EnergyTable(study, OriginOf(all)));
  tables.push_back(RequestsTable(all));
  tables.push_back(IterationsTable(all));
  tables.push_back(TuningsTable(all.data.tunings));
  tables.push_back(TrialsTable(all.data.tunings));
  tables.push_back(SourcesTable(all));
  tables.push_back(NotesTable(all, study.causes));
  return tables;
}

}  // namespace rankscope::serving
