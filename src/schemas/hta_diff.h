// HTA's comparison of two traces, and its intermediate tables.
#pragma once

#include <string_view>

#include "schemas/columns.h"
#include "table/schema.h"

namespace rankscope {

struct HtaOpsSummary : Schema<HtaOpsSummary> {
  static constexpr std::string_view kName = "hta.ops_summary";

  IntColumn rank = Int(column::Rank());
  IntColumn iteration =
      Int("iteration", "",
          "number of the ProfilerStep in which the event begins, of device work in which its "
          "launch begins; -1 outside of all");
  StringColumn device_type = Text("device_type", "GPU for events with a stream, else CPU");
  StringColumn name = Text("name", "name as recorded, with use_short_name its short form");
  IntColumn counts = Int("counts", "", "events of that name");
  IntColumn total_duration = Int("total_duration", "us", "sum of their durations");
};
extern template const HtaOpsSummary& SchemaOf<HtaOpsSummary>();

struct HtaTraceDiff : Schema<HtaTraceDiff> {
  static constexpr std::string_view kName = "hta.trace_diff";

  StringColumn name = Text("name", "name of the events");
  IntColumn control_counts = Int("Control_counts", "", "events in BASE; 0 where it has none");
  IntColumn control_total_duration =
      Int("Control_total_duration", "us", "sum of their durations in BASE");
  IntColumn test_counts = Int("Test_counts", "", "events in TEST; 0 where it has none");
  IntColumn test_total_duration =
      Int("Test_total_duration", "us", "sum of their durations in TEST");
  IntColumn diff_counts = Int("diff_counts", "", "Test_counts - Control_counts");
  IntColumn diff_duration =
      Int("diff_duration", "us", "Test_total_duration - Control_total_duration");
  StringColumn counts_change_categories =
      Text("counts_change_categories", "+, - or =: the sign of diff_counts");
};
extern template const HtaTraceDiff& SchemaOf<HtaTraceDiff>();

struct HtaOpsDiff : Schema<HtaOpsDiff> {
  static constexpr std::string_view kName = "hta.ops_diff";

  StringColumn category =
      Text("category",
           "added: in TEST alone; deleted: in BASE alone; increased, decreased, unchanged: by "
           "counts");
  StringColumn name = Text("name", "name of the events");
};
extern template const HtaOpsDiff& SchemaOf<HtaOpsDiff>();

}  // namespace rankscope
