// Numbers of steps in the order of time.
#pragma once

#include <cstdint>
#include <optional>

#include "base/saturating.h"

namespace rankscope {

// For a repeating schedule or a restarted counter, numbers continue from the previous step, so step
// numbers are unique.
class RisingNumbers {
 public:
  std::int64_t Of(std::int64_t stated) {
    std::int64_t number = SaturatingAdd(stated, offset_);
    if (last_ && number <= *last_) {
      number = SaturatingAdd(*last_, 1);
      offset_ = SaturatingSubtract(number, stated);
    }
    last_ = number;
    return number;
  }

 private:
  std::optional<std::int64_t> last_;
  std::int64_t offset_ = 0;
};

}  // namespace rankscope
