// `rankscope capture`: processes of a running job are profiled on all hosts at once, and what they
// recorded becomes a run of the server. The server asks the agents that report to it; with --hosts
// this command asks them itself.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <utility>

#include "cli/arguments/server_arguments.h"
#include "cli/base/command.h"
#include "cli/base/interrupt.h"
#include "cli/base/messages.h"
#include "cli/base/output.h"
#include "client/agent_channel.h"
#include "client/capture_job.h"
#include "client/push_run.h"
#include "contract/field_options.h"

namespace rankscope::cli {
namespace {

using capture::CaptureRequest;

struct CaptureArguments {
  ServerArguments server;
  std::vector<std::string> hosts;
  std::string agent_token_file;
  CaptureRequest request;
  std::string duration = "500ms";
  std::string snapshot;
  std::string snoop, offcpu;
  double start_in_s = 12;
  std::int64_t wait_s = 900;
  std::int64_t host_wait_s = 60;
  std::int64_t analyse_after_s = 0;
};

constexpr std::int64_t kMinuteMs = 60'000;
constexpr std::int64_t kHourMs = 60 * kMinuteMs;
constexpr std::int64_t kMostWindowMs = 10 * kMinuteMs;  // of snoop

// Up to `most_ms`, which is whole minutes and what the server takes.
Result<std::int64_t> DurationMs(std::string_view option, std::string_view text,
                                std::int64_t most_ms) {
  static constexpr std::pair<std::string_view, std::int64_t> kUnits[] = {
      {"ms", 1}, {"s", 1000}, {"min", kMinuteMs}, {"h", kHourMs}};
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  const auto* const found =
      std::ranges::find(kUnits, unit, [](const auto& one) { return one.first; });
  const double factor = found == std::end(kUnits) ? 0 : static_cast<double>(found->second);
  if (error != std::errc() || factor == 0 || !(value * factor >= 1) ||
      value * factor > static_cast<double>(most_ms))
    return Error(StatusCode::kInvalidArgument,
                 "{} takes a time such as 500ms, 2s or 1min, up to {} min, not '{}'", option,
                 most_ms / kMinuteMs, text);
  return static_cast<std::int64_t>(value * factor);
}

void TellRecording(const CaptureRequest& request, std::size_t processes, std::size_t hosts) {
  Tell(fmt::format("{} processes on {} hosts are to record{}", processes, hosts,
                   request.steps > 0 ? fmt::format(" {} steps", request.steps)
                                     : fmt::format(" {} ms, together", request.duration_ms)));
}

// Of --hosts, by how they were written.
Result<std::map<std::string, client::AgentAddress>> AgentsOf(const CaptureArguments& arguments) {
  std::map<std::string, client::AgentAddress> agents;
  for (const std::string& host : arguments.hosts) {
    const Result<client::AgentAddress> address = client::ParseAgentAddress(host);
    if (!address.ok())
      return Error(address.status().code(), "--hosts: {}", address.status().message());
    agents[host] = *address;
  }
  return agents;
}

Result<std::string> Capture(const CaptureArguments& arguments, client::Server& server,
                            client::Wait& wait) {
  const CaptureRequest& request = arguments.request;
  const client::CaptureEvents events = {
      .recording = [&](std::size_t processes,
                       std::size_t hosts) { TellRecording(request, processes, hosts); },
      .progress = Tell,
      .warning = Tell,
      .missing = [](std::string_view one) { Tell(fmt::format("missing: {}", one)); }};
  if (arguments.hosts.empty()) return client::CaptureByServer(server, request, wait, events);
  RS_ASSIGN_OR_RETURN(auto agents, AgentsOf(arguments));
  RS_ASSIGN_OR_RETURN(std::string token,
                      ReadToken(arguments.agent_token_file, "RANKSCOPE_AGENT_TOKEN"));
  return client::CaptureByAgents(server, request, std::move(agents), std::move(token), wait,
                                 events);
}

Status RunCapture(CaptureArguments& arguments) {
  CaptureRequest& request = arguments.request;
  RS_ASSIGN_OR_RETURN(request.duration_ms, DurationMs("--duration", arguments.duration, kHourMs));
  if (!arguments.snapshot.empty()) {
    RS_ASSIGN_OR_RETURN(request.snapshot_ms,
                        DurationMs("--memory-snapshot", arguments.snapshot, kHourMs));
  }
  if (!arguments.snoop.empty()) {
    RS_ASSIGN_OR_RETURN(request.snoop_ms, DurationMs("--snoop", arguments.snoop, kMostWindowMs));
  }
  if (!arguments.offcpu.empty()) {
    RS_ASSIGN_OR_RETURN(request.offcpu_ms, DurationMs("--offcpu", arguments.offcpu, kMostWindowMs));
  }
  request.start_in_ms = static_cast<std::int64_t>(1000 * arguments.start_in_s);
  request.wait_ms = 1000 * arguments.wait_s;
  request.host_wait_ms = 1000 * arguments.host_wait_s;
  request.analyse_after_ms = 1000 * arguments.analyse_after_s;
  RS_RETURN_IF_ERROR(capture::Check(request));
  RS_ASSIGN_OR_RETURN(client::Server server, arguments.server.Connect());
  const InterruptFlag interrupted;
  client::RealWait wait([&] { return interrupted.IsSet(); });
  RS_ASSIGN_OR_RETURN(const std::string run, Capture(arguments, server, wait));
  const Result<client::RunStatus> analysed = client::WaitForReport(server, run, wait);
  if (analysed.ok()) {
    if (!analysed->headline.empty()) Tell(analysed->headline);
  } else if (analysed.status().code() == StatusCode::kCancelled) {
    Tell("the server goes on without this command");
  } else {
    return analysed.status();
  }
  return WriteOutput("", server.PageOf(run) + "\n");
}

}  // namespace

void AddCapture(CommandSpec& app) {
  CommandSpec& command =
      app.AddCommand("capture", "profile a running job on all its hosts, and analyse it");
  auto arguments = std::make_shared<CaptureArguments>();
  arguments->server.AddTo(command);
  CaptureRequest& request = arguments->request;
  command
      .AddOption("--hosts", arguments->hosts,
                 "agents that this command asks itself, HOST or HOST:PORT; without, the server "
                 "asks those that report to it")
      .Separator(',');
  command
      .AddOption("--agent-token-file", arguments->agent_token_file,
                 "the agents' token; without, $RANKSCOPE_AGENT_TOKEN")
      .Type(kFileType);
  for (const std::string_view field : {"name", "job", "team", "pids"})
    AddField(command, request, field);
  CommandOption& steps =
      command.AddOption("--steps", request.steps, "record so many optimizer steps").Positive();
  AddField(command, request, "round_up").Needs(steps);
  command.AddOption("--duration", arguments->duration, "record a time, from the same moment on")
      .Excludes(steps)
      .ShowDefault();
  command
      .AddOption("--start-in", arguments->start_in_s,
                 "seconds until then: processes ask every five, and warm up for five")
      .Range(1, 3600)
      .ShowDefault();
  command.AddOption("--limit", request.most_per_host, "processes of a host")
      .Positive()
      .ShowDefault();
  AddField(command, request, "folder");
  command.AddOption("--wait", arguments->wait_s, "seconds for traces to be there")
      .Range(1, 86'400)
      .ShowDefault();
  command
      .AddOption("--host-wait", arguments->host_wait_s,
                 "seconds for a host whose agent answers no more")
      .Range(1, 86'400)
      .ShowDefault();
  command
      .AddOption("--analyse-after", arguments->analyse_after_s,
                 "analyse what is here so many seconds after the recording; what comes later is "
                 "added (default: when all is here)")
      .Range(1, 86'400);
  for (const std::string_view field : {"shapes", "stacks", "cpu", "memory", "serving"})
    AddField(command, request, field);
  command
      .AddOption("--memory-snapshot", arguments->snapshot,
                 "after the trace record for so long what each process allocates, and take a "
                 "snapshot of its memory: who holds what (rankscope memory)")
      .Type("TIME");
  command
      .AddOption("--snoop", arguments->snoop,
                 "look for so long at what each process allocates, launches and waits for, from "
                 "outside, by the helper of snoop on its host")
      .Type("TIME");
  command
      .AddOption("--offcpu", arguments->offcpu,
                 "look for so long at where its threads wait while they do not run, by the same")
      .Type("TIME");
  command.Footer(
      "Examples:\n  rankscope capture --server http://127.0.0.1:8723 --job 4711 --steps 3\n"
      "  rankscope capture --server http://127.0.0.1:8723 --hosts node1,node2 --duration 2s");
  command.SetRun(MakeAction([arguments] { return RunCapture(*arguments); }));
}

}  // namespace rankscope::cli
