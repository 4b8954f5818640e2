// Text tables from people and Slurm: a header line, then rows, separated by commas or bars.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope::fleet {

// One row, addressed by header names. A value may be "quoted, with "" in it".
class TextRow {
 public:
  TextRow(const std::vector<std::string>& names, std::vector<std::string> values, std::size_t line)
      : names_(names), values_(std::move(values)), line_(line) {}
  std::size_t line() const { return line_; }  // of the file, from 1
  // "" if the column does not exist, or the row is shorter.
  std::string_view Get(std::string_view name) const;

 private:
  const std::vector<std::string>& names_;
  std::vector<std::string> values_;
  std::size_t line_;
};

// Calls visit(row, line) for each row that is not empty. An error of `visit` stops the reading and
// gets the prefix of name and line. kBadData if the header lacks one of `needed`.
Status ReadRows(const std::string& name, std::string_view text, char separator,
                const std::vector<std::string_view>& needed,
                const std::function<Status(const TextRow& row)>& visit);

// Parses a time to milliseconds since 1970. Forms: seconds since 1970 ("1764000000"), "2026-11-28",
// or "2026-11-28T10:00:00" with an optional blank instead of T, fraction, and "Z" or "+02:00" at
// the end. Without a zone, the time is `offset_s` ahead of UTC. nullopt if it is invalid.
std::optional<std::int64_t> ReadTime(std::string_view text, std::int64_t offset_s = 0);

}  // namespace rankscope::fleet
