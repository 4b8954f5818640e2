// `rankscope capture`: processes of a running job are profiled on all hosts at once, and what they
// recorded becomes a run of the server.
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <thread>

#include "base/parallel.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/server_connection.h"
#include "table/json_text.h"
#include "wire/rpc_client.h"

namespace rankscope::cli {
namespace {

namespace dom = simdjson::dom;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr int kMostAtOnce = 64;  // hosts that are asked side by side
constexpr milliseconds kAnswerTime{5000};
constexpr milliseconds kLookAgain{500};
constexpr std::int64_t kClockUs = 1000;  // Kineto takes milliseconds
constexpr std::uint16_t kAgentPort = 1778;

struct Arguments {
  ServerArguments server;
  std::vector<std::string> hosts;
  std::string agent_token_file;
  std::string name;
  std::vector<std::int64_t> pids;
  std::int64_t job = -1;
  std::int64_t steps = 0;
  std::int64_t round_up = 50;
  std::string duration = "500ms";
  double start_in_s = 12;
  std::int64_t most_per_host = 1000;
  int wait_s = 900;
  std::string folder = "/tmp";
  bool shapes = false;
  bool stacks = false;
  bool memory = false;
};

struct Member {
  std::string host;
  std::int64_t pid = 0;
  std::int64_t rank = -1;
  std::string state;
  std::string reason;
};

struct HostAgent {
  std::string given;  // as the user has it
  std::string host;
  std::uint16_t port = kAgentPort;
  std::int64_t offset_us = 0;  // its clock less this one's, where that is more than is uncertain
  std::string problem;         // not empty: it takes no part
  std::vector<Member> members;
  bool is_over = false;
};

std::int64_t UnixUs() {
  return std::chrono::duration_cast<microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Result<std::int64_t> DurationMs(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  const double factor = unit == "ms" ? 1 : unit == "s" ? 1000 : 0;
  if (error != std::errc() || factor == 0 || !(value * factor >= 1) || value * factor > 3.6e6)
    return Error(StatusCode::kInvalidArgument,
                 "--duration takes a time such as 500ms or 2s, up to an hour, not '{}'", text);
  return static_cast<std::int64_t>(value * factor);
}

// "node1", "node1:1778", "[::1]:1778".
Result<HostAgent> ParseHost(const std::string& text) {
  HostAgent agent{.given = text, .host = text};
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
    agent.port = static_cast<std::uint16_t>(port);
    agent.host = text.substr(0, colon);
  }
  if (agent.host.size() > 2 && agent.host.front() == '[' && agent.host.back() == ']')
    agent.host = agent.host.substr(1, agent.host.size() - 2);
  if (agent.host.empty())
    return Error(StatusCode::kInvalidArgument, "--hosts: '{}' is no HOST:PORT", text);
  return agent;
}

std::string TextOf(const dom::element& object, std::string_view name) {
  std::string_view text;
  return object[name].get(text) ? std::string() : std::string(text);
}
std::int64_t NumberOf(const dom::element& object, std::string_view name, std::int64_t without) {
  std::int64_t number = 0;
  return object[name].get(number) ? without : number;
}

class CaptureOfHosts {
 public:
  CaptureOfHosts(const Arguments& arguments, http::Client& client, std::string agent_token,
                 std::vector<HostAgent> agents)
      : arguments_(arguments),
        client_(client),
        agent_token_(std::move(agent_token)),
        agents_(std::move(agents)) {}

  Status Run() {
    ForEachAgent([this](HostAgent& agent) { Meet(agent); });
    if (std::ranges::all_of(agents_, [](const HostAgent& one) { return !one.problem.empty(); }))
      return NothingCame("no agent answers");
    RS_RETURN_IF_ERROR(MakeRun());
    const Status captured = Capture();
    if (captured.ok()) return captured;
    // Nothing is left behind a capture that failed.
    ForEachAgent([this](HostAgent& agent) { Cancel(agent); });
    (void)Ask("DELETE", "", "");
    return captured;
  }

 private:
  template <typename Work>
  void ForEachAgent(const Work& work) {
    ParallelFor(agents_.size(), kMostAtOnce, [&](std::size_t i) {
      if (agents_[i].problem.empty()) work(agents_[i]);
    });
  }

