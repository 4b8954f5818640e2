#include "snoop/command.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>

#include "snoop/output.h"
#include "snoop/session.h"

namespace rankscope::snoop {
namespace {

struct CommandLine {
  std::int64_t pid = 0;
  double seconds = 10;
  std::vector<std::string> what = {"memory", "launches"};
  std::uint64_t most_per_second = 20'000;
  double most_overhead = 5;
  bool no_stacks = false;
  std::size_t top = 10;
  std::string format = "text";
  std::string output;
};

void Declare(CommandLine& line, CLI::App& app) {
  app.add_option("--pid", line.pid, "the process, by its number on this host")
      ->required()
      ->check(CLI::Range(1, 1 << 22))
      ->type_name("N");
  app.add_option("--seconds", line.seconds, "how long the window is, 0.1 to 3600 (10)")
      ->check(CLI::Range(0.1, 3600.0))
      ->type_name("S");
  app.add_option("--what", line.what,
                 "memory (allocations and frees), launches (with waits and copies), or both, with "
                 "a comma between them (both)")
      ->delimiter(',')
      ->check(CLI::IsMember({"memory", "launches"}))
      ->type_name("WHAT");
  app.add_option("--max-events-per-second", line.most_per_second,
                 "more calls within a second end the window: each costs the process time (20000)")
      ->check(CLI::Range(1, 1'000'000'000))
      ->type_name("N");
  app.add_option("--max-overhead", line.most_overhead,
                 "more time inside the probes ends the window, in percent of a core (5)")
      ->check(CLI::Range(0.01, 10'000.0))
      ->type_name("PERCENT");
  app.add_flag("--no-stacks", line.no_stacks, "count only: the least that a call can cost");
  app.add_option("--top", line.top, "stacks of each kind in the text (10)")
      ->check(CLI::Range(1, 100'000))
      ->type_name("N");
  app.add_option("--format", line.format,
                 "text, json, or folded (for flame graphs: bytes never freed by stack with --what "
                 "memory, launches by stack with --what launches)")
      ->check(CLI::IsMember({"text", "json", "folded"}))
      ->type_name("FORMAT");
  app.add_option("-o,--output", line.output, "a file instead of the standard output")
      ->type_name("FILE");
}

std::string Printed(const CommandLine& line, const Findings& findings) {
  if (line.format == "json") return ToJson(findings);
  if (line.format == "text") return ToText(findings, line.top);
  return ToFolded(findings, line.what.front() == "memory" ? Folded::kLive : Folded::kLaunches);
}

int Run(const CommandLine& line) {
  if (line.format == "folded" && line.what.size() != 1)
    return Fail("a flame graph has one kind of number: say --what memory or --what launches",
                kBadUsage);
  const Result<Output> output = Output::Open(line.output);
  if (!output.ok()) return Fail(output.status().message(), kCouldNot);
  const auto asks = [&](std::string_view what) {
    return std::ranges::find(line.what, what) != line.what.end();
  };
  SnoopOptions options;
  options.plan = {.pid = static_cast<pid_t>(line.pid),
                  .memory = asks("memory"),
                  .launches = asks("launches"),
                  .stacks = !line.no_stacks,
                  .most_per_second = line.most_per_second};
  options.length_ns = static_cast<std::int64_t>(line.seconds * 1e9);
  options.most_of_core = line.most_overhead / 100;
  BlockEndSignals();
  const Result<Findings> findings = Snoop(options, Say);
  if (!findings.ok()) return Fail(findings.status().message(), kCouldNot);
  const Status written = output->Write(Printed(line, *findings));
  return written.ok() ? kDone : Fail(written.message(), kCouldNot);
}

}  // namespace

int SnoopCommand(int count, char** words) {
  CommandLine line;
  CLI::App app(
      "What a running process allocates, never frees, launches and waits for, with stacks of C++ "
      "and Python, from outside: nothing of it is changed or restarted.",
      "rankscope-agent snoop");
  Declare(line, app);
  app.footer("Example:\n  rankscope-agent snoop --pid 4242 --seconds 30 --what memory");
  try {
    app.parse(count - 1, words + 1);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kBadUsage;
  }
  return Run(line);
}

}  // namespace rankscope::snoop
