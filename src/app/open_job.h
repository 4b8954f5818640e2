// OpenJob opens the traces of a job from a specification.
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

// The analysed recordings of a job.
struct CaptureChoice {
  enum class Which : std::uint8_t {
    kLatest,  // the latest group of recordings with the most ranks
    kAll,
    kGroup,
  } which = Which::kLatest;
  std::int64_t group = 0;  // of kGroup
};
// "latest", "all" or a group's number. `option` is its name in messages.
Result<CaptureChoice> ParseCaptureChoice(std::string_view text, std::string_view option);

struct CacheSpec {
  bool enabled = true;
  std::string folder;  // set explicitly: an error if it cannot be used
  // Used if `folder` is empty; a notice if it cannot be used.
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
  // Files that are not read, and the reason; reported like unreadable files.
  std::vector<std::pair<std::string, std::string>> left_out;
  CacheSpec cache;
  int threads = 0;  // 0: one per core
  // The name of the job in commands suggested by reports.
  std::string called = "TRACES";
  // The name, in messages, of the option that selects recordings.
  std::string capture_option = "--capture";
};

// Options of a table by name, as text.
using Settings = std::map<std::string, std::string, std::less<>>;

struct TableRequest {
  std::string table;  // a name of catalog/tables.h
  Settings settings = {};
};

// kNotFound: the error if no recording has any of the selected steps.
Status NoSuchSteps();

// Thread-safe: any number of threads may call it at once.
class OpenedJob {
 public:
  // `called` is the job's name in commands of reports.
  OpenedJob(std::unique_ptr<Job> job, std::string called);
  ~OpenedJob();

  const std::string& called() const { return called_; }

  // From now on the listener gets the progress of reading for tables, and may stop it: the call
  // then returns kCancelled and can be repeated. Null: no listener. Only for a single calling
  // thread. The listener must outlive its use.
  void ListenWith(Listener* listener);

  // The number of analysed recordings.
  std::size_t recordings() const;
  // Their distinct ranks; `are_stated` is false if a trace does not state its rank.
  struct Ranks {
    std::set<std::int64_t> numbers;
    bool are_stated = true;
  };
  Ranks ranks() const;
  bool has_chosen_steps() const;
  // NoSuchSteps if that is why tables have no rows.
  Status CheckChosenSteps();

  // kInvalidArgument for an unknown table or option.
  Result<Table> Run(const TableRequest& request);
  Result<std::vector<Table>> RunAll(const std::vector<TableRequest>& requests);
  // Reports the files missing from the results so far, if any.
  void TellLeftOut(Listener& listener) const;

  // Only for use cases.
  Job& job() { return *job_; }

 private:
  std::unique_ptr<Job> job_;
  std::string called_;
};

// Reads traces that are not in the cache. Data for the tables of `planned` is computed while a
// trace is in memory, so each file is read once. The listener is not used after this returns.
Result<std::unique_ptr<OpenedJob>> OpenJob(const JobSpec& spec,
                                           const std::vector<TableRequest>& planned,
                                           Listener& listener);

}  // namespace rankscope::app
