// Lets only one process at a time change the service of a lease's folder.
#pragma once

#include <string>
#include <utility>

#include "base/status.h"

namespace rankscope::tune {

// Held until this object or its process ends.
class GuardLock {
 public:
  // kBadData if another process holds it.
  static Result<GuardLock> Take(const std::string& folder);
  GuardLock(GuardLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  GuardLock& operator=(GuardLock&&) = delete;
  ~GuardLock();

 private:
  explicit GuardLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace rankscope::tune
