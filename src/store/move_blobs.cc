#include "store/move_blobs.h"

#include <filesystem>
#include <memory>
#include <span>
#include <utility>

namespace rankscope::store {
namespace {

namespace fs = std::filesystem;

// What is sent side by side; each has a copy on this machine until then.
constexpr std::size_t kAtOnce = 16;
constexpr std::uint64_t kCopiesBytes = std::uint64_t{256} << 20;

Result<std::vector<BlobInfo>> BlobsOf(const Blobs& blobs) {
  std::vector<BlobInfo> all;
  RS_RETURN_IF_ERROR(
      blobs.ForEach([&](const BlobInfo& blob, std::int64_t) { all.push_back(blob); }));
  return all;
}

// Paths of those that are what their names say; the others are told.
std::vector<std::string> SoundOf(const Blobs& blobs, std::span<const BlobInfo> group,
                                 MovedBlobs& moved) {
  std::vector<std::string> paths;
  for (const BlobInfo& blob : group) {
    auto path = blobs.VerifiedPathOf(blob.sha256);
    if (path.ok()) {
      paths.push_back(*std::move(path));
    } else {
      moved.damaged.push_back({blob.sha256, path.status().message()});
    }
  }
  return paths;
}

}  // namespace

Result<MovedBlobs> MoveBlobs(const std::string& folder, const BlobPlace& to) {
  if (to.place.empty())
    return Error(StatusCode::kInvalidArgument, "the contents go to s3://BUCKET/PREFIX");
  // For its lock, and for what it remembers: a store that was moved half opens there already.
  RS_ASSIGN_OR_RETURN(const BlobPlace remembered, RememberedPlace(folder));
  StoreOptions options;
  if (!remembered.place.empty()) options.blobs = to;
  RS_ASSIGN_OR_RETURN(const auto store, Store::Open(folder, std::move(options)));
  std::unique_ptr<Blobs> opened;
  if (remembered.place.empty()) {
    // Copies of what is sent are of no use here.
    BlobPlace place = to;
    place.cache_bytes = kCopiesBytes;
    RS_ASSIGN_OR_RETURN(place.store_id, StoreIdOf(folder, true));
    RS_ASSIGN_OR_RETURN(opened, OpenBlobsInS3(place, folder + "/blob-cache", true));
  }
  Blobs& there = opened ? *opened : store->blobs();
  const auto here = MakeFolderBlobs(folder + "/blobs", store->temporary_folder());

  RS_ASSIGN_OR_RETURN(const std::vector<BlobInfo> all, BlobsOf(*here));
  MovedBlobs moved;
  std::vector<std::string> files;
  for (std::size_t first = 0; first < all.size(); first += kAtOnce) {
    const auto group = std::span(all).subspan(first, std::min(kAtOnce, all.size() - first));
    const std::vector<std::string> paths = SoundOf(*here, group, moved);
    RS_ASSIGN_OR_RETURN(const std::vector<BlobInfo> sent, StoreFiles(there, paths));
    for (const BlobInfo& one : sent) moved.bytes += one.bytes;
    moved.contents += static_cast<std::int64_t>(sent.size());
    files.insert(files.end(), paths.begin(), paths.end());
  }
  if (remembered.place.empty()) {
    RS_ASSIGN_OR_RETURN(const BlobPlace place, WholePlace(to));
    RS_RETURN_IF_ERROR(RememberPlace(folder, place));
  }
  RS_ASSIGN_OR_RETURN(const BlobPlace now, RememberedPlace(folder));
  moved.place = now.place;
  std::error_code error;
  for (const std::string& file : files) {
    if (!fs::remove(file, error) && error)
      return Error(StatusCode::kIo, "{}: cannot remove: {}", file, error.message());
  }
  return moved;
}

}  // namespace rankscope::store
