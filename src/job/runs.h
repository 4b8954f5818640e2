// Finds the recordings that belong to one run of a program: a folder may hold several runs, which
// do not make one job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stage/analysis.h"

namespace rankscope {

// Numbers the runs in the order of their first recording, and gives every capture its run. The rank
// from the file or its name must be set already; -1 is unknown.
//
// Recordings of one folder belong together if they overlap in time or lie up to
// kMostClockDifferenceNs apart, are of different ranks and state the same world size. Such a set
// joins an earlier one if these conditions hold:
//   - ranks that both have are of one process (pid and host), share kernels, and were not
//     recorded at the same time in two folders: the profiling cycles of a run;
//   - without such ranks, both state the same world size and share kernels, or they lie close in
//     time: folders of hosts, whose clocks may differ;
//   - a rank that nothing states joins what is of its process and shares kernels.
// O(captures x runs).
void FindRuns(std::vector<Capture>& captures);

// Clocks of hosts that are kept in time by NTP differ by less.
inline constexpr std::int64_t kMostClockDifferenceNs = 250'000'000;

// A capture's `kernel_names`: for each of this many hash functions, the smallest hash of the set of
// names. Empty if there are too few names to distinguish programs, as in a recording of the capture
// of a CUDA graph.
inline constexpr std::size_t kNameHashes = 64;
inline constexpr std::size_t kLeastNames = 8;
std::vector<std::uint64_t> HashNames(std::span<const std::string_view> names);

// The kernels that two captures have in common, as a share of those in either (Jaccard index,
// estimated by MinHash: Broder 1997; standard error below 0.07). 1 if either set is unknown.
double SharedKernels(const Capture& a, const Capture& b);

}  // namespace rankscope
