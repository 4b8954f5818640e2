// IterationLog: one line per step, in the format of vLLM's --enable-logging-iteration-details.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "base/status.h"
#include "sim/serving/engine.h"

namespace rankscope::sim {

// Not thread-safe.
class IterationLog {
 public:
  // Truncates the file. kIo.
  static Result<std::unique_ptr<IterationLog>> Open(const std::string& path, double time_scale);

  // "2026-11-27T02:43:00.123456Z Iteration(17): 2 context requests, 14721 context tokens, ...",
  // flushed to the file at once. The timestamp is the current time. Durations are real time:
  // simulated time divided by the time scale.
  void Write(const Step& step);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  IterationLog(std::FILE* file, double time_scale) : file_(file), time_scale_(time_scale) {}

  std::unique_ptr<std::FILE, Close> file_;
  double time_scale_;
};

}  // namespace rankscope::sim
