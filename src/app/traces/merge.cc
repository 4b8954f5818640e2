#include "app/traces/merge.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/across/analyses.h"
#include "app/open_job.h"
#include "app/traces/files.h"
#include "engine/job.h"
#include "schemas/across.h"
#include "tools/merge.h"

namespace rankscope::app {
namespace {

// What a job knows of its recordings, by what they are called.
struct Known {
  std::map<std::string, std::int64_t> rank_of;
  std::map<std::int64_t, tools::ClockOffset> clock_of;
  std::set<std::int64_t> unaligned;
};

Result<Known> AskJob(const std::vector<std::string>& files, int threads) {
  const TableRequest request{.table = ClocksAnalysis().name};
  const JobSpec spec{.paths = files,
                     .captures = {.which = CaptureChoice::Which::kAll},
                     .takes_many_runs = true,
                     .cache = {.enabled = false},
                     .threads = threads};
  Listener nobody;
  RS_ASSIGN_OR_RETURN(const auto job, OpenJob(spec, {request}, nobody));
  Known known;
  for (const Capture& capture : job->job().context().captures)
    known.rank_of[capture.path] = capture.rank;
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

}  // namespace

Result<Merged> MergeTraces(const std::vector<std::string>& paths, MergedClocks clocks,
                           const std::string& to, int threads, Listener& listener) {
  RS_ASSIGN_OR_RETURN(const std::vector<std::string> files, AllTraceFiles(paths));
  std::vector<std::string> losses;
  RS_ASSIGN_OR_RETURN(std::vector<tools::TraceToWrite> traces,
                      tools::TracesOf(files, threads, losses));
  for (const std::string& loss : losses) listener.OnNotice(loss);
  Known known;
  if (clocks == MergedClocks::kAligned && traces.size() > 1) {
    RS_ASSIGN_OR_RETURN(known, AskJob(files, threads));
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
  Merged merged{.traces = traces.size(), .unaligned = std::move(known.unaligned)};
  RS_ASSIGN_OR_RETURN(const tools::Written written,
                      tools::MergeTraces(std::move(traces), clock_of, to, threads));
  merged.events = written.kept;
  return merged;
}

}  // namespace rankscope::app
