#include "job/group_traffic.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "job/split_sizes.h"

namespace rankscope {
namespace {

// Members are alike: the traffic of a few says what the group is for.
constexpr std::int64_t kMembersLookedAt = 4;
// Buffers of less than this per step are norms, losses and flags.
constexpr double kSmallBytes = 64 * 1024;

bool IsSend(CollectiveOp op) {
  return op == CollectiveOp::kSend || op == CollectiveOp::kReceive ||
         op == CollectiveOp::kSendReceive;
}

std::size_t Index(CollectiveOp op) { return static_cast<std::size_t>(op); }
std::size_t Index(StepPart part) { return static_cast<std::size_t>(part); }

// Who sends to whom in a group, and whether in the backward, too.
class Ways {
 public:
  void Add(std::int64_t from, std::int64_t to, StepPart part) {
    ways_.insert({from, to});
    ++(part == StepPart::kBackward ? in_backward_ : elsewhere_);
  }
  // `recorded` ranks of the group were.
  bool IsRing(std::int64_t recorded) const {
    std::set<std::int64_t> ranks;
    std::set<std::pair<std::int64_t, std::int64_t>> between;
    for (const auto& [from, to] : ways_) {
      ranks.insert({from, to});
      between.insert(std::minmax(from, to));
    }
    // A chain, whose last member sends nothing to the first. Between two that were not recorded
    // something may be sent.
    if (ranks.size() > 2 && static_cast<std::int64_t>(ranks.size()) == recorded &&
        between.size() < ranks.size())
      return false;
    // Pipelines send activations and gradients between passes; attention over a ring does so
    // inside of them, thus also inside autograd.
    if (std::min(in_backward_, elsewhere_) * 5 >= in_backward_ + elsewhere_) return !ways_.empty();
    for (const auto& [from, to] : ways_) {
      if (ways_.contains({to, from})) return false;
    }
    return !ways_.empty() && ways_.size() == ranks.size();
  }

 private:
  std::set<std::pair<std::int64_t, std::int64_t>> ways_;
  std::int64_t in_backward_ = 0;
  std::int64_t elsewhere_ = 0;
};

// Adds up one group's events, which come by rank.
class GroupSum {
 public:
  GroupSum(const JobCollectives& all, std::span<const RankWork> work, std::uint32_t group)
      : all_(all), work_(work), members_(all.groups()[group].Members()) {}

  void Add(const CollectiveEvent& event) {
    const std::int64_t rank = all_.ranks()[event.rank].rank;
    if (event.op == CollectiveOp::kSend && event.peer >= 0) ways_.Add(rank, event.peer, event.part);
    if (event.op == CollectiveOp::kReceive && event.peer >= 0)
      ways_.Add(event.peer, rank, event.part);
    if (rank_ != event.rank) {
      CloseRank();
      rank_ = event.rank;
      ++traffic_.members;
    }
    if (traffic_.members > kMembersLookedAt) return;
    steps_.insert(event.step);
    Flow& flow = traffic_.flows[Index(event.op)][Index(event.part)];
    ++flow.count;
    const auto element = BytesOfCollectiveDtype(all_.text(event.dtype));
    const auto bytes =
        element ? BufferBytes(event.op, event.in, event.out, *element, members_) : std::nullopt;
    flow.bytes += static_cast<double>(bytes.value_or(0));
    if (event.op == CollectiveOp::kAllReduce) ++sizes_[{event.dtype, event.in}][Index(event.part)];
    if (event.op == CollectiveOp::kAllToAll && event.part == StepPart::kForward) AddExchange(event);
  }

