// RankWork: what a rank does, by the names of its ops and kernels. It distinguishes trainers from
// generators, and shows the purpose of an all-to-all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "table/schema.h"
#include "trace/trace.h"

namespace rankscope {

// When a step computes attention for the first time.
struct FirstAttention {
  std::int64_t step = 0;      // its number
  std::int64_t begin_ns = 0;  // of the kernel, of the rank's clock, since the epoch
  friend bool operator==(const FirstAttention&, const FirstAttention&) = default;
};

struct RankWork {
  std::int64_t ops = 0;               // of any kind, on the host
  std::int64_t device_rows = 0;       // work of devices of which it is known when they worked
  std::int64_t backward = 0;          // ops of the autograd engine
  std::int64_t optimizer = 0;         // ops and annotations of an optimizer's step
  std::int64_t attention = 0;         // ops and kernels named after it
  std::int64_t experts = 0;           // grouped matrix products, ops and kernels named after MoE
  std::int64_t embedding_tables = 0;  // embedding bags, table-batched embeddings

  // Of the completely recorded step with the most attention kernels; if there are several, the
  // latest.
  std::optional<FirstAttention> first_attention = std::nullopt;
  // The trace's name of the process, if it names dimensions (named_layout.h).
  std::string process = {};

  bool trains() const { return backward > 0 || optimizer > 0; }
  RankWork& operator+=(const RankWork& other);
};

// All but device_rows. O(rows).
RankWork WorkOf(const RankTrace& trace);

struct RankWorkPartial : Schema<RankWorkPartial> {
  IntColumn ops = Int("ops");
  IntColumn device_rows = Int("device_rows");
  IntColumn backward = Int("backward");
  IntColumn optimizer = Int("optimizer");
  IntColumn attention = Int("attention");
  IntColumn experts = Int("experts");
  IntColumn embedding_tables = Int("embedding_tables");
  IntColumn attention_step = Int("attention_step", "", "null: without kernels of attention");
  IntColumn attention_ns = Int("attention_ns", "ns");
  StringColumn process = Text("process");
};
extern template const RankWorkPartial& SchemaOf<RankWorkPartial>();

// One row of RankWorkPartial; RankWorkFromTable is its inverse.
Table RankWorkTable(const RankWork& work);
RankWork RankWorkFromTable(ViewOf<RankWorkPartial> table);

}  // namespace rankscope
