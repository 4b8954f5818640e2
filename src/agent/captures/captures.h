// Captures: the training processes of this host that poll for work, and their recordings.
//
// A process polls every few seconds. A request to record is the answer to its next poll, given at
// most once. Later events show whether the process accepted it: polls of type 0 while it records,
// and the file at its end.
//
// Safe for many threads; only Look waits for files.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/base/now.h"
#include "agent/captures/process_folder.h"
#include "agent/captures/process_info.h"
#include "agent/captures/trace_finder.h"
#include "base/status.h"
#include "cpu_profile/process_sampler.h"
#include "wire/kineto_message.h"
#include "wire/local_socket.h"

namespace rankscope::agent {

enum class MemberState : std::uint8_t {
  kWaiting,    // until the process asks
  kDelivered,  // it was given the configuration
  kRecording,  // it said so
  kWritten,    // its file is there
  kBusy,       // it had another one at the time: not asked
  kRefused,    // it was given it, and goes on asking as if it were not
  kTimedOut,   // nothing came in time
  kDied,       // the process ended before its file was there
  kCancelled,
};
std::string_view ToString(MemberState state);  // "waiting", ...
constexpr bool IsOver(MemberState state) {
  return state != MemberState::kWaiting && state != MemberState::kDelivered &&
         state != MemberState::kRecording;
}

struct CaptureMember {
  pid_t pid = 0;            // in the agent's namespace
  std::int64_t inside = 0;  // in its own, which names its file
  std::optional<std::int64_t> rank, world_size;
  std::string job;  // GroupOf the process
  TraceWriter writer;
  Placed placed;             // where the process runs
  bool is_snapshot = false;  // of memory, a pickle, in place of a trace
  std::string path;          // of its trace, as the process has it; empty while nothing is told
  // Set once the file is there, in what Look returns: its holder reads, moves and removes it.
  std::shared_ptr<const WrittenFile> trace;
  MemberState state = MemberState::kWaiting;
  std::string reason;       // of an end that is none, in a sentence
  std::string problem;      // what stood in the way at the last look for its trace
  bool keeps_file = false;  // somebody named it himself: it is not the agent's to remove
  std::int64_t bytes = 0;
  std::int64_t delivered_ms = 0;  // steady
  std::int64_t later_ms = 0;      // that it begins behind the start that was asked for
  std::int64_t written_unix_ms = 0;
  std::optional<cpu_profile::SamplingState> cpu;  // of a capture that samples; nullopt: not yet
};

// The purpose of a capture, beside its configuration.
struct CaptureTerms {
  std::string occasion;  // that sets it apart from others of its job; empty: one of a job
  std::string run;       // of the server, to which its traces belong; empty: the agent makes one
  bool keeps_files = false;  // somebody named them himself: they stay where they were written
};

// How long snoop and offcpu record the processes of a capture; 0: not at all.
struct WindowLengths {
  std::int64_t snoop_ms = 0, offcpu_ms = 0;
  bool any() const { return snoop_ms > 0 || offcpu_ms > 0; }
};

struct Capture {
  std::string id;
  std::string source;  // "rpc", "iteration", "schedule", ...: who asked
  CaptureTerms terms;
  std::string config;
  std::int64_t made_unix_ms = 0;
  std::int64_t made_ms = 0;      // steady
  std::int64_t deadline_ms = 0;  // steady
  std::vector<CaptureMember> members;
  std::vector<std::string> warnings;
  bool samples_cpu = false;
  WindowLengths windows;

