#include "service/runs/upload.h"

#include <algorithm>

#include "api/run.h"
#include "json/fields.h"
#include "service/requests/page.h"
#include "service/requests/reply.h"
#include "service/runs/runs.h"
#include "store/sha256.h"

namespace rankscope::service {
namespace {

using store::Run;
using store::RunState;

class WholeFile final : public http::Exchange {
 public:
  WholeFile(const UploadParts& with, std::string run, std::string name, const http::Head& head,
            std::unique_ptr<Uploads::Writer> lock)
      : with_(with),
        run_(std::move(run)),
        name_(std::move(name)),
        wanted_(http::Find(head.fields, "x-content-sha256").value_or("")),
        lock_(std::move(lock)) {}

  std::uint64_t MostBytes() const override { return with_.limits.most_file_bytes; }

  Status Take(std::string_view piece) override {
    if (writer_ == nullptr) status_ = Open();
    if (status_.ok()) status_ = writer_->Write(piece);
    return status_;
  }

  http::Reply Finish(bool is_whole) override {
    if (is_whole && writer_ == nullptr) status_ = Open();  // an empty file
    if (!status_.ok()) return ErrorReply(status_);
    if (!is_whole) return ErrorReply(400, "cut_off", "the file did not come whole; send it again");
    const Result<store::BlobInfo> blob = writer_->Commit();
    if (!blob.ok()) return ErrorReply(blob.status());
    if (!wanted_.empty() && wanted_ != blob->sha256) {
      return ErrorReply(422, "wrong_content",
                        fmt::format("what came has the SHA-256 {}, not {}; send it again",
                                    blob->sha256, wanted_));
    }
    with_.uploads.Forget(run_, name_);
    return AddToRun(with_, run_, {name_, blob->sha256, blob->bytes});
  }

 private:
  Status Open() {
    auto writer = with_.parts.store.blobs().Create();
    if (!writer.ok()) return writer.status();
    writer_ = std::move(*writer);
    return OkStatus();
  }

  const UploadParts with_;
  const std::string run_;
  const std::string name_;
  const std::string wanted_;
  std::unique_ptr<Uploads::Writer> lock_;
  std::unique_ptr<store::BlobWriter> writer_;
  Status status_;
};

class FilePart final : public http::Exchange {
 public:
  FilePart(const UploadParts& with, std::string run, std::string name, std::uint64_t offset,
           bool completes, std::unique_ptr<Uploads::Writer> lock)
      : with_(with),
        run_(std::move(run)),
        name_(std::move(name)),
        offset_(offset),
        completes_(completes),
        lock_(std::move(lock)) {}

  std::uint64_t MostBytes() const override {
    return with_.limits.most_file_bytes - std::min(with_.limits.most_file_bytes, offset_);
  }

  Status Take(std::string_view piece) override {
    if (part_ == nullptr) status_ = Open();
    if (status_.ok()) status_ = part_->Write(piece);
    return status_;
  }

  // What came of a part is kept, also when the rest did not.
  http::Reply Finish(bool is_whole) override {
    std::uint64_t kept = offset_;
    if (part_ != nullptr) {
      const Result<std::uint64_t> size = part_->Keep();
      if (size.ok()) kept = *size;
      if (status_.ok()) status_ = size.status();
    }
    if (!status_.ok()) return ErrorReply(status_);
    http::Reply reply;
    if (!is_whole || !completes_) {
      reply.status = 204;
    } else {
      const Result<store::BlobInfo> blob = with_.uploads.Complete(run_, name_);
      if (!blob.ok()) return ErrorReply(blob.status());
      reply = AddToRun(with_, run_, {name_, blob->sha256, blob->bytes});
      if (reply.status < 300) with_.uploads.Forget(run_, name_);
    }
    reply.fields.emplace_back("Upload-Offset", std::to_string(kept));
    reply.fields.emplace_back("Upload-Complete", completes_ && is_whole ? "?1" : "?0");
    return reply;
  }

