#include "store/store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include "base/durable.h"
#include "base/file.h"
#include "json/reader.h"
#include "json/writer.h"
#include "store/postgres_catalogue.h"
#include "store/random_id.h"
#include "store/sha256.h"

namespace rankscope::store {
namespace {

namespace fs = std::filesystem;

std::string FormatPath(const std::string& folder) { return folder + "/store.json"; }

Status WriteFormat(const std::string& folder, std::int64_t format) {
  std::string json;
  json::Writer(json).BeginObject().Member("format", format).EndObject();
  return WriteDurably(FormatPath(folder), json + "\n", folder + "/temporary");
}

Result<std::int64_t> ReadFormat(const std::string& folder) {
  RS_ASSIGN_OR_RETURN(const std::string text, ReadFile(FormatPath(folder)));
  const Result<json::Reader> reader = json::Reader::Parse(text);
  const std::int64_t format = reader.ok() ? reader->root()["format"].IntegerOr(0) : 0;
  if (format < 1)
    return Error(
        StatusCode::kBadData,
        "{}: damaged, not what a store begins with; write {{\"format\": {}}} into it, or take "
        "it from a backup",
        FormatPath(folder), kStoreFormat);
  if (format > kStoreFormat) {
    return Error(StatusCode::kBadData,
                 "{}: a store of format {}; this version of rankscope knows formats up to {}: take "
                 "a newer one",
                 folder, format, kStoreFormat);
  }
  return format;
}

// Subfolders, and the format last: a folder without it is no store yet.
Status MakeStore(const std::string& folder) {
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error)) {
    // What a first attempt that was cut off left is taken over, and a disk for copies that was
    // mounted before.
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const std::string name = entry.path().filename().string();
      if (name != "blobs" && name != "runs" && name != "temporary" && name != "lock" &&
          name != "blob-cache") {
        return Error(StatusCode::kInvalidArgument,
                     "{}: not a store, and not empty: it holds {}; choose another folder", folder,
                     name);
      }
    }
  }
  for (const char* part : {"/blobs", "/runs", "/temporary"})
    RS_RETURN_IF_ERROR(MakeFolder(folder + part));
  return WriteFormat(folder, kStoreFormat);
}

// Whether the process whose number stands in a lock's file is gone, as far as this process can see:
// not across containers. A child between fork and exec holds its lock for a moment longer.
bool IsOwnerGone(int descriptor) {
  char text[32] = {};
  if (pread(descriptor, text, sizeof(text) - 1, 0) <= 0) return false;
  const auto owner = static_cast<pid_t>(std::strtol(text, nullptr, 10));
  return owner > 0 && kill(owner, 0) != 0 && errno == ESRCH;
}

// Waits up to five seconds for the children of an owner that is gone, and a tenth of a second for
// an owner that was killed and not yet waited for by its parent.
// With `is_patient` five seconds for any owner.
bool TakeLock(int descriptor, bool is_patient) {
  constexpr int kMostTries = 1000;
  constexpr int kTriesWithOwner = 20;
  constexpr std::chrono::milliseconds kPause{5};
  for (int tries = 0; tries < kMostTries; ++tries) {
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return true;
    if (!is_patient && tries >= kTriesWithOwner && !IsOwnerGone(descriptor)) return false;
    std::this_thread::sleep_for(kPause);
  }
  return false;
}

Result<int> Lock(const std::string& folder, bool is_patient) {
  const std::string path = folder + "/lock";
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return Error(StatusCode::kIo, "{}: cannot open: {}", path, std::strerror(errno));
  if (!TakeLock(descriptor, is_patient)) {
    close(descriptor);
    return Error(StatusCode::kResource,
                 "{}: another process writes to this store; wait for it, or end it", folder);
  }
  // If this fails, the next process cannot tell that the owner is gone, and refuses.
  const std::string owner = std::to_string(getpid()) + "\n";
  if (ftruncate(descriptor, 0) == 0) (void)!pwrite(descriptor, owner.data(), owner.size(), 0);
  return descriptor;
}

// Nobody sends one content for so long.
constexpr std::int64_t kUnfinished_s = 24 * 3600;
// What a process that shares the folder with others was writing for so long it writes no more.
constexpr std::int64_t kLeftoverAgeS = 2 * 24 * 3600;

