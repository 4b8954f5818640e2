#include "engine/trace_files.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>

#include "base/file.h"
#include "base/keep_freed_memory.h"
#include "base/parallel.h"
#include "engine/packing.h"
#include "facts/trace_facts.h"
#include "formats/format.h"
#include "table/codec.h"

namespace rankscope {
namespace {

// Partials of options that nobody asks for any more are dropped beyond so many.
constexpr std::size_t kMostStagesStored = 256;

// Memory while a file is read and mapped: columns, graph and paths take about 130 bytes an event,
// an event about 280 bytes of text, and text is deflated to a tenth.
constexpr std::uint64_t kBytesPerDeflatedByte = 5;
constexpr std::uint64_t kFixedBytes = std::uint64_t{48} << 20;
// What reading such a file leaves behind is worth the walk through the allocator's lists.
constexpr std::uint64_t kLargeFileBytes = std::uint64_t{128} << 20;

std::uint64_t MemoryFor(const std::string& path, std::uint64_t bytes) {
  const bool is_deflated = path.ends_with(".gz") || path.ends_with(".zst");
  return kFixedBytes + (is_deflated ? bytes * kBytesPerDeflatedByte : bytes / 2);
}

// Partials that no cache keeps stay tables up to so many bytes of a stage and in all. What is
// larger is packed, so that memory follows neither the largest file nor the number of ranks.
constexpr std::uint64_t kTablesOfAStage = std::uint64_t{24} << 20;
constexpr std::int64_t kTablesInAll = std::int64_t{128} << 20;
constexpr std::size_t kFilesWithTables = 64;

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

// No exception of the standard library (out of memory, above all) may end a thread and the program
// with it.
Status Guarded(const std::string& path, const std::function<Status()>& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    return Error(StatusCode::kResource,
                 "{}: could not be read: out of memory or another limit ({}){}", path, error.what(),
                 AddressSpaceHint());
  }
}

}  // namespace

struct TraceFiles::File {
  std::size_t index = 0;  // among the files
  std::string path;       // what it is called
  TraceInput input;
  std::uint64_t bytes = 0;
  FileStamp stamp;  // when `key` was made of the content
  FileStamp execution_stamp = StampOf("");
  Hash128 key;
  std::optional<std::string> cache_folder;
  std::atomic<std::uint64_t> bytes_done{0};  // of one thread at a time
  std::atomic<std::size_t> times_read{0};
  std::mutex reading;  // one thread at a time reads and maps it

  std::mutex mutex;  // of what follows
  Status status;
  std::shared_ptr<const KeptPartials> partials;  // what could not go to the cache; null: nothing
};

TraceFiles::TraceFiles(const std::vector<TraceInput>& inputs, TraceFilesOptions options)
    : options_(std::move(options)),
      cache_(options_.cache),
      known_(cache_.FolderFor("")),
      budget_(options_.memory_bytes),
      bytes_for_tables_(inputs.size() < kFilesWithTables ? kTablesInAll : 0) {
  for (const TraceInput& input : inputs) {
    auto file = std::make_unique<File>();
    file->index = files_.size();
    file->path = input.name;
    file->input = input;
    std::error_code ignored;
    file->bytes =
        std::filesystem::file_size(input.file, ignored) / static_cast<std::uintmax_t>(input.parts);
    bytes_ += file->bytes;
    files_.push_back(std::move(file));
  }
}

TraceFiles::~TraceFiles() = default;

const std::string& TraceFiles::path(std::size_t file) const { return files_[file]->path; }

const TraceInput& TraceFiles::input(std::size_t file) const { return files_[file]->input; }

Hash128 TraceFiles::ContentOf(std::size_t file) const { return files_[file]->key; }

Status TraceFiles::StatusOf(std::size_t file) const {
  const std::lock_guard lock(files_[file]->mutex);
  return files_[file]->status;
}

