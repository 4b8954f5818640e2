// The time of a request divided into stages that sum to it.
//
//   network      what lay around the server: client and proxies less the server, or a proxy less
//   its
//                upstream
//   frontend     e2e - queue - prefill - decode: HTTP, tokenising, detokenising, streaming
//   queue        waiting for the scheduler
//   prefill      first scheduled to first token
//   first_token  arrival to first token, where queue and prefill are not told apart
//   decode       first token to last
//   response     all of it, where nothing is told apart
//
// Of a service that rankscope's recorders look at (docs/record-requests.md):
//
//   queue        arrival until a worker takes it
//   read         until its arguments are read
//   lock         waiting for locks, within the handler
//   handler      the handler, without those
//   send         the handler's end to the last byte of the answer
//
// A request has the stages in its record: queue, prefill and decode with the frontend as the rest;
// or queue and time to first token, with the frontend within prefill; or time to first token and
// decode; or only the response.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "serving/base/data.h"

namespace rankscope::serving {

enum class Stage : std::uint8_t {
  kNetwork,
  kFrontend,
  kQueue,
  kPrefill,
  kFirstToken,
  kDecode,
  kResponse,
  kRead,
  kLock,
  kHandler,
  kSend,
};
inline constexpr std::size_t kStageCount = 11;
std::string_view ToString(Stage stage);

// The detail of a record's stages: the response; first token; a service's handler with unknown
// queue; queue and first token; a service's queue and handler; queue, prefill and decode.
enum class Depth : std::uint8_t { kResponse, kFirstToken, kHandler, kQueue, kService, kAll };
// Whether it is for a service with handlers, which generates no tokens.
constexpr bool IsOfService(Depth depth) {
  return depth == Depth::kHandler || depth == Depth::kService;
}

struct Parts {
  std::array<Ns, kStageCount> ns;
  std::int64_t total = 0;  // their sum
  Depth depth = Depth::kResponse;

  Ns of(Stage stage) const { return ns[static_cast<std::size_t>(stage)]; }
};

// nullopt if no duration is known, or if stages exceed e2e by over 1% and 1 ms: the record
// contradicts itself. A smaller excess is rounding, and no frontend is left.
std::optional<Parts> PartsOf(const Request& request);

// The requests analysed together: finished ones of one side and depth.
struct Population {
  std::vector<std::size_t> requests;  // indices
  std::vector<Parts> parts;           // of each
  Side side = Side::kServer;
  Depth depth = Depth::kResponse;
  std::int64_t failed = 0, cancelled = 0;
  std::int64_t contradictory = 0;
  std::int64_t without_duration = 0;
  std::int64_t others = 0;  // done, of another side or depth
};

// The finest division with at least half as many requests as the most frequent one.
Population Choose(const std::vector<Request>& requests);

}  // namespace rankscope::serving
