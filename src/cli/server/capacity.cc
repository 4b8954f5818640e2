// `rankscope capacity`: what a stream of reports needs.
#include "fleet/capacity/capacity.h"
#include "cli/arguments/table_output.h"
#include "cli/base/command.h"

namespace rankscope::cli {
namespace {

struct CapacityArguments {
  fleet::CapacityOptions capacity;
  TableOutput table;
};

Status RunCapacity(const CapacityArguments& arguments) {
  RS_ASSIGN_OR_RETURN(const Table rows, fleet::CapacityFor(arguments.capacity));
  return arguments.table.Write(rows);
}

}  // namespace

void AddCapacity(CommandSpec& app) {
  CommandSpec& command =
      app.AddCommand("capacity", "say what a number of reports a day needs: cores, network, disks");
  auto arguments = std::make_shared<CapacityArguments>();
  fleet::CapacityOptions& capacity = arguments->capacity;
  command.AddOption("--reports-per-day", capacity.reports_per_day, "reports that are made a day")
      .Positive()
      .ShowDefault();
  command
      .AddOption("--cpu-s-per-gb", capacity.cpu_s_per_gb,
                 "processor seconds of a whole analysis per GB of JSON")
      .Positive()
      .ShowDefault();
  command.AddOption("--gz-ratio", capacity.gz_ratio, "JSON to .json.gz").Positive().ShowDefault();
  command.AddOption("--peak", capacity.peak, "the busiest time of a day against its mean")
      .Positive()
      .ShowDefault();
  command.AddOption("--use", capacity.use_pct, "percent of the cores that may be used at the peak")
      .Range(1.0, 100.0)
      .ShowDefault();
  command.AddOption("--raw-days", capacity.raw_days, "days for which traces are kept")
      .Positive()
      .ShowDefault();
  command.AddOption("--table-days", capacity.table_days, "days for which reports are kept")
      .Positive()
      .ShowDefault();
  arguments->table.AddTo(command);
  command.Footer("Example:\n  rankscope capacity --reports-per-day 50000");
  command.SetRun(MakeAction([arguments] { return RunCapacity(*arguments); }));
}

}  // namespace rankscope::cli
