#include "agent/sinks/json_lines.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>

#include "agent/telemetry/query.h"
#include "json/writer.h"

namespace rankscope::agent {
namespace {

constexpr int kPollMs = 200;
constexpr std::size_t kFilePiece = std::size_t{1} << 20;

}  // namespace

std::string JsonLines(const Snapshots& snapshots, std::string_view host) {
  std::string lines;
  std::size_t readings = 0;
  for (const auto& snapshot : snapshots) readings += snapshot->readings.size();
  constexpr std::size_t kBytesOfLine = 200;
  lines.reserve(readings * kBytesOfLine);
  for (const auto& snapshot : snapshots) {
    const std::string seconds = UtcText(snapshot->unix_ms);
    const std::string time =
        fmt::format("{}.{:03}Z", seconds.substr(0, seconds.size() - 1), snapshot->unix_ms % 1000);
    for (const Reading& reading : snapshot->readings) {
      json::Writer writer(lines);
      writer.BeginObject().Member("time", time).Member("host", host);
      writer.Member("source", snapshot->source);
      WriteReading(reading, writer);
      writer.EndObject();
      lines += '\n';
    }
  }
  return lines;
}

JsonLinesSink::~JsonLinesSink() {
  if (file_ > STDERR_FILENO) close(file_);
}

Status JsonLinesSink::Open() {
  if (file_ >= 0) return OkStatus();
  if (options_.path == "-") {
    file_ = STDOUT_FILENO;
    return OkStatus();
  }
  file_ = open(options_.path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0644);
  struct stat status {};
  if (file_ < 0 || fstat(file_, &status) != 0)
    return Error(StatusCode::kIo, "{}: {}", options_.path, std::strerror(errno));
  bytes_ = static_cast<std::uint64_t>(status.st_size);
  return OkStatus();
}

Status JsonLinesSink::Rotate() {
  close(file_);
  file_ = -1;
  const auto named = [&](int number) {
    return number == 0 ? options_.path : fmt::format("{}.{}", options_.path, number);
  };
  for (int number = options_.most_files - 1; number > 0; --number)
    (void)std::rename(named(number - 1).c_str(), named(number).c_str());
  if (options_.most_files <= 1) (void)unlink(options_.path.c_str());
  return Open();
}

Status JsonLinesSink::Send(const std::string& encoded) {
  RS_RETURN_IF_ERROR(Open());
  const bool is_file = options_.path != "-";
  if (is_file && bytes_ > 0 && bytes_ + encoded.size() > options_.most_bytes)
    RS_RETURN_IF_ERROR(Rotate());
  const Status written = Write(encoded);
  if (is_file && written.ok()) bytes_ += encoded.size();
  if (is_file && !written.ok()) {
    // Of a device or a pipe nothing can be cut off.
    (void)!ftruncate(file_, static_cast<off_t>(bytes_));
    close(file_);
    file_ = -1;
  }
  return written;
}

// In pieces that a pipe takes whole once it can be written to, so that it never blocks for longer
// than a poll.
Status JsonLinesSink::Write(const std::string& encoded) {
  for (std::size_t at = 0; at < encoded.size();) {
    pollfd ready{.fd = file_, .events = POLLOUT, .revents = 0};
    if (is_aborted_) return Error(StatusCode::kCancelled, "it ends");
    if (poll(&ready, 1, kPollMs) <= 0) continue;
    const std::size_t most = options_.path == "-" ? PIPE_BUF : kFilePiece;
    const std::size_t piece = std::min(encoded.size() - at, most);
    const ssize_t put = write(file_, encoded.data() + at, piece);
    if (put < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (put < 0) return Error(StatusCode::kIo, "{}: {}", options_.path, std::strerror(errno));
    at += static_cast<std::size_t>(put);
  }
  return OkStatus();
}

}  // namespace rankscope::agent
