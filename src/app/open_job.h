// OpenJob: the traces of a job, opened by what somebody said of them.
//
//   RS_ASSIGN_OR_RETURN(const auto job, OpenJob({.paths = {"traces/"}}, {}, listener));
//   RS_ASSIGN_OR_RETURN(const Table steps, job->Run({.table = "step_times"}));
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/listener.h"
#include "base/status.h"
#include "table/table.h"

namespace rankscope {
class Job;  // engine/job.h, which users of app do not see
}

namespace rankscope::app {

// Which recordings of a job are looked at.
struct CaptureChoice {
  enum class Which : std::uint8_t {
    kLatest,  // the latest group of recordings with the most ranks
    kAll,
    kGroup,
  } which = Which::kLatest;
  std::int64_t group = 0;  // of kGroup
};
// "latest", "all" or a group's number. `option` is what messages call it.
Result<CaptureChoice> ParseCaptureChoice(std::string_view text, std::string_view option);

struct CacheSpec {
  bool enabled = true;
  std::string folder;  // named by somebody: an error when it cannot be used
  // Where `folder` is empty; a notice when it cannot be used.
  std::string user_folder;
  std::uint64_t limit_bytes = std::uint64_t{32} << 30;
};
// By $RANKSCOPE_CACHE_DIR, $XDG_CACHE_HOME and $HOME.
CacheSpec CacheOfEnvironment();

struct JobSpec {
  std::vector<std::string> paths;               // trace files, folders, globs
  std::optional<std::set<std::int64_t>> ranks;  // nullopt: all
  std::optional<std::set<std::int64_t>> steps;
  CaptureChoice captures;
  bool takes_many_runs = false;  // else traces of several runs are an error that names the choices
  std::string kernel_classes_file;  // rules for kernels before the built-in ones; "": none
  // Files that are not read, and why: told as files that cannot be.
  std::vector<std::pair<std::string, std::string>> left_out;
  CacheSpec cache;
  int threads = 0;  // 0: one per core
  // How reports name the job in the commands that they suggest.
  std::string called = "TRACES";
  // Of the option that chooses recordings, in messages.
  std::string capture_option = "--capture";
};

// Options of a table by name, as text.
using Settings = std::map<std::string, std::string, std::less<>>;

struct TableRequest {
  std::string table;  // a name of catalog/tables.h
  Settings settings = {};
};

// kNotFound: what is said where steps were chosen and no recording has one of them.
Status NoSuchSteps();

// Thread-safe: any number of threads may ask at once.
class OpenedJob {
 public:
  // `called` is how reports name the job in commands.
  OpenedJob(std::unique_ptr<Job> job, std::string called);
  ~OpenedJob();

  const std::string& called() const { return called_; }

  // From now on the listener is told of reading that tables need, and may stop it: what was asked
  // for is then kCancelled, and can be asked for again. None: nobody is told, nothing is stopped.
  // For who alone asks while it listens. The listener outlives that.
  void ListenWith(Listener* listener);

  // How many recordings are looked at.
  std::size_t recordings() const;
  // Their distinct ranks; `are_stated` is false where a trace does not state its own.
  struct Ranks {
    std::set<std::int64_t> numbers;
    bool are_stated = true;
  };
  Ranks ranks() const;
  bool has_chosen_steps() const;
  // NoSuchSteps where that is why tables have no rows.
  Status CheckChosenSteps();

  // kInvalidArgument for a table that there is not, or an option that it has not.
  Result<Table> Run(const TableRequest& request);
  Result<std::vector<Table>> RunAll(const std::vector<TableRequest>& requests);
  // Tells which files what was made so far lacks, if any.
  void TellLeftOut(Listener& listener) const;

  // For use cases alone.
  Job& job() { return *job_; }

 private:
  std::unique_ptr<Job> job_;
  std::string called_;
};

// Reads what is not in the cache. What the tables of `planned` need of a trace is computed while it
// is in memory, so that each file is read once. The listener is told nothing any more when this
// returns.
Result<std::unique_ptr<OpenedJob>> OpenJob(const JobSpec& spec,
                                           const std::vector<TableRequest>& planned,
                                           Listener& listener);

}  // namespace rankscope::app
