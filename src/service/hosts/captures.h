// Captures: profiles running jobs on all their hosts at once, through the agents that report here.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "capture/job_capture.h"
#include "service/access/access.h"
#include "service/base/wall_clock.h"

namespace rankscope::service {

class Agents;
class Runs;
struct Parts;

struct ServerCapture {
  std::string id;
  std::string team;       // of the run
  std::string host_team;  // of the hosts: "" those of agents that see all teams
  std::string user;       // who asked for it
  std::int64_t made_s = 0;
  capture::CaptureRequest request;
  capture::CaptureState state;
};

// Safe for many threads.
class Captures {
 public:
  static constexpr std::size_t kMostAtOnce = 8;  // of a team
  static constexpr std::size_t kMostOfAll = 64;  // at once
  static constexpr std::size_t kMostKept = 200;  // of a team, those that are over among them

  // All of them outlive it.
  Captures(Agents& agents, Parts& parts, Runs& runs, WallClock now_s);
  ~Captures();
  Captures(const Captures&) = delete;
  Captures& operator=(const Captures&) = delete;

  // Captures the processes of request.job, or all if it is empty and there is only one job, on
  // `hosts`, or on all hosts with such processes of one team. kNotFound if there are none,
  // kInvalidArgument if the job or its team is ambiguous, kResource if the job is already being
  // captured or kMostAtOnce captures are running.
  Result<ServerCapture> Start(const Principal& who, capture::CaptureRequest request,
                              std::vector<std::string> hosts);

  // The newest first; only those of teams that the caller may see.
  std::vector<ServerCapture> All(const Principal& who) const;
  Result<ServerCapture> Find(const Principal& who, std::string_view id) const;
  // It ends soon; one that is over stays as it is.
  Status Cancel(const Principal& who, std::string_view id);

  // Cancels running captures and waits for them. No new ones can start afterwards.
  void Stop();

 private:
  class Underway;
  static ServerCapture Copy(const Underway& one);
  Agents& agents_;
  Parts& parts_;
  Runs& runs_;
  const WallClock now_s_;
  mutable std::mutex mutex_;
  bool is_stopped_ = false;
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, std::unique_ptr<Underway>> captures_;
};

// As lists and events have it, and with every process.
api::CaptureSummary SummaryOf(const ServerCapture& one);
api::CaptureDetail DetailOf(const ServerCapture& one);

}  // namespace rankscope::service
