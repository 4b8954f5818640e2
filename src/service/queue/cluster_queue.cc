#include "service/queue/cluster_queue.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/caught.h"
#include "service/base/hidden_folder.h"
#include "service/queue/divide_run.h"
#include "store/cluster_schema.h"

namespace rankscope::service {
namespace {

namespace fs = std::filesystem;
using store::Run;
using store::RunState;

constexpr std::chrono::milliseconds kClusterQueueBetweenLooks{2'000};
// Progress is told when it has grown by so much.
constexpr double kClusterQueueToldProgress = 0.02;
constexpr std::uint64_t kMoreMemory = 2;
constexpr std::chrono::hours kHistory{30 * 24};
constexpr std::chrono::hours kMendingPause{1};

std::uint64_t BytesOf(const Run& run) {
  std::uint64_t bytes = 0;
  for (const store::RunFile& file : run.files) bytes += file.bytes;
  return bytes;
}

}  // namespace

ClusterQueue::ClusterQueue(store::Store& store, Commands& commands, ClusterQueueOptions options)
    : store_(store),
      commands_(commands),
      options_(std::move(options)),
      rows_(*store.cluster(), options_.name, options_.lease) {
  std::error_code error;
  fs::create_directories(options_.queue.folder, error);
}

ClusterQueue::~ClusterQueue() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  listener_.reset();
  for (std::thread& thread : threads_) thread.join();
  changed_.notify_all();
  if (!pulse_.joinable()) return;
  pulse_.join();
  // Without it others notice after the time of a lease.
  (void)rows_.EndLife();
}

void ClusterQueue::Begin() {
  listener_ = std::make_unique<postgres::Listener>(
      store_.cluster()->database().address(), store_.cluster()->database().options().connection,
      postgres::Listener::Options{.channels = {store::kWorkChannel},
                                  .at_least_every = kClusterQueueBetweenLooks,
                                  .wake =
                                      [this] {
                                        const Status swept = rows_.Sweep();
                                        if (!swept.ok()) Say(swept.message());
                                        {
                                          const std::scoped_lock lock(mutex_);
                                          ++wakes_;
                                        }
                                        changed_.notify_all();
                                        Refresh();
                                      },
                                  .on_message = [this](std::string_view text) { Say(text); }});
  for (int i = 0; i < options_.queue.workers; ++i) threads_.emplace_back([this, i] { Work(i); });
  if (options_.queue.workers > 0) pulse_ = std::thread([this] { Pulse(); });
}

double ClusterQueue::Progress(std::string_view run) const {
  const std::scoped_lock lock(mutex_);
  const auto found = progress_.find(run);
  return found == progress_.end() ? 0 : found->second;
}

void ClusterQueue::Refresh() {
  auto progress = rows_.Progress();
  if (!progress.ok()) return;
  const std::scoped_lock lock(mutex_);
  progress_ = std::move(*progress);
}

// The numbers of before where the database is away.
QueueNumbers ClusterQueue::Numbers() const {
  auto numbers = const_cast<WorkRows&>(rows_).Numbers();
  const std::scoped_lock lock(mutex_);
  if (numbers.ok()) numbers_ = *numbers;
  return numbers_;
}

WorkerNumbers ClusterQueue::worker_numbers() const {
  const std::scoped_lock lock(mutex_);
  WorkerNumbers numbers = of_worker_;
  numbers.running = static_cast<std::int64_t>(at_work_.size());
  return numbers;
}

// The same once: a database that is away is away for every thread.
void ClusterQueue::Say(std::string_view message) {
  {
    const std::scoped_lock lock(mutex_);
    if (message == last_said_) return;
    last_said_ = message;
  }
  options_.queue.on_message(message);
}

bool ClusterQueue::IsStopping() const {
  const std::scoped_lock lock(mutex_);
  return is_stopping_;
}

bool ClusterQueue::IsOver(const AtWork& mine) const {
  const std::scoped_lock lock(mutex_);
  return is_stopping_ || mine.is_lost;
}

bool ClusterQueue::Pause(const AtWork& mine) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, options_.queue.pause, [&] { return is_stopping_ || mine.is_lost; });
  return !is_stopping_ && !mine.is_lost;
}

