// The difference of the ends of two ranks' collectives: a line, found without knowing which
// collectives match.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace rankscope {

// A collective, send or receive in the list of a rank, in the order in which they began.
struct ListEntry {
  // For steps that were not marked, and for entries before the first or after the last step.
  static constexpr std::int64_t kBefore = INT64_MIN;
  static constexpr std::int64_t kBehind = INT64_MAX;

  std::int64_t step = kBefore;
  std::int64_t end_ns = 0;
  std::uint64_t kind = 0;      // entries of one kind may match
  bool ends_together = false;  // with its partner, except for the clock difference
};

struct ClockLine {
  double offset = 0;  // ends of the list less those of the master, at the origin
  double slope = 0;
  std::int64_t origin = 0;  // by the master's clock
  double spread = 0;        // median distance of the ends from the line
  std::size_t ends = 0;     // used for the line

  // The distance of the pair from the line.
  double RestOf(const ListEntry& master, const ListEntry& entry) const;
  // Converts a time to the master's clock.
  std::int64_t ToMaster(std::int64_t t) const;
  std::int64_t ToList(std::int64_t t) const;
};

// Ends closer to a line than this may lie on it, whatever the scatter.
inline constexpr double kLeastToleranceNs = 20'000;

// Tukey's line through three medians, over evenly spaced samples of pairs added in order. Entries
// that do not end together are left out.
class LineThrough {
 public:
  void Add(const ListEntry& master, const ListEntry& entry) {
    if (master.ends_together && entry.ends_together) pairs_.emplace_back(&master, &entry);
  }
  ClockLine Fit() const;

 private:
  std::vector<std::pair<const ListEntry*, const ListEntry*>> pairs_;
};

// Ranges of the master's entries, by number, that an entry of the list may match; [first, second).
using MasterPlaces = std::function<void(std::size_t entry,
                                        std::vector<std::pair<std::size_t, std::size_t>>& ranges)>;

// The line on which most ends lie. At the begin, in the middle and at the end of the list, all
// differences between an entry's end and the ends of its candidates are collected. In each stretch
// of kLeastToleranceNs the most frequent difference is taken, and the nearest to zero among equals.
// The line goes through the ends near it, from there outwards. nullopt if less than 2 in 5 of a
// stretch's entries agree, or fewer than three. O(entries of the stretches * places).
std::optional<ClockLine> VoteForLine(std::span<const ListEntry> master,
                                     std::span<const ListEntry> list, const MasterPlaces& places);

}  // namespace rankscope
