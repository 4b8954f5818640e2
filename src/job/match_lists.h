// Which entries of two lists are the same: the collectives of one process group as two ranks
// recorded them, or the sends of one rank and the receives of another.
//
// Both lists are in the order in which the entries began; records may be lost anywhere, and
// recordings begin and end at other times. Entries are the same that are of one kind (op, dtype,
// size), belong to the same step, where both ranks have marked it, and come in one order; where
// that leaves a choice, the ends decide: collectives end on all members together, so that the ends
// of those that are the same differ by how the clocks differ, a line, while those one off scatter
// by how unevenly collectives follow each other.
//
//   step n     a  a  b        a lost record: b and the second a still meet
//              |   \  \                     .
//   step n        a  b
//
// Method: steps of which both lists have the same kinds are matched entry by entry, and the line of
// the clocks is laid through their ends; where marks alone do not tell, through the ends that vote
// for it (clock_line.h). Of what is left, and of steps of which three ends in a row do not lie on
// the line, pairs that do are matched, and what stands between them is aligned with least cost: 1
// for an entry without a partner, 1 for a match whose ends do not lie on the line, 1 for one whose
// steps differ (a mark that lies elsewhere), and among equals what is nearest the line. So records
// must be lost twice over before time overrules order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "job/clock_line.h"

namespace rankscope {

struct ListMatch {
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::vector<std::uint32_t> to;  // of each entry of the list, its number in the master; or kNone
  // Ends of the list less those of the master, about: 0 when nothing is known of it.
  std::int64_t ahead_ns = 0;
};

// Matches are in ascending order. Entries of other kinds are matched where they alone stand between
// two matches, as many in one list as in the other: the caller tells them by their kind. O(n) for
// lists that agree; O(n * losses) else.
ListMatch MatchList(std::span<const ListEntry> master, std::span<const ListEntry> list);

}  // namespace rankscope
