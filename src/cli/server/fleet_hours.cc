// `rankscope fleet hours`: whose device hours, by what schedulers say.
#include "cli/server/fleet_hours.h"

#include <ctime>
#include <memory>

#include "app/fleet/ask_hours.h"
#include "cli/arguments/table_output.h"
#include "cli/base/command.h"
#include "cli/base/listener.h"
#include "cli/base/output.h"
#include "report/fleet/hours_report.h"
#include "schemas/fleet_hours.h"

namespace rankscope::cli {
namespace {

struct FleetHoursArguments {
  app::HoursQuestion question;
  std::string format = "text";
  std::string output;
  std::string table = std::string(FleetHours::kName);
  bool has_table = false;
};

Status RunFleetHours(const FleetHoursArguments& arguments) {
  TerminalListener listener;
  RS_ASSIGN_OR_RETURN(const app::HoursAnswer answer,
                      app::AskHours(arguments.question, std::time(nullptr), listener));
  if (arguments.format != "text" || arguments.has_table)
    return TableOutput(arguments.format, arguments.output)
        .Write(arguments.table == FleetHours::kName ? answer.hours : answer.capacity);
  const bool to_terminal = arguments.output.empty();
  return WriteOutput(arguments.output,
                     WriteHoursText(answer.capacity, answer.hours, arguments.question.by,
                                    {.max_width = to_terminal ? TerminalWidth() : 0,
                                     .colour = to_terminal && TakesColour()}));
}

}  // namespace

void AddFleetHours(CommandSpec& fleet) {
  CommandSpec& command =
      fleet.AddCommand("hours", "divide the hours of all devices by who had them");
  auto arguments = std::make_shared<FleetHoursArguments>();
  app::HoursQuestion& question = arguments->question;
  command
      .AddOption("--devices", question.devices,
                 "what there is: a CSV file with node,devices and, where they came or went, "
                 "from,until")
      .Type(kFileType)
      .Required();
  command
      .AddOption("--sacct", question.sacct,
                 "output of sacct -P -D -a with JobIDRaw,JobName,User,Account,Partition,QOS,State,"
                 "Start,End,NodeList,AllocTRES; repeatable")
      .Type(kFileType)
      .OneEach();
  command.AddOption("--pods", question.pods, "output of kubectl get pods -A -o json; repeatable")
      .Type(kFileType)
      .OneEach();
  command
      .AddOption("--absences", question.absences,
                 "a CSV file with node,from,until,state (down, drained or reserved); repeatable")
      .Type(kFileType)
      .OneEach();
  command
      .AddOption("--owners", question.owners,
                 "rules, a CSV file with field,pattern,team,product,model; the first that fits "
                 "says whose a job is")
      .Type(kFileType);
  command
      .AddOption("--use", question.use,
                 "how busy devices were: what Prometheus answers to query_range of "
                 "DCGM_FI_PROF_GR_ENGINE_ACTIVE, DCGM_FI_DEV_GPU_UTIL or the like; repeatable")
      .Type(kFileType)
      .OneEach();
  command
      .AddOption("--use-unit", question.use_unit, "of its values (default: by the metric's name)")
      .OneOf({"ratio", "percent"});
  command.AddOption("--since", question.since, "the begin, such as 2026-11-01 (UTC)").Required();
  command.AddOption("--until", question.until, "the end (default: now)");
  command.AddOption("--utc-offset", question.utc_offset,
                    "of times without a zone, such as +02:00 (default: UTC)");
  command
      .AddOption("--by", question.by,
                 "team, product, model, user, account, partition, qos, namespace, job, name, node, "
                 "outcome, or label:KEY of a pod")
      .ShowDefault();
  command.AddOption("--every", question.every, "how long a period is")
      .OneOf({"all", "hour", "day", "week"})
      .ShowDefault();
  command
      .AddOption("--format", arguments->format,
                 "text of both tables, or with --table of one; one as csv, json, jsonl or parquet")
      .OneOf({"text", "csv", "json", "jsonl", "parquet"})
      .ShowDefault();
  command.AddOption("--table", arguments->table, "which one")
      .TellGiven(arguments->has_table)
      .OneOf({std::string(FleetHours::kName), std::string(FleetCapacity::kName)})
      .ShowDefault();
  command.AddOption("-o,--output", arguments->output, "write to this file").Type(kFileType);
  command.Footer(
      "Example:\n  rankscope fleet hours --devices devices.csv --sacct sacct.txt --owners "
      "owners.csv --since 2026-11-01 --by team");
  command.SetRun(MakeAction([arguments] { return RunFleetHours(*arguments); }));
}

}  // namespace rankscope::cli
