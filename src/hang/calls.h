// The calls of all ranks, matched (analyse.h has the rules).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "formats/flight/dump.h"

namespace rankscope::hang {

// A process group of the job: one name and one set of ranks.
struct JobGroup {
  std::string_view name;
  std::string_view description;
  std::vector<std::int64_t> ranks;  // empty when no dump states them
};

struct Member {
  std::uint32_t dump = 0;
  std::uint32_t call = 0;   // among the dump's
  std::uint32_t batch = 0;  // calls of a rank with the same number begin and end together
  flight::CallState state = flight::CallState::kUnknown;
  bool timed_out = false;
};

// A collective or a message: one call of each of its ranks.
struct Matched {
  std::uint32_t group = 0;
  std::int64_t sender = -1;  // ranks; -1 for collectives
  std::int64_t receiver = -1;
  std::int64_t sequence = 0;    // of a message below 0 where it was aligned and has ended
  std::uint32_t of_batch = 0;   // which call of a batch
  std::vector<Member> members;  // by dump

  bool is_message() const { return sender >= 0; }
  bool IsPending() const;
};

struct Calls {
  std::vector<JobGroup> groups;
  std::vector<Matched> matched;    // by group, then collectives by number, then messages
  std::vector<std::int64_t> lost;  // by dump: calls that are not in it any more
  std::map<std::int64_t, std::uint32_t> dump_of_rank;
  // By dump and group: the highest number of a collective.
  std::vector<std::map<std::uint32_t, std::int64_t>> last_of_group;
  // Batches of messages of which only the end is left.
  std::int64_t unknown_batches = 0;

  // All ranks that must take part; if no dump states them, those that called it.
  std::vector<std::int64_t> RanksOf(const Matched& one,
                                    std::span<const flight::FlightDump> dumps) const;
};

Calls MatchCalls(std::span<const flight::FlightDump> dumps);

}  // namespace rankscope::hang