  GroupTraffic Done() {
    CloseRank();
    const auto steps = static_cast<double>(std::max<std::int64_t>(traffic_.rank_steps, 1));
    for (auto& parts : traffic_.flows) {
      for (Flow& flow : parts) {
        flow.count /= steps;
        flow.bytes /= steps;
      }
    }
    const auto most =
        std::max_element(sizes_.begin(), sizes_.end(), [](const auto& a, const auto& b) {
          const auto sum = [](const auto& counts) { return counts[0] + counts[1] + counts[2]; };
          return sum(a.second) < sum(b.second);
        });
    if (most != sizes_.end()) {
      traffic_.same_in_forward =
          static_cast<double>(most->second[Index(StepPart::kForward)]) / steps;
      traffic_.same_in_backward =
          static_cast<double>(most->second[Index(StepPart::kBackward)]) / steps;
    }
    if (exchanged_ > 0) traffic_.uneven_exchanges = uneven_ / exchanged_;
    if (exchange_count_ > 0) {
      traffic_.different_exchanges =
          static_cast<double>(different_) / static_cast<double>(exchange_count_);
    }
    traffic_.is_ring = ways_.IsRing(traffic_.members);
    traffic_.members = std::min(traffic_.members, kMembersLookedAt);
    return traffic_;
  }

 private:
  void CloseRank() {
    traffic_.rank_steps += static_cast<std::int64_t>(steps_.size());
    steps_.clear();
    different_ += static_cast<std::int64_t>(exchanges_.size());
    exchanges_.clear();
    if (const auto& attention = AttentionOfRank(); attention && first_exchange_) {
      ++(*first_exchange_ < attention->begin_ns ? traffic_.exchanges_first
                                                : traffic_.attention_first);
    }
    first_exchange_.reset();
  }

  // Of the rank whose events come.
  std::optional<FirstAttention> AttentionOfRank() const {
    return rank_ < work_.size() ? work_[rank_].first_attention : std::nullopt;
  }

  void AddExchange(const CollectiveEvent& event) {
    ++exchange_count_;
    exchanges_.insert({event.in, event.out, event.in_split, event.out_split});
    const auto size = static_cast<double>(std::max<std::int64_t>({event.in, event.out, 1}));
    exchanged_ += size;
    if (IsUneven(event)) uneven_ += size;
    if (const auto attention = AttentionOfRank(); attention && attention->step == event.step) {
      first_exchange_ = std::min(first_exchange_.value_or(event.start_ns), event.start_ns);
    }
  }

  bool IsUneven(const CollectiveEvent& event) const {
    const auto differ = [&](std::uint32_t text, std::int64_t elements) {
      const std::vector<std::int64_t> splits = SplitsOf(all_.text(text), elements, members_);
      return std::adjacent_find(splits.begin(), splits.end(), std::not_equal_to<>()) !=
             splits.end();
    };
    return event.in != event.out || differ(event.in_split, event.in) ||
           differ(event.out_split, event.out);
  }

