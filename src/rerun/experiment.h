// Runs a command before and after a change, alternately, and measures the gain of the change.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "rerun/hooks.h"
#include "rerun/measured_gain.h"

namespace rankscope::rerun {

// The differences of the side after; any combination of these.
struct Change {
  std::string tree;                                        // a folder with the changed program
  std::map<std::string, std::string> environment;          // variables to set
  std::vector<std::pair<std::string, std::string>> files;  // path relative to the source, new text
};

struct Plan {
  std::vector<std::string> command;
  std::string folder;  // working folder
  // The program's code; copies of it are run. "": it runs in place, and only its environment can be
  // changed.
  std::string source;
  std::string work;  // an empty folder for copies, recordings and logs
  int runs = 5;      // per side
  int warmup = 5;    // steps that are neither timed nor recorded
  int steps = 0;     // timed steps, after which a run ends; 0: all, until it ends by itself
  int recorded = 6;  // recorded steps, after which that run ends
  // A pattern, relative to its folder, for traces that the command itself writes; "": hooks record.
  std::string traces;
  std::chrono::seconds limit{3600};  // per run
};

// Receives progress, and may stop the experiment.
struct Watch {
  std::function<void(const std::string& sentence)> tell = [](const std::string&) {};
  std::function<bool()> is_stopped = [] { return false; };
};

// Runs of one side.
struct SideRuns {
  std::vector<double> steps_ns;  // the mean step of each run, or the duration of the whole run
  bool are_whole_runs = false;   // no optimizer made two steps
  bool are_of_device = false;
  std::int64_t steps = 0;  // timed steps in the run with the fewest; 0 for whole runs
  std::int64_t ranks = 0;
};

class Experiment {
 public:
  // Copies the source, once for before and once for after. Both arguments must outlive it.
  static Result<Experiment> Prepare(const Plan& plan, const Watch& watch);

  // Runs the unchanged command once and records it; returns the paths of the traces.
  Result<std::vector<std::string>> RecordBefore() const { return Record(Side::kBefore); }
  // Must precede the functions below. Call once.
  Status Apply(const Change& change);
  Result<std::vector<std::string>> RecordAfter() const { return Record(Side::kAfter); }

  // Plan::runs of each side, alternately, beginning with the side before the change.
  struct Both {
    SideRuns before, after;
  };
  Result<Both> Time() const;

  // The location of the program, unchanged and changed.
  const std::string& before_tree() const { return trees_[0]; }

 private:
  enum class Side : std::uint8_t { kBefore, kAfter };
  Experiment(const Plan& plan, const Watch& watch) : plan_(&plan), watch_(&watch) {}
  std::string FolderOf(Side side) const;
  // Runs the command of a side, with these hooks. Returns its duration in seconds.
  Result<double> Run(Side side, HookWish wish) const;
  Result<std::vector<std::string>> Record(Side side) const;
  Status TimeOnce(Side side, int number, SideRuns* runs) const;
  std::vector<std::string> CommandIn(Side side) const;

  const Plan* plan_;
  const Watch* watch_;
  std::string hooks_;
  std::string trees_[2];                            // of each side; "": in place
  std::map<std::string, std::string> environment_;  // of the change
};

}  // namespace rankscope::rerun
