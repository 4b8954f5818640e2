#include "service/requests/waiting_work.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "service/requests/reply.h"

namespace rankscope::service {

class WaitingWork::Task {
 public:
  explicit Task(Work work) : work_(std::move(work)), done_(eventfd(0, EFD_CLOEXEC)) {}
  ~Task() { close(done_); }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  int done() const { return done_; }
  void Run() {
    http::Reply reply;
    try {
      reply = work_.run();
    } catch (const std::exception& error) {
      reply = ErrorReply(Error(StatusCode::kInternal, "{}", error.what()));
    }
    const std::scoped_lock lock(mutex_);
    reply_ = std::move(reply);
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(done_, &one, sizeof(one));
  }
  void Stop() { work_.stop(); }
  http::Reply Take() {
    const std::scoped_lock lock(mutex_);
    if (reply_) return *std::exchange(reply_, std::nullopt);
    return ErrorReply(422, "too_slow", "it took longer than this server gives it");
  }

 private:
  const Work work_;
  const int done_;
  std::mutex mutex_;
  std::optional<http::Reply> reply_;
};

WaitingWork::WaitingWork(std::size_t threads, std::size_t most_waiting)
    : most_waiting_(most_waiting) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { Serve(); });
}

WaitingWork::~WaitingWork() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopped_ = true;
    waiting_.clear();
    for (const auto& task : at_work_) task->Stop();
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool WaitingWork::Add(std::shared_ptr<Task> task) {
  const std::scoped_lock lock(mutex_);
  if (is_stopped_ || waiting_.size() >= most_waiting_) return false;
  waiting_.push_back(std::move(task));
  changed_.notify_one();
  return true;
}

void WaitingWork::Serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return is_stopped_ || !waiting_.empty(); });
    if (is_stopped_) return;
    const std::shared_ptr<Task> task = std::move(waiting_.front());
    waiting_.pop_front();
    at_work_.push_back(task);
    lock.unlock();
    task->Run();
    lock.lock();
    std::erase(at_work_, task);
  }
}

http::Reply WaitingWork::Reply(Work work, std::chrono::milliseconds time) {
  const auto task = std::make_shared<Task>(std::move(work));
  if (!Add(task)) {
    http::Reply busy = ErrorReply(429, "busy", "the server works for others; ask again later");
    busy.fields.emplace_back("Retry-After", "10");
    return busy;
  }
  http::Reply reply;
  reply.body = http::Pending{.start = [task] { return task->done(); },
                             .finish = [task] { return task->Take(); },
                             .cancel = [task] { task->Stop(); },
                             .time = time};
  return reply;
}

}  // namespace rankscope::service
