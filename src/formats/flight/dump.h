// FlightDump: what one rank's Flight Recorder of PyTorch held when it was dumped: the collectives
// and point-to-point calls that it recorded last, with their state, and its process groups.
//
// Nothing here says when device work ran: a call's time is that of the host's clock when it was
// recorded, and hosts' clocks are not comparable.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/interner.h"
#include "trace/quality.h"

namespace rankscope::flight {

enum class CallState : std::uint8_t { kScheduled, kStarted, kCompleted, kUnknown };
std::string_view ToString(CallState state);
inline constexpr CallState kCallStates[] = {CallState::kScheduled, CallState::kStarted,
                                            CallState::kCompleted, CallState::kUnknown};

inline constexpr std::uint32_t kNoGroup = UINT32_MAX;

struct Group {
  std::string name;                 // unique in a process; groups of other ranks may share it
  std::string description;          // the user's; "" when undefined
  std::vector<std::int64_t> ranks;  // of all members; empty when the dump does not say
};

// One call. Ids of strings are of the dump's table.
struct Call {
  std::int64_t record_id = -1;
  std::int64_t sequence = -1;         // of its group: collective_seq_id, or p2p_seq_id
  std::int64_t time_created_ns = -1;  // on the host's clock
  std::int64_t timeout_ms = -1;
  std::uint32_t group = kNoGroup;        // index in the dump's groups
  StringId op = kEmptyString;            // "all_reduce", "send 1->2"
  StringId input_sizes = kEmptyString;   // "[[4,8],[8]]"
  StringId input_dtypes = kEmptyString;  // "[Float,Float]"
  StringId output_sizes = kEmptyString;
  StringId output_dtypes = kEmptyString;
  StringId line = kEmptyString;   // "train.py:88 in step": the innermost frame outside PyTorch
  StringId stack = kEmptyString;  // all frames, innermost first, one per line
  CallState state = CallState::kUnknown;
  bool is_p2p = false;
  bool retired = false;  // no longer watched; if it has not ended, it timed out
};

struct FlightDump {
  std::string path;
  std::string version;          // of the dump's format, "2.10"
  std::string library_version;  // of NCCL or another communication library
  std::int64_t rank = -1;
  std::vector<Group> groups;
  std::vector<Call> calls;  // in the order in which they were recorded
  Interner strings;
  QualityLog quality;
  bool has_stacks = false;
  // The text ends before the document does, so the newest calls are missing.
  bool is_cut = false;

  std::string_view Text(StringId id) const { return strings.Get(id); }
};

}  // namespace rankscope::flight
