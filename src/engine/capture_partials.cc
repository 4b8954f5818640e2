#include "engine/capture_partials.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace rankscope {
namespace {

// That many captures are in memory for each thread, read or being read.
constexpr std::size_t kPerThread = 2;

}  // namespace

CapturePartials::CapturePartials(TraceFiles& files, const std::vector<std::size_t>& file_of_capture,
                                 int threads, MapStage stage,
                                 std::shared_ptr<const JobContext> context)
    : files_(files),
      file_of_capture_(file_of_capture),
      stage_(std::move(stage)),
      context_(std::move(context)) {
  for (std::size_t i = 0; i < context_->captures.size(); ++i) {
    if (context_->captures[i].selected) captures_.push_back(i);
  }
  if (threads <= 1 || captures_.size() <= 1) return;
  const std::size_t readers = std::min(static_cast<std::size_t>(threads), captures_.size());
  ahead_.resize(kPerThread * readers);
  try {
    for (std::size_t i = 0; i < readers; ++i) readers_.emplace_back([this] { ReadAhead(); });
  } catch (const std::system_error&) {
    // Those that the system gave read for all; without one, captures are read when asked for.
  }
}

CapturePartials::~CapturePartials() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  room_.notify_all();
  for (std::thread& reader : readers_) reader.join();
}

Result<bool> CapturePartials::Next(Partial& partial) {
  while (at_ < captures_.size()) {
    const std::size_t capture = captures_[at_];
    Read read = readers_.empty() ? ReadCapture(at_) : WaitFor(at_);
    ++at_;
    if (read.thrown) std::rethrow_exception(read.thrown);
    if (!read.tables) continue;
    partial.capture = capture;
    partial.tables = std::move(*read.tables);
    return true;
  }
  return false;
}

CapturePartials::Read CapturePartials::ReadCapture(std::size_t index) const {
  Read read;
  read.is_done = true;
  try {
    const MapStage* const stage = &stage_;
    auto tables = files_.TablesOf(file_of_capture_[captures_[index]], {&stage, 1});
    if (tables.ok()) read.tables = std::move(tables->front());
  } catch (...) {
    read.thrown = std::current_exception();
  }
  return read;
}

void CapturePartials::ReadAhead() {
  std::unique_lock lock(mutex_);
  while (true) {
    room_.wait(lock, [this] {
      return is_ending_ || next_ == captures_.size() || next_ < taken_ + ahead_.size();
    });
    if (is_ending_ || next_ == captures_.size()) return;
    const std::size_t index = next_++;
    lock.unlock();
    Read read = ReadCapture(index);
    lock.lock();
    ahead_[index % ahead_.size()] = std::move(read);
    came_.notify_one();
  }
}

CapturePartials::Read CapturePartials::WaitFor(std::size_t index) {
  std::unique_lock lock(mutex_);
  Read& read = ahead_[index % ahead_.size()];
  came_.wait(lock, [&read] { return read.is_done; });
  taken_ = index + 1;
  room_.notify_all();
  return std::exchange(read, {});
}

}  // namespace rankscope
