#include "trace/outer_ops.h"

#include <string_view>

#include "trace/autograd_names.h"

namespace rankscope {
namespace {

constexpr std::string_view kCastEvaluation = "autograd::engine::evaluate_function: ToCopyBackward0";
constexpr std::string_view kCast = "aten::_to_copy";
constexpr std::string_view kOperator = "aten::";

}  // namespace

OuterOps::OuterOps(const RankTrace& trace)
    : trace_(trace),
      is_engine_(trace.strings.size(), 0),
      is_cast_evaluation_(trace.strings.size(), 0) {
  bool has_cast_evaluations = false;
  StringId cast = kEmptyString;
  for (StringId id = 0; id < trace.strings.size(); ++id) {
    const std::string_view name = trace.strings.Get(id);
    is_engine_[id] = name.starts_with(kEvaluateFunction) ? 1 : 0;
    if (name == kCastEvaluation) {
      is_cast_evaluation_[id] = 1;
      has_cast_evaluations = true;
    }
    if (name == kCast) cast = id;
  }
  if (!has_cast_evaluations || cast == kEmptyString) return;
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kHost) continue;
    for (Row row = track.begin; row < track.end; ++row) {
      if (trace.name[row] != cast || trace.kind[row] != EventKind::kCpuOp ||
          trace.aux[row] == kNoAux)
        continue;
      const OpArgs& args = trace.ops[trace.aux[row]];
      if (args.sequence_number >= 0 && args.forward_thread <= 0)
        casts_[args.sequence_number].push_back(row);
    }
  }
}

Row OuterOps::Around(Row op) const {
  Row outer = op;
  for (Row at = op; at != kNoRow && trace_.kind[at] == EventKind::kCpuOp; at = trace_.parent[at]) {
    if (is_engine_[trace_.name[at]] != 0) {
      // What is no node's: the engine casts a gradient to the type of what it is of.
      if (trace_.name_of(outer).starts_with(kOperator)) return at;
      const Row cast = is_cast_evaluation_[trace_.name[at]] != 0 ? CastOf(at) : kNoRow;
      return cast == kNoRow ? kNoRow : AroundForward(cast);
    }
    outer = at;
  }
  return outer == op ? kNoRow : outer;
}

Row OuterOps::AroundForward(Row op) const {
  Row outer = op;
  for (Row at = trace_.parent[op];
       at != kNoRow && trace_.kind[at] == EventKind::kCpuOp && is_engine_[trace_.name[at]] == 0;
       at = trace_.parent[at])
    outer = at;
  return outer;
}

// The last cast of that number before it: another thread's forward may have the same numbers.
Row OuterOps::CastOf(Row evaluation) const {
  if (trace_.aux[evaluation] == kNoAux) return kNoRow;
  const auto found = casts_.find(trace_.ops[trace_.aux[evaluation]].sequence_number);
  if (found == casts_.end()) return kNoRow;
  Row last = kNoRow;
  for (const Row row : found->second) {
    if (trace_.ts_ns[row] <= trace_.ts_ns[evaluation] &&
        (last == kNoRow || trace_.ts_ns[row] > trace_.ts_ns[last]))
      last = row;
  }
  return last;
}

}  // namespace rankscope
