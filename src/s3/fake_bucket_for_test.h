// An in-memory bucket behind the transport, for tests. It verifies the signature of every request,
// and fails on demand.
#pragma once

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "s3/digest.h"
#include "s3/place.h"
#include "s3/transport.h"
#include "s3/xml.h"

namespace rankscope::s3 {

inline const Credentials kTestKeys = {"AKIDTEST", "a-secret-that-is-nowhere", ""};
inline const Place kTestPlace = {"traces", "p", "http://store.test:9000", "us-east-1"};

class FakeBucket final : public Transport {
 public:
  struct Object {
    std::string bytes;
    std::int64_t modified_s = 0;
    std::string checksum = {};  // as reported; "": it reports none
  };

  std::int64_t now_s = 1'800'000'000;  // its clock
  std::size_t page = 1000;             // entries per page of lists
  bool knows_conditions = true;
  bool knows_copies = true;
  bool takes_signatures = true;
  // Sees each request first; if it returns a result, that is the answer.
  std::function<std::optional<Outcome>(const HttpRequest& request)> before;
  // Numbers of bytes after which the connection of a GET breaks; each is used once.
  std::vector<std::size_t> cuts;
  std::function<void(std::string& body)> on_get;      // may change the sent body
  std::function<bool(const std::string& key)> hides;  // hides keys from lists

  std::map<std::string, Object> objects;
  std::map<std::string, std::map<int, std::string>> uploads;  // parts by id
  std::vector<std::string> log;                               // "PUT /traces/p/key?query"

  static Outcome Answer(int status, std::string body = "", Pairs headers = {}) {
    Outcome outcome;
    outcome.answer = {.status = status, .headers = std::move(headers), .body = std::move(body)};
    return outcome;
  }
  static Outcome Refuse(int status, const std::string& code) {
    return Answer(status, "<Error><Code>" + code + "</Code><Message>as told</Message></Error>");
  }
  static Outcome Break() {
    return {Outcome::Kind::kBroken, Error(StatusCode::kIo, "connection reset"), {}};
  }

  Outcome Send(const HttpRequest& request) override {
    const std::scoped_lock lock(mutex_);
    const std::string rest = request.url.substr(request.url.find('/', 8));
    log.push_back(request.method + " " + rest);
    if (before) {
      if (auto outcome = before(request)) return Dated(*std::move(outcome));
    }
    if (!takes_signatures || !IsSigned(request, rest))
      return Dated(Refuse(403, "SignatureDoesNotMatch"));
    return Dated(Handle(request, rest));
  }

  std::size_t Count(const std::string& begin) const {
    const std::scoped_lock lock(mutex_);
    return static_cast<std::size_t>(std::ranges::count_if(
        log, [&](const std::string& line) { return line.starts_with(begin); }));
  }

