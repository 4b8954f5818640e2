// Job: a set of trace files as one thing to ask questions of. Reads files once, in parallel, and
// remembers what it computed.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "engine/cache.h"
#include "engine/captures.h"

namespace rankscope {

struct Progress {
  std::size_t files_done = 0;
  std::size_t files = 0;
  std::uint64_t bytes_done = 0;  // of the files as they lie on disk
  std::uint64_t bytes = 0;
};

struct JobOptions {
  int threads = 0;  // 0 = one per core
  CacheOptions cache;
  CaptureSelection captures;
  StepFilter steps;
  // Called from one thread at a time while files are read; false stops the work.
  std::function<bool(const Progress&)> progress;
};

// One analysis to run, with the options that were given for it.
struct Request {
  const Analysis* analysis = nullptr;
  Options options;
};

class Job {
 public:
  // Finds the files and reads what is not in the cache yet; the maps of `planned` run while a trace
  // is in memory, so that each file is read once. Fails when no file is a usable trace. Up to
  // `threads` files are in memory at a time.
  static Result<std::unique_ptr<Job>> Open(const std::vector<std::string>& paths,
                                           JobOptions options,
                                           const std::vector<Request>& planned = {});

  const JobContext& context() const { return context_; }
  const JobOptions& options() const { return options_; }

  ~Job();

  // From now on reading is silent and cannot be stopped.
  void StopReporting() { options_.progress = nullptr; }

  // The analysis's table over the selected captures. Maps what is missing, then reduces, or derives
  // it from the tables of other analyses. Those and the summaries that were asked for with default
  // options are remembered.
  Result<Table> Run(const Request& request);

  // The trace of a capture (an index into context().captures), from the cache or its file.
  Result<RankTrace> OpenTrace(std::size_t capture) const;

 private:
  struct File;
  struct Stage;
  class Stream;

  explicit Job(JobOptions options);
  Status ReadFiles(const std::vector<Stage>& stages);
  Status ReadGuarded(File& file, const std::vector<Stage>& stages, int threads);
  Status ReadOne(File& file, const std::vector<Stage>& stages, int threads);
  Result<RankTrace> LoadTrace(const File& file, int threads,
                              std::atomic<std::uint64_t>* bytes_done) const;
  static Stage SummaryStage();
  Result<Stage> StageOf(const Request& request) const;
  // Adds what `request` needs mapped: its own stage, or those of the analyses it is derived from.
  Status AddStages(const Request& request, std::vector<Stage>& stages) const;
  // Maps what is missing of these in one pass over the files, and joins what the ranks did
  // together where `request` needs it.
  Status EnsureMapped(const Request& request);
  Result<Table> Reduce(const Request& request, const Options& values);
  Result<Table> Derive(const Request& request, const Options& values);
  // A stage's tables for a file: kept in memory, from the cache, or computed.
  Result<std::vector<Table>> PartialOf(const File& file, const Stage& stage) const;
  Status Arrange();
  bool Report();

  JobOptions options_;
  Cache cache_;
  std::vector<std::unique_ptr<File>> files_;
  std::vector<File*> file_of_capture_;
  JobContext context_;
  std::set<std::string> done_stages_;                                  // mapped on every file
  std::map<const Analysis*, std::shared_ptr<const Table>> summaries_;  // with default options
  std::mutex progress_mutex_;
  std::atomic<bool> stopped_{false};
};

}  // namespace rankscope
