#include "service/queue/queue.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "base/caught.h"
#include "service/base/hidden_folder.h"
#include "service/base/numbers.h"
#include "service/queue/journal.h"
#include "service/queue/run_analysis.h"

namespace rankscope::service {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using store::Run;
using store::RunState;

// Progress is told when it has grown by so much.
constexpr double kQueueToldProgress = 0.02;
class FolderQueue final : public Queue {
 public:
  FolderQueue(store::Store& store, Commands& commands, QueueOptions options,
              std::unique_ptr<Journal> journal)
      : store_(store),
        commands_(commands),
        options_(std::move(options)),
        journal_(std::move(journal)) {
    std::error_code error;
    fs::remove_all(options_.folder, error);
    fs::create_directories(options_.folder, error);
  }

  ~FolderQueue() override {
    {
      const std::scoped_lock lock(mutex_);
      is_stopping_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void Begin() override {
    // In the order in which they were finished.
    auto runs = store_.catalogue().All();
    if (!runs.ok()) return options_.on_message(runs.status().message());
    std::ranges::stable_sort(*runs, {}, &Run::changed_s);
    for (const Run& run : *runs) {
      if (run.state == RunState::kQueued || run.state == RunState::kAnalysing) Add(run.id);
    }
    for (int i = 0; i < options_.workers; ++i) threads_.emplace_back([this, i] { Work(i); });
  }

  void Add(const std::string& run) override {
    {
      const std::scoped_lock lock(mutex_);
      if (std::ranges::find(waiting_, run) != waiting_.end()) return;
      if (progress_.contains(run)) {
        again_.insert(run);  // finished once more while the last report was being put away
        return;
      }
      waiting_.push_back(run);
    }
    changed_.notify_one();
  }

  void Forget(const std::string& run) override {
    {
      const std::scoped_lock lock(mutex_);
      std::erase(waiting_, run);
      if (progress_.contains(run)) forgotten_.insert(run);
    }
    Note(Journal::Event::kOver, run);
  }

  double Progress(std::string_view run) const override {
    const std::scoped_lock lock(mutex_);
    const auto found = progress_.find(run);
    return found == progress_.end() ? 0 : found->second;
  }

  QueueNumbers Numbers() const override {
    const std::scoped_lock lock(mutex_);
    QueueNumbers numbers = numbers_;
    numbers.waiting = static_cast<std::int64_t>(waiting_.size());
    numbers.running = static_cast<std::int64_t>(progress_.size());
    numbers.units_waiting = numbers.waiting;
    numbers.units_running = numbers.running;
    return numbers;
  }

 private:
  using End = AnalysisEnd;

  void Work(int worker) {
    const std::string folder = fmt::format("{}/{}", options_.folder, worker);
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return is_stopping_ || MayBeginLocked(); });
      if (is_stopping_) return;
      const std::string run = waiting_.front();
      waiting_.pop_front();
      progress_[run] = 0;
      const bool is_alone = IsSuspicious(run);
      is_alone_ = is_alone;
      lock.unlock();
      const Clock::time_point begin = Clock::now();
      const Status analysed = Caught([&] {
        Analyse(run, folder, is_alone ? Journal::Event::kAlone : Journal::Event::kBegun);
      });
      if (!analysed.ok()) TryLater(run, analysed);
      const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
      std::error_code error;
      fs::remove_all(folder, error);
      lock.lock();
      numbers_.busy_seconds += seconds;
      progress_.erase(run);
      forgotten_.erase(run);
      if (again_.erase(run) > 0) waiting_.push_back(run);
      if (is_alone) is_alone_ = false;
      // Who waits to be alone, or for one that is.
      changed_.notify_all();
    }
  }

  bool IsSuspicious(const std::string& run) const {
    return journal_->Of(run).interrupted() >= kSuspicious;
  }
  // The first of those that wait: one that is suspicious when nothing else runs.
  bool MayBeginLocked() const {
    return !waiting_.empty() && !is_alone_ &&
           (progress_.empty() || !IsSuspicious(waiting_.front()));
  }

  bool IsStopping() const {
    const std::scoped_lock lock(mutex_);
    return is_stopping_;
  }
  bool IsForgotten(const std::string& run) const {
    const std::scoped_lock lock(mutex_);
    return forgotten_.contains(run);
  }

  bool Note(Journal::Event event, std::string_view run) {
    const Status added = journal_->Add(event, run);
    if (!added.ok()) options_.on_message(added.message());
    return added.ok();
  }

