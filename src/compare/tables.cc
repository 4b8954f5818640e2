#include "compare/tables.h"

#include <fmt/core.h>

#include <utility>
#include <vector>

#include "compare/hta_diff.h"
#include "schemas/diff.h"
#include "schemas/hta_diff.h"

namespace rankscope {
namespace {

template <typename T>
TableEntry Of(std::string summary, std::string definition) {
  return {.name = std::string(T::kName),
          .summary = std::move(summary),
          .definition = std::move(definition),
          .example = fmt::format("rankscope diff before/ after/ --table {}", T::kName),
          .subject = Subject::kPair,
          .columns = SchemaOf<T>().columns()};
}

template <typename T>
TableEntry OfHta(std::string summary, std::string definition) {
  TableEntry entry = Of<T>(std::move(summary), std::move(definition));
  entry.options = HtaDiffTableOptions();
  entry.is_compat = true;
  return entry;
}

// How the rows of DiffSums come about: what every table that divides the step says.
std::string SumsTables(std::string_view rows) {
  return fmt::format(
      "{} base_ns = time in all counted windows of BASE / their number, a window being one device "
      "in one counted step; test_ns the same of TEST. Both are rounded so that the rows of the "
      "table add up to base_ns and test_ns of diff_job. change_ns = test_ns - base_ns; of_step_pct "
      "= 100 * change_ns / base_ns of diff_job; change_pct = 100 * change_ns / base_ns of the row. "
      "p is Welch's test over the steps of both sides (over their ranks where each has one step), "
      "corrected after Holm for the rows of the table that are tested: those with 1% of the step "
      "or more on a side. The largest change comes first.",
      rows);
}

}  // namespace

std::span<const TableEntry> DiffTables() {
  static const std::vector<TableEntry> kTables = {
      Of<DiffJob>(
          "how long a step takes in both, and whether the change is more than noise",
          "One row. base_ns and test_ns are the means of the complete steps of each job "
          "(job_steps), or of whole recordings where a side has no complete step. change_pct = 100 "
          "* (test_ns - base_ns) / base_ns. p is Welch's test over the lengths of the steps; where "
          "one side has a single step the other's variance stands for it, and with one on both "
          "there is no p. The change is significant when p < 0.05, or when a finding that appeared "
          "(went, where TEST is faster) would gain half of it or more."),
      Of<DiffNotes>(
          "what is not the same in both beside their times: ranks, steps, devices, ...",
          "A row for each thing that differs and bears on the comparison: the unit, the number of "
          "steps or ranks, the layout, the devices, a program of which less than half of the "
          "kernels' time is at places that both have, and too few steps to tell a change from "
          "chance."),
      Of<DiffFindings>(
          "which findings appeared, went or changed",
          "Findings of both jobs, paired by id in their order. appeared and gone: on one side "
          "alone, with 2% to gain or more, a severity above low, or no gain; small: with less. "
          "changed: the gains differ by 2 points or more; or by 1 point or more, and the severity "
          "or the ranks differ, too. same: everything else."),
      Of<DiffParts>(
          "the step by what devices do: computing, exposed communication, idle by cause",
          SumsTables(
              "A row for each part of time_breakdown, and one for outside_of_devices: the job's "
              "step less the mean window of its devices.")),
      Of<DiffPath>(
          "the critical path through all ranks: what decides how long the steps take",
          "A row for each part and name of path_over_ranks. base_ns = time on the path over all "
          "ranks and counted steps of BASE's replay / these steps, test_ns the same of TEST, both "
          "rounded so that rows add up; what differs from run to run in a name (a step's number, "
          "an address) is left out. of_step_pct = 100 * (test_ns - base_ns) / base_ns of diff_job. "
          "Empty where the replay of a side refuses or has no counted step. The largest change "
          "comes first."),
      Of<DiffPhases>(
          "the step by phase: data loading, forward, backward, optimizer",
          SumsTables(
              "A row for each phase in which the launching call lies; idle time has the phase of "
              "the work that the device waited for.")),
      Of<DiffModules>(
          "the step by the classes of the modules",
          SumsTables("A row for each chain of module classes around the launching call.")),
      Of<DiffOps>(
          "the step by op, phase and part",
          SumsTables("A row for each part of time_breakdown, phase and innermost op or annotation "
                     "around the launching call.")),
      Of<DiffHost>(
          "host threads by the innermost op: time and calls; not part of the step's sum",
          "A row for each phase and innermost op or annotation of host threads. base_ns = time of "
          "threads in it in all counted steps of BASE's ranks / the number of these (ranks x "
          "steps), counts alike; test_ns the same of TEST. Several threads work at once, so rows "
          "add up to no step. Changes, percentages and p as in diff_ops."),
      Of<DiffKernels>(
          "the step by kernel, with those that have another name at the same place",
          SumsTables(
              "A row for each part and pair of names that places of diff_places match; idle time "
              "has a row for each cause. A kernel is added or removed when no place of the other "
              "side has its name; renamed when a place that both have runs another one.")),
      Of<DiffPlaces>(
          "the step by place in the program: ops around, shapes, kernel",
          SumsTables(
              "A row for each place: phase, modules, annotations and ops around the launch, "
              "shapes of the inputs, kernel. Places are matched in this order, each among what is "
              "left: the same place and kernel (same, or changed with another count or p < 0.05); "
              "the same place with another kernel (renamed); the same but for the shapes "
              "(reshaped); but for the innermost op, or anywhere with the same name and shapes, "
              "where there is one on each side (moved). What is left is added or removed.")),
      Of<DiffCallTree>(
          "the call trees of both, laid over each other",
          "A tree of frames: phase, modules, annotations and ops, and in them the work or the "
          "cause of idle time; frames of one kind and name under one frame are one row. base_ns = "
          "time of devices in the frame and in frames inside, a mean of a device and counted step "
          "as in diff_places, so that row 0 is the step. Time of host threads leaves frames inside "
          "out and is a mean of a rank and counted step; so are calls, of work a mean of a device "
          "and step. A frame stands before those inside, which come by base_ns + test_ns."),
      Of<DiffRanks>(
          "what the devices of each rank do, where both have the same ranks",
          "A row for each rank and part of time_breakdown. base_ns = time of the part in the "
          "counted windows of the rank's devices in BASE / these windows, test_ns the same of "
          "TEST, both rounded so that a rank's parts add up. of_step_pct = 100 * (test_ns - "
          "base_ns) / base_ns of diff_job. Empty where the jobs have other ranks."),
      Of<DiffSteps>(
          "the length of every step that counts",
          "A row for each complete step of either job (job_steps), or for each recording where a "
          "side has no complete step: what base_ns, test_ns and p of diff_job are made of."),
      OfHta<HtaTraceDiff>(
          "HTA's TraceDiff.compare_traces: events by name, of one iteration of a rank",
          "hta.ops_summary of one rank and iteration of each job, joined by name; what a side does "
          "not have counts 0. diff_counts = Test_counts - Control_counts, diff_duration = "
          "Test_total_duration - Control_total_duration, in whole microseconds as HTA has them. "
          "By name. Source: HolisticTraceAnalysis, TraceDiff.compare_traces."),
      OfHta<HtaOpsDiff>(
          "HTA's TraceDiff.ops_diff: names that were added, deleted, or changed in count",
          "The names of hta.trace_diff by category: added (Control_counts = 0), deleted "
          "(Test_counts = 0), then increased, decreased and unchanged by the sign of diff_counts. "
          "Source: HolisticTraceAnalysis, TraceDiff.ops_diff."),
  };
  return kTables;
}

const TableEntry* FindDiffTable(std::string_view name) { return FindEntry(DiffTables(), name); }

}  // namespace rankscope
