#include "cli/server/probe_run.h"

#include <fmt/format.h>
#include <time.h>

#include <filesystem>

#include "base/file.h"
#include "cli/base/command.h"
#include "cli/base/interrupt.h"
#include "cli/base/messages.h"
#include "cli/base/output.h"
#include "cli/base/own_program.h"
#include "probe/library/worker.h"
#include "probe/live/live_reader.h"
#include "probe/run/host.h"
#include "probe/tool/explain.h"
#include "probe/tool/recording.h"

namespace rankscope::cli {
namespace {

struct ProbeRunArguments {
  std::string file, root, output, recording;
  bool once = false, watch = false;
  int rounds = 0;
};

// Until the next round is due. False: Ctrl-C came first.
bool WaitUntil(std::int64_t due_ns, const InterruptFlag& interrupted) {
  while (!interrupted.IsSet()) {
    const std::int64_t left = due_ns - probe::MonotonicNow();
    if (left <= 0) return true;
    const timespec time{.tv_sec = static_cast<time_t>(left / 1'000'000'000),
                        .tv_nsec = static_cast<long>(left % 1'000'000'000)};
    nanosleep(&time, nullptr);  // a signal ends it
  }
  return false;
}

void TellFaults(const probe::Host& host) {
  for (const std::string& line : probe::FaultLines(host)) Tell(line);
  for (const probe::Module& module : host.modules())
    if (module.instances().empty())
      Tell(fmt::format("{} has no instance here", module.device().name));
}

Status Eval(const ProbeRunArguments& arguments) {
  RS_ASSIGN_OR_RETURN(const probe::Spec spec, probe::ReadSpec(arguments.file));
  RS_ASSIGN_OR_RETURN(const auto output, Output::Open(arguments.output));
  RS_ASSIGN_OR_RETURN(const auto reader, OpenProbeReader(arguments.root));
  probe::Host host(spec, *reader);
  const int rounds = arguments.rounds > 0 ? arguments.rounds : arguments.watch ? INT32_MAX : 1;
  const InterruptFlag interrupted;
  for (int round = 0; round < rounds; ++round) {
    if (!WaitUntil(host.NextDue_ns(), interrupted)) break;
    host.Refresh(probe::MonotonicNow());
    // One round is of interest where one was asked for; of several each.
    const bool shows = arguments.watch || round + 1 == rounds;
    if (!shows) continue;
    RS_RETURN_IF_ERROR(output->Write(probe::MetricLines(host) + (arguments.watch ? "\n" : "")));
  }
  TellFaults(host);
  return output->Finish();
}

Status Record(const ProbeRunArguments& arguments) {
  RS_ASSIGN_OR_RETURN(const probe::Spec spec, probe::ReadSpec(arguments.file));
  RS_ASSIGN_OR_RETURN(const auto output, Output::Open(arguments.output));
  RS_ASSIGN_OR_RETURN(const auto reader, OpenProbeReader(arguments.root));
  std::string lines;
  probe::RecordingReader recording(*reader, lines);
  recording.WriteHead(arguments.file);
  probe::Host host(spec, recording);
  const InterruptFlag interrupted;
  for (int round = 0; round < arguments.rounds; ++round) {
    if (!WaitUntil(host.NextDue_ns(), interrupted)) break;
    const std::int64_t now = probe::MonotonicNow();
    recording.BeginRound(now);
    host.Refresh(now);
    RS_RETURN_IF_ERROR(output->Write(lines));
    lines.clear();
  }
  TellFaults(host);
  return output->Finish();
}

Status Replay(const ProbeRunArguments& arguments) {
  RS_ASSIGN_OR_RETURN(const probe::Spec spec, probe::ReadSpec(arguments.file));
  RS_ASSIGN_OR_RETURN(const std::string text, ReadFile(arguments.recording));
  RS_ASSIGN_OR_RETURN(const auto reader, probe::ReplayReader::Parse(text, arguments.recording));
  std::string lines;
  probe::Host host(spec, *reader);
  for (std::size_t round = 0; round < reader->rounds().size(); ++round) {
    reader->BeginRound(round);
    host.Refresh(reader->rounds()[round]);
    lines += probe::MetricLines(host) + "\n";
  }
  TellFaults(host);
  return WriteOutput(arguments.output, lines);
}

std::shared_ptr<ProbeRunArguments> WithFile(CommandSpec& command) {
  auto arguments = std::make_shared<ProbeRunArguments>();
  command.AddOption("FILE", arguments->file, "a specification").Type(kFileType).Required();
  return arguments;
}

void AddRoot(CommandSpec& command, ProbeRunArguments& arguments) {
  command.AddOption("--root", arguments.root, kRootAbout).Type(kFolderType);
}

void AddOutput(CommandSpec& command, ProbeRunArguments& arguments) {
  command.AddOption("-o,--output", arguments.output, "write to this file").Type(kFileType);
}

}  // namespace

Result<std::unique_ptr<probe::SourceReader>> OpenProbeReader(const std::string& root) {
  RS_ASSIGN_OR_RETURN(const std::string program, OwnProgram());
  return probe::OpenReader({.root = root, .worker = {program, "probe", "worker"}});
}

void ReadChanges(const probe::Spec& spec, probe::Host& host, const std::string& metric) {
  const InterruptFlag interrupted;
  while (probe::WantsAnotherRound(spec, host, metric)) {
    if (!WaitUntil(host.NextDue_ns(), interrupted)) break;
    host.Refresh(probe::MonotonicNow());
  }
}

void AddProbeEval(CommandSpec& probe) {
  CommandSpec& command =
      probe.AddCommand("eval", "read a device and print its metrics: INSTANCE METRIC VALUE UNIT");
  const auto arguments = WithFile(command);
  AddRoot(command, *arguments);
  const CommandOption& once =
      command.AddFlag("--once", arguments->once, "one round, as without --watch");
  command.AddFlag("--watch", arguments->watch, "every round, until Ctrl-C").Excludes(once);
  command
      .AddOption(
          "--rounds", arguments->rounds,
          "end after so many rounds; without --watch the last one is shown (a rate needs two)")
      .Range(1, 1'000'000)
      .Excludes(once);
  AddOutput(command, *arguments);
  command.Footer("Example:\n  rankscope probe eval chip.probe --rounds 2");
  command.SetRun(MakeAction([arguments] { return Eval(*arguments); }));
}

void AddProbeRecord(CommandSpec& probe) {
  CommandSpec& command =
      probe.AddCommand("record", "keep what the sources of a device say, for replay");
  const auto arguments = WithFile(command);
  AddRoot(command, *arguments);
  arguments->rounds = 10;
  command.AddOption("--rounds", arguments->rounds, "end after so many rounds")
      .Range(1, 1'000'000)
      .ShowDefault();
  AddOutput(command, *arguments);
  command.Footer("Example:\n  rankscope probe record chip.probe --rounds 60 -o chip.jsonl");
  command.SetRun(MakeAction([arguments] { return Record(*arguments); }));
}

void AddProbeReplay(CommandSpec& probe) {
  CommandSpec& command =
      probe.AddCommand("replay", "print the metrics of recorded sources, round by round");
  const auto arguments = WithFile(command);
  command.AddOption("RECORDING", arguments->recording, "what record wrote")
      .Type(kFileType)
      .Required();
  AddOutput(command, *arguments);
  command.Footer("Example:\n  rankscope probe replay chip.probe chip.jsonl");
  command.SetRun(MakeAction([arguments] { return Replay(*arguments); }));
}

void AddProbeWorker(CommandSpec& probe) {
  CommandSpec& command = probe.AddCommand(
      "worker", "load a maker's library and call it for eval and record, which start this");
  command.Footer("Example:\n  rankscope probe worker < /dev/null");
  command.SetRun([] { return probe::ServeLibrary(); });
}

}  // namespace rankscope::cli