  // Before something is tried again; false when the server stops or the run was removed.
  bool Pause(const std::string& run) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, options_.pause,
                      [&] { return is_stopping_ || forgotten_.contains(run); });
    return !is_stopping_ && !forgotten_.contains(run);
  }

  // From queued to ready or failed; left as it is when the server stops.
  void Analyse(const std::string& id, const std::string& folder, Journal::Event begins) {
    bool is_wanted = false;
    Result<Run> run = Change(id, [&](Run& one) {
      is_wanted = one.state == RunState::kQueued || one.state == RunState::kAnalysing;
      if (is_wanted) one.state = RunState::kAnalysing;
      return OkStatus();
    });
    if (!run.ok() || !is_wanted) return;
    if (journal_->Of(id).alone >= kMostAlone) {
      Fail(id, fmt::format("the server ended {} times while it analysed this run and nothing else",
                           kMostAlone));
      return;
    }
    RunAnalysis analysis(
        store_, commands_, options_, options_.memory_bytes, folder,
        {.is_stopped = [&] { return IsStopping() || IsForgotten(id); },
         .on_progress = [&](double progress) { Tell(id, progress); },
         .pause = [&] { return Pause(id); },
         .change = [&](const std::function<Status(Run&)>& change) { return Change(id, change); },
         .on_new_run =
             [&](const Run& one) {
               options_.on_change(one);
               Add(one.id);
             }});
    bool is_searched = false;
    const auto hold = store_.blobs().Hold(store::InputsOf(*run));
    for (std::int64_t failed = journal_->Of(id).failed; run.ok();) {
      // An attempt that is not counted would be made for ever.
      if (!Note(begins, id)) {
        if (!Pause(id)) return;
        continue;
      }
      AnalysisEnded ended;
      const bool is_last = failed == kMostAttempts - 1;
      if (is_last && !is_searched && !analysis.WaitForContents(*run)) ended.end = End::kStopped;
      if (is_last && ended.end != End::kStopped && !std::exchange(is_searched, true)) {
        std::int64_t count = 0;
        ended = analysis.SetAsidePoison(*run, count);
        CountSetAside(count);
        run = store_.catalogue().Find(id);
        if (!run.ok()) return;
      }
      if (ended.end != End::kStopped && !analysis.WaitForContents(*run)) ended.end = End::kStopped;
      if (ended.end != End::kStopped) {
        run = analysis.SetAsideDamaged(*run);
        if (!run.ok()) return;
        ended = analysis.MakeReport(*run);
      }
      if (ended.end == End::kStopped) {
        Note(Journal::Event::kStopped, id);
        return;
      }
      if (ended.end == End::kGood) return Succeed(*run, analysis);
      Note(Journal::Event::kFailed, id);
      CountFailure();
      options_.on_message(fmt::format("run {}: attempt {} of {} failed: {}", id, ++failed,
                                      kMostAttempts, ended.reason));
      if (failed >= kMostAttempts || ended.is_final) return Fail(id, ended.reason);
      if (!Pause(id)) return;
    }
  }

  void Tell(const std::string& id, double progress) {
    {
      const std::scoped_lock lock(mutex_);
      const auto found = progress_.find(id);
      if (found == progress_.end() || progress < found->second + kQueueToldProgress) return;
      found->second = progress;
    }
    if (const Result<Run> run = store_.catalogue().Find(id); run.ok()) options_.on_change(*run);
  }

  void Succeed(const Run& run, const RunAnalysis& analysis) {
    const Result<store::RunReport> report = analysis.StoreReport(run);
    if (report.status().code() == StatusCode::kCancelled) {
      Note(Journal::Event::kStopped, run.id);
      return;
    }
    if (!report.ok()) return Fail(run.id, report.status().message());
    const bool is_done = Conclude(run.id, [&](Run& one) {
      // Of other files than these: they make another report.
      if (one.files != run.files) return;
      TakeReport(*report, one);
    });
    const std::scoped_lock lock(mutex_);
    numbers_.done += is_done ? 1 : 0;
  }

  // Ends the analysis of a run, however often that has to be tried; false when the run is gone or
  // the server stops.
  bool Conclude(const std::string& id, const std::function<void(Run&)>& change) {
    while (true) {
      const Result<Run> run = Change(id, [&](Run& one) {
        if (one.state == RunState::kAnalysing) change(one);
        return OkStatus();
      });
      const bool is_gone = !run.ok() && run.status().code() == StatusCode::kNotFound;
      if (run.ok() || is_gone) {
        Note(Journal::Event::kOver, id);
        return run.ok();
      }
      if (!Pause(id)) return false;
    }
  }

  void Fail(const std::string& id, const std::string& reason) {
    const bool is_done = Conclude(id, [&](Run& one) {
      one.state = RunState::kFailed;
      one.reason = WithoutFolder(reason, options_.data_folder);
    });
    const std::scoped_lock lock(mutex_);
    numbers_.failed += is_done ? 1 : 0;
  }

  // What went wrong is this server's; it counts as an attempt, so that it is not tried for ever.
  void TryLater(const std::string& id, const Status& why) {
    const Status told = Caught([&] {
      Note(Journal::Event::kFailed, id);
      CountFailure();
      options_.on_message(
          fmt::format("run {}: the server could not see to its analysis: {}", id, why.message()));
      if (journal_->Of(id).failed >= kMostAttempts)
        Fail(id, "the server could not see to its analysis: " + why.message());
    });
    Pause(id);
    const std::scoped_lock lock(mutex_);
    if (!told.ok() || journal_->Of(id).failed > 0) again_.insert(id);
  }

  void CountSetAside(std::int64_t count) {
    const std::scoped_lock lock(mutex_);
    numbers_.set_aside += count;
  }

  void CountFailure() {
    const std::scoped_lock lock(mutex_);
    ++numbers_.attempts_failed;
  }

  // An error is told; one that was removed is none.
  Result<Run> Change(const std::string& id, const std::function<Status(Run&)>& change) {
    Result<Run> run = store_.catalogue().Change(id, change);
    if (run.ok()) {
      options_.on_change(*run);
    } else if (run.status().code() != StatusCode::kNotFound) {
      options_.on_message(run.status().message());
    }
    return run;
  }

  store::Store& store_;
  Commands& commands_;
  const QueueOptions options_;
  const std::unique_ptr<Journal> journal_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopping_ = false;
  bool is_alone_ = false;  // what runs is to be alone
  std::deque<std::string> waiting_;
  std::map<std::string, double, std::less<>> progress_;  // of those that are being analysed
  std::set<std::string> forgotten_;
  std::set<std::string> again_;
  QueueNumbers numbers_;
  std::vector<std::thread> threads_;
};

}  // namespace

