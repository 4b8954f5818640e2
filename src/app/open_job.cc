#include "app/open_job.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <utility>

#include "app/kernel_rules.h"
#include "app/requests.h"
#include "app/run_choices.h"
#include "app/serving_files.h"
#include "base/number_set.h"
#include "engine/job.h"
#include "schemas/steps.h"

namespace rankscope::app {
namespace {

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// A folder that somebody named must be there; without one of the user's own the work is only
// slower.
Status CheckCache(const CacheOptions& options, Listener& listener) {
  const Cache cache(options);
  if (!cache.warning()) return OkStatus();
  if (!options.folder.empty()) return Error(StatusCode::kIo, "{}", *cache.warning());
  listener.OnNotice(*cache.warning());
  return OkStatus();
}

CaptureSelection SelectionOf(const JobSpec& spec) {
  CaptureSelection selection;
  selection.ranks = spec.ranks;
  selection.group = spec.captures.group;
  switch (spec.captures.which) {
    case CaptureChoice::Which::kLatest:
      selection.which = CaptureSelection::Which::kLatest;
      break;
    case CaptureChoice::Which::kAll:
      selection.which = CaptureSelection::Which::kAll;
      break;
    case CaptureChoice::Which::kGroup:
      selection.which = CaptureSelection::Which::kGroup;
      break;
  }
  return selection;
}

using ProgressFunction = std::function<bool(const Progress&)>;

ProgressFunction ToldTo(Listener& listener) {
  return [&listener](const Progress& progress) {
    listener.OnReading({.files_done = progress.files_done,
                        .files = progress.files,
                        .bytes_done = progress.bytes_done,
                        .bytes = progress.bytes});
    return !listener.IsStopped();
  };
}

}  // namespace

Result<CaptureChoice> ParseCaptureChoice(std::string_view text, std::string_view option) {
  if (text == "latest") return CaptureChoice{};
  if (text == "all") return CaptureChoice{.which = CaptureChoice::Which::kAll};
  RS_ASSIGN_OR_RETURN(const auto numbers, ParseNumberSet(text));
  if (numbers.size() != 1) {
    return Error(StatusCode::kInvalidArgument, "{} takes latest, all or one number, not '{}'",
                 option, text);
  }
  return CaptureChoice{.which = CaptureChoice::Which::kGroup, .group = *numbers.begin()};
}

CacheSpec CacheOfEnvironment() {
  return {.folder = Environment("RANKSCOPE_CACHE_DIR"),
          .user_folder = UserCacheFolder(Environment("XDG_CACHE_HOME"), Environment("HOME"))};
}

OpenedJob::OpenedJob(std::unique_ptr<Job> job, std::string called)
    : job_(std::move(job)), called_(std::move(called)) {}
OpenedJob::~OpenedJob() = default;

void OpenedJob::ListenWith(Listener* listener) {
  job_->ReportTo(listener == nullptr ? ProgressFunction() : ToldTo(*listener));
}

Status NoSuchSteps() {
  return Error(StatusCode::kNotFound,
               "no recording has a step that --steps names; see: rankscope table step_times");
}

std::size_t OpenedJob::recordings() const {
  const std::vector<Capture>& captures = job_->context().captures;
  return static_cast<std::size_t>(std::ranges::count_if(captures, &Capture::selected));
}

OpenedJob::Ranks OpenedJob::ranks() const {
  Ranks ranks;
  for (const Capture& capture : job_->context().captures) {
    if (!capture.selected) continue;
    ranks.numbers.insert(capture.rank);
    ranks.are_stated &= capture.rank_is_stated;
  }
  return ranks;
}

bool OpenedJob::has_chosen_steps() const { return job_->options().steps.has_value(); }

Status OpenedJob::CheckChosenSteps() {
  if (!has_chosen_steps()) return OkStatus();
  RS_ASSIGN_OR_RETURN(const Table steps, Run({.table = std::string(StepTimes::kName)}));
  return steps.row_count() > 0 ? OkStatus() : NoSuchSteps();
}

Result<Table> OpenedJob::Run(const TableRequest& request) {
  RS_ASSIGN_OR_RETURN(const Request resolved, RequestOf(request));
  return job_->Run(resolved);
}

Result<std::vector<Table>> OpenedJob::RunAll(const std::vector<TableRequest>& requests) {
  RS_ASSIGN_OR_RETURN(const std::vector<Request> resolved, RequestsOf(requests));
  return job_->RunAll(resolved);
}

void OpenedJob::TellLeftOut(Listener& listener) const {
  std::vector<std::string> sentences;
  for (const auto& [path, why] : job_->context().unreadable) sentences.push_back(why.message());
  for (const auto& [path, why] : job_->Lost()) sentences.push_back(why.message());
  if (!sentences.empty()) listener.OnLeftOut(sentences);
}

Result<std::unique_ptr<OpenedJob>> OpenJob(const JobSpec& spec,
                                           const std::vector<TableRequest>& planned,
                                           Listener& listener) {
  RS_ASSIGN_OR_RETURN(const std::vector<Request> requests, RequestsOf(planned));
  return OpenJobFor(spec, requests, listener);
}

Result<std::unique_ptr<OpenedJob>> OpenJobFor(const JobSpec& spec,
                                              const std::vector<Request>& planned,
                                              Listener& listener) {
  JobOptions options;
  options.threads = spec.threads;
  options.cache = {.enabled = spec.cache.enabled,
                   .folder = spec.cache.folder,
                   .user_folder = spec.cache.user_folder,
                   .limit_bytes = spec.cache.limit_bytes};
  RS_RETURN_IF_ERROR(CheckCache(options.cache, listener));
  options.captures = SelectionOf(spec);
  options.steps = spec.steps;
  for (const auto& [file, why] : spec.left_out)
    options.left_out.emplace_back(file, Error(StatusCode::kResource, "{}: {}", file, why));
  RS_ASSIGN_OR_RETURN(options.kernel_rules, ReadKernelRules(spec.kernel_classes_file));
  options.progress = ToldTo(listener);
  auto job = Job::Open(spec.paths, options, planned);
  if (!job.ok() && IsServing(spec.paths, listener))
    return Error(StatusCode::kBadData,
                 "{}: recordings of a serving program, which have no ranks: rankscope serving "
                 "reads them",
                 spec.paths.front());
  listener.OnReadingDone();
  if (!job.ok()) return job.status();
  // Later reads come from the cache, and the listener may be gone by then.
  (*job)->ReportTo({});
  if (!spec.takes_many_runs) {
    const std::vector<Capture>& captures = (*job)->context().captures;
    const Status one_run = CheckOneRun(captures, options.captures, spec.capture_option);
    if (!one_run.ok()) listener.OnSeveralRuns(ChoicesOf(RunsOf(captures, options.captures)));
    RS_RETURN_IF_ERROR(one_run);
  }
  return std::make_unique<OpenedJob>(std::move(*job), spec.called);
}

}  // namespace rankscope::app
