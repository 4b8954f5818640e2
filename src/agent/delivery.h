// Delivery: sends finished traces to the server, packed, with their place in the job, once each. It
// has its own thread, so nobody waits for a network.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "agent/captures/captures.h"
#include "agent/captures/snoop_windows.h"
#include "agent/server_access.h"
#include "cpu_profile/process_sampler.h"

namespace rankscope::agent {

struct DeliveryOptions {
  ServerAccess server;       // without one traces stay, with a sidecar beside each
  std::string spool_dir;     // OwnSpoolFolder
  std::string host;          // of this host, in what is written
  bool keeps_files = false;  // those of the agent's own captures, too
};

struct Delivered {
  enum class State : std::uint8_t { kQueued, kSent, kFailed } state = State::kQueued;
  std::string run;      // its id on the server; empty without one
  std::string problem;  // of the last attempt
};
std::string_view ToString(Delivered::State state);  // "queued", "sent", "failed"

// A file beside a trace, with the same name but another ending.
struct FileBeside {
  std::string ending;  // ".snoop.json"
  std::string text;
};

class Delivery {
 public:
  // A trace that cannot be sent is tried again for a quarter of an hour, then left in place: a run
  // accepts no other trace while it is analysed. A trace that can never be sent (no trace, a run
  // that is gone) is not tried again.
  static constexpr int kMostAttempts = 20;
  static constexpr std::size_t kMostQueued = 512;        // each holds its file open
  static constexpr std::size_t kMostQueuedOfUser = 128;  // of one user of the host

  Delivery(DeliveryOptions options, std::function<void(std::string_view)> said);
  ~Delivery();  // what is queued is left in place

  // For a capture's member whose file is there. `run`: its run; empty: the server makes a run for
  // `job`, shared by all hosts that name the same job. `samples`: telemetry that goes with it
  // (RunSamplesJson); may be empty. `cpu`: profiles that go into the trace; may be null. `windows`
  // are waited for, and become files beside the trace, like `beside`.
  void Add(const std::string& capture, const CaptureMember& member, const std::string& run,
           const std::string& job, std::string samples,
           std::shared_ptr<cpu_profile::ProcessSampler> cpu = nullptr, AskedWindows windows = {},
           std::vector<FileBeside> beside = {});
  // By "CAPTURE/PID", including queued ones.
  std::map<std::string, Delivered> All() const;

 private:
  struct Parcel {
    std::string capture;
    CaptureMember member;
    std::string run;
    std::string job;
    std::string samples;
    std::shared_ptr<cpu_profile::ProcessSampler> cpu;  // until its profiles are here
    std::shared_ptr<const std::vector<cpu_profile::Profile>> profiles;
    AskedWindows windows;  // until they are over
    std::vector<FileBeside> beside;
    bool is_own = false;  // the run is the agent's to make, and to finish
    int attempts = 0;
    std::chrono::steady_clock::time_point due = {};  // not before
  };
  void Run();
  bool TakeDue(Parcel& parcel);  // waits; false: it is ending
  static void TakeProfiles(Parcel& parcel);
  static void TakeWindows(Parcel& parcel);
  Status Pack(const Parcel& parcel, const std::string& to) const;
  Status Send(Parcel& parcel);
  Status WriteSidecar(const Parcel& parcel) const;

  const DeliveryOptions options_;
  const std::function<void(std::string_view)> said_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool is_ending_ = false;
  std::deque<Parcel> queue_;
  std::map<std::string, Delivered> delivered_;
  std::thread thread_;
};

// Information on a trace beyond its contents: its place in the job, who made it and when.
std::string SidecarJson(const std::string& capture, const CaptureMember& member,
                        std::string_view host);

}  // namespace rankscope::agent
