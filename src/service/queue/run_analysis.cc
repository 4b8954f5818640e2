#include "service/queue/run_analysis.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "api/run.h"
#include "api/several_runs.h"
#include "base/file.h"
#include "base/parallel.h"
#include "json/fields.h"
#include "report/base/no_event.h"
#include "service/base/hidden_folder.h"
#include "service/processes/child.h"
#include "service/processes/last_sentence.h"
#include "service/queue/report_words.h"
#include "service/queue/split_run.h"
#include "shard_plan/plan.h"
#include "store/random_id.h"

namespace rankscope::service {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using store::Run;

constexpr std::chrono::milliseconds kRunAnalysisLookAround{100};
// In the folder of the analysis: the runs that it found, where they are several.
constexpr std::string_view kRunsFile = "/runs";
// More are a mistake of their sender's rather than a sweep.
constexpr std::size_t kMostRunsOfOne = 200;

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

// What the traces say of the job, where nobody said it.
void TakeFacts(const std::string& text, Run& run) {
  const Result<api::RunSummary> summary = json::FromJson<api::RunSummary>(text);
  if (!summary.ok()) return;
  if (summary->world_size) run.world_size = *summary->world_size;
  if (run.hardware.empty() && !summary->devices.empty()) run.hardware = summary->devices.front();
}

}  // namespace

void KeepReadTraces(const std::string& shard_folder, const std::string& cache_folder) {
  // The bound of the cache is looked at when so much was added by one process.
  constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;
  std::uint64_t moved = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(shards::CacheFolderOf(shard_folder), error)) {
    std::error_code ignored;
    const std::string name = entry.path().filename().string();
    const bool is_result = name.ends_with(".columns") || name.ends_with(".partials");
    if (!is_result || !entry.is_regular_file(ignored)) continue;
    const std::uint64_t bytes = entry.file_size(ignored);
    if (ignored || moved + bytes > kMostBytes) continue;
    fs::rename(entry.path(), cache_folder + "/" + name, ignored);
    if (!ignored) moved += bytes;
  }
  fs::remove_all(shard_folder, error);
}

void TakeReport(store::RunReport report, Run& run) {
  run.state = store::RunState::kReady;
  run.reason.clear();
  TakeFacts(report.summary, run);
  report.version = static_cast<std::int64_t>(run.reports.size()) + 1;
  run.reports.push_back(std::move(report));
}

AnalysisEnded RunAnalysis::MakeReport(Run& run) {
  AnalysisEnded ended = TryReport(run);
  if (ended.end != AnalysisEnd::kRefused) return ended;
  const Result<bool> split = Split(run);
  if (!split.ok()) return {AnalysisEnd::kCrashed, split.status().message()};
  return *split ? TryReport(run) : ended;
}

Result<bool> RunAnalysis::Split(Run& run) {
  const Result<std::string> text = ReadFile(folder_ + std::string(kRunsFile));
  // A run with a report is one job: what was added to it later is at fault.
  if (!text.ok() || !run.reports.empty()) return false;
  RS_ASSIGN_OR_RETURN(const auto several, json::FromJson<api::SeveralRuns>(*text));
  std::vector<std::vector<std::string>> paths;
  for (const api::PathsOfRun& one : several.runs) {
    auto& of_run = paths.emplace_back(one.paths);
    for (std::string& path : of_run) {
      if (path.starts_with(kTracesLink)) path.erase(0, kTracesLink.size() + 1);
    }
  }
  if (paths.size() > kMostRunsOfOne) return false;
  const std::vector<Run> parts = PartsOf(run, paths);
  if (parts.empty()) return false;
  // The first loses files only when the others have them.
  for (const Run& part : std::span(parts).subspan(1)) {
    RS_ASSIGN_OR_RETURN(const Run made, store_.catalogue().Create(part));
    if (hooks_.on_new_run) hooks_.on_new_run(made);
  }
  const Run& first = parts.front();
  std::set<std::pair<std::string_view, std::string_view>> gone;
  for (const Run& part : std::span(parts).subspan(1)) {
    for (const store::RunFile& file : part.files) gone.emplace(file.name, file.sha256);
  }
  for (const store::RunFile& file : first.files) gone.erase({file.name, file.sha256});
  RS_ASSIGN_OR_RETURN(run, hooks_.change([&](Run& one) {
    one.name = first.name;
    one.tags = first.tags;
    one.set_aside = first.set_aside;
    // What arrived meanwhile stays.
    std::erase_if(one.files, [&](const store::RunFile& file) {
      return gone.contains({file.name, file.sha256});
    });
    return OkStatus();
  }));
  options_.on_message(
      fmt::format("run {}: its files are of {} runs: it is {} now, the others are new runs", run.id,
                  parts.size(), run.name));
  return true;
}

