// SharedTurn: one thread at a time writes, for itself and for all threads that arrived during the
// previous write. The cost of a turn (syncing a file to the disk) is paid once for all of them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace rankscope::store {

// Safe for many threads. Destroy it when no thread is in it.
template <typename Item>
class SharedTurn {
 public:
  // In the order of their arrival. Called by one of the threads, without a lock.
  using Write = std::function<void(std::span<Item* const> items)>;

  // Returns after a call of `write`, by this or another thread, included `item`. An exception of
  // `write` reaches the thread that called it; the others return.
  void Join(Item& item, const Write& write) {
    std::unique_lock lock(mutex_);
    waiting_.push_back(&item);
    const std::uint64_t turn = gathered_;
    changed_.wait(lock, [&] { return over_ > turn || !is_writing_; });
    if (over_ > turn) return;
    is_writing_ = true;
    ++gathered_;
    const std::vector<Item*> items = std::exchange(waiting_, {});
    lock.unlock();
    const Ending ending{*this};
    write(items);
  }

  // Those that wait for the next turn.
  std::size_t waiting() const {
    const std::scoped_lock lock(mutex_);
    return waiting_.size();
  }

 private:
  struct Ending {
    SharedTurn& turn;
    ~Ending() {
      {
        const std::scoped_lock lock(turn.mutex_);
        turn.is_writing_ = false;
        turn.over_ = turn.gathered_;
      }
      turn.changed_.notify_all();
    }
  };

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_writing_ = false;
  std::uint64_t gathered_ = 0;  // turns that have begun
  std::uint64_t over_ = 0;      // and ended
  std::vector<Item*> waiting_;
};

}  // namespace rankscope::store
