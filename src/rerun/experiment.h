// Runs a command before and after a change, in turns, and measures what the change gains.
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

// What is different after: any of these.
struct Change {
  std::string tree;                                        // a folder with the changed program
  std::map<std::string, std::string> environment;          // variables that are set
  std::vector<std::pair<std::string, std::string>> files;  // path below the source, new text
};

struct Plan {
  std::vector<std::string> command;
  std::string folder;  // it starts there
  // The program's code, of which copies are run; "": it runs where it lies, and only its
  // environment can be changed.
  std::string source;
  std::string work;  // an empty folder for copies, recordings and logs
  int runs = 5;      // of each side
  int warmup = 5;    // steps that are neither timed nor recorded
  int steps = 0;     // that are timed, after which a run ends; 0: all, and it ends by itself
  int recorded = 6;  // steps that are recorded, after which that run ends
  // Traces that the command itself leaves, a pattern seen from its folder; "": hooks record.
  std::string traces;
  std::chrono::seconds limit{3600};  // of one run
};

// Tells what goes on, and may stop it.
struct Watch {
  std::function<void(const std::string& sentence)> tell = [](const std::string&) {};
  std::function<bool()> is_stopped = [] { return false; };
};

// Runs of one side.
struct SideRuns {
  std::vector<double> steps_ns;  // the mean step of each run, or the run's whole time
  bool are_whole_runs = false;   // no optimizer stepped twice
  bool are_of_device = false;
  std::int64_t steps = 0;  // timed in the run with the fewest; 0 of whole runs
  std::int64_t ranks = 0;
};

class Experiment {
 public:
  // Copies the source, for before and for after. Both outlive it.
  static Result<Experiment> Prepare(const Plan& plan, const Watch& watch);

  // Runs the command as it is, once, recorded: the paths of the traces.
  Result<std::vector<std::string>> RecordBefore() const { return Record(Side::kBefore); }
  // Has to come before what follows. Once.
  Status Apply(const Change& change);
  Result<std::vector<std::string>> RecordAfter() const { return Record(Side::kAfter); }

  // Plan::runs of each side, in turns, the first one before the change.
  struct Both {
    SideRuns before, after;
  };
  Result<Both> Time() const;

  // Where the program lies, as it is and changed.
  const std::string& before_tree() const { return trees_[0]; }

 private:
  enum class Side : std::uint8_t { kBefore, kAfter };
  Experiment(const Plan& plan, const Watch& watch) : plan_(&plan), watch_(&watch) {}
  std::string FolderOf(Side side) const;
  // Runs the command of a side, with such hooks. How long it took, in seconds.
  Result<double> Run(Side side, HookWish wish) const;
  Result<std::vector<std::string>> Record(Side side) const;
  Status TimeOnce(Side side, int number, SideRuns* runs) const;
  std::vector<std::string> CommandIn(Side side) const;

  const Plan* plan_;
  const Watch* watch_;
  std::string hooks_;
  std::string trees_[2];                            // of each side; "": where it lies
  std::map<std::string, std::string> environment_;  // of the change
};

}  // namespace rankscope::rerun
