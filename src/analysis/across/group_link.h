// The peak of the links inside a process group, the reference for bus bandwidth.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "job/job_collectives.h"
#include "stage/analysis.h"

namespace rankscope {

// GB/s as people write it: "50", "12.5"; nullopt for anything but a positive number.
std::optional<double> ParseLink(std::string_view text);

// Per group, by its number: bytes/s of one device in one direction; 0 = not known.
//
// Known when traces of all members were read, all state the same host, and all name devices of one
// kind whose peak device_peaks has. For every other group it is `stated`, which may be 0.
std::vector<double> GroupLinks(const JobCollectives& collectives, const JobContext& job,
                               double stated);

}  // namespace rankscope
