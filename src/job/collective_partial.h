// The collectives of one capture as tables: the output of a mapper, joined by JobCollectives. Times
// are absolute nanoseconds of the rank's clock.
#pragma once

#include "table/schema.h"

namespace rankscope {

struct CollectiveGroupPartial : Schema<CollectiveGroupPartial> {
  StringColumn name = Text("name");
  StringColumn description = Text("description");
  StringColumn ranks = Text("ranks", "packed (rank_list.h); null: not known");
  IntColumn size = Int("size", "", "null: not known");
  FlagColumn is_stated =
      Flag("is_stated", "false for what only shares a stream, in traces without metadata");
};
extern template const CollectiveGroupPartial& SchemaOf<CollectiveGroupPartial>();

// One per kernel of communication (per op of Gloo), by begin.
struct CollectiveEventPartial : Schema<CollectiveEventPartial> {
  IntColumn group = Int("group", "", "row of CollectiveGroupPartial");
  IntColumn op = Int("op", "", "a CollectiveOp");
  StringColumn dtype = Text("dtype");
  IntColumn in = Int("in", "", "elements; null: not known");
  IntColumn out = Int("out", "", "elements; null: not known");
  IntColumn sequence = Int("sequence", "", "null: not known");
  IntColumn peer = Int("peer", "", "rank; null: none");
  StringColumn in_split = Text("in_split", "null: not stated");
  StringColumn out_split = Text("out_split", "null: not stated");
  IntColumn start_ns = Int("start_ns", "ns");
  IntColumn dur_ns = Int("dur_ns", "ns");
  IntColumn order_ns = Int("order_ns", "ns", "by which it has its place among those of its group");
  IntColumn step = Int("step", "", "null: outside");
  FlagColumn is_step_marked = Flag("is_step_marked", "by the profiler, not inferred");
  IntColumn event = Int("event", "", "number of the event in the file");
  IntColumn part = Int("part", "", "StepPart of its launch");
};
extern template const CollectiveEventPartial& SchemaOf<CollectiveEventPartial>();

// Stretches of exposed communication.
struct ExposedPartial : Schema<ExposedPartial> {
  IntColumn begin_ns = Int("begin_ns", "ns");
  IntColumn end_ns = Int("end_ns", "ns");
  IntColumn step = Int("step", "", "null: outside");
};
extern template const ExposedPartial& SchemaOf<ExposedPartial>();

// The tables of a capture: groups, events, exposed stretches and RankWorkTable.
Table GroupsOfCollectives();
Table CollectiveEvents();
Table ExposedStretches();
std::vector<std::vector<ColumnSpec>> CollectivePartialColumns();

}  // namespace rankscope
