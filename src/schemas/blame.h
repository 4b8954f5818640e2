// The table of the ranks that others wait for.
#pragma once

#include <string_view>

#include "table/schema.h"

namespace rankscope {

struct BlameOfRanks : Schema<BlameOfRanks> {
  static constexpr std::string_view kName = "blame";

  IntColumn rank = Int("rank", "",
                       "global rank that is late of itself; null of a transfer, which its members "
                       "share");
  StringColumn ranks = Text("ranks", "the same, or the members of a transfer: 0-3,8");
  IntColumn stage = Int("stage", "", "of the pipeline; null of several, or when not known");
  StringColumn peers = Text("peers", "ranks that do the same work, to which it is compared: 0-7");
  StringColumn cause = Text(
      "cause",
      "slower kernels (same shapes), more work (other shapes, or kernels that peers do not have), "
      "kernels (one of the two: no shapes were recorded), copies, host (ops, calls, what is "
      "between), pause (over 1 ms inside no op, and three times the usual), gc, input, sync, "
      "allocator, compiling, checkpoint, transfer (of another group's collective); usual work: "
      "nothing takes longer than usual, but it has more to do than who came first; unexplained");
  StringColumn op = Text("op",
                         "the most blamed op, or kernel or call without one; null of usual work "
                         "and what is unexplained");
  IntColumn late_arrivals = Int("late_arrivals", "", "rendezvous at which it is blamed");
  IntColumn blamed_ns =
      Int("blamed_ns", "ns", "its parts of their skews; all rows sum to the skew of all");
  RealColumn share_pct = Real("share_pct", "%", "of the skew of all rendezvous");
  RealColumn step_pct =
      Real("step_pct", "%",
           "of the time of the counted steps: its part of the skews in the process group (or pair "
           "of ranks) that it holds up most; groups wait at the same time. 100 at most");
  IntColumn steps = Int("steps", "", "counted steps of which it takes 1% or more, as in step_pct");
  IntColumn of_steps = Int("of_steps", "", "counted steps");
  StringColumn pattern = Text(
      "pattern",
      "fixed: in at least three of four steps; rotating: in fewer, but some rank of its peers has "
      "the same cause in three of four; random: in single steps; null of fewer than three counted "
      "steps, or when it takes 1% of none");
};
extern template const BlameOfRanks& SchemaOf<BlameOfRanks>();

}  // namespace rankscope
