#include "store/s3_blobs.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <mutex>
#include <utility>

#include "base/parallel.h"
#include "json/reader.h"
#include "json/writer.h"
#include "s3/digest.h"
#include "store/sha256.h"

namespace rankscope::store {
namespace {

constexpr int kCommitsAtOnce = 8;
constexpr std::int64_t kFormat = 1;
// Below the prefix: what was sent by others and is not taken yet.
constexpr std::string_view kUploads = "uploads/";
// A content that was stored within this time is not touched again: nobody's garbage is so young.
constexpr std::int64_t kFresh_s = 600;
// So many contents are remembered as just stored before those of an hour ago are forgotten.
constexpr std::size_t kManyRecent = 10'000;
constexpr std::int64_t kRecent_s = 4 * 3600;

class FileSink final : public s3::ObjectSink {
 public:
  explicit FileSink(SpoolFile& file) : file_(file) {}
  Status Restart() override { return file_.Restart(); }
  Status Write(std::string_view piece) override { return file_.Write(piece); }

 private:
  SpoolFile& file_;
};

class HashSink final : public s3::ObjectSink {
 public:
  Status Restart() override {
    hash_ = std::make_unique<Sha256>();
    return OkStatus();
  }
  Status Write(std::string_view piece) override {
    hash_->Add(piece);
    return OkStatus();
  }
  std::string Hex() { return hash_->Hex(); }

 private:
  std::unique_ptr<Sha256> hash_ = std::make_unique<Sha256>();
};

class S3Blobs;

class S3BlobWriter final : public BlobWriter {
 public:
  S3BlobWriter(S3Blobs& blobs, std::unique_ptr<SpoolFile> file)
      : blobs_(blobs), file_(std::move(file)) {}
  Status Write(std::string_view bytes) override { return file_->Write(bytes); }
  Result<BlobInfo> Commit() override;

 private:
  S3Blobs& blobs_;
  std::unique_ptr<SpoolFile> file_;
};

class S3Blobs final : public Blobs {
 public:
  S3Blobs(std::unique_ptr<s3::Transport> transport, std::unique_ptr<s3::Client> client,
          std::unique_ptr<BlobCache> cache)
      : transport_(std::move(transport)),
        client_(std::move(client)),
        cache_(std::move(cache)),
        folder_(client_->place().Key("blobs/")) {}

  // Whether what is there is ours; says what stands in the way where nothing can be had.
  Status Open(bool creates, const std::string& store_id) {
    const std::string key = client_->place().Key("blobs.json");
    const auto text = client_->GetText(key);
    if (text.ok()) return CheckMark(key, *text, store_id);
    if (text.status().code() != StatusCode::kNotFound) return text.status();
    if (!creates) {
      return Error(StatusCode::kNotFound, "{}: there are no blobs of rankscope",
                   client_->place().Text());
    }
    std::string mark;
    json::Writer(mark)
        .BeginObject()
        .Member("format", kFormat)
        .Member("store", store_id)
        .EndObject();
    return client_->PutText(key, mark + "\n");
  }

  Result<std::unique_ptr<BlobWriter>> Create() override {
    RS_ASSIGN_OR_RETURN(auto file, SpoolFile::Create(cache_->temporary_folder()));
    return std::unique_ptr<BlobWriter>(std::make_unique<S3BlobWriter>(*this, std::move(file)));
  }

  Result<std::vector<BlobInfo>> CommitAll(
      std::span<const std::unique_ptr<BlobWriter>> writers) override {
    std::vector<Result<BlobInfo>> committed(writers.size(), BlobInfo{});
    ParallelFor(writers.size(), kCommitsAtOnce,
                [&](std::size_t i) { committed[i] = writers[i]->Commit(); });
    std::vector<BlobInfo> infos;
    for (auto& one : committed) {
      RS_RETURN_IF_ERROR(one.status());
      infos.push_back(*std::move(one));
    }
    return infos;
  }

  // `info` is what the file has.
  Status Store(SpoolFile& file, const BlobInfo& info) {
    RS_RETURN_IF_ERROR(Keep(info, [&](const std::string& key) {
      return client_->PutFile(key, file.path(), info.bytes, info.sha256).status();
    }));
    cache_->Adopt(info.sha256, file);
    return OkStatus();
  }

  Result<std::string> PathOf(std::string_view sha256) const override {
    RS_RETURN_IF_ERROR(CheckName(sha256));
    return cache_->PathOf(sha256, [&](SpoolFile& file) {
      FileSink sink(file);
      return client_->Get(KeyOf(sha256), sink);
    });
  }

  Result<std::string> VerifiedPathOf(std::string_view sha256) const override {
    RS_ASSIGN_OR_RETURN(std::string path, PathOf(sha256));
    const auto found = Sha256OfFile(path);
    if (found.ok() && *found == sha256) return path;
    // The copy became another file: the content itself may be well.
    cache_->Forget(sha256);
    return PathOf(sha256);
  }

