// Cleans up after a COPY that did not finish.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::sql {

// Files and folders that COPY statements may create: the quoted texts of the SQL, and the temporary
// files that DuckDB writes beside them (prefix "tmp_").
class CopyTargets {
 public:
  // Remembers which of them do not exist yet.
  explicit CopyTargets(std::string_view sql);

  // Removes those that now exist. Files that a COPY adds to an existing folder stay.
  void Remove() const;

 private:
  std::vector<std::string> absent_;
};

}  // namespace rankscope::sql
