// What serving programs write down: any bytes of any format are read as far as they are sound, or
// are a sentence; and whatever was read is analysed, tabled and told.
#include <string>
#include <utility>

#include "base/utf8.h"
#include "input.h"
#include "report/serving/serving_report.h"
#include "serving/inputs/read_file.h"
#include "serving/inputs/readers.h"
#include "serving/objective.h"
#include "serving/tables.h"

namespace rankscope::fuzz {
namespace {

using serving::Collection;
using serving::InputFile;

constexpr const char* kPath = "folder/fuzzed-1764000000.txt";

void CheckSentence(const Status& status) {
  FUZZ_CHECK(status.code() == StatusCode::kBadData || status.code() == StatusCode::kNotFound);
  FUZZ_CHECK(status.message().starts_with(std::string(kPath) + ": "));
}

Status Read(std::uint8_t kind, const InputFile& file, Collection& to) {
  switch (kind % 11) {
    case 0:
      return serving::ReadScrapes(file, to);
    case 1:
      return serving::ReadOtlp(file, to);
    case 2:
      return serving::ReadSglangLog(file, to);
    case 3:
      return serving::ReadAiperf(file, to);
    case 4:
      return serving::ReadVllmBench(file, to);
    case 5:
      return serving::ReadGuidellm(file, to);
    case 6:
      return serving::ReadLog(file, to);
    case 9:
      return serving::ReadLoadRecord(file, to);
    case 10:
      return serving::ReadRequestRecord(file, to);
    default:
      return serving::ReadServingFile(file, to);
  }
}

void CheckReport(serving::ServingData data) {
  const serving::Study study =
      serving::StudyOf(std::move(data), {.ttft = 1'000'000, .e2e = 5'000'000});
  for (const serving::Analysis* analysis : {&study.all, &study.part()}) {
    for (const serving::Parts& parts : analysis->population.parts) {
      std::int64_t sum = 0;
      for (const auto& part : parts.ns) {
        FUZZ_CHECK(!part || *part >= 0);
        sum += part.value_or(0);
      }
      FUZZ_CHECK(sum == parts.total);
    }
  }
  for (const serving::Finding& finding : study.causes.findings)
    FUZZ_CHECK(finding.gain_pct.has_value() != !finding.no_gain.empty());
  const ServingReport report{.tables = serving::MakeTables(study)};
  FUZZ_CHECK(!WriteServingText(report).empty());
  FUZZ_CHECK(!WriteServingMarkdown(report).empty());
  FUZZ_CHECK(IsValidUtf8(WriteServingJson(report)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Input input = Split(bytes, size);
  if (input.first % 11 == 8) {
    const auto objective = serving::ParseObjective(input.data);
    FUZZ_CHECK(!objective.ok() || objective->has_any());
    return 0;
  }
  Collection collection;
  const InputFile file{.path = kPath, .text = input.data, .modified = 1'764'000'000'000'000'000};
  const Status status = Read(input.first, file, collection);
  if (!status.ok()) CheckSentence(status);
  // Once more, as another file of the same replica.
  if (input.second % 2 == 0) {
    const InputFile again{.path = "folder/fuzzed-1764000001.txt", .text = input.data};
    (void)Read(input.first, again, collection);
  }
  CheckReport(std::move(collection.data));
  return 0;
}

}  // namespace rankscope::fuzz