  // A request of one agent; `body` are the members of its object.
  Result<std::string> CallAgent(const HostAgent& agent, std::string_view fn,
                                std::string_view body) const {
    std::string json = fmt::format("{{\"fn\":\"{}\"{}", fn, body);
    if (!agent_token_.empty()) {
      json += ",\"token\":";
      AppendJsonString(json, agent_token_);
    }
    RS_ASSIGN_OR_RETURN(std::string answer,
                        wire::Call(agent.host, agent.port, json + "}", kAnswerTime));
    dom::parser parser;
    dom::element root;
    if (parser.parse(answer).get(root))
      return Error(StatusCode::kBadData, "{}: what answers there is no agent", agent.given);
    const std::string error = TextOf(root, "error");
    if (!error.empty()) return Error(StatusCode::kInvalidArgument, "{}: {}", agent.given, error);
    return answer;
  }

  // How far its clock is ahead: by the quickest of a few exchanges, half of which leaves open where
  // between question and answer it was read.
  void Meet(HostAgent& agent) const {
    std::int64_t best = INT64_MAX;
    for (int i = 0; i < 5; ++i) {
      const std::int64_t before = UnixUs();
      const Clock::time_point began = Clock::now();
      const Result<std::string> answer = CallAgent(agent, "ping", "");
      const auto took = std::chrono::duration_cast<microseconds>(Clock::now() - began).count();
      if (!answer.ok()) {
        agent.problem = answer.status().message();
        return;
      }
      if (took >= best) continue;
      best = took;
      dom::parser parser;
      dom::element root;
      if (parser.parse(*answer).get(root)) continue;
      const std::int64_t offset = NumberOf(root, "unix_us", before) - before - took / 2;
      const std::int64_t uncertainty = took / 2 + kClockUs;
      agent.offset_us = offset > uncertainty || offset < -uncertainty ? offset : 0;
    }
  }

  Status Capture() {
    RS_ASSIGN_OR_RETURN(const std::int64_t duration, DurationMs(arguments_.duration));
    const std::int64_t start =
        UnixUs() / 1000 + static_cast<std::int64_t>(1000 * arguments_.start_in_s);
    ForEachAgent([&](HostAgent& agent) { Start(agent, start, duration); });
    std::size_t asked = 0;
    for (const HostAgent& agent : agents_) asked += agent.members.size();
    if (asked == 0) return NothingCame("no process of the job asks for work");
    Tell(fmt::format("{} processes on {} hosts are to record{}", asked, agents_.size(),
                     arguments_.steps > 0 ? fmt::format(" {} steps", arguments_.steps)
                                          : fmt::format(" {} ms, together", duration)));
    RS_RETURN_IF_ERROR(WaitForMembers());
    std::size_t written = 0;
    for (const HostAgent& agent : agents_) {
      for (const Member& member : agent.members) written += member.state == "written" ? 1 : 0;
    }
    TellMissing();
    if (written == 0) return NothingCame("no process wrote a trace");
    RS_RETURN_IF_ERROR(WaitForFiles(written));
    RS_RETURN_IF_ERROR(Ask("POST", "/finish", "").status());
    RS_RETURN_IF_ERROR(WaitForReport());
    return WriteOutput("", arguments_.server.url() + "/runs/" + id_ + "\n");
  }

  Status NothingCame(std::string_view what) const {
    std::string reasons;
    std::size_t told = 0;
    for (const HostAgent& agent : agents_) {
      if (agent.problem.empty() || ++told > 5) continue;
      reasons += "; " + agent.problem;
    }
    return Error(StatusCode::kNotFound,
                 "{}{}: processes have to run with KINETO_USE_DAEMON=1, and to train", what,
                 reasons);
  }

  void Start(HostAgent& agent, std::int64_t start, std::int64_t duration) const {
    std::string body = ",\"id\":";
    AppendJsonString(body, capture_id_);
    body += ",\"source\":\"capture\",\"log_file\":";
    AppendJsonString(body, fmt::format("{}/rankscope-{}.pt.trace.json", arguments_.folder, id_));
    if (arguments_.steps > 0) {
      body += fmt::format(",\"iterations\":{},\"iteration_roundup\":{}", arguments_.steps,
                          arguments_.round_up);
    } else {
      // By its own clock, since that is what Kineto looks at.
      body += fmt::format(",\"duration_ms\":{},\"start_unix_ms\":{}", duration,
                          start + agent.offset_us / 1000);
    }
    body += fmt::format(",\"shapes\":{},\"stacks\":{},\"memory\":{},\"process_limit\":{}",
                        arguments_.shapes, arguments_.stacks, arguments_.memory,
                        arguments_.most_per_host);
    if (arguments_.job >= 0) body += fmt::format(",\"job_id\":{}", arguments_.job);
    if (!arguments_.pids.empty()) {
      body += ",\"pids\":[";
      for (const std::int64_t pid : arguments_.pids)
        body += fmt::format("{}{}", body.back() == '[' ? "" : ",", pid);
      body += ']';
    }
    const Result<std::string> answer = CallAgent(agent, "startCapture", body);
    if (!answer.ok()) {
      agent.problem = answer.status().message();
      return;
    }
    dom::parser parser;
    dom::element root;
    dom::array warnings;
    if (parser.parse(*answer).get(root)) return;
    if (!root["warnings"].get(warnings)) {
      for (const dom::element warning : warnings) {
        std::string_view text;
        if (!warning.get(text)) Tell(fmt::format("{}: {}", agent.given, text));
      }
    }
    if (TextOf(root, "id").empty()) {
      agent.problem = agent.given + ": no process of the job asks for work there";
      return;
    }
    Look(agent);
  }

