#include "insight/evidence/peers/same_inputs.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

namespace rankscope {

SameInputs::SameInputs(const RuleInput& input, const std::vector<std::uint32_t>& ranks)
    : input_(&input) {
  const auto is_one = [&](std::uint32_t rank) {
    return std::binary_search(ranks.begin(), ranks.end(), rank);
  };
  std::vector<double> own(input.peers().of.size(), 0), others(own);
  for (std::uint32_t rank = 0; rank < input.ranks(); ++rank)
    (is_one(rank) ? own : others)[input.peers().group_of[rank]] += 1;
  const std::size_t kinds = input.graph().kinds().size();
  by_kind_.resize(input.peers().of.size() * kinds);
  const auto steps = static_cast<double>(input.counted().size());
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    const std::uint32_t rank = input.RankOf(node);
    const std::uint32_t group = input.peers().group_of[rank];
    if (kind.work != Work::kCompute || own[group] == 0 || others[group] == 0) return;
    const double part = 1 / (steps * (is_one(rank) ? own : others)[group]);
    const double ns = part * static_cast<double>(input.graph().nodes().DurationOf(node));
    Sums& sums = by_inputs_[KeyOf(node)];
    (is_one(rank) ? sums.own_ns : sums.others_ns) += ns;
    Sums& of_kind = by_kind_[group * kinds + input.graph().nodes().KindOf(node)];
    (is_one(rank) ? of_kind.own_ns : of_kind.others_ns) += ns;
    if (kind.flops > 0) (is_one(rank) ? own_flops_ : others_flops_) += part * kind.flops;
  });
}

SameInputs::Key SameInputs::KeyOf(NodeId node) const {
  const NodeKind& kind = input_->graph().KindOf(node);
  return {input_->peers().group_of[input_->RankOf(node)], kind.op, kind.shapes};
}

bool SameInputs::Hold() const {
  constexpr double kMostly = 0.9, kApart = 0.05;
  double same_ns = 0, own_ns = 0;
  for (const auto& [key, sums] : by_inputs_) {
    if (std::get<2>(key).empty()) continue;
    own_ns += sums.own_ns;
    if (sums.others_ns > 0) same_ns += sums.own_ns;
  }
  return own_ns > 0 && same_ns >= kMostly * own_ns && others_flops_ > 0 &&
         std::abs(own_flops_ - others_flops_) <= kApart * others_flops_;
}

SameInputs::OtherOps SameInputs::OpsOfOneSide() const {
  constexpr double kLongEnough = 0.05;  // of the longest
  std::map<std::string_view, Sums> by_op;
  for (const auto& [key, sums] : by_inputs_) {
    if (std::get<1>(key).empty()) continue;
    Sums& of_op = by_op[std::get<1>(key)];
    of_op.own_ns += sums.own_ns;
    of_op.others_ns += sums.others_ns;
  }
  std::vector<std::pair<double, std::string_view>> these, others;
  for (const auto& [op, sums] : by_op) {
    if (sums.others_ns == 0) these.emplace_back(sums.own_ns, op);
    if (sums.own_ns == 0) others.emplace_back(sums.others_ns, op);
  }
  OtherOps ops;
  for (const auto& [ns, op] : these) ops.these_ns += ns;
  const auto longest_of = [](auto& sides, std::vector<std::string>& names) {
    std::ranges::sort(sides, std::greater<>());
    for (const auto& [ns, op] : sides) {
      if (ns >= kLongEnough * sides.front().first) names.emplace_back(op);
    }
  };
  longest_of(these, ops.these);
  longest_of(others, ops.others);
  return ops;
}

bool SameInputs::HaveOtherKernels() const {
  constexpr double kLeast = 0.01;
  const std::span<const NodeKind> kinds = input_->graph().kinds();
  std::map<std::pair<std::size_t, std::string_view>, Sums> by_name;  // by group of peers
  for (std::size_t i = 0; i < by_kind_.size(); ++i) {
    Sums& sums = by_name[{i / kinds.size(), kinds[i % kinds.size()].name}];
    sums.own_ns += by_kind_[i].own_ns;
    sums.others_ns += by_kind_[i].others_ns;
  }
  double own_ns = 0, other_ns = 0;
  for (const auto& [name, sums] : by_name) {
    own_ns += sums.own_ns;
    if (sums.others_ns == 0) other_ns += sums.own_ns;
  }
  return other_ns > kLeast * own_ns;
}

double SameInputs::ShareOfOthers(NodeId node) const {
  const auto found = by_inputs_.find(KeyOf(node));
  if (found == by_inputs_.end() || found->second.own_ns <= 0 || found->second.others_ns <= 0)
    return 1;
  return std::min(1.0, found->second.others_ns / found->second.own_ns);
}

}  // namespace rankscope
