// Scrapes put in order: which are of one replica, and what its counters and histograms gained
// between them.
//
// A replica is an instance (label or comment), else a file with several scrapes, else the files of
// one folder whose names differ in their time alone (or in their last number, where none is a
// time). Files of such a set that were scraped at one time,
// or whose process_start_time_seconds alternate, are of several replicas: labels do not tell them
// apart, since servers of one device all call themselves rank 0.
//
// Engines of one server (vLLM's label `engine`, SGLang's `dp_rank`) have slots and a cache each, so
// that each is a series. What tells no engine counts with the first; when the process began is of
// all.
//
// Of SGLang's tensor and pipeline ranks, which export the same numbers, the first of each counts.
// Where a server exports a metric by its old and its new name, the new one counts. A counter that
// falls was reset, and so were all where process_start_time_seconds became later: what they hold
// then is what they gained. What a counter gained while it was no number is unknown, or that of the
// next scrape where it is one again. A single scrape has what the server gained
// since it began.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "serving/base/data.h"
#include "serving/base/metric_names.h"

namespace rankscope::serving {

inline constexpr std::size_t kMetricCount = static_cast<std::size_t>(Metric::kInference) + 1;

struct Histogram {
  double sum = 0;  // NaN: unknown
  double count = 0;
  // Upper bound to how many are at most that, +Inf among them; empty where bounds changed on the
  // way.
  std::map<double, double> buckets;
  bool has_same_bounds = true;

  void Add(const Histogram& other);
  std::optional<double> Mean() const;
  // The bounds of the bucket in which the quantile lies; nullopt without buckets. The upper one may
  // be infinite.
  struct Interval {
    double least = 0;
    double most = 0;
  };
  std::optional<Interval> Quantile(double q) const;
};

struct Moment {
  Ns time;
  std::array<std::optional<double>, kMetricCount> gauges;
  std::array<std::optional<double>, kMetricCount> gained;  // counters, since the moment before
  std::map<Metric, Histogram> histograms;                  // likewise
  std::optional<double> waiting_capacity;
  std::optional<double> cached_prompt_tokens;  // gained, of prompt_tokens_by_source
  std::optional<double> busy_slots;            // mean per decode since the moment before
};

struct ReplicaSeries {
  std::string replica;
  std::string server;  // "vLLM"
  std::vector<Moment>
      moments;              // by time; gains of the first are not known unless it is the only one
  std::int64_t resets = 0;  // moments at which counters had begun anew
  bool is_since_start = false;  // one scrape: gains are since the server began

  // Sums over all moments; nullopt where no moment knows it.
  std::optional<double> Gained(Metric metric) const;
  std::optional<Histogram> Gains(Metric metric) const;
  // From the first scrape to the last; of a single one since the process began, where that is
  // known.
  Ns Duration() const;
};

// In the order of their names. Adds notes of scrapes that could not be used.
std::vector<ReplicaSeries> SeriesOf(ServingData& data);

// The loads that scrapes tell, each at its moment.
std::vector<Load> LoadsOf(const std::vector<ReplicaSeries>& replicas);

}  // namespace rankscope::serving
