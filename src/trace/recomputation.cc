#include "trace/recomputation.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>

#include "trace/autograd_names.h"

namespace rankscope {
namespace {

enum class State : std::uint8_t { kForward, kBackward, kRecomputed };

enum class OpRole : std::uint8_t { kNone, kEngine, kCheckpoint };

OpRole OpRoleOf(std::string_view name) {
  if (name.starts_with(kEvaluateFunction)) return OpRole::kEngine;
  if (name == "CheckpointFunctionBackward") return OpRole::kCheckpoint;
  const bool is_python = name.starts_with("torch/utils/checkpoint.py(");
  return is_python && name.ends_with(": recompute_fn") ? OpRole::kCheckpoint : OpRole::kNone;
}

class RecomputationFinder {
 public:
  explicit RecomputationFinder(const RankTrace& trace)
      : trace_(trace), roles_(trace.strings.size()), states_(trace.row_count(), State::kForward) {
    for (StringId id = 0; id < trace.strings.size(); ++id)
      roles_[id] = OpRoleOf(trace.strings.Get(id));
  }

  std::vector<std::uint8_t> Find() {
    // First without the ops that only their like in forward tells; then with these.
    ForEachHostRow([&](Row row) { states_[row] = StateOf(row); });
    ForEachHostRow([&](Row row) {
      if (states_[row] == State::kForward && RecordsItself(row)) forward_.insert(KeyOf(row));
    });
    bool any = false;
    ForEachHostRow([&](Row row) {
      states_[row] = StateOf(row);
      if (states_[row] == State::kBackward && RecordsItself(row) && forward_.contains(KeyOf(row)))
        states_[row] = State::kRecomputed;
      any = any || states_[row] == State::kRecomputed;
    });
    if (!any) return {};
    std::vector<std::uint8_t> result(states_.size());
    std::transform(states_.begin(), states_.end(), result.begin(),
                   [](State state) { return state == State::kRecomputed; });
    return result;
  }

 private:
  template <typename Visit>
  void ForEachHostRow(const Visit& visit) const {
    for (const Track& track : trace_.tracks) {
      if (track.domain != Domain::kHost) continue;
      for (Row row = track.begin; row < track.end; ++row) visit(row);
    }
  }

  // By the row around it, which comes before, and its own name.
  State StateOf(Row row) const {
    switch (roles_[trace_.name[row]]) {
      case OpRole::kEngine:
        return State::kBackward;
      case OpRole::kCheckpoint:
        return State::kRecomputed;
      case OpRole::kNone:
        break;
    }
    return trace_.parent[row] == kNoRow ? State::kForward : states_[trace_.parent[row]];
  }

  bool RecordsItself(Row row) const {
    if (trace_.kind[row] != EventKind::kCpuOp || trace_.aux[row] == kNoAux) return false;
    const OpArgs& args = trace_.ops[trace_.aux[row]];
    return args.sequence_number >= 0 && args.forward_thread <= 0;
  }
  std::uint64_t KeyOf(Row row) const {
    return std::uint64_t{trace_.name[row]} << 32 | trace_.ops[trace_.aux[row]].input_dims;
  }

  const RankTrace& trace_;
  std::vector<OpRole> roles_;
  std::vector<State> states_;
  boost::unordered_flat_set<std::uint64_t> forward_;
};

}  // namespace

std::vector<std::uint8_t> RecomputedRows(const RankTrace& trace) {
  return RecomputationFinder(trace).Find();
}

}  // namespace rankscope
