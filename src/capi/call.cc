#include "capi/call.h"

#include <algorithm>
#include <cstring>

namespace rankscope::capi {

Result<rankscope_call> CallOf(const rankscope_call* given) {
  rankscope_call call{};
  if (given == nullptr) return call;
  if (given->size < sizeof(given->size))
    return Error(StatusCode::kInvalidArgument,
                 "the rankscope_call does not state its size: set size = sizeof(rankscope_call)");
  std::memcpy(&call, given, std::min(given->size, sizeof(call)));
  return call;
}

void CallListener::OnReading(const app::ReadProgress& progress) {
  if (call_.on_progress == nullptr) return;
  const rankscope_progress told{.files_done = progress.files_done,
                                .files = progress.files,
                                .bytes_done = progress.bytes_done,
                                .bytes = progress.bytes};
  call_.on_progress(call_.user, &told);
}

void CallListener::OnNotice(std::string_view sentence) {
  if (call_.on_notice != nullptr) call_.on_notice(call_.user, std::string(sentence).c_str());
}

void CallListener::OnLeftOut(const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) OnNotice("left out: " + sentence);
}

bool CallListener::IsStopped() const { return call_.cancel != nullptr && call_.cancel->is_set; }

}  // namespace rankscope::capi
