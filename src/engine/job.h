// Job: a set of trace files that can be queried as one. Reads files once, in parallel, and caches
// its results.
//
// Thread-safe: any number of threads may query it at once. A result needed by several is computed
// once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/request.h"
#include "engine/trace_files.h"
#include "engine/wanted_tables.h"
#include "job/captures.h"
#include "stage/analysis.h"

namespace rankscope {

struct JobOptions {
  int threads = 0;  // 0 = one per core
  std::uint64_t memory_bytes =
      0;  // for files read at the same time; 0 = half of the available memory
  CacheOptions cache;
  CaptureSelection captures;
  StepFilter steps;
  KernelRules kernel_rules;  // for kernel classes
  // Found files that are not read, and the reason; treated like unreadable files.
  std::vector<std::pair<std::string, Status>> left_out;
  // Called by one thread at a time while files are read; false stops the work.
  std::function<bool(const Progress&)> progress;
};

class Job {
 public:
  // Finds the files and reads those that are not in the cache. The maps of `planned` run while a
  // trace is in memory, so each file is read once. Fails if no file is a usable trace.
  static Result<std::unique_ptr<Job>> Open(const std::vector<std::string>& paths,
                                           JobOptions options,
                                           const std::vector<Request>& planned = {});
  ~Job();

  // The state at opening. Facts of all ranks are passed only to analyses.
  const JobContext& context() const { return context_; }
  const JobOptions& options() const { return options_; }
  const TraceFiles& files() const { return *files_; }

  // From now on `progress` is called during reading; if it returns false, the current request
  // stops. An empty function has no effect. It is called by one thread at a time. A stopped request
  // can be repeated.
  void ReportTo(std::function<bool(const Progress&)> progress) {
    files_->ReportTo(std::move(progress));
  }

  // The tables of these requests over the selected captures, in order. Tables that are not large
  // are cached under a key of their inputs, so repeated requests derive nothing. Missing partials
  // are mapped in one pass over the files; one pass over the partials, on all cores, feeds all
  // reducers. If a file can no longer be read, its rank is missing: see Lost. Summaries with
  // default options are kept in memory, including inputs of derived tables, except large ones.
  Result<std::vector<Table>> RunAll(std::span<const Request> requests);
  Result<Table> Run(const Request& request);

  // The number of tables computed, not taken from memory or the cache.
  std::size_t tables_made() const { return tables_made_; }

  // Files lost after opening, and why: later tables lack their ranks.
  std::vector<std::pair<std::string, Status>> Lost() const;

  // The trace of a capture (an index into context().captures), from the cache or its file.
  Result<RankTrace> OpenTrace(std::size_t capture) const;

 private:
  // Tables that were in the cache.
  using Recalled = std::map<std::pair<const Analysis*, Options>, std::shared_ptr<const Table>>;
  struct Reduction;

  explicit Job(JobOptions options);
  void ReadTelemetry(const std::vector<std::string>& files);
  // Hash of all inputs of this job's tables except their analysis and its options; nullopt without
  // a cache.
  std::optional<Hash128> KeyOfTables() const;
  Recalled Recall(std::span<const Request> requests, const Hash128& key);
  void Keep(const Hash128& key, const WantedTables& wanted) const;
  Status Arrange();
  MapStage Stage(const Mapper& mapper, const Options& of_analysis, const JobContext& now) const;
  std::vector<MapStage> StagesOf(std::span<const Request> requests, const Recalled& recalled,
                                 const JobContext& now) const;
  std::vector<const AnyJobFact*> FactsOf(std::span<const Request> requests,
                                         const Recalled& recalled) const;
  // context() without the ranks lost since, with the known facts.
  std::shared_ptr<const JobContext> Now() const;
  Status Prepare(std::span<const Request> requests, const Recalled& recalled);
  Status BuildFact(const AnyJobFact& fact);
  Status Reduce(std::span<Reduction> reductions);
  std::shared_ptr<const Table> Remembered(const Request& request) const;
  // Tables that are neither in memory nor in `recalled` must be made.
  WantedTables Want(std::span<const Request> requests, const Recalled& recalled) const;
  void Remember(const Request& request, std::shared_ptr<const Table> table);

  JobOptions options_;
  std::unique_ptr<TraceFiles> files_;
  std::vector<std::size_t> file_of_capture_;
  JobContext context_;
  std::string telemetry_key_;  // of the content of its files
  std::atomic<std::size_t> tables_made_{0};
  mutable std::mutex keeping_;

  std::mutex building_;  // facts, one at a time
  mutable std::mutex mutex_;
  std::map<const AnyJobFact*, std::shared_ptr<const void>> facts_;
  std::map<const Analysis*, std::shared_ptr<const Table>> summaries_;  // with default options
};

}  // namespace rankscope