  const JobCollectives& all_;
  std::span<const RankWork> work_;
  std::int64_t members_ = 0;
  GroupTraffic traffic_;
  Ways ways_;
  std::uint32_t rank_ = UINT32_MAX;
  std::set<std::int64_t> steps_;
  std::map<std::pair<std::uint32_t, std::int64_t>, std::array<std::int64_t, kStepPartCount>> sizes_;
  std::set<std::tuple<std::int64_t, std::int64_t, std::uint32_t, std::uint32_t>> exchanges_;
  std::int64_t exchange_count_ = 0;
  std::int64_t different_ = 0;
  double exchanged_ = 0;
  double uneven_ = 0;
  std::optional<std::int64_t> first_exchange_;  // of the rank, in the step of its first attention
};

}  // namespace

double GroupTraffic::Count(CollectiveOp op, StepPart part) const {
  return flows[Index(op)][Index(part)].count;
}

double GroupTraffic::Count(CollectiveOp op) const {
  double count = 0;
  for (const Flow& flow : flows[Index(op)]) count += flow.count;
  return count;
}

double GroupTraffic::Bytes() const {
  double bytes = 0;
  for (const auto& parts : flows) {
    for (const Flow& flow : parts) bytes += flow.bytes;
  }
  return bytes;
}

std::vector<GroupTraffic> TrafficOfGroups(const JobCollectives& all,
                                          std::span<const RankWork> work) {
  std::vector<GroupTraffic> traffic(all.groups().size());
  const std::vector<CollectiveEvent>& events = all.events();
  for (std::size_t i = 0; i < events.size();) {
    const std::uint32_t group = events[i].group;
    GroupSum sum(all, work, group);
    for (; i < events.size() && events[i].group == group; ++i) sum.Add(events[i]);
    traffic[group] = sum.Done();
  }
  return traffic;
}

std::string_view ToString(TrafficKind kind) {
  static constexpr std::array<std::string_view, 10> kTexts = {
      "next to nothing",
      "activations reduced in forward and backward",
      "sends between neighbours",
      "sends round a ring",
      "all-to-all of tokens",
      "all-to-all around attention",
      "all-to-all of embedding tables",
      "gathered in forward, reduced and scattered in backward",
      "gradients reduced in or behind the backward",
      "unclear traffic"};
  return kTexts[static_cast<std::size_t>(kind)];
}

namespace {

TrafficKind KindOfExchanges(const GroupTraffic& traffic, const RankWork& work) {
  if (work.embedding_tables > 0 && work.experts == 0) return TrafficKind::kTables;
  if (traffic.uneven_exchanges >= 0.5 && traffic.different_exchanges >= 0.3)
    return TrafficKind::kExperts;
  // Even shares: routers with a capacity, or sequences.
  if (traffic.exchanges_first != traffic.attention_first) {
    return traffic.exchanges_first > traffic.attention_first ? TrafficKind::kSequence
                                                             : TrafficKind::kExperts;
  }
  return work.experts > 0 ? TrafficKind::kExperts : TrafficKind::kUnclear;
}

TrafficKind KindWithoutExchanges(const GroupTraffic& traffic, const RankWork& work) {
  constexpr auto kForward = StepPart::kForward;
  if (traffic.Bytes() < kSmallBytes) return TrafficKind::kNone;
  // Forward and backward are told by the host's ops.
  if (work.ops == 0) return TrafficKind::kUnclear;
  const double reduces = traffic.Count(CollectiveOp::kAllReduce);
  const double scatters = traffic.Count(CollectiveOp::kReduceScatter);
  if (traffic.Count(CollectiveOp::kReduceScatter, kForward) >= 1 &&
      traffic.Count(CollectiveOp::kAllGather, kForward) >= 1)
    return TrafficKind::kTensor;  // with sequence parallelism
  const bool repeats = traffic.same_in_forward >= 2 && traffic.same_in_forward * 4 >= reduces;
  if (repeats && (traffic.same_in_backward >= 2 || !work.trains())) return TrafficKind::kTensor;
  const double gathers = traffic.Count(CollectiveOp::kAllGather);
  if (scatters >= 1 && gathers >= 1) return TrafficKind::kSharded;
  const double reduced_late =
      reduces - traffic.Count(CollectiveOp::kAllReduce, kForward) + scatters;
  if (work.trains() && reduced_late >= 1 && reduced_late * 2 >= reduces + scatters)
    return TrafficKind::kGradients;
  return TrafficKind::kUnclear;
}

}  // namespace

std::vector<TrafficKind> KindsOf(const GroupTraffic& traffic, const RankWork& work) {
  double sends = 0;
  double all = 0;
  for (int op = 0; op < kCollectiveOpCount; ++op) {
    const double count = traffic.Count(static_cast<CollectiveOp>(op));
    all += count;
    sends += IsSend(static_cast<CollectiveOp>(op)) ? count : 0;
  }
  if (all == 0) return {TrafficKind::kNone};
  if (sends * 2 >= all) return {traffic.is_ring ? TrafficKind::kRing : TrafficKind::kPipeline};
  const double exchanges = traffic.Count(CollectiveOp::kAllToAll);
  if (exchanges * 3 < all) return {KindWithoutExchanges(traffic, work)};
  std::vector<TrafficKind> kinds = {KindOfExchanges(traffic, work)};
  GroupTraffic others = traffic;
  others.flows[Index(CollectiveOp::kAllToAll)] = {};
  const TrafficKind other = KindWithoutExchanges(others, work);
  if (other == TrafficKind::kGradients || other == TrafficKind::kSharded) kinds.push_back(other);
  return kinds;
}

}  // namespace rankscope
