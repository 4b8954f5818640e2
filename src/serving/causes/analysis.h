// All results computed once from a serving program's data, for the tables and the causes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "serving/base/data.h"
#include "serving/metrics/series.h"
#include "serving/requests/batches.h"
#include "serving/requests/join.h"
#include "serving/requests/little.h"
#include "serving/requests/stages.h"
#include "serving/requests/tail.h"

namespace rankscope::serving {

// The mean time of a request, by requests or by metrics.
struct MeanTimes {
  std::optional<double> total, queue, frontend, engine;  // ns
  std::optional<double> prefill, decode;                 // of `engine`, where metrics divide it
  bool is_of_requests = false;
  double requests = 0;

  // Share of the total; nullopt if either is unknown.
  std::optional<double> QueueShare() const;
};

// What a server of several models tells of one.
struct ModelTimes {
  std::string model;
  MeanTimes times;
};

// Executions of a model by Triton.
struct Executions {
  double size = 0;                // requests of one
  std::optional<double> at_once;  // on average, while the server was scraped
};

struct Analysis {
  ServingData data;
  std::vector<Request> requests;  // joined, in the order of arrival
  std::vector<Told> told;         // of each
  std::int64_t joined = 0;
  Population population;
  std::vector<ReplicaSeries> replicas;
  std::vector<Load> loads;  // of scrapes and logs, by replica and time
  Batches batches;
  std::optional<Tail> tail;
  std::vector<LittleRow> little;
  MeanTimes times;
  std::vector<ModelTimes> models;                // where `times` are of metrics of several models
  std::map<std::string, Executions> executions;  // by model; ensembles have none of their own
};

// O(n log n) in requests, iterations and samples.
Analysis Analyse(ServingData data);

}  // namespace rankscope::serving
