#include "cli/trace_convert.h"

#include <algorithm>

#include "base/file.h"
#include "catalog/list.h"
#include "cli/durations.h"
#include "cli/interrupt.h"
#include "cli/messages.h"
#include "facts/path_charges.h"
#include "formats/format.h"
#include "formats/kineto/overlay.h"
#include "formats/kineto/reader.h"
#include "sql/query.h"
#include "tools/perfetto.h"
#include "tools/repack.h"
#include "tools/write_traces.h"

namespace rankscope::cli {
namespace {

struct Arguments {
  std::string path;
  std::string output;
  std::string overlay;
  bool only = false;
  int jobs = 0;
  KernelClassesArgument kernel_classes;
};

bool IsWork(ChargeCause cause) {
  return cause != ChargeCause::kLaunch && cause != ChargeCause::kKernelGap &&
         cause != ChargeCause::kUnexplained;
}

// A row that lies on the thread or stream of a charge.
Row RowAt(const RankTrace& trace, const Charge& charge) {
  return charge.row != kNoRow ? charge.row : trace.tracks[charge.track].begin;
}

kineto::Overlay OverlayOf(const RankTrace& trace, const std::vector<Charge>& charges) {
  kineto::Overlay overlay;
  const Charge* before = nullptr;   // the work before
  const Charge* between = nullptr;  // the first of what lies between the two
  for (const Charge& charge : charges) {
    const std::string_view cause = ToString(charge.cause);
    const bool is_work = IsWork(charge.cause);
    overlay.parts.push_back({.begin_ns = charge.begin_ns,
                             .end_ns = charge.end_ns,
                             .row = is_work ? charge.row : kNoRow,
                             .cause = cause,
                             .name = charge.row == kNoRow ? "" : trace.name_of(charge.row)});
    if (!is_work) {
      if (between == nullptr) between = &charge;
      continue;
    }
    if (before != nullptr && (before->track != charge.track || between != nullptr)) {
      const Charge& reason = between != nullptr ? *between : charge;
      // A viewer binds an arrow to the slice around its end: a launch begins with its call, and
      // work that ends is left at its last moment.
      const bool is_launch = reason.cause == ChargeCause::kLaunch;
      overlay.arrows.push_back(
          {.from_row = RowAt(trace, *before),
           .to_row = RowAt(trace, charge),
           .from_ns = is_launch ? before->end_ns : std::max(before->begin_ns, before->end_ns - 1),
           .to_ns = charge.begin_ns,
           .name = between != nullptr ? ToString(reason.cause) : "waits for"});
    }
    before = &charge;
    between = nullptr;
  }
  return overlay;
}

Status LayOver(const Arguments& arguments) {
  RS_RETURN_IF_ERROR(tools::CheckOutput(arguments.output, {{.path = arguments.path}}));
  if (arguments.output.ends_with(".zst"))
    return Error(StatusCode::kInvalidArgument,
                 "--overlay writes .json and .json.gz; convert its result to zstd");
  RS_RETURN_IF_ERROR(CheckIsKineto(arguments.path));
  RS_ASSIGN_OR_RETURN(KernelRules rules, arguments.kernel_classes.Read());
  kineto::ReadOptions options;
  options.threads = ThreadsFor(arguments.jobs);
  RS_ASSIGN_OR_RETURN(const RankTrace trace, kineto::ReadTrace(arguments.path, options));
  const TraceFacts facts(trace, std::move(rules));
  kineto::Overlay overlay = OverlayOf(trace, facts.path().charges);
  overlay.only_path = arguments.only;
  return kineto::WriteOverlay(trace, overlay, arguments.output);
}

Status Repack(const Arguments& arguments) {
  RS_ASSIGN_OR_RETURN(const tools::Repacked repacked,
                      tools::Repack(arguments.path, arguments.output, ThreadsFor(arguments.jobs)));
  if (!repacked.loss.empty()) Tell(repacked.loss);
  return OkStatus();
}

// The view `events` of the trace, with all its columns.
Status WriteParquet(const Arguments& arguments) {
  RS_RETURN_IF_ERROR(tools::CheckOutput(arguments.output, {{.path = arguments.path}}));
  JobOptions options;
  options.threads = ThreadsFor(arguments.jobs);
  options.cache.enabled = false;
  options.captures.which = CaptureSelection::Which::kAll;
  RS_ASSIGN_OR_RETURN(const auto job, Job::Open({arguments.path}, options));
  RS_ASSIGN_OR_RETURN(const auto file, AtomicFile::Create(arguments.output));
  sql::QueryOptions query;
  query.analyses = AllAnalyses();
  query.allow_files = true;
  const InterruptFlag interrupted;
  query.cancelled = [&interrupted] { return interrupted.IsSet(); };
  std::string quoted = file->temporary_path();
  for (std::size_t at = 0; (at = quoted.find('\'', at)) != std::string::npos; at += 2)
    quoted.insert(at, 1, '\'');
  const auto copied = sql::RunQuery(
      *job, fmt::format("COPY (FROM events) TO '{}' (FORMAT parquet, COMPRESSION zstd)", quoted),
      query);
  if (interrupted.IsSet()) interrupted.EndProcess();
  RS_RETURN_IF_ERROR(copied.status());
  return file->Commit();
}

Status WritePerfetto(const Arguments& arguments) {
  RS_ASSIGN_OR_RETURN(
      const tools::PerfettoReport report,
      tools::WritePerfetto(arguments.path, arguments.output, ThreadsFor(arguments.jobs)));
  for (const std::string& loss : report.losses) Tell(loss);
  return OkStatus();
}

bool IsPerfettoName(std::string_view name) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  return name.ends_with(".pftrace") || name.ends_with(".perfetto-trace");
}

Status Run(const Arguments& arguments) {
  if (!arguments.overlay.empty()) return LayOver(arguments);
  if (arguments.only)
    return Error(StatusCode::kInvalidArgument, "--only goes with --overlay critical-path");
  if (arguments.output.ends_with(".parquet")) return WriteParquet(arguments);
  if (IsPerfettoName(arguments.output)) return WritePerfetto(arguments);
  return Repack(arguments);
}

}  // namespace

void AddTraceConvert(CommandSpec& trace) {
  CommandSpec& command = trace.AddCommand(
      "convert", "copy one trace into another form, or with its critical path laid over it");
  auto arguments = std::make_shared<Arguments>();
  command.AddOption("PATH", arguments->path, "a trace file").Required();
  command
      .AddOption("-o,--output", arguments->output,
                 "the copy: .json, .json.gz, .json.zst, .pftrace (Perfetto) or .parquet")
      .Type(kFileType)
      .Required();
  command
      .AddOption("--overlay", arguments->overlay,
                 "critical-path: rows on it get the argument critical = 1, a process on top "
                 "shows it, arrows follow it")
      .OneOf({"critical-path"});
  command.AddFlag("--only", arguments->only,
                  "of the overlay: leave out all rows and arrows beside the path");
  arguments->kernel_classes.AddTo(command);
  command.AddOption("--jobs,-j", arguments->jobs, "threads to use (default: one per core)")
      .Range(1, 1024);
  command.Footer(
      "Example:\n  rankscope trace convert rank0.json.gz -o rank0.json.zst\n"
      "  rankscope trace convert rank0.json.gz --overlay critical-path -o "
      "rank0.critical.json.gz");
  command.SetRun(MakeAction([arguments] { return Run(*arguments); }));
}

}  // namespace rankscope::cli
