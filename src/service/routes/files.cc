// Files of a run: what has come, how far one is, and a file itself.
#include <algorithm>

#include "api/run.h"
#include "service/processes/commands.h"
#include "service/requests/page.h"
#include "service/requests/reply.h"
#include "service/routes/routes.h"
#include "service/runs/runs.h"
#include "service/runs/upload.h"
#include "service/runs/uploads.h"
#include "store/sha256.h"

namespace rankscope::service {
namespace {

using store::Run;

http::Reply ListFiles(const Parts& parts, const Call& call) {
  const auto found = LookAtRun(parts, call.who, call.arguments[0]);
  if (!found.ok()) return ErrorReply(found.status());
  const Run& run = **found;
  api::RunFileList list;
  for (const store::RunFile& file : run.files)
    list.files.push_back({.name = file.name, .bytes = file.bytes, .sha256 = file.sha256});
  return JsonReply(200, json::ToJson(list));
}

http::Reply Offset(const Parts& parts, const Uploads& uploads, const Call& call) {
  const auto found = LookAtRun(parts, call.who, call.arguments[0]);
  if (!found.ok()) return ErrorReply(found.status());
  const Run& run = **found;
  const std::string& name = call.arguments[1];
  const auto file = std::ranges::find(run.files, name, &store::RunFile::name);
  const std::uint64_t part = uploads.Offset(run.id, name);
  http::Reply reply;
  reply.status = 204;
  // A file that was begun again is the one that is asked for.
  const bool is_complete = file != run.files.end() && part == 0;
  reply.fields = {{"Upload-Offset", std::to_string(is_complete ? file->bytes : part)},
                  {"Upload-Complete", is_complete ? "?1" : "?0"},
                  {"Cache-Control", "no-store"}};
  return reply;
}

// What is left of a name in Content-Disposition: letters that need no escape.
std::string SafeName(std::string_view name) {
  name = name.substr(name.rfind('/') + 1);
  std::string safe;
  for (const char c : name) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                          (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '_';
    safe += is_plain ? c : '_';
  }
  return safe;
}

// Whether what is sent is what its name says.
class HashCheck final : public http::ContentCheck {
 public:
  explicit HashCheck(std::string sha256) : wanted_(std::move(sha256)) {}
  void See(std::string_view piece) override { sum_.Add(piece); }
  bool IsGood() override { return sum_.Hex() == wanted_; }

 private:
  const std::string wanted_;
  store::Sha256 sum_;
};

http::Reply GetFiles(const Parts& parts, Commands& commands, const Call& call) {
  const auto found = LookAtRun(parts, call.who, call.arguments[0]);
  if (!found.ok()) return ErrorReply(found.status());
  const Run& run = **found;
  const std::string& name = call.arguments[1];
  const auto file = std::ranges::find(run.files, name, &store::RunFile::name);
  if (file == run.files.end())
    return ErrorReply(404, "not_found", fmt::format("the run has no file '{}'", name));
  // Never shown in place: what a trace holds runs nowhere.
  http::Fields fields = {
      {"Content-Disposition", fmt::format("attachment; filename=\"{}\"", SafeName(name))},
      {"Content-Security-Policy", "sandbox; default-src 'none'"}};
  const std::string_view from_ns = call.Query("from_ns");
  const std::string_view to_ns = call.Query("to_ns");
  if (!from_ns.empty() || !to_ns.empty())
    return commands.Window(run, *file, from_ns, to_ns, std::move(fields));
  // A part of it is sent when all of it was looked at; the whole while it is.
  const bool is_part = http::Find(call.head.fields, "range").has_value();
  const auto hold = parts.store.blobs().Hold({file->sha256});
  const Result<std::string> path = is_part ? parts.store.blobs().VerifiedPathOf(file->sha256)
                                           : parts.store.blobs().PathOf(file->sha256);
  if (!path.ok()) return DamagedReply(path.status());
  http::Reply reply =
      ContentReply(call.head, *path, file->bytes, file->sha256, "application/octet-stream");
  if (auto* const part = std::get_if<http::FilePart>(&reply.body); part != nullptr) {
    if (!is_part) part->check = std::make_shared<HashCheck>(file->sha256);
    part->keep = std::const_pointer_cast<void>(hold);
  }
  reply.fields.insert(reply.fields.end(), fields.begin(), fields.end());
  return reply;
}

}  // namespace

std::vector<Route> FileRoutes(Parts& parts, Uploads& uploads, Commands& commands,
                              const Limits& limits) {
  const auto upload = [&parts, &uploads, limits](const Call& call) {
    return BeginUpload({.parts = parts, .uploads = uploads, .limits = limits}, call);
  };
  constexpr std::string_view kPattern = "/api/v1/runs/{id}/files/{name...}";
  return {
      {.method = "GET",
       .pattern = "/api/v1/runs/{id}/files",
       .answer = With(ListFiles, parts),
       .summary = "the files that have come, with sizes and SHA-256",
       .gives = &json::FieldsOf<api::RunFileList>()},
      {.method = "PUT",
       .pattern = kPattern,
       .role = Role::kUpload,
       .receive = upload,
       .summary = "a whole file",
       .parameters = {{"X-Content-SHA256", "header", "string",
                       "of the file: what came otherwise is refused"}},
       .gives = &json::FieldsOf<api::RunFile>(),
       .statuses = "201"},
      {.method = "PATCH",
       .pattern = kPattern,
       .role = Role::kUpload,
       .receive = upload,
       .summary = "a part of a file, where the last one ended",
       .parameters = {{"Upload-Offset", "header", "integer", "the place of its first byte"},
                      {"Upload-Complete", "header", "string",
                       "?1: this is the last; ?0: it is not"}},
       .statuses = "204"},
      {.method = "HEAD",
       .pattern = kPattern,
       .answer = With(Offset, parts, uploads),
       .summary = "how much of a file has come: Upload-Offset, Upload-Complete",
       .statuses = "204"},
      {.method = "GET",
       .pattern = kPattern,
       .answer = With(GetFiles, parts, commands),
       .summary = "a file; with from_ns or to_ns what happened in that time, as a trace",
       .parameters = {{"from_ns", "query", "integer", "relative to the job's origin"},
                      {"to_ns", "query", "integer", "relative to the job's origin"}},
       .sends = {"application/octet-stream"}},
  };
}

}  // namespace rankscope::service
