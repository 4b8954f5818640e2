// Matches the entries of two lists: the collectives of one process group as two ranks recorded
// them, or the sends of one rank and the receives of another.
//
// Both lists are in the order in which the entries began. Records may be lost anywhere, and the
// recordings begin and end at different times. Two entries match if they are of one kind (op,
// dtype, size), belong to the same step (where both ranks have marked it), and keep the order.
// Where that leaves a choice, the ends decide. Collectives end on all members together, so the ends
// of true matches differ only by the difference of the clocks, which is a line. The ends of wrong
// matches scatter, because collectives follow each other unevenly.
//
//   step n     a  a  b        a lost record: b and the second a still meet
//              |   \  \                     .
//   step n        a  b
//
// Method: steps with the same kinds in both lists are matched entry by entry, and the line of the
// clocks is laid through their ends. Where marks alone are not enough, it is laid through the ends
// that vote for it (clock_line.h). Then the remaining steps are matched, and those with three ends
// in a row off the line: pairs on the line first. The entries between these pairs are aligned at
// least cost: 1 for an entry without a partner, 1 for a match whose ends do not lie on the line, 1
// for a match whose steps differ (a mark at another place). Among equal costs the alignment nearest
// the line wins. So two records must be lost before time overrules order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "job/clock_line.h"

namespace rankscope {

struct ListMatch {
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::vector<std::uint32_t> to;  // of each entry of the list, its number in the master; or kNone
  // Approximate ends of the list less those of the master; 0 when unknown.
  std::int64_t ahead_ns = 0;
};

// Matches are in ascending order. Entries of different kinds are matched if they alone stand
// between two matches, with equal numbers in both lists; the caller recognises them by their kinds.
// O(n) for lists that agree; O(n * losses) otherwise.
ListMatch MatchList(std::span<const ListEntry> master, std::span<const ListEntry> list);

}  // namespace rankscope
