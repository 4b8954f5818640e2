#include "sim/server/iteration_log.h"

#include <fmt/chrono.h>

#include <cerrno>
#include <chrono>
#include <cstring>

namespace rankscope::sim {

Result<std::unique_ptr<IterationLog>> IterationLog::Open(const std::string& path,
                                                         double time_scale) {
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr)
    return Error(StatusCode::kIo, "{}: cannot write: {}", path, std::strerror(errno));
  return std::unique_ptr<IterationLog>(new IterationLog(file, time_scale));
}

void IterationLog::Write(const Step& step) {
  const auto now_us = std::chrono::duration_cast<std::chrono::microseconds>(
                          std::chrono::system_clock::now().time_since_epoch())
                          .count();
  const std::string line = fmt::format(
      "{:%Y-%m-%dT%H:%M:%S}.{:06}Z Iteration({}): {} context requests, {} context tokens, {} "
      "generation requests, {} generation tokens, iteration elapsed time: {:.2f} ms\n",
      fmt::gmtime(static_cast<std::time_t>(now_us / 1'000'000)), now_us % 1'000'000, step.number,
      step.context_requests, step.context_tokens, step.generation_requests, step.generation_tokens,
      static_cast<double>(step.end_ns - step.begin_ns) * 1e-6 / time_scale_);
  // A full disk costs lines, not the server.
  std::fwrite(line.data(), 1, line.size(), file_.get());
  std::fflush(file_.get());
}

}  // namespace rankscope::sim
