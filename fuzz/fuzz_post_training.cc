// What post-training runs write down: any bytes are read as far as they are sound, or are a
// sentence; and whatever was read is analysed, tabled and told.
#include <numeric>
#include <string>
#include <utility>

#include "base/utf8.h"
#include "input.h"
#include "post_training/inputs/input_file.h"
#include "post_training/study.h"
#include "post_training/tables.h"
#include "report/post_training/post_training_report.h"

namespace rankscope::fuzz {
namespace {

using post_training::PostData;

constexpr const char* kPath = "folder/fuzzed.log";

Status Read(std::uint8_t kind, const post_training::InputFile& file, PostData& to) {
  switch (kind % 4) {
    case 1:
      return post_training::ReadLog(file, to);
    case 2:
      return post_training::ReadRows(file, to);
    case 3:
      return post_training::ReadRecord(file, to);
    default:
      return post_training::ReadPostTrainingFile(file, to);
  }
}

void CheckReport(PostData data) {
  const post_training::Study study = post_training::StudyOf(std::move(data));
  for (const post_training::RoleSteps& role : study.analysis.roles) {
    for (const post_training::RoleStep& step : role.steps) {
      for (const std::int64_t part : step.phases) FUZZ_CHECK(part >= 0);
      FUZZ_CHECK(std::accumulate(step.phases.begin(), step.phases.end(), std::int64_t{0}) ==
                 step.wall);
    }
  }
  for (const post_training::Batch& batch : study.analysis.batches.batches) {
    FUZZ_CHECK(batch.gain_p95 >= 0 && batch.gain_p95 <= batch.duration());
    FUZZ_CHECK(batch.gain_partial >= 0 && batch.gain_partial <= batch.duration());
    FUZZ_CHECK(batch.gain_even >= 0 && batch.gain_even <= batch.duration());
    FUZZ_CHECK(batch.tail >= 0 && batch.tail <= batch.duration());
  }
  for (const post_training::Finding& finding : study.causes.findings) {
    FUZZ_CHECK(finding.gain_pct.has_value() != !finding.no_gain.empty());
    FUZZ_CHECK(!finding.gain_pct || (*finding.gain_pct >= 0 && *finding.gain_pct <= 100.001));
  }
  const PostTrainingReport report{.tables = post_training::MakeTables(study)};
  FUZZ_CHECK(!WritePostTrainingText(report).empty());
  FUZZ_CHECK(!WritePostTrainingMarkdown(report).empty());
  FUZZ_CHECK(IsValidUtf8(WritePostTrainingJson(report)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Input input = Split(bytes, size);
  PostData data;
  if (input.second % 3 == 1) {
    data.generate_gpus = 1 + input.second;
    data.train_gpus = 4;
  }
  const Status status = Read(input.first, {.path = kPath, .text = input.data}, data);
  if (!status.ok()) {
    FUZZ_CHECK(status.code() == StatusCode::kBadData || status.code() == StatusCode::kNotFound);
    FUZZ_CHECK(status.message().starts_with(std::string(kPath) + ": "));
  }
  CheckReport(std::move(data));
  return 0;
}

}  // namespace rankscope::fuzz
