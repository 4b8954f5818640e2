// ChangedValues: changed values of a few among many nodes or edges; all others are as recorded.
//
// Values are in pages of sixteen, each created when one of its values is set. So memory and copies
// grow with the changes: 4 bytes per sixteen values, plus the pages. A time takes 4 bytes
// (short_times.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/spilled_vector.h"
#include "replay/columns/short_times.h"

namespace rankscope {

template <typename T>
class ChangedValues {
 public:
  static constexpr std::size_t kPage = 16;

  // Nothing was ever set.
  bool empty() const { return pages_.empty(); }

  // Null: as recorded.
  const T* Find(std::size_t index) const {
    const std::size_t page = index / kPage;
    if (page >= page_of_.size() || page_of_[page] == kNone) return nullptr;
    return &pages_[page_of_[page]][index % kPage];
  }

  // The value to set. `recorded(i)` gives the initial values of a new page; it is called for
  // indexes below `count`. The reference is valid until the next call.
  template <typename Recorded>
  T& At(std::size_t index, std::size_t count, const Recorded& recorded) {
    const std::size_t page = index / kPage;
    if (page_of_.empty()) page_of_.assign((count + kPage - 1) / kPage, kNone);
    if (page_of_[page] == kNone) {
      page_of_[page] = static_cast<std::uint32_t>(pages_.size());
      std::array<T, kPage>& values = pages_.emplace_back();
      const std::size_t first = page * kPage;
      for (std::size_t i = first; i < std::min(first + kPage, count); ++i)
        values[i - first] = recorded(i);
    }
    return pages_[page_of_[page]][index % kPage];
  }

  // Calls visit(first, values) for each page: values of first, first + 1, ...; values after the
  // last node are undefined.
  template <typename Visit>
  void ForEachPage(const Visit& visit) const {
    for (std::size_t page = 0; page < page_of_.size(); ++page) {
      if (page_of_[page] != kNone) visit(page * kPage, std::span<const T>(pages_[page_of_[page]]));
    }
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  SpilledVector<std::uint32_t> page_of_;  // empty: nothing was set
  SpilledVector<std::array<T, kPage>> pages_;
};

// The times of a few, in nanoseconds.
class ChangedTimes {
 public:
  // Whether the row may differ from the recording.
  bool IsHeld(std::size_t row) const { return pages_.Find(row) != nullptr; }
  std::int64_t Read(std::size_t row, std::int64_t recorded) const {
    const std::int32_t* const held = pages_.Find(row);
    return held == nullptr ? recorded : long_.Read(row, *held);
  }
  // As ChangedValues::At.
  template <typename Recorded>
  void Set(std::size_t row, std::int64_t ns, std::size_t count, const Recorded& recorded) {
    std::int32_t& held =
        pages_.At(row, count, [&](std::size_t i) { return long_.Put(i, recorded(i)); });
    held = long_.Put(row, ns);
  }
  // Calls visit(row, ns) for all rows below `count` that are held.
  template <typename Visit>
  void ForEach(std::size_t count, const Visit& visit) const {
    pages_.ForEachPage([&](std::size_t first, std::span<const std::int32_t> held) {
      for (std::size_t i = 0; i < held.size() && first + i < count; ++i)
        visit(first + i, long_.Read(first + i, held[i]));
    });
  }

 private:
  ChangedValues<std::int32_t> pages_;
  LongTimes long_;
};

}  // namespace rankscope
