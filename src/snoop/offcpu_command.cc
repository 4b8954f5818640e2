// The command line `rankscope-agent offcpu`.
#include <CLI/CLI.hpp>

#include "snoop/command.h"
#include "snoop/offcpu.h"
#include "snoop/output.h"

namespace rankscope::snoop {
namespace {

struct OffCpuLine {
  std::int64_t pid = 0;
  double seconds = 10;
  double most_overhead = 5;
  bool no_stacks = false;
  std::size_t top = 10;
  std::string format = "text";
  std::string output;
};

void DeclareOffCpu(OffCpuLine& line, CLI::App& app) {
  app.add_option("--pid", line.pid, "the process, by its number on this host")
      ->required()
      ->check(CLI::Range(1, 1 << 22))
      ->type_name("N");
  app.add_option("--seconds", line.seconds, "how long the window is, 0.1 to 3600 (10)")
      ->check(CLI::Range(0.1, 3600.0))
      ->type_name("S");
  app.add_option("--max-overhead", line.most_overhead,
                 "more time inside the probes ends the window, in percent of a core (5)")
      ->check(CLI::Range(0.01, 10'000.0))
      ->type_name("PERCENT");
  app.add_flag("--no-stacks", line.no_stacks, "times by thread and system call only");
  app.add_option("--top", line.top, "threads and stacks in the text (10)")
      ->check(CLI::Range(1, 100'000))
      ->type_name("N");
  app.add_option("--format", line.format,
                 "text, json, or folded (for flame graphs: ns off a core by stack)")
      ->check(CLI::IsMember({"text", "json", "folded"}))
      ->type_name("FORMAT");
  app.add_option("-o,--output", line.output, "a file instead of the standard output")
      ->type_name("FILE");
}

}  // namespace

int OffCpuCommand(int count, char** words) {
  OffCpuLine line;
  CLI::App app(
      "Where the threads of a running process wait: for locks, disks, time, a core, with stacks of "
      "C++ and Python, from outside.",
      "rankscope-agent offcpu");
  DeclareOffCpu(line, app);
  app.footer("Example:\n  rankscope-agent offcpu --pid 4242 --seconds 30");
  try {
    app.parse(count - 1, words + 1);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kBadUsage;
  }
  const Result<Output> output = Output::Open(line.output);
  if (!output.ok()) return Fail(output.status().message(), kCouldNot);
  BlockEndSignals();
  const OffCpuOptions options{.pid = static_cast<pid_t>(line.pid),
                              .length_ns = static_cast<std::int64_t>(line.seconds * 1e9),
                              .stacks = !line.no_stacks,
                              .most_of_core = line.most_overhead / 100};
  const Result<OffCpuFindings> findings = OffCpu(options, Say);
  if (!findings.ok()) return Fail(findings.status().message(), kCouldNot);
  const Status written = output->Write(line.format == "json"   ? ToJson(*findings)
                                       : line.format == "text" ? ToText(*findings, line.top)
                                                               : ToFolded(*findings));
  return written.ok() ? kDone : Fail(written.message(), kCouldNot);
}

}  // namespace rankscope::snoop
