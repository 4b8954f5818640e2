// Client: objects of one bucket. What it promises: an object that it says is there is there as a
// whole; a request that may go well another time is made again (retry.h); an error names bucket,
// key, status, S3's code and a remedy, and no key of the account.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "s3/answers.h"
#include "s3/place.h"
#include "s3/retry.h"
#include "s3/sign.h"
#include "s3/transport.h"

namespace rankscope::s3 {

struct ClientSettings {
  RetrySettings retry;
  // A file above this goes in parts, of at least this size; S3 takes parts of 5 MiB to 5 GiB and
  // 10,000 of them, the last of any size.
  std::uint64_t part_bytes = std::uint64_t{64} << 20;
  int parts_at_once = 4;
};

struct ObjectInfo {
  std::uint64_t bytes = 0;
  std::int64_t stored_s = 0;  // seconds since 1970, by this machine's clock
  // Base64 of its SHA-256, which the store has checked when the object came; "": it says none.
  std::string checksum;
};

// Where somebody without keys may PUT one object.
struct PutAddress {
  std::string url;
  Pairs headers;  // to be sent with it
};

enum class PutResult : std::uint8_t { kStored, kWasThere };

// What an object is read into. A server that does not go on where it was cut off sends it from its
// begin: then Restart is called first.
class ObjectSink {
 public:
  virtual ~ObjectSink() = default;
  virtual Status Restart() = 0;
  virtual Status Write(std::string_view piece) = 0;
};

// Safe for many threads; `transport` outlives it. Keys are whole: the place's prefix is the
// caller's to add (Place::Key).
//
// What can be wrong: kNotFound for an object that is not there, kIo for all else of the store and
// its network, with a sentence that begins with "s3://"; what the caller's files and sinks say goes
// through as it is.
class Client {
 public:
  Client(Place place, Credentials credentials, Transport& transport, Surroundings surroundings,
         ClientSettings settings = {});

  const Place& place() const { return place_; }

  // Stores the file's `bytes` bytes, whose SHA-256 is `sha256`. Where the store knows conditions,
  // an object that is there is left as it is (kWasThere); elsewhere it is written again.
  Result<PutResult> PutFile(const std::string& key, const std::string& path, std::uint64_t bytes,
                            std::string_view sha256);
  // Writes it whatever is there.
  Status PutText(const std::string& key, std::string_view text);
  // All of it, from front to back, going on where a connection was cut off.
  Status Get(const std::string& key, ObjectSink& sink);
  Result<std::string> GetText(const std::string& key);
  Result<ObjectInfo> Head(const std::string& key);
  // For `valid_s` seconds (at most 604,800) whoever has it may store an object of this size, as
  // often as he likes. Its SHA-256 is signed, too: stores that know checksums refuse other bytes,
  // and ObjectInfo::checksum says so. Asks nobody.
  PutAddress AddressForPut(const std::string& key, std::uint64_t bytes, std::string_view sha256,
                           std::int64_t valid_s) const;
  // Within the store. Stores differ in how much they take (AWS 5 GiB).
  Status Copy(const std::string& from, const std::string& to);
  // OK where it is not there.
  Status Delete(const std::string& key);
  // Makes an object as if it was stored now, without sending it. Stores differ in how much they
  // take (AWS 5 GiB).
  Status Touch(const std::string& key);
  // Every object whose key begins with `prefix`, in pages. A listing may lag behind: what it has
  // may be gone, what it lacks may be there.
  Status ForEach(const std::string& prefix,
                 const std::function<void(const std::string& key, const ObjectInfo& info)>& visit);
  // Frees what uploads in parts under `prefix` left that were begun before `before_s` and never
  // ended; the number of them.
  Result<std::int64_t> AbortBegunBefore(const std::string& prefix, std::int64_t before_s);

  // How many requests were sent, retries among them: for tests that count work.
  std::int64_t requests() const { return requests_; }

 private:
  // A request before it is signed.
  struct Ask {
    std::string method;
    std::string key;  // "": the bucket itself
    Pairs query = {};
    Pairs headers = {};
    std::string text = {};
    std::optional<FileBody> file = {};
    std::string payload = {};       // the body's SHA-256; "": of `text`
    std::vector<int> accepts = {};  // statuses beside 2xx that are answers
    long patience_s = 0;            // HttpRequest's
    // Of a 200 that may be an error: its root element when it is none.
    std::string done = {};
    std::function<void(Pairs& headers)> before_try = {};
    std::function<Status(int status, const Pairs& headers)> on_head = {};
    std::function<Status(std::string_view piece)> on_body = {};
  };
  // What came of a try.
  struct Failure {
    Status status;
    bool may_pass = false;
    bool was_skewed = false;  // the clocks differed; they do no longer
  };

  Result<HttpAnswer> Send(const Ask& ask);
  std::optional<Failure> FailureOf(const Ask& ask, Outcome& outcome);
  HttpRequest Signed(const Ask& ask) const;
  Status Refused(const Ask& ask, const HttpAnswer& answer, const Refusal& refusal) const;
  std::string Name(const std::string& key) const;
  // By the clock of the store, as far as it is known.
  std::int64_t Now() const { return surroundings_.now_s() + offset_s_; }
  // A time of the store's in this machine's.
  std::int64_t HereOf(std::int64_t time_s, const HttpAnswer& answer) const;

  Result<PutResult> PutWhole(const std::string& key, const std::string& path, std::uint64_t bytes,
                             std::string_view sha256);
  Result<PutResult> PutParts(const std::string& key, const std::string& path, std::uint64_t bytes);
  Result<std::vector<std::string>> SendParts(const std::string& key, const std::string& id,
                                             const std::string& path, std::uint64_t bytes);
  Status Complete(const std::string& key, const std::string& id,
                  const std::vector<std::string>& tags, std::uint64_t bytes);
  Status Abort(const std::string& key, const std::string& id);

  const Place place_;
  const BaseAddress address_;
  const Credentials credentials_;
  Transport& transport_;
  const Surroundings surroundings_;
  const ClientSettings settings_;
  RetryBudget budget_;
  std::atomic<std::int64_t> offset_s_ = 0;     // of the store's clock from ours
  std::atomic<bool> takes_conditions_ = true;  // until it says that it does not know them
  std::atomic<std::int64_t> requests_ = 0;
};

}  // namespace rankscope::s3
