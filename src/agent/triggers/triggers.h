// Triggers: automatic captures. Every process is profiled once at an iteration; jobs are profiled
// on a schedule, and when a rule on the host's telemetry holds.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/captures/captures.h"
#include "agent/telemetry/snapshot.h"
#include "agent/triggers/budget.h"
#include "agent/triggers/decisions.h"
#include "agent/triggers/watch.h"

namespace rankscope::agent {

// The triggers and their recordings. The settings of the same names (triggers.iteration,
// capture.folder) describe the defaults.
struct TriggerOptions {
  std::int64_t iteration = 0;   // at which every process is recorded once; 0: at none
  std::int64_t iterations = 1;  // of a recording
  std::int64_t settle_s = 0;
  std::int64_t every_minutes = 0;  // 0: no schedule
  std::int64_t round_up = 1;
  std::vector<std::string> rules;   // rule.h
  std::vector<std::string> events;  // names of rule_set.h
  std::int64_t most_per_hour = 0;
  std::int64_t job_most_per_hour = 0;
  std::int64_t job_pause_s = 0;

  std::string folder;  // of the traces
  bool shapes = false;
  bool stacks = false;
  bool samples_cpu = false;
  WindowLengths windows;
};

// The inputs and outputs of triggers.
struct TriggerSurroundings {
  std::string host;                                  // its name
  std::function<Snapshots()> telemetry;              // empty: none
  std::function<std::vector<pid_t>(int)> on_device;  // processes by the driver's word; empty: none
  std::function<void(std::string_view)> said;        // hears of every decision, with its reason
  std::uint64_t began_ticks = 0;  // when this agent did, as ProcessInfo::start_ticks
};

// Not for several threads.
class Triggers {
 public:
  // `options` have been checked; invalid rules and events are left out. `captures` and `decisions`
  // outlive it.
  Triggers(TriggerOptions options, Captures& captures, Decisions& decisions,
           TriggerSurroundings around);

  // Uses other options from now on, checked as those before. Captures that count against the limits
  // stay; changed rules and events start again.
  void Change(TriggerOptions options);

  // Call it several times a second. O(processes) without new readings.
  void Tick(Now now);

 private:
  using Groups = std::map<std::string, std::vector<std::int64_t>>;  // pids by job
  struct Firing {
    std::string_view trigger;  // Decision::trigger
    std::string cause;
    std::string occasion;  // Capture::occasion
    std::string config;
    bool keeps_pause = true;  // triggers.job_pause_s holds for it
  };

  void MakeWatches();
  void TickIteration(Now now);
  void TickSchedule(Now now);
  void TickWatches(Now now);
  void Cross(const Watch& watch, std::string_view trigger, const Crossing& crossing, Now now);
  Groups AllGroups() const;
  Groups MeantBy(const Crossing& crossing) const;
  std::string PauseOf(const std::string& job, Now now) const;
  // False: it is refused.
  bool Fire(const Firing& firing, const std::string& job, const std::vector<std::int64_t>& pids,
            Now now);
  void Decide(Decision decision, Now now);
  std::string ConfigText(std::string_view name, std::int64_t start_iteration) const;

  struct Watched {
    Watch watch;
    std::string_view trigger;  // "rule", "event"
    bool was_missed = false;   // that nothing matches was said
  };

  TriggerOptions options_;
  Captures& captures_;
  Decisions& decisions_;
  const TriggerSurroundings around_;
  Budget budget_;
  std::vector<Watched> watches_;
  std::map<std::string_view, std::shared_ptr<const Snapshot>> seen_;  // by source
  std::int64_t began_ms_ = -1;                                        // steady
  std::int64_t period_ = -1;                    // of the schedule, counted from 1970 on
  std::set<std::string> refused_at_iteration_;  // jobs, said once each
};

}  // namespace rankscope::agent
