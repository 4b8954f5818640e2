#include "s3/client.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>

#include "base/parallel.h"
#include "s3/digest.h"
#include "s3/xml.h"

namespace rankscope::s3 {
namespace {

constexpr std::uint64_t kMostParts = 10'000;
// Stores take requests that are up to a quarter of an hour old.
constexpr std::int64_t kMostSkew_s = 600;
// A store puts parts together, or copies, while the request waits.
constexpr long kPatience_s = 600;
constexpr std::string_view kChecksum = "x-amz-checksum-sha256";
constexpr std::size_t kMostTextBytes = std::size_t{1} << 20;

// What to do about it; S3's codes, and statuses of answers without one.
std::string_view RemedyOf(int status, std::string_view code) {
  if (code == "SignatureDoesNotMatch")
    return "check AWS_SECRET_ACCESS_KEY, and that no proxy changes requests";
  if (code == "InvalidAccessKeyId") return "check AWS_ACCESS_KEY_ID";
  if (code == "ExpiredToken" || code == "InvalidToken")
    return "AWS_SESSION_TOKEN is no longer good: get new keys";
  if (code == "RequestTimeTooSkewed") return "set this machine's clock";
  if (code == "NoSuchBucket") return "make the bucket, or correct its name";
  if (code == "AuthorizationHeaderMalformed" || status == 301 || status == 307)
    return "the bucket is elsewhere: check --s3-region and --s3-endpoint";
  if (status == 401 || status == 403)
    return "check the keys, and that they may do this (docs/s3.md has what they need)";
  if (status == 507 || code == "QuotaExceeded") return "the store is full: make room in it";
  if (MayPass(status, code)) return "the store is overloaded or away: try again later";
  return "check --s3-endpoint: it may be none of S3";
}

bool IsConflict(int status) { return status == 409; }

std::string PartList(const std::vector<std::string>& tags) {
  std::string text = "<CompleteMultipartUpload>";
  for (std::size_t i = 0; i < tags.size(); ++i) {
    text += fmt::format("<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>", i + 1,
                        XmlEscaped(tags[i]));
  }
  return text + "</CompleteMultipartUpload>";
}

}  // namespace

Client::Client(Place place, Credentials credentials, Transport& transport,
               Surroundings surroundings, ClientSettings settings)
    : place_(std::move(place)),
      address_(AddressOf(place_)),
      credentials_(std::move(credentials)),
      transport_(transport),
      surroundings_(std::move(surroundings)),
      settings_(settings),
      budget_(settings.retry) {}

std::string Client::Name(const std::string& key) const {
  return key.empty() ? fmt::format("s3://{}", place_.bucket)
                     : fmt::format("s3://{}/{}", place_.bucket, key);
}

HttpRequest Client::Signed(const Ask& ask) const {
  Signable signable{.method = ask.method,
                    .host = address_.host,
                    .path = fmt::format("{}/{}", address_.path_prefix, ask.key),
                    .query = ask.query,
                    .headers = ask.headers,
                    .payload = ask.payload.empty() ? HexSha256(ask.text) : ask.payload};
  if (ask.before_try) ask.before_try(signable.headers);
  HttpRequest request{
      .method = ask.method,
      .url = fmt::format("{}://{}{}", address_.scheme, address_.host, EncodePath(signable.path)),
      .headers = SignedHeaders(signable, credentials_, place_.region, Now()),
      .text = ask.text,
      .file = ask.file,
      .on_head = ask.on_head,
      .on_body = ask.on_body};
  if (!ask.query.empty()) request.url += "?" + CanonicalQuery(ask.query);
  return request;
}

Status Client::Refused(const Ask& ask, const HttpAnswer& answer, const Refusal& refusal) const {
  const bool is_missing = answer.status == 404 && !ask.key.empty() &&
                          (refusal.code.empty() || refusal.code == "NoSuchKey");
  if (is_missing)
    return Error(StatusCode::kNotFound, "{}: the store has no such object", Name(ask.key));
  std::string said = fmt::format("{}", answer.status);
  if (!refusal.code.empty()) said += " " + refusal.code;
  if (!refusal.message.empty()) said += fmt::format(" ({})", refusal.message);
  return Error(StatusCode::kIo, "{}: {} was answered by {}: {}", Name(ask.key), ask.method, said,
               RemedyOf(answer.status, refusal.code));
}

// nullopt: it went well.
std::optional<Client::Failure> Client::FailureOf(const Ask& ask, Outcome& outcome) {
  switch (outcome.kind) {
    case Outcome::Kind::kStopped:
      return Failure{.status = std::move(outcome.why)};
    case Outcome::Kind::kRefused:
      // Of our own file it says so itself.
      if (ask.file && outcome.why.message().starts_with(ask.file->path))
        return Failure{.status = std::move(outcome.why)};
      return Failure{.status = Error(StatusCode::kIo,
                                     "{}: {}: {}: check --s3-endpoint and the "
                                     "authorities of its certificate "
                                     "(AWS_CA_BUNDLE)",
                                     Name(ask.key), address_.host, outcome.why.message())};
    case Outcome::Kind::kBroken:
      return Failure{
          .status = Error(StatusCode::kIo,
                          "{}: {}://{} does not answer ({}): check --s3-endpoint and "
                          "the network, or try again later",
                          Name(ask.key), address_.scheme, address_.host, outcome.why.message()),
          .may_pass = true};
    case Outcome::Kind::kAnswered:
      break;
  }
  HttpAnswer& answer = outcome.answer;
  if (std::ranges::find(ask.accepts, answer.status) != ask.accepts.end()) return std::nullopt;
  Refusal refusal;
  int status = answer.status;
  if (status >= 200 && status < 300) {
    if (ask.done.empty()) return std::nullopt;
    const auto refused = ReadDone(answer.body, ask.done);
    if (!refused) return std::nullopt;
    // Errors come with 200 where the store began to answer before it knew.
    refusal = *refused;
    status = 500;
  } else {
    refusal = ReadRefusal(answer.body);
  }
  // The answer to HEAD has no body to say so.
  const auto there_s = ParseHttpTime(answer.Header("date"));
  const bool is_skewed =
      refusal.code == "RequestTimeTooSkewed" || (ask.method == "HEAD" && status == 403 && there_s &&
                                                 std::abs(*there_s - Now()) > kMostSkew_s);
  if (is_skewed && there_s) {
    offset_s_ = *there_s - surroundings_.now_s();
    return Failure{.status = Refused(ask, answer, refusal), .was_skewed = true};
  }
  const bool may_pass = MayPass(status, refusal.code) || IsConflict(status);
  return Failure{.status = Refused(ask, answer, refusal), .may_pass = may_pass};
}

Result<HttpAnswer> Client::Send(const Ask& ask) {
  budget_.OnRequest();
  bool is_corrected = false;
  for (int failed = 0;;) {
    ++requests_;
    Outcome outcome = transport_.Send(Signed(ask));
    std::optional<Failure> failure = FailureOf(ask, outcome);
    if (!failure) return std::move(outcome.answer);
    if (failure->was_skewed && !std::exchange(is_corrected, true)) continue;
    if (!failure->may_pass || ++failed >= settings_.retry.tries || !budget_.TakeRetry())
      return std::move(failure->status);
    surroundings_.sleep(Delay(settings_.retry, failed - 1, surroundings_.random()));
  }
}

std::int64_t Client::HereOf(std::int64_t time_s, const HttpAnswer& answer) const {
  const std::int64_t now_s = surroundings_.now_s();
  return time_s + now_s - ParseHttpTime(answer.Header("date")).value_or(now_s);
}

Status Client::PutText(const std::string& key, std::string_view text) {
  return Send({.method = "PUT", .key = key, .text = std::string(text)}).status();
}

Result<PutResult> Client::PutFile(const std::string& key, const std::string& path,
                                  std::uint64_t bytes, std::string_view sha256) {
  return bytes <= settings_.part_bytes ? PutWhole(key, path, bytes, sha256)
                                       : PutParts(key, path, bytes);
}

Result<PutResult> Client::PutWhole(const std::string& key, const std::string& path,
                                   std::uint64_t bytes, std::string_view sha256) {
  Ask ask{.method = "PUT",
          .key = key,
          .file = FileBody{path, 0, bytes},
          .payload = std::string(sha256)};
  if (takes_conditions_) {
    ask.headers = {{"if-none-match", "*"}};
    // 304 is how some stores say 412, and 501 that they know no conditions.
    ask.accepts = {412, 304, 501};
    RS_ASSIGN_OR_RETURN(const HttpAnswer answer, Send(ask));
    if (answer.status == 412 || answer.status == 304) return PutResult::kWasThere;
    if (answer.status != 501) return PutResult::kStored;
    takes_conditions_ = false;
    ask.headers.clear();
    ask.accepts.clear();
  }
  RS_RETURN_IF_ERROR(Send(ask).status());
  return PutResult::kStored;
}

Result<PutResult> Client::PutParts(const std::string& key, const std::string& path,
                                   std::uint64_t bytes) {
  RS_ASSIGN_OR_RETURN(const HttpAnswer begun,
                      Send({.method = "POST", .key = key, .query = {{"uploads", ""}}}));
  const auto id = ReadUploadId(begun.body);
  if (!id.ok())
    return Error(StatusCode::kIo, "{}: an upload in parts was not begun: {}", Name(key),
                 id.status().message());
  const auto tags = SendParts(key, *id, path, bytes);
  const Status done = tags.ok() ? Complete(key, *id, *tags, bytes) : tags.status();
  if (done.ok()) return PutResult::kStored;
  // What came costs room until it is aborted. If that fails, too, gc or the bucket's rule does it.
  (void)Abort(key, *id).ok();
  return done;
}

Result<std::vector<std::string>> Client::SendParts(const std::string& key, const std::string& id,
                                                   const std::string& path, std::uint64_t bytes) {
  const std::uint64_t least = (bytes + kMostParts - 1) / kMostParts;
  const std::uint64_t part_bytes = std::max(settings_.part_bytes, least);
  const std::uint64_t count = (bytes + part_bytes - 1) / part_bytes;
  std::vector<std::string> tags(count);
  std::mutex mutex;
  Status first;
  ParallelFor(count, settings_.parts_at_once, [&](std::size_t i) {
    {
      const std::scoped_lock lock(mutex);
      if (!first.ok()) return;  // the rest is for nothing
    }
    const FileBody part{path, i * part_bytes, std::min(part_bytes, bytes - i * part_bytes)};
    const auto send = [&]() -> Status {
      RS_ASSIGN_OR_RETURN(const std::string sha256, HexSha256OfPart(path, part.offset, part.bytes));
      RS_ASSIGN_OR_RETURN(const HttpAnswer answer,
                          Send({.method = "PUT",
                                .key = key,
                                .query = {{"partNumber", std::to_string(i + 1)}, {"uploadId", id}},
                                .file = part,
                                .payload = sha256}));
      tags[i] = answer.Header("etag");
      if (!tags[i].empty()) return OkStatus();
      return Error(StatusCode::kIo, "{}: part {} was answered without an ETag: {}", Name(key),
                   i + 1, RemedyOf(0, ""));
    };
    Status sent = send();
    const std::scoped_lock lock(mutex);
    if (first.ok()) first = std::move(sent);
  });
  if (!first.ok()) return first;
  return tags;
}

Status Client::Complete(const std::string& key, const std::string& id,
                        const std::vector<std::string>& tags, std::uint64_t bytes) {
  // Of an upload that was completed by a try whose answer was lost there is none any more (404);
  // the object says what came of it.
  const auto answer = Send({.method = "POST",
                            .key = key,
                            .query = {{"uploadId", id}},
                            .text = PartList(tags),
                            .accepts = {404},
                            .patience_s = kPatience_s,
                            .done = "CompleteMultipartUploadResult"});
  if (!answer.ok()) return answer.status();
  const auto info = Head(key);
  if (info.ok() && info->bytes == bytes) return OkStatus();
  if (!info.ok() && info.status().code() != StatusCode::kNotFound) return info.status();
  return Error(StatusCode::kIo, "{}: it has {} bytes after {} were sent: try again later",
               Name(key), info.ok() ? info->bytes : 0, bytes);
}

Status Client::Abort(const std::string& key, const std::string& id) {
  return Send({.method = "DELETE", .key = key, .query = {{"uploadId", id}}, .accepts = {404}})
      .status();
}

Status Client::Get(const std::string& key, ObjectSink& sink) {
  std::uint64_t offset = 0;
  std::string tag;
  Ask ask{.method = "GET", .key = key, .payload = std::string(kEmptySha256)};
  ask.before_try = [&](Pairs& headers) {
    if (offset > 0) headers.emplace_back("range", fmt::format("bytes={}-", offset));
  };
  ask.on_head = [&](int status, const Pairs& headers) -> Status {
    if (offset == 0) return OkStatus();
    if (status == 206) {
      const HttpAnswer head{.status = status, .headers = headers, .body = {}};
      const std::string from = fmt::format("bytes {}-", offset);
      if (head.Header("content-range").starts_with(from)) return OkStatus();
      return Error(StatusCode::kIo, "{}: another range came than was asked for: {}", Name(key),
                   RemedyOf(0, ""));
    }
    offset = 0;
    return sink.Restart();
  };
  ask.on_body = [&](std::string_view piece) {
    offset += piece.size();
    return sink.Write(piece);
  };
  // 416: it was cut off behind its last byte.
  ask.accepts = {416};
  RS_ASSIGN_OR_RETURN(const HttpAnswer answer, Send(ask));
  if (answer.status != 416 || offset > 0) return OkStatus();
  return Error(StatusCode::kIo, "{}: GET was answered by 416: {}", Name(key), RemedyOf(416, ""));
}

Result<std::string> Client::GetText(const std::string& key) {
  class Text final : public ObjectSink {
   public:
    Status Restart() override {
      text.clear();
      return OkStatus();
    }
    Status Write(std::string_view piece) override {
      if (text.size() + piece.size() > kMostTextBytes)
        return Error(StatusCode::kBadData, "an object of over {} bytes", kMostTextBytes);
      text += piece;
      return OkStatus();
    }
    std::string text;
  };
  Text sink;
  RS_RETURN_IF_ERROR(Get(key, sink));
  return std::move(sink.text);
}

Result<ObjectInfo> Client::Head(const std::string& key) {
  // Stores that know no checksums pass the question over.
  RS_ASSIGN_OR_RETURN(
      const HttpAnswer answer,
      Send({.method = "HEAD", .key = key, .headers = {{"x-amz-checksum-mode", "ENABLED"}}}));
  ObjectInfo info;
  const std::string_view bytes = answer.Header("content-length");
  const bool is_number = !bytes.empty() && bytes.size() < 20 &&
                         bytes.find_first_not_of("0123456789") == std::string_view::npos;
  const auto stored_s = ParseHttpTime(answer.Header("last-modified"));
  if (!is_number || !stored_s) {
    return Error(StatusCode::kIo, "{}: HEAD was answered without a size or a time: {}", Name(key),
                 RemedyOf(0, ""));
  }
  info.bytes = std::stoull(std::string(bytes));
  info.stored_s = HereOf(*stored_s, answer);
  info.checksum = answer.Header(kChecksum);
  return info;
}

Status Client::Delete(const std::string& key) {
  return Send({.method = "DELETE", .key = key, .accepts = {404}}).status();
}

PutAddress Client::AddressForPut(const std::string& key, std::uint64_t bytes,
                                 std::string_view sha256, std::int64_t valid_s) const {
  PutAddress address{.url = {}, .headers = {{std::string(kChecksum), Base64OfHex(sha256)}}};
  Signable signable{.method = "PUT",
                    .host = address_.host,
                    .path = fmt::format("{}/{}", address_.path_prefix, key),
                    .query = {},
                    .headers = address.headers,
                    .payload = {}};
  signable.headers.emplace_back("content-length", std::to_string(bytes));
  address.url =
      fmt::format("{}://{}{}?{}", address_.scheme, address_.host, EncodePath(signable.path),
                  PresignedQuery(signable, credentials_, place_.region, Now(), valid_s));
  return address;
}

Status Client::Touch(const std::string& key) { return Copy(key, key); }

Status Client::Copy(const std::string& from, const std::string& to) {
  return Send({.method = "PUT",
               .key = to,
               .headers = {{"x-amz-copy-source",
                            EncodePath(fmt::format("/{}/{}", place_.bucket, from))},
                           {"x-amz-metadata-directive", "REPLACE"}},
               .patience_s = kPatience_s,
               .done = "CopyObjectResult"})
      .status();
}

Status Client::ForEach(
    const std::string& prefix,
    const std::function<void(const std::string& key, const ObjectInfo& info)>& visit) {
  std::string next;
  do {
    Ask ask{.method = "GET", .key = "", .query = {{"list-type", "2"}, {"prefix", prefix}}};
    if (!next.empty()) ask.query.emplace_back("continuation-token", next);
    RS_ASSIGN_OR_RETURN(const HttpAnswer answer, Send(ask));
    const auto page = ReadListPage(answer.body);
    if (!page.ok()) {
      return Error(StatusCode::kIo, "{}: its list cannot be read: {}: {}", Name(""),
                   page.status().message(), RemedyOf(0, ""));
    }
    for (const Listed& object : page->objects)
      visit(object.key, {object.bytes, HereOf(object.modified_s, answer)});
    if (page->next == next && !next.empty()) {
      return Error(StatusCode::kIo, "{}: its list goes on where it was: {}", Name(""),
                   RemedyOf(0, ""));
    }
    next = page->next;
  } while (!next.empty());
  return OkStatus();
}

Result<std::int64_t> Client::AbortBegunBefore(const std::string& prefix, std::int64_t before_s) {
  std::vector<BegunUpload> old;
  UploadsPage page;
  do {
    Ask ask{.method = "GET", .key = "", .query = {{"uploads", ""}, {"prefix", prefix}}};
    ask.accepts = {501};
    if (!page.next_key.empty()) {
      ask.query.emplace_back("key-marker", page.next_key);
      ask.query.emplace_back("upload-id-marker", page.next_id);
    }
    RS_ASSIGN_OR_RETURN(const HttpAnswer answer, Send(ask));
    if (answer.status == 501) return 0;  // its own rule sees to them
    auto read = ReadUploadsPage(answer.body);
    if (!read.ok()) {
      return Error(StatusCode::kIo, "{}: its list of uploads cannot be read: {}: {}", Name(""),
                   read.status().message(), RemedyOf(0, ""));
    }
    const bool goes_on = read->next_key != page.next_key || read->next_id != page.next_id;
    page = *std::move(read);
    for (const BegunUpload& upload : page.uploads) {
      if (upload.key.starts_with(prefix) && HereOf(upload.begun_s, answer) < before_s)
        old.push_back(upload);
    }
    if (!goes_on) break;
  } while (!page.next_key.empty());
  for (const BegunUpload& upload : old) RS_RETURN_IF_ERROR(Abort(upload.key, upload.id));
  return static_cast<std::int64_t>(old.size());
}

}  // namespace rankscope::s3
