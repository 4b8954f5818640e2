// The load of a service's workers while its requests wait, from the records of its requests.
//
// A worker is busy with a request from the moment it takes it to the last byte of the answer (to
// the handler's end, if that is unknown; until it takes the next one, if others send its answers).
// A worker is held if it takes requests of one connection after another and waits for the next one:
// the case of servers that give a worker to each connection. The number of workers is the most that
// were ever busy or held at once, for each replica.
#pragma once

#include <cstdint>
#include <optional>

#include "serving/causes/analysis.h"

namespace rankscope::serving {

struct Workers {
  std::int64_t workers = 0;  // of the replica that has the most
  std::int64_t replicas = 0;
  double waiting_ns = 0;  // of all requests
  double full_ns = 0;     // of that, while all workers were busy
  double held_ns = 0;     // of that, while all were busy or held, and some were held
  double busy_share = 0;  // of the workers' time, from the first arrival to the last end
  // Squared coefficients of variation: of gaps between arrivals, and of the time with a worker.
  std::optional<double> arrivals_variation, service_variation;
  double service_ns = 0;  // mean time with a worker
  double rate_per_s = 0;  // at which requests come, of a replica
  // Mean wait by Allen and Cunneen, from the four above; nullopt if workers are always busy.
  std::optional<double> expected_wait_ns;
  // Waits of the last fifth of the requests are over twice as long as those of the first, and
  // longer than a service.
  bool grows = false;
};

// nullopt below 50 requests with a known queue time. O(n log n).
std::optional<Workers> WorkersOf(const Analysis& analysis);

// The share of requests that wait with `servers` at a load of `busy` each (Erlang's C), 0 < busy
// < 1.
double ErlangC(std::int64_t servers, double busy);

}  // namespace rankscope::serving