bool ClusterQueue::WaitForWork() {
  std::unique_lock lock(mutex_);
  const std::uint64_t seen = wakes_;
  changed_.wait_for(lock, kClusterQueueBetweenLooks,
                    [&] { return is_stopping_ || wakes_ != seen; });
  return !is_stopping_;
}

void ClusterQueue::Work(int number) {
  const std::string folder = fmt::format("{}/{}", options_.queue.folder, number);
  while (!IsStopping()) {
    // One that works alone keeps others from taking more, and waits until they have ended.
    if (!EnterTurn(false)) return;
    auto unit = rows_.Take();
    if (!unit.ok() || !*unit) {
      LeaveTurn(false);
      if (!unit.ok()) Say(unit.status().message());
      if (!WaitForWork()) return;
      continue;
    }
    AtWork mine{.unit = **unit, .renewed = Clock::now()};
    const auto begin = mine.renewed;
    {
      const std::scoped_lock lock(mutex_);
      ++of_worker_.taken;
      at_work_.insert(&mine);
    }
    const bool is_alone = mine.unit.is_alone;
    bool is_in = true;
    if (is_alone) {
      LeaveTurn(false);
      is_in = EnterTurn(true);
    }
    const Status analysed = Caught([&] {
      if (!is_in) return;
      if (mine.unit.is_shard()) return ReadShard(mine, folder);
      Analyse(mine, folder);
    });
    if (is_in) LeaveTurn(is_alone);
    {
      const std::scoped_lock lock(mutex_);
      at_work_.erase(&mine);
      of_worker_.busy_seconds += std::chrono::duration<double>(Clock::now() - begin).count();
    }
    if (!analysed.ok()) {
      Say(fmt::format("run {}: the worker could not see to its analysis: {}", mine.unit.run,
                      analysed.message()));
      FailAttempt(mine.unit, "the worker could not see to its analysis: " + analysed.message(),
                  options_.queue.pause);
    } else if (IsStopping()) {
      // What was concluded has no row any more, and this changes nothing.
      (void)rows_.HandBack(mine.unit);
    }
    std::error_code error;
    fs::remove_all(folder, error);
  }
}

bool ClusterQueue::EnterTurn(bool is_alone) {
  std::unique_lock lock(mutex_);
  if (is_alone) ++waiting_alone_;
  changed_.wait(lock, [&] {
    if (is_stopping_) return true;
    return is_alone ? working_ == 0 && !is_alone_ : !is_alone_ && waiting_alone_ == 0;
  });
  if (is_alone) --waiting_alone_;
  if (is_stopping_) return false;
  if (is_alone) {
    is_alone_ = true;
  } else {
    ++working_;
  }
  return true;
}

void ClusterQueue::LeaveTurn(bool is_alone) {
  {
    const std::scoped_lock lock(mutex_);
    if (is_alone) {
      is_alone_ = false;
    } else {
      --working_;
    }
  }
  changed_.notify_all();
}

Result<Run> ClusterQueue::ChangeRun(const AtWork& mine, const WorkRows::RunChange& change) {
  RS_ASSIGN_OR_RETURN(const store::RunPtr run, rows_.Change(mine.unit, change));
  return *run;
}

RunAnalysis ClusterQueue::AnalysisOf(AtWork& mine, const std::string& folder) {
  const WorkUnit& unit = mine.unit;
  const bool is_in_shards = unit.is_shard() || unit.was_divided();
  return RunAnalysis(
      store_, commands_, options_.queue,
      options_.queue.memory_bytes * (unit.failed > 0 ? kMoreMemory : 1), folder,
      {.is_stopped = [this, &mine] { return IsOver(mine); },
       .on_progress =
           [this, &mine](double progress) {
             const std::scoped_lock lock(mutex_);
             mine.progress = progress;
           },
       .pause = [this, &mine] { return Pause(mine); },
       .change = [this, &mine](const auto& change) { return ChangeRun(mine, change); },
       .on_new_run = [this](const Run& one) { options_.queue.on_change(one); }},
      {.folder = is_in_shards ? store_.ShardFolderOf(unit.run, unit.generation) : "",
       .is_shard = unit.is_shard()});
}

