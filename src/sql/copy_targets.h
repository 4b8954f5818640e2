// What a COPY that did not come to its end leaves behind.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::sql {

// Files and folders that COPY statements may make: the texts in quotes of the SQL, and the
// temporary files that DuckDB writes beside them ("tmp_" before the name).
class CopyTargets {
 public:
  // Remembers which of them are not there yet.
  explicit CopyTargets(std::string_view sql);

  // Removes those that are there now. Files that a COPY adds to a folder of before stay.
  void Remove() const;

 private:
  std::vector<std::string> absent_;
};

}  // namespace rankscope::sql