std::size_t TraceFiles::times_read(std::size_t file) const { return files_[file]->times_read; }

void TraceFiles::ReportTo(std::function<bool(const Progress&)> progress) {
  const std::lock_guard lock(progress_mutex_);
  options_.progress = std::move(progress);
  stopped_ = false;
}

Status TraceFiles::CheckGoingOn() const {
  return Report() ? OkStatus() : Error(StatusCode::kCancelled, "stopped");
}

bool TraceFiles::Report() const {
  const std::lock_guard lock(progress_mutex_);
  if (!options_.progress) return !stopped_;
  const Progress progress{.files_done = files_done_,
                          .files = files_.size(),
                          .bytes_done = bytes_done_,
                          .bytes = bytes_};
  if (!options_.progress(progress)) stopped_ = true;
  return !stopped_;
}

void TraceFiles::NoteDone(File& file, std::uint64_t bytes) const {
  bytes_done_ += bytes - file.bytes_done.exchange(bytes);
}

void TraceFiles::Fail(File& file, Status status) const {
  const std::lock_guard lock(file.mutex);
  if (file.status.ok()) file.status = std::move(status);
}

Result<Hash128> TraceFiles::HashOf(const std::string& path) const {
  const std::optional<FileIdentity> identity = IdentityOf(path);
  if (identity) {
    if (const auto known = known_.Find(*identity)) return *known;
  }
  const auto began = std::chrono::system_clock::now().time_since_epoch();
  RS_ASSIGN_OR_RETURN(const auto mapped, MappedFile::Open(path));
  const Hash128 hash = HashBytes(mapped->bytes().data(), mapped->bytes().size());
  if (identity)
    known_.Note(*identity, hash,
                std::chrono::duration_cast<std::chrono::nanoseconds>(began).count());
  return hash;
}

Status TraceFiles::Identify(File& file) const {
  if (file.key != Hash128{}) return OkStatus();
  file.stamp = StampOf(file.input.file);
  RS_ASSIGN_OR_RETURN(file.key, HashOf(file.input.file));
  if (!file.input.execution_trace.empty()) {
    file.execution_stamp = StampOf(file.input.execution_trace);
    RS_ASSIGN_OR_RETURN(const Hash128 other, HashOf(file.input.execution_trace));
    file.key = HashBytes(fmt::format("{} with {}", file.key.Hex(), other.Hex()));
  }
  if (file.input.part != kWholeFile)
    file.key = HashBytes(fmt::format("{} {}", file.key.Hex(), file.input.part));
  file.cache_folder = cache_.FolderFor(file.path);
  return OkStatus();
}

Result<RankTrace> TraceFiles::LoadTrace(File& file, int threads) const {
  if (file.cache_folder) {
    if (auto trace = cache_.FindTrace(*file.cache_folder, file.key)) {
      trace->meta.path = file.path;
      return std::move(*trace);
    }
  }
  ++file.times_read;
  ReadOptions options;
  options.threads = threads;
  options.part = file.input.part;
  options.execution_trace = file.input.execution_trace;
  options.progress = [&](double fraction, std::uint64_t) {
    NoteDone(file, static_cast<std::uint64_t>(fraction * static_cast<double>(file.bytes)));
    return Report();
  };
  RS_ASSIGN_OR_RETURN(RankTrace trace, ReadTraceFile(file.input.file, options));
  trace.meta.path = file.path;
  if (StampOf(file.input.file) != file.stamp ||
      StampOf(file.input.execution_trace) != file.execution_stamp) {
    return Error(StatusCode::kIo,
                 "{}: the file changed while it was read; run again when it is complete",
                 file.path);
  }
  if (file.cache_folder) cache_.StoreTrace(*file.cache_folder, file.key, trace);
  return trace;
}

std::vector<MapStage> TraceFiles::PlannedOf(const File& file) const {
  const std::lock_guard lock(planned_mutex_);
  std::vector<MapStage> stages;
  for (const auto& [id, stage] : planned_) {
    if (stage.IsOf(file.index)) stages.push_back(stage);
  }
  return stages;
}