void ClusterQueue::Analyse(AtWork& mine, const std::string& folder) {
  const WorkUnit& unit = mine.unit;
  const auto begin = Clock::now();
  Result<Run> run = ChangeRun(mine, [](Run& one) {
    one.state = RunState::kAnalysing;
    return OkStatus();
  });
  // Its lease ends by itself, or is lost already.
  if (!run.ok()) {
    if (run.status().code() == StatusCode::kBadData) return Fail(mine, {}, run.status().message());
    return Say(run.status().message());
  }
  if (unit.lost_alone >= kMostAlone) {
    return Fail(mine, {},
                fmt::format("the worker ended {} times while it analysed this run and nothing else",
                            kMostAlone));
  }
  // Where the worker itself could not see to it.
  if (unit.failed >= kMostAttempts) return Fail(mine, {}, unit.reason);
  if (!unit.was_divided()) {
    const std::vector<WorkShard> shards = DivideRun(*run, options_.queue.shard_bytes);
    if (shards.size() > 1) return Divide(unit, shards);
  }
  RunAnalysis analysis = AnalysisOf(mine, folder);
  const auto hold = store_.blobs().Hold(store::InputsOf(*run));
  AnalysisEnded ended = Attempt(mine, analysis, *run);
  if (ended.end == AnalysisEnd::kStopped) return;
  WorkRows::Outcome outcome{
      .busy = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin),
      .cpu = analysis.cpu()};
  if (ended.end == AnalysisEnd::kGood) {
    const Result<store::RunReport> report = analysis.StoreReport(*run);
    if (report.status().code() == StatusCode::kCancelled) return;
    if (report.ok()) {
      outcome.is_done = true;
      const auto files = run->files;
      const bool is_done = Conclude(mine, outcome, [&, files](Run& one) {
        if (one.files != files)
          return Error(StatusCode::kInternal, "the run has other files than the report is of");
        TakeReport(*report, one);
        return OkStatus();
      });
      if (!is_done) return;
      {
        const std::scoped_lock lock(mutex_);
        ++of_worker_.reports;
        // Of shards they are counted where they were read.
        of_worker_.read_bytes += unit.was_divided() ? 0 : BytesOf(*run);
      }
      if (unit.was_divided())
        KeepReadTraces(store_.ShardFolderOf(unit.run, unit.generation),
                       options_.queue.cache_folder);
      return;
    }
    ended = {AnalysisEnd::kCrashed, report.status().message()};
  }
  options_.queue.on_message(fmt::format("run {}: attempt {} of {} failed: {}", unit.run,
                                        unit.failed + 1, kMostAttempts, ended.reason));
  if (unit.failed + 1 >= kMostAttempts || ended.is_final) return Fail(mine, outcome, ended.reason);
  FailAttempt(unit, ended.reason, options_.queue.pause);
}

AnalysisEnded ClusterQueue::Attempt(AtWork& mine, RunAnalysis& analysis, Run& run) {
  if (!analysis.WaitForContents(run)) return {AnalysisEnd::kStopped, ""};
  if (mine.unit.was_divided()) {
    const Status made = analysis.MakeShardFolder();
    if (!made.ok()) return {AnalysisEnd::kCrashed, made.message()};
  }
  if (mine.unit.failed >= kMostAttempts - 1) {
    std::int64_t set_aside = 0;
    const AnalysisEnded searched = analysis.SetAsidePoison(run, set_aside);
    CountSetAside(set_aside);
    if (searched.end != AnalysisEnd::kGood) return searched;
    auto now = store_.catalogue().Find(run.id);
    if (!now.ok()) return {AnalysisEnd::kCrashed, now.status().message()};
    run = std::move(*now);
  }
  auto sound = analysis.SetAsideDamaged(run);
  if (!sound.ok()) {
    if (IsOver(mine)) return {AnalysisEnd::kStopped, ""};
    return {AnalysisEnd::kCrashed, sound.status().message()};
  }
  run = std::move(*sound);
  return analysis.MakeReport(run);
}

void ClusterQueue::FailAttempt(const WorkUnit& unit, std::string_view reason,
                               std::chrono::milliseconds pause) {
  {
    const std::scoped_lock lock(mutex_);
    ++of_worker_.attempts_failed;
  }
  const Status failed = rows_.FailAttempt(unit, reason, pause);
  if (!failed.ok()) Say(failed.message());
}

