// Split sizes of an all-to-all: the part of its buffer that a rank sends to, or gets from, each
// member.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "job/job_collectives.h"

namespace rankscope {

// Rows per member, in the order of the group's ranks: from the text in the trace ("[12, 4, ...]"),
// or even shares of `elements` if the text is empty. The list is empty if it cannot be known: the
// text is cut off or has not `members` numbers, or `elements` cannot be divided evenly.
std::vector<std::int64_t> SplitsOf(std::string_view text, std::int64_t elements,
                                   std::int64_t members);

// The bytes that a rank sends in an all-to-all, by the receiver's place in the group; empty if
// unknown.
std::vector<double> BytesSent(const JobCollectives& all, const CollectiveEvent& event);

}  // namespace rankscope