Result<std::unique_ptr<Queue>> Queue::Open(store::Store& store, Commands& commands,
                                           QueueOptions options) {
  if (!options.on_change) options.on_change = [](const Run&) {};
  if (!options.on_message) options.on_message = [](std::string_view) {};
  std::string message;
  RS_ASSIGN_OR_RETURN(auto journal, Journal::Open(options.journal, message));
  if (!message.empty()) options.on_message(message);
  return std::unique_ptr<Queue>(
      std::make_unique<FolderQueue>(store, commands, std::move(options), std::move(journal)));
}

Status CheckAnalysisMemory(std::uint64_t bytes, std::string_view option, std::string_view text) {
  if (bytes == 0 || bytes >= kLeastAnalysisMemory) return OkStatus();
  return Error(StatusCode::kInvalidArgument,
               "{} takes at least {}G, not '{}': no analysis works with less, however small its "
               "traces",
               option, kLeastAnalysisMemory >> 30, text);
}

void AppendQueueMetrics(std::string& out, const QueueNumbers& numbers) {
  AppendMetric(out, "rankscope_queue_waiting", "gauge", "Runs that wait to be analysed.",
               static_cast<double>(numbers.waiting));
  AppendMetric(out, "rankscope_queue_running", "gauge", "Runs that are being analysed.",
               static_cast<double>(numbers.running));
  AppendMetric(out, "rankscope_units_waiting", "gauge",
               "Runs, and shards of large ones, that wait for a worker.",
               static_cast<double>(numbers.units_waiting));
  AppendMetric(out, "rankscope_units_running", "gauge",
               "Runs, and shards of large ones, that a worker is at.",
               static_cast<double>(numbers.units_running));
  AppendMetric(out, "rankscope_analyses_total", "counter", "Runs that became ready.",
               static_cast<double>(numbers.done));
  AppendMetric(out, "rankscope_analyses_failed_total", "counter", "Runs that failed.",
               static_cast<double>(numbers.failed));
  AppendMetric(out, "rankscope_attempts_failed_total", "counter", "Attempts that failed.",
               static_cast<double>(numbers.attempts_failed));
  AppendMetric(out, "rankscope_files_set_aside_total", "counter", "Files that end their reader.",
               static_cast<double>(numbers.set_aside));
  AppendMetric(out, "rankscope_analysis_seconds_total", "counter", "Time of analyses.",
               numbers.busy_seconds);
  if (numbers.backlog_cpu_seconds) {
    AppendMetric(out, "rankscope_backlog_cpu_seconds", "gauge",
                 "CPU time that waiting units will take, estimated by what others of their kind "
                 "took for each byte.",
                 *numbers.backlog_cpu_seconds);
  }
  if (numbers.oldest_wait_seconds) {
    AppendMetric(out, "rankscope_oldest_wait_seconds", "gauge",
                 "How long the unit that waits longest for a worker has waited.",
                 *numbers.oldest_wait_seconds);
  }
}

void AppendTeamMetrics(std::string& out, const QueueNumbers& numbers) {
  std::vector<std::pair<std::string, double>> values;
  for (const auto& [team, count] : numbers.units_waiting_of_team)
    values.emplace_back(team, static_cast<double>(count));
  AppendMetrics(out, "rankscope_team_units_waiting", "gauge",
                "Runs, and shards of large ones, of a team that wait for a worker.", "team",
                values);
}

}  // namespace rankscope::service
