// One request that several recorded is one: a client's record, a proxy's and the server's are
// joined by id, or by trace where each side has one request of it.
//
// vLLM answers with the X-Request-Id that it was sent behind `cmpl-` or `chatcmpl-`, which are no
// part of the id. What a client measured beyond the server's time is the network's (`around`).
#pragma once

#include <utility>
#include <vector>

#include "serving/base/data.h"

namespace rankscope::serving {

// A request as the outermost of those who recorded it measured it: its user's time, where a client
// or a proxy tells it.
struct Told {
  Ns arrival, e2e, ttft, decode;
  bool has_wall_clock = true;
  std::int32_t level = -1;                                // of a load generator's run
  std::vector<std::pair<std::uint32_t, Side>> recorders;  // the source of each record, and its side
};

struct Joined {
  std::vector<Request> requests;  // in the order of arrival, those without at the end
  std::vector<Told> told;         // of each
  std::int64_t joined = 0;        // requests that two sides recorded
  std::int64_t repeated = 0;  // records that another file has, too: id, times and side are equal
};

// O(n log n). Ids that one side used twice join nothing.
Joined JoinRequests(const std::vector<Request>& requests);

}  // namespace rankscope::serving
