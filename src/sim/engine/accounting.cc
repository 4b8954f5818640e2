#include "sim/engine/accounting.h"

#include <algorithm>
#include <limits>

namespace rankscope::sim {
namespace {

constexpr std::int64_t kOpen = std::numeric_limits<std::int64_t>::max();

constexpr unsigned Bit(Work work) { return 1U << static_cast<unsigned>(work); }

}  // namespace

void Accounting::BeginStep(int step, std::int64_t mark_ns) {
  if (windows_.empty()) {
    done_ns_ = std::max(done_ns_, mark_ns);
  } else {
    windows_.back().end_ns = done_ns_;
  }
  windows_.push_back({.step = step, .begin_ns = done_ns_, .end_ns = kOpen});
}

void Accounting::Add(Stream stream, Work work, std::int64_t begin_ns, std::int64_t end_ns,
                     std::int64_t known_ns) {
  queues_[static_cast<std::size_t>(stream)].push_back({work, begin_ns, end_ns});
  if (work != Work::kCopy) done_ns_ = std::max(done_ns_, end_ns);
  // What lies behind done_ns_ may turn out to be the next step's.
  SweepTo(std::min(known_ns, done_ns_));
}

void Accounting::Close() {
  if (!windows_.empty()) windows_.back().end_ns = done_ns_;
  SweepTo(done_ns_);
}

void Accounting::SweepTo(std::int64_t until_ns) {
  while (swept_ns_ < until_ns) {
    std::int64_t next = until_ns;
    unsigned busy = 0;
    for (auto& queue : queues_) {
      while (!queue.empty() && queue.front().end_ns <= swept_ns_) queue.pop_front();
      if (queue.empty()) continue;
      const Item& item = queue.front();
      if (item.begin_ns > swept_ns_) {
        next = std::min(next, item.begin_ns);
      } else {
        busy |= Bit(item.work);
        next = std::min(next, item.end_ns);
      }
    }
    Account(swept_ns_, next, busy);
    swept_ns_ = next;
  }
}

void Accounting::Account(std::int64_t begin_ns, std::int64_t end_ns, unsigned busy) {
  for (; current_ < windows_.size(); ++current_) {
    WindowAccount& window = windows_[current_];
    const std::int64_t length =
        std::min(end_ns, window.end_ns) - std::max(begin_ns, window.begin_ns);
    if (length > 0) {
      for (std::size_t work = 0; work < kWorkCount; ++work) {
        if ((busy >> work & 1) != 0) window.busy_ns[work] += length;
      }
      if (busy == 0) {
        window.idle_ns += length;
      } else if ((busy & Bit(Work::kCompute)) == 0) {
        const bool communicates = (busy & Bit(Work::kCommunication)) != 0;
        (communicates ? window.exposed_communication_ns : window.exposed_copy_ns) += length;
      }
    }
    if (end_ns < window.end_ns) return;
  }
}

}  // namespace rankscope::sim
