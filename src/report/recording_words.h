// What limits all that a report can say: the verdicts on the recording, for the reports.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace rankscope {

// "Rank 3: None of 12 rows ...": the table recording in words, the gravest first.
struct RecordingSentences {
  std::vector<std::string> grave;    // the report must be read with it in mind
  std::vector<std::string> notable;  // some of what is said is less sure
  std::vector<std::string> others;   // these, and what is of little weight
};
RecordingSentences DescribeRecording(const Report& report);

// The first sentence of the gravest, "2 of 8 files cannot be read."; "" without a grave one.
std::string RecordingVerdict(const Report& report);

// Whether some rank's recording has that verdict ("too-little-work").
bool HasVerdict(const Report& report, std::string_view code);

}  // namespace rankscope
