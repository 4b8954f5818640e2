// Split sizes of an all-to-all: how much of its buffer a rank sends to, or gets from, each member.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "job/job_collectives.h"

namespace rankscope {

// Rows per member, in the order of the group's ranks: of the text in the trace ("[12, 4, ...]"),
// or even shares of `elements` when the text is empty. An empty list when it cannot be known: the
// text is cut off or not of `members` numbers, or elements do not divide.
std::vector<std::int64_t> SplitsOf(std::string_view text, std::int64_t elements,
                                   std::int64_t members);

// What a rank sends in an all-to-all, by the place of the receiver in the group, in bytes; empty
// when it cannot be known.
std::vector<double> BytesSent(const JobCollectives& all, const CollectiveEvent& event);

}  // namespace rankscope
