// Puts an execution trace beside the Kineto trace of the same run: ops of the one are found among
// the rows of the other, and give them what the profiler did not record.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "formats/et/reader.h"
#include "trace/builder.h"
#include "trace/trace.h"

namespace rankscope::et {

enum class JoinedBy : std::uint8_t {
  kNothing,
  kRecordIds,    // "Record function id" of Kineto's ops is rf_id
  kExternalIds,  // so is "External id", before PyTorch 2.1
  kOrder,        // the calls of each thread, by name, stand so in a row in a thread of the trace
};

struct Joined {
  JoinedBy by = JoinedBy::kNothing;
  std::int64_t ops = 0;          // rows that have a node now
  std::int64_t disagreeing = 0;  // rows whose node by their id has another name
  std::int64_t compared = 0;     // rows whose id a node has
};

// Fills input dims, types, strides, concrete inputs and collectives of ops where the trace has
// none. Ids join when of the rows whose id a node has at most 1 in 100 has another name; else the
// order of the calls does, of nodes of every thread, none left out; else nothing changes. O(rows).
Joined Join(RankTrace& trace, const ExecutionTrace& execution, std::span<const RecordId> ids);

// The sentence about it for the trace's quality.
std::string JoinedInWords(const Joined& joined, const std::string& path);

}  // namespace rankscope::et
