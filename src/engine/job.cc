#include "engine/job.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include "base/file.h"
#include "base/hash.h"
#include "base/keep_freed_memory.h"
#include "base/parallel.h"
#include "base/spilled_vector.h"
#include "engine/capture_partials.h"
#include "engine/derive_tables.h"
#include "engine/discover.h"
#include "engine/program_id.h"
#include "engine/stored_tables.h"
#include "engine/summary.h"
#include "stage/reducer.h"
#include "telemetry/telemetry.h"
#include "trace/trace.h"

namespace rankscope {
namespace {

const Mapper& SummaryMapper() {
  static const Mapper kMapper = CaptureSummary();
  return kMapper;
}

bool AreKnown(std::span<const AnyJobFact* const> facts, const JobContext& now) {
  return std::all_of(facts.begin(), facts.end(),
                     [&](const AnyJobFact* fact) { return now.facts.contains(fact); });
}

// Whether the facts are known that the mapper needs.
bool CanMap(const Mapper& mapper, const JobContext& now) { return AreKnown(mapper.facts, now); }

// From so many on memory is not to follow their number: what partials leave behind goes back now
// and then, and what is as large as the job lies in files.
constexpr std::size_t kManyCaptures = 64;

bool IsKept(const Request& request) {
  return request.options.empty() && request.analysis->size == Size::kSummary;
}

}  // namespace

// A table that is made of partials.
struct Job::Reduction {
  WantedTables::Entry* entry = nullptr;
  std::size_t stage = 0;  // of the stages that a pass reads
  Options values;
  std::vector<std::unique_ptr<Reducer>> reducers;  // one per worker
};

Job::Job(JobOptions options) : options_(std::move(options)) {
  if (options_.threads <= 0)
    options_.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  options_.threads = AffordableThreads(options_.threads);
  context_.threads = options_.threads;
  context_.steps = options_.steps;
  if (options_.memory_bytes == 0) options_.memory_bytes = AvailableMemory() / 2;
}

Job::~Job() = default;

Result<std::unique_ptr<Job>> Job::Open(const std::vector<std::string>& paths, JobOptions options,
                                       const std::vector<Request>& planned) {
  for (const Request& request : planned)
    RS_RETURN_IF_ERROR(CompleteOptions(*request.analysis, request.options).status());
  auto job = std::unique_ptr<Job>(new Job(std::move(options)));
  RS_ASSIGN_OR_RETURN(FoundFiles found, FindTraceFiles(paths));
  job->context_.unreadable = std::move(found.unlisted);
  for (const auto& [path, why] : job->options_.left_out) {
    if (std::erase(found.paths, path) > 0) job->context_.unreadable.emplace_back(path, why);
  }
  if (found.paths.empty() && !job->context_.unreadable.empty())
    return job->context_.unreadable.front().second;
  job->files_ = std::make_unique<TraceFiles>(
      TracesIn(found.paths),
      TraceFilesOptions{job->options_.threads, job->options_.cache, job->options_.memory_bytes,
                        job->options_.progress, job->options_.kernel_rules});
  std::vector<MapStage> stages = job->StagesOf(planned, {}, job->context_);
  stages.push_back(job->Stage(SummaryMapper(), {}, job->context_));
  RS_RETURN_IF_ERROR(job->files_->Compute(stages));
  RS_RETURN_IF_ERROR(job->Arrange());
  job->ReadTelemetry(found.telemetry);
  return job;
}

void Job::ReadTelemetry(const std::vector<std::string>& files) {
  auto telemetry = std::make_shared<Telemetry>();
  for (const std::string& file : files) {
    const auto mapped = MappedFile::Open(file);
    telemetry_key_ += fmt::format("{}:{}={};", file.size(), file,
                                  mapped.ok() ? HashBytes((*mapped)->text()).Hex() : "unreadable");
    const Status added = AddFile(file, *telemetry);
    if (!added.ok()) context_.unreadable.emplace_back(file, added);
  }
  if (!telemetry->empty()) context_.telemetry = std::move(telemetry);
}

MapStage Job::Stage(const Mapper& mapper, const Options& of_analysis, const JobContext& now) const {
  // What a file is does not depend on what is asked of it.
  if (&mapper == &SummaryMapper()) return StageOf(mapper, of_analysis, {}, {});
  MapStage stage = StageOf(mapper, of_analysis, options_.steps, options_.kernel_rules);
  if (mapper.facts.empty()) return stage;
  stage.slices.emplace();
  for (std::size_t i = 0; i < now.captures.size(); ++i) {
    if (now.captures[i].selected)
      stage.slices->emplace(file_of_capture_[i], SlicesOf(mapper, now, i));
  }
  return stage;
}

// Facts that these need, and those that mapping for such a fact needs.
std::vector<const AnyJobFact*> Job::FactsOf(std::span<const Request> requests,
                                            const Recalled& recalled) const {
  std::vector<const AnyJobFact*> facts;
  const std::function<void(const std::vector<const AnyJobFact*>&)> add =
      [&](const std::vector<const AnyJobFact*>& more) {
        for (const AnyJobFact* fact : more) {
          if (std::find(facts.begin(), facts.end(), fact) != facts.end()) continue;
          add(fact->facts);
          add(fact->mapper.facts);
          facts.push_back(fact);
        }
      };
  const WantedTables wanted = Want(requests, recalled);
  for (const WantedTables::Entry& entry : wanted.entries()) {
    if (entry.table) continue;
    add(entry.request.analysis->facts);
    add(entry.request.analysis->mapper.facts);
  }
  return facts;
}

// Everything that can be mapped now for these, each stage once.
std::vector<MapStage> Job::StagesOf(std::span<const Request> requests, const Recalled& recalled,
                                    const JobContext& now) const {
  std::vector<MapStage> stages;
  const auto add = [&](const Mapper& mapper, const Options& of_analysis) {
    if (!mapper || !CanMap(mapper, now)) return;
    MapStage stage = Stage(mapper, of_analysis, now);
    const bool is_new = std::none_of(stages.begin(), stages.end(),
                                     [&](const MapStage& other) { return other.key == stage.key; });
    if (is_new) stages.push_back(std::move(stage));
  };
  for (const AnyJobFact* fact : FactsOf(requests, recalled)) add(fact->mapper, {});
  WantedTables wanted = Want(requests, recalled);
  for (const WantedTables::Entry& entry : wanted.entries()) {
    if (!entry.table) add(entry.request.analysis->mapper, entry.request.options);
  }
  return stages;
}

Status Job::Arrange() {
  const MapStage summary = Stage(SummaryMapper(), {}, context_);
  const MapStage* const stage = &summary;
  std::map<std::string, std::size_t> by_path;
  for (std::size_t file = 0; file < files_->size(); ++file) {
    Status status = files_->StatusOf(file);
    if (status.ok()) {
      auto tables = files_->TablesOf(file, {&stage, 1});
      auto capture =
          tables.ok() ? CaptureFromSummary(tables->front()) : Result<Capture>(tables.status());
      status = capture.status();
      if (status.ok()) {
        capture->path = files_->path(file);
        capture->content = files_->ContentOf(file).Hex();
        if (capture->rank < 0 && files_->input(file).rank >= 0) {
          capture->rank = files_->input(file).rank;
          capture->rank_is_stated = true;
        }
        context_.captures.push_back(std::move(*capture));
        by_path[files_->path(file)] = file;
        continue;
      }
    }
    context_.unreadable.emplace_back(files_->path(file), std::move(status));
  }
  if (context_.captures.empty()) return context_.unreadable.front().second;
  ArrangeCaptures(context_.captures, options_.captures);
  bool any = false;
  for (const Capture& capture : context_.captures) {
    file_of_capture_.push_back(by_path[capture.path]);
    if (!capture.selected) continue;
    context_.origin_ns = any ? std::min(context_.origin_ns, capture.begin_ns) : capture.begin_ns;
    any = true;
  }
  // For the process, as a job is: the last one that was opened says.
  AllowSpilling(file_of_capture_.size() >= kManyCaptures);
  if (!any) {
    return Error(StatusCode::kNotFound,
                 "no recording is left after --ranks and --capture; see: rankscope table captures "
                 "... --capture all");
  }
  return OkStatus();
}

std::vector<std::pair<std::string, Status>> Job::Lost() const {
  std::vector<std::pair<std::string, Status>> lost;
  for (const std::size_t file : file_of_capture_) {
    if (Status status = files_->StatusOf(file); !status.ok())
      lost.emplace_back(files_->path(file), std::move(status));
  }
  return lost;
}

std::shared_ptr<const JobContext> Job::Now() const {
  auto now = std::make_shared<JobContext>(context_);
  for (std::size_t i = 0; i < now->captures.size(); ++i) {
    Status status = files_->StatusOf(file_of_capture_[i]);
    if (status.ok()) continue;
    now->captures[i].selected = false;
    now->unreadable.emplace_back(now->captures[i].path, std::move(status));
  }
  const std::lock_guard lock(mutex_);
  now->facts = facts_;
  return now;
}

std::shared_ptr<const Table> Job::Remembered(const Request& request) const {
  if (!IsKept(request)) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto kept = summaries_.find(request.analysis);
  return kept == summaries_.end() ? nullptr : kept->second;
}

void Job::Remember(const Request& request, std::shared_ptr<const Table> table) {
  const std::lock_guard lock(mutex_);
  summaries_.emplace(request.analysis, std::move(table));
}

std::optional<Hash128> Job::KeyOfTables() const {
  // Partials are checked for all that reducers rely on, finished tables are not: they are taken
  // from where this user alone can have put them.
  const Cache& cache = files_->cache();
  if (!cache.FolderFor("") || !cache.is_private() || ProgramId().empty()) return std::nullopt;
  std::string all = fmt::format("tables of {};", ProgramId());
  const auto add_text = [&](std::string_view text) {
    all += fmt::format("{}:{};", text.size(), text);
  };
  for (std::size_t i = 0; i < context_.captures.size(); ++i) {
    const Capture& capture = context_.captures[i];
    add_text(capture.path);
    all += fmt::format("{} {} {} {} {} {};", capture.content, capture.rank, capture.index,
                       capture.group, capture.run, capture.selected);
    if (const Status status = files_->StatusOf(file_of_capture_[i]); !status.ok())
      add_text(status.message());
  }
  all += "unreadable;";
  for (const auto& [path, status] : context_.unreadable) {
    add_text(path);
    add_text(status.message());
  }
  all += "telemetry;";
  add_text(telemetry_key_);
  if (options_.steps) {
    all += "steps;";
    for (const std::int64_t step : *options_.steps) all += fmt::format("{},", step);
  }
  all += "kernel_rules;";
  add_text(options_.kernel_rules.OwnRules());
  return HashBytes(all);
}

Job::Recalled Job::Recall(std::span<const Request> requests, const Hash128& key) {
  Recalled recalled;
  StoredTables stored(files_->cache(), key);
  std::set<std::pair<const Analysis*, Options>> missing;
  const std::function<void(const Request&)> look = [&](const Request& request) {
    const std::pair of(request.analysis, request.options);
    if (recalled.contains(of) || missing.contains(of) || Remembered(request)) return;
    if (auto table = stored.Find(*request.analysis, request.options)) {
      if (IsKept(request)) Remember(request, table);
      recalled.emplace(of, std::move(table));
      return;
    }
    missing.insert(of);
    for (const Analysis* input : request.analysis->inputs) look({input, {}});
  };
  for (const Request& request : requests) look(request);
  return recalled;
}

void Job::Keep(const Hash128& key, const WantedTables& wanted) const {
  TablesToStore made;
  for (const WantedTables::Entry& entry : wanted.entries()) {
    if (!entry.was_known && entry.status.ok() && entry.table)
      made.Add(*entry.request.analysis, entry.request.options, *entry.table);
  }
  const std::lock_guard keeping(keeping_);
  made.Store(files_->cache(), key);
}

WantedTables Job::Want(std::span<const Request> requests, const Recalled& recalled) const {
  return WantedTables(requests, [&](const Request& request) {
    if (auto remembered = Remembered(request)) return remembered;
    const auto known = recalled.find({request.analysis, request.options});
    return known == recalled.end() ? nullptr : known->second;
  });
}

// Maps what can be mapped and builds the facts that follow, until nothing is missing: a pass over
// the files for what needs no fact, and one more for every fact that a fact's mapper needs.
Status Job::Prepare(std::span<const Request> requests, const Recalled& recalled) {
  const std::vector<const AnyJobFact*> facts = FactsOf(requests, recalled);
  while (true) {
    const std::shared_ptr<const JobContext> now = Now();
    RS_RETURN_IF_ERROR(files_->Compute(StagesOf(requests, recalled, *now)));
    bool is_all = true;
    for (const AnyJobFact* fact : facts) {
      if (now->facts.contains(fact)) continue;
      is_all = false;
      if (CanMap(fact->mapper, *now) && AreKnown(fact->facts, *Now()))
        RS_RETURN_IF_ERROR(BuildFact(*fact));
    }
    if (is_all) return OkStatus();
  }
}

Status Job::BuildFact(const AnyJobFact& fact) {
  const std::lock_guard building(building_);
  const std::shared_ptr<const JobContext> now = Now();
  if (now->facts.contains(&fact)) return OkStatus();
  CapturePartials partials(*files_, file_of_capture_, options_.threads,
                           Stage(fact.mapper, {}, *now), now);
  auto built = fact.build(partials, *now);
  // Of a stopped reading it lacks ranks.
  RS_RETURN_IF_ERROR(files_->CheckGoingOn());
  if (!built.ok()) return built.status();
  if (file_of_capture_.size() >= kManyCaptures) GiveBackFreedMemory();  // of the partials
  const std::lock_guard lock(mutex_);
  facts_.emplace(&fact, std::move(*built));
  return OkStatus();
}

// One pass over the partials of all captures feeds the reducers of all tables. Every worker has its
// own, which are merged at the end.
Status Job::Reduce(std::span<Reduction> reductions) {
  if (reductions.empty()) return OkStatus();
  const std::shared_ptr<const JobContext> before = Now();
  std::vector<MapStage> stages;
  for (Reduction& reduction : reductions) {
    MapStage stage = Stage(reduction.entry->request.analysis->mapper, reduction.values, *before);
    const auto known = std::find_if(stages.begin(), stages.end(),
                                    [&](const MapStage& other) { return other.key == stage.key; });
    reduction.stage = static_cast<std::size_t>(known - stages.begin());
    if (known == stages.end()) stages.push_back(std::move(stage));
  }
  const auto workers = static_cast<std::size_t>(options_.threads);
  for (Reduction& reduction : reductions) {
    for (std::size_t i = 0; i < workers; ++i)
      reduction.reducers.push_back(reduction.entry->request.analysis->reducer(reduction.values));
  }
  std::vector<Status> failed(workers);
  std::atomic<std::size_t> next{0};
  const auto work = [&](std::size_t worker) -> Status {
    std::vector<const MapStage*> read;
    read.reserve(stages.size());
    for (const MapStage& stage : stages) read.push_back(&stage);
    std::vector<std::size_t> users(stages.size());
    for (std::size_t i = next++; i < before->captures.size(); i = next++) {
      const Capture& capture = before->captures[i];
      const auto takes = [&](const Reduction& reduction) {
        return (capture.selected || reduction.entry->request.analysis->of_all_captures) &&
               stages[reduction.stage].IsOf(file_of_capture_[i]);
      };
      std::fill(users.begin(), users.end(), 0);
      for (const Reduction& reduction : reductions) users[reduction.stage] += takes(reduction);
      std::vector<const MapStage*> of_capture;
      std::vector<std::size_t> place(stages.size());
      for (std::size_t stage = 0; stage < stages.size(); ++stage) {
        place[stage] = of_capture.size();
        if (users[stage] > 0) of_capture.push_back(&stages[stage]);
      }
      if (of_capture.empty()) continue;
      auto tables = files_->TablesOf(file_of_capture_[i], of_capture);
      if (!tables.ok()) continue;  // lost, which the files remember
      if (i % kManyCaptures == kManyCaptures - 1) GiveBackFreedMemory();
      for (Reduction& reduction : reductions) {
        if (!takes(reduction)) continue;
        std::vector<Table>& partial = (*tables)[place[reduction.stage]];
        const bool is_last = --users[reduction.stage] == 0;
        RS_RETURN_IF_ERROR(reduction.reducers[worker]->Add(
            capture, is_last ? std::move(partial) : std::vector<Table>(partial)));
      }
    }
    return OkStatus();
  };
  ParallelFor(workers, options_.threads,
              [&](std::size_t worker) { failed[worker] = work(worker); });
  for (Status& status : failed) RS_RETURN_IF_ERROR(std::move(status));
  RS_RETURN_IF_ERROR(files_->CheckGoingOn());
  const std::shared_ptr<const JobContext> now = Now();
  ParallelFor(reductions.size(), options_.threads, [&](std::size_t i) {
    Reduction& reduction = reductions[i];
    for (std::size_t worker = 1; worker < workers; ++worker)
      reduction.reducers.front()->Merge(*reduction.reducers[worker]);
    auto table = reduction.reducers.front()->Finish(*now);
    reduction.entry->status = table.status();
    if (table.ok()) reduction.entry->Make(std::move(*table));
    reduction.reducers.clear();
  });
  return OkStatus();
}

Result<std::vector<Table>> Job::RunAll(std::span<const Request> requests) {
  for (const Request& request : requests)
    RS_RETURN_IF_ERROR(CompleteOptions(*request.analysis, request.options).status());
  const std::optional<Hash128> key = KeyOfTables();
  const Recalled recalled = key ? Recall(requests, *key) : Recalled();
  RS_RETURN_IF_ERROR(Prepare(requests, recalled));

  WantedTables wanted = Want(requests, recalled);
  std::vector<WantedTables::Entry>& entries = wanted.entries();
  std::vector<Reduction> reductions;
  for (WantedTables::Entry& entry : entries) {
    if (entry.table || !entry.request.analysis->reducer) continue;
    reductions.emplace_back();
    reductions.back().entry = &entry;
    reductions.back().values =
        CompleteOptions(*entry.request.analysis, entry.request.options).value();
  }
  RS_RETURN_IF_ERROR(Reduce(reductions));
  GiveBackFreedMemory();  // of partials and reducers
  const std::shared_ptr<const JobContext> now = Now();
  if (std::none_of(now->captures.begin(), now->captures.end(),
                   [](const Capture& capture) { return capture.selected; }))
    return now->unreadable.back().second;
  RS_RETURN_IF_ERROR(
      DeriveTables(entries, *now, options_.threads, [this] { return files_->CheckGoingOn(); }));
  tables_made_ += static_cast<std::size_t>(std::count_if(
      entries.begin(), entries.end(),
      [](const WantedTables::Entry& entry) { return !entry.was_known && entry.table; }));
  // A file that was lost meanwhile is in another key.
  if (key && KeyOfTables() == key) Keep(*key, wanted);
  for (WantedTables::Entry& entry : entries) {
    RS_RETURN_IF_ERROR(entry.status);
    if (IsKept(entry.request) && IsSmall(*entry.table)) {
      Remember(entry.request, entry.table);
      entry.made.reset();
    }
  }
  std::vector<Table> tables;
  tables.reserve(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const std::size_t asked = wanted.asked()[i];
    const auto& of_requests = wanted.asked();
    const bool is_last = std::find(of_requests.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                   of_requests.end(), asked) == of_requests.end();
    WantedTables::Entry& entry = entries[asked];
    if (is_last && entry.made) {
      tables.push_back(std::move(*entry.made));
    } else {
      tables.push_back(*entry.table);
    }
  }
  return tables;
}

Result<Table> Job::Run(const Request& request) {
  RS_ASSIGN_OR_RETURN(std::vector<Table> tables, RunAll({&request, 1}));
  return std::move(tables.front());
}

Result<RankTrace> Job::OpenTrace(std::size_t capture) const {
  return files_->OpenTrace(file_of_capture_[capture]);
}

}  // namespace rankscope
