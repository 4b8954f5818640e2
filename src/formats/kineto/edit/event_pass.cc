#include "formats/kineto/edit/event_pass.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace rankscope::kineto {
namespace {

class Pass {
 public:
  Pass(ByteSource& source, const PassOptions& options) : splitter_(source, options.split) {}

  void Run(int threads, const std::function<std::unique_ptr<ChunkWorker>()>& make_worker) {
    std::vector<std::unique_ptr<ChunkWorker>> workers;
    workers.reserve(static_cast<std::size_t>(std::max(1, threads)));
    for (int i = 0; i < threads; ++i) workers.push_back(make_worker());
    std::vector<std::thread> helpers;
    try {
      for (std::size_t i = 1; i < workers.size(); ++i)
        helpers.emplace_back([this, &workers, i] { Guarded(*workers[i]); });
    } catch (const std::system_error&) {
      // The system gives no more threads: those there are do the work.
    }
    Guarded(*workers[0]);
    for (std::thread& helper : helpers) helper.join();
  }

  const Status& status() const { return status_; }
  const EventSplitter& splitter() const { return splitter_; }

 private:
  void Guarded(ChunkWorker& worker) {
    try {
      Work(worker);
    } catch (const std::exception& error) {
      Fail(Error(StatusCode::kResource, "out of memory or another limit ({})", error.what()));
    }
  }

  void Fail(Status status) {
    const std::scoped_lock lock(source_mutex_, turn_mutex_);
    if (status_.ok()) status_ = std::move(status);
    has_failed_ = true;
    my_turn_.notify_all();
  }

  void Work(ChunkWorker& worker) {
    Chunk chunk;
    while (TakeChunk(chunk)) {
      Status status = worker.Work(chunk);
      if (status.ok()) {
        std::unique_lock lock(turn_mutex_);
        my_turn_.wait(lock, [&] { return has_failed_ || next_ == chunk.sequence(); });
        if (has_failed_) return;
        status = worker.Deliver(chunk);
        ++next_;
        lock.unlock();
        my_turn_.notify_all();
      }
      if (!status.ok()) return Fail(std::move(status));
    }
  }

  bool TakeChunk(Chunk& chunk) {
    const std::lock_guard lock(source_mutex_);
    if (has_failed_ || is_cutting_) return false;
    is_cutting_ = true;
    const bool is_chunk = splitter_.Next(chunk);
    is_cutting_ = false;
    return is_chunk;
  }

  std::mutex source_mutex_;
  EventSplitter splitter_;
  bool is_cutting_ = false;  // stays when an exception left the splitter in the middle

  std::mutex turn_mutex_;
  std::condition_variable my_turn_;
  std::uint64_t next_ = 0;

  bool has_failed_ = false;  // under either mutex; set under both
  Status status_;
};

}  // namespace

Result<PassResult> ForEachChunk(ByteSource& source, const PassOptions& options,
                                const std::function<std::unique_ptr<ChunkWorker>()>& make_worker) {
  Pass pass(source, options);
  pass.Run(options.threads < 1 ? 1 : options.threads, make_worker);
  if (!pass.status().ok()) return pass.status();
  const EventSplitter& splitter = pass.splitter();
  PassResult result;
  result.top = splitter.top_level();
  result.problems = splitter.problems();
  result.lost_events = splitter.lost_events();
  result.text_bytes = splitter.text_bytes();
  result.file_bytes = source.file_bytes();
  return result;
}

Status CheckIsTrace(const PassResult& result, const std::string& path) {
  const TopLevel& top = result.top;
  if (result.text_bytes == 0 || top.state() == TopLevel::State::kBegin) {
    const auto& problems = result.problems.entries();
    if (result.text_bytes == 0 && !problems.empty())
      return Error(StatusCode::kBadData, "{}: {}", path, problems.front().message);
    return Error(StatusCode::kBadData, "{}: the file is empty; record the trace again", path);
  }
  if (top.state() == TopLevel::State::kNotATrace) {
    return Error(
        StatusCode::kBadData,
        "{}: not a trace: the file is not JSON; a PyTorch profiler trace begins with {{ or [",
        path);
  }
  if (!top.saw_events() && top.state() != TopLevel::State::kEnd) {
    return Error(
        StatusCode::kBadData,
        "{}: the file was cut off before its list of events begins; copy or record it again", path);
  }
  if (!top.saw_events()) {
    return Error(StatusCode::kBadData,
                 "{}: not a profiler trace: the JSON has no traceEvents; export one with "
                 "torch.profiler's export_chrome_trace",
                 path);
  }
  return OkStatus();
}

}  // namespace rankscope::kineto
