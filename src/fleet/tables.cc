#include "fleet/tables.h"

#include <utility>
#include <vector>

#include "schemas/fleet.h"
#include "schemas/fleet_answers.h"
#include "schemas/fleet_hours.h"

namespace rankscope::fleet {
namespace {

template <typename T>
TableEntry Of(std::string example, std::string summary, std::string definition,
              bool is_detail = false) {
  return {.name = std::string(T::kName),
          .summary = std::move(summary),
          .definition = std::move(definition),
          .example = std::move(example),
          .subject = Subject::kFleet,
          .columns = SchemaOf<T>().columns(),
          .is_detail = is_detail};
}

std::string Asked(std::string_view command, std::string_view table) {
  return "rankscope fleet " + std::string(command) + " DATA --table " + std::string(table);
}
std::string HoursAsked(std::string_view table) {
  return "rankscope fleet hours --devices devices.csv --sacct sacct.txt --since 2026-11-01 "
         "--format "
         "csv --table " +
         std::string(table);
}
std::string Queried(std::string_view table) {
  return "rankscope fleet query DATA 'SELECT * FROM " + std::string(table) + " LIMIT 10'";
}

}  // namespace

std::span<const TableEntry> FleetTableList() {
  static const std::vector<TableEntry> kTables = {
      Of<FleetShares>(
          Asked("overview", FleetShares::kName), "whose device hours, by team, model, driver, ...",
          "A row for each value of the attribute that --by names. device_hours is what was given, "
          "by the tag device_hours of runs; busy_pct is what was used of the recorded time. The "
          "one "
          "is never shown as the other."),
      Of<FleetClasses>(
          Asked("overview", FleetClasses::kName), "GPU time of all runs by kernel class and bound",
          "Sums over kernel_day. gpu_hours = sum of total_ns x weight / 3.6e12, where weight = "
          "device_hours of the run / its recorded device time: a recording of some steps stands "
          "for "
          "the whole job. A run that states no device_hours has no weight, and its time counts in "
          "share_pct alone; unweighted_pct says how much that is. Durations are summed, so work "
          "that overlaps counts more than once."),
      Of<FleetKernels>(
          Asked("kernels", FleetKernels::kName), "the most costly kernels of all runs",
          "A row for each family of kernels, class, data type and device model, by gpu_hours, then "
          "by recorded time. Percentiles are those of all recorded durations: their sketches are "
          "merged; a percentile of percentiles is never shown."),
      Of<FleetFrequent>(
          Asked("overview", FleetFrequent::kName), "the most launched kernels of all runs",
          "The rows of fleet_kernels, by launches x weight, then by recorded launches."),
      Of<FleetCapacity>(
          HoursAsked(FleetCapacity::kName), "the time of all devices, divided without remainder",
          "In every moment a node has its devices, each of 700 units (a MIG slice of 1g is 100, an "
          "MPS percent 7). Jobs take theirs; what is left is down or drained, reserved, or "
          "unallocated, in this order. Sums are whole unit-milliseconds, and become milliseconds "
          "by largest remainders, so that the parts sum to capacity_ms exactly. Jobs are clipped "
          "at the ends of the period; a job that was requeued counts for each time."),
      Of<FleetHours>(
          HoursAsked(FleetHours::kName), "whose device hours: what each team, user, ... had",
          "A row for each period and value of what --by names: the allocated_ms of fleet_capacity, "
          "divided. What is allocated is not what is used: it is what nobody else could have. "
          "Where jobs ask for more devices than a node has, each has its part of them, by what it "
          "asked for, and that time is in shared_ms."),
      Of<FleetFindings>(
          Asked("findings", FleetFindings::kName), "which findings cost most over all runs",
          "A row for each finding (and value of --by). lost_hours = sum over its runs of "
          "device_hours x gain_pct / 100. Findings of one run overlap, so the rows do not add up."),
      Of<FleetRegressions>(
          Asked("regressions", FleetRegressions::kName),
          "kernels that got slower or faster since a day, and why",
          "A stratum is a kernel family, model, device model, shape bucket and data type; its "
          "series has ln of the median duration of each run. A row is a "
          "change point (Hunter: the largest energy distance, Student's t with n - 1, p <= 0.001) "
          "with a Bayes factor of 10 or more, of at least 3% and 3 robust standard deviations, "
          "with 5 "
          "runs on each side and 2 jobs or hosts since, and q <= 5% over all strata (Benjamini and "
          "Hochberg on p times the places of the series). new kernel: one that no run of a model "
          "had "
          "before and 80% have since, of 1% of the computing time or more. cost shift: others of "
          "the "
          "same class, or launched more or less than before, got cheaper by 80% of it or more in "
          "the "
          "20 runs on each side. cause is the attribute whose one value explains most of the "
          "variance "
          "of both levels, half of it or more; a host or rack only if the runs of others stayed. "
          "hours_per_day = sum since of fleet_ms x (1 - before / after) / days. Communication is "
          "left "
          "out: its durations contain waiting."),
      Of<FleetMovers>(
          Asked("regressions", FleetMovers::kName),
          "what moved the GPU time between two parts of the period: duration, count, mix",
          "N and T are launches and time of a stratum (fleet_regressions), d = T / N, N* and T* "
          "the "
          "sums. duration = sum over strata of both parts of N1 (d1 - d0); count = (N1* - N0*) T0* "
          "/ "
          "N0*; mix is the rest. The three sum to the change exactly. index = exp(sum of w ln(d1 / "
          "d0)), w being the stratum's part of the time before (Laspeyres): above 1, kernels got "
          "slower, whatever became of the mixture. The parts need not be equally long: more days "
          "are "
          "more launches, which is count."),
      Of<FleetModels>(
          Asked("models", FleetModels::kName), "models over months, weeks or days",
          "A row for each model, device model and period. step_ns is the median over runs of each "
          "run's median complete step."),
      Of<FleetUnknown>(Asked("overview", FleetUnknown::kName),
                       "what runs do not say, and what answers lack for it",
                       "A row for each thing that some runs or some kernel time lack. What is not "
                       "known is never "
                       "taken for 0 or 1."),
      Of<Capacity>(
          "rankscope capacity --reports-per-day 50000",
          "what a number of reports a day needs: cores, network, disks",
          "A model, a row for each need with its formula. Of a hundred reports 90 have 8 ranks "
          "of 60 MB of JSON, 9 have 64 such ranks, one has 256 ranks of 200 MB; a GB of JSON "
          "takes 5 processor seconds unless --cpu-s-per-gb says what was measured."),
      Of<FleetRun>(Queried(FleetRun::kName), "the runs of a store, for questions over all of them",
                   "A row for each run that is ready and has traces of a job. weight = device_ms x "
                   "1e6 / traced_wall_ns.",
                   true),
      Of<KernelRun>(Queried(KernelRun::kName), "the kernels of every run of a store",
                    "A row for each run, family of kernels, class and data type. fleet_ms = "
                    "total_ns x weight "
                    "/ 1e6. Percentiles are read from the sketch (kernel_sketches), within 1.8%. "
                    "bound is that "
                    "of the class's ops: gemm of matmul, others of their own names.",
                    true),
      Of<FindingRun>(Queried(FindingRun::kName), "the findings of every run of a store",
                     "A row for each finding of a run's last report.", true),
      Of<KernelDay>(Queried(KernelDay::kName), "the kernels of every day, runs together",
                    "Sums over the rows of kernel_run of equal names; sketches are merged exactly.",
                    true),
  };
  return kTables;
}

}  // namespace rankscope::fleet