// Of pending files those that nobody has written to since.
void RemoveOldLeftovers(const std::string& folder, std::int64_t before_s) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    struct stat info {};
    const bool is_pending = entry.path().filename().string().starts_with("pending-");
    if (!is_pending || stat(entry.path().c_str(), &info) != 0 || info.st_mtim.tv_sec > before_s)
      continue;
    std::error_code ignored;
    fs::remove(entry.path(), ignored);
  }
}

std::string ShardsFolder(const std::string& folder) { return folder + "/shards"; }

// When something in a folder was last written or removed; with its own folders, not theirs.
std::int64_t LastChange(const std::string& folder) {
  std::int64_t last_s = 0;
  const auto look = [&](const std::string& path) {
    struct stat info {};
    if (stat(path.c_str(), &info) == 0)
      last_s = std::max(last_s, static_cast<std::int64_t>(info.st_mtim.tv_sec));
  };
  look(folder);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) look(entry.path().string());
  return last_s;
}

// RUN-N of those that no report is waited for any more.
void RemoveShards(const std::string& folder, const std::vector<Run>& runs, std::int64_t stale_s) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(ShardsFolder(folder), error)) {
    const std::string name = entry.path().filename().string();
    const std::size_t dash = name.find('-');
    if (dash == std::string::npos || !IsRunId(std::string_view(name).substr(0, dash))) continue;
    char* end = nullptr;
    const std::int64_t report = std::strtoll(name.c_str() + dash + 1, &end, 10);
    // RUN-N.X: its worker ended while it made RUN-N.
    if (*end == '.' && LastChange(entry.path().string()) <= stale_s) {
      std::error_code ignored;
      fs::remove_all(entry.path(), ignored);
    }
    if (*end != 0) continue;
    const auto run = std::ranges::find(runs, name.substr(0, dash), &Run::id);
    const bool is_there = run != runs.end();
    const bool is_made = is_there && static_cast<std::int64_t>(run->reports.size()) >= report;
    const bool is_work =
        is_there && (run->state == RunState::kQueued || run->state == RunState::kAnalysing);
    if (!is_made && (is_work || LastChange(entry.path().string()) > stale_s)) continue;
    std::error_code ignored;
    fs::remove_all(entry.path(), ignored);
  }
}

bool IsKept(const Run& run) { return run.tags.contains("keep"); }

std::string SharedPath(const std::string& folder) { return folder + "/shared"; }

// The name that the folder has as one that processes of a cluster share; "" for one that has none.
std::string SharedName(const std::string& folder) {
  const auto text = ReadFile(SharedPath(folder));
  return text.ok() ? text->substr(0, text->find('\n')) : "";
}

// From now on the runs of the folder are those of the database. Not while it has others, whose
// contents would be garbage.
Status MakeShared(const std::string& folder, PostgresCatalogue& catalogue) {
  std::error_code error;
  std::int64_t missing = 0;
  for (const auto& entry : fs::directory_iterator(folder + "/runs", error)) {
    const std::string id = entry.path().stem().string();
    if (entry.path().extension() != ".json" || !IsRunId(id)) continue;
    const Status there = catalogue.Look(id).status();
    if (!there.ok() && there.code() != StatusCode::kNotFound) return there;
    missing += there.ok() ? 0 : 1;
  }
  if (error) return Error(StatusCode::kIo, "{}: cannot list: {}", folder, error.message());
  if (missing > 0) {
    return Error(StatusCode::kInvalidArgument,
                 "{}: it has {} runs that the database {} has not, whose contents would be taken "
                 "for garbage: rankscope store migrate carries them over",
                 folder, missing, catalogue.database().shown());
  }
  const std::string mine = RandomSecretId();
  RS_ASSIGN_OR_RETURN(const std::string name, catalogue.TakeFolder(mine));
  if (name != mine) return OkStatus();  // CheckShared says so
  return WriteDurably(SharedPath(folder),
                      fmt::format("{}\n{}\n", name, catalogue.database().shown()),
                      folder + "/temporary");
}

// The second line, for people; "" for a folder of an older version.
std::string SharedDatabase(const std::string& folder) {
  const auto text = ReadFile(SharedPath(folder));
  if (!text.ok()) return "";
  const std::size_t begin = text->find('\n') + 1;
  return text->substr(begin, text->find('\n', begin) - begin);
}

