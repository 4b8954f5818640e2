// Finds the calls in which a job hangs, from the Flight Recorder dumps of its ranks.
//
// Matching. Members of a process group count its collectives alike, so a collective is a group and
// a number (collective_seq_id). A message is the n-th from its sender to its receiver in a group:
// p2p_seq_id counts the calls of one rank to all others. If a dump lost older calls, the first
// unfinished messages are matched with each other. Calls of a batch (ncclGroupStart .. End) have
// one number, and end when the entry does that closes the batch.
//
// A call is pending if some rank has called it and it has not ended. A rank hangs in the first of
// its pending calls. A pending call waits for another call if one of its ranks hangs in that other
// call and has not entered the first, or has entered but not started it. The job hangs in the calls
// that wait for no other; several that only wait for each other are a circle. docs/hang.md has the
// rules in words.
//
// Times of hosts are not compared.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "formats/flight/dump.h"
#include "table/table.h"

namespace rankscope {

struct HangTables {
  Table collectives;  // schemas/hang.h; where to look first comes first
  Table members;
  Table ranks;
  Table mismatches;
  Table notes;
};

// Dumps of ranks that are known, one of each. O(calls * log(calls)); 40 bytes for each call.
HangTables AnalyseHang(std::span<const flight::FlightDump> dumps);

}  // namespace rankscope