std::shared_ptr<const KeptPartials> TraceFiles::StoredOf(File& file) const {
  {
    const std::lock_guard lock(file.mutex);
    if (file.partials) return file.partials;
  }
  return std::make_shared<const KeptPartials>(
      file.cache_folder ? cache_.FindPartials(*file.cache_folder, file.key) : Partials());
}

bool TraceFiles::KeepsAsTables(const File& file, const std::vector<Table>& tables) const {
  if (file.cache_folder) return false;
  std::uint64_t bytes = 0;
  for (const Table& table : tables) bytes += table.bytes();
  if (bytes > kTablesOfAStage) return false;
  const auto taken = static_cast<std::int64_t>(bytes);
  if (bytes_for_tables_.fetch_sub(taken) >= taken) return true;
  bytes_for_tables_ += taken;
  return false;
}

Status TraceFiles::MapFile(File& file, std::vector<const MapStage*> missing, KeptPartials stored,
                           int threads) const {
  std::stable_partition(missing.begin(), missing.end(),
                        [](const MapStage* stage) { return stage->is_large; });
  const std::uint64_t memory = MemoryFor(file.input.file, file.bytes);
  const MemoryBudget::Share share(budget_, memory);
  RS_ASSIGN_OR_RETURN(const RankTrace trace, LoadTrace(file, threads));
  if (memory >= kLargeFileBytes) GiveBackFreedMemory();  // of reading it
  const TraceFacts facts(trace, options_.kernel_rules);
  std::vector<std::variant<std::string, std::vector<Table>>> made(missing.size());
  std::vector<Status> failed(missing.size());
  ParallelFor(missing.size(), threads, [&](std::size_t i) {
    failed[i] = Guarded(file.path, [&] {
      std::vector<Table> tables = missing[i]->Map(facts, file.index);
      if (KeepsAsTables(file, tables)) {
        made[i] = std::move(tables);
        return OkStatus();
      }
      Packer packer;
      EncodeAndFree(std::move(tables), [&](std::string_view piece) { packer.Put(piece); });
      made[i] = packer.Finish();
      // What comes next holds the trace's facts, most of them at once.
      if (missing[i]->is_large && memory >= kLargeFileBytes) GiveBackFreedMemory();
      return OkStatus();
    });
  });
  for (Status& status : failed) RS_RETURN_IF_ERROR(std::move(status));
  if (stored.size() + missing.size() > kMostStagesStored) {
    std::set<std::string, std::less<>> of_this_run;
    for (const MapStage& stage : PlannedOf(file)) of_this_run.insert(stage.KeyOf(file.index));
    stored.KeepOnly([&](std::string_view key) { return of_this_run.contains(key); });
  }
  for (std::size_t i = 0; i < missing.size(); ++i) {
    const std::string key = missing[i]->KeyOf(file.index);
    if (auto* packed = std::get_if<std::string>(&made[i]))
      stored.SetPacked(key, std::move(*packed));
    else
      stored.Set(key, std::move(std::get<std::vector<Table>>(made[i])));
  }
  const bool is_stored =
      file.cache_folder && cache_.StorePartials(*file.cache_folder, file.key, stored.packed());
  const std::lock_guard lock(file.mutex);
  file.partials = is_stored ? nullptr : std::make_shared<const KeptPartials>(std::move(stored));
  return OkStatus();
}

Status TraceFiles::ComputeFile(File& file, std::span<const MapStage> stages, int threads) const {
  const std::lock_guard reading(file.reading);
  RS_RETURN_IF_ERROR(Identify(file));
  const std::shared_ptr<const KeptPartials> stored = StoredOf(file);
  std::vector<const MapStage*> missing;
  for (const MapStage& stage : stages) {
    if (stage.IsOf(file.index) && !stored->Contains(stage.KeyOf(file.index)))
      missing.push_back(&stage);
  }
  if (missing.empty()) return OkStatus();
  return MapFile(file, missing, *stored, threads);
}

