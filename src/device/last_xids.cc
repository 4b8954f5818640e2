#include "device/last_xids.h"

#include <algorithm>

namespace rankscope::device {

void LastXids::Take(int index, unsigned number, DeviceState& state) {
  Xids& known = xids_[index];
  if (known.is_asked && number != known.last && number != 0) {
    ++known.count;
    if (std::ranges::find(known.numbers, number) == known.numbers.end() &&
        known.numbers.size() < kMostXids)
      known.numbers.push_back(number);
  }
  known.is_asked = true;
  known.last = number;
  state.xid_errors = static_cast<double>(known.count);
  if (number != 0) state.last_xid = number;
  state.xids = known.numbers;
}

}  // namespace rankscope::device
