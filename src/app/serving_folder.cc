#include "app/serving_folder.h"

#include <filesystem>

#include "base/file.h"
#include "sql/parquet.h"

namespace rankscope::app {

Status WriteServingFolder(const ServingReport& report, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return Error(StatusCode::kIo, "{}: cannot make the folder: {}", folder, error.message());
  RS_RETURN_IF_ERROR(WriteFileAtomically(folder + "/report.json", WriteServingJson(report)));
  RS_RETURN_IF_ERROR(WriteFileAtomically(folder + "/view.json", WriteServingView(report)));
  RS_RETURN_IF_ERROR(WriteFileAtomically(folder + "/summary.json", WriteServingSummary(report)));
  sql::ParquetWriter writer;
  for (const Table& table : report.tables)
    RS_RETURN_IF_ERROR(writer.Write(table, folder + "/" + table.name() + ".parquet"));
  return OkStatus();
}

}  // namespace rankscope::app