Status TraceFiles::Compute(std::span<const MapStage> stages) {
  const std::lock_guard pass(pass_);
  std::vector<MapStage> needed;
  for (const MapStage& stage : stages) {
    if (!done_.contains(stage.Id())) needed.push_back(stage);
  }
  if (needed.empty()) return OkStatus();
  {
    const std::lock_guard lock(planned_mutex_);
    for (const MapStage& stage : needed) planned_.emplace(stage.Id(), stage);
  }
  // Of an earlier pass.
  for (const auto& file : files_) NoteDone(*file, 0);
  files_done_ = 0;
  const int workers = std::clamp(static_cast<int>(files_.size()), 1, options_.threads);
  const int threads_each = std::max(1, options_.threads / workers);
  ParallelFor(files_.size(), workers, [&](std::size_t i) {
    File& file = *files_[i];
    if (stopped_) return;
    if (StatusOf(i).ok()) {
      Status status = Guarded(file.path, [&] { return ComputeFile(file, needed, threads_each); });
      if (!status.ok() && !stopped_) Fail(file, std::move(status));
    }
    NoteDone(file, file.bytes);
    ++files_done_;
    Report();
  });
  if (stopped_) return Error(StatusCode::kCancelled, "stopped");
  GiveBackFreedMemory();
  std::set<std::string> folders;
  for (const auto& file : files_) {
    if (file->cache_folder) folders.insert(*file->cache_folder);
  }
  for (const std::string& folder : folders) cache_.Trim(folder);
  known_.Store();
  for (const MapStage& stage : needed) done_.insert(stage.Id());
  return OkStatus();
}

Result<std::vector<std::vector<Table>>> TraceFiles::TablesOf(
    std::size_t index, std::span<const MapStage* const> stages) const {
  File& file = *files_[index];
  std::vector<std::vector<Table>> tables(stages.size());
  std::vector<const MapStage*> missing;
  const auto read = [&](const KeptPartials& stored) {
    missing.clear();
    for (std::size_t i = 0; i < stages.size(); ++i) {
      std::optional<std::vector<Table>> found = stored.Get(stages[i]->KeyOf(index));
      if (found && stages[i]->Fits(*found)) {
        tables[i] = std::move(*found);
      } else {
        missing.push_back(stages[i]);
      }
    }
    return missing.empty();
  };
  if (read(*StoredOf(file))) return tables;
  // Another process took it out of the cache, or it is damaged: made again once, with everything
  // else of this run that went with it.
  const std::lock_guard reading(file.reading);
  const std::shared_ptr<const KeptPartials> stored = StoredOf(file);
  if (read(*stored)) return tables;
  Status status = Guarded(file.path, [&] {
    std::vector<MapStage> others = PlannedOf(file);
    std::erase_if(others, [&](const MapStage& stage) {
      const std::string key = stage.KeyOf(index);
      return stored->Contains(key) ||
             std::any_of(missing.begin(), missing.end(),
                         [&](const MapStage* one) { return one->KeyOf(index) == key; });
    });
    for (const MapStage& stage : others) missing.push_back(&stage);
    return MapFile(file, missing, *stored, 1);
  });
  if (status.ok() && !read(*StoredOf(file))) {
    status = Error(StatusCode::kIo, "{}: the cache loses what is stored in it; use --no-cache",
                   file.path);
  }
  if (status.ok()) return tables;
  // A file that somebody did not wait for is as good as before.
  if (status.code() != StatusCode::kCancelled) Fail(file, status);
  return status;
}

Result<RankTrace> TraceFiles::OpenTrace(std::size_t file) const {
  return LoadTrace(*files_[file], options_.threads);
}

}  // namespace rankscope
