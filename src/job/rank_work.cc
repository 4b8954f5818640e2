#include "job/rank_work.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "base/saturating.h"
#include "trace/step_part.h"

namespace rankscope {
namespace {

struct Kind {
  std::int64_t RankWork::*count;
  std::array<std::string_view, 4> words;  // in lower case; a name that holds any of them is of it
};
constexpr std::array kKinds = {
    Kind{&RankWork::optimizer, {"optimizer.step", "_fused_adam", "_foreach_addcdiv", "fusedadam"}},
    Kind{&RankWork::attention, {"attention", "flash_fwd", "flash_bwd", "fmha"}},
    Kind{&RankWork::experts, {"grouped_mm", "grouped_gemm", "groupgemm", "moe"}},
    Kind{&RankWork::embedding_tables,
         {"embedding_bag", "embeddingbag", "split_embedding", "batched_embedding"}},
};

}  // namespace

RankWork WorkOf(const RankTrace& trace) {
  constexpr std::uint8_t kNone = 0xFF;
  constexpr std::uint8_t kBackward = kKinds.size();
  std::vector<std::uint8_t> kinds(trace.strings.size(), kNone);
  std::string lower;
  for (StringId id = 0; id < kinds.size(); ++id) {
    const std::string_view name = trace.strings.Get(id);
    if (IsAutogradOp(name)) {
      kinds[id] = kBackward;
      continue;
    }
    lower.assign(name);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (std::uint8_t i = 0; i < kKinds.size() && kinds[id] == kNone; ++i) {
      const auto& words = kKinds[i].words;
      if (std::any_of(words.begin(), words.end(),
                      [&](std::string_view word) { return lower.find(word) != std::string::npos; }))
        kinds[id] = i;
    }
  }
  RankWork work;
  for (Row row = 0; row < trace.row_count(); ++row) {
    work.ops += trace.kind[row] == EventKind::kCpuOp ? 1 : 0;
    const std::uint8_t kind = kinds[trace.name[row]];
    const bool may_say = trace.kind[row] == EventKind::kCpuOp ||
                         trace.kind[row] == EventKind::kUserAnnotation ||
                         trace.kind[row] == EventKind::kKernel;
    if (kind == kNone || !may_say) continue;
    if (kind == kBackward) {
      work.backward += trace.kind[row] == EventKind::kCpuOp ? 1 : 0;
    } else {
      ++(work.*kKinds[kind].count);
    }
  }
  return work;
}

RankWork& RankWork::operator+=(const RankWork& other) {
  AddSaturating(ops, other.ops);
  AddSaturating(backward, other.backward);
  AddSaturating(optimizer, other.optimizer);
  AddSaturating(attention, other.attention);
  AddSaturating(experts, other.experts);
  AddSaturating(embedding_tables, other.embedding_tables);
  return *this;
}

Table RankWorkTable(const RankWork& work) {
  const auto& columns = SchemaOf<RankWorkPartial>();
  Table table = columns.NewPartial("work");
  table.Add({columns.ops = work.ops, columns.backward = work.backward,
             columns.optimizer = work.optimizer, columns.attention = work.attention,
             columns.experts = work.experts, columns.embedding_tables = work.embedding_tables});
  return table;
}

RankWork RankWorkFromTable(const Table& table) {
  if (table.row_count() == 0) return {};
  const auto& columns = SchemaOf<RankWorkPartial>();
  return {.ops = table.Int(0, columns.ops),
          .backward = table.Int(0, columns.backward),
          .optimizer = table.Int(0, columns.optimizer),
          .attention = table.Int(0, columns.attention),
          .experts = table.Int(0, columns.experts),
          .embedding_tables = table.Int(0, columns.embedding_tables)};
}

}  // namespace rankscope
