// IterationLog: a line for each step, as vLLM's --enable-logging-iteration-details writes it.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "base/status.h"
#include "sim/serving/engine.h"

namespace rankscope::sim {

// For one thread.
class IterationLog {
 public:
  // Begins the file anew. kIo.
  static Result<std::unique_ptr<IterationLog>> Open(const std::string& path, double time_scale);

  // "2026-11-27T02:43:00.123456Z Iteration(17): 2 context requests, 14721 context tokens, ...", at
  // once in the file. The time is now; what took N simulated milliseconds is told by the real
  // clock.
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
