// The tables of the critical path that other code reads.
#pragma once

#include <array>
#include <string_view>

#include "schemas/part_shares.h"
#include "schemas/rank_rows.h"

namespace rankscope {

struct CriticalPathCauses : Schema<CriticalPathCauses, RankRows> {
  static constexpr std::string_view kName = "critical_path";

  IntColumn step = Int(column::StepOfRank());
  IntColumn duration_ns =
      Int("duration_ns", "ns", "length of the window; the columns behind it sum to it exactly");
  IntColumn host_ns =
      Int("host_ns", "ns", "a host thread works, or runs code between the rows of the trace");
  IntColumn data_loading_ns = Int("data_loading_ns", "ns", "the same inside a data-loading range");
  IntColumn launch_ns =
      Int("launch_ns", "ns", "a launch is on its way: from its call until its work begins");
  IntColumn kernel_gap_ns =
      Int("kernel_gap_ns", "ns", "between device work and what it waited for");
  IntColumn compute_ns = Int("compute_ns", "ns", "a kernel computes");
  IntColumn communication_ns = Int("communication_ns", "ns", "a collective's kernel runs");
  IntColumn copy_ns = Int("copy_ns", "ns", "a copy runs, or memory is set");
  IntColumn unexplained_ns =
      Int("unexplained_ns", "ns", "the trace does not show what was waited for");
  FlagColumn complete = Flag(column::Complete());

  // The columns that sum to duration_ns.
  std::array<IntColumn, 8> causes() const {
    return {host_ns,    data_loading_ns,  launch_ns, kernel_gap_ns,
            compute_ns, communication_ns, copy_ns,   unexplained_ns};
  }
};
extern template const CriticalPathCauses& SchemaOf<CriticalPathCauses>();

struct JobCriticalPath : Schema<JobCriticalPath, PartShares> {
  static constexpr std::string_view kName = "job_critical_path";

  JobCriticalPath()
      : Schema("host, data_loading, launch, kernel_gap, compute, communication, copy, unexplained",
               "rank") {}
};
extern template const JobCriticalPath& SchemaOf<JobCriticalPath>();

// The composition of the critical path through all ranks.
struct PathOverRanks : Schema<PathOverRanks> {
  static constexpr std::string_view kName = "path_over_ranks";

  IntColumn rank = Int(column::Rank());
  StringColumn part =
      Text("part", "what the path does there: work of a kind, launch, kernel gap, unexplained");
  StringColumn name = Text("name", "op that launched it, call or range; null where none is known");
  IntColumn pieces = Int("pieces", "", "stretches of the path");
  IntColumn total_ns = Int("total_ns", "ns", "their time; all rows sum to the complete steps");
  RealColumn share_pct = Real("share_pct", "%", "of that sum");
};
extern template const PathOverRanks& SchemaOf<PathOverRanks>();

// The same, piece by piece.
struct PathPieces : Schema<PathPieces> {
  static constexpr std::string_view kName = "path_pieces";

  IntColumn start_ns = Int("start_ns", "ns", "from the job's origin, by the clock of all ranks");
  IntColumn duration_ns = Int("duration_ns", "ns", "until the next one starts");
  IntColumn rank = Int(column::Rank());
  IntColumn capture = Int(column::Capture());
  IntColumn step = Int(column::StepOfLaunch());
  StringColumn part = Text("part", "what the path does there, as in path_over_ranks");
  StringColumn name = Text("name", "of the kernel, call or range; null where none is known");
  IntColumn event = Int("event", "", "index in the file; null where none is known");
};
extern template const PathPieces& SchemaOf<PathPieces>();

}  // namespace rankscope
