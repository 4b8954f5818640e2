// Which recordings are of one run of a program: a folder may hold several, and they make no job
// together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stage/analysis.h"

namespace rankscope {

// Numbers the runs in the order of their first recording, and gives every capture its run. What a
// file states or its name says of its rank must be in place; -1 is unknown.
//
// Recordings of one folder that overlap in time, or lie up to kMostClockDifferenceNs apart, belong
// together as long as they are of different ranks and state the same world size. Such a set joins
// an earlier one when nothing speaks against it:
//   - ranks that both have are of one process (pid and host), share kernels, and were not
//     recorded at the same time in two folders: the profiling cycles of a run;
//   - without such ranks, both state the same world size and share kernels, or they lie close in
//     time: folders of hosts, whose clocks may differ;
//   - a rank that nothing states joins what is of its process and shares kernels.
// O(captures x runs).
void FindRuns(std::vector<Capture>& captures);

// Clocks of hosts that are kept in time by NTP differ by less.
inline constexpr std::int64_t kMostClockDifferenceNs = 250'000'000;

// A capture's `kernel_names`: the smallest hashes of a set of names under each of so many hash
// functions; none of fewer names than tell programs apart, as in a recording of the capture of a
// CUDA graph.
inline constexpr std::size_t kNameHashes = 64;
inline constexpr std::size_t kLeastNames = 8;
std::vector<std::uint64_t> HashNames(std::span<const std::string_view> names);

// The share of kernels that two captures have in common, of those that either has (Jaccard index,
// estimated by MinHash: Broder 1997; standard error below 0.07). 1 when that of either is unknown.
double SharedKernels(const Capture& a, const Capture& b);

}  // namespace rankscope
