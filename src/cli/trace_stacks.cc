#include "cli/trace_stacks.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/stacks/stack_profile.h"
#include "cli/output.h"
#include "formats/stacks/write_stacks.h"

namespace rankscope::cli {
namespace {

struct Arguments {
  JobArguments job;
  std::string format = "collapsed";
  std::string weight = "device";
  std::string output;
  std::size_t top = 10'000;
  bool by_rank = false;
};

stacks::Profile ProfileOf(ViewOf<StackProfile> table) {
  const auto& columns = SchemaOf<StackProfile>();
  stacks::Profile profile;
  std::map<std::string, std::uint32_t, std::less<>> number_of_name;
  profile.frames.reserve(table.row_count());
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    const auto [name, is_new] =
        number_of_name.try_emplace(std::string(table.String(row, columns.name)),
                                   static_cast<std::uint32_t>(profile.names.size()));
    if (is_new) profile.names.push_back(name->first);
    const auto parent = table.Known(row, columns.parent);
    profile.frames.push_back(
        {parent ? static_cast<std::uint32_t>(*parent) : stacks::Profile::kNoParent, name->second,
         table.Int(row, columns.host_ns), table.Int(row, columns.device_ns)});
  }
  return profile;
}

// "rank 3", "8 ranks", or "a trace" of a rank that is not stated.
std::string NameOfRanks(const JobContext& job) {
  std::set<std::int64_t> ranks;
  bool is_stated = true;
  for (const Capture& capture : job.captures) {
    if (!capture.selected) continue;
    ranks.insert(capture.rank);
    is_stated &= capture.rank_is_stated;
  }
  if (ranks.size() != 1) return fmt::format("{} ranks", ranks.size());
  return is_stated ? fmt::format("rank {}", *ranks.begin()) : "a trace";
}

Status Run(const Arguments& arguments) {
  const Request request{&StackProfileAnalysis(), {{"by_rank", arguments.by_rank ? "1" : "0"}}};
  RS_ASSIGN_OR_RETURN(const auto job, arguments.job.Open({request}));
  RS_ASSIGN_OR_RETURN(const Table table, job->Run(request));
  const stacks::Profile profile = ProfileOf(table);
  const bool is_empty = std::ranges::none_of(
      profile.frames, [](const auto& frame) { return frame.host_ns > 0 || frame.device_ns > 0; });
  if (job->options().steps && is_empty) {
    return Error(
        StatusCode::kNotFound,
        "nothing happens in the steps that --steps names; see: rankscope table step_times");
  }
  const auto format =
      arguments.format == "speedscope" ? stacks::Format::kSpeedscope : stacks::Format::kCollapsed;
  const auto weight =
      arguments.weight == "device" ? stacks::Weight::kDevice : stacks::Weight::kHost;
  const std::string title =
      fmt::format("{} time of {}", arguments.weight, NameOfRanks(job->context()));
  return WriteOutput(arguments.output,
                     stacks::Write(profile, format, weight, arguments.top, title));
}

}  // namespace

void AddTraceStacks(CommandSpec& trace) {
  CommandSpec& command = trace.AddCommand(
      "stacks", "write call stacks of all ranks for flame graphs: Python, annotations, ops, calls");
  auto arguments = std::make_shared<Arguments>();
  arguments->job.AddTo(command);
  command.AddFlag("--by-rank", arguments->by_rank,
                  "each rank's stacks inside a frame of its own; else ranks are added up");
  command
      .AddOption("--format", arguments->format,
                 "collapsed (flamegraph.pl) or speedscope (speedscope.app)")
      .OneOf({"collapsed", "speedscope"})
      .ShowDefault();
  command
      .AddOption("--weight", arguments->weight,
                 "device: durations of the kernels and copies launched; host: time of threads")
      .OneOf({"device", "host"})
      .ShowDefault();
  command.AddOption("--top", arguments->top, "so many stacks; the rest become one, (others)")
      .ShowDefault();
  command.AddOption("-o,--output", arguments->output, "write to this file").Type(kFileType);
  command.Footer(
      "Example:\n  rankscope trace stacks traces/ --steps 12 --format speedscope -o "
      "job.speedscope.json");
  command.SetRun(MakeAction([arguments] { return Run(*arguments); }));
}

}  // namespace rankscope::cli
