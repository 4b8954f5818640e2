#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>

#include "base/durable.h"
#include "base/file.h"
#include "base/parallel.h"
#include "store/blobs.h"
#include "store/random_id.h"
#include "store/sha256.h"

namespace rankscope::store {
namespace {

namespace fs = std::filesystem;

// What a content is called while it is looked at once more before it goes.
constexpr std::string_view kUnused = "unused-";

// FOLDER/ab/ab12...: 256 folders, so that none holds too many.
std::string PlaceOf(const std::string& folder, std::string_view sha256) {
  return folder + "/" + std::string(sha256.substr(0, 2)) + "/" + std::string(sha256);
}

// Held while one of the 256 folders is made and synced.
class Making {
 public:
  std::mutex& Of(std::string_view sha256) {
    std::size_t number = 0;
    std::from_chars(sha256.data(), sha256.data() + 2, number, 16);
    return mutexes_[number];
  }

 private:
  std::array<std::mutex, 256> mutexes_;
};

class FolderBlobWriter : public BlobWriter {
 public:
  FolderBlobWriter(std::string folder, Making& making, std::unique_ptr<PendingFile> file)
      : folder_(std::move(folder)), making_(making), file_(std::move(file)) {}

  Status Write(std::string_view bytes) override {
    hash_.Add(bytes);
    return file_->Write(bytes);
  }

  Result<BlobInfo> Commit() override {
    RS_RETURN_IF_ERROR(Sync());
    RS_RETURN_IF_ERROR(Place());
    // Also of one that was there: who stored it may not have told the disk of its name yet.
    RS_RETURN_IF_ERROR(SyncFolder(folder()));
    return info_;
  }

  // The steps of Commit before the folder is told. Afterwards info() is known.
  Status Sync() {
    info_ = {.sha256 = hash_.Hex(), .bytes = file_->size()};
    path_ = PlaceOf(folder_, info_.sha256);
    struct stat there {};
    // As if stored now: who collects garbage leaves it alone until it is referred to.
    is_there_ = stat(path_.c_str(), &there) == 0 && S_ISREG(there.st_mode) &&
                static_cast<std::uint64_t>(there.st_size) == info_.bytes &&
                utimensat(AT_FDCWD, path_.c_str(), nullptr, 0) == 0;
    return is_there_ ? OkStatus() : file_->Sync();
  }
  Status Place() {
    if (is_there_) return OkStatus();
    {
      const std::scoped_lock lock(making_.Of(info_.sha256));
      RS_RETURN_IF_ERROR(MakeFolder(folder()));
    }
    return file_->Place(path_);
  }
  const BlobInfo& info() const { return info_; }
  std::string folder() const { return fs::path(path_).parent_path().string(); }

 private:
  std::string folder_;
  Making& making_;
  std::unique_ptr<PendingFile> file_;
  Sha256 hash_;
  BlobInfo info_;
  std::string path_;
  bool is_there_ = false;  // it was stored before
};

class FolderBlobs : public Blobs {
 public:
  FolderBlobs(std::string folder, std::string temporary)
      : folder_(std::move(folder)), temporary_(std::move(temporary)) {}

  Result<std::unique_ptr<BlobWriter>> Create() override {
    RS_ASSIGN_OR_RETURN(auto file, PendingFile::Create(temporary_));
    return std::unique_ptr<BlobWriter>(
        std::make_unique<FolderBlobWriter>(folder_, making_, std::move(file)));
  }

  // The first file of each step waits for the disk; the journal of the file system then has the
  // others, too.
  Result<std::vector<BlobInfo>> CommitAll(
      std::span<const std::unique_ptr<BlobWriter>> writers) override {
    std::vector<BlobInfo> infos;
    std::set<std::string> folders;
    for (const auto& writer : writers) RS_RETURN_IF_ERROR(Ours(*writer).Sync());
    for (const auto& writer : writers) {
      FolderBlobWriter& ours = Ours(*writer);
      RS_RETURN_IF_ERROR(ours.Place());
      folders.insert(ours.folder());
      infos.push_back(ours.info());
    }
    for (const std::string& folder : folders) RS_RETURN_IF_ERROR(SyncFolder(folder));
    return infos;
  }

