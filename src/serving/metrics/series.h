// Orders scrapes: assigns them to replicas, and gives the increase of counters and histograms
// between them.
//
// A replica is an instance (label or comment), else a file with several scrapes, else the files of
// one folder whose names differ only in their time (or in their last number, if none is a time). If
// files of such a set were scraped at one time, or their process_start_time_seconds alternate, they
// are of several replicas: labels do not distinguish them, since servers of one device all call
// themselves rank 0.
//
// Engines of one server (vLLM's label `engine`, SGLang's `dp_rank`) have their own slots and cache,
// so each is a series. Values without an engine count with the first. The process's start applies
// to all.
//
// Where SGLang prefills and decodes on different servers (label `engine_type`), both count each
// request with its tokens and its time: those of a model count at decode only, if it was scraped.
//
// SGLang's tensor and pipeline ranks export the same numbers, so only the first of each counts. If
// a server exports a metric by its old and its new name, the new one counts. A counter that falls
// was reset, and all were reset if process_start_time_seconds became later; then their values are
// their increase. While a counter is not a number its increase is unknown, or appears in the next
// scrape where it is a number again. A single scrape holds the increase since the server began.
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
  // Upper bound to the number of values up to it, including +Inf; empty if bounds changed
  // meanwhile.
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

// What a server counted for one of its models (Triton's label `model`), over all moments.
struct ModelCounts {
  double finished = 0, inferences = 0, executions = 0;
  double request_ns = 0, queue_ns = 0, infer_ns = 0;

  void Add(const ModelCounts& other);
};

struct ReplicaSeries {
  std::string replica;
  std::string server;  // "vLLM"
  std::string model;   // that it serves, "a, b" of several; "" unknown
  std::string role;    // "prefill" or "decode" where servers divide these; "" does both
  std::vector<Moment>
      moments;  // by time; gains of the first are not known unless it is the only one
  std::map<std::string, ModelCounts> models;  // by name
  std::int64_t resets = 0;                    // moments at which counters had begun anew
  bool is_since_start = false;                // one scrape: gains are since the server began

  // Sums over all moments; nullopt if no moment has it.
  std::optional<double> Gained(Metric metric) const;
  std::optional<Histogram> Gains(Metric metric) const;
  // From the first scrape to the last; for a single one since the process's start, if known.
  Ns Duration() const;
};

// In the order of their names. Adds notes of scrapes that could not be used.
std::vector<ReplicaSeries> SeriesOf(ServingData& data);

// The loads in scrapes, each at its moment.
std::vector<Load> LoadsOf(const std::vector<ReplicaSeries>& replicas);

}  // namespace rankscope::serving
