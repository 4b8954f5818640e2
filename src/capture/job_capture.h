// JobCapture: processes of a job are profiled on all hosts at once, and what they recorded becomes
// one run.
//
// How agents are reached and where runs are made is the caller's: the command line asks agents
// itself and a server over HTTP, the server has both at hand.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "api/capture.h"
#include "base/status.h"
#include "capture/capture_time.h"
#include "json/reader.h"
#include "json/writer.h"

namespace rankscope::json {
class Writer;
}

namespace rankscope::capture {

using api::CaptureRequest;
// What is out of its declared bounds, and a folder that is no absolute path. kInvalidArgument.
Status Check(const CaptureRequest& request);

// From which multiple of steps on all processes record the same ones: the smallest multiple of
// `asked` that has as many steps as are done between two polls of a process, since that is how far
// apart processes hear of it. `step_time_s` is 0 where nobody knows.
std::int64_t RoundUpFor(std::int64_t asked, double step_time_s);

// How far a host's clock is ahead of the caller's. What is within the uncertainty is no offset.
struct HostClock {
  std::int64_t ahead_us = 0;
  std::int64_t uncertainty_us = 0;
};

// Writes the members of a request of docs/agent.md, "fn" and what goes with it.
using RequestWriter = std::function<void(json::Writer& members)>;
void WritePing(json::Writer& members);
// The request as JSON; with a token where one is given.
std::string TextOf(const RequestWriter& request, std::string_view token = "");

// Called from many threads.
class AgentChannel {
 public:
  virtual ~AgentChannel() = default;
  // Reaches it for the first time.
  virtual Result<HostClock> Meet(const std::string& host) = 0;
  // The answer to a request, to which a channel may add members of its own.
  virtual Result<std::string> Call(const std::string& host, const RequestWriter& request) = 0;
};

// The run to be. Calls come one after the other.
class CaptureRun {
 public:
  virtual ~CaptureRun() = default;
  virtual Result<std::string> Make(const CaptureRequest& request) = 0;  // its id
  // Names of those that are here: "rank3-HOST-PID.json.gz", snapshots ".pickle.gz" (the agent's
  // delivery.cc).
  virtual Result<std::vector<std::string>> Files() = 0;
  virtual Status Finish() = 0;  // analyse them
  virtual void Remove() = 0;    // when it has no file
};

// A process, as its agent tells (docs/agent.md has the states).
struct Member {
  std::int64_t pid = 0;  // in its own namespace
  std::int64_t rank = -1;
  std::int64_t world_size = -1;
  std::string state;
  std::string reason;
  bool has_arrived = false;  // what it wrote is in the run
};

struct HostState {
  std::string host;
  HostClock clock;
  std::string problem;  // not empty: it takes no part
  std::vector<Member> members;
  std::vector<Member> snapshots;  // the same processes, where snapshots are asked for
  std::string snapshot_problem;   // not empty: it could not be asked for them
  bool is_over = false;           // what is asked for now
  std::int64_t heard_ms = 0;      // steady: when its agent answered last
  bool is_silent = false;         // it has not for CaptureRequest::host_wait_ms
};

enum class Phase : std::uint8_t {
  kAsking,
  kRecording,
  kSnapshots,
  kSending,
  kDone,
  kFailed,
  kCancelled
};
std::string_view ToString(Phase phase);  // "asking", ...
constexpr bool IsOver(Phase phase) { return phase >= Phase::kDone; }

struct CaptureState {
  Phase phase = Phase::kAsking;
  std::string reason;  // of failing
  std::string run;     // its id; empty before there is one, and when it is gone again
  std::vector<HostState> hosts;
  std::vector<std::string> warnings;
  std::size_t asked = 0;      // processes
  std::size_t written = 0;    // traces
  std::size_t snapshots = 0;  // that were written
  std::size_t arrived = 0;    // traces and snapshots in the run
};

// What did not come, a sentence each: hosts, processes, ranks that no host has, files on the way.
std::vector<std::string> Missing(const CaptureState& state);

class JobCapture {
 public:
  // All outlive it. `on_change` hears of phases, on the thread of Run.
  JobCapture(CaptureRequest request, std::vector<std::string> hosts, AgentChannel& agents,
             CaptureRun& run, std::function<void(const CaptureState&)> on_change,
             CaptureTime& time = RealTime());

  // Until the run is finished, which has what came; its analysis goes on. A host is waited for
  // until its own deadline. What arrived is never removed: a capture that is cancelled, or fails
  // later, finishes its run with it (State().run). One that got nothing leaves nothing behind: no
  // run, and what was not told yet is cancelled. Blocks for as long as it takes; up to 64 threads
  // at a time.
  Status Run();

  // From any thread; Run ends soon.
  void Cancel() { is_cancelled_ = true; }
  CaptureState State() const;

 private:
  Status Capture();
  Status WaitForMembers();
  Status WaitForFiles();
  void RaiseRoundUp();
  void WriteTrace(std::size_t host, std::int64_t start_unix_ms, json::Writer& body) const;
  void WriteSnapshot(json::Writer& body) const;
  void WriteWhose(json::Writer& body) const;
  void Start(std::size_t host, const std::function<void(json::Writer& body)>& write_what);
  void TakeSnapshots();
  void Look(std::size_t host);
  void WarnLocked(const std::string& host, const json::Value& answer);
  void CancelHosts();
  Status KeepWhatArrived();
  void Hear(std::size_t host);
  void HeardNothingLocked(HostState& host);
  void SeeFiles(const std::vector<std::string>& names);
  bool IsAnythingExpected() const;
  Status NothingCame(std::string_view what, std::string_view remedy) const;
  Result<json::Reader> Ask(std::size_t host, const RequestWriter& request) const;
  template <typename Work>
  void ForEachHost(const Work& work);
  Status RunOnce();
  void Enter(Phase phase, std::string_view reason = "");
  bool Pause();  // false when it was cancelled

  const CaptureRequest request_;
  std::int64_t round_up_;
  AgentChannel& agents_;
  CaptureRun& run_;
  const std::function<void(const CaptureState&)> on_change_;
  CaptureTime& time_;
  std::atomic<bool> is_cancelled_ = false;
  // What is asked for now; on every agent, which knows by it where files belong.
  enum class Product : std::uint8_t { kTrace, kSnapshot } product_ = Product::kTrace;
  std::string capture_id_;
  mutable std::mutex mutex_;
  CaptureState state_;
};

}  // namespace rankscope::capture
