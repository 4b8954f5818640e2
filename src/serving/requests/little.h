// Little's law, L = lambda W, for stages: compares the server's numbers of waiting and running
// requests with those that follow from its requests.
//
// L comes from gauges (the mean over time, each value holding until the next), lambda and W from
// requests or, without any, from counters and histograms. So the three measurements are
// independent. For a service with its own recorder the stages are the queue, the handler (with
// reading its arguments and its locks) and sending. The law holds in a window that ends as it
// began; up to 5% difference counts as holding. Otherwise the verdict names the reason that the
// recording shows: the level at the end is far from that at the begin (no steady state), fewer
// requests were recorded than the server counts (lost requests), else clocks or sampling (a gauge
// that is scraped every n seconds misses shorter changes).
#pragma once

#include <string>
#include <vector>

#include "serving/metrics/series.h"
#include "serving/requests/stages.h"

namespace rankscope::serving {

struct LittleRow {
  std::string stage;          // "queue", "engine", "handler", "send"
  double level = 0;           // L, requests
  double rate = 0;            // lambda, per second
  double time_ns = 0;         // W
  double difference_pct = 0;  // (L - lambda W) / max(L, lambda W)
  std::string from;           // "requests" or "metrics"
  std::string verdict;  // "holds", "too few to tell", "no steady state", "lost requests", "clocks
                        // or sampling"
};

// No rows without loads, or without requests and counters.
std::vector<LittleRow> CheckLittle(const std::vector<Request>& requests,
                                   const Population& population, const std::vector<Load>& loads,
                                   const std::vector<ReplicaSeries>& replicas);

}  // namespace rankscope::serving
