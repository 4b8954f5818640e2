// Telemetry by OTLP/HTTP, JSON encoding (opentelemetry.io/docs/specs/otlp): gauges, and cumulative
// monotonic sums with the time from which on they count.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "agent/sinks/sink.h"

namespace rankscope::http {
class Client;
}

namespace rankscope::json {
class Writer;
}

namespace rankscope::agent {

struct OtlpOptions {
  std::string url;  // "http://127.0.0.1:4318": /v1/metrics is added
  std::string token;
  std::string ca_file;
  std::string host;
  std::string version;
  std::int64_t boot_unix_ms = 0;   // from when on counters of the host count
  std::int64_t begin_unix_ms = 0;  // from when on this agent's own do
};

// Makes the bodies. A counter that falls was reset at the reading before. Not thread-safe.
class OtlpEncoder {
 public:
  explicit OtlpEncoder(OtlpOptions options) : options_(std::move(options)) {}
  std::string Encode(const Snapshots& snapshots);

 private:
  struct Counted {
    double value = 0;
    std::int64_t start_unix_ms = 0;
    std::int64_t read_unix_ms = 0;
  };
  std::int64_t StartOf(const Reading& reading, std::int64_t unix_ms);
  void WritePoint(const Reading& reading, std::int64_t unix_ms, json::Writer& writer);

  const OtlpOptions options_;
  std::unordered_map<std::uint64_t, Counted> counted_;  // by hash of name and labels
};

class OtlpSink final : public Sink {
 public:
  explicit OtlpSink(const OtlpOptions& options);
  ~OtlpSink() override;

  std::string_view name() const override { return "otlp"; }
  std::string Encode(const Snapshots& fresh) override;  // packed with gzip
  // According to the specification 429, 502, 503 and 504 may succeed later; other refusals are
  // final.
  Status Send(const std::string& encoded) override;
  void Abort() override;

 private:
  const OtlpOptions options_;
  OtlpEncoder encoder_;
  std::mutex mutex_;  // of who may abort client_
  std::unique_ptr<http::Client> client_;
  bool is_aborted_ = false;
};

}  // namespace rankscope::agent
