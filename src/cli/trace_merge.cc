#include "cli/trace_merge.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/across/analyses.h"
#include "cli/durations.h"
#include "cli/messages.h"
#include "engine/discover.h"
#include "schemas/across.h"
#include "tools/merge.h"

namespace rankscope::cli {
namespace {

struct Arguments {
  std::vector<std::string> paths;
  std::string output;
  bool no_align = false;
  int jobs = 0;
};

// What a job knows of its recordings, by what they are called.
struct Known {
  std::map<std::string, std::int64_t> rank_of;
  std::map<std::int64_t, tools::ClockOffset> clock_of;
  std::set<std::int64_t> unaligned;
};

Result<Known> AskJob(const std::vector<std::string>& files, int threads) {
  JobOptions options;
  options.threads = threads;
  options.cache.enabled = false;
  options.captures.which = CaptureSelection::Which::kAll;
  const Request request{&ClocksAnalysis(), {}};
  RS_ASSIGN_OR_RETURN(const auto job, Job::Open(files, options, {request}));
  Known known;
  for (const Capture& capture : job->context().captures) known.rank_of[capture.path] = capture.rank;
  RS_ASSIGN_OR_RETURN(const Table made, job->Run(request));
  const ViewOf<Clocks> clocks = made;
  const auto& columns = SchemaOf<Clocks>();
  for (std::size_t row = 0; row < clocks.row_count(); ++row) {
    const std::int64_t rank = clocks.Int(row, columns.rank);
    const auto offset = clocks.Known(row, columns.offset_ns);
    if (!offset) {
      known.unaligned.insert(rank);
      continue;
    }
    known.clock_of[rank] = {*offset, clocks.Known(row, columns.uncertainty_ns).value_or(-1)};
  }
  return known;
}

// As the engine calls it.
std::string NameInJob(const tools::Document& document) {
  const bool is_part = document.part != kWholeFile;
  return is_part ? document.path + "/" + document.name : document.path;
}

Status Run(const Arguments& arguments) {
  RS_ASSIGN_OR_RETURN(const FoundFiles found, FindTraceFiles(arguments.paths));
  if (!found.unlisted.empty()) return found.unlisted.front().second;
  const int threads = ThreadsFor(arguments.jobs);
  std::vector<std::string> losses;
  RS_ASSIGN_OR_RETURN(std::vector<tools::TraceToWrite> traces,
                      tools::TracesOf(found.paths, threads, losses));
  for (const std::string& loss : losses) Tell(loss);
  Known known;
  if (!arguments.no_align && traces.size() > 1) {
    RS_ASSIGN_OR_RETURN(known, AskJob(found.paths, threads));
  }
  for (tools::TraceToWrite& trace : traces) {
    const auto rank = known.rank_of.find(NameInJob(trace.document));
    if (trace.document.rank < 0 && rank != known.rank_of.end()) trace.document.rank = rank->second;
  }
  std::stable_sort(traces.begin(), traces.end(),
                   [](const auto& a, const auto& b) { return a.document.rank < b.document.rank; });
  const auto clock_of = [&](const tools::TraceToWrite& trace) {
    const auto clock = known.clock_of.find(trace.document.rank);
    return clock == known.clock_of.end() ? tools::ClockOffset() : clock->second;
  };
  const std::size_t count = traces.size();
  RS_ASSIGN_OR_RETURN(const tools::Written written,
                      tools::MergeTraces(std::move(traces), clock_of, arguments.output, threads));
  if (!known.unaligned.empty())
    Tell(
        fmt::format("clocks of these ranks stay as they were recorded, since no collective links "
                    "them with others: {}",
                    fmt::join(known.unaligned, ", ")));
  Tell(fmt::format("merged {} traces, {} events", count, written.kept));
  return OkStatus();
}

}  // namespace

void AddTraceMerge(CommandSpec& trace) {
  CommandSpec& command = trace.AddCommand(
      "merge",
      "write the traces of several ranks as one, on one time line; rankscope reads it as "
      "the separate ranks");
  auto arguments = std::make_shared<Arguments>();
  command
      .AddOption("PATH", arguments->paths,
                 "trace files, folders or globs; pieces of a split trace become the whole")
      .Required();
  command
      .AddOption("-o,--output", arguments->output,
                 "the merged trace; packed when it ends in .gz or .zst")
      .Type(kFileType)
      .Required();
  command.AddFlag("--no-align", arguments->no_align,
                  "clocks as they were recorded; else moved by what the ends of collectives say");
  command.AddOption("--jobs,-j", arguments->jobs, "threads to use (default: one per core)")
      .Range(1, 1024);
  command.Footer("Example:\n  rankscope trace merge traces/ -o merged.json.gz");
  command.SetRun(MakeAction([arguments] { return Run(*arguments); }));
}

}  // namespace rankscope::cli
