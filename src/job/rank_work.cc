#include "job/rank_work.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/letter_case.h"
#include "base/saturating.h"
#include "job/named_layout.h"
#include "trace/step_part.h"

namespace rankscope {

template const RankWorkPartial& SchemaOf<RankWorkPartial>();
namespace {

struct Kind {
  std::int64_t RankWork::*count;
  std::array<std::string_view, 5> words;  // in lower case; a name that holds any of them is of it
};
constexpr std::array kKinds = {
    Kind{&RankWork::optimizer, {"optimizer.step", "_fused_adam", "_foreach_addcdiv", "fusedadam"}},
    Kind{&RankWork::attention, {"attention", "flash_fwd", "flash_bwd", "fmha", "sdpa"}},
    Kind{&RankWork::experts, {"grouped_mm", "grouped_gemm", "groupgemm", "moe"}},
    Kind{&RankWork::embedding_tables,
         {"embedding_bag", "embeddingbag", "split_embedding", "batched_embedding"}},
};

constexpr std::uint8_t kNone = 0xFF;
constexpr std::uint8_t kBackward = kKinds.size();
constexpr std::uint8_t kAttention = 1;
static_assert(kKinds[kAttention].count == &RankWork::attention);

// By the names' ids: a place in kKinds, kBackward or kNone.
std::vector<std::uint8_t> KindsOfNames(const RankTrace& trace) {
  std::vector<std::uint8_t> kinds(trace.strings.size(), kNone);
  for (StringId id = 0; id < kinds.size(); ++id) {
    const std::string_view name = trace.strings.Get(id);
    if (IsAutogradOp(name)) {
      kinds[id] = kBackward;
      continue;
    }
    const std::string lower = LowerCase(name);
    for (std::uint8_t i = 0; i < kKinds.size() && kinds[id] == kNone; ++i) {
      const auto& words = kKinds[i].words;
      if (std::any_of(words.begin(), words.end(), [&](std::string_view word) {
            return !word.empty() && lower.find(word) != std::string::npos;
          }))
        kinds[id] = i;
    }
  }
  return kinds;
}

// Kernels of attention are those named after it and those that an op named after it launches.
std::optional<FirstAttention> FirstAttentionOf(const RankTrace& trace,
                                               const std::vector<std::uint8_t>& kinds) {
  std::vector<bool> is_inside(trace.row_count());  // of a host's op of attention
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kHost) continue;
    for (Row row = track.begin; row < track.end; ++row) {
      const Row around = trace.parent[row];
      is_inside[row] =
          (trace.kind[row] == EventKind::kCpuOp && kinds[trace.name[row]] == kAttention) ||
          (around != kNoRow && is_inside[around]);
    }
  }
  struct OfStep {
    std::int64_t kernels = 0;
    std::int64_t begin_ns = 0;
  };
  std::vector<OfStep> steps(trace.steps.size());
  for (Row row = 0; row < trace.row_count(); ++row) {
    const Row call = trace.kind[row] == EventKind::kKernel ? trace.link[row] : kNoRow;
    if (call == kNoRow || (kinds[trace.name[row]] != kAttention && !is_inside[call])) continue;
    const int index = trace.StepAt(trace.ts_ns[call]);
    if (index < 0) continue;
    OfStep& step = steps[static_cast<std::size_t>(index)];
    if (step.kernels++ == 0 || trace.ts_ns[row] < step.begin_ns) step.begin_ns = trace.ts_ns[row];
  }
  std::size_t most = steps.size();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].kernels > 0 && (most == steps.size() || steps[i].kernels >= steps[most].kernels))
      most = i;
  }
  if (most == steps.size()) return std::nullopt;
  return FirstAttention{trace.steps[most].number,
                        SaturatingAdd(trace.meta.base_ns, steps[most].begin_ns)};
}

std::string_view ProcessOf(const RankTrace& trace) {
  for (const Track& track : trace.tracks) {
    const std::string_view name = trace.strings.Get(track.process);
    if (!NumbersInName(name).empty()) return name;
  }
  return {};
}

}  // namespace

RankWork WorkOf(const RankTrace& trace) {
  const std::vector<std::uint8_t> kinds = KindsOfNames(trace);
  RankWork work;
  work.first_attention = FirstAttentionOf(trace, kinds);
  work.process = ProcessOf(trace);
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
  AddSaturating(device_rows, other.device_rows);
  AddSaturating(backward, other.backward);
  AddSaturating(optimizer, other.optimizer);
  AddSaturating(attention, other.attention);
  AddSaturating(experts, other.experts);
  AddSaturating(embedding_tables, other.embedding_tables);
  // The same whatever order the recordings come in.
  const auto later = [](const FirstAttention& a, const FirstAttention& b) {
    return std::pair(a.step, a.begin_ns) > std::pair(b.step, b.begin_ns);
  };
  if (other.first_attention &&
      (!first_attention || later(*other.first_attention, *first_attention)))
    first_attention = other.first_attention;
  if (process.empty() || (!other.process.empty() && other.process < process))
    process = other.process;
  return *this;
}

Table RankWorkTable(const RankWork& work) {
  const auto& columns = SchemaOf<RankWorkPartial>();
  auto table = columns.NewPartial("work");
  table.Add({columns.ops = work.ops, columns.device_rows = work.device_rows,
             columns.backward = work.backward, columns.optimizer = work.optimizer,
             columns.attention = work.attention, columns.experts = work.experts,
             columns.embedding_tables = work.embedding_tables,
             columns.attention_step =
                 work.first_attention ? Value(work.first_attention->step) : Value(kNull),
             columns.attention_ns =
                 work.first_attention ? Value(work.first_attention->begin_ns) : Value(kNull),
             columns.process = std::string_view(work.process)});
  return table;
}

RankWork RankWorkFromTable(ViewOf<RankWorkPartial> table) {
  if (table.row_count() == 0) return {};
  const auto& columns = SchemaOf<RankWorkPartial>();
  const auto step = table.Known(0, columns.attention_step);
  const auto begin = table.Known(0, columns.attention_ns);
  return {.ops = table.Int(0, columns.ops),
          .device_rows = table.Int(0, columns.device_rows),
          .backward = table.Int(0, columns.backward),
          .optimizer = table.Int(0, columns.optimizer),
          .attention = table.Int(0, columns.attention),
          .experts = table.Int(0, columns.experts),
          .embedding_tables = table.Int(0, columns.embedding_tables),
          .first_attention =
              step && begin ? std::optional(FirstAttention{*step, *begin}) : std::nullopt,
          .process = std::string(table.String(0, columns.process))};
}

}  // namespace rankscope
