// `rankscope capture`: processes of a running job are profiled on all hosts at once, and what they
// recorded becomes a run of the server. The server asks the agents that report to it; with --hosts
// this command asks them itself.
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <thread>

#include "capture/job_capture.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/server_connection.h"
#include "contract/field_options.h"
#include "json/fields.h"
#include "json/json_text.h"
#include "wire/rpc_client.h"

namespace rankscope::cli {
namespace {

namespace dom = simdjson::dom;
using capture::CaptureRequest;
using capture::CaptureState;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kAnswerTime{5000};
constexpr milliseconds kLookAgain{500};
constexpr std::int64_t kClockUs = 1000;  // Kineto takes milliseconds
constexpr std::uint16_t kAgentPort = 1778;

struct Arguments {
  ServerArguments server;
  std::vector<std::string> hosts;
  std::string agent_token_file;
  CaptureRequest request;
  std::string duration = "500ms";
  std::string snapshot;
  double start_in_s = 12;
  std::int64_t wait_s = 900;
};

std::int64_t UnixUs() {
  return std::chrono::duration_cast<microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Result<std::int64_t> DurationMs(std::string_view option, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  const double factor = unit == "ms" ? 1 : unit == "s" ? 1000 : 0;
  if (error != std::errc() || factor == 0 || !(value * factor >= 1) || value * factor > 3.6e6)
    return Error(StatusCode::kInvalidArgument,
                 "{} takes a time such as 500ms or 2s, up to an hour, not '{}'", option, text);
  return static_cast<std::int64_t>(value * factor);
}

struct AgentAddress {
  std::string host;
  std::uint16_t port = kAgentPort;
};

// "node1", "node1:1778", "[::1]:1778".
Result<AgentAddress> ParseHost(const std::string& text) {
  AgentAddress address{.host = text};
  const std::size_t colon = text.rfind(':');
  const bool has_port =
      colon != std::string::npos && (text.find(':') == colon || text[colon - 1] == ']');
  if (has_port) {
    unsigned port = 0;
    const char* const first = text.data() + colon + 1;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(first, last, port);
    if (error != std::errc() || end != last || port == 0 || port > 65535)
      return Error(StatusCode::kInvalidArgument, "--hosts: '{}' is no HOST:PORT", text);
    address.port = static_cast<std::uint16_t>(port);
    address.host = text.substr(0, colon);
  }
  if (address.host.size() > 2 && address.host.front() == '[' && address.host.back() == ']')
    address.host = address.host.substr(1, address.host.size() - 2);
  if (address.host.empty())
    return Error(StatusCode::kInvalidArgument, "--hosts: '{}' is no HOST:PORT", text);
  return address;
}

std::string TextOf(const dom::element& object, std::string_view name) {
  std::string_view text;
  return object[name].get(text) ? std::string() : std::string(text);
}
std::int64_t NumberOf(const dom::element& object, std::string_view name, std::int64_t without) {
  std::int64_t number = 0;
  return object[name].get(number) ? without : number;
}

// Agents at their own addresses.
class RpcChannel final : public capture::AgentChannel {
 public:
  RpcChannel(std::map<std::string, AgentAddress> addresses, std::string token)
      : addresses_(std::move(addresses)), token_(std::move(token)) {}

  // By the quickest of a few exchanges, half of which leaves open where between question and answer
  // the clock was read.
  Result<capture::HostClock> Meet(const std::string& host) override {
    capture::HostClock clock;
    std::int64_t best = INT64_MAX;
    for (int i = 0; i < 5; ++i) {
      const std::int64_t before = UnixUs();
      const Clock::time_point began = Clock::now();
      RS_ASSIGN_OR_RETURN(const std::string answer, Call(host, "{\"fn\":\"ping\""));
      const auto took = std::chrono::duration_cast<microseconds>(Clock::now() - began).count();
      dom::parser parser;
      dom::element root;
      if (parser.parse(answer).get(root))
        return Error(StatusCode::kBadData, "{}: what answers there is no agent", host);
      const std::string error = TextOf(root, "error");
      if (!error.empty()) return Error(StatusCode::kInvalidArgument, "{}: {}", host, error);
      if (took >= best) continue;
      best = took;
      clock.ahead_us = NumberOf(root, "unix_us", before) - before - took / 2;
      clock.uncertainty_us = took / 2 + kClockUs;
    }
    return clock;
  }

  Result<std::string> Call(const std::string& host, std::string request) override {
    if (!token_.empty()) {
      request += ",\"token\":";
      AppendJsonString(request, token_);
    }
    const AgentAddress& address = addresses_.at(host);
    return wire::Call(address.host, address.port, request + "}", kAnswerTime);
  }

 private:
  const std::map<std::string, AgentAddress> addresses_;
  const std::string token_;
};

class Server {
 public:
  explicit Server(http::Client& client) : client_(client) {}
  Result<std::string> Ask(const std::string& method, const std::string& target,
                          std::string_view body) {
    http::ClientRequest request{.method = method, .target = "/api/v1/" + target};
    request.text = body;
    RS_ASSIGN_OR_RETURN(const http::ClientReply reply, client_.Send(request));
    if (reply.status >= 300) return ErrorOf(reply);
    return reply.body;
  }

 private:
  http::Client& client_;
};

class RunOfServer final : public capture::CaptureRun {
 public:
  explicit RunOfServer(Server& server) : server_(server) {}

  Result<std::string> Make(const CaptureRequest& request) override {
    std::string json = "{\"name\":";
    AppendJsonString(json, request.name);
    json += ",\"tags\":{\"made_by\":\"capture\"}}";
    RS_ASSIGN_OR_RETURN(const std::string reply, server_.Ask("POST", "runs", json));
    dom::parser parser;
    dom::element run;
    if (!parser.parse(reply).get(run)) id_ = TextOf(run, "id");
    if (id_.empty()) return Error(StatusCode::kBadData, "what answers there is no rankscope");
    return id_;
  }
  Result<std::size_t> CountFiles() override {
    RS_ASSIGN_OR_RETURN(const std::string reply, server_.Ask("GET", Path() + "/files", ""));
    dom::parser parser;
    dom::array files;
    return parser.parse(reply)["files"].get(files) ? 0 : files.size();
  }
  Status Finish() override { return server_.Ask("POST", Path() + "/finish", "").status(); }
  void Remove() override { (void)server_.Ask("DELETE", Path(), ""); }

 private:
  std::string Path() const { return "runs/" + id_; }
  Server& server_;
  std::string id_;
};

Status WaitForReport(Server& server, const std::string& run, const InterruptFlag& interrupted) {
  for (;;) {
    RS_ASSIGN_OR_RETURN(const std::string reply, server.Ask("GET", "runs/" + run, ""));
    dom::parser parser;
    dom::element root;
    if (parser.parse(reply).get(root))
      return Error(StatusCode::kBadData, "what answers there is no rankscope");
    const std::string state = TextOf(root, "state");
    if (state == "failed")
      return Error(StatusCode::kBadData, "run {} failed: {}", run, TextOf(root, "reason"));
    if (state == "ready") {
      dom::element summary;
      if (!root["summary"].get(summary)) {
        const std::string headline = TextOf(summary, "headline");
        if (!headline.empty()) Tell(headline);
      }
      return OkStatus();
    }
    if (interrupted.IsSet()) {
      Tell("the server goes on without this command");
      return OkStatus();
    }
    std::this_thread::sleep_for(kLookAgain);
  }
}

void TellRecording(const CaptureRequest& request, std::size_t processes, std::size_t hosts) {
  Tell(fmt::format("{} processes on {} hosts are to record{}", processes, hosts,
                   request.steps > 0 ? fmt::format(" {} steps", request.steps)
                                     : fmt::format(" {} ms, together", request.duration_ms)));
}

// This command asks the agents. Returns the run.
Result<std::string> CaptureDirectly(const Arguments& arguments, Server& server,
                                    const InterruptFlag& interrupted) {
  std::map<std::string, AgentAddress> addresses;
  for (const std::string& host : arguments.hosts) {
    RS_ASSIGN_OR_RETURN(addresses[host], ParseHost(host));
  }
  std::vector<std::string> hosts;
  hosts.reserve(addresses.size());
  for (const auto& [host, address] : addresses) hosts.push_back(host);
  RS_ASSIGN_OR_RETURN(std::string token,
                      ReadToken(arguments.agent_token_file, "RANKSCOPE_AGENT_TOKEN"));
  RpcChannel channel(std::move(addresses), std::move(token));
  RunOfServer run(server);
  auto told = capture::Phase::kAsking;
  capture::JobCapture job(arguments.request, std::move(hosts), channel, run,
                          [&](const CaptureState& state) {
                            if (state.phase != told && state.phase == capture::Phase::kRecording)
                              TellRecording(arguments.request, state.asked, state.hosts.size());
                            told = state.phase;
                          });
  // Ctrl-C is seen here, not where the capture waits.
  std::atomic<bool> is_over = false;
  std::thread watch([&] {
    while (!is_over) {
      if (interrupted.IsSet()) job.Cancel();
      std::this_thread::sleep_for(milliseconds(50));
    }
  });
  const Status captured = job.Run();
  is_over = true;
  watch.join();
  const CaptureState state = job.State();
  for (const std::string& warning : state.warnings) Tell(warning);
  for (const std::string& one : Missing(state)) Tell("missing: " + one);
  if (!captured.ok()) return captured;
  return state.run;
}

// The server asks the agents that report to it. Returns the run.
Result<std::string> CaptureByServer(const Arguments& arguments, Server& server,
                                    const InterruptFlag& interrupted) {
  RS_ASSIGN_OR_RETURN(const std::string made,
                      server.Ask("POST", "captures", json::ToJson(arguments.request)));
  dom::parser parser;
  dom::element root;
  if (parser.parse(made).get(root) || TextOf(root, "id").empty())
    return Error(StatusCode::kBadData, "what answers there is no rankscope");
  const std::string path = "captures/" + TextOf(root, "id");
  bool is_told = false;
  for (bool is_cancelled = false;;) {
    RS_ASSIGN_OR_RETURN(const std::string reply, server.Ask("GET", path, ""));
    if (parser.parse(reply).get(root))
      return Error(StatusCode::kBadData, "what answers there is no rankscope");
    const std::string phase = TextOf(root, "phase");
    if (phase == "recording" && !std::exchange(is_told, true)) {
      dom::array hosts;
      TellRecording(arguments.request, static_cast<std::size_t>(NumberOf(root, "asked", 0)),
                    root["hosts"].get(hosts) ? 0 : hosts.size());
    }
    const bool is_over = phase == "done" || phase == "failed" || phase == "cancelled";
    if (is_over) {
      for (const char* list : {"warnings", "missing"}) {
        dom::array texts;
        if (root[list].get(texts)) continue;
        for (const dom::element one : texts) {
          std::string_view text;
          if (!one.get(text))
            Tell((list == std::string_view("missing") ? "missing: " : "") + std::string(text));
        }
      }
      if (phase != "done") return Error(StatusCode::kNotFound, "{}", TextOf(root, "reason"));
      return TextOf(root, "run");
    }
    if (interrupted.IsSet() && !std::exchange(is_cancelled, true))
      RS_RETURN_IF_ERROR(server.Ask("DELETE", path, "").status());
    std::this_thread::sleep_for(kLookAgain);
  }
}

Status Run(Arguments& arguments) {
  CaptureRequest& request = arguments.request;
  RS_ASSIGN_OR_RETURN(request.duration_ms, DurationMs("--duration", arguments.duration));
  if (!arguments.snapshot.empty()) {
    RS_ASSIGN_OR_RETURN(request.snapshot_ms, DurationMs("--memory-snapshot", arguments.snapshot));
  }
  request.start_in_ms = static_cast<std::int64_t>(1000 * arguments.start_in_s);
  request.wait_ms = 1000 * arguments.wait_s;
  RS_RETURN_IF_ERROR(capture::Check(request));
  RS_ASSIGN_OR_RETURN(const std::unique_ptr<http::Client> client, arguments.server.Connect());
  Server server(*client);
  const InterruptFlag interrupted;
  const Result<std::string> run = arguments.hosts.empty()
                                      ? CaptureByServer(arguments, server, interrupted)
                                      : CaptureDirectly(arguments, server, interrupted);
  RS_RETURN_IF_ERROR(run.status());
  RS_RETURN_IF_ERROR(WaitForReport(server, *run, interrupted));
  return WriteOutput("", arguments.server.url() + "/runs/" + *run + "\n");
}

}  // namespace

void AddCapture(CommandSpec& app) {
  CommandSpec& command =
      app.AddCommand("capture", "profile a running job on all its hosts, and analyse it");
  auto arguments = std::make_shared<Arguments>();
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
  for (const std::string_view field : {"name", "job", "pids"}) AddField(command, request, field);
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
      .Positive()
      .ShowDefault();
  for (const std::string_view field : {"shapes", "stacks", "cpu", "memory"})
    AddField(command, request, field);
  command
      .AddOption("--memory-snapshot", arguments->snapshot,
                 "after the trace record for so long what each process allocates, and take a "
                 "snapshot of its memory: who holds what (rankscope memory)")
      .Type("TIME");
  command.Footer(
      "Examples:\n  rankscope capture --server http://127.0.0.1:8723 --job 4711 --steps 3\n"
      "  rankscope capture --server http://127.0.0.1:8723 --hosts node1,node2 --duration 2s");
  command.SetRun(MakeAction([arguments] { return Run(*arguments); }));
}

}  // namespace rankscope::cli
