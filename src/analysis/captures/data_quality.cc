#include "analysis/captures/data_quality.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = {
      {"rank", ColumnType::kInt64, "", "global rank; null for a file that is no trace"},
      {"file", ColumnType::kString, "", "path of the file"},
      {"code", ColumnType::kString, "", "kind of the problem"},
      {"byte", ColumnType::kInt64, "",
       "first place, as offset in the uncompressed text; null = the whole file"},
      {"count", ColumnType::kInt64, "", "how often it was met"},
      {"message", ColumnType::kString, "", "what is wrong and what was done about it"},
  };
  return kColumns;
}

Result<Table> Reduce(std::span<const Table* const>, const JobContext& job, const Options&) {
  Table table("data_quality", Columns());
  for (const Capture& capture : job.captures) {
    for (const QualityEntry& entry : capture.quality) {
      table.AddRow({capture.rank, std::string_view(capture.path), ToString(entry.code),
                    entry.byte >= 0 ? Value(entry.byte) : Value(kNull), entry.count,
                    std::string_view(entry.message)});
    }
  }
  for (const auto& [path, status] : job.unreadable) {
    const QualityCode code =
        status.code() == StatusCode::kBadData ? QualityCode::kNotATrace : QualityCode::kOther;
    std::string_view message = status.message();
    if (message.starts_with(path + ": "))
      message.remove_prefix(path.size() + 2);  // the file has a column of its own
    table.AddRow({kNull, std::string_view(path), ToString(code), kNull, std::int64_t{1}, message});
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
          "launches without kernels, metadata "
          "that had to be guessed, files that were left out.",
      .example = "rankscope table data_quality traces/",
      .columns = Columns(),
      .derive = Reduce,
  };
  return kAnalysis;
}

}  // namespace rankscope