void ClusterQueue::CountSetAside(std::int64_t count) {
  if (count == 0) return;
  const Status counted = rows_.CountSetAside(count);
  if (!counted.ok()) Say(counted.message());
}

void ClusterQueue::ReadShard(AtWork& mine, const std::string& folder) {
  const WorkUnit& unit = mine.unit;
  const auto begin = Clock::now();
  std::uint64_t bytes = 0;
  std::chrono::milliseconds cpu{0};
  const auto end = [&](bool is_read) {
    EndShard(mine, is_read, bytes,
             std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin), cpu);
  };
  const Result<Run> run = ChangeRun(mine, [](Run&) { return OkStatus(); });
  if (!run.ok()) {
    Say(run.status().message());
    // A record that cannot be read is for people to mend; else its lease ends, or is lost already.
    if (run.status().code() == StatusCode::kBadData)
      FailAttempt(unit, run.status().message(), kMendingPause);
    return;
  }
  const Run part = PartOf(*run, unit.files);
  if (part.files.empty()) return end(true);
  bytes = BytesOf(part);
  if (unit.lost_alone >= kMostAlone) return GiveUp(mine, *run);
  // Where the worker itself could not see to it.
  if (unit.failed >= kMostAttempts) return end(false);
  RunAnalysis analysis = AnalysisOf(mine, folder);
  const auto hold = store_.blobs().Hold(store::InputsOf(part));
  const AnalysisEnded ended = ShardAttempt(mine, analysis, part);
  cpu = analysis.cpu();
  if (ended.end == AnalysisEnd::kStopped) return;
  // What is no trace is said by the report.
  if (ended.end == AnalysisEnd::kGood || ended.end == AnalysisEnd::kRefused)
    return end(ended.end == AnalysisEnd::kGood);
  options_.queue.on_message(fmt::format("run {}, shard {}: attempt {} of {} failed: {}", unit.run,
                                        unit.shard, unit.failed + 1, kMostAttempts, ended.reason));
  if (unit.failed + 1 >= kMostAttempts) return end(false);
  FailAttempt(unit, ended.reason, options_.queue.pause);
}

AnalysisEnded ClusterQueue::ShardAttempt(AtWork& mine, RunAnalysis& analysis, Run part) {
  const Status made = analysis.MakeShardFolder();
  if (!made.ok()) return {AnalysisEnd::kCrashed, made.message()};
  if (!analysis.WaitForContents(part)) return {AnalysisEnd::kStopped, ""};
  const auto sound = analysis.SetAsideDamaged(part);
  if (!sound.ok()) {
    if (IsOver(mine)) return {AnalysisEnd::kStopped, ""};
    return {AnalysisEnd::kCrashed, sound.status().message()};
  }
  part.set_aside = sound->set_aside;
  std::erase_if(part.files, [&](const store::RunFile& file) {
    return std::ranges::find(part.set_aside, file.name, &store::SetAside::file) !=
           part.set_aside.end();
  });
  if (part.files.empty()) return {};
  if (mine.unit.failed < kMostAttempts - 1) return analysis.ReadShard(part);
  std::int64_t set_aside = 0;
  const AnalysisEnded searched = analysis.SetAsidePoison(part, set_aside);
  CountSetAside(set_aside);
  return searched;
}

void ClusterQueue::Divide(const WorkUnit& unit, const std::vector<WorkShard>& shards) {
  const Status divided = rows_.Divide(unit, shards);
  if (divided.ok() || divided.code() == StatusCode::kCancelled) return;
  Say(divided.message());
  FailAttempt(unit, divided.message(), options_.queue.pause);
}

void ClusterQueue::GiveUp(AtWork& mine, const Run& run) {
  const WorkUnit& unit = mine.unit;
  const std::vector<WorkShard> files = DivideByFile(run, unit.files);
  if (files.size() > 1) return Divide(unit, files);
  const std::string& file = run.files[static_cast<std::size_t>(files.front().first_file)].name;
  const Result<Run> changed = ChangeRun(mine, [&](Run& one) {
    one.set_aside.push_back(
        {file, fmt::format("the worker ended {} times while it read this file and nothing else",
                           kMostAlone)});
    return OkStatus();
  });
  if (!changed.ok()) return Say(changed.status().message());
  CountSetAside(1);
  EndShard(mine, true, 0, {});
}