  std::shared_ptr<const void> Hold(std::vector<std::string> sha256s) const override {
    return cache_->Hold(std::move(sha256s));
  }

  Result<BlobInfo> Look(std::string_view sha256) const override {
    RS_RETURN_IF_ERROR(CheckName(sha256));
    RS_ASSIGN_OR_RETURN(const s3::ObjectInfo info, client_->Head(KeyOf(sha256)));
    return BlobInfo{.sha256 = std::string(sha256), .bytes = info.bytes};
  }

  Status Verify(std::string_view sha256) const override {
    RS_RETURN_IF_ERROR(CheckName(sha256));
    HashSink sink;
    RS_RETURN_IF_ERROR(client_->Get(KeyOf(sha256), sink));
    const std::string found = sink.Hex();
    if (found == sha256) return OkStatus();
    return Error(StatusCode::kInternal, "{}/{}: damaged: its bytes have the SHA-256 {}",
                 client_->place().Text(), KeyOf(sha256), found);
  }

  Status Remove(std::string_view sha256) override {
    RS_RETURN_IF_ERROR(CheckName(sha256));
    RS_RETURN_IF_ERROR(client_->Delete(KeyOf(sha256)));
    cache_->Forget(sha256);
    const std::scoped_lock lock(mutex_);
    if (const auto recent = recent_.find(sha256); recent != recent_.end()) recent_.erase(recent);
    return OkStatus();
  }

  Result<bool> RemoveUnused(std::string_view sha256, std::int64_t stored_by_s) override {
    RS_RETURN_IF_ERROR(CheckName(sha256));
    const auto info = client_->Head(KeyOf(sha256));
    if (info.status().code() == StatusCode::kNotFound) return false;  // the listing was behind
    RS_RETURN_IF_ERROR(info.status());
    if (StoredOf(sha256, info->stored_s) > stored_by_s) return false;
    RS_RETURN_IF_ERROR(Remove(sha256));
    return true;
  }

  Result<UploadAddress> AddressFor(std::string_view upload, const BlobInfo& content,
                                   std::int64_t valid_s) const override {
    RS_RETURN_IF_ERROR(CheckName(upload));
    RS_RETURN_IF_ERROR(CheckName(content.sha256));
    if (content.bytes > kMostDirectBytes)
      return Error(StatusCode::kInvalidArgument, "files of more than 5 GiB go through the server");
    s3::PutAddress address =
        client_->AddressForPut(UploadKey(upload), content.bytes, content.sha256, valid_s);
    return UploadAddress{.url = std::move(address.url), .headers = std::move(address.headers)};
  }

  Status TakeUpload(std::string_view upload, const BlobInfo& content) override {
    RS_RETURN_IF_ERROR(CheckName(upload));
    RS_RETURN_IF_ERROR(CheckName(content.sha256));
    const std::string key = UploadKey(upload);
    RS_ASSIGN_OR_RETURN(const s3::ObjectInfo sent, client_->Head(key));
    const auto other = [&](const std::string& what) {
      (void)client_->Delete(key).ok();  // else with the garbage
      return Error(StatusCode::kBadData, "what came has {}, not {} bytes with the SHA-256 {}", what,
                   content.bytes, content.sha256);
    };
    if (sent.bytes != content.bytes) return other(fmt::format("{} bytes", sent.bytes));
    if (sent.checksum == s3::Base64OfHex(content.sha256)) {
      // The store hashed it, and takes nothing else there: the checksum is signed.
      RS_RETURN_IF_ERROR(
          Keep(content, [&](const std::string& to) { return client_->Copy(key, to); }));
    } else {
      RS_ASSIGN_OR_RETURN(const auto file, SpoolFile::Create(cache_->temporary_folder()));
      FileSink sink(*file);
      RS_RETURN_IF_ERROR(client_->Get(key, sink));
      const std::string found = file->Hex();
      if (found != content.sha256 || file->size() != content.bytes)
        return other(fmt::format("{} bytes with the SHA-256 {}", file->size(), found));
      // Not a copy of what is there: it may have become something else since it was read.
      RS_RETURN_IF_ERROR(Store(*file, content));
    }
    (void)client_->Delete(key).ok();
    return OkStatus();
  }

  Status RemoveUnfinished(std::int64_t begun_before_s) override {
    std::vector<std::string> old;
    RS_RETURN_IF_ERROR(client_->ForEach(client_->place().Key(std::string(kUploads)),
                                        [&](const std::string& key, const s3::ObjectInfo& info) {
                                          if (info.stored_s < begun_before_s) old.push_back(key);
                                        }));
    for (const std::string& key : old) RS_RETURN_IF_ERROR(client_->Delete(key));
    return client_->AbortBegunBefore(folder_, begun_before_s).status();
  }