AnalysisEnded RunAnalysis::TryReport(const Run& run) {
  const Result<std::string> traces = commands_.FolderOf(run);
  if (!traces.ok()) return {AnalysisEnd::kCrashed, traces.status().message()};
  auto words = ReportWords<std::string>(run, std::string(kTracesLink), "folder", "report");
  if (!in_shards_.folder.empty()) words.insert(words.end(), {"--shards", in_shards_.folder});
  return RunProgram(words, *traces);
}

Status RunAnalysis::MakeShardFolder() const {
  if (shards::ReadPlan(in_shards_.folder).ok()) return OkStatus();
  // Made beside it, and moved there as a whole: others make it at the same time.
  const std::string pending = fmt::format("{}.{}", in_shards_.folder, store::RandomId());
  std::error_code error;
  Status made = shards::WritePlan(pending, {.draws = true});
  if (made.ok()) fs::rename(pending, in_shards_.folder, error);
  if (made.ok() && !error) return made;
  std::error_code ignored;
  fs::remove_all(pending, ignored);
  if (!made.ok()) return made;
  return shards::ReadPlan(in_shards_.folder).status();  // somebody else's
}

AnalysisEnded RunAnalysis::ReadShard(const Run& part) {
  const Result<std::string> traces = commands_.FolderOf(part);
  if (!traces.ok()) return {AnalysisEnd::kCrashed, traces.status().message()};
  return RunProgram(WordsAlone(std::string(kTracesLink)), *traces);
}

std::vector<std::string> RunAnalysis::WordsAlone(const std::string& shown) const {
  if (in_shards_.is_shard) return {"shard", in_shards_.folder, "--read", shown};
  std::vector<std::string> words = {"analyze", shown, "-o", "alone"};
  if (!in_shards_.folder.empty()) words.insert(words.end(), {"--shards", in_shards_.folder});
  return words;
}

bool RunAnalysis::WaitForContents(const Run& run) {
  bool is_told = false;
  const std::vector<std::string> inputs = store::InputsOf(run);
  store::Prefetch(store_.blobs(), inputs);
  for (const std::string& sha256 : inputs) {
    while (true) {
      const Status here = store_.blobs().PathOf(sha256).status();
      if (!store::IsAway(here)) break;
      if (!std::exchange(is_told, true))
        options_.on_message(fmt::format("run {} waits: {}", run.id, here.message()));
      if (!hooks_.pause()) return false;
    }
  }
  return true;
}

bool RunAnalysis::IsDamaged(const std::string& sha256) const {
  const Status verified = store_.blobs().VerifiedPathOf(sha256).status();
  return !verified.ok() && !store::IsAway(verified);
}

