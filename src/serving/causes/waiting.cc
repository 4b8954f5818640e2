#include "serving/causes/waiting.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "statistics/trend.h"
#include "table/human_number.h"

namespace rankscope::serving {
namespace {

constexpr std::size_t kMostTrendPoints = 400;  // the slope goes over all pairs

bool Grows(const std::vector<const Load*>& loads) {
  std::vector<::rankscope::Point> points;
  const std::size_t every = loads.size() / kMostTrendPoints + 1;
  for (std::size_t i = 0; i < loads.size(); i += every) {
    points.push_back({.x = static_cast<std::int64_t>(points.size()),
                      .y = std::llround(std::clamp(*loads[i]->waiting, -1e12, 1e12))});
  }
  if (points.size() < 10) return false;
  const auto slope = TheilSenSlope(points);
  const std::size_t fifth = points.size() / 5;
  double first = 0, last = 0;
  for (std::size_t i = 0; i < fifth; ++i) {
    first += static_cast<double>(points[i].y);
    last += static_cast<double>(points[points.size() - 1 - i].y);
  }
  return slope && *slope > 0 && last > 2 * first && last > static_cast<double>(fifth);
}

}  // namespace

std::optional<Preemptions> PreemptionsOf(const std::vector<ReplicaSeries>& replicas) {
  std::optional<double> events;
  double finished = 0;
  for (const ReplicaSeries& series : replicas) {
    if (const auto gained = series.Gained(Metric::kPreemptions))
      events = events.value_or(0) + *gained;
    finished += series.Gained(Metric::kFinished).value_or(0);
  }
  if (!events) return std::nullopt;
  return Preemptions{*events, finished};
}

std::string PreemptionWords(const Preemptions& preemptions) {
  return fmt::format("{} preemption{} over {} requests", HumanDecimal(preemptions.events),
                     preemptions.events == 1 ? "" : "s", HumanDecimal(preemptions.finished));
}

Waiting WaitingOf(const std::vector<Load>& loads) {
  Waiting result;
  std::map<std::string, double> ceiling;
  std::map<std::string, std::vector<const Load*>> by_replica;
  for (const Load& load : loads) {
    if (load.running) {
      double& most = ceiling[load.replica];
      most = std::max(most, *load.running);
    }
    if (load.waiting) by_replica[load.replica].push_back(&load);
    if (load.kv_usage) result.most_kv = std::max(result.most_kv, *load.kv_usage);
  }
  for (const auto& [replica, of_replica] : by_replica) {
    result.grows = result.grows || Grows(of_replica);
    result.most_running = std::max(result.most_running, ceiling[replica]);
    for (const Load* load : of_replica) {
      ++result.samples;
      result.mean_waiting += *load->waiting;
      result.mean_running += load->running.value_or(0);
      result.for_capacity += load->waiting_capacity.value_or(0) >= 1;
      if (!(*load->waiting >= 1)) continue;
      ++result.waiting;
      const bool is_at_ceiling =
          load->running && *load->running >= 1 && *load->running >= 0.95 * ceiling[replica];
      result.at_ceiling += is_at_ceiling;
      result.running_known += load->running.has_value();
      result.reason_known += load->waiting_capacity.has_value();
      result.deferred += load->waiting_capacity && *load->waiting_capacity * 2 < *load->waiting;
      if (!load->kv_usage) continue;
      ++result.kv_known;
      result.mean_kv_waiting += *load->kv_usage;
      result.kv_full += *load->kv_usage >= 0.95;
      result.kv_room += *load->kv_usage < 0.85;
      result.kv_below += *load->kv_usage >= 0.85 && !is_at_ceiling;
    }
  }
  if (result.samples > 0) {
    result.mean_waiting /= static_cast<double>(result.samples);
    result.mean_running /= static_cast<double>(result.samples);
  }
  if (result.kv_known > 0) result.mean_kv_waiting /= static_cast<double>(result.kv_known);
  return result;
}

}  // namespace rankscope::serving
