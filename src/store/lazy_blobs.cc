#include "store/lazy_blobs.h"

#include <mutex>
#include <utility>

namespace rankscope::store {
namespace {

class LazyBlobs final : public Blobs {
 public:
  explicit LazyBlobs(std::function<Result<std::unique_ptr<Blobs>>()> open)
      : open_(std::move(open)) {}

  Result<std::unique_ptr<BlobWriter>> Create() override {
    RS_ASSIGN_OR_RETURN(Blobs* const blobs, Opened());
    return blobs->Create();
  }
  Result<std::vector<BlobInfo>> CommitAll(
      std::span<const std::unique_ptr<BlobWriter>> writers) override {
    RS_ASSIGN_OR_RETURN(Blobs* const blobs, Opened());
    return blobs->CommitAll(writers);
  }
  Result<std::string> PathOf(std::string_view sha256) const override {
    RS_ASSIGN_OR_RETURN(Blobs* const blobs, Opened());
    return blobs->PathOf(sha256);
  }
  Result<std::string> VerifiedPathOf(std::string_view sha256) const override {
    RS_ASSIGN_OR_RETURN(Blobs* const blobs, Opened());
    return blobs->VerifiedPathOf(sha256);
  }
  std::shared_ptr<const void> Hold(std::vector<std::string> sha256s) const override {
    const auto blobs = Opened();
    return blobs.ok() ? (*blobs)->Hold(std::move(sha256s)) : nullptr;
  }
  Result<BlobInfo> Look(std::string_view sha256) const override {
    RS_ASSIGN_OR_RETURN(Blobs* const blobs, Opened());
    return blobs->Look(sha256);
  }
  Status Verify(std::string_view sha256) const override {
    RS_ASSIGN_OR_RETURN(Blobs* const blobs, Opened());
    return blobs->Verify(sha256);
  }
  Result<UploadAddress> AddressFor(std::string_view upload, const BlobInfo& content,
                                   std::int64_t valid_s) const override {
    RS_ASSIGN_OR_RETURN(Blobs* const blobs, Opened());
    return blobs->AddressFor(upload, content, valid_s);
  }
  Status TakeUpload(std::string_view upload, const BlobInfo& content) override {
    RS_ASSIGN_OR_RETURN(Blobs* const blobs, Opened());
    return blobs->TakeUpload(upload, content);
  }
  Status Remove(std::string_view sha256) override {
    RS_ASSIGN_OR_RETURN(Blobs* const blobs, Opened());
    return blobs->Remove(sha256);
  }
  Result<bool> RemoveUnused(std::string_view sha256, std::int64_t stored_by_s) override {
    RS_ASSIGN_OR_RETURN(Blobs* const blobs, Opened());
    return blobs->RemoveUnused(sha256, stored_by_s);
  }
  Status RemoveUnfinished(std::int64_t begun_before_s) override {
    RS_ASSIGN_OR_RETURN(Blobs* const blobs, Opened());
    return blobs->RemoveUnfinished(begun_before_s);
  }
  Status ForEach(
      const std::function<void(const BlobInfo&, std::int64_t stored_s)>& visit) const override {
    RS_ASSIGN_OR_RETURN(Blobs* const blobs, Opened());
    return blobs->ForEach(visit);
  }

 private:
  Result<Blobs*> Opened() const {
    const std::scoped_lock lock(mutex_);
    if (blobs_ == nullptr) {
      RS_ASSIGN_OR_RETURN(blobs_, open_());
    }
    return blobs_.get();
  }

  const std::function<Result<std::unique_ptr<Blobs>>()> open_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<Blobs> blobs_;
};

}  // namespace

std::unique_ptr<Blobs> MakeLazyBlobs(std::function<Result<std::unique_ptr<Blobs>>()> open) {
  return std::make_unique<LazyBlobs>(std::move(open));
}

}  // namespace rankscope::store
