// RunAnalysis: one attempt to make the report of a run, by this program in a child process that is
// bounded and confined. Which runs are tried, how often, and what becomes of them is the queue's
// (queue.h, cluster_queue.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "service/commands.h"
#include "service/queue.h"
#include "store/store.h"

namespace rankscope::service {

// How a child ended.
enum class AnalysisEnd : std::uint8_t {
  kGood,
  kRefused,   // with a sentence of its own
  kCrashed,   // by a signal, for want of memory or time
  kStopped,   // by us
  kNotBegun,  // there was none, which says nothing of what it would have read
};
struct AnalysisEnded {
  AnalysisEnd end = AnalysisEnd::kGood;
  std::string reason;
};

// What is asked of the queue meanwhile. Changes reach the run only while the queue still has it.
struct AnalysisHooks {
  std::function<bool()> is_stopped;
  std::function<void(double progress)> on_progress;  // 0 to 1, often
  std::function<bool()> pause;  // before something is tried again; false when it was stopped
  std::function<Result<store::Run>(const std::function<Status(store::Run&)>&)> change;
};

// Of a run that several workers read (cluster_queue.h).
struct InShards {
  std::string folder;     // what they have read of it (shard_plan/plan.h); "": nobody has
  bool is_shard = false;  // its files are read, and no report is made
};

// One thread at a time. What it is given outlives it.
class RunAnalysis {
 public:
  // `folder` is its own for the time.
  RunAnalysis(store::Store& store, Commands& commands, const QueueOptions& options,
              std::uint64_t memory_bytes, std::string folder, AnalysisHooks hooks,
              InShards in_shards = {})
      : store_(store),
        commands_(commands),
        options_(options),
        memory_bytes_(memory_bytes),
        folder_(std::move(folder)),
        hooks_(std::move(hooks)),
        in_shards_(std::move(in_shards)) {}

  // Until what the run names can be read, or is known to be damaged: a store of contents that is
  // away says nothing of them. False when it was stopped.
  bool WaitForContents(const store::Run& run);
  // Traces that are no longer what was stored: the report is of the others.
  Result<store::Run> SetAsideDamaged(const store::Run& run);
  // The folder of a run in shards, where it is not there yet; by whichever of several workers.
  Status MakeShardFolder() const;
  // Reads all files of a shard, which are those that `part` has.
  AnalysisEnded ReadShard(const store::Run& part);
  // Analyses, or reads, each file alone, and sets aside those that end who does; `count` is how
  // many.
  AnalysisEnded SetAsidePoison(const store::Run& run, std::int64_t& count);
  // Leaves a report in the folder.
  AnalysisEnded MakeReport(const store::Run& run);
  // Puts the report of the folder into the store; no run names it yet. It took long to make, so it
  // is kept until a store of contents that is away takes it: kCancelled when that was stopped.
  Result<store::RunReport> StoreReport(const store::Run& run) const;

 private:
  // How a file is tried alone.
  std::vector<std::string> WordsAlone(const std::string& shown) const;
  bool IsDamaged(const std::string& sha256) const;
  Result<store::RunReport> TryStoreReport() const;
  // This program with these words, bounded, working in the folder, where kTracesLink is `traces`.
  AnalysisEnded RunProgram(const std::vector<std::string>& words, const std::string& traces);

  store::Store& store_;
  Commands& commands_;
  const QueueOptions& options_;
  const std::uint64_t memory_bytes_;
  const std::string folder_;
  const AnalysisHooks hooks_;
  const InShards in_shards_;
};

// What the shards of a run have read serves later questions, too: it moves to the cache, or what
// there is room for, and the folder goes. Best effort: all of it can be read again.
void KeepReadTraces(const std::string& shard_folder, const std::string& cache_folder);

// The run has this report now, and is ready. What the traces say of the job is taken over where
// nobody said it.
void TakeReport(store::RunReport report, store::Run& run);

}  // namespace rankscope::service
