#include "cli/trace_convert.h"

#include <algorithm>
#include <filesystem>

#include "facts/path_charges.h"
#include "formats/kineto/overlay.h"
#include "formats/kineto/reader.h"

namespace rankscope::cli {
namespace {

struct Arguments {
  std::string path;
  std::string output;
  std::string overlay = "critical-path";
  bool only = false;
  int jobs = 1;
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

Status Run(const Arguments& arguments) {
  std::error_code ignored;
  if (std::filesystem::equivalent(arguments.path, arguments.output, ignored))
    return Error(StatusCode::kInvalidArgument,
                 "--output is the trace itself; name another file for the copy");
  RS_ASSIGN_OR_RETURN(KernelRules rules, arguments.kernel_classes.Read());
  kineto::ReadOptions options;
  options.threads = arguments.jobs;
  RS_ASSIGN_OR_RETURN(const RankTrace trace, kineto::ReadTrace(arguments.path, options));
  const TraceFacts facts(trace, std::move(rules));
  kineto::Overlay overlay = OverlayOf(trace, facts.path().charges);
  overlay.only_path = arguments.only;
  return kineto::WriteOverlay(trace, overlay, arguments.output);
}

}  // namespace

void AddTraceConvert(CLI::App& trace, Action& action) {
  auto* command = trace.add_subcommand(
      "convert", "copy one trace with its critical path laid over it, to look at in Perfetto");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("PATH", arguments->path, "a trace file")->required();
  command->add_option("-o,--output", arguments->output, "the copy; gzip when it ends in .gz")
      ->type_name(kFileType)
      ->required();
  command
      ->add_option("--overlay", arguments->overlay,
                   "critical-path: rows on it get the argument critical = 1, a process on top "
                   "shows it, arrows follow it")
      ->check(CLI::IsMember({"critical-path"}))
      ->capture_default_str();
  command->add_flag("--only", arguments->only, "leave out all rows and arrows beside the path");
  arguments->kernel_classes.AddTo(*command);
  command->add_option("--jobs,-j", arguments->jobs, "threads to use")->check(CLI::Range(1, 1024));
  command->footer(
      "Example:\n  rankscope trace convert rank0.json.gz --overlay critical-path -o "
      "rank0.critical.json.gz");
  command->callback(
      [&action, arguments] { action = MakeAction([arguments] { return Run(*arguments); }); });
}

}  // namespace rankscope::cli
