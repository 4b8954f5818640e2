#include "store/backup.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "base/durable.h"
#include "base/file.h"

namespace rankscope::store {
namespace {

namespace fs = std::filesystem;

bool Holds(const fs::path& folder, const fs::path& path) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

Status CheckApart(const std::string& from, const std::string& to) {
  std::error_code error;
  const fs::path source = fs::weakly_canonical(from, error);
  const fs::path target = fs::weakly_canonical(to, error);
  if (error) return Error(StatusCode::kIo, "{}: {}", to, error.message());
  if (!Holds(source, target) && !Holds(target, source)) return OkStatus();
  return Error(StatusCode::kInvalidArgument,
               "{}: a backup is a folder outside of the store, and not around it; another disk is "
               "best",
               to);
}

bool HasSameText(const std::string& path, std::string_view text) {
  const auto there = ReadFile(path);
  return there.ok() && *there == text;
}

class Backup {
 public:
  Backup(std::string from, Store& source, std::string to, Store& target)
      : from_(std::move(from)), source_(source), to_(std::move(to)), target_(target) {}

  Status CopyRuns() {
    RS_ASSIGN_OR_RETURN(const auto unreadable, source_.catalogue().Unreadable());
    for (const auto& [path, why] : unreadable) Say(path, why.message());
    RS_ASSIGN_OR_RETURN(std::vector<Run> runs, source_.catalogue().All());
    std::ranges::reverse(runs);  // the oldest first
    for (const Run& run : runs) RS_RETURN_IF_ERROR(CopyRun(run.id));
    return OkStatus();
  }

  Status CopyFolder(std::string_view name) {
    std::error_code error;
    const std::string folder = fmt::format("{}/{}", from_, name);
    if (!fs::exists(folder, error)) return OkStatus();
    RS_RETURN_IF_ERROR(MakeFolder(fmt::format("{}/{}", to_, name)));
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (!entry.is_regular_file(error)) continue;
      const std::string path = entry.path().string();
      const auto text = ReadFile(path);
      if (!text.ok()) {
        Say(path, text.status().message());
        continue;
      }
      const std::string place =
          fmt::format("{}/{}/{}", to_, name, entry.path().filename().string());
      if (HasSameText(place, *text)) continue;
      RS_RETURN_IF_ERROR(WriteDurably(place, *text, target_.temporary_folder()));
      ++done_.beside;
    }
    if (error) return Error(StatusCode::kIo, "{}: cannot list: {}", folder, error.message());
    return OkStatus();
  }

  BackedUp Take() && { return std::move(done_); }

 private:
  void Say(std::string where, std::string what) {
    done_.problems.push_back({std::move(where), std::move(what)});
  }

  Result<std::string> RecordNow(const std::string& id, const std::string& path) const {
    if (source_.cluster() != nullptr) {
      RS_ASSIGN_OR_RETURN(const auto run, source_.catalogue().Look(id));
      return ToRecord(*run);
    }
    std::error_code error;
    auto text = ReadFile(path);
    if (!text.ok() && !fs::exists(path, error))
      return Error(StatusCode::kNotFound, "{}: it is gone", path);
    return text;
  }

  // As the record is now: it may have changed since the store was opened, or be gone.
  Status CopyRun(const std::string& id) {
    const std::string path =
        source_.cluster() != nullptr ? "run " + id : fmt::format("{}/runs/{}.json", from_, id);
    const auto text = RecordNow(id, path);
    if (text.status().code() == StatusCode::kNotFound) return OkStatus();
    const auto run = text.ok() ? FromRecord(*text) : Result<Run>(text.status());
    if (!run.ok()) {
      Say(path, run.status().message());
      return OkStatus();
    }
    RS_ASSIGN_OR_RETURN(const bool is_whole, CopyContents(*run));
    if (!is_whole) return OkStatus();
    const std::string place = fmt::format("{}/runs/{}.json", to_, id);
    ++done_.runs;
    if (HasSameText(place, *text)) return OkStatus();
    ++done_.new_runs;
    return WriteDurably(place, *text, target_.temporary_folder());
  }

  // Whether the backup has all that the run names.
  Result<bool> CopyContents(const Run& run) {
    struct Wanted {
      std::string name, sha256;
    };
    std::vector<Wanted> wanted;
    std::set<std::string> asked;
    ForEachContent(run, [&](const std::string& name, const std::string& sha256, std::uint64_t) {
      if (asked.insert(sha256).second) wanted.push_back({name, sha256});
    });
    bool is_whole = true;
    // Copies of what is elsewhere take room here: so many at a time.
    constexpr std::size_t kAtOnce = 32;
    for (std::size_t first = 0; first < wanted.size(); first += kAtOnce) {
      const std::size_t last = std::min(first + kAtOnce, wanted.size());
      std::vector<std::string> paths;
      std::vector<Wanted> copied;
      std::vector<std::string> held;
      for (std::size_t i = first; i < last; ++i) held.push_back(wanted[i].sha256);
      const auto hold = source_.blobs().Hold(std::move(held));
      for (std::size_t i = first; i < last; ++i) {
        const auto there = target_.blobs().Look(wanted[i].sha256);
        if (there.ok()) continue;
        if (IsAway(there.status())) return there.status();
        const auto path = source_.blobs().PathOf(wanted[i].sha256);
        if (path.ok()) {
          paths.push_back(*path);
          copied.push_back(wanted[i]);
          continue;
        }
        if (IsAway(path.status())) return path.status();
        const bool is_gone = path.status().code() == StatusCode::kNotFound;
        Say(fmt::format("run {}, {}", run.id, wanted[i].name),
            fmt::format("its content {} is {}", wanted[i].sha256, is_gone ? "gone" : "damaged"));
        is_whole = false;
      }
      RS_ASSIGN_OR_RETURN(const std::vector<BlobInfo> stored, StoreFiles(target_.blobs(), paths));
      for (std::size_t i = 0; i < stored.size(); ++i) {
        if (stored[i].sha256 == copied[i].sha256) {
          ++done_.contents;
          done_.bytes += stored[i].bytes;
          continue;
        }
        // No run of the backup names what was copied: `gc` frees it.
        Say(fmt::format("run {}, {}", run.id, copied[i].name),
            fmt::format("its content {} is damaged", copied[i].sha256));
        is_whole = false;
      }
    }
    return is_whole;
  }

  const std::string from_;
  Store& source_;
  const std::string to_;
  Store& target_;
  BackedUp done_;
};

}  // namespace

Result<BackedUp> BackUp(const std::string& from, const std::string& to,
                        std::span<const std::string_view> beside, const std::string& catalogue,
                        const BlobPlace& blobs) {
  RS_RETURN_IF_ERROR(CheckApart(from, to));
  RS_ASSIGN_OR_RETURN(
      const auto source,
      Store::Open(from, {.read_only = true, .catalogue = catalogue, .blobs = blobs}));
  RS_ASSIGN_OR_RETURN(const auto target, Store::Open(to, {.create = true}));
  Backup backup(from, *source, to, *target);
  RS_RETURN_IF_ERROR(backup.CopyRuns());
  for (const std::string_view folder : beside) RS_RETURN_IF_ERROR(backup.CopyFolder(folder));
  return std::move(backup).Take();
}

}  // namespace rankscope::store
