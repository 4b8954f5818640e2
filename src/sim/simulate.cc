#include "sim/simulate.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "formats/kineto/writer.h"
#include "sim/choose_step_size.h"
#include "sim/engine/collective_log.h"
#include "sim/engine/rank_engine.h"
#include "sim/engine/recorder.h"
#include "sim/engine/run_together.h"
#include "sim/jobs/job_plan.h"
#include "sim/planted_job.h"
#include "sim/telemetry_writer.h"
#include "sim/truth.h"

namespace rankscope::sim {
namespace {

constexpr std::string_view kTraceSuffix = ".pt.trace.json";

std::string FileName(const SimulateOptions& options, int rank) {
  return fmt::format("rank{}{}{}", rank, kTraceSuffix, options.compress ? ".gz" : "");
}

std::string LogName(int rank) { return fmt::format("rank{}.collectives.csv", rank); }

std::string InFolder(const SimulateOptions& options, const std::string& name) {
  return (std::filesystem::path(options.out_folder) / name).string();
}

bool IsMissing(const SimulateOptions& options, int rank) {
  return std::binary_search(options.missing_ranks.begin(), options.missing_ranks.end(), rank);
}

int WrittenRanks(const SimulateOptions& options) {
  return options.ranks - static_cast<int>(options.missing_ranks.size());
}

// Creates the folder. Traces of another job beside the new ones would be read as ranks of this one.
Status PrepareFolder(const SimulateOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(options.out_folder, error);
  if (error) {
    return Error(StatusCode::kIo, "{}: cannot create the folder: {}", options.out_folder,
                 error.message());
  }
  std::set<std::string> ours;
  for (int rank = 0; rank < options.ranks; ++rank) {
    if (!IsMissing(options, rank)) ours.insert(FileName(options, rank));
  }
  std::filesystem::directory_iterator entries(options.out_folder, error), end;
  for (; !error && entries != end; entries.increment(error)) {
    const std::string name = entries->path().filename().string();
    const bool trace = name.ends_with(kTraceSuffix) || name.ends_with(".pt.trace.json.gz");
    if (trace && !ours.contains(name)) {
      return Error(StatusCode::kInvalidArgument,
                   "{}: holds {}, which this job would not replace: remove it or choose another "
                   "folder",
                   options.out_folder, name);
    }
  }
  if (error) {
    return Error(StatusCode::kIo, "{}: cannot read the folder: {}", options.out_folder,
                 error.message());
  }
  return OkStatus();
}

Result<RankTruth> WriteRank(const JobPlan& plan, const JobRun& run, int rank) {
  RankTruth truth{.file = FileName(plan.options(), rank)};
  const std::string path = InFolder(plan.options(), truth.file);
  RS_ASSIGN_OR_RETURN(const auto writer,
                      kineto::Writer::Create(path, MakeHeader(plan, rank, truth.file)));
  std::unique_ptr<CollectiveLog> log;
  if (!plan.layout().groups.empty()) {
    RS_ASSIGN_OR_RETURN(log, CollectiveLog::Create(InFolder(plan.options(), LogName(rank))));
  }
  KnownRendezvous known(*run.meetings);
  Recorder recorder(plan, rank, writer.get());
  RankEngine engine(plan, rank, &known, &recorder, log.get());
  engine.Run();
  if (log != nullptr) RS_RETURN_IF_ERROR(log->Finish());
  RS_RETURN_IF_ERROR(writer->Finish());
  truth.stage_busy = recorder.stage_accounting().steps();
  truth.tokens_received = engine.tokens_received();
  truth.counts = recorder.counts();
  truth.windows = recorder.accounting().windows();
  truth.collective_wait_ns = engine.waited_ns();
  truth.text_bytes = writer->text_bytes();
  return truth;
}

// What a rank that is not written computes is a part of its pipeline's truth all the same.
RankTruth RunUnwritten(const JobPlan& plan, const JobRun& run, int rank) {
  KnownRendezvous known(*run.meetings);
  Recorder recorder(plan, rank, nullptr);
  RankEngine(plan, rank, &known, &recorder).Run();
  RankTruth truth;
  truth.stage_busy = recorder.stage_accounting().steps();
  return truth;
}

// Writes the ranks on several threads; each takes the next rank that nobody has taken.
class Workers {
 public:
  Workers(const JobPlan& plan, const JobRun& run, const SimulateProgressFn& progress)
      : plan_(plan),
        run_(run),
        progress_(progress),
        truths_(static_cast<std::size_t>(plan.options().ranks)) {}

  Status Run() {
    const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    const int wanted = plan_.options().threads > 0 ? plan_.options().threads : cores;
    std::vector<std::thread> threads;
    for (int i = 1; i < std::min(wanted, plan_.options().ranks); ++i) {
      threads.emplace_back([this] { Work(); });
    }
    Work();
    for (std::thread& thread : threads) thread.join();
    return first_error_;
  }
  const std::vector<RankTruth>& truths() const { return truths_; }

 private:
  void Work() {
    while (!failed_.load()) {
      const int rank = next_rank_.fetch_add(1);
      if (rank >= plan_.options().ranks) return;
      if (!IsMissing(plan_.options(), rank)) {
        Done(rank, WriteRank(plan_, run_, rank));
      } else if (plan_.layout().degrees.pp > 1) {
        truths_[static_cast<std::size_t>(rank)] = RunUnwritten(plan_, run_, rank);
      }
    }
  }
  void Done(int rank, Result<RankTruth> truth) {
    const std::lock_guard lock(mutex_);
    if (!truth.ok()) {
      if (first_error_.ok()) first_error_ = truth.status();
      failed_.store(true);
      return;
    }
    ++done_.ranks_written;
    done_.ranks = WrittenRanks(plan_.options());
    done_.events += truth->counts.events;
    done_.text_bytes += truth->text_bytes;
    truths_[static_cast<std::size_t>(rank)] = std::move(truth).value();
    if (progress_) progress_(done_);
  }

  const JobPlan& plan_;
  const JobRun& run_;
  const SimulateProgressFn& progress_;
  std::atomic<int> next_rank_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;  // guards what follows
  Status first_error_;
  SimulateProgress done_;
  std::vector<RankTruth> truths_;
};

}  // namespace

Status Simulate(const SimulateOptions& options, const SimulateProgressFn& progress) {
  RS_RETURN_IF_ERROR(Validate(options));
  RS_ASSIGN_OR_RETURN(const StepSize size, ChooseStepSize(options));
  RS_RETURN_IF_ERROR(PrepareFolder(options));
  const std::filesystem::path truth_path = std::filesystem::path(options.out_folder) / "truth.json";
  // An old truth beside new traces would be wrong, should the writing be interrupted.
  std::error_code ignored;
  std::filesystem::remove(truth_path, ignored);
  const std::string telemetry_path = InFolder(options, std::string(kTelemetryName));
  std::filesystem::remove(telemetry_path, ignored);

  const PlantedJob job(options, size);
  Workers workers(job.plan(), job.run(), progress);
  RS_RETURN_IF_ERROR(workers.Run());
  if (HasTelemetry(options))
    RS_RETURN_IF_ERROR(WriteTelemetry(telemetry_path, job.plan(), job.step_ns() * options.steps));
  return WriteTruth(truth_path.string(), job, workers.truths());
}

}  // namespace rankscope::sim
