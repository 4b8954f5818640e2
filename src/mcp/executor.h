// Where and when work runs: on its own thread, in a loop, or manually in a test.
#pragma once

#include <functional>

namespace rankscope::mcp {

class Executor {
 public:
  virtual ~Executor() = default;
  // Runs `work` later; works run one after the other, in order. Thread-safe.
  virtual void Add(std::function<void()> work) = 0;
};

}  // namespace rankscope::mcp
