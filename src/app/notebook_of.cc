#include "app/notebook_of.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/number_set.h"
#include "report/documents/notebook.h"

namespace rankscope::app {
namespace {

namespace fs = std::filesystem;

std::string Absolute(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

bool IsOfStream(const std::string& path) {
  return path == "/dev/stdin" || path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/");
}

std::string Numbers(const std::set<std::int64_t>& numbers) {
  return PythonText(RangesText({numbers.begin(), numbers.end()}));
}

}  // namespace

Result<std::string> NotebookOf(const JobSpec& spec, const Report& report,
                               const std::string& run_url) {
  if (std::any_of(spec.paths.begin(), spec.paths.end(), IsOfStream))
    return Error(StatusCode::kInvalidArgument,
                 "a notebook opens the traces again: name files or folders, not standard input");
  NotebookJob job;
  job.run_url = run_url;
  for (const std::string& path : spec.paths) job.paths.push_back(Absolute(path));
  if (spec.ranks) job.choices.emplace_back("ranks", Numbers(*spec.ranks));
  if (spec.steps) job.choices.emplace_back("steps", Numbers(*spec.steps));
  if (spec.captures.which == CaptureChoice::Which::kAll)
    job.choices.emplace_back("capture", PythonText("all"));
  if (spec.captures.which == CaptureChoice::Which::kGroup)
    job.choices.emplace_back("capture", std::to_string(spec.captures.group));
  if (!spec.kernel_classes_file.empty())
    job.choices.emplace_back("kernel_classes", PythonText(Absolute(spec.kernel_classes_file)));
  if (!spec.cache.folder.empty())
    job.choices.emplace_back("cache_dir", PythonText(Absolute(spec.cache.folder)));
  if (!spec.cache.enabled) job.choices.emplace_back("no_cache", "True");
  return WriteNotebook(report, job);
}

}  // namespace rankscope::app