// As Conclude.
void ClusterQueue::EndShard(AtWork& mine, bool is_read, std::uint64_t bytes,
                            std::chrono::milliseconds busy, std::chrono::milliseconds cpu) {
  while (!IsOver(mine)) {
    const Status ended = rows_.EndShard(mine.unit, is_read, busy, cpu);
    if (ended.ok() && is_read) {
      const std::scoped_lock lock(mutex_);
      ++of_worker_.shards;
      of_worker_.read_bytes += bytes;
    }
    if (ended.ok() || ended.code() == StatusCode::kCancelled) return;
    Say(fmt::format("run {}, shard {}: {}", mine.unit.run, mine.unit.shard, ended.message()));
    (void)Pause(mine);
  }
}

// However often it has to be tried while the work is this worker's.
bool ClusterQueue::Conclude(AtWork& mine, const WorkRows::Outcome& outcome,
                            const WorkRows::RunChange& change) {
  while (!IsOver(mine)) {
    const auto run = rows_.Conclude(mine.unit, outcome, change);
    if (run.ok()) {
      options_.queue.on_change(**run);
      return true;
    }
    Say(fmt::format("run {}: {}", mine.unit.run, run.status().message()));
    const StatusCode code = run.status().code();
    if (code == StatusCode::kCancelled || code == StatusCode::kNotFound) return false;
    if (code == StatusCode::kInternal || code == StatusCode::kBadData) {
      // A record that cannot be read is for people to mend.
      FailAttempt(mine.unit, run.status().message(), kMendingPause);
      return false;
    }
    (void)Pause(mine);
  }
  return false;
}

void ClusterQueue::Fail(AtWork& mine, WorkRows::Outcome outcome, const std::string& reason) {
  outcome.is_done = false;
  (void)Conclude(mine, outcome, [&](Run& one) {
    one.state = RunState::kFailed;
    one.reason = WithoutFolder(reason, options_.queue.data_folder);
    return OkStatus();
  });
}

void ClusterQueue::Pulse() {
  const auto period =
      std::min<std::chrono::milliseconds>(options_.lease / 4, kClusterQueueBetweenLooks);
  auto forget_at = Clock::now();
  while (true) {
    const Status shown = Caught([&] { return rows_.ShowLife(); });
    if (!shown.ok()) Say(shown.message());
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, period, [this] { return is_stopping_ && at_work_.empty(); });
      if (is_stopping_ && at_work_.empty()) return;
    }
    const Status round = Caught([&] {
      RenewAll();
      if (Clock::now() < forget_at) return OkStatus();
      forget_at = Clock::now() + std::chrono::hours(1);
      return rows_.ForgetHistory(kHistory);
    });
    if (!round.ok()) Say(round.message());
  }
}

void ClusterQueue::RenewAll() {
  std::vector<std::pair<AtWork*, WorkUnit>> units;
  {
    const std::scoped_lock lock(mutex_);
    for (AtWork* one : at_work_) units.emplace_back(one, one->unit);
  }
  for (const auto& [one, unit] : units) {
    double progress = 0;
    bool is_told = false;
    {
      const std::scoped_lock lock(mutex_);
      if (!at_work_.contains(one) || one->unit.attempt != unit.attempt) continue;
      progress = one->progress;
      is_told = progress >= one->told + kClusterQueueToldProgress;
    }
    const auto sent = Clock::now();
    const auto renewed = rows_.Renew(unit, progress, is_told);
    const std::scoped_lock lock(mutex_);
    if (!renewed.ok()) ++of_worker_.renewals_failed;
    if (!at_work_.contains(one) || one->unit.id != unit.id) continue;
    if (renewed.ok() && *renewed) {
      one->renewed = sent;
      if (is_told) one->told = progress;
    } else if (renewed.ok() || Clock::now() - one->renewed > options_.lease) {
      // Somebody else may be at it: what is done here would be refused.
      if (!std::exchange(one->is_lost, true)) ++of_worker_.leases_lost;
    }
  }
  changed_.notify_all();
}

}  // namespace rankscope::service
