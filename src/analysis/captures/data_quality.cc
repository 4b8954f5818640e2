#include "analysis/captures/analyses.h"

#include "schemas/captures.h"

namespace rankscope {
namespace {

Result<Table> ReduceDataQuality(const InputTables&, const JobContext& job, const Options&) {
  const auto& columns = SchemaOf<DataQuality>();
  auto table = columns.NewTable("data_quality");
  for (const Capture& capture : job.captures) {
    for (const QualityEntry& entry : capture.quality) {
      table.Add({columns.rank = capture.rank, columns.file = capture.path,
                 columns.code = ToString(entry.code),
                 columns.byte = entry.byte >= 0 ? Value(entry.byte) : Value(kNull),
                 columns.count = entry.count, columns.message = entry.message});
    }
  }
  for (const auto& [path, status] : job.unreadable) {
    const QualityCode code =
        status.code() == StatusCode::kBadData ? QualityCode::kNotATrace : QualityCode::kOther;
    std::string_view message = status.message();
    if (message.starts_with(path + ": "))
      message.remove_prefix(path.size() + 2);  // the file has a column of its own
    table.Add({columns.file = path, columns.code = ToString(code), columns.count = 1,
               columns.message = message});
  }
  return table;
}

}  // namespace

const Analysis& DataQualityAnalysis() {
  static const Analysis kAnalysis = {
      .name = "data_quality",
      .summary = "what was wrong with the input, and what was done about it",
      .definition =
          "One row per kind of problem and file: text that could not be read, values out of range, "
          "launches without kernels, metadata that had to be guessed, files that were left out.",
      .example = "rankscope table data_quality traces/",
      .columns = SchemaOf<DataQuality>().columns(),
      .derive = ReduceDataQuality,
  };
  return kAnalysis;
}

}  // namespace rankscope
