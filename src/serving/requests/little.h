// Little's law, L = lambda W, for stages: what a server says waits or runs, against what its
// requests say.
//
// L comes from gauges (the mean over time, each value holding until the next), lambda and W from
// requests or, without any, from counters and histograms: three measurements of which none follows
// from the others. Of a service that its recorder looks at they are the queue, the handler (with
// reading its arguments and its locks) and sending. It holds in a window that ends as it began;
// within 5% it is taken to. Where it does not, the verdict names what the recording shows: the
// level at the end far from that at the begin (no steady state), fewer requests recorded than the
// server counts (lost requests), else clocks or sampling (a gauge that is scraped every n seconds
// misses what is shorter).
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

// Without loads, or without requests and counters, there are no rows.
std::vector<LittleRow> CheckLittle(const std::vector<Request>& requests,
                                   const Population& population, const std::vector<Load>& loads,
                                   const std::vector<ReplicaSeries>& replicas);

}  // namespace rankscope::serving
