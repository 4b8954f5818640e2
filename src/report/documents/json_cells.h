// Common parts of JSON reports: tables and findings.
#pragma once

#include <cstddef>
#include <span>

#include "json/writer.h"
#include "report/base/table_view.h"
#include "schemas/findings.h"

namespace rankscope {

// The member "tables": an object with each table by its name, on lines of their own.
void WriteTables(json::Writer& writer, std::span<const Table> tables);

// A finding as an object, with the keys that docs/findings.md lists.
void WriteFinding(json::Writer& writer, const RowsOf<Findings>& findings, std::size_t row);

}  // namespace rankscope
