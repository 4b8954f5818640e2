// The tables of `rankscope fleet hours` (src/fleet/hours).
#pragma once

#include <string_view>

#include "table/schema.h"

namespace rankscope {

struct FleetCapacity : Schema<FleetCapacity> {
  static constexpr std::string_view kName = "fleet_capacity";

  StringColumn from = Text("from", "the period's begin, UTC");
  StringColumn until = Text("until", "its end");
  IntColumn capacity_ms =
      Int("capacity_ms", "ms", "of devices; the columns up to unallocated_ms sum to it exactly");
  IntColumn allocated_ms = Int("allocated_ms", "ms", "that jobs had");
  IntColumn reserved_ms = Int("reserved_ms", "ms", "kept for what had not begun");
  IntColumn down_ms = Int("down_ms", "ms", "down or drained, and no job had it");
  IntColumn unallocated_ms = Int("unallocated_ms", "ms", "that nobody had");
  IntColumn unattributed_ms =
      Int("unattributed_ms", "ms", "of allocated_ms, that says nothing of what --by names");
  RealColumn allocated_pct = Real("allocated_pct", "%", "of capacity_ms; null without any");
  IntColumn use_known_ms =
      Int("use_known_ms", "ms",
          "of allocated_ms, while --use says how busy devices were; null without");
  IntColumn busy_ms =
      Int("busy_ms", "ms", "of use_known_ms, that devices were busy; null without --use");
  IntColumn busy_unclaimed_ms = Int(
      "busy_unclaimed_ms", "ms", "that devices were busy beyond what jobs had; null without --use");
};
extern template const FleetCapacity& SchemaOf<FleetCapacity>();

struct FleetHours : Schema<FleetHours> {
  static constexpr std::string_view kName = "fleet_hours";

  StringColumn from = Text("from", "the period's begin, UTC");
  StringColumn value = Text("value", "of what --by names; null: the job does not say");
  IntColumn jobs = Int("jobs", "", "so many had devices");
  IntColumn allocated_ms = Int("allocated_ms", "ms",
                               "device time; with the rest of "
                               "fleet_capacity it sums to the capacity");
  RealColumn device_hours = Real("device_hours", "h", "allocated_ms in hours");
  RealColumn share_pct = Real("share_pct", "%", "of what all jobs of the period had");
  RealColumn capacity_pct = Real("capacity_pct", "%", "of the period's capacity");
  IntColumn failed_ms = Int("failed_ms", "ms", "of allocated_ms, of jobs that failed");
  IntColumn cancelled_ms =
      Int("cancelled_ms", "ms", "of allocated_ms, of jobs that were cancelled");
  IntColumn shared_ms =
      Int("shared_ms", "ms", "of allocated_ms, while jobs asked for more devices than a node has");
  IntColumn use_known_ms =
      Int("use_known_ms", "ms",
          "of allocated_ms, while --use says how busy devices were; null without");
  IntColumn busy_ms =
      Int("busy_ms", "ms", "of use_known_ms, that devices were busy; null without --use");
  IntColumn mixed_ms =
      Int("mixed_ms", "ms",
          "of use_known_ms, with other jobs on the node: each has its part of what was busy there");
};
extern template const FleetHours& SchemaOf<FleetHours>();

}  // namespace rankscope
