#include "app/run_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "app/open_job.h"
#include "app/serving_files.h"
#include "engine/discover.h"
#include "store/run.h"

namespace rankscope::app {
namespace {

namespace fs = std::filesystem;

// The folder above all of these files.
fs::path CommonFolder(const std::vector<std::string>& paths) {
  fs::path common = fs::absolute(paths.front()).lexically_normal().parent_path();
  for (const std::string& path : paths) {
    const fs::path folder = fs::absolute(path).lexically_normal().parent_path();
    const auto [end, other] =
        std::mismatch(common.begin(), common.end(), folder.begin(), folder.end());
    fs::path shared;
    for (auto part = common.begin(); part != end; ++part) shared /= *part;
    common = shared;
  }
  return common;
}

// Takes the runs that opening a job tells of; the rest goes to the caller's listener.
class RunsListener : public Listener {
 public:
  explicit RunsListener(Listener& of_all) : of_all_(of_all) {}
  void OnReading(const ReadProgress& progress) override { of_all_.OnReading(progress); }
  void OnReadingDone() override { of_all_.OnReadingDone(); }
  void OnNotice(std::string_view sentence) override { of_all_.OnNotice(sentence); }
  void OnSeveralRuns(const std::vector<RunChoice>& runs) override { runs_ = runs; }
  bool IsStopped() const override { return of_all_.IsStopped(); }
  const std::vector<RunChoice>& runs() const { return runs_; }

 private:
  Listener& of_all_;
  std::vector<RunChoice> runs_;
};

// "a/b" of a folder, "rank0" of "rank0.pt.trace.json.gz".
std::string NameBelow(const fs::path& above, const RunChoice& run) {
  const fs::path path = fs::absolute(run.paths.front()).lexically_normal();
  std::string name = path.lexically_relative(above).string();
  if (!fs::is_directory(path)) {
    const std::size_t folder = name.rfind('/');
    const std::size_t dot = name.find('.', folder == std::string::npos ? 1 : folder + 2);
    name = name.substr(0, dot);
  }
  return name;
}

}  // namespace

Result<std::vector<NamedRun>> RunsAmong(const std::vector<std::string>& paths, Listener& listener) {
  RunsListener runs(listener);
  JobSpec spec{.paths = paths};
  spec.cache = CacheOfEnvironment();
  const auto job = OpenJob(spec, {}, runs);
  if (job.ok()) return std::vector<NamedRun>{{.name = "", .paths = paths}};
  if (runs.runs().empty()) return job.status();
  std::vector<std::string> all;
  for (const RunChoice& run : runs.runs())
    all.insert(all.end(), run.paths.begin(), run.paths.end());
  const fs::path above = CommonFolder(all);
  std::vector<NamedRun> named;
  for (const RunChoice& run : runs.runs())
    named.push_back({.name = NameBelow(above, run), .paths = run.paths});
  return named;
}

namespace {

Result<std::vector<store::LocalFile>> NamedFiles(const std::vector<std::string>& paths) {
  const fs::path folder = CommonFolder(paths);
  std::vector<store::LocalFile> files;
  for (const std::string& path : paths) {
    std::string name = fs::absolute(path).lexically_normal().lexically_relative(folder).string();
    RS_RETURN_IF_ERROR(store::CheckFileName(name));
    files.push_back({std::move(name), path});
  }
  std::ranges::sort(files, {}, &store::LocalFile::name);
  return files;
}

bool IsServingRun(const std::vector<std::string>& named, RunKind kind, Listener& listener) {
  return kind == RunKind::kServing || (kind == RunKind::kTold && IsServing(named, listener));
}

Result<std::vector<std::string>> ServingPaths(const std::vector<std::string>& named,
                                              Listener& listener) {
  RS_ASSIGN_OR_RETURN(const ServingFiles found, FindServingFiles(named, listener));
  for (const std::string& notice : found.notices) listener.OnNotice(notice);
  std::vector<std::string> paths = found.recordings;
  paths.insert(paths.end(), found.traces.begin(), found.traces.end());
  if (found.recordings.empty())
    return Error(StatusCode::kNotFound,
                 "{}: nothing of a serving program; rankscope serving --help says what that is",
                 named.front());
  return paths;
}

// A serving program's recordings beside a job's traces may be what the user meant.
void TellRecordings(const std::vector<std::string>& named, Listener& listener) {
  const auto found = FindServingFiles(named, listener);
  if (!found.ok() || found->recordings.empty()) return;
  const std::size_t more = found->recordings.size() - 1;
  listener.OnNotice(fmt::format(
      "{}{}: recordings of a serving program, left out: there are traces of a job beside; "
      "--serving makes a run of the serving program",
      found->recordings.front(), more == 0 ? "" : fmt::format(" and {} more", more)));
}

}  // namespace

Result<RunFiles> FindRunFiles(const std::vector<std::string>& named, RunKind kind,
                              Listener& listener) {
  RunFiles run{.is_serving = IsServingRun(named, kind, listener)};
  if (run.is_serving) {
    RS_ASSIGN_OR_RETURN(const std::vector<std::string> paths, ServingPaths(named, listener));
    RS_ASSIGN_OR_RETURN(run.files, NamedFiles(paths));
    return run;
  }
  RS_ASSIGN_OR_RETURN(const FoundFiles found, FindTraceFiles(named));
  for (const auto& unlisted : found.unlisted) listener.OnNotice(unlisted.second.message());
  if (found.paths.empty())
    return Error(StatusCode::kNotFound, "there is no trace file in what was named");
  if (kind == RunKind::kTold) TellRecordings(named, listener);
  std::vector<std::string> paths = found.paths;
  paths.insert(paths.end(), found.telemetry.begin(), found.telemetry.end());
  std::ranges::copy(FindMemorySnapshots(named), std::back_inserter(paths));
  RS_ASSIGN_OR_RETURN(run.files, NamedFiles(paths));
  return run;
}

Result<std::string> NameOfRun(const std::vector<std::string>& paths, RunKind kind) {
  Listener nobody;
  if (IsServingRun(paths, kind, nobody)) {
    RS_ASSIGN_OR_RETURN(const std::vector<std::string> files, ServingPaths(paths, nobody));
    return CommonFolder(files).filename().string();
  }
  RS_ASSIGN_OR_RETURN(const FoundFiles found, FindTraceFiles(paths));
  return found.paths.empty() ? std::string() : CommonFolder(found.paths).filename().string();
}

}  // namespace rankscope::app
