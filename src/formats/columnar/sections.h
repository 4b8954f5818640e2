// The single list of a RankTrace's columns, for writing, reading and checking.
#pragma once

#include "trace/trace.h"

namespace rankscope::columnar {

// Calls visit(id, column) for every column; ids are stable within a cache version.
template <typename Trace, typename Visit>
void ForEachColumn(Trace& trace, Visit visit) {
  visit(1U, trace.ts_ns);
  visit(2U, trace.dur_ns);
  visit(3U, trace.name);
  visit(4U, trace.track);
  visit(5U, trace.kind);
  visit(6U, trace.category);
  visit(7U, trace.source);
  visit(8U, trace.correlation);
  visit(9U, trace.external_id);
  visit(10U, trace.aux);
  visit(11U, trace.parent);
  visit(12U, trace.link);
  visit(20U, trace.tracks);
  visit(21U, trace.kernels);
  visit(22U, trace.collectives);
  visit(23U, trace.copies);
  visit(24U, trace.ops);
  visit(25U, trace.memory);
  visit(26U, trace.python);
  visit(27U, trace.syncs);
  visit(28U, trace.row_ids);
  visit(29U, trace.counters);
  visit(30U, trace.launch_kernels);
  visit(31U, trace.forward_backward);
  visit(32U, trace.record_wait);
  visit(33U, trace.steps);
  visit(34U, trace.nodes);
  visit(35U, trace.cut_work);
}

inline constexpr std::uint32_t kMetaSection = 100;
inline constexpr std::uint32_t kStringTextSection = 101;
inline constexpr std::uint32_t kStringEndsSection = 102;

}  // namespace rankscope::columnar
