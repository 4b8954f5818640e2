// A table taken apart: its columns as they lie in memory, for formats that hand memory on without a
// copy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "table/table.h"

namespace rankscope {

// One value per row; a null cell holds 0 or no text.
struct TakenColumn {
  ColumnSpec spec;
  std::vector<std::int64_t> ints;       // kInt64; kBool as 0 and 1
  std::vector<double> doubles;          // kDouble
  std::vector<std::uint64_t> text_end;  // kString: end offset of each row's text in `text`
  std::string text;
  std::vector<bool> null;
};

class TableColumns {
 public:
  // Moves: no cell is copied.
  static std::vector<TakenColumn> Take(Table table);
};

}  // namespace rankscope
