// The tables drawn by the HTML report, and their embedded rows.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/base/report.h"

namespace rankscope {

struct DrawnTable {
  std::string_view name;
  // The rows to embed, ascending.
  std::vector<std::size_t> (*choose)(const Report&, const Table&);
  std::size_t most;            // of them, from the front
  bool keep_last = false;      // the last row is the summary of all others
  bool is_detail = false;      // no summary: the report has to ask for it, with these options
  std::string_view options{};  // "bins=200 devices=4"
};

std::span<const DrawnTable> DrawnTables();
// {"bins": "200", "devices": "4"}.
std::map<std::string, std::string, std::less<>> OptionsOf(const DrawnTable& table);

}  // namespace rankscope
