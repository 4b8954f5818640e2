// RankRows: the first columns of every table whose rows belong to single ranks.
//
//   struct Copies : Schema<Copies, RankRows> {
//     static constexpr std::string_view kName = "copies";
//     IntColumn device = Int(column::Device());
//     ...
//   };
//
// Its mapper writes rows of the same schema and leaves rank and capture empty; JoinRows
// (stage/reduce.h) fills them in.
#pragma once

#include "schemas/columns.h"
#include "table/schema.h"

namespace rankscope {

struct RankRows : Schema<RankRows> {
  IntColumn rank = Int(column::Rank());
  IntColumn capture = Int(column::Capture());
};

}  // namespace rankscope
