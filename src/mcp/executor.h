// Who does work, and when: a thread of its own, a loop, or a test by hand.
#pragma once

#include <functional>

namespace rankscope::mcp {

class Executor {
 public:
  virtual ~Executor() = default;
  // Does `work` later, one after the other in this order. For any thread.
  virtual void Add(std::function<void()> work) = 0;
};

}  // namespace rankscope::mcp
