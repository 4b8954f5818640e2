// Telemetry as JSON lines: into a file that is rotated, or to standard output.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "agent/sinks/sink.h"

namespace rankscope::agent {

struct JsonLinesOptions {
  std::string path;  // "-": standard output
  std::string host;
  std::uint64_t most_bytes = std::uint64_t{64} << 20;  // of a file, before another is begun
  int most_files = 3;  // the one that is written, and PATH.1, PATH.2, ..., the older the higher
};

// {"time":"2026-11-24T06:40:12.345Z","host","source","name","kind","labels":{},"value"}, a line for
// each reading.
std::string JsonLines(const Snapshots& snapshots, std::string_view host);

class JsonLinesSink final : public Sink {
 public:
  explicit JsonLinesSink(JsonLinesOptions options) : options_(std::move(options)) {}
  ~JsonLinesSink() override;

  std::string_view name() const override { return "json"; }
  std::string Encode(const Snapshots& fresh) override { return JsonLines(fresh, options_.host); }
  // kIo: the file cannot be written. The part written before the failure is cut off, so that no
  // line occurs twice; in a pipe it stays.
  Status Send(const std::string& encoded) override;
  void Abort() override { is_aborted_ = true; }

 private:
  Status Open();
  Status Rotate();
  Status Write(const std::string& encoded);

  const JsonLinesOptions options_;
  std::atomic<bool> is_aborted_ = false;
  int file_ = -1;
  std::uint64_t bytes_ = 0;  // of the file
};

}  // namespace rankscope::agent