// A folder that is not mounted, or another's, has none of the contents that runs name: who analysed
// there would set every file aside.
Status CheckShared(const std::string& folder, const PostgresCatalogue& catalogue) {
  RS_ASSIGN_OR_RETURN(const std::string name, catalogue.Folder());
  if (!name.empty() && SharedName(folder) == name) return OkStatus();
  return Error(StatusCode::kInvalidArgument,
               "{}: it is not the folder that the servers and workers of {} share, which has '{}' "
               "in its file shared: is it mounted?",
               folder, catalogue.database().shown(), name);
}

}  // namespace

Result<std::unique_ptr<Store>> Store::Open(const std::string& folder, StoreOptions options) {
  std::error_code error;
  const bool is_there = fs::exists(FormatPath(folder), error);
  if (!is_there && (!options.create || options.read_only)) {
    return Error(StatusCode::kNotFound, "{}: there is no store; rankscope store add makes one",
                 folder);
  }
  const bool is_shared = !options.catalogue.empty();
  std::unique_ptr<PostgresCatalogue> cluster;
  if (is_shared) {
    // Before a folder is made for a database that nobody reaches.
    RS_ASSIGN_OR_RETURN(cluster, PostgresCatalogue::Open(options.catalogue, options.now_s));
  }
  auto store = std::unique_ptr<Store>(new Store());
  store->folder_ = folder;
  store->temporary_ = folder + "/temporary";
  store->now_s_ = options.now_s ? options.now_s : [] { return std::int64_t{std::time(nullptr)}; };
  if (!options.read_only) {
    if (!is_there) RS_RETURN_IF_ERROR(MakeFolder(folder));
    // Those that share a folder hold its lock for the moment in which they make it theirs.
    const bool is_marked = fs::exists(SharedPath(folder), error);
    if (!is_shared || !is_marked) {
      RS_ASSIGN_OR_RETURN(store->lock_, Lock(folder, is_shared));
    }
    if (!fs::exists(FormatPath(folder), error)) RS_RETURN_IF_ERROR(MakeStore(folder));
  }
  if (!is_shared && !options.was_carried_over && fs::exists(SharedPath(folder), error)) {
    const std::string database = SharedDatabase(folder);
    return Error(
        StatusCode::kInvalidArgument,
        "{}: its runs are in a database{}: name it by --catalogue postgresql://..., or take a "
        "backup where the command has no such option (rankscope store backup)",
        folder, database.empty() ? "" : ", which was " + database);
  }
  RS_ASSIGN_OR_RETURN(std::int64_t format, ReadFormat(folder));
  if (format < kOldestReadFormat && options.read_only) {
    return Error(StatusCode::kBadData,
                 "{}: a store of format {}; a command that writes to it makes it one of format {}",
                 folder, format, kStoreFormat);
  }
  if (format < kStoreFormat && is_shared) {
    return Error(StatusCode::kBadData,
                 "{}: a store of format {}; rankscope store check --data {} --seal makes it one of "
                 "format {}, before several processes share it",
                 folder, format, folder, kStoreFormat);
  }
  for (; format < kStoreFormat && !options.read_only; ++format) {
    const auto step = static_cast<std::size_t>(format) - 1;
    if (step >= options.migrations.size())
      return Error(StatusCode::kInternal, "{}: no way from format {} on", folder, format);
    RS_RETURN_IF_ERROR(options.migrations[step](folder));
    RS_RETURN_IF_ERROR(WriteFormat(folder, format + 1));
  }
  if (!options.read_only && !is_shared) RemoveLeftovers(store->temporary_);
  if (is_shared) {
    RS_RETURN_IF_ERROR(CheckCopiesAreItsOwn(folder, options.blobs));
  }
  RS_ASSIGN_OR_RETURN(store->blobs_,
                      OpenBlobs(folder, store->temporary_, options.blobs, !options.read_only));
  if (is_shared) {
    if (store->lock_ >= 0) RS_RETURN_IF_ERROR(MakeShared(folder, *cluster));
    RS_RETURN_IF_ERROR(CheckShared(folder, *cluster));
    if (store->lock_ >= 0) close(std::exchange(store->lock_, -1));
    store->cluster_ = cluster.get();
    store->catalogue_ = std::move(cluster);
    return store;
  }
  RS_ASSIGN_OR_RETURN(store->catalogue_,
                      OpenFolderCatalogue(folder + "/runs", store->temporary_, store->now_s_));
  return store;
}