  // How its processes are getting on.
  void Look(HostAgent& agent) const {
    std::string body = ",\"id\":";
    AppendJsonString(body, capture_id_);
    const Result<std::string> answer = CallAgent(agent, "getCapture", body);
    dom::parser parser;
    dom::element root;
    dom::array members;
    if (!answer.ok() || parser.parse(*answer).get(root) || root["members"].get(members)) {
      // It may be back at the next look.
      return;
    }
    agent.members.clear();
    for (const dom::element one : members) {
      agent.members.push_back({.host = agent.given,
                               .pid = NumberOf(one, "inside", 0),
                               .rank = NumberOf(one, "rank", -1),
                               .state = TextOf(one, "state"),
                               .reason = TextOf(one, "reason")});
    }
    bool over = false;
    agent.is_over = !root["over"].get(over) && over;
  }

  void Cancel(HostAgent& agent) const {
    std::string body = ",\"id\":";
    AppendJsonString(body, capture_id_);
    (void)CallAgent(agent, "cancelCapture", body);
  }

  Status WaitForMembers() {
    const Clock::time_point end = Clock::now() + std::chrono::seconds(arguments_.wait_s);
    for (;;) {
      ForEachAgent([this](HostAgent& agent) {
        if (!agent.is_over) Look(agent);
      });
      const bool is_over = std::ranges::all_of(
          agents_, [](const HostAgent& one) { return one.is_over || !one.problem.empty(); });
      if (is_over) return OkStatus();
      if (Clock::now() > end) {
        ForEachAgent([this](HostAgent& agent) {
          if (agent.is_over) return;
          Cancel(agent);
          Look(agent);
        });
        return OkStatus();
      }
      if (interrupted_.IsSet()) return Error(StatusCode::kCancelled, "stopped");
      std::this_thread::sleep_for(kLookAgain);
    }
  }

  void TellMissing() const {
    for (const HostAgent& agent : agents_) {
      if (!agent.problem.empty()) Tell("missing: " + agent.problem);
      for (const Member& member : agent.members) {
        if (member.state == "written") continue;
        Tell(fmt::format("missing: {}: pid {}{}: {}{}", member.host, member.pid,
                         member.rank >= 0 ? fmt::format(" (rank {})", member.rank) : "",
                         member.state, member.reason.empty() ? "" : ": " + member.reason));
      }
    }
  }

  // The agents send what was written.
  Status WaitForFiles(std::size_t wanted) {
    const Clock::time_point end = Clock::now() + std::chrono::seconds(arguments_.wait_s);
    for (std::size_t have = 0;;) {
      RS_ASSIGN_OR_RETURN(const http::ClientReply reply, Ask("GET", "/files", ""));
      dom::parser parser;
      dom::array files;
      if (!parser.parse(reply.body)["files"].get(files)) have = files.size();
      if (have >= wanted) return OkStatus();
      if (interrupted_.IsSet()) return Error(StatusCode::kCancelled, "stopped");
      if (Clock::now() > end) {
        Tell(fmt::format(
            "missing: {} of {} traces did not reach the server; the agents' logs say why",
            wanted - have, wanted));
        if (have > 0) return OkStatus();
        return Error(StatusCode::kIo,
                     "no trace reached the server: do the agents have server.url?");
      }
      std::this_thread::sleep_for(kLookAgain);
    }
  }

  Status WaitForReport() {
    for (;;) {
      RS_ASSIGN_OR_RETURN(const http::ClientReply reply, Ask("GET", "", ""));
      dom::parser parser;
      dom::element run;
      if (parser.parse(reply.body).get(run))
        return Error(StatusCode::kBadData, "what answers there is no rankscope");
      const std::string state = TextOf(run, "state");
      if (state == "failed")
        return Error(StatusCode::kBadData, "run {} failed: {}", id_, TextOf(run, "reason"));
      if (state == "ready") {
        dom::element summary;
        if (!run["summary"].get(summary)) {
          const std::string headline = TextOf(summary, "headline");
          if (!headline.empty()) Tell(headline);
        }
        return OkStatus();
      }
      if (interrupted_.IsSet()) {
        Tell("the server goes on without this command");
        return OkStatus();
      }
      std::this_thread::sleep_for(kLookAgain);
    }
  }

