// Kept: the last readings, numbered so that a reader can continue where it stopped.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace rankscope::agent {

// T has a member unix_us. Not thread-safe.
template <typename T>
class Kept {
 public:
  struct Rest {
    std::vector<T> items;
    std::uint64_t lost = 0;  // that are no longer kept
    std::uint64_t next = 0;  // where to go on
  };

  explicit Kept(std::size_t most) : most_(most) {}

  void Add(T one) {
    items_.push_back(std::move(one));
    ++added_;
    if (items_.size() > most_) items_.pop_front();
  }
  void Clear() { items_.clear(); }
  bool empty() const { return items_.empty(); }
  const T& back() const { return items_.back(); }

  std::vector<T> Between(std::int64_t from_unix_us, std::int64_t to_unix_us) const {
    std::vector<T> found;
    for (const T& one : items_) {
      if (one.unix_us >= from_unix_us && one.unix_us <= to_unix_us) found.push_back(one);
    }
    return found;
  }
  // Up to `most` of the readings added from number `from` on, the oldest first.
  Rest From(std::uint64_t from, std::size_t most) const {
    const std::uint64_t first = added_ - items_.size();
    const std::uint64_t begin = std::max(from, first);
    const std::uint64_t end = std::min<std::uint64_t>(added_, begin + most);
    Rest rest{.lost = begin - from, .next = std::max(begin, end)};
    for (std::uint64_t i = begin; i < end; ++i) rest.items.push_back(items_[i - first]);
    return rest;
  }

 private:
  const std::size_t most_;
  std::uint64_t added_ = 0;
  std::deque<T> items_;
};

}  // namespace rankscope::agent