Store::~Store() {
  if (lock_ >= 0) close(lock_);
}

Status Store::CheckGivable(const PostgresCatalogue& catalogue) const {
  std::error_code error;
  if (fs::exists(SharedPath(folder_), error)) return CheckShared(folder_, catalogue);
  RS_ASSIGN_OR_RETURN(const std::string name, catalogue.Folder());
  return name.empty() ? OkStatus() : CheckShared(folder_, catalogue);
}

Status Store::GiveTo(PostgresCatalogue& catalogue) const {
  std::error_code error;
  if (lock_ >= 0 && !fs::exists(SharedPath(folder_), error))
    RS_RETURN_IF_ERROR(MakeShared(folder_, catalogue));
  return CheckShared(folder_, catalogue);
}

std::string Store::ShardFolderOf(const std::string& run, std::int64_t report) const {
  return fmt::format("{}/{}-{}", ShardsFolder(folder_), run, report);
}

Result<Removed> Store::CollectGarbage(const Retention& retention) {
  RS_ASSIGN_OR_RETURN(const auto collecting, catalogue_->BeginCollecting());
  if (collecting == nullptr) return Removed{};
  RS_RETURN_IF_ERROR(blobs_->PutBack());
  RS_ASSIGN_OR_RETURN(std::vector<Run> runs, catalogue_->All());
  // A record that cannot be read may name anything. Looked for last: whatever was left out above is
  // among them.
  RS_ASSIGN_OR_RETURN(const auto unreadable, catalogue_->Unreadable());
  if (!unreadable.empty()) {
    return Error(StatusCode::kBadData,
                 "{}: cannot be read ({}), so nothing is known to be garbage; repair or remove it",
                 unreadable.front().first, unreadable.front().second.message());
  }
  if (cluster_ != nullptr) RemoveOldLeftovers(temporary_, Now() - kLeftoverAgeS);
  Removed removed;
  std::ranges::sort(runs, [](const Run& a, const Run& b) { return a.changed_s < b.changed_s; });
  std::map<std::string, std::pair<std::int64_t, std::uint64_t>> uses;  // how many, and bytes
  std::uint64_t used_bytes = 0;
  for (const Run& run : runs) {
    ForEachContent(run, [&](const std::string&, const std::string& sha256, std::uint64_t bytes) {
      auto& [count, size] = uses[sha256];
      if (count++ == 0) used_bytes += size = bytes;
    });
  }
  for (const Run& run : runs) {
    const bool is_old =
        retention.older_than_s > 0 && run.changed_s < Now() - retention.older_than_s;
    const bool is_too_much = retention.most_bytes > 0 && used_bytes > retention.most_bytes;
    if ((!is_old && !is_too_much) || IsKept(run)) continue;
    const Status gone = catalogue_->Remove(run.id);
    if (gone.code() == StatusCode::kNotFound) continue;  // somebody else removed it
    RS_RETURN_IF_ERROR(gone);
    ++removed.runs;
    ForEachContent(run, [&](const std::string&, const std::string& sha256, std::uint64_t) {
      auto& [count, size] = uses[sha256];
      if (--count == 0) used_bytes -= size;
    });
  }
  std::vector<BlobInfo> garbage;
  const std::int64_t stale_s = Now() - retention.spare_s;
  RS_RETURN_IF_ERROR(blobs_->ForEach([&](const BlobInfo& blob, std::int64_t stored_s) {
    const auto use = uses.find(blob.sha256);
    const bool is_used = use != uses.end() && use->second.first > 0;
    if (!is_used && stored_s <= stale_s) garbage.push_back(blob);
  }));
  for (const BlobInfo& blob : garbage) {
    RS_ASSIGN_OR_RETURN(const bool is_gone, blobs_->RemoveUnused(blob.sha256, stale_s));
    if (!is_gone) continue;
    ++removed.blobs;
    removed.bytes += blob.bytes;
  }
  RemoveShards(folder_, runs, stale_s);
  RS_RETURN_IF_ERROR(blobs_->RemoveUnfinished(Now() - std::max(retention.spare_s, kUnfinished_s)));
  return removed;
}

Result<Checked> Store::Check(bool contents) const {
  std::vector<std::string> sound;
  return Check(contents, sound);
}

