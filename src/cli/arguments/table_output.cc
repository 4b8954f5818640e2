#include "cli/arguments/table_output.h"

#include <algorithm>

#include "app/write_parquet.h"
#include "cli/base/command.h"
#include "cli/base/output.h"
#include "json/writer.h"
#include "table/write_csv.h"
#include "table/write_json.h"
#include "table/write_text.h"

namespace rankscope::cli {

void TableOutput::AddTo(CommandSpec& app) {
  app.AddOption("--format", format_, "text, csv, json, jsonl or parquet")
      .OneOf({"text", "csv", "json", "jsonl", "parquet"})
      .ShowDefault();
  app.AddOption("-o,--output", path_, "write to this file").Type(kFileType);
}

Status TableOutput::Write(const Table& table) const {
  if (CanStream()) return Stream([&](const Take& take) { return take(table); });
  if (format_ == "json") return WriteJsonPieces(table);
  if (format_ == "text") {
    const bool to_terminal = path_.empty();
    return WriteOutput(path_, WriteText(table, {.max_width = to_terminal ? TerminalWidth() : 0,
                                                .colour = to_terminal && TakesColour()}));
  }
  if (path_.empty())
    return Error(StatusCode::kInvalidArgument, "--format parquet needs a file: -o FILE");
  return app::WriteParquet(table, path_);
}

// Its text may be larger than the table, and is not held as a whole.
Status TableOutput::WriteJsonPieces(const Table& table) const {
  constexpr std::size_t kRows = 4096;
  RS_ASSIGN_OR_RETURN(const auto output, Output::Open(path_));
  std::string text;
  json::Writer writer(text);
  writer.BeginObject();
  WriteTableColumns(writer, table);
  writer.Key("rows").BeginArray();
  for (std::size_t row = 0; row < table.row_count(); row += kRows) {
    WriteTableRows(writer, table, row, std::min(row + kRows, table.row_count()));
    RS_RETURN_IF_ERROR(output->Write(text));
    text.clear();
  }
  writer.EndArray().EndObject();
  RS_RETURN_IF_ERROR(output->Write(text + "\n"));
  return output->Finish();
}

Status TableOutput::Stream(const std::function<Status(const Take&)>& produce) const {
  RS_ASSIGN_OR_RETURN(const auto output, Output::Open(path_));
  bool has_header = format_ != "csv";
  std::string text;
  RS_RETURN_IF_ERROR(produce([&](const Table& rows) {
    text.clear();
    if (!has_header) AppendCsvHeader(text, rows);
    has_header = true;
    if (format_ == "csv") {
      AppendCsvRows(text, rows);
    } else {
      AppendJsonLines(text, rows);
    }
    return output->Write(text);
  }));
  return output->Finish();
}

}  // namespace rankscope::cli
