// What a tuning run is asked to do.
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
  kRamp,    // a rate that rises to more than any setting bears
  kRate,    // one rate
  kUsers,   // so many at once
  kReplay,  // a recorded trace of requests
};

struct TuneSpec {
  Adapter adapter;
  std::vector<std::string> arguments;  // of ${arguments}
  int trials = 30;                     // runs of a server under load, the diagnosis among them
  // What is sent, to whom it is not: address, levels and folder are the tuner's. The objective
  // decides what is good.
  load::LoadSpec load;
  LoadMode mode = LoadMode::kRamp;
  double per_s = 0;            // of kRate; of kRamp its end, 0: by the diagnosis
  std::int32_t users = 0;      // of kUsers
  std::int64_t duration = 0;   // ns that a trial sends
  std::string folder;          // work, exists; a journal in it is gone on with
  bool tries_service = false;  // trials may change the service, where the adapter has no other
  bool applies = false;        // changes the service
  std::int64_t canary = 0;     // ns
  std::optional<double> canary_per_s;  // nullopt: a tenth of what the old settings bear; 0: none
  std::vector<std::string> guard;      // the command that runs GuardMain, its folder left out
  std::string program;                 // ${rankscope}
};

struct TrialView {
  int number = 0;  // from 1
  int trials = 0;
  std::string_view stage;
  std::string settings;  // "max_num_seqs=64"
};

struct TuneWatch {
  std::function<void(const std::string& sentence)> tell;  // what goes on, and what is odd
  std::function<void(const TrialView&)> begins;
  std::function<void(const TrialView&, const std::string& result)> ends;
  // The report with what is known so far has been written: tune.json of the run's folder.
  std::function<void()> reports;
  load::LevelWatch level;  // of each level of load; its is_stopped ends the run as a whole
  std::function<bool()> is_stopped;
};

}  // namespace rankscope::tune