Result<Run> RunAnalysis::SetAsideDamaged(const Run& run) {
  std::vector<store::SetAside> damaged;
  for (const store::RunFile& file : run.files) {
    const bool is_aside =
        std::ranges::find(run.set_aside, file.name, &store::SetAside::file) != run.set_aside.end();
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
  return hooks_.change([&](Run& one) {
    one.set_aside.insert(one.set_aside.end(), damaged.begin(), damaged.end());
    return OkStatus();
  });
}

AnalysisEnded RunAnalysis::SetAsidePoison(const Run& run, std::int64_t& count) {
  count = 0;
  const Result<std::string> traces = commands_.FolderOf(run);
  if (!traces.ok()) return {AnalysisEnd::kCrashed, traces.status().message()};
  std::vector<store::SetAside> poison;
  for (const store::RunFile& file : run.files) {
    std::error_code error;
    if (file.name == store::kSourceFile) continue;
    if (!fs::exists(*traces + "/" + file.name, error)) continue;  // set aside before
    const std::string shown = fmt::format("{}/{}", kTracesLink, file.name);
    const AnalysisEnded ended = RunProgram(WordsAlone(shown), *traces);
    if (ended.end == AnalysisEnd::kStopped || ended.end == AnalysisEnd::kNotBegun) return ended;
    if (ended.end == AnalysisEnd::kCrashed)
      poison.push_back({file.name, WithoutFolder(ended.reason, options_.data_folder)});
  }
  if (poison.empty()) return {};
  const Result<Run> changed = hooks_.change([&](Run& one) {
    one.set_aside.insert(one.set_aside.end(), poison.begin(), poison.end());
    return OkStatus();
  });
  if (!changed.ok()) return {AnalysisEnd::kCrashed, changed.status().message()};
  count = static_cast<std::int64_t>(poison.size());
  return {};
}

AnalysisEnded RunAnalysis::RunProgram(const std::vector<std::string>& words,
                                      const std::string& traces) {
  const std::string& folder = folder_;
  std::error_code error;
  fs::remove_all(folder, error);
  fs::create_directories(folder, error);
  const Status linked = MakeLink(traces, fmt::format("{}/{}", folder, kTracesLink));
  if (!linked.ok()) return {AnalysisEnd::kNotBegun, linked.message()};
  ChildCommand command{
      .words = {options_.program},
      .folder = folder,
      .variables = {"RANKSCOPE_CACHE_DIR=" + options_.cache_folder,
                    "RANKSCOPE_PROGRESS_FILE=" + folder + "/progress",
                    fmt::format("{}={}{}", api::kSeveralRunsVariable, folder, kRunsFile),
                    "TMPDIR=" + folder, "LC_ALL=C.UTF-8"},
      .output_file = folder + "/output",
      .error_file = folder + "/errors",
      .memory_bytes = memory_bytes_,
      .writable = {folder, options_.cache_folder}};
  if (!options_.memory_option.empty()) {
    command.variables.push_back(
        fmt::format("{}={}", kAddressSpaceLimitVariable, options_.memory_option));
  }
  if (!in_shards_.folder.empty())
    command.writable.push_back(shards::CacheFolderOf(in_shards_.folder));
  command.words.insert(command.words.end(), words.begin(), words.end());
  const auto child = Child::Start(command);
  if (!child.ok()) return {AnalysisEnd::kNotBegun, child.status().message()};
  const Clock::time_point deadline = Clock::now() + options_.time;
  while (!(*child)->WaitFor(kRunAnalysisLookAround)) {
    if (hooks_.is_stopped()) return {AnalysisEnd::kStopped, ""};
    if (Clock::now() > deadline) {
      return {AnalysisEnd::kCrashed,
              fmt::format("it took longer than the {} s that it may", options_.time.count())};
    }
    if (const auto progress = ReadProgress(folder + "/progress")) hooks_.on_progress(*progress);
  }
  const ChildEnd end = (*child)->End();
  cpu_ += end.cpu;
  if (end.ok()) return {};
  const std::string sentence = LastSentence(folder + "/errors");
  const bool is_refusal =
      end.signal == 0 && !sentence.empty() && !sentence.starts_with(kOutOfMemory);
  if (is_refusal) return {AnalysisEnd::kRefused, sentence, sentence.starts_with(kNoEvent)};
  return {AnalysisEnd::kCrashed,
          sentence.empty() ? "the analysis broke off: " + Describe(end) : sentence};
}

Result<store::RunReport> RunAnalysis::StoreReport(const Run& run) const {
  Result<store::RunReport> report = TryStoreReport();
  while (!report.ok() && store::IsAway(report.status())) {
    options_.on_message(fmt::format("run {} waits: {}", run.id, report.status().message()));
    if (!hooks_.pause())
      return Error(StatusCode::kCancelled, "stopped while the store of contents was away");
    report = TryStoreReport();
  }
  return report;
}

Result<store::RunReport> RunAnalysis::TryStoreReport() const {
  const std::string folder = folder_ + "/report";
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

}  // namespace rankscope::service
