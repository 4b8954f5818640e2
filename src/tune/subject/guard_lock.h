// One process at a time may change the service of a lease's folder.
#pragma once

#include <string>
#include <utility>

#include "base/status.h"

namespace rankscope::tune {

// Held until this is gone, or its process is.
class GuardLock {
 public:
  // kBadData where another process has it.
  static Result<GuardLock> Take(const std::string& folder);
  GuardLock(GuardLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  GuardLock& operator=(GuardLock&&) = delete;
  ~GuardLock();

 private:
  explicit GuardLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace rankscope::tune
