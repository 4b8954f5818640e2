// Files that their senders put into the store of contents themselves: an address to send one to,
// and its being taken. Nothing is kept in between: what a file is called in the store follows from
// its run, its name, its hash and its size, so nobody can take what was sent for another run.
#include <algorithm>
#include <chrono>

#include "api/run.h"
#include "api/upload.h"
#include "json/fields.h"
#include "service/requests/reply.h"
#include "service/requests/waiting_work.h"
#include "service/routes/routes.h"
#include "service/runs/runs.h"
#include "service/runs/upload.h"
#include "service/runs/uploads.h"
#include "store/sha256.h"

namespace rankscope::service {
namespace {

using store::Run;

// A file of 5 GiB over 12 Mbit/s.
constexpr std::int64_t kValid_s = 3600;
// A store that says no checksums is read.
constexpr std::chrono::minutes kMostTime{10};

struct RoutesDirectAsked {
  std::string run, name, upload;
  store::BlobInfo content;
  bool is_there = false;  // the run has it already
};

// A Reply is a refusal.
std::variant<http::Reply, RoutesDirectAsked> Look(const UploadParts& with, const Call& call) {
  const auto found = LookAtRun(with.parts, call.who, call.arguments[0]);
  if (!found.ok()) return ErrorReply(found.status());
  const Run& run = **found;
  const auto stated = BodyOf<api::DirectUpload>(call);
  if (!stated.ok()) return ErrorReply(stated.status());
  RoutesDirectAsked asked{.run = run.id, .name = call.arguments[1]};
  asked.content = {.sha256 = stated->sha256, .bytes = static_cast<std::uint64_t>(stated->bytes)};
  if (!store::IsSha256(asked.content.sha256))
    return ErrorReply(400, "bad_request", "sha256 is 64 hexadecimal digits in lower case");
  if (asked.content.bytes > std::min(with.limits.most_file_bytes, store::kMostDirectBytes)) {
    return ErrorReply(413, "too_large",
                      "a file of this size goes through the server, or is more than it takes");
  }
  const auto file = std::ranges::find(run.files, asked.name, &store::RunFile::name);
  asked.is_there = file != run.files.end() && file->sha256 == asked.content.sha256;
  if (const Status good = store::CheckNewFile(run, asked.name); !good.ok()) return ErrorReply(good);
  if (run.state != store::RunState::kUploading && !asked.is_there)
    return ErrorReply(409, "finished", "the run was finished; POST to its reopen to add files");
  asked.upload = store::Sha256Of(fmt::format("{}\n{}\n{}\n{}", asked.run, asked.content.sha256,
                                             asked.content.bytes, asked.name));
  return asked;
}

http::Reply Address(const UploadParts& with, const Call& call) {
  const auto looked = Look(with, call);
  if (const auto* refusal = std::get_if<http::Reply>(&looked)) return *refusal;
  const auto& asked = std::get<RoutesDirectAsked>(looked);
  const auto address = with.parts.store.blobs().AddressFor(asked.upload, asked.content, kValid_s);
  if (address.status().code() == StatusCode::kInvalidArgument)
    return ErrorReply(409, "not_direct", address.status().message());
  if (!address.ok()) return ErrorReply(address.status());
  api::UploadAddress told{.url = address->url, .headers = {}, .valid_s = kValid_s};
  for (const auto& [name, value] : address->headers) told.headers.push_back({name, value});
  http::Reply reply = JsonReply(200, json::ToJson(told));
  reply.fields.emplace_back("Cache-Control", "no-store");
  return reply;
}

http::Reply TakeNow(const UploadParts& with, const RoutesDirectAsked& asked) {
  const Status taken = with.parts.store.blobs().TakeUpload(asked.upload, asked.content);
  if (taken.code() == StatusCode::kNotFound) {
    return ErrorReply(404, "not_sent",
                      "nothing was sent to this file's address, or it was taken already");
  }
  if (taken.code() == StatusCode::kBadData)
    return ErrorReply(422, "wrong_content", taken.message() + "; send it again");
  if (taken.code() == StatusCode::kInvalidArgument)
    return ErrorReply(409, "not_direct", taken.message());
  if (!taken.ok()) return ErrorReply(taken);
  with.uploads.Forget(asked.run, asked.name);
  return AddToRun(with, asked.run, {asked.name, asked.content.sha256, asked.content.bytes});
}

http::Reply Take(const UploadParts& with, WaitingWork& work, const Call& call) {
  const auto looked = Look(with, call);
  if (const auto* refusal = std::get_if<http::Reply>(&looked)) return *refusal;
  const auto& asked = std::get<RoutesDirectAsked>(looked);
  // The answer to an earlier one may have been lost.
  if (asked.is_there)
    return FileReply(200, {asked.name, asked.content.sha256, asked.content.bytes});
  std::shared_ptr<Uploads::Writer> lock = with.uploads.Lock(asked.run, asked.name);
  if (lock == nullptr)
    return ErrorReply(423, "locked", "somebody else is sending this file; ask again");
  return work.Reply({.run = [with, asked, lock] { return TakeNow(with, asked); }, .stop = [] {}},
                    kMostTime);
}

}  // namespace

std::vector<Route> DirectRoutes(Parts& parts, Uploads& uploads, WaitingWork& work,
                                const Limits& limits) {
  const UploadParts with{.parts = parts, .uploads = uploads, .limits = limits};
  return {
      {.method = "POST",
       .pattern = "/api/v1/runs/{id}/direct/{name...}",
       .role = Role::kUpload,
       .answer = [with](const Call& call) { return Address(with, call); },
       .summary = "where a file may be PUT without this server in between; 409 where it may not",
       .takes = &json::FieldsOf<api::DirectUpload>(),
       .gives = &json::FieldsOf<api::UploadAddress>(),
       .most_body = 4096},
      {.method = "POST",
       .pattern = "/api/v1/runs/{id}/sent/{name...}",
       .role = Role::kUpload,
       .answer = [with, &work](const Call& call) { return Take(with, work, call); },
       .summary = "the file was PUT there: it is a file of the run when its content is what was "
                  "said",
       .takes = &json::FieldsOf<api::DirectUpload>(),
       .gives = &json::FieldsOf<api::RunFile>(),
       .statuses = "201",
       .most_body = 4096},
  };
}

}  // namespace rankscope::service
