#include "snoop/output.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/file.h"

namespace rankscope::snoop {

std::string SecondsText(std::int64_t ns) {
  return fmt::format("{:.3f} s", static_cast<double>(ns) / 1e9);
}

Result<Output> Output::Open(const std::string& path) {
  Output output;
  if (path.empty()) return output;
  output.name_ = path;
  output.file_ = Descriptor(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!output.file_.is_open())
    return Error(StatusCode::kIo, "{}: cannot be written: {}", path, std::strerror(errno));
  return output;
}

Status Output::Write(std::string_view text) const {
  if (WriteWhole(file_.is_open() ? file_.number() : STDOUT_FILENO, text.data(), text.size()))
    return OkStatus();
  return Error(StatusCode::kIo, "{}: cannot be written: {}", name_, std::strerror(errno));
}

void BlockEndSignals() {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
}

void Say(std::string_view sentence) {
  fmt::print(stderr, "{}\n", sentence);
  std::fflush(stderr);
}

int Fail(std::string_view message, int code) {
  fmt::print(stderr, "rankscope-agent: {}\n", message);
  return code;
}

}  // namespace rankscope::snoop
