// Tables that people and Slurm write as text: a line of names, then rows, by commas or bars.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope::fleet {

// One row, by the names of the first line. A value may be "quoted, with "" in it".
class TextRow {
 public:
  TextRow(const std::vector<std::string>& names, std::vector<std::string> values)
      : names_(names), values_(std::move(values)) {}
  // "" where there is no such column, or the row is shorter.
  std::string_view Get(std::string_view name) const;

 private:
  const std::vector<std::string>& names_;
  std::vector<std::string> values_;
};

// Calls visit(row, line) for each row that is not empty; its error ends the reading, with the name
// and the line before it. kBadData where one of `needed` is not among the names.
Status ReadRows(const std::string& name, std::string_view text, char separator,
                const std::vector<std::string_view>& needed,
                const std::function<Status(const TextRow& row)>& visit);

// Milliseconds since 1970 of seconds since then ("1764000000"), "2026-11-28", or
// "2026-11-28T10:00:00" with a blank in place of T, a fraction, and "Z" or "+02:00" behind it;
// without that it is `offset_s` ahead of UTC. Nothing for what is none.
std::optional<std::int64_t> ReadTime(std::string_view text, std::int64_t offset_s = 0);

}  // namespace rankscope::fleet