  Result<std::string> PathOf(std::string_view sha256) const override {
    std::error_code error;
    if (!IsSha256(sha256)) return Error(StatusCode::kInvalidArgument, "'{}' is no SHA-256", sha256);
    std::string path = PlaceOf(folder_, sha256);
    if (!fs::is_regular_file(path, error))
      return Error(StatusCode::kNotFound, "{}: the store has no such content", path);
    return path;
  }

  Result<BlobInfo> Look(std::string_view sha256) const override {
    RS_ASSIGN_OR_RETURN(const std::string path, PathOf(sha256));
    std::error_code error;
    const std::uint64_t bytes = fs::file_size(path, error);
    if (error) return Error(StatusCode::kIo, "{}: cannot look at it: {}", path, error.message());
    return BlobInfo{.sha256 = std::string(sha256), .bytes = bytes};
  }

  Status Verify(std::string_view sha256) const override { return VerifiedPathOf(sha256).status(); }

  Status Remove(std::string_view sha256) override {
    if (!IsSha256(sha256)) return Error(StatusCode::kInvalidArgument, "'{}' is no SHA-256", sha256);
    return RemoveDurably(PlaceOf(folder_, sha256));
  }

  // Who finds the content there sets its time, and then knows that it is there (Sync above). So it
  // is taken away first and looked at then: a time that was set before is seen, and who comes later
  // finds nothing and stores it anew.
  Result<bool> RemoveUnused(std::string_view sha256, std::int64_t stored_by_s) override {
    const auto found = PathOf(sha256);
    if (found.status().code() == StatusCode::kNotFound) return false;
    RS_RETURN_IF_ERROR(found.status());
    const std::string& path = *found;
    const std::string aside = fmt::format("{}/{}{}-{}", temporary_, kUnused, sha256, RandomId());
    if (rename(path.c_str(), aside.c_str()) != 0) {
      return Error(StatusCode::kIo, "{}: cannot be taken away: {}", path, std::strerror(errno));
    }
    struct stat info {};
    if (stat(aside.c_str(), &info) != 0) return false;  // another collector has put it back
    if (info.st_mtim.tv_sec <= stored_by_s) {
      RS_RETURN_IF_ERROR(RemoveDurably(aside));
      RS_RETURN_IF_ERROR(SyncFolder(fs::path(path).parent_path().string()));
      return true;
    }
    // In place of what was stored meanwhile: it is the same.
    if (rename(aside.c_str(), path.c_str()) != 0) {
      return Error(StatusCode::kIo, "{}: cannot be put back; it lies in {}: {}", path, aside,
                   std::strerror(errno));
    }
    RS_RETURN_IF_ERROR(SyncFolder(fs::path(path).parent_path().string()));
    return false;
  }

  Status PutBack() override {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(temporary_, error)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with(kUnused)) continue;
      const std::string sha256 =
          name.substr(kUnused.size(), name.find('-', kUnused.size()) - kUnused.size());
      if (!IsSha256(sha256)) continue;
      const std::string place = PlaceOf(folder_, sha256);
      if (rename(entry.path().c_str(), place.c_str()) != 0 && errno != ENOENT) {
        return Error(StatusCode::kIo, "{}: cannot be put back: {}", entry.path().string(),
                     std::strerror(errno));
      }
      RS_RETURN_IF_ERROR(SyncFolder(fs::path(place).parent_path().string()));
    }
    if (error) return Error(StatusCode::kIo, "{}: cannot list: {}", temporary_, error.message());
    return OkStatus();
  }

  Status ForEach(
      const std::function<void(const BlobInfo&, std::int64_t stored_s)>& visit) const override {
    std::error_code error;
    for (const auto& part : fs::directory_iterator(folder_, error)) {
      // What somebody left there.
      if (std::error_code ignored; !part.is_directory(ignored)) continue;
      for (const auto& entry : fs::directory_iterator(part.path(), error)) {
        const std::string name = entry.path().filename().string();
        struct stat info {};
        if (!IsSha256(name) || stat(entry.path().c_str(), &info) != 0) continue;
        visit({.sha256 = name, .bytes = static_cast<std::uint64_t>(info.st_size)},
              info.st_mtim.tv_sec);
      }
      if (error) break;
    }
    if (error) return Error(StatusCode::kIo, "{}: cannot list: {}", folder_, error.message());
    return OkStatus();
  }

