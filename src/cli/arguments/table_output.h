// --format and --output of commands that output one table.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "base/status.h"
#include "contract/command.h"
#include "table/table.h"

namespace rankscope::cli {

class TableOutput {
 public:
  TableOutput() = default;
  // For a command that declares these options itself.
  TableOutput(std::string format, std::string path)
      : format_(std::move(format)), path_(std::move(path)) {}
  void AddTo(CommandSpec& app);

  bool is_text() const { return format_ == "text"; }
  Status Write(const Table& table) const;

  // Outputs a table in parts, which `produce` passes on one after the other. Only for formats that
  // need one part at a time: CSV and JSON Lines.
  using Take = std::function<Status(const Table& rows)>;
  bool IsText() const { return format_ == "text"; }
  bool CanStream() const { return format_ == "csv" || format_ == "jsonl"; }
  Status Stream(const std::function<Status(const Take&)>& produce) const;

 private:
  Status WriteJsonPieces(const Table& table) const;

  std::string format_ = "text";
  std::string path_;
};

}  // namespace rankscope::cli
