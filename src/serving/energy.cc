#include "serving/energy.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>

namespace rankscope::serving {
namespace {

// A stretch of time; none where begin >= end.
struct Stretch {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = std::numeric_limits<std::int64_t>::min();

  void Cover(std::int64_t time) {
    begin = std::min(begin, time);
    end = std::max(end, time);
  }
};

double PartOf(Stretch whole, Stretch part) {
  const std::int64_t begin = std::max(whole.begin, part.begin);
  const std::int64_t end = std::min(whole.end, part.end);
  return begin >= end
             ? 0
             : static_cast<double>(end - begin) / static_cast<double>(whole.end - whole.begin);
}

bool CountsTokens(const ReplicaSeries& series) {
  return series.moments.size() >= 2 && series.Gained(Metric::kGenerationTokens).has_value();
}

// The time in which every replica that counts tokens was scraped.
std::optional<Stretch> ScrapedTime(const std::vector<ReplicaSeries>& replicas) {
  std::optional<Stretch> time;
  for (const ReplicaSeries& series : replicas) {
    if (!CountsTokens(series)) continue;
    Stretch of_replica;
    for (const Moment& moment : series.moments)
      if (moment.time) of_replica.Cover(*moment.time);
    if (!time) time = of_replica;
    time->begin = std::max(time->begin, of_replica.begin);
    time->end = std::min(time->end, of_replica.end);
  }
  return time;
}

// Of counters, each gain spread evenly over the time between its scrapes; nullopt where one is
// unknown.
std::optional<double> TokensOfCounters(const std::vector<ReplicaSeries>& replicas, Stretch in) {
  double tokens = 0;
  for (const ReplicaSeries& series : replicas) {
    if (!CountsTokens(series)) continue;
    for (std::size_t i = 1; i < series.moments.size(); ++i) {
      const Moment& from = series.moments[i - 1];
      const Moment& to = series.moments[i];
      if (!from.time || !to.time) return std::nullopt;
      const double part = PartOf({*from.time, *to.time}, in);
      if (part <= 0) continue;
      const auto gained = to.gained[static_cast<std::size_t>(Metric::kGenerationTokens)];
      if (!gained) return std::nullopt;
      tokens += part * *gained;
    }
  }
  return tokens;
}

Ns EndOf(const Request& request) {
  if (!request.arrival || !request.e2e || !request.has_wall_clock) return std::nullopt;
  return *request.arrival + *request.e2e;
}

Stretch TimeOfRequests(const std::vector<Request>& requests) {
  Stretch time;
  for (const Request& request : requests) {
    const Ns end = EndOf(request);
    if (!end) continue;
    time.Cover(*request.arrival);
    time.Cover(*end);
  }
  return time;
}

std::optional<double> TokensOfRequests(const std::vector<Request>& requests, Stretch in) {
  double tokens = 0;
  for (const Request& request : requests) {
    const Ns end = EndOf(request);
    if (!end || *end < in.begin || *end > in.end || request.outcome != Outcome::kDone) continue;
    if (!request.output_tokens) return std::nullopt;
    tokens += static_cast<double>(*request.output_tokens);
  }
  return tokens;
}

// A gauge holds until its next sample; nullopt where no replica tells what it runs.
std::optional<double> IdleJoules(const std::vector<Load>& loads, const DeviceEnergy& devices,
                                 Stretch in) {
  std::vector<const Load*> by_time;
  for (const Load& load : loads)
    if (load.time && load.running) by_time.push_back(&load);
  if (by_time.empty()) return std::nullopt;
  std::ranges::stable_sort(by_time, {}, [](const Load* load) { return *load->time; });
  std::map<std::string_view, double> running;
  for (const Load* load : by_time) running[load->replica] = -1;  // not known yet
  double idle = 0;
  for (std::size_t i = 0; i < by_time.size(); ++i) {
    running[by_time[i]->replica] = *by_time[i]->running;
    const bool is_idle =
        std::ranges::all_of(running, [](const auto& replica) { return replica.second == 0; });
    const std::int64_t until = i + 1 < by_time.size() ? *by_time[i + 1]->time : in.end;
    const Stretch part{std::max(*by_time[i]->time, in.begin), std::min(until, in.end)};
    if (!is_idle || part.begin >= part.end) continue;
    idle += devices.Between(part.begin, part.end).value_or(0);
  }
  return idle;
}

std::optional<EnergyRow> RowOf(std::string part, Stretch time, const Analysis& all,
                               const DeviceEnergy& devices) {
  if (time.begin >= time.end) return std::nullopt;
  const std::optional<double> joules = devices.Between(time.begin, time.end);
  if (!joules || *joules <= 0) return std::nullopt;
  EnergyRow row{.part = std::move(part),
                .begin = time.begin,
                .duration = time.end - time.begin,
                .joules = *joules};
  if (const auto idle = IdleJoules(all.loads, devices, time)) row.idle_pct = 100 * *idle / *joules;
  return row;
}

}  // namespace

std::vector<EnergyRow> EnergyOf(const Analysis& all, const std::vector<LevelResult>& levels,
                                const DeviceEnergy& devices) {
  std::vector<EnergyRow> rows;
  if (devices.devices() == 0) return rows;
  const std::optional<Stretch> scraped = ScrapedTime(all.replicas);
  Stretch time = scraped ? *scraped : TimeOfRequests(all.requests);
  time = {std::max(time.begin, devices.begin()), std::min(time.end, devices.end())};
  if (auto row = RowOf("all", time, all, devices)) {
    row->output_tokens =
        scraped ? TokensOfCounters(all.replicas, time) : TokensOfRequests(all.requests, time);
    rows.push_back(std::move(*row));
  }
  for (const LevelResult& result : levels) {
    if (!result.level.begin || result.window <= 0) continue;
    const std::int64_t begin = *result.level.begin + result.warm_up.value_or(0);
    auto row = RowOf(fmt::format("level {}", result.level.number), {begin, begin + result.window},
                     all, devices);
    if (!row) continue;
    if (result.output_tokens_per_s)
      row->output_tokens = *result.output_tokens_per_s * static_cast<double>(result.window) / 1e9;
    rows.push_back(std::move(*row));
  }
  return rows;
}

}  // namespace rankscope::serving
