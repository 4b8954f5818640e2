#include "engine/capture_partials.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"

namespace rankscope {

CapturePartials::CapturePartials(TraceFiles& files, const std::vector<std::size_t>& file_of_capture,
                                 int threads, MapStage stage,
                                 std::shared_ptr<const JobContext> context)
    : files_(files),
      file_of_capture_(file_of_capture),
      threads_(threads),
      stage_(std::move(stage)),
      context_(std::move(context)) {
  for (std::size_t i = 0; i < context_->captures.size(); ++i) {
    if (context_->captures[i].selected) captures_.push_back(i);
  }
}

Result<bool> CapturePartials::Next(Partial& partial) {
  if (at_ == ahead_.size()) ReadAhead();
  while (at_ < ahead_.size() && !ahead_[at_].tables) ++at_;  // a rank that was just lost
  if (at_ == ahead_.size()) return next_ == captures_.size() ? Result<bool>(false) : Next(partial);
  partial.capture = ahead_[at_].capture;
  partial.tables = std::move(*ahead_[at_++].tables);
  return true;
}

void CapturePartials::ReadAhead() {
  ahead_.assign(std::min(4 * static_cast<std::size_t>(threads_), captures_.size() - next_), {});
  at_ = 0;
  ParallelFor(ahead_.size(), threads_, [&](std::size_t i) {
    ahead_[i].capture = captures_[next_ + i];
    const MapStage* const stage = &stage_;
    auto tables = files_.TablesOf(file_of_capture_[ahead_[i].capture], {&stage, 1});
    if (tables.ok()) ahead_[i].tables = std::move(tables->front());
  });
  next_ += ahead_.size();
}

}  // namespace rankscope
