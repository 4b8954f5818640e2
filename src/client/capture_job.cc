#include "client/capture_job.h"

#include <fmt/core.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

namespace rankscope::client {
namespace {

using capture::CaptureRequest;
using capture::CaptureState;
using capture::Phase;

constexpr std::chrono::milliseconds kLookAgain{500};
constexpr std::chrono::milliseconds kLookForStop{50};

class RunOfServer final : public capture::CaptureRun {
 public:
  explicit RunOfServer(Server& server) : server_(server) {}

  Result<std::string> Make(const CaptureRequest& request) override {
    store::Run run;
    run.name = request.name;
    run.tags["made_by"] = "capture";
    if (request.serving) run.tags[std::string(store::kKindTag)] = store::kServingKind;
    RS_ASSIGN_OR_RETURN(const RunStatus made, server_.MakeRun(run));
    id_ = made.id;
    return id_;
  }
  Result<std::vector<std::string>> Files() override {
    RS_ASSIGN_OR_RETURN(const std::vector<store::RunFile> files, server_.Files(id_));
    std::vector<std::string> names;
    for (const store::RunFile& file : files) names.push_back(file.name);
    return names;
  }
  Status Finish() override { return server_.FinishRun(id_); }
  void Remove() override {
    // What came meanwhile stays.
    const Result<std::vector<std::string>> files = Files();
    if (files.ok()) (void)(files->empty() ? server_.RemoveRun(id_) : server_.FinishRun(id_));
  }

 private:
  Server& server_;
  std::string id_;
};

// Cancels a capture as soon as `wait` is stopped: a capture that runs looks at nothing of ours.
class StopWatch {
 public:
  StopWatch(Wait& wait, capture::JobCapture& job)
      : thread_([this, &wait, &job] {
          while (!is_over_) {
            if (wait.IsStopped()) job.Cancel();
            wait.Sleep(kLookForStop);
          }
        }) {}
  ~StopWatch() {
    is_over_ = true;
    thread_.join();
  }
  StopWatch(const StopWatch&) = delete;
  StopWatch& operator=(const StopWatch&) = delete;

 private:
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

void TellEnd(const CaptureEvents& events, const std::vector<std::string>& warnings,
             const std::vector<std::string>& missing) {
  for (const std::string& sentence : warnings)
    if (events.warning) events.warning(sentence);
  for (const std::string& sentence : missing)
    if (events.missing) events.missing(sentence);
}

// Says how far a capture is.
class Progress {
 public:
  Progress(Wait& wait, const CaptureEvents& events) : wait_(wait), events_(events) {}

  void See(Phase phase, std::size_t asked, std::size_t written, std::size_t arrived) {
    if (!events_.progress || capture::IsOver(phase) || phase == Phase::kAsking) return;
    std::string now = phase == Phase::kSending
                          ? fmt::format("{} of {} files have arrived", arrived, written)
                          : fmt::format("{} of {} processes have written", written, asked);
    if (now == told_ || (!told_.empty() && wait_.Now() - told_at_ < kTellAgain)) return;
    if (!told_.empty() || written > 0) events_.progress(now);
    told_ = std::move(now);
    told_at_ = wait_.Now();
  }

 private:
  Wait& wait_;
  const CaptureEvents& events_;
  std::string told_;
  Wait::TimePoint told_at_;
};

}  // namespace

Result<std::string> CaptureByServer(Server& server, const CaptureRequest& request, Wait& wait,
                                    const CaptureEvents& events) {
  RS_ASSIGN_OR_RETURN(const std::string id, server.StartCapture(request));
  bool is_told = false, is_recorded = false;
  Progress progress(wait, events);
  for (bool is_cancelled = false;;) {
    RS_ASSIGN_OR_RETURN(const CaptureStatus now, server.Capture(id));
    if (now.phase == Phase::kRecording && events.recording && !std::exchange(is_told, true))
      events.recording(static_cast<std::size_t>(now.asked), now.hosts);
    if (now.phase > Phase::kRecording && events.recorded && !std::exchange(is_recorded, true))
      events.recorded();
    progress.See(now.phase, now.asked, now.written, now.arrived);
    if (capture::IsOver(now.phase)) {
      TellEnd(events, now.warnings, now.missing);
      if (now.phase == Phase::kDone) return now.run;
      if (now.run.empty()) return Error(StatusCode::kNotFound, "{}", now.reason);
      if (events.warning) events.warning(now.reason);
      return now.run;
    }
    if (wait.IsStopped() && !std::exchange(is_cancelled, true))
      RS_RETURN_IF_ERROR(server.CancelCapture(id));
    wait.Sleep(kLookAgain);
  }
}

Result<std::string> CaptureByAgents(Server& server, const CaptureRequest& request,
                                    std::map<std::string, AgentAddress> agents, std::string token,
                                    Wait& wait, const CaptureEvents& events) {
  std::vector<std::string> hosts;
  hosts.reserve(agents.size());
  for (const auto& [host, address] : agents) hosts.push_back(host);
  const auto channel = MakeAgentChannel(std::move(agents), std::move(token));
  RunOfServer run(server);
  auto told = Phase::kAsking;
  Progress progress(wait, events);
  capture::JobCapture job(request, std::move(hosts), *channel, run, [&](const CaptureState& state) {
    if (state.phase != told && state.phase == Phase::kRecording && events.recording)
      events.recording(state.asked, state.hosts.size());
    if (told <= Phase::kRecording && state.phase > Phase::kRecording && events.recorded)
      events.recorded();
    told = state.phase;
    progress.See(state.phase, state.asked, state.written + state.snapshots, state.arrived);
  });
  const Status captured = [&] {
    const StopWatch watch(wait, job);
    return job.Run();
  }();
  const CaptureState state = job.State();
  TellEnd(events, state.warnings, Missing(state));
  if (captured.ok()) return state.run;
  if (state.run.empty()) return captured;
  if (events.warning) events.warning(state.reason);
  return state.run;
}

}  // namespace rankscope::client
