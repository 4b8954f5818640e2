// Assigns files to ranks, and groups recordings that belong together.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "stage/analysis.h"

namespace rankscope {

struct CaptureSelection {
  enum class Which : std::uint8_t { kLatest, kAll, kGroup } which = Which::kLatest;
  std::int64_t group = 0;                       // for kGroup
  std::optional<std::set<std::int64_t>> ranks;  // nullopt = all
};

// Sets run (job/runs.h), rank, index and group of every capture, sorts them by (rank, index), and
// marks the selected ones. An index counts a rank's captures, run by run; a group belongs to one
// run.
//
// A file that states no rank takes it from "rank<N>" or "worker<N>" in its name, or at the begin of
// its folder's name, when these tell all such files apart. Otherwise it takes the smallest free
// rank of its run. Either case is noted in the capture's quality. If two captures of one rank
// overlap in time, the one with fewer rows is left out, which is noted too. Recordings that overlap
// form one group. Recordings of other ranks join it if they are up to 250 ms apart, since clocks of
// hosts differ, and recordings of other hosts if they are up to an hour apart and each rank of the
// world has one recording. kLatest selects the latest of the groups with the most ranks.
void ArrangeCaptures(std::vector<Capture>& captures, const CaptureSelection& selection);

struct RunOfFiles {
  std::set<std::int64_t> ranks;
  std::int64_t group = 0;  // its latest
  std::string device_name;
  std::vector<std::string> paths;  // in the order of captures
};
// The runs of the arranged captures that may be selected, in the order of their numbers.
std::vector<RunOfFiles> RunsOf(std::span<const Capture> captures,
                               const CaptureSelection& selection);

// OK if the selectable captures belong to one run, or if one group was chosen; otherwise an error
// that names the choices and `option`, with which the user selects one.
Status CheckOneRun(std::span<const Capture> captures, const CaptureSelection& selection,
                   std::string_view option = "--capture");

}  // namespace rankscope
