// A ring of records for many writers and one reader. Nobody waits: a writer that finds it full, or
// a reader that finds it empty, is told so.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "rankscope/requests/record.h"

namespace rankscope::requests {

// Each cell has a turn: `position` when it is free for the writer of that position, `position + 1`
// when its record is whole, `position + size` when it is free for the writer of the next round.
class Ring {
 public:
  // Of at least `least` cells; a power of two. Where memory is short it has none, and is full.
  explicit Ring(std::size_t least) noexcept {
    std::size_t size = 2;
    while (size < least && size < (std::size_t{1} << 30)) size *= 2;
    cells_.reset(new (std::nothrow) Cell[size]);
    if (!cells_) return;
    size_ = size;
    for (std::size_t i = 0; i < size_; ++i) cells_[i].turn.store(i, std::memory_order_relaxed);
  }

  std::size_t size() const noexcept { return size_; }

  // From any thread. False: it is full.
  bool Push(const Record& record) noexcept {
    if (size_ == 0) return false;
    std::uint64_t position = tail_.load(std::memory_order_relaxed);
    for (;;) {
      Cell& cell = cells_[position & (size_ - 1)];
      const std::uint64_t turn = cell.turn.load(std::memory_order_acquire);
      if (turn == position) {
        if (!tail_.compare_exchange_weak(position, position + 1, std::memory_order_relaxed))
          continue;
        cell.record = record;
        cell.turn.store(position + 1, std::memory_order_release);
        return true;
      }
      if (turn < position) return false;
      position = tail_.load(std::memory_order_relaxed);
    }
  }

  // From one thread at a time. False: none is whole.
  bool Pop(Record& record) noexcept {
    if (size_ == 0) return false;
    Cell& cell = cells_[head_ & (size_ - 1)];
    if (cell.turn.load(std::memory_order_acquire) != head_ + 1) return false;
    record = cell.record;
    cell.turn.store(head_ + size_, std::memory_order_release);
    ++head_;
    return true;
  }

 private:
  struct Cell {
    std::atomic<std::uint64_t> turn{0};
    Record record;
  };
  std::unique_ptr<Cell[]> cells_;
  std::size_t size_ = 0;
  alignas(64) std::atomic<std::uint64_t> tail_{0};
  alignas(64) std::uint64_t head_ = 0;
};

}  // namespace rankscope::requests
