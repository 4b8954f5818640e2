#include "shards/run_shard.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>

#include "app/open_job.h"
#include "app/report_requests.h"
#include "base/durable.h"
#include "base/process.h"
#include "shard_plan/plan.h"
#include "shards/gather.h"
#include "shards/result.h"

namespace rankscope::shards {
namespace {

// As the program exits where nothing can be read.
constexpr int kCouldNot = 1;
constexpr std::chrono::nanoseconds kAnyTime{std::numeric_limits<std::int64_t>::max() / 2};

enum class Reading : std::uint8_t { kRead, kUnusable, kEnded };
struct Tried {
  Reading reading = Reading::kRead;
  std::string how;  // of kEnded
};

class ShardRun {
 public:
  ShardRun(const ShardSpec& spec, const ShardFiles& shard, ShardResult result)
      : spec_(spec), shard_(shard), result_(std::move(result)) {}

  Status Go() {
    // A cache that takes nothing says nothing of the files.
    RS_RETURN_IF_ERROR(PendingFile::Create(CacheFolderOf(spec_.folder)).status());
    if (!result_.has_begun) {
      result_.has_begun = true;
      RS_RETURN_IF_ERROR(Keep());
      RS_ASSIGN_OR_RETURN(const Tried together, Try(shard_.files));
      if (together.reading != Reading::kEnded)
        return Finish(together.reading == Reading::kUnusable);
      spec_.tell(fmt::format("shard {}: {} while {} files were read; now one by one", spec_.shard,
                             together.how, shard_.files.size()));
    }
    bool is_any_usable = !result_.read.empty();
    for (const std::string& file : shard_.files) {
      RS_ASSIGN_OR_RETURN(const bool is_read, GoAlone(file));
      is_any_usable = is_any_usable || is_read;
    }
    return Finish(!is_any_usable && result_.ended.empty());
  }

  const ShardResult& result() const { return result_; }

 private:
  // Whether it is a trace that was read.
  Result<bool> GoAlone(const std::string& file) {
    if (std::ranges::find(result_.read, file) != result_.read.end()) return true;
    while (true) {
      auto ended = std::ranges::find(result_.ended, file, &EndedAt::file);
      if (ended != result_.ended.end() && ended->times >= kMostTimes) return false;
      if (ended == result_.ended.end()) {
        result_.ended.push_back({.file = file});
        ended = result_.ended.end() - 1;
      }
      // Before it begins: who is killed with it does not come to say so.
      ++ended->times;
      ended->how.clear();
      RS_RETURN_IF_ERROR(Keep());
      RS_ASSIGN_OR_RETURN(const Tried tried, Try({file}));
      if (tried.reading == Reading::kEnded) {
        ended->how = tried.how;
        spec_.tell(fmt::format("shard {}: {} while {} was read", spec_.shard, tried.how, file));
        RS_RETURN_IF_ERROR(Keep());
        continue;
      }
      result_.ended.erase(ended);
      if (tried.reading == Reading::kRead) result_.read.push_back(file);
      return tried.reading == Reading::kRead;
    }
  }

  Result<Tried> Try(const std::vector<std::string>& files) const {
    ProcessSpec child;
    child.words = spec_.child(files);
    child.folder = spec_.folder;
    RS_ASSIGN_OR_RETURN(const ProcessEnd end, RunProcess(child, kAnyTime, spec_.is_stopped));
    if (end.exit_code == 0) return Tried{};
    if (end.exit_code == kCouldNot) return Tried{Reading::kUnusable, ""};
    return Tried{Reading::kEnded, end.exit_code > 128
                                      ? fmt::format("signal {}", end.exit_code - 128)
                                      : fmt::format("exit code {}", end.exit_code)};
  }

  Status Finish(bool is_all_unusable) {
    result_.is_done = true;
    result_.is_all_unusable = is_all_unusable;
    return Keep();
  }
  Status Keep() const { return WriteResult(spec_.folder, spec_.shard, result_); }

  const ShardSpec& spec_;
  const ShardFiles& shard_;
  ShardResult result_;
};

}  // namespace

Result<ShardEnd> RunShard(const ShardSpec& spec) {
  RS_ASSIGN_OR_RETURN(const ShardPlan plan, ReadPlan(spec.folder));
  if (spec.shard >= plan.shards.size())
    return Error(StatusCode::kInvalidArgument, "{}: no shard {}; it has {}, from 0 on", spec.folder,
                 spec.shard, plan.shards.size());
  RS_ASSIGN_OR_RETURN(ShardResult before, ReadResult(spec.folder, spec.shard));
  if (before.is_done) return before.is_all_unusable ? ShardEnd::kBadInput : ShardEnd::kDone;
  ShardRun run(spec, plan.shards[spec.shard], std::move(before));
  const Status went = run.Go();
  if (went.ok()) return run.result().is_all_unusable ? ShardEnd::kBadInput : ShardEnd::kDone;
  spec.tell(fmt::format("shard {}: {}", spec.shard, went.message()));
  return ShardEnd::kTryAgain;
}

Status ReadIntoCache(const std::string& folder, const std::vector<std::string>& files,
                     app::Listener& listener) {
  RS_ASSIGN_OR_RETURN(const ShardPlan plan, ReadPlan(folder));
  app::JobSpec spec;
  spec.paths = files;
  spec.captures.which = app::CaptureChoice::Which::kAll;
  spec.takes_many_runs = true;
  if (!plan.steps.empty()) spec.steps.emplace(plan.steps.begin(), plan.steps.end());
  spec.kernel_classes_file = plan.kernel_classes;
  spec.cache = CacheOf(folder);
  spec.threads = static_cast<int>(plan.threads);
  return app::OpenJob(spec, plan.draws ? app::DrawnRequests() : app::SummaryRequests(), listener)
      .status();
}

}  // namespace rankscope::shards
