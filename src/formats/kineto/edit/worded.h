// A trace whose pids contain words for ranks (pid_words.h): read as one trace per rank, like merged
// traces (merged.h).
//
// An event belongs to the rank that its pid names; its pid becomes the number after the words (of
// the process or the device). The rank is the number after "rank"; without one, places on the axes
// are counted in their order. Nothing else of an event changes. Every rank gets the outer values of
// the document, except those over 64 KiB.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "formats/base/byte_source.h"
#include "formats/kineto/edit/merged.h"

namespace rankscope::kineto {

// The traces of the ranks, sorted by rank. Empty when the first 64 KiB of events name no rank, when
// most events of the file name none (or any does not, if there is only one rank), when there are
// more than 1,024 ranks or 10,000 pids, or the file cannot be read. Reads the whole file only if
// the first 64 KiB match.
Result<std::vector<MergedPart>> ReadWordedParts(const std::string& path,
                                                const InflateLimits& limits = {});

}  // namespace rankscope::kineto
