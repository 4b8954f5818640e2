// A trace in which several ranks are told apart by words in their pids (pid_words.h): read as one
// trace for each rank, as merged traces are (merged.h).
//
// An event belongs to the rank that its pid names, and its pid becomes the number behind the words
// (that of the process, or of the device); a rank is the number behind "rank", or else counts the
// places on the axes in their order. Nothing else of an event is changed. Outer values of the
// document go to every rank, but for those over 64 KiB.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "formats/base/byte_source.h"
#include "formats/kineto/edit/merged.h"

namespace rankscope::kineto {

// The traces of the ranks, sorted by rank; none when the first 64 KiB of events name no rank, when
// most events of the file name none (or any, where there is one rank alone), when there are more
// than 1,024, or the file cannot be read. Reads those, and then the whole file where they do.
Result<std::vector<MergedPart>> ReadWordedParts(const std::string& path,
                                                const InflateLimits& limits = {});

}  // namespace rankscope::kineto
