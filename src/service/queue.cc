#include "service/queue.h"

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <ctime>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "base/caught.h"
#include "base/file.h"
#include "json/reader.h"
#include "service/child.h"
#include "service/hidden_folder.h"
#include "service/journal.h"
#include "service/last_sentence.h"
#include "service/numbers.h"
#include "service/report_words.h"

namespace rankscope::service {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using store::Run;
using store::RunState;

constexpr std::chrono::milliseconds kLookAround{100};
// Progress is told when it has grown by so much.
constexpr double kToldProgress = 0.02;
// How the program says that it ended for want of memory (cli/main.cc).
constexpr std::string_view kOutOfMemory = "out of memory";

// "DONE TOTAL", as the program writes it.
std::optional<double> ReadProgress(const std::string& path) {
  const Result<std::string> text = ReadFile(path);
  if (!text.ok()) return std::nullopt;
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  const char* end = text->data() + text->size();
  const auto first = std::from_chars(text->data(), end, done);
  if (first.ec != std::errc() || first.ptr == end) return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, total);
  if (second.ec != std::errc() || total == 0) return std::nullopt;
  return std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
}

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
    std::vector<Run> runs = store_.catalogue().All();
    std::ranges::stable_sort(runs, {}, &Run::changed_s);
    for (const Run& run : runs) {
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
    return numbers;
  }

 private:
  // How a process ended.
  enum class End : std::uint8_t { kGood, kRefused, kCrashed, kStopped };
  struct Ended {
    End end = End::kGood;
    std::string reason;
  };

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
    bool is_searched = false;
    const auto hold = store_.blobs().Hold(store::InputsOf(*run));
    for (std::int64_t failed = journal_->Of(id).failed; run.ok();) {
      // An attempt that is not counted would be made for ever.
      if (!Note(begins, id)) {
        if (!Pause(id)) return;
        continue;
      }
      Ended ended;
      const bool is_last = failed == kMostAttempts - 1;
      if (is_last && !is_searched && !WaitForContents(*run)) ended.end = End::kStopped;
      if (is_last && ended.end != End::kStopped && !std::exchange(is_searched, true)) {
        ended = SetAsidePoison(*run, folder);
        run = store_.catalogue().Find(id);
        if (!run.ok()) return;
      }
      if (ended.end != End::kStopped && !WaitForContents(*run)) ended.end = End::kStopped;
      if (ended.end != End::kStopped) {
        run = SetAsideDamaged(*run);
        if (!run.ok()) return;
        ended = MakeReport(*run, folder);
      }
      if (ended.end == End::kStopped) {
        Note(Journal::Event::kStopped, id);
        return;
      }
      if (ended.end == End::kGood) return Succeed(*run, folder);
      Note(Journal::Event::kFailed, id);
      CountFailure();
      options_.on_message(fmt::format("run {}: attempt {} of {} failed: {}", id, ++failed,
                                      kMostAttempts, ended.reason));
      if (failed >= kMostAttempts) return Fail(id, ended.reason);
      if (!Pause(id)) return;
    }
  }

  Ended MakeReport(const Run& run, const std::string& folder) {
    const Result<std::string> traces = commands_.FolderOf(run);
    if (!traces.ok()) return {End::kCrashed, traces.status().message()};
    return RunProgram(ReportWords<std::string>(run, std::string(kTracesLink), "folder", "report"),
                      *traces, run.id, folder);
  }

  // Until what the run names can be read, or is known to be damaged: a store of contents that is
  // away says nothing of them. False when the server stops or the run was removed.
  bool WaitForContents(const Run& run) {
    bool is_told = false;
    const std::vector<std::string> inputs = store::InputsOf(run);
    store::Prefetch(store_.blobs(), inputs);
    for (const std::string& sha256 : inputs) {
      while (true) {
        const Status here = store_.blobs().PathOf(sha256).status();
        if (!store::IsAway(here)) break;
        if (!std::exchange(is_told, true))
          options_.on_message(fmt::format("run {} waits: {}", run.id, here.message()));
        if (!Pause(run.id)) return false;
      }
    }
    return true;
  }

  bool IsDamaged(const std::string& sha256) const {
    const Status verified = store_.blobs().VerifiedPathOf(sha256).status();
    return !verified.ok() && !store::IsAway(verified);
  }

  // Traces that are no longer what was stored: the report is of the others.
  Result<Run> SetAsideDamaged(const Run& run) {
    std::vector<store::SetAside> damaged;
    for (const store::RunFile& file : run.files) {
      const bool is_aside = std::ranges::find(run.set_aside, file.name, &store::SetAside::file) !=
                            run.set_aside.end();
      if (is_aside || !IsDamaged(file.sha256)) continue;
      damaged.push_back({file.name, "the store has it damaged or no longer: send it again"});
    }
    for (const store::RunTable& metrics : run.metrics) {
      const std::string name = TelemetryName(metrics);
      const bool is_aside =
          std::ranges::find(run.set_aside, name, &store::SetAside::file) != run.set_aside.end();
      if (is_aside || !IsDamaged(metrics.sha256)) continue;
      damaged.push_back({name, "the store has these numbers damaged or no longer"});
    }
    if (damaged.empty()) return run;
    options_.on_message(
        fmt::format("run {}: {} of its files are damaged or gone: rankscope store "
                    "check --contents names them",
                    run.id, damaged.size()));
    return Change(run.id, [&](Run& one) {
      one.set_aside.insert(one.set_aside.end(), damaged.begin(), damaged.end());
      return OkStatus();
    });
  }

  // Analyses each file alone, and sets aside those that end who does.
  Ended SetAsidePoison(const Run& run, const std::string& folder) {
    const Result<std::string> traces = commands_.FolderOf(run);
    if (!traces.ok()) return {End::kCrashed, traces.status().message()};
    std::vector<store::SetAside> poison;
    for (const store::RunFile& file : run.files) {
      std::error_code error;
      if (file.name == store::kSourceFile) continue;
      if (!fs::exists(*traces + "/" + file.name, error)) continue;  // set aside before
      const std::string shown = fmt::format("{}/{}", kTracesLink, file.name);
      const Ended ended = RunProgram({"analyze", shown, "-o", "alone"}, *traces, run.id, folder);
      if (ended.end == End::kStopped) return ended;
      if (ended.end == End::kCrashed)
        poison.push_back({file.name, WithoutFolder(ended.reason, options_.data_folder)});
    }
    if (poison.empty()) return {};
    const Result<Run> changed = Change(run.id, [&](Run& one) {
      one.set_aside.insert(one.set_aside.end(), poison.begin(), poison.end());
      return OkStatus();
    });
    if (!changed.ok()) return {End::kCrashed, changed.status().message()};
    const std::scoped_lock lock(mutex_);
    numbers_.set_aside += static_cast<std::int64_t>(poison.size());
    return {};
  }

  // This program with these words, bounded, working in `folder`, where kTracesLink is `traces`.
  Ended RunProgram(const std::vector<std::string>& words, const std::string& traces,
                   const std::string& run, const std::string& folder) {
    std::error_code error;
    fs::remove_all(folder, error);
    fs::create_directories(folder, error);
    const Status linked = MakeLink(traces, fmt::format("{}/{}", folder, kTracesLink));
    if (!linked.ok()) return {End::kCrashed, linked.message()};
    ChildCommand command{.words = {options_.program},
                         .folder = folder,
                         .variables = {"RANKSCOPE_CACHE_DIR=" + options_.cache_folder,
                                       "RANKSCOPE_PROGRESS_FILE=" + folder + "/progress",
                                       "TMPDIR=" + folder, "LC_ALL=C.UTF-8"},
                         .output_file = folder + "/output",
                         .error_file = folder + "/errors",
                         .memory_bytes = options_.memory_bytes,
                         .writable = {folder, options_.cache_folder}};
    command.words.insert(command.words.end(), words.begin(), words.end());
    const auto child = Child::Start(command);
    if (!child.ok()) return {End::kCrashed, child.status().message()};
    const Clock::time_point deadline = Clock::now() + options_.time;
    while (!(*child)->WaitFor(kLookAround)) {
      if (IsStopping() || IsForgotten(run)) return {End::kStopped, ""};
      if (Clock::now() > deadline) {
        return {End::kCrashed,
                fmt::format("it took longer than the {} s that it may", options_.time.count())};
      }
      if (const auto progress = ReadProgress(folder + "/progress")) Tell(run, *progress);
    }
    const ChildEnd end = (*child)->End();
    if (end.ok()) return {};
    const std::string sentence = LastSentence(folder + "/errors");
    const bool is_refusal =
        end.signal == 0 && !sentence.empty() && !sentence.starts_with(kOutOfMemory);
    if (is_refusal) return {End::kRefused, sentence};
    return {End::kCrashed,
            sentence.empty() ? "the analysis broke off: " + Describe(end) : sentence};
  }

  void Tell(const std::string& id, double progress) {
    {
      const std::scoped_lock lock(mutex_);
      const auto found = progress_.find(id);
      if (found == progress_.end() || progress < found->second + kToldProgress) return;
      found->second = progress;
    }
    if (const Result<Run> run = store_.catalogue().Find(id); run.ok()) options_.on_change(*run);
  }

  void Succeed(const Run& run, const std::string& folder) {
    Result<store::RunReport> report = StoreReport(folder + "/report");
    // It took long to make: it is kept until the store of contents takes it.
    while (!report.ok() && store::IsAway(report.status())) {
      options_.on_message(fmt::format("run {} waits: {}", run.id, report.status().message()));
      if (!Pause(run.id)) {
        Note(Journal::Event::kStopped, run.id);
        return;
      }
      report = StoreReport(folder + "/report");
    }
    if (!report.ok()) return Fail(run.id, report.status().message());
    const bool is_done = Conclude(run.id, [&](Run& one) {
      // Of other files than these: they make another report.
      if (one.files != run.files) return;
      one.state = RunState::kReady;
      one.reason.clear();
      one.reports.push_back(*report);
      one.reports.back().version = static_cast<std::int64_t>(one.reports.size());
      TakeFacts(report->summary, one);
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

  Result<store::RunReport> StoreReport(const std::string& folder) {
    store::RunReport report{.made_s = std::time(nullptr), .program = options_.version};
    std::error_code error;
    std::vector<std::string> paths;
    for (const auto& entry : fs::directory_iterator(folder, error))
      paths.push_back(entry.path().string());
    RS_ASSIGN_OR_RETURN(const std::vector<store::BlobInfo> blobs,
                        store::StoreFiles(store_.blobs(), paths));
    for (std::size_t i = 0; i < paths.size(); ++i) {
      std::string name = fs::path(paths[i]).filename().string();
      if (name == "summary.json") {
        RS_ASSIGN_OR_RETURN(report.summary, ReadFile(paths[i]));
      }
      report.tables.push_back({std::move(name), blobs[i].sha256, blobs[i].bytes});
    }
    if (error || report.summary.empty())
      return Error(StatusCode::kInternal, "the analysis left no report");
    std::ranges::sort(report.tables, {}, &store::RunTable::name);
    return report;
  }

  // What the traces say of the job, where nobody said it.
  static void TakeFacts(const std::string& summary, Run& run) {
    const Result<json::Reader> facts = json::Reader::Parse(summary);
    if (!facts.ok()) return;
    if (const auto world_size = facts->root()["world_size"].Integer()) run.world_size = *world_size;
    const auto device = facts->root()["devices"].At(0).Text();
    if (run.hardware.empty() && device) run.hardware = *device;
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

void AppendQueueMetrics(std::string& out, const QueueNumbers& numbers) {
  AppendMetric(out, "rankscope_queue_waiting", "gauge", "Runs that wait to be analysed.",
               static_cast<double>(numbers.waiting));
  AppendMetric(out, "rankscope_queue_running", "gauge", "Runs that are being analysed.",
               static_cast<double>(numbers.running));
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
}

}  // namespace rankscope::service
