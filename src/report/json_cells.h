// Cells of tables as values of JSON reports: unknown is null.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/table_view.h"
#include "schemas/findings.h"

namespace rankscope {

// Null when empty, which is unknown.
void AppendText(std::string& out, std::string_view text);
void AppendNumber(std::string& out, std::optional<double> value);
void AppendInteger(std::string& out, std::optional<std::int64_t> value);
void AppendList(std::string& out, const std::vector<std::int64_t>& values);

// Members of an object: each table by its name.
void AppendTables(std::string& out, std::span<const Table> tables);

// A finding as an object, with the keys that docs/findings.md lists.
void AppendFinding(std::string& out, const RowsOf<Findings>& findings, std::size_t row);

}  // namespace rankscope
