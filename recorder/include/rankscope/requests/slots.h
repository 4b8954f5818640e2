// Places for the requests that are under way: a fixed number, given out and taken back without a
// lock. A place counts how often it was taken back, so that a handle of a request that is over is
// told from one that is not.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "rankscope/requests/record.h"

namespace rankscope::requests {

// Where a request is, for the counts of how many are where.
enum class Place : std::uint8_t { kElsewhere, kQueue, kHandler, kSending };

struct Slot {
  std::atomic<std::uint32_t> generation{0};
  std::atomic<std::uint32_t> next{0};  // free: number of the next free one plus 1, 0 without
  Place place = Place::kElsewhere;
  Record record;
};

class Slots {
 public:
  explicit Slots(std::size_t count) noexcept {
    slots_.reset(new (std::nothrow) Slot[count]);
    if (!slots_) return;
    count_ = static_cast<std::uint32_t>(count);
    for (std::uint32_t i = 0; i < count_; ++i)
      slots_[i].next.store(i + 1 < count_ ? i + 2 : 0, std::memory_order_relaxed);
    free_.store(1, std::memory_order_release);
  }

  // nullptr: all are taken.
  Slot* Take() noexcept {
    std::uint64_t head = free_.load(std::memory_order_acquire);
    for (;;) {
      const std::uint32_t first = static_cast<std::uint32_t>(head);
      if (first == 0) return nullptr;
      Slot& slot = slots_[first - 1];
      const std::uint64_t next = NextTurn(head) | slot.next.load(std::memory_order_relaxed);
      if (free_.compare_exchange_weak(head, next, std::memory_order_acquire)) return &slot;
    }
  }

  void GiveBack(Slot& slot) noexcept {
    slot.generation.fetch_add(1, std::memory_order_release);
    const auto number = static_cast<std::uint32_t>(&slot - slots_.get()) + 1;
    std::uint64_t head = free_.load(std::memory_order_relaxed);
    std::uint64_t next = 0;
    do {
      slot.next.store(static_cast<std::uint32_t>(head), std::memory_order_relaxed);
      next = NextTurn(head) | number;
    } while (!free_.compare_exchange_weak(head, next, std::memory_order_release,
                                          std::memory_order_relaxed));
  }

 private:
  // The upper half counts, so that a slot that was taken and given back meanwhile is noticed.
  static std::uint64_t NextTurn(std::uint64_t head) noexcept { return ((head >> 32) + 1) << 32; }

  std::unique_ptr<Slot[]> slots_;
  std::uint32_t count_ = 0;
  alignas(64) std::atomic<std::uint64_t> free_{0};
};

}  // namespace rankscope::requests
