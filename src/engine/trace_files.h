// TraceFiles: the files of a job and their partials, kept in the cache or, if that has no room, in
// memory. A file is read once for all stages requested together.
//
// Thread-safe. Passes over the files run one after the other, each on all cores; any number of
// threads may read partials at the same time.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/parallel.h"
#include "engine/cache.h"
#include "engine/discover.h"
#include "engine/kept_partials.h"
#include "engine/known_files.h"
#include "engine/map_stage.h"

namespace rankscope {

struct Progress {
  std::size_t files_done = 0;
  std::size_t files = 0;
  std::uint64_t bytes_done = 0;  // of the files as they lie on disk
  std::uint64_t bytes = 0;
};

struct TraceFilesOptions {
  int threads = 1;
  CacheOptions cache;
  // Memory for all workers together; a file that is expected to need more is read alone.
  std::uint64_t memory_bytes = 0;
  // Called by one thread at a time while files are read; false stops the work.
  std::function<bool(const Progress&)> progress;
  // Rules for the facts of stages: those in the stages' keys.
  KernelRules kernel_rules = {};
};

class TraceFiles {
 public:
  TraceFiles(const std::vector<TraceInput>& inputs, TraceFilesOptions options);
  ~TraceFiles();

  std::size_t size() const { return files_.size(); }
  const std::string& path(std::size_t file) const;
  const TraceInput& input(std::size_t file) const;
  // OK, or why the file can no longer be used. Set by Compute and PartialOf.
  Status StatusOf(std::size_t file) const;
  // Hash of the bytes of the file, and of its execution trace, once Compute has read it.
  Hash128 ContentOf(std::size_t file) const;
  const Cache& cache() const { return cache_; }

  // Computes missing results of these stages for every file without an error. A file that fails
  // keeps its error and does not affect others; the status is kCancelled if it was stopped.
  Status Compute(std::span<const MapStage> stages);

  // The tables of some stages of one file, in order; the stages must apply to that file. Tables
  // that are missing or do not fit their schema are computed again, all at once, and kept.
  Result<std::vector<std::vector<Table>>> TablesOf(std::size_t file,
                                                   std::span<const MapStage* const> stages) const;

  // The trace, from the cache or the file.
  Result<RankTrace> OpenTrace(std::size_t file) const;

  // From now on `progress` is called during reading and may stop it, as in the options; an empty
  // function has no effect. Stopped reading can be repeated.
  void ReportTo(std::function<bool(const Progress&)> progress);
  // Reports the progress; kCancelled if it was stopped. For work between two readings.
  Status CheckGoingOn() const;

  // How often traces were read from their files, not from the cache.
  std::size_t times_read(std::size_t file) const;

 private:
  struct File;

  bool Report() const;
  // Adds processed bytes of the file.
  void NoteDone(File& file, std::uint64_t bytes) const;
  Status Identify(File& file) const;
  // Hash of a file's bytes, which are not read if it is already known.
  Result<Hash128> HashOf(const std::string& path) const;
  Result<RankTrace> LoadTrace(File& file, int threads) const;
  // Maps the `missing` stages of a file and keeps the results with the existing ones.
  Status MapFile(File& file, std::vector<const MapStage*> missing, KeptPartials stored,
                 int threads) const;
  Status ComputeFile(File& file, std::span<const MapStage> stages, int threads) const;
  std::shared_ptr<const KeptPartials> StoredOf(File& file) const;
  // Whether tables may stay unpacked; if so, reserves their memory.
  bool KeepsAsTables(const File& file, const std::vector<Table>& tables) const;
  std::vector<MapStage> PlannedOf(const File& file) const;
  void Fail(File& file, Status status) const;

  TraceFilesOptions options_;
  Cache cache_;
  mutable KnownFiles known_;
  std::vector<std::unique_ptr<File>> files_;
  std::uint64_t bytes_ = 0;  // of all files
  mutable MemoryBudget budget_;
  std::mutex pass_;
  std::set<std::string> done_;  // ids of stages that every file has, under pass_
  mutable std::mutex planned_mutex_;
  std::map<std::string, MapStage> planned_;             // of this run, by id: never dropped
  mutable std::atomic<std::int64_t> bytes_for_tables_;  // that partials may still take as tables
  mutable std::atomic<std::uint64_t> bytes_done_{0};
  mutable std::atomic<std::size_t> files_done_{0};
  mutable std::mutex progress_mutex_;
  mutable std::atomic<bool> stopped_{false};
};

}  // namespace rankscope
