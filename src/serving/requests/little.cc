#include "serving/requests/little.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace rankscope::serving {
namespace {

constexpr double kHoldsPct = 5;
constexpr std::size_t kLeastLoads = 5;
constexpr double kLeastInside = 0.1;  // of less than a tenth of a request gauges tell nothing

struct Level {
  double mean = 0;   // over time, of all replicas together
  double drift = 0;  // at the end less at the begin: of the last and first fifth
  std::int64_t begin = std::numeric_limits<std::int64_t>::min();
  std::int64_t end = std::numeric_limits<std::int64_t>::max();
};

// Over the time that all replicas have loads of.
std::optional<Level> LevelOf(const std::vector<Load>& loads, std::optional<double> Load::*what) {
  std::map<std::string, std::vector<std::pair<std::int64_t, double>>> by_replica;
  for (const Load& load : loads) {
    if (load.time && load.*what) by_replica[load.replica].emplace_back(*load.time, *(load.*what));
  }
  if (by_replica.empty()) return std::nullopt;
  Level level;
  for (auto& [replica, values] : by_replica) {
    std::ranges::sort(values);
    if (values.size() < kLeastLoads) return std::nullopt;
    level.begin = std::max(level.begin, values.front().first);
    level.end = std::min(level.end, values.back().first);
  }
  if (level.end <= level.begin) return std::nullopt;
  for (const auto& [replica, values] : by_replica) {
    double area = 0;
    for (std::size_t i = 0; i + 1 < values.size(); ++i) {
      const std::int64_t from = std::max(values[i].first, level.begin);
      const std::int64_t to = std::min(values[i + 1].first, level.end);
      if (to > from) area += values[i].second * static_cast<double>(to - from);
    }
    level.mean += area / static_cast<double>(level.end - level.begin);
    const std::size_t fifth = std::max<std::size_t>(values.size() / 5, 1);
    double first = 0, last = 0;
    for (std::size_t i = 0; i < fifth; ++i) {
      first += values[i].second;
      last += values[values.size() - 1 - i].second;
    }
    level.drift += (last - first) / static_cast<double>(fifth);
  }
  return level;
}

void Judge(LittleRow& row, const Level& level, double recorded, std::optional<double> counted) {
  const double product = row.rate * row.time_ns / 1e9;
  const double greater = std::max(row.level, product);
  row.difference_pct = greater > 0 ? 100 * (row.level - product) / greater : 0;
  if (std::abs(row.difference_pct) <= kHoldsPct) {
    row.verdict = "holds";
  } else if (greater < kLeastInside) {
    row.verdict = "too few to tell";
  } else if (std::abs(level.drift) > 0.5 * std::max(row.level, 1.0)) {
    row.verdict = "no steady state";
  } else if (counted && *counted > recorded * 1.05) {
    row.verdict = "lost requests";
  } else {
    row.verdict = "clocks or sampling";
  }
}

// A gauge, and the stages of a request that it counts, behind those before them.
struct Kind {
  const char* name;
  std::optional<double> Load::*gauge;
  std::vector<Stage> before, stages;
};

std::vector<Kind> KindsOf(bool is_service) {
  const std::vector<Stage> queue = {Stage::kQueue};
  if (!is_service)
    return {{"queue", &Load::waiting, {}, queue},
            {"engine", &Load::running, queue, {Stage::kPrefill, Stage::kDecode}}};
  const std::vector<Stage> worker = {Stage::kRead, Stage::kLock, Stage::kHandler};
  return {{"queue", &Load::waiting, {}, queue},
          {"handler", &Load::running, queue, worker},
          {"send",
           &Load::sending,
           {Stage::kQueue, Stage::kRead, Stage::kLock, Stage::kHandler},
           {Stage::kSend}}};
}

std::int64_t SumOf(const Parts& parts, const std::vector<Stage>& stages) {
  std::int64_t sum = 0;
  for (const Stage stage : stages) sum += parts.of(stage).value_or(0);
  return sum;
}

std::optional<double> FinishedOf(const std::vector<ReplicaSeries>& replicas) {
  std::optional<double> sum;
  for (const ReplicaSeries& series : replicas) {
    if (series.is_since_start) continue;
    if (const auto gained = series.Gained(Metric::kFinished)) sum = sum.value_or(0) + *gained;
  }
  return sum;
}

}  // namespace

std::vector<LittleRow> CheckLittle(const std::vector<Request>& requests,
                                   const Population& population, const std::vector<Load>& loads,
                                   const std::vector<ReplicaSeries>& replicas) {
  std::vector<LittleRow> rows;
  const bool is_service = IsOfService(population.depth);
  const bool has_stages = is_service || population.depth == Depth::kAll;
  for (const Kind& kind : KindsOf(is_service)) {
    const auto level = LevelOf(loads, kind.gauge);
    if (!level) continue;
    const double seconds = static_cast<double>(level->end - level->begin) / 1e9;
    LittleRow row{.stage = kind.name, .level = level->mean};
    double sum_ns = 0, count = 0;
    if (has_stages) {
      for (std::size_t i = 0; i < population.requests.size(); ++i) {
        const Request& request = requests[population.requests[i]];
        const Parts& parts = population.parts[i];
        if (!request.arrival || !request.has_wall_clock) continue;
        const std::int64_t enters = *request.arrival + SumOf(parts, kind.before);
        if (enters < level->begin || enters >= level->end) continue;
        sum_ns += static_cast<double>(SumOf(parts, kind.stages));
        count += 1;
      }
    }
    if (count > 0) {
      row.from = "requests";
      row.rate = count / seconds;
      row.time_ns = sum_ns / count;
      Judge(row, *level, count, FinishedOf(replicas));
      rows.push_back(std::move(row));
      continue;
    }
    if (is_service) continue;
    Histogram all;
    for (const ReplicaSeries& series : replicas) {
      if (series.is_since_start) continue;
      const auto gains =
          series.Gains(kind.gauge == &Load::waiting ? Metric::kQueue : Metric::kInference);
      if (gains) {
        all.sum += gains->sum;
        all.count += gains->count;
      }
    }
    if (!all.Mean()) continue;
    row.from = "metrics";
    row.rate = all.count / seconds;
    row.time_ns = *all.Mean();
    Judge(row, *level, all.count, std::nullopt);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace rankscope::serving
