#include "engine/job.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <thread>

#include "analysis/across/across_facts.h"
#include "analysis/across/analyses.h"
#include "base/file.h"
#include "engine/discover.h"
#include "engine/summary.h"
#include "formats/columnar/cache_file.h"
#include "formats/kineto/reader.h"
#include "table/codec.h"

namespace rankscope {

namespace {

// What changes when somebody writes to a file.
struct FileStamp {
  std::uintmax_t bytes = 0;
  std::filesystem::file_time_type written;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

FileStamp StampOf(const std::string& path) {
  std::error_code ignored;
  return {std::filesystem::file_size(path, ignored),
          std::filesystem::last_write_time(path, ignored)};
}

}  // namespace

// A trace file and what is known of it.
struct Job::File {
  std::string path;
  FileStamp stamp;  // when `key` was made of the content
  Hash128 key;
  std::optional<std::string> cache_folder;
  std::uint64_t bytes = 0;
  std::atomic<std::uint64_t> bytes_done{0};
  std::atomic<bool> done{false};
  Status status;
  Capture capture;
  Partials partials;  // what could not go to the cache
};

// What to compute of every trace: a name that holds everything the result depends on but the trace,
// and the function.
struct Job::Stage {
  std::string key;
  std::function<std::vector<Table>(const TraceFacts&)> map;
};

namespace {

// False when the system gives no more threads; the work goes on with those there are.
bool TryStart(std::vector<std::thread>& threads, const std::function<void()>& work) {
  try {
    threads.emplace_back(work);
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

constexpr std::size_t kMostStagesStored = 256;

std::string StageKey(std::string_view name, int version, const std::string& depends_on) {
  return fmt::format("{}-{}-{:x}", name, version, HashBytes(depends_on).low);
}

}  // namespace

// The partials of a stage over the selected captures, or all.
class Job::Stream : public PartialStream {
 public:
  Stream(const Job& job, Stage stage, bool of_all_captures)
      : job_(job), stage_(std::move(stage)), of_all_captures_(of_all_captures) {}

  Result<bool> Next(Partial& partial) override {
    const auto& captures = job_.context_.captures;
    while (!of_all_captures_ && next_ < captures.size() && !captures[next_].selected) ++next_;
    if (next_ == captures.size()) return false;
    RS_ASSIGN_OR_RETURN(partial.tables, job_.PartialOf(*job_.file_of_capture_[next_], stage_));
    partial.capture = next_++;
    return true;
  }

 private:
  const Job& job_;
  Stage stage_;
  bool of_all_captures_;
  std::size_t next_ = 0;
};

Result<std::vector<Table>> Job::PartialOf(const File& file, const Stage& stage) const {
  auto encoded = file.partials.Get(stage.key);
  if (!encoded && file.cache_folder)
    encoded = cache_.FindPartials(*file.cache_folder, file.key).Get(stage.key);
  if (encoded) {
    if (auto tables = DecodeTables(*encoded); tables.ok()) return tables;
  }
  // The cache is smaller than the job, or somebody cleared it: work it out once more.
  RS_ASSIGN_OR_RETURN(const RankTrace trace, LoadTrace(file, options_.threads, nullptr));
  return stage.map(TraceFacts(trace));
}

Job::Job(JobOptions options) : options_(std::move(options)), cache_(options_.cache) {
  if (options_.threads <= 0)
    options_.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

Job::~Job() = default;

Result<std::unique_ptr<Job>> Job::Open(const std::vector<std::string>& paths, JobOptions options,
                                       const std::vector<Request>& planned) {
  auto job = std::unique_ptr<Job>(new Job(std::move(options)));
  RS_ASSIGN_OR_RETURN(const std::vector<std::string> files, FindTraceFiles(paths));
  for (const std::string& path : files) {
    auto file = std::make_unique<File>();
    file->path = path;
    std::error_code ignored;
    file->bytes = std::filesystem::file_size(path, ignored);
    job->files_.push_back(std::move(file));
  }
  std::vector<Stage> stages = {SummaryStage()};
  for (const Request& request : planned) {
    RS_RETURN_IF_ERROR(job->AddStages(request, stages));
  }
  RS_RETURN_IF_ERROR(job->ReadFiles(stages));
  RS_RETURN_IF_ERROR(job->Arrange());
  return job;
}

Job::Stage Job::SummaryStage() {
  return {StageKey(fmt::format("capture-{}", columnar::kCacheVersion), kSummaryVersion, ""),
          SummariseTrace};
}

Result<Job::Stage> Job::StageOf(const Request& request) const {
  const Analysis* analysis = MapperOf(*request.analysis);
  const bool is_shared = analysis != request.analysis;
  RS_ASSIGN_OR_RETURN(Options values,
                      CompleteOptions(*analysis, is_shared ? Options{} : request.options));
  std::string depends_on;
  for (const OptionSpec& option : analysis->options) {
    if (option.of_map) depends_on += fmt::format("{}={};", option.name, values[option.name]);
  }
  if (options_.steps) {
    depends_on += "steps=";
    for (const std::int64_t step : *options_.steps) depends_on += fmt::format("{},", step);
  }
  MapOptions map_options{options_.steps, std::move(values)};
  return Stage{StageKey(fmt::format("{}-{}", analysis->name, columnar::kCacheVersion),
                        analysis->version, depends_on),
               [analysis, map_options](const TraceFacts& facts) {
                 return analysis->map(facts, map_options);
               }};
}

Status Job::AddStages(const Request& request, std::vector<Stage>& stages) const {
  for (const Analysis* input : request.analysis->inputs)
    RS_RETURN_IF_ERROR(AddStages({input, {}}, stages));
  if (request.analysis->needs_across && request.analysis != &CollectiveMembersAnalysis())
    RS_RETURN_IF_ERROR(AddStages({&CollectiveMembersAnalysis(), {}}, stages));
  if (MapperOf(*request.analysis) == nullptr) return OkStatus();
  RS_ASSIGN_OR_RETURN(Stage stage, StageOf(request));
  const bool is_new = std::none_of(stages.begin(), stages.end(),
                                   [&](const Stage& other) { return other.key == stage.key; });
  if (is_new) stages.push_back(std::move(stage));
  return OkStatus();
}

bool Job::Report() {
  if (!options_.progress) return !stopped_;
  const std::lock_guard lock(progress_mutex_);
  Progress progress;
  progress.files = files_.size();
  for (const auto& file : files_) {
    progress.files_done += file->done;
    progress.bytes += file->bytes;
    progress.bytes_done += file->bytes_done;
  }
  if (!options_.progress(progress)) stopped_ = true;
  return !stopped_;
}

Result<RankTrace> Job::LoadTrace(const File& file, int threads,
                                 std::atomic<std::uint64_t>* bytes_done) const {
  if (file.cache_folder) {
    if (auto trace = cache_.FindTrace(*file.cache_folder, file.key)) {
      trace->meta.path = file.path;
      return std::move(*trace);
    }
  }
  kineto::ReadOptions options;
  options.threads = threads;
  if (bytes_done != nullptr) {
    options.progress = [&](double fraction, std::uint64_t) {
      *bytes_done = static_cast<std::uint64_t>(fraction * static_cast<double>(file.bytes));
      return const_cast<Job*>(this)->Report();
    };
  }
  RS_ASSIGN_OR_RETURN(RankTrace trace, kineto::ReadTrace(file.path, options));
  if (StampOf(file.path) != file.stamp) {
    return Error(StatusCode::kIo,
                 "{}: the file changed while it was read; run again when it is complete",
                 file.path);
  }
  if (file.cache_folder) cache_.StoreTrace(*file.cache_folder, file.key, trace);
  return trace;
}

Status Job::ReadOne(File& file, const std::vector<Stage>& stages, int threads) {
  if (file.key == Hash128{}) {
    file.stamp = StampOf(file.path);
    RS_ASSIGN_OR_RETURN(const auto mapped, MappedFile::Open(file.path));
    file.key = HashBytes(mapped->bytes().data(), mapped->bytes().size());
    file.cache_folder = cache_.FolderFor(file.path);
  }
  Partials stored;
  if (file.cache_folder) stored = cache_.FindPartials(*file.cache_folder, file.key);
  if (stored.size() == 0) stored = file.partials;
  std::vector<const Stage*> missing;
  for (const Stage& stage : stages) {
    if (!stored.Contains(stage.key)) missing.push_back(&stage);
  }
  if (missing.empty()) return OkStatus();
  RS_ASSIGN_OR_RETURN(const RankTrace trace, LoadTrace(file, threads, &file.bytes_done));
  // Results of old options are not kept for ever.
  if (stored.size() > kMostStagesStored) stored.Clear();
  const TraceFacts facts(trace);
  for (const Stage* stage : missing) stored.Set(stage->key, EncodeTables(stage->map(facts)));
  if (file.cache_folder && cache_.StorePartials(*file.cache_folder, file.key, stored))
    return OkStatus();
  file.partials = std::move(stored);
  return OkStatus();
}

// No exception of the standard library (out of memory, above all) may end a thread and the program
// with it.
Status Job::ReadGuarded(File& file, const std::vector<Stage>& stages, int threads) {
  try {
    return ReadOne(file, stages, threads);
  } catch (const std::exception& error) {
    return Error(StatusCode::kResource,
                 "{}: could not be read: out of memory or another limit ({})", file.path,
                 error.what());
  }
}

// Works through the files that have no error yet, several at a time.
Status Job::ReadFiles(const std::vector<Stage>& stages) {
  const int workers = std::clamp(static_cast<int>(files_.size()), 1, options_.threads);
  const int threads_each = std::max(1, options_.threads / workers);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < files_.size() && !stopped_; i = next++) {
      File& file = *files_[i];
      if (file.status.ok()) file.status = ReadGuarded(file, stages, threads_each);
      file.bytes_done = file.bytes;
      file.done = true;
      Report();
    }
  };
  std::vector<std::thread> helpers;
  for (int i = 1; i < workers && TryStart(helpers, work); ++i) continue;
  work();
  for (std::thread& helper : helpers) helper.join();
  std::set<std::string> folders;
  for (const auto& file : files_) {
    if (file->cache_folder) folders.insert(*file->cache_folder);
  }
  for (const std::string& folder : folders) cache_.Trim(folder);
  for (const Stage& stage : stages) done_stages_.insert(stage.key);
  return stopped_ ? Error(StatusCode::kCancelled, "stopped") : OkStatus();
}

Status Job::Arrange() {
  const Stage summary = SummaryStage();
  std::map<std::string, File*> by_path;
  for (const auto& file : files_) {
    if (file->status.ok()) {
      RS_ASSIGN_OR_RETURN(const auto tables, PartialOf(*file, summary));
      RS_ASSIGN_OR_RETURN(Capture capture, CaptureFromSummary(tables));
      capture.path = file->path;
      context_.captures.push_back(std::move(capture));
      by_path[file->path] = file.get();
    } else {
      context_.unreadable.emplace_back(file->path, file->status);
    }
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
  if (!any) {
    return Error(StatusCode::kNotFound,
                 "no recording is left after --ranks and --capture; see: rankscope table captures "
                 "... --capture all");
  }
  return OkStatus();
}

Result<Table> Job::Run(const Request& request) {
  RS_ASSIGN_OR_RETURN(const Options values, CompleteOptions(*request.analysis, request.options));
  const bool is_kept = request.options.empty() && request.analysis->size == Size::kSummary;
  if (const auto kept = summaries_.find(request.analysis); is_kept && kept != summaries_.end())
    return *kept->second;
  RS_ASSIGN_OR_RETURN(Table table,
                      request.analysis->derive ? Derive(request, values) : Reduce(request, values));
  if (is_kept) summaries_[request.analysis] = std::make_shared<const Table>(table);
  return table;
}

Status Job::EnsureMapped(const Request& request) {
  std::vector<Stage> stages;
  RS_RETURN_IF_ERROR(AddStages(request, stages));
  std::erase_if(stages, [&](const Stage& stage) { return done_stages_.contains(stage.key); });
  if (!stages.empty()) RS_RETURN_IF_ERROR(ReadFiles(stages));
  for (const auto& file : files_) {
    const bool known = std::any_of(context_.unreadable.begin(), context_.unreadable.end(),
                                   [&](const auto& entry) { return entry.first == file->path; });
    if (!file->status.ok() && !known) return file->status;
  }
  if (!request.analysis->needs_across || context_.across != nullptr) return OkStatus();
  RS_ASSIGN_OR_RETURN(Stage stage, StageOf({&CollectiveMembersAnalysis(), {}}));
  Stream partials(*this, std::move(stage), false);
  RS_ASSIGN_OR_RETURN(context_.across, AcrossFacts::Build(partials, context_));
  return OkStatus();
}

Result<Table> Job::Reduce(const Request& request, const Options& values) {
  RS_RETURN_IF_ERROR(EnsureMapped(request));
  Stage stage;
  if (MapperOf(*request.analysis) != nullptr) {
    RS_ASSIGN_OR_RETURN(stage, StageOf(request));
  }
  Stream partials(*this, std::move(stage), request.analysis->of_all_captures);
  return request.analysis->reduce(partials, context_, values);
}

Result<Table> Job::Derive(const Request& request, const Options& values) {
  RS_RETURN_IF_ERROR(EnsureMapped({request.analysis, {}}));
  std::vector<Table> tables;
  tables.reserve(request.analysis->inputs.size());
  for (const Analysis* input : request.analysis->inputs) {
    RS_ASSIGN_OR_RETURN(Table table, Run({input, {}}));
    tables.push_back(std::move(table));
  }
  std::vector<const Table*> inputs;
  inputs.reserve(tables.size());
  for (const Table& table : tables) inputs.push_back(&table);
  return request.analysis->derive(inputs, context_, values);
}

Result<RankTrace> Job::OpenTrace(std::size_t capture) const {
  return LoadTrace(*file_of_capture_[capture], options_.threads, nullptr);
}

}  // namespace rankscope
