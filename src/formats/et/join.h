// Joins an execution trace with the Kineto trace of the same run: finds its ops among the rows of
// the Kineto trace, and adds to them what the profiler did not record.
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
  kRecordIds,    // "Record function id" of Kineto's ops equals rf_id
  kExternalIds,  // "External id" equals rf_id, before PyTorch 2.1
  kOrder,        // the calls of each thread are consecutive, by name, in a thread of the trace
};

struct Joined {
  JoinedBy by = JoinedBy::kNothing;
  std::int64_t ops = 0;          // rows that got a node
  std::int64_t disagreeing = 0;  // rows whose id has a node with another name
  std::int64_t compared = 0;     // rows whose id has a node
};

// Fills input dims, types, strides, concrete inputs and collectives of ops where the trace has
// none. Joins by ids if at most 1 in 100 of the rows whose id has a node has another name.
// Otherwise joins by the order of calls, if it matches for all nodes of every thread; otherwise
// does nothing. O(rows).
Joined Join(RankTrace& trace, const ExecutionTrace& execution, std::span<const RecordId> ids);

// Describes the join in one sentence for the trace's quality.
std::string JoinedInWords(const Joined& joined, const std::string& path);

}  // namespace rankscope::et
