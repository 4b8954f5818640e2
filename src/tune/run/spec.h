// The request for a tuning run.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "load/run_load.h"
#include "tune/adapter/adapter.h"

namespace rankscope::tune {

enum class LoadMode : std::uint8_t {
  kRamp,    // a rate that rises beyond what any setting can bear
  kRate,    // one rate
  kUsers,   // a number of concurrent users
  kReplay,  // a recorded trace of requests
};

struct TuneSpec {
  Adapter adapter;
  std::vector<std::string> arguments;  // of ${arguments}
  int trials = 30;                     // runs of a server under load, including the diagnosis
  // The requests to send; the tuner itself sets address, levels and folder. The objective defines
  // good requests.
  load::LoadSpec load;
  LoadMode mode = LoadMode::kRamp;
  double per_s = 0;            // of kRate; of kRamp: its end, 0: from the diagnosis
  std::int32_t users = 0;      // of kUsers
  std::int64_t duration = 0;   // sending time of a trial in ns
  std::string folder;          // working folder, must exist; an existing journal is continued
  bool tries_service = false;  // trials may change the service, if the adapter has no trial server
  bool applies = false;        // changes the service
  std::int64_t canary = 0;     // ns
  std::optional<double> canary_per_s;  // nullopt: a tenth of what the old settings bear; 0: none
  std::vector<std::string> guard;      // the command that runs GuardMain, without its folder
  std::string program;                 // ${rankscope}
};

struct TrialView {
  int number = 0;  // from 1
  int trials = 0;
  std::string_view stage;
  std::string settings;  // "max_num_seqs=64"
};

struct TuneWatch {
  std::function<void(const std::string& sentence)> tell;  // progress and anomalies
  std::function<void(const TrialView&)> begins;
  std::function<void(const TrialView&, const std::string& result)> ends;
  // tune.json of the run's folder was rewritten with all that is known so far.
  std::function<void()> reports;
  load::LevelWatch level;  // of each level of load; its is_stopped ends the run as a whole
  std::function<bool()> is_stopped;
};

}  // namespace rankscope::tune