 private:
  static std::string Decode(std::string_view text) {
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
      unsigned byte = 0;
      if (text[i] != '%' || i + 2 >= text.size()) {
        decoded += text[i];
        continue;
      }
      std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16);
      decoded += static_cast<char>(byte);
      i += 2;
    }
    return decoded;
  }
  static Pairs QueryOf(const std::string& rest) {
    Pairs query;
    std::size_t at = rest.find('?');
    while (at != std::string::npos) {
      const std::size_t end = rest.find('&', at + 1);
      const std::string pair =
          rest.substr(at + 1, end == std::string::npos ? std::string::npos : end - at - 1);
      const std::size_t equals = pair.find('=');
      query.emplace_back(Decode(pair.substr(0, equals)), Decode(pair.substr(equals + 1)));
      at = end;
    }
    return query;
  }
  static std::string PathOf(const std::string& rest) {
    return Decode(rest.substr(0, rest.find('?')));
  }
  static std::string Find(const Pairs& pairs, std::string_view name) {
    for (const auto& [one, value] : pairs) {
      if (one == name) return value;
    }
    return "";
  }
  static bool Has(const Pairs& pairs, std::string_view name) {
    return std::ranges::any_of(pairs, [&](const auto& pair) { return pair.first == name; });
  }

  static std::string BodyOf(const HttpRequest& request) {
    if (!request.file) return request.text;
    const auto text = ReadFile(request.file->path);
    return text.ok() ? text->substr(request.file->offset, request.file->bytes) : "";
  }

  // The reverse direction: rebuilds the signed text from the received request.
  static bool IsSigned(const HttpRequest& request, const std::string& rest) {
    Signable signable{.method = request.method,
                      .host = kTestPlace.endpoint.substr(7),
                      .path = PathOf(rest),
                      .query = QueryOf(rest),
                      .headers = {},
                      .payload = Find(request.headers, "x-amz-content-sha256")};
    if (signable.payload != HexSha256(BodyOf(request))) return false;
    for (const auto& header : request.headers) {
      if (header.first != "authorization") signable.headers.push_back(header);
    }
    const std::string time = Find(request.headers, "x-amz-date");
    const std::string text = StringToSign(time, kTestPlace.region, CanonicalRequest(signable));
    const std::string signature =
        Hex(HmacSha256(SigningKey(kTestKeys.secret, time.substr(0, 8), kTestPlace.region), text));
    return Find(request.headers, "authorization").ends_with("Signature=" + signature);
  }

  Outcome Dated(Outcome outcome) const {
    if (outcome.kind != Outcome::Kind::kAnswered) return outcome;
    if (outcome.answer.Header("date").empty())
      outcome.answer.headers.emplace_back("date", HttpTime(now_s));
    return outcome;
  }
  static std::string HttpTime(std::int64_t seconds) {
    const std::time_t time = seconds;
    std::tm parts{};
    gmtime_r(&time, &parts);
    char text[64];
    return {text, std::strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &parts)};
  }
  static std::string IsoTime(std::int64_t seconds) {
    const std::string text = SigningTime(seconds);
    return text.substr(0, 4) + "-" + text.substr(4, 2) + "-" + text.substr(6, 5) + ":" +
           text.substr(11, 2) + ":" + text.substr(13, 2) + ".000Z";
  }

  Outcome Handle(const HttpRequest& request, const std::string& rest) {
    const std::string path = PathOf(rest);
    const Pairs query = QueryOf(rest);
    const std::string bucket = "/" + kTestPlace.bucket + "/";
    if (!path.starts_with(bucket)) return Refuse(404, "NoSuchBucket");
    const std::string key = path.substr(bucket.size());
    if (key.empty()) return Has(query, "uploads") ? ListUploads() : List(query);
    if (request.method == "POST") return Parts(request, key, query);
    if (request.method == "PUT") return Put(request, key, query);
    if (request.method == "DELETE") {
      if (Has(query, "uploadId")) {
        uploads.erase(Find(query, "uploadId"));
      } else {
        objects.erase(key);
      }
      return Answer(204);
    }
    const auto object = objects.find(key);
    if (object == objects.end())
      return request.method == "HEAD" ? Answer(404) : Refuse(404, "NoSuchKey");
    return request.method == "HEAD" ? HeadOf(object->second) : Get(request, object->second);
  }

  static Outcome HeadOf(const Object& object) {
    return Answer(200, "",
                  {{"content-length", std::to_string(object.bytes.size())},
                   {"last-modified", HttpTime(object.modified_s)},
                   {"x-amz-checksum-sha256", object.checksum}});
  }

  Outcome Get(const HttpRequest& request, const Object& object) {
    std::string body = object.bytes;
    if (on_get) on_get(body);
    const std::string range = Find(request.headers, "range");
    Pairs headers;
    int status = 200;
    if (!range.empty()) {
      const std::size_t from = std::stoull(range.substr(6));
      if (from >= body.size()) return Refuse(416, "InvalidRange");
      headers = {{"content-range", "bytes " + std::to_string(from) + "-"}};
      body = body.substr(from);
      status = 206;
    }
    bool is_cut = false;
    if (!cuts.empty()) {
      is_cut = cuts.front() < body.size();
      body = body.substr(0, cuts.front());
      cuts.erase(cuts.begin());
    }
    Status taken = request.on_head ? request.on_head(status, headers) : OkStatus();
    if (taken.ok() && request.on_body) taken = request.on_body(body);
    if (!taken.ok()) return {Outcome::Kind::kStopped, taken, {}};
    return is_cut ? Break() : Answer(status, "", headers);
  }

  Outcome Put(const HttpRequest& request, const std::string& key, const Pairs& query) {
    if (Has(request.headers, "x-amz-copy-source")) {
      if (!knows_copies) return Refuse(501, "NotImplemented");
      const std::string from = Decode(Find(request.headers, "x-amz-copy-source"));
      const auto object = objects.find(from.substr(("/" + kTestPlace.bucket + "/").size()));
      if (object == objects.end()) return Refuse(404, "NoSuchKey");
      const Object copy{object->second.bytes, now_s, object->second.checksum};
      objects[key] = copy;
      return Answer(200, "<CopyObjectResult><ETag>x</ETag></CopyObjectResult>");
    }
    const std::string body = BodyOf(request);
    if (Has(query, "uploadId")) {
      const auto upload = uploads.find(Find(query, "uploadId"));
      if (upload == uploads.end()) return Refuse(404, "NoSuchUpload");
      upload->second[std::stoi(Find(query, "partNumber"))] = body;
      return Answer(200, "", {{"etag", "\"" + HexSha256(body).substr(0, 32) + "\""}});
    }
    if (Has(request.headers, "if-none-match")) {
      if (!knows_conditions) return Refuse(501, "NotImplemented");
      if (objects.contains(key)) return Refuse(412, "PreconditionFailed");
    }
    objects[key] = {body, now_s};
    return Answer(200);
  }

  Outcome Parts(const HttpRequest& request, const std::string& key, const Pairs& query) {
    if (Has(query, "uploads")) {
      const std::string id = "upload-" + std::to_string(++last_upload_);
      uploads[id] = {};
      begun_[id] = {key, now_s};
      return Answer(200, "<InitiateMultipartUploadResult><UploadId>" + id +
                             "</UploadId></InitiateMultipartUploadResult>");
    }
    const auto upload = uploads.find(Find(query, "uploadId"));
    if (upload == uploads.end()) return Refuse(404, "NoSuchUpload");
    const auto list = ParseXml(request.text);
    if (!list.ok() || list->children.size() != upload->second.size())
      return Refuse(400, "InvalidPart");
    std::string whole;
    int number = 0;
    for (const auto& [part, bytes] : upload->second) {
      const XmlElement& said = list->children[static_cast<std::size_t>(number)];
      if (part != ++number || said.TextOf("ETag") != "\"" + HexSha256(bytes).substr(0, 32) + "\"")
        return Refuse(400, "InvalidPart");
      whole += bytes;
    }
    objects[key] = {whole, now_s};
    uploads.erase(upload);
    return Answer(200,
                  "<CompleteMultipartUploadResult><ETag>x</ETag>"
                  "</CompleteMultipartUploadResult>");
  }

  Outcome List(const Pairs& query) const {
    const std::string prefix = Find(query, "prefix"), after = Find(query, "continuation-token");
    std::string xml = "<ListBucketResult>";
    std::size_t count = 0;
    std::string last;
    for (const auto& [key, object] : objects) {
      if (!key.starts_with(prefix) || key <= after || (hides && hides(key))) continue;
      if (count++ == page) {
        xml += "<IsTruncated>true</IsTruncated><NextContinuationToken>" + last +
               "</NextContinuationToken>";
        break;
      }
      last = key;
      xml += "<Contents><Key>" + XmlEscaped(key) + "</Key><LastModified>" +
             IsoTime(object.modified_s) + "</LastModified><Size>" +
             std::to_string(object.bytes.size()) + "</Size></Contents>";
    }
    return Answer(200, xml + "</ListBucketResult>");
  }

  Outcome ListUploads() const {
    std::string xml = "<ListMultipartUploadsResult>";
    for (const auto& [id, parts] : uploads) {
      const auto& [key, begun_s] = begun_.at(id);
      xml += "<Upload><Key>" + key + "</Key><UploadId>" + id + "</UploadId><Initiated>" +
             IsoTime(begun_s) + "</Initiated></Upload>";
    }
    return Answer(200, xml + "</ListMultipartUploadsResult>");
  }

  mutable std::mutex mutex_;
  int last_upload_ = 0;
  std::map<std::string, std::pair<std::string, std::int64_t>> begun_;
};

}  // namespace rankscope::s3