  Status ForEach(
      const std::function<void(const BlobInfo&, std::int64_t stored_s)>& visit) const override {
    return client_->ForEach(folder_, [&](const std::string& key, const s3::ObjectInfo& info) {
      // FOLDER ab/ab12..; whatever else is there is not ours.
      const std::string_view name = std::string_view(key).substr(key.rfind('/') + 1);
      if (!IsSha256(name) || key != KeyOf(name)) return;
      visit({.sha256 = std::string(name), .bytes = info.bytes}, StoredOf(name, info.stored_s));
    });
  }

 private:
  static Status CheckName(std::string_view sha256) {
    if (IsSha256(sha256)) return OkStatus();
    return Error(StatusCode::kInvalidArgument, "'{}' is no SHA-256", sha256);
  }
  Status CheckMark(const std::string& key, const std::string& text,
                   const std::string& store_id) const {
    const Result<json::Reader> reader = json::Reader::Parse(text);
    const std::int64_t format = reader.ok() ? reader->root()["format"].IntegerOr(0) : 0;
    if (format != kFormat) {
      return Error(StatusCode::kBadData,
                   "{} of the bucket says format {}; this version of rankscope knows {}: take a "
                   "newer one, or another prefix",
                   key, format, kFormat);
    }
    const std::string owner = reader->root()["store"].TextOr("");
    if (owner.empty() || store_id.empty() || owner == store_id) return OkStatus();
    return Error(StatusCode::kInvalidArgument,
                 "{} has the contents of another store ({}; this one is {}): take another prefix, "
                 "or, where it is this one, write that id into blobs.id of its folder",
                 client_->place().Text(), owner, store_id);
  }

  std::string KeyOf(std::string_view sha256) const {
    return fmt::format("{}{}/{}", folder_, sha256.substr(0, 2), sha256);
  }

  std::int64_t StoredOf(std::string_view sha256, std::int64_t stored_s) const {
    const std::scoped_lock lock(mutex_);
    const auto recent = recent_.find(sha256);
    return recent == recent_.end() ? stored_s : std::max(stored_s, recent->second);
  }

  std::string UploadKey(std::string_view upload) const {
    return client_->place().Key(fmt::format("{}{}", kUploads, upload));
  }

  // `put` makes the object of this key, unless it is there; it is fresh then.
  Status Keep(const BlobInfo& info, const std::function<Status(const std::string& key)>& put) {
    RS_RETURN_IF_ERROR(PutUnlessThere(info, put));
    const std::scoped_lock lock(mutex_);
    const std::int64_t now_s = std::time(nullptr);
    if (recent_.size() >= kManyRecent)
      std::erase_if(recent_, [&](const auto& one) { return one.second < now_s - kRecent_s; });
    recent_[info.sha256] = now_s;
    return OkStatus();
  }

  Status PutUnlessThere(const BlobInfo& info,
                        const std::function<Status(const std::string& key)>& put) {
    const std::string key = KeyOf(info.sha256);
    const auto there = client_->Head(key);
    if (!there.ok() && there.status().code() != StatusCode::kNotFound) return there.status();
    if (there.ok() && there->bytes == info.bytes) {
      if (there->stored_s + kFresh_s > std::time(nullptr)) return OkStatus();
      if (client_->Touch(key).ok()) return OkStatus();
      // It was removed meanwhile, or the store copies nothing: it is sent again.
    } else if (there.ok()) {
      RS_RETURN_IF_ERROR(client_->Delete(key));  // of another size: no condition may keep it
    }
    return put(key);
  }

  const std::unique_ptr<s3::Transport> transport_;
  const std::unique_ptr<s3::Client> client_;
  const std::unique_ptr<BlobCache> cache_;
  const std::string folder_;  // "prefix/blobs/"
  mutable std::mutex mutex_;
  // What this process stored, by SHA-256, and when: also where the store did not touch it.
  std::map<std::string, std::int64_t, std::less<>> recent_;
};

Result<BlobInfo> S3BlobWriter::Commit() {
  BlobInfo info{.sha256 = file_->Hex(), .bytes = file_->size()};
  RS_RETURN_IF_ERROR(blobs_.Store(*file_, info));
  return info;
}

}  // namespace

Result<std::unique_ptr<Blobs>> MakeS3Blobs(std::unique_ptr<s3::Transport> transport,
                                           std::unique_ptr<s3::Client> client,
                                           S3BlobsOptions options) {
  RS_ASSIGN_OR_RETURN(auto cache,
                      BlobCache::Open(std::move(options.cache_folder), std::move(options.cache)));
  auto blobs = std::make_unique<S3Blobs>(std::move(transport), std::move(client), std::move(cache));
  RS_RETURN_IF_ERROR(blobs->Open(options.creates, options.store_id));
  return std::unique_ptr<Blobs>(std::move(blobs));
}

}  // namespace rankscope::store