Result<Checked> Store::Seal() {
  std::vector<std::string> sound;
  RS_ASSIGN_OR_RETURN(Checked checked, Check(true, sound));
  for (const std::string& id : sound) {
    bool is_new = false;
    const auto sealed = catalogue_->Update(id, [&](Run& run) {
      is_new = run.sealed_s == 0;
      if (is_new) run.sealed_s = Now();
      return OkStatus();
    });
    RS_RETURN_IF_ERROR(sealed.status());
    if (!is_new) continue;
    --checked.unsealed;
    ++checked.sealed_late;
  }
  return checked;
}

Result<Checked> Store::Check(bool contents, std::vector<std::string>& sound) const {
  Checked checked;
  RS_ASSIGN_OR_RETURN(const auto unreadable, catalogue_->Unreadable());
  for (const auto& [path, why] : unreadable) checked.problems.push_back({path, why.message()});
  std::map<std::string, std::uint64_t> there;
  RS_RETURN_IF_ERROR(blobs_->ForEach([&](const BlobInfo& blob, std::int64_t) {
    there.emplace(blob.sha256, blob.bytes);
    ++checked.blobs;
    checked.bytes += blob.bytes;
  }));
  // What a listing lacks or has otherwise is asked for: it may be behind the truth.
  const auto bytes_of = [&](const std::string& sha256,
                            std::uint64_t bytes) -> Result<std::optional<std::uint64_t>> {
    const auto listed = there.find(sha256);
    if (listed != there.end() && listed->second == bytes) return std::optional(bytes);
    const auto blob = blobs_->Look(sha256);
    if (blob.status().code() == StatusCode::kNotFound) return std::optional<std::uint64_t>();
    RS_RETURN_IF_ERROR(blob.status());
    if (listed == there.end()) {
      ++checked.blobs;
      checked.bytes += blob->bytes;
      there.emplace(sha256, blob->bytes);
    }
    return std::optional(blob->bytes);
  };
  std::map<std::string, std::string> named;  // by the first that names it
  RS_ASSIGN_OR_RETURN(const std::vector<Run> runs, catalogue_->All());
  std::set<std::string> faulty;  // contents that some run has and the store has not, or not so
  for (const Run& run : runs) {
    ++checked.runs;
    if (run.sealed_s == 0) ++checked.unsealed;
    if (run.sealed_s > run.created_s) ++checked.sealed_late;
    Status looked;
    ForEachContent(run, [&](const std::string& name, const std::string& sha256,
                            std::uint64_t bytes) {
      const std::string where = fmt::format("run {}, {}", run.id, name);
      const auto stored = bytes_of(sha256, bytes);
      if (!stored.ok()) {
        looked = stored.status();
      } else if (!*stored) {
        checked.problems.push_back({where, fmt::format("its content {} is gone", sha256)});
        faulty.insert(sha256);
      } else if (**stored != bytes) {
        checked.problems.push_back(
            {where, fmt::format("its content {} has {} bytes, not {}", sha256, **stored, bytes)});
        faulty.insert(sha256);
      } else {
        named.emplace(sha256, where);
      }
    });
    RS_RETURN_IF_ERROR(looked);
  }
  for (const auto& [sha256, bytes] : there) {
    const auto use = named.find(sha256);
    if (use == named.end()) ++checked.unused_blobs;
    if (!contents) continue;
    const Status verified = blobs_->Verify(sha256);
    if (verified.ok()) continue;
    if (IsAway(verified)) return verified;
    // A listing has what was removed for a while.
    if (use == named.end() && verified.code() == StatusCode::kNotFound) continue;
    // What cannot be read is not what its name says either.
    const bool is_damaged = verified.code() != StatusCode::kNotFound;
    if (is_damaged) checked.damaged.push_back(sha256);
    faulty.insert(sha256);
    checked.problems.push_back({use == named.end() ? sha256 : use->second,
                                verified.code() == StatusCode::kInternal
                                    ? fmt::format("its content {} is damaged", sha256)
                                    : verified.message()});
  }
  for (const Run& run : runs) {
    bool is_sound = true;
    ForEachContent(run, [&](const std::string&, const std::string& sha256, std::uint64_t) {
      is_sound = is_sound && !faulty.contains(sha256);
    });
    if (is_sound) sound.push_back(run.id);
  }
  return checked;
}

}  // namespace rankscope::store