  Result<http::ClientReply> Ask(const std::string& method, const std::string& below,
                                std::string_view body) {
    http::ClientRequest request{.method = method, .target = "/api/v1/runs/" + id_ + below};
    request.text = body;
    RS_ASSIGN_OR_RETURN(http::ClientReply reply, client_.Send(request));
    if (reply.status >= 300) return ErrorOf(reply);
    return reply;
  }

  Status MakeRun() {
    std::string json = "{\"name\":";
    AppendJsonString(json, arguments_.name);
    json += ",\"tags\":{\"made_by\":\"capture\"}}";
    http::ClientRequest request{.method = "POST", .target = "/api/v1/runs"};
    request.text = json;
    RS_ASSIGN_OR_RETURN(const http::ClientReply reply, client_.Send(request));
    if (reply.status >= 300) return ErrorOf(reply);
    dom::parser parser;
    dom::element run;
    if (!parser.parse(reply.body).get(run)) id_ = TextOf(run, "id");
    if (id_.empty()) return Error(StatusCode::kBadData, "what answers there is no rankscope");
    capture_id_ = id_ + ":1";
    return OkStatus();
  }

  const Arguments& arguments_;
  http::Client& client_;
  const std::string agent_token_;
  std::vector<HostAgent> agents_;
  const InterruptFlag interrupted_;
  std::string id_;          // of the run
  std::string capture_id_;  // of the capture on every agent; agents know by it where traces belong
};

Status Run(Arguments& arguments) {
  RS_RETURN_IF_ERROR(DurationMs(arguments.duration).status());
  std::vector<HostAgent> agents;
  for (const std::string& host : arguments.hosts) {
    RS_ASSIGN_OR_RETURN(HostAgent agent, ParseHost(host));
    agents.push_back(std::move(agent));
  }
  RS_ASSIGN_OR_RETURN(std::string token,
                      ReadToken(arguments.agent_token_file, "RANKSCOPE_AGENT_TOKEN"));
  RS_ASSIGN_OR_RETURN(const std::unique_ptr<http::Client> client, arguments.server.Connect());
  return CaptureOfHosts(arguments, *client, std::move(token), std::move(agents)).Run();
}

}  // namespace

void AddCapture(CLI::App& app, Action& action) {
  auto* command =
      app.add_subcommand("capture", "profile a running job on all its hosts, and analyse it");
  auto arguments = std::make_shared<Arguments>();
  arguments->server.AddTo(*command);
  command->add_option("--hosts", arguments->hosts, "agents of the job's hosts, HOST or HOST:PORT")
      ->required()
      ->delimiter(',');
  command
      ->add_option("--agent-token-file", arguments->agent_token_file,
                   "the agents' token; without, $RANKSCOPE_AGENT_TOKEN")
      ->type_name(kFileType);
  command->add_option("--name", arguments->name, "of the run")->default_str("capture");
  command->add_option("--job", arguments->job, "Slurm job; any without")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--pids", arguments->pids, "processes, or their ancestors; all without")
      ->delimiter(',');
  auto* steps = command->add_option("--steps", arguments->steps, "record so many optimizer steps")
                    ->check(CLI::PositiveNumber);
  command
      ->add_option("--round-up", arguments->round_up,
                   "steps are recorded from the next multiple on, the same on all ranks")
      ->check(CLI::PositiveNumber)
      ->needs(steps)
      ->capture_default_str();
  command->add_option("--duration", arguments->duration, "record a time, from the same moment on")
      ->excludes(steps)
      ->capture_default_str();
  command
      ->add_option("--start-in", arguments->start_in_s,
                   "seconds until then: processes ask every five, and warm up for five")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str();
  command->add_option("--limit", arguments->most_per_host, "processes of a host")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--folder", arguments->folder, "where processes write, on their hosts")
      ->capture_default_str();
  command->add_option("--wait", arguments->wait_s, "seconds for traces to be there")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_flag("--shapes", arguments->shapes, "record shapes of inputs");
  command->add_flag("--stacks", arguments->stacks, "record Python stacks");
  command->add_flag("--memory", arguments->memory, "record allocations");
  command->footer(
      "Example:\n  rankscope capture --server http://127.0.0.1:8723 --hosts node1,node2 --steps 3");
  command->callback([&action, arguments] {
    if (arguments->name.empty()) arguments->name = "capture";
    action = MakeAction([arguments] { return Run(*arguments); });
  });
}

}  // namespace rankscope::cli
