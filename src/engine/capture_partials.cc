#include "engine/capture_partials.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/parallel.h"

namespace rankscope {
namespace {

// Of these two batches are in memory.
constexpr std::size_t kPerThread = 2;

}  // namespace

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
  while (true) {
    // A rank without tables was just lost.
    while (at_ < batch_.size() && !batch_[at_].tables) ++at_;
    if (at_ < batch_.size()) break;
    if (next_ == captures_.size() && !coming_.valid()) return false;
    TakeNext();
  }
  partial.capture = batch_[at_].capture;
  partial.tables = std::move(*batch_[at_++].tables);
  return true;
}

CapturePartials::Batch CapturePartials::ReadFrom(std::size_t first) const {
  Batch batch(std::min(kPerThread * static_cast<std::size_t>(threads_), captures_.size() - first));
  ParallelFor(batch.size(), threads_, [&](std::size_t i) {
    batch[i].capture = captures_[first + i];
    const MapStage* const stage = &stage_;
    auto tables = files_.TablesOf(file_of_capture_[batch[i].capture], {&stage, 1});
    if (tables.ok()) batch[i].tables = std::move(tables->front());
  });
  return batch;
}

void CapturePartials::TakeNext() {
  at_ = 0;
  batch_ = {};  // before the next one: its tables are as large
  if (coming_.valid()) {
    batch_ = coming_.get();
  } else {
    batch_ = ReadFrom(next_);
    next_ += batch_.size();
  }
  if (threads_ == 1 || next_ == captures_.size()) return;
  const std::size_t first = next_;
  try {
    coming_ = std::async(std::launch::async, [this, first] { return ReadFrom(first); });
  } catch (const std::system_error&) {
    return;  // no thread is left: it is read when it is asked for
  }
  next_ += std::min(kPerThread * static_cast<std::size_t>(threads_), captures_.size() - first);
}

}  // namespace rankscope
