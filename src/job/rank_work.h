// RankWork: what a rank does, by the names of its ops and kernels; enough to tell trainers from
// generators, and what an all-to-all is for.
#pragma once

#include "table/schema.h"
#include "trace/trace.h"

namespace rankscope {

struct RankWork {
  std::int64_t ops = 0;               // of any kind, on the host
  std::int64_t backward = 0;          // ops of the autograd engine
  std::int64_t optimizer = 0;         // ops and annotations of an optimizer's step
  std::int64_t attention = 0;         // ops and kernels named after it
  std::int64_t experts = 0;           // grouped matrix products, ops and kernels named after MoE
  std::int64_t embedding_tables = 0;  // embedding bags, table-batched embeddings

  bool trains() const { return backward > 0 || optimizer > 0; }
  RankWork& operator+=(const RankWork& other);
};

// O(rows).
RankWork WorkOf(const RankTrace& trace);

struct RankWorkPartial : Schema {
  IntColumn ops = Int("ops");
  IntColumn backward = Int("backward");
  IntColumn optimizer = Int("optimizer");
  IntColumn attention = Int("attention");
  IntColumn experts = Int("experts");
  IntColumn embedding_tables = Int("embedding_tables");
};

// One row of RankWorkPartial; RankWorkFromTable is its inverse.
Table RankWorkTable(const RankWork& work);
RankWork RankWorkFromTable(const Table& table);

}  // namespace rankscope
