#include "cli/trace_stacks.h"

#include <fmt/format.h>

#include "formats/kineto/reader.h"
#include "formats/stacks/write_stacks.h"

namespace rankscope::cli {
namespace {

struct Arguments {
  std::string path;
  std::string format = "collapsed";
  std::string weight = "device";
  std::string output;
  std::size_t top = 10'000;
  int jobs = 1;
};

bool IsStackFrame(EventKind kind) {
  return kind == EventKind::kPythonFunction || kind == EventKind::kCpuOp ||
         kind == EventKind::kUserAnnotation || kind == EventKind::kRuntime;
}

Status Run(const Arguments& arguments) {
  kineto::ReadOptions options;
  options.threads = arguments.jobs;
  RS_ASSIGN_OR_RETURN(const RankTrace trace, kineto::ReadTrace(arguments.path, options));
  const bool is_device = arguments.weight == "device";
  const StackTree tree(
      trace, [&](Row row) { return IsStackFrame(trace.kind[row]); }, StackWork::kAsOwnFrame,
      [](Row) { return true; });
  const std::string title =
      fmt::format("{} time of {}", arguments.weight,
                  trace.meta.rank < 0 ? "a trace" : fmt::format("rank {}", trace.meta.rank));
  return WriteOutput(arguments.output,
                     stacks::Write(tree,
                                   arguments.format == "speedscope" ? stacks::Format::kSpeedscope
                                                                    : stacks::Format::kCollapsed,
                                   is_device ? stacks::Weight::kDevice : stacks::Weight::kHost,
                                   arguments.top, title));
}

}  // namespace

void AddTraceStacks(CLI::App& trace, Action& action) {
  auto* command = trace.add_subcommand(
      "stacks", "write call stacks of one trace for flame graphs: Python, annotations, ops, calls");
  auto arguments = std::make_shared<Arguments>();
  command->add_option("PATH", arguments->path, "a trace file")->required();
  command
      ->add_option("--format", arguments->format,
                   "collapsed (flamegraph.pl) or speedscope (speedscope.app)")
      ->check(CLI::IsMember({"collapsed", "speedscope"}))
      ->capture_default_str();
  command
      ->add_option("--weight", arguments->weight,
                   "device: durations of the kernels and copies launched; host: time of threads")
      ->check(CLI::IsMember({"device", "host"}))
      ->capture_default_str();
  command->add_option("--top", arguments->top, "so many stacks; the rest become one, (others)")
      ->capture_default_str();
  command->add_option("-o,--output", arguments->output, "write to this file");
  command->add_option("--jobs,-j", arguments->jobs, "threads to use")->check(CLI::Range(1, 1024));
  command->footer(
      "Example:\n  rankscope trace stacks rank0.json.gz --format speedscope -o "
      "rank0.speedscope.json");
  command->callback(
      [&action, arguments] { action = MakeAction([arguments] { return Run(*arguments); }); });
}

}  // namespace rankscope::cli
