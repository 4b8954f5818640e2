// What holds for every trace, however damaged its file was.
#pragma once

#include "formats/columnar/check.h"
#include "input.h"
#include "trace/trace.h"

namespace rankscope::fuzz {

inline void CheckRows(const RankTrace& trace) {
  for (Row row = 0; row < trace.row_count(); ++row) {
    const Track& track = trace.track_of(row);
    FUZZ_CHECK(track.begin <= row && row < track.end);
    FUZZ_CHECK(trace.dur_ns[row] >= kNoDuration);
    if (row > track.begin) FUZZ_CHECK(trace.ts_ns[row - 1] <= trace.ts_ns[row]);
    if (const Row parent = trace.parent[row]; parent != kNoRow) {
      FUZZ_CHECK(parent < row && trace.track[parent] == trace.track[row]);
      FUZZ_CHECK(trace.ts_ns[row] < trace.end_ns(parent));
    }
    if (CountsForBounds(trace.kind[row], track.domain) && trace.dur_ns[row] != kNoDuration &&
        trace.categories[trace.category[row]] != 0 &&
        trace.strings.Get(trace.categories[trace.category[row]]) != "Trace") {
      FUZZ_CHECK(trace.begin_ns <= trace.ts_ns[row] && trace.end_ns(row) <= trace.finish_ns);
    }
  }
}

inline void CheckLinks(const RankTrace& trace) {
  for (std::size_t i = 0; i < trace.launch_kernels.size(); ++i) {
    const RowPair pair = trace.launch_kernels[i];
    // An op, where the file has no calls.
    FUZZ_CHECK(trace.kind[pair.from] == EventKind::kRuntime ||
               trace.kind[pair.from] == EventKind::kCpuOp);
    FUZZ_CHECK(IsDeviceWork(trace.kind[pair.to]));
    FUZZ_CHECK(trace.correlation[pair.from] == trace.correlation[pair.to]);
    FUZZ_CHECK(trace.link[pair.to] == pair.from);
    if (i == 0) continue;
    const RowPair before = trace.launch_kernels[i - 1];
    FUZZ_CHECK(before.from < pair.from || (before.from == pair.from && before.to < pair.to));
  }
  for (const RowPair pair : trace.record_wait) {
    FUZZ_CHECK(trace.kind[pair.to] == EventKind::kDeviceSync);
  }
}

inline void CheckSteps(const RankTrace& trace) {
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const Step& step = trace.steps[i];
    FUZZ_CHECK(step.begin_ns <= step.end_ns);
    if (i > 0) FUZZ_CHECK(trace.steps[i - 1].end_ns == step.begin_ns);
    if (step.begin_ns < step.end_ns) {
      FUZZ_CHECK(trace.StepAt(step.begin_ns) == static_cast<int>(i));
    }
  }
}

inline void CheckTrace(const RankTrace& trace) {
  FUZZ_CHECK(columnar::IsSound(trace));
  CheckRows(trace);
  CheckLinks(trace);
  CheckSteps(trace);
}

}  // namespace rankscope::fuzz