  bool IsOver() const;
};

struct Process {
  ProcessInfo info;
  uid_t uid = static_cast<uid_t>(-1);  // as the kernel has it
  std::int64_t job = 0;                // SLURM_JOB_ID as it says it
  std::vector<std::int32_t> inside;    // itself and its ancestors, in its own namespace
  std::int64_t first_seen_ms = 0;
  std::int64_t last_seen_ms = 0;
  std::uint64_t polls = 0;
  bool is_recording = false;  // it says so
  bool was_profiled = false;  // by a trigger of this agent
};

// From its environment, else from its own statement; empty: none.
std::string JobOf(const Process& process);
// The processes profiled together: the job, or without one the user's processes.
std::string GroupOf(const Process& process);

// The processes of a job (0: those of none, as dynolog has it). Of these, the ones with one of
// these numbers among themselves and their ancestors, here or inside; {} or {0}: all.
struct Selection {
  std::optional<std::int64_t> job;  // nullopt: any
  std::string job_id;               // SLURM_JOB_ID or TORCHELASTIC_RUN_ID; empty: any
  std::vector<std::int64_t> pids;
  std::optional<uid_t> uid;  // processes of this user alone; nullopt: of all
  std::size_t most = 1000;
};

struct Triggered {
  std::string id;                       // of the capture; empty when none was asked
  std::vector<std::int64_t> matched;    // numbers inside
  std::vector<std::int64_t> triggered;  // of them, those that were asked
  std::size_t busy = 0;
  std::vector<std::string> warnings;
};

struct CaptureLimits {
  std::int64_t forget_ms = 60'000;         // a process that asked nothing for so long is gone
  std::int64_t refused_after_ms = 12'000;  // two polls of 5 s each behind the configuration
  std::int64_t patience_ms = 60'000;       // beyond what the capture itself takes
  std::size_t most_processes = 4096;
  std::size_t most_kept = 200;  // captures that are over
  // Files of captures stay where they were written (capture.keep_files). Of unfinished files beside
  // them only empty ones are removed.
  bool keeps_files = false;
  // Gives the current names of pods and containers, for the processes and members in an answer;
  // empty: none. It must not call Captures.
  std::function<PlaceNames(const CgroupPlace&)> names = {};
};

class Captures {
 public:
  Captures(std::string root, const CaptureLimits& limits)
      : root_(std::move(root)), limits_(limits), finder_(root_) {}

  // A process polls: returns its configuration, or nothing. A process that the kernel does not name
  // (of another namespace) is unknown, and gets nothing.
  std::string OnPoll(const wire::Sender& from, const wire::KinetoPoll& poll, Now now);
  // A process registers: returns how many of that job and device are known; -1 if the process is
  // unknown.
  std::int32_t OnContext(const wire::Sender& from, const wire::KinetoContext& context, Now now);

  // Asks them to record. `config` has been checked (CheckConfigText). The trace's id is put into
  // it when it has none.
  Triggered Trigger(const Selection& selection, const std::string& config, std::string_view source,
                    Now now, CaptureTerms terms = {});
  // Captures whose processes are sampled while they record (CpuProfiles).
  void SampleCpu(std::string_view id);
  // The result of that.
  void SetCpu(std::string_view id, pid_t pid, const cpu_profile::SamplingState& state);
  // Captures whose processes are observed from outside while they record (SnoopWindows).
  void LookFromOutside(std::string_view id, const WindowLengths& windows);
  // A note on a capture, a sentence; equal notes are kept once.
  void Warn(std::string_view id, std::string warning);
  // False: there is none, or it is over.
  bool Cancel(std::string_view id);

  // Forgets processes and ends captures that take too long. Uses memory and /proc only.
  void Tick(Now now);
  // Looks for files, which may block: call it on its own thread, one call at a time. Returns the
  // members written since, with their captures' ids. Removes late or unfinished files of members
  // that one of the agent's own captures had given up.
  std::vector<std::pair<std::string, CaptureMember>> Look(Now now);

  std::vector<Process> Processes() const;
  std::vector<Capture> All() const;
  std::optional<Capture> Find(std::string_view id) const;
  // Marks it as profiled by a trigger; false if it already was.
  bool MarkProfiled(pid_t pid);

 private:
  struct Pending {
    std::string id;
    std::string config;
  };
  Process& Seen(const wire::Sender& from, std::int64_t job, Now now);
  Capture* FindLocked(std::string_view id);
  CaptureMember* MemberOf(const Pending& pending, pid_t pid);
  CaptureMember* UnderwayOf(pid_t pid);
  Capture Named(Capture capture) const;
  void End(const Capture& capture, CaptureMember& member, MemberState state, std::string reason);
  void TakeTrace(CaptureMember& member, const TraceLook& look);

  const std::string root_;
  const CaptureLimits limits_;
  mutable std::mutex mutex_;
  std::map<pid_t, Process> processes_;
  std::map<pid_t, Pending> pending_;
  std::vector<Capture> captures_;
  std::vector<Leftover> leftovers_;  // since the last look
  TraceFinder finder_;               // Look's alone
  std::map<std::pair<std::int64_t, std::int32_t>, std::vector<std::int32_t>> contexts_;
  std::uint64_t next_ = 1;
};

}  // namespace rankscope::agent
