// Client: the objects of one bucket. It guarantees: an object that it reports as stored is stored
// completely; a request that may succeed later is retried (retry.h); an error names bucket, key,
// status, S3's code and a remedy, and none of the account's keys.
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
  // A larger file is uploaded in parts of at least this size. S3 accepts parts of 5 MiB to 5 GiB,
  // at most 10,000 of them; the last part may be of any size.
  std::uint64_t part_bytes = std::uint64_t{64} << 20;
  int parts_at_once = 4;
};

struct ObjectInfo {
  std::uint64_t bytes = 0;
  std::int64_t stored_s = 0;  // seconds since 1970, on this machine's clock
  // Base64 of its SHA-256, which the store verified on upload; "": the store gives none.
  std::string checksum;
};

// An address at which a client without keys may PUT one object.
struct PutAddress {
  std::string url;
  Pairs headers;  // must be sent with it
};

enum class PutResult : std::uint8_t { kStored, kWasThere };

// Receives an object. If a server cannot resume after an interruption, it sends the object from the
// begin: then Restart is called first.
class ObjectSink {
 public:
  virtual ~ObjectSink() = default;
  virtual Status Restart() = 0;
  virtual Status Write(std::string_view piece) = 0;
};

// Thread-safe; `transport` must outlive it. Keys are complete: the caller adds the place's prefix
// (Place::Key).
//
// Errors: kNotFound for a missing object, kIo for all other errors of the store and its network,
// with a sentence that begins with "s3://". Errors of the caller's files and sinks are passed
// through unchanged.
class Client {
 public:
  Client(Place place, Credentials credentials, Transport& transport, Surroundings surroundings,
         ClientSettings settings = {});

  const Place& place() const { return place_; }

  // Stores the file's `bytes` bytes, whose SHA-256 is `sha256`. If the store supports conditions,
  // an existing object is left unchanged (kWasThere); otherwise it is written again.
  Result<PutResult> PutFile(const std::string& key, const std::string& path, std::uint64_t bytes,
                            std::string_view sha256);
  // Writes the object, and overwrites an existing one.
  Status PutText(const std::string& key, std::string_view text);
  // Reads the whole object sequentially; resumes after an interrupted connection.
  Status Get(const std::string& key, ObjectSink& sink);
  Result<std::string> GetText(const std::string& key);
  Result<ObjectInfo> Head(const std::string& key);
  // For `valid_s` seconds (at most 604,800), anyone with the address may store an object of this
  // size, any number of times. Its SHA-256 is signed, too: stores with checksum support reject
  // other bytes, and ObjectInfo::checksum tells. Sends no request.
  PutAddress AddressForPut(const std::string& key, std::uint64_t bytes, std::string_view sha256,
                           std::int64_t valid_s) const;
  // Copies within the store. The size limit depends on the store (AWS 5 GiB).
  Status Copy(const std::string& from, const std::string& to);
  // OK if the object does not exist.
  Status Delete(const std::string& key);
  // Updates an object's storage time without sending its content. The size limit depends on the
  // store (AWS 5 GiB).
  Status Touch(const std::string& key);
  // Calls back for every object whose key begins with `prefix`, page by page. A listing may lag
  // behind: its objects may be gone, and existing ones may be missing.
  Status ForEach(const std::string& prefix,
                 const std::function<void(const std::string& key, const ObjectInfo& info)>& visit);
  // Removes the remains of multipart uploads under `prefix` that were begun before `before_s` and
  // never completed. Returns their number.
  Result<std::int64_t> AbortBegunBefore(const std::string& prefix, std::int64_t before_s);

  // Number of requests sent, including retries: for tests that count work.
  std::int64_t requests() const { return requests_; }

 private:
  // A request before signing.
  struct Ask {
    std::string method;
    std::string key;  // "": the bucket itself
    Pairs query = {};
    Pairs headers = {};
    std::string text = {};
    std::optional<FileBody> file = {};
    std::string payload = {};       // the body's SHA-256; "": that of `text`
    std::vector<int> accepts = {};  // statuses besides 2xx that are not errors
    long patience_s = 0;            // as in HttpRequest
    // For a 200 that may contain an error: the root element of a success.
    std::string done = {};
    std::function<void(Pairs& headers)> before_try = {};
    std::function<Status(int status, const Pairs& headers)> on_head = {};
    std::function<Status(std::string_view piece)> on_body = {};
  };
  // The result of a failed try.
  struct Failure {
    Status status;
    bool may_pass = false;
    bool was_skewed = false;  // the clocks differed; now corrected
  };

  Result<HttpAnswer> Send(const Ask& ask);
  std::optional<Failure> FailureOf(const Ask& ask, Outcome& outcome);
  HttpRequest Signed(const Ask& ask) const;
  Status Refused(const Ask& ask, const HttpAnswer& answer, const Refusal& refusal) const;
  std::string Name(const std::string& key) const;
  // The store's time, as far as it is known.
  std::int64_t Now() const { return surroundings_.now_s() + offset_s_; }
  // Converts a time of the store to this machine's clock.
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
  std::atomic<std::int64_t> offset_s_ = 0;     // store's clock minus ours
  std::atomic<bool> takes_conditions_ = true;  // until it reports that it does not support them
  std::atomic<std::int64_t> requests_ = 0;
};

}  // namespace rankscope::s3
