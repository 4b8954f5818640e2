// Adapts the callbacks that a caller of the C interface passes to a long call to a Listener.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "app/listener.h"
#include "base/status.h"
#include "capi/rankscope.h"

// Lock-free, so that a signal handler can set it.
struct rankscope_cancel {
  std::atomic<bool> is_set{false};
};
static_assert(std::atomic<bool>::is_always_lock_free);

namespace rankscope::capi {

// A copy of the caller's struct; fields that an older header does not have are zero.
// kInvalidArgument if its size was not set.
Result<rankscope_call> CallOf(const rankscope_call* given);

class CallListener final : public app::Listener {
 public:
  explicit CallListener(const rankscope_call& call) : call_(call) {}

  void OnReading(const app::ReadProgress& progress) override;
  void OnNotice(std::string_view sentence) override;
  void OnLeftOut(const std::vector<std::string>& sentences) override;
  bool IsStopped() const override;

 private:
  rankscope_call call_;
};

}  // namespace rankscope::capi