 private:
  static FolderBlobWriter& Ours(BlobWriter& writer) {
    return static_cast<FolderBlobWriter&>(writer);
  }

  std::string folder_;
  std::string temporary_;
  Making making_;
};

// A writer that has what the file holds.
Result<std::unique_ptr<BlobWriter>> WriterOfFile(Blobs& blobs, const std::string& path) {
  RS_ASSIGN_OR_RETURN(const auto file, FileWindow::Open(path));
  RS_ASSIGN_OR_RETURN(auto writer, blobs.Create());
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  for (std::size_t at = 0; at < file->size();) {
    const std::string_view piece = file->At(at, kPiece);
    if (piece.empty()) return Error(StatusCode::kIo, "{}: cannot read it at byte {}", path, at);
    RS_RETURN_IF_ERROR(writer->Write(piece));
    at += piece.size();
  }
  return writer;
}

}  // namespace

std::unique_ptr<Blobs> MakeFolderBlobs(std::string folder, std::string temporary) {
  return std::make_unique<FolderBlobs>(std::move(folder), std::move(temporary));
}

Result<std::string> Blobs::VerifiedPathOf(std::string_view sha256) const {
  RS_ASSIGN_OR_RETURN(std::string path, PathOf(sha256));
  RS_ASSIGN_OR_RETURN(const std::string found, Sha256OfFile(path));
  if (found != sha256) {
    return Error(StatusCode::kInternal, "{}: damaged: its bytes have the SHA-256 {}", path, found);
  }
  return path;
}

namespace {

Status NotElsewhere() {
  return Error(StatusCode::kInvalidArgument,
               "the contents of this store are in its folder: send files to the server");
}

}  // namespace

Result<UploadAddress> Blobs::AddressFor(std::string_view, const BlobInfo&, std::int64_t) const {
  return NotElsewhere();
}

Status Blobs::TakeUpload(std::string_view, const BlobInfo&) { return NotElsewhere(); }

std::shared_ptr<const void> Blobs::Hold(std::vector<std::string> /*sha256s*/) const {
  return nullptr;
}

Status Blobs::RemoveUnfinished(std::int64_t /*begun_before_s*/) { return OkStatus(); }

bool IsAway(const Status& status) {
  return status.code() == StatusCode::kIo && status.message().starts_with("s3://");
}

void Prefetch(const Blobs& blobs, std::span<const std::string> sha256s) {
  if (blobs.Hold({}) == nullptr) return;  // they are here
  constexpr int kAtOnce = 8;
  ParallelFor(sha256s.size(), kAtOnce, [&](std::size_t i) { (void)blobs.PathOf(sha256s[i]).ok(); });
}

Result<BlobInfo> StoreText(Blobs& blobs, std::string_view text) {
  RS_ASSIGN_OR_RETURN(const auto writer, blobs.Create());
  RS_RETURN_IF_ERROR(writer->Write(text));
  return writer->Commit();
}

Result<BlobInfo> StoreFile(Blobs& blobs, const std::string& path) {
  RS_ASSIGN_OR_RETURN(const auto writer, WriterOfFile(blobs, path));
  return writer->Commit();
}

Result<std::vector<BlobInfo>> StoreFiles(Blobs& blobs, std::span<const std::string> paths) {
  // Each of these has a file open until they are committed.
  constexpr std::size_t kMostOpen = 32;
  std::vector<BlobInfo> stored;
  for (std::size_t first = 0; first < paths.size(); first += kMostOpen) {
    std::vector<std::unique_ptr<BlobWriter>> writers;
    for (const std::string& path :
         paths.subspan(first, std::min(kMostOpen, paths.size() - first))) {
      RS_ASSIGN_OR_RETURN(auto writer, WriterOfFile(blobs, path));
      writers.push_back(std::move(writer));
    }
    RS_ASSIGN_OR_RETURN(const std::vector<BlobInfo> of_group, blobs.CommitAll(writers));
    stored.insert(stored.end(), of_group.begin(), of_group.end());
  }
  return stored;
}

}  // namespace rankscope::store
