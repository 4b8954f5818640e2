// Limits of a report: the verdicts on the recording.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/base/report.h"

namespace rankscope {

// "Rank 3: None of 12 rows ...": the table recording in words, the gravest first.
struct RecordingSentences {
  std::vector<std::string> grave;    // affects the whole report
  std::vector<std::string> notable;  // makes some statements less certain
  std::vector<std::string> others;   // these, and minor ones
};
RecordingSentences DescribeRecording(const Report& report);

// The first sentence of the gravest, "2 of 8 files cannot be read."; "" without a grave one.
std::string RecordingVerdict(const Report& report);

// Whether some rank's recording has that verdict ("too-little-work").
bool HasVerdict(const Report& report, std::string_view code);

}  // namespace rankscope