 private:
  Status Open() {
    auto part = with_.uploads.Append(run_, name_);
    if (!part.ok()) return part.status();
    part_ = std::move(*part);
    return OkStatus();
  }

  const UploadParts with_;
  const std::string run_;
  const std::string name_;
  const std::uint64_t offset_;
  const bool completes_;
  std::unique_ptr<Uploads::Writer> lock_;
  std::unique_ptr<Uploads::Part> part_;
  Status status_;
};

http::Reply WrongOffset(std::uint64_t offset) {
  http::Reply reply = ErrorReply(
      409, "wrong_offset",
      fmt::format("{} bytes of this file have come: go on with Upload-Offset: {}", offset, offset));
  reply.fields.emplace_back("Upload-Offset", std::to_string(offset));
  return reply;
}

}  // namespace

http::Reply FileReply(int status, const store::RunFile& file) {
  return JsonReply(status, json::ToJson(api::RunFile{
                               .name = file.name, .bytes = file.bytes, .sha256 = file.sha256}));
}

http::Reply AddToRun(const UploadParts& with, const std::string& run_id,
                     const store::RunFile& file) {
  bool is_open = false;
  bool is_room = false;
  bool is_new = false;
  Status fits;  // another one came meanwhile
  const auto run = with.parts.store.catalogue().Update(run_id, [&](Run& one) {
    is_open = one.state == RunState::kUploading;
    const auto place = std::ranges::lower_bound(one.files, file.name, {}, &store::RunFile::name);
    is_new = place == one.files.end() || place->name != file.name;
    is_room = !is_new || one.files.size() < with.limits.most_files;
    fits = store::CheckNewFile(one, file.name);
    if (!is_open || !is_room || !fits.ok()) return OkStatus();
    if (is_new) {
      one.files.insert(place, file);
    } else {
      *place = file;
    }
    return OkStatus();
  });
  if (!run.ok()) return ErrorReply(run.status());
  if (!is_open)
    return ErrorReply(409, "finished", "the run was finished; POST to its reopen to add files");
  if (!is_room) {
    return ErrorReply(413, "too_many_files",
                      fmt::format("a run has up to {} files", with.limits.most_files));
  }
  if (!fits.ok()) return ErrorReply(fits);
  return FileReply(is_new ? 201 : 200, file);
}

std::variant<http::Reply, std::unique_ptr<http::Exchange>> BeginUpload(const UploadParts& with,
                                                                       const Call& call) {
  const auto found = LookAtRun(with.parts, call.who, call.arguments[0]);
  if (!found.ok()) return ErrorReply(found.status());
  const Run& run = **found;
  const std::string& name = call.arguments[1];
  if (const Status good = store::CheckNewFile(run, name); !good.ok()) return ErrorReply(good);
  if (run.state != RunState::kUploading)
    return ErrorReply(409, "finished", "the run was finished; POST to its reopen to add files");
  auto lock = with.uploads.Lock(run.id, name);
  if (lock == nullptr)
    return ErrorReply(423, "locked", "somebody else is sending this file; ask again");
  if (call.head.method == "PUT")
    return std::make_unique<WholeFile>(with, run.id, name, call.head, std::move(lock));
  const auto offset = ParseInteger(http::Find(call.head.fields, "upload-offset").value_or(""));
  if (!offset || *offset < 0)
    return ErrorReply(400, "bad_request", "PATCH needs Upload-Offset, the place of its first byte");
  const std::string_view complete = http::Find(call.head.fields, "upload-complete").value_or("?0");
  if (complete != "?0" && complete != "?1")
    return ErrorReply(400, "bad_request", "Upload-Complete is ?0 or ?1");
  const std::uint64_t have = with.uploads.Offset(run.id, name);
  if (static_cast<std::uint64_t>(*offset) != have) return WrongOffset(have);
  return std::make_unique<FilePart>(with, run.id, name, have, complete == "?1", std::move(lock));
}

}  // namespace rankscope::service
