// JobCapture: profiles processes of a job on all hosts at the same time, and collects their
// recordings in one run.
//
// The caller decides how agents are reached and where runs are made: the command line contacts
// agents directly and a server over HTTP; the server has direct access to both.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "api/agent_capture.h"
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
// Rejects values out of their declared bounds, and a folder without an absolute path.
// kInvalidArgument.
Status Check(const CaptureRequest& request);

// The multiple of steps at which all processes begin, so that they record the same steps: the
// smallest multiple of `asked` with at least as many steps as a process makes between two polls,
// since processes receive the request that far apart. `step_time_s` is 0 if unknown.
std::int64_t RoundUpFor(std::int64_t asked, double step_time_s);

// How far a host's clock is ahead of the caller's; within the uncertainty it counts as no offset.
struct HostClock {
  std::int64_t ahead_us = 0;
  std::int64_t uncertainty_us = 0;
};

// Writes the members of a request of docs/agent.md: "fn" and its arguments.
using RequestWriter = std::function<void(json::Writer& members)>;
void WritePing(json::Writer& members);
// The request as JSON, with the token if given.
std::string TextOf(const RequestWriter& request, std::string_view token = "");

// Called from many threads.
class AgentChannel {
 public:
  virtual ~AgentChannel() = default;
  // Contacts the host for the first time.
  virtual Result<HostClock> Meet(const std::string& host) = 0;
  // Sends a request, to which a channel may add members of its own; returns the answer.
  virtual Result<std::string> Call(const std::string& host, const RequestWriter& request) = 0;
};

// The run to create. Calls are sequential.
class CaptureRun {
 public:
  virtual ~CaptureRun() = default;
  virtual Result<std::string> Make(const CaptureRequest& request) = 0;  // returns its id
  // Names of the files that have arrived: "rank3-HOST-PID.json.gz", snapshots ".pickle.gz" (the
  // agent's delivery.cc).
  virtual Result<std::vector<std::string>> Files() = 0;
  virtual Status Finish() = 0;  // starts its analysis
  virtual void Remove() = 0;    // if it has no file
};

// A process, as reported by its agent (docs/agent.md lists the states).
struct Member {
  std::int64_t pid = 0;  // in its own namespace
  std::int64_t rank = -1;
  std::int64_t world_size = -1;
  std::string state;
  std::string reason;
  bool has_arrived = false;  // its output is in the run
};

struct HostState {
  std::string host;
  HostClock clock;
  std::string problem;  // if not empty, the host does not take part
  std::vector<Member> members;
  std::vector<Member> snapshots;  // the same processes, if snapshots are requested
  std::string snapshot_problem;   // if not empty, snapshots could not be requested
  bool is_over = false;           // the current request is finished
  std::int64_t heard_ms = 0;      // steady clock: last answer of its agent
  bool is_silent = false;         // no answer for CaptureRequest::host_wait_ms
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
  std::string reason;  // why it failed
  std::string run;     // its id; empty before it exists, and after it was removed
  std::vector<HostState> hosts;
  std::vector<std::string> warnings;
  std::size_t asked = 0;      // requested processes
  std::size_t written = 0;    // written traces
  std::size_t snapshots = 0;  // written snapshots
  std::size_t arrived = 0;    // traces and snapshots in the run
};

// What is missing, a sentence each: hosts, processes, ranks without a host, files in transit.
std::vector<std::string> Missing(const CaptureState& state);

class JobCapture {
 public:
  // All must outlive it. `on_change` is called at phase changes, on the thread of Run.
  JobCapture(CaptureRequest request, std::vector<std::string> hosts, AgentChannel& agents,
             CaptureRun& run, std::function<void(const CaptureState&)> on_change,
             CaptureTime& time = RealTime());

  // Runs until the run is finished with everything that arrived; its analysis continues. Each host
  // is waited for until its own deadline. Arrived files are never removed: a capture that is
  // cancelled, or fails later, finishes its run with them (State().run). If nothing arrived,
  // nothing remains: no run, and requests that were not delivered yet are cancelled. Blocks until
  // the end; uses up to 64 threads at a time.
  Status Run();

  // Thread-safe; Run ends soon.
  void Cancel() { is_cancelled_ = true; }
  CaptureState State() const;

 private:
  Status Capture();
  Status WaitForMembers();
  Status WaitForFiles();
  void RaiseRoundUp();
  api::AgentCaptureRequest CaptureOf(std::string_view file_ending) const;
  api::AgentCaptureRequest TraceOf(std::size_t host, std::int64_t start_unix_ms) const;
  api::AgentCaptureRequest SnapshotOf() const;
  void Start(std::size_t host, const api::AgentCaptureRequest& capture);
  void TakeSnapshots();
  void Look(std::size_t host);
  void WarnLocked(const std::string& host, const std::vector<std::string>& warnings);
  void CancelHosts();
  Status KeepWhatArrived();
  void Hear(std::size_t host);
  void HeardNothingLocked(HostState& host);
  void SeeFiles(const std::vector<std::string>& names);
  bool IsAnythingExpected() const;
  Status NothingCame(std::string_view what, std::string_view remedy) const;
  Result<json::Reader> Ask(std::size_t host, const RequestWriter& request) const;
  template <typename Answer>
  Result<Answer> AskFor(std::size_t host, const RequestWriter& request) const;
  template <typename Work>
  void ForEachHost(const Work& work);
  Status RunOnce();
  void Enter(Phase phase, std::string_view reason = "");
  bool Pause();  // false if it was cancelled

  const CaptureRequest request_;
  std::int64_t round_up_;
  AgentChannel& agents_;
  CaptureRun& run_;
  const std::function<void(const CaptureState&)> on_change_;
  CaptureTime& time_;
  std::atomic<bool> is_cancelled_ = false;
  // The current request; the same on every agent, which uses it to place files.
  enum class Product : std::uint8_t { kTrace, kSnapshot } product_ = Product::kTrace;
  std::string capture_id_;
  mutable std::mutex mutex_;
  CaptureState state_;
};

}  // namespace rankscope::capture
