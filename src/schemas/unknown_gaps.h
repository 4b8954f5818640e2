// What hosts did while devices idled for a reason that the trace does not show.
#pragma once

#include <string_view>

#include "schemas/rank_rows.h"

namespace rankscope {

struct UnknownGaps : Schema<UnknownGaps, RankRows> {
  static constexpr std::string_view kName = "unknown_gaps";
  // Short gaps are combined in this row, without a common cause.
  static constexpr std::string_view kOthers = "(others)";

  IntColumn device = Int(column::Device());
  StringColumn host_op =
      Text("host_op",
           "outermost op in which a host thread was for most of the gap; null: in none; "
           "\"(others)\": of short gaps, and of all rows that are not told");
  StringColumn host_range = Text("host_range", "innermost annotation around that; null: in none");
  StringColumn host_call =
      Text("host_call", "call of the device's API in which it was then; null: in none");
  StringColumn host_line =
      Text("host_line", "innermost frame of the user's code; null: none was recorded");
  IntColumn gaps = Int("gaps", "", "how many");
  IntColumn total_ns =
      Int("total_ns", "ns", "their time; rows of a device sum to its idle time of unknown cause");
  RealColumn share_pct = Real("share_pct", "%", "of that sum");
  IntColumn longest_ns = Int("longest_ns", "ns", "of the longest gap");
  IntColumn longest_start_ns = Int("longest_start_ns", "ns", "begin of the longest");
};
extern template const UnknownGaps& SchemaOf<UnknownGaps>();

}  // namespace rankscope
