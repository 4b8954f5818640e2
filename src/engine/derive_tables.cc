#include "engine/derive_tables.h"

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>

#include "base/parallel.h"

namespace rankscope {
namespace {

class Derivation {
 public:
  Derivation(std::vector<WantedTables::Entry>& entries, const JobContext& job,
             const std::function<Status()>& going_on)
      : entries_(entries),
        job_(job),
        going_on_(going_on),
        chains_(entries.size(), 1),
        is_taken_(entries.size(), false) {
    // Inputs stand before what is made of them.
    for (std::size_t i = entries.size(); i-- > 0;) {
      for (const std::size_t input : entries[i].inputs)
        chains_[input] = std::max(chains_[input], chains_[i] + 1);
    }
  }

  // Of one thread: until nothing is left that could be made.
  void Work() {
    std::unique_lock lock(mutex_);
    while (!is_stopped_) {
      const std::optional<std::size_t> next = Next();
      if (!next && running_ == 0) return;
      if (!next) {
        changed_.wait(lock);
        continue;
      }
      is_taken_[*next] = true;
      const Turn turn(*this, lock);
      const Status going_on = going_on_();
      if (going_on.ok()) {
        Make(entries_[*next]);
      } else {
        turn.Stop(going_on);
      }
    }
  }

  const Status& status() const { return status_; }

 private:
  // While a table is made, without the lock. Ends however that ends, so that nobody waits for it.
  class Turn {
   public:
    Turn(Derivation& of, std::unique_lock<std::mutex>& lock) : of_(of), lock_(lock) {
      ++of_.running_;
      lock_.unlock();
    }
    ~Turn() {
      lock_.lock();
      --of_.running_;
      of_.changed_.notify_all();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    void Stop(const Status& why) const {
      const std::lock_guard lock(of_.mutex_);
      of_.is_stopped_ = true;
      of_.status_ = why;
    }

   private:
    Derivation& of_;
    std::unique_lock<std::mutex>& lock_;
  };

  std::optional<std::size_t> Next() const {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const WantedTables::Entry& entry = entries_[i];
      if (is_taken_[i] || entry.table || !entry.status.ok()) continue;
      if (best && chains_[*best] >= chains_[i]) continue;
      const bool is_ready =
          std::all_of(entry.inputs.begin(), entry.inputs.end(),
                      [&](std::size_t input) { return entries_[input].table != nullptr; });
      if (is_ready) best = i;
    }
    return best;
  }

  void Make(WantedTables::Entry& entry) {
    const Analysis& analysis = *entry.request.analysis;
    std::vector<const Table*> inputs;
    for (const std::size_t input : entry.inputs) inputs.push_back(entries_[input].table.get());
    auto table = analysis.derive(InputTables(inputs), job_,
                                 CompleteOptions(analysis, entry.request.options).value());
    const std::lock_guard lock(mutex_);
    entry.status = table.status();
    if (table.ok()) entry.Make(std::move(*table));
  }

  std::vector<WantedTables::Entry>& entries_;
  const JobContext& job_;
  const std::function<Status()>& going_on_;
  std::vector<std::size_t> chains_;  // by entry: the longest of those that wait for it, and itself
  std::mutex mutex_;                 // of what follows, and of the entries' tables and statuses
  std::condition_variable changed_;
  std::vector<bool> is_taken_;
  std::size_t running_ = 0;
  bool is_stopped_ = false;
  Status status_;
};

}  // namespace

Status DeriveTables(std::vector<WantedTables::Entry>& entries, const JobContext& job, int threads,
                    const std::function<Status()>& going_on) {
  Derivation derivation(entries, job, going_on);
  const auto left = static_cast<std::size_t>(
      std::count_if(entries.begin(), entries.end(),
                    [](const WantedTables::Entry& entry) { return entry.table == nullptr; }));
  ParallelFor(std::min(left, static_cast<std::size_t>(std::max(threads, 1))), threads,
              [&](std::size_t) { derivation.Work(); });
  return derivation.status();
}

}  // namespace rankscope
