// Messages between Kineto, in a training process, and the daemon on its host, in the format of
// libkineto's ipcfabric: one datagram each, little-endian.
//
//   offset  0  uint64    size of the payload
//           8  char[32]  type, padded with NUL: "ctxt" (a process registers), "req" (it asks)
//          40  payload
//
// "ctxt": int32 gpu, int32 pid, int64 job. Reply "ctxt": int32, the number of known processes for
// that job and device, -1 for an error. "req": int32 type (bits: 1 events, 2 activities; 0 while a
// trace is pending or in progress), int32 n, int64 job, int32 pids[n]: the process, then its
// ancestors. Reply "req": the configuration text, without NUL; empty if there is none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"

namespace rankscope::wire {

inline constexpr std::size_t kKinetoHeadBytes = 40;
// Clients today list themselves and ten ancestors. A larger number is not from a client.
inline constexpr std::size_t kMostKinetoPids = 256;
inline constexpr std::size_t kMostKinetoBytes = kKinetoHeadBytes + 16 + 4 * kMostKinetoPids;

struct KinetoContext {
  std::int32_t gpu = 0;
  std::int32_t pid = 0;  // in the process's own namespace, like all pids here
  std::int64_t job = 0;  // SLURM_JOB_ID, otherwise 0
};

struct KinetoPoll {
  static constexpr std::int32_t kActivities = 2;
  std::int32_t type = 0;
  std::int64_t job = 0;
  std::vector<std::int32_t> pids;  // not empty; the first is the process itself

  // Whether it would accept a configuration: not while a trace is pending or in progress.
  bool IsIdle() const { return (type & kActivities) != 0; }
};

using KinetoMessage = std::variant<KinetoContext, KinetoPoll>;

// kBadData with the reason: too short, a size that differs from the datagram's, an unknown type
// (also a longer one with a known prefix), a count that does not fit, no pid.
Result<KinetoMessage> ParseKinetoMessage(std::string_view datagram);

std::string KinetoContextReply(std::int32_t processes);
std::string KinetoConfigReply(std::string_view config);

// The datagram that a process sends: for tests, and for code that acts as a process.
std::string ToDatagram(const KinetoContext& context);
std::string ToDatagram(const KinetoPoll& poll);
// The payload of a reply with that type; kBadData for anything else.
Result<std::string> ParseKinetoReply(std::string_view datagram, std::string_view type);

}  // namespace rankscope::wire
