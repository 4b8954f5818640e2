// Merges the records of one request: a client's record, a proxy's and the server's are joined by
// id, or by trace if each side has one request of it.
//
// vLLM answers with the X-Request-Id that it received, after the prefix `cmpl-` or `chatcmpl-`,
// which is not part of the id. A client's time beyond the server's belongs to the network
// (`around`).
#pragma once

#include <utility>
#include <vector>

#include "serving/base/data.h"

namespace rankscope::serving {

// A request as measured by the outermost recorder: the user's time, if a client or a proxy recorded
// it.
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
