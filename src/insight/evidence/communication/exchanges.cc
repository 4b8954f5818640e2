#include "insight/evidence/communication/exchanges.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/median.h"
#include "insight/base/cause_tools.h"
#include "insight/evidence/setting/hosts.h"

namespace rankscope {

bool IsOfGradients(CollectiveOp op) {
  return op == CollectiveOp::kAllReduce || op == CollectiveOp::kReduceScatter;
}

std::set<std::uint32_t> DataParallelGroups(const RuleInput& input) {
  std::set<std::uint32_t> groups;
  for (const RoleLayout& role : input.across().layout().roles) {
    const DimensionFit& fit = role.Of(Dimension::kData);
    groups.insert(fit.groups.begin(), fit.groups.end());
  }
  return groups;
}

std::set<std::uint32_t> NamedGroupsOfLayers(const RuleInput& input) {
  std::set<std::uint32_t> groups;
  for (const RoleLayout& role : input.across().layout().roles) {
    for (const Dimension of : {Dimension::kTensor, Dimension::kContext, Dimension::kExpert}) {
      if (role.Of(of).source == LayoutSource::kNames)
        groups.insert(role.Of(of).groups.begin(), role.Of(of).groups.end());
    }
  }
  return groups;
}

Exchanges::Exchanges(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  const JobCollectives& collectives = input.across().collectives();
  const auto& hosts = input.Shared<Hosts>();
  std::map<std::tuple<CollectiveOp, std::int64_t, std::string, std::size_t, std::size_t>,
           std::uint32_t>
      likes;
  for (std::uint32_t i = 0; i < graph.meetings().size(); ++i) {
    const JobGraph::Meeting& meeting = graph.meetings()[i];
    if (meeting.count == 0) continue;
    Exchange exchange;
    exchange.meeting = i;
    std::vector<std::int64_t> transfers;
    for (const NodeId node : graph.MembersOf(meeting)) {
      exchange.ranks.push_back(input.RankOf(node));
      if (!graph.IsEager(node)) transfers.push_back(graph.nodes()[node].duration_ns);
      if (exchange.step == kNoStep) exchange.step = graph.StepOf(node);
      exchange.counts = exchange.counts || input.Counts(node);
    }
    std::sort(exchange.ranks.begin(), exchange.ranks.end());
    exchange.transfer_ns = MedianOf(transfers);
    std::string kind = "send";
    if (meeting.collective != UINT32_MAX) {
      const JobCollective& of = collectives.collectives()[meeting.collective];
      exchange.group = of.group;
      exchange.op = of.op;
      exchange.bytes = collectives.BytesOf(of).value_or(-1);
      exchange.is_whole = !collectives.LacksMembers(of);
      kind = collectives.groups()[of.group].Kind();
    } else {
      exchange.op = CollectiveOp::kSendReceive;
    }
    // Uneven all-to-alls are of one size hardly ever: those within a tenth are alike.
    const std::int64_t size =
        exchange.bytes <= 0
            ? exchange.bytes
            : std::llround(std::log(static_cast<double>(exchange.bytes)) / std::log(1.1));
    const auto key =
        std::tuple(exchange.op, size, kind, exchange.ranks.size(), hosts.Spanned(exchange.ranks));
    const auto [found, is_new] = likes.try_emplace(key, static_cast<std::uint32_t>(alike_.size()));
    if (is_new) alike_.emplace_back();
    exchange.like = found->second;
    if (exchange.counts) alike_[exchange.like].push_back(static_cast<std::uint32_t>(all_.size()));
    all_.push_back(std::move(exchange));
  }
}

std::int64_t Exchanges::MedianTransfer(const std::vector<std::uint32_t>& exchanges) const {
  std::vector<std::int64_t> transfers;
  transfers.reserve(exchanges.size());
  for (const std::uint32_t i : exchanges) transfers.push_back(all_[i].transfer_ns);
  return MedianOf(transfers);
}

void Exchanges::SetTransfer(const JobGraph& graph, const Exchange& exchange, std::int64_t ns,
                            Scenario& scenario) {
  for (const NodeId node : MembersOf(graph, exchange)) {
    if (graph.IsEager(node)) continue;
    const double part = exchange.transfer_ns <= 0
                            ? 1
                            : static_cast<double>(graph.nodes()[node].duration_ns) /
                                  static_cast<double>(exchange.transfer_ns);
    scenario.SetDuration(node, static_cast<std::int64_t>(part * static_cast<double>(ns)));
  }
}

std::string Exchanges::Describe(const RuleInput& input, const Exchange& exchange) {
  const std::string bytes =
      exchange.bytes < 0 ? ""
                         : fmt::format(" of {:.3g} MB", static_cast<double>(exchange.bytes) / 1e6);
  if (exchange.op == CollectiveOp::kSendReceive) return "sends" + bytes;
  return fmt::format("{}{} in {}", ToString(exchange.op), bytes,
                     input.across().collectives().groups()[exchange.group].Kind());
}

}  // namespace rankscope
