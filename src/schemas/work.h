// The table of device time by place in the program (step_work), which comparisons of jobs read.
#pragma once

#include <string_view>

#include "schemas/columns.h"
#include "table/schema.h"

namespace rankscope {

struct StepWork : Schema<StepWork> {
  static constexpr std::string_view kName = "step_work";
  // Separator between the frames of a path.
  static constexpr std::string_view kBetween = " > ";

  IntColumn group = Int("group", "", "of recordings that overlap in time (captures)");
  IntColumn step = Int(column::StepOfDevice());
  IntColumn rank = Int("rank", "", "of the single ranks where ranks=1, else null: all together");
  FlagColumn complete =
      Flag("complete", "false for what lies in windows that the recording cut off");
  StringColumn part =
      Text("part",
           "as in time_breakdown, which these rows divide: compute, exposed_communication, "
           "exposed_copy, idle_..., unknown, not_observed; host: time of host threads, in no sum");
  StringColumn phase =
      Text("phase",
           "of the launching call: data loading, forward, backward, optimizer, other; null where "
           "no call is recorded");
  StringColumn module =
      Text("module",
           "classes of the modules around the call, of backward work those of its forward op; "
           "null where none are known");
  StringColumn path =
      Text("path",
           "annotations and ops around the call, outermost first, with ' > ' between; numbers of "
           "steps and addresses left out; of idle time those of the work that it waited for; "
           "null where there are none");
  StringColumn shapes =
      Text("shapes", "shapes of the inputs of the innermost op that states any, JSON");
  StringColumn name =
      Text("name", "kernel or copy; null for host and idle time, which no work takes");
  StringColumn class_ = Text("class", "of the kernel (kernel_classes); null as name");
  IntColumn count =
      Int("count", "",
          "works that the step launched; of host time calls; of idle time gaps that begin in it");
  IntColumn duration_ns =
      Int("duration_ns", "ns",
          "time in the windows that is this row's alone: of work at once the first of compute, "
          "communication, copies, then the one that began first; of host time that of the "
          "innermost frame");
  IntColumn busy_ns =
      Int("busy_ns", "ns", "durations of the counted works, hidden or not, added; else null");
  IntColumn first_ns = Int("first_ns", "ns",
                           "earliest begin behind the begin of its step's window, 0 before it; "
                           "null where nothing is counted");
};
extern template const StepWork& SchemaOf<StepWork>();

// The part of rows for host threads, which are not part of any window's sum.
inline constexpr std::string_view kHostWork = "host";

}  // namespace rankscope
