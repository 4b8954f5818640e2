#include "job/job_layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "job/rank_list.h"

namespace rankscope {
namespace {

constexpr double kByNames = 0.95;
constexpr double kByRest = 0.5;
constexpr double kPerConflict = 0.6;

// Groups of one purpose and size, of which no rank is in two.
struct Family {
  std::int64_t size = 0;
  std::vector<std::uint32_t> groups;
  double bytes = 0;          // per rank and step, the mean of its groups
  std::int64_t covered = 0;  // ranks of the role that were seen and belong to one of them
  bool by_name = false;
  GroupLabel label;
  TrafficKind kind = TrafficKind::kNone;
};

// How sure one may be of what traffic says.
double ConfidenceOf(TrafficKind kind) {
  switch (kind) {
    case TrafficKind::kPipeline:
    case TrafficKind::kTensor:
    case TrafficKind::kGradients:
      return 0.85;
    case TrafficKind::kExperts:
    case TrafficKind::kSharded:
    case TrafficKind::kRing:
      return 0.75;
    default:
      return 0.6;
  }
}

// Whether groups of this dimension exchange so.
bool Fits(Dimension dimension, TrafficKind kind) {
  switch (dimension) {
    case Dimension::kTensor:
      return kind == TrafficKind::kTensor;
    case Dimension::kPipeline:
      return kind == TrafficKind::kPipeline;
    case Dimension::kExpert:
      return kind == TrafficKind::kExperts;
    case Dimension::kContext:
      return kind == TrafficKind::kRing || kind == TrafficKind::kSequence;
    case Dimension::kData:
      return kind == TrafficKind::kGradients || kind == TrafficKind::kSharded;
  }
  return false;
}

// Whether groups of this name exchange so.
bool FitsName(const GroupLabel& label, TrafficKind kind) {
  for (int i = 0; i < kDimensionCount; ++i) {
    const auto dimension = static_cast<Dimension>(i);
    if (label.dimensions.Has(dimension) && Fits(dimension, kind)) return true;
  }
  return false;
}

// Lays out the ranks of one role.
class Solver {
 public:
  Solver(const JobCollectives& all, const std::vector<GroupTraffic>& traffic,
         std::span<const RankWork> work, std::vector<std::uint32_t> members, RankRole role,
         std::int64_t ranks)
      : all_(all), members_(std::move(members)) {
    layout_.role = role;
    layout_.seen = static_cast<std::int64_t>(members_.size());
    layout_.ranks = std::max(ranks, layout_.seen);
    for (const std::uint32_t member : members_) {
      const std::int64_t rank = all.ranks()[member].rank;
      seen_[rank] = member;
    }
    CollectFamilies(traffic, work);
  }

  RoleLayout Solve(std::vector<RankPlace>* places) {
    tensor_ = Choose(Dimension::kTensor);
    pipeline_ = Choose(Dimension::kPipeline);
    context_ = Choose(Dimension::kContext);
    expert_ = Choose(Dimension::kExpert);
    ChooseData();
    for (const auto& [dimension, family] :
         {std::pair{Dimension::kTensor, tensor_}, std::pair{Dimension::kPipeline, pipeline_},
          std::pair{Dimension::kContext, context_}, std::pair{Dimension::kExpert, expert_}})
      State(dimension, family);
    StateData();
    CheckProduct();
    Place(places);
    for (DimensionFit& fit : layout_.dimensions) {
      for (std::size_t i = 0; i < fit.conflicts.size(); ++i) fit.confidence *= kPerConflict;
    }
    return layout_;
  }

 private:
  DimensionFit& Fit(Dimension dimension) {
    return layout_.dimensions[static_cast<std::size_t>(dimension)];
  }
  std::int64_t Degree(Dimension dimension) { return Fit(dimension).degree; }
  const std::vector<std::int64_t>& RanksOf(std::uint32_t group) const {
    return all_.groups()[group].ranks;
  }
  std::int64_t SizeOf(std::uint32_t group) const {
    const JobGroup& stated = all_.groups()[group];
    return std::max(stated.size, static_cast<std::int64_t>(stated.ranks.size()));
  }

  // Distances of the members from the first; empty when members are not known.
  static std::string PatternOf(const JobGroup& group, std::int64_t size) {
    if (static_cast<std::int64_t>(group.ranks.size()) != size) return {};
    std::vector<std::int64_t> distances = group.ranks;
    std::sort(distances.begin(), distances.end());
    const std::int64_t first = distances.front();
    for (std::int64_t& distance : distances) distance -= first;
    return PackRanks(distances);
  }

  // Nameless groups of one kind and size may serve two purposes: then their ranks lie apart
  // differently. Names are one family whatever traffic some of its groups had.
  using FamilyKey = std::tuple<bool, std::string, TrafficKind, std::int64_t>;
  struct Collected {
    Family family;
    std::set<std::int64_t> ranks;
  };

  // "tp:0" and "tp:1" are called after the same dimension.
  static std::string WithoutNumbers(std::string description) {
    std::erase_if(description, [](char c) { return c >= '0' && c <= '9'; });
    return description;
  }

  // Of several kinds the one that the name expects.
  static TrafficKind KindFor(const GroupLabel& label, const std::vector<TrafficKind>& kinds) {
    for (const TrafficKind kind : kinds) {
      if (FitsName(label, kind)) return kind;
    }
    return kinds.front();
  }

  void CollectFamilies(const std::vector<GroupTraffic>& traffic, std::span<const RankWork> work) {
    std::map<FamilyKey, Collected> found;
    for (std::uint32_t group = 0; group < all_.groups().size(); ++group) {
      const JobGroup& stated = all_.groups()[group];
      const std::int64_t size = SizeOf(group);
      if (size < 2 || size > kMostGroupRanks) continue;
      const auto first = std::find_if(stated.ranks.begin(), stated.ranks.end(),
                                      [&](std::int64_t rank) { return seen_.contains(rank); });
      if (first == stated.ranks.end()) continue;
      const std::vector<TrafficKind> kinds =
          KindsOf(traffic[group], work[seen_.find(*first)->second]);
      const GroupLabel label = LabelOf(stated.description);
      const double bytes = traffic[group].Bytes();
      if (!label.dimensions.empty()) {
        const FamilyKey key{true, WithoutNumbers(stated.description), TrafficKind::kNone, size};
        AddGroup(group, label, KindFor(label, kinds), bytes, &found[key]);
        continue;
      }
      for (const TrafficKind kind : kinds) {
        if (kind == TrafficKind::kNone) continue;
        AddGroup(group, label, kind, bytes, &found[{false, PatternOf(stated, size), kind, size}]);
      }
    }
    for (auto& [key, collected] : found) {
      collected.family.bytes /= static_cast<double>(collected.family.groups.size());
      families_.push_back(std::move(collected.family));
    }
  }

  void AddGroup(std::uint32_t group, const GroupLabel& label, TrafficKind kind, double bytes,
                Collected* collected) {
    const std::vector<std::int64_t>& ranks = RanksOf(group);
    // A rank is in one group of a dimension only; two groups of the same ranks are as one.
    if (std::any_of(ranks.begin(), ranks.end(),
                    [&](std::int64_t rank) { return collected->ranks.contains(rank); }))
      return;
    collected->ranks.insert(ranks.begin(), ranks.end());
    Family& family = collected->family;
    family.size = SizeOf(group);
    family.by_name = !label.dimensions.empty();
    family.label = label;
    if (family.groups.empty() || (kind != TrafficKind::kNone && !FitsName(label, family.kind)))
      family.kind = kind;
    family.groups.push_back(group);
    family.bytes += bytes;
    family.covered += std::count_if(ranks.begin(), ranks.end(),
                                    [&](std::int64_t rank) { return seen_.contains(rank); });
  }

  // Which group of a family each rank belongs to.
  std::map<std::int64_t, std::uint32_t> GroupsOf(const Family& family) const {
    std::map<std::int64_t, std::uint32_t> groups;
    for (const std::uint32_t group : family.groups) {
      for (const std::int64_t rank : RanksOf(group)) groups.emplace(rank, group);
    }
    return groups;
  }

  // The ranks that a group of each has in common are one at most.
  bool AreOrthogonal(const Family& a, const Family& b) const {
    const auto of_b = GroupsOf(b);
    return std::all_of(a.groups.begin(), a.groups.end(), [&](std::uint32_t group) {
      std::set<std::uint32_t> met;
      return std::all_of(RanksOf(group).begin(), RanksOf(group).end(), [&](std::int64_t rank) {
        const auto other = of_b.find(rank);
        return other == of_b.end() || met.insert(other->second).second;
      });
    });
  }

  // Every group of `inner` lies in one of `outer`, which is so many times as large.
  bool IsNested(const Family& inner, const Family& outer) const {
    return inner.size < outer.size && IsInside(inner, outer);
  }

  // The same, or both have the same groups.
  bool IsInside(const Family& inner, const Family& outer) const {
    if (inner.size > outer.size || outer.size % inner.size != 0) return false;
    const auto of_outer = GroupsOf(outer);
    return std::all_of(inner.groups.begin(), inner.groups.end(), [&](std::uint32_t group) {
      const auto first = of_outer.find(RanksOf(group).front());
      return first != of_outer.end() &&
             std::all_of(RanksOf(group).begin(), RanksOf(group).end(), [&](std::int64_t rank) {
               const auto other = of_outer.find(rank);
               return other != of_outer.end() && other->second == first->second;
             });
    });
  }

  // The family that most ranks belong to, with most bytes among equals.
  template <typename Predicate>
  const Family* Best(const Predicate& may_be) const {
    const Family* best = nullptr;
    for (const Family& family : families_) {
      if (!may_be(family)) continue;
      if (best == nullptr ||
          std::pair(family.covered, family.bytes) > std::pair(best->covered, best->bytes))
        best = &family;
    }
    return best;
  }

  const Family* Choose(Dimension dimension) const {
    const Family* by_name = Best([&](const Family& family) {
      return family.by_name && family.label.dimensions.IsOnly(dimension);
    });
    if (by_name != nullptr) return by_name;
    return Best([&](const Family& family) {
      // A dimension of all ranks of the world leaves none for the others.
      return !family.by_name && Fits(dimension, family.kind) &&
             family.covered * 2 >= layout_.seen &&
             // Experts may be spread over the ranks of a tensor group, too.
             (tensor_ == nullptr || dimension == Dimension::kExpert ||
              AreOrthogonal(family, *tensor_)) &&
             (pipeline_ == nullptr || AreOrthogonal(family, *pipeline_));
    });
  }

  // Groups that may be of data parallelism beside the chosen dimensions.
  bool MayBeData(const Family& family) const {
    const auto other = [&](const Family* chosen) {
      return chosen == nullptr || AreOrthogonal(family, *chosen);
    };
    const auto product = (tensor_ != nullptr ? tensor_->size : 1) *
                         (pipeline_ != nullptr ? pipeline_->size : 1) * family.size;
    return !family.by_name && family.covered * 2 >= layout_.seen && other(tensor_) &&
           other(pipeline_) && product <= layout_.ranks;
  }

  void ChooseData() {
    const auto is_data = [](const Family& family) {
      return family.by_name && family.label.dimensions.Has(Dimension::kData) &&
             !family.label.dimensions.Has(Dimension::kTensor) &&
             !family.label.dimensions.Has(Dimension::kPipeline) &&
             !family.label.dimensions.Has(Dimension::kExpert);
    };
    data_ = Best([&](const Family& family) {
      return is_data(family) && !family.label.is_shard && !family.label.is_replicate;
    });
    if (data_ == nullptr) {
      data_ = Best([&](const Family& family) { return is_data(family) && family.label.is_shard; });
      replicas_ =
          Best([&](const Family& family) { return is_data(family) && family.label.is_replicate; });
      if (data_ == nullptr) std::swap(data_, replicas_);
    }
    if (data_ != nullptr) return;
    const auto best_of = [&](TrafficKind kind) {
      const Family* largest = nullptr;
      for (const Family& family : families_) {
        if (family.kind != kind || !MayBeData(family)) continue;
        if (largest == nullptr ||
            std::pair(family.size, family.bytes) > std::pair(largest->size, largest->bytes))
          largest = &family;
      }
      return largest;
    };
    const Family* sharded = best_of(TrafficKind::kSharded);
    const Family* gradients = best_of(TrafficKind::kGradients);
    if (sharded == nullptr || gradients == nullptr) {
      data_ = sharded != nullptr ? sharded : gradients;
    } else if (AreOrthogonal(*sharded, *gradients)) {
      data_ = sharded;
      replicas_ = gradients;
    } else if (context_ == nullptr && IsNested(*sharded, *gradients) &&
               gradients->bytes * 5 >= sharded->bytes) {
      context_ = sharded;
      data_ = gradients;
    } else {
      data_ =
          sharded->size >= gradients->size || IsNested(*sharded, *gradients) ? sharded : gradients;
    }
  }

  void State(Dimension dimension, const Family* family) {
    if (family == nullptr) return;
    DimensionFit& fit = Fit(dimension);
    fit.degree = family->size;
    Describe(dimension, *family, &fit);
  }

  void Describe(Dimension dimension, const Family& family, DimensionFit* fit) const {
    fit->source = family.by_name ? LayoutSource::kNames : LayoutSource::kTraffic;
    fit->confidence = family.by_name ? kByNames : ConfidenceOf(family.kind);
    fit->traffic = ToString(family.kind);
    fit->groups = family.groups;
    // Traffic that is clearly of another dimension speaks against the name.
    for (int other = 0; family.by_name && other < kDimensionCount; ++other) {
      if (other == static_cast<int>(dimension) || Fits(dimension, family.kind) ||
          !Fits(static_cast<Dimension>(other), family.kind))
        continue;
      // What context parallelism gathers and scatters looks like sharded parameters.
      if (dimension == Dimension::kContext && family.kind == TrafficKind::kSharded) continue;
      // Tokens are also exchanged by gathering all of them and scattering what experts made.
      if (dimension == Dimension::kExpert && family.kind == TrafficKind::kTensor) continue;
      fit->conflicts.push_back(
          fmt::format("groups described as {} exchange what {} does: {}", ToString(dimension),
                      ToString(static_cast<Dimension>(other)), ToString(family.kind)));
    }
    if (family.covered < layout_.seen) {
      fit->conflicts.push_back(fmt::format("{} of {} ranks belong to no such group",
                                           layout_.seen - family.covered, layout_.seen));
    }
  }

  void StateData() {
    DimensionFit& fit = Fit(Dimension::kData);
    const std::int64_t others =
        Degree(Dimension::kTensor) * Degree(Dimension::kContext) * Degree(Dimension::kPipeline);
    if (data_ == nullptr) {
      if (others < 1 || layout_.ranks % others != 0 || layout_.ranks == others) return;
      fit.degree = layout_.ranks / others;
      fit.source = LayoutSource::kRest;
      fit.confidence = kByRest;
      return;
    }
    fit.degree = data_->size;
    Describe(Dimension::kData, *data_, &fit);
    if (replicas_ != nullptr) {
      fit.degree *= replicas_->size;
      fit.groups.insert(fit.groups.end(), replicas_->groups.begin(), replicas_->groups.end());
    }
    includes_context_ = context_ != nullptr && IsInside(*context_, *data_);
    if (includes_context_) fit.degree /= context_->size;
  }

  void CheckProduct() {
    std::int64_t product = 1;
    for (const Dimension dimension :
         {Dimension::kTensor, Dimension::kContext, Dimension::kPipeline, Dimension::kData}) {
      if (__builtin_mul_overflow(product, Degree(dimension), &product)) return;
    }
    const bool explains = product == layout_.ranks;
    DimensionFit& data = Fit(Dimension::kData);
    if (!explains) {
      data.conflicts.push_back(fmt::format(
          "tp {} x cp {} x pp {} x dp {} = {}, but there are {} ranks", Degree(Dimension::kTensor),
          Degree(Dimension::kContext), Degree(Dimension::kPipeline), Degree(Dimension::kData),
          product, layout_.ranks));
    }
    for (DimensionFit& fit : layout_.dimensions) {
      if (fit.source == LayoutSource::kAbsent) fit.confidence = explains ? 0.9 : kByRest;
    }
    if (expert_ != nullptr &&
        (Degree(Dimension::kData) * Degree(Dimension::kContext) * Degree(Dimension::kTensor)) %
                expert_->size !=
            0) {
      Fit(Dimension::kExpert)
          .conflicts.push_back(fmt::format("ep {} does not divide tp x cp x dp = {} x {} x {}",
                                           expert_->size, Degree(Dimension::kTensor),
                                           Degree(Dimension::kContext), Degree(Dimension::kData)));
    }
  }

  // A rank's place in its group, by rank; the members' distance at the rank's place tells which of
  // two families runs faster.
  struct PlaceInGroup {
    std::int32_t index = -1;
    std::int64_t stride = 0;
    std::uint32_t group = 0;
  };
  std::map<std::int64_t, PlaceInGroup> PlacesIn(const Family* family) const {
    std::map<std::int64_t, PlaceInGroup> places;
    if (family == nullptr) return places;
    for (const std::uint32_t group : family->groups) {
      std::vector<std::int64_t> ranks = RanksOf(group);
      std::sort(ranks.begin(), ranks.end());
      // Members that are not known leave gaps.
      if (static_cast<std::int64_t>(ranks.size()) != family->size) continue;
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        places[ranks[i]] = {static_cast<std::int32_t>(i), ranks[1] - ranks[0], group};
      }
    }
    return places;
  }

  // Within a group of dp x cp ranks that one runs faster whose members are closer together.
  std::int32_t WithoutContext(const PlaceInGroup& in_data, const PlaceInGroup& in_context) const {
    const auto cp = static_cast<std::int32_t>(context_->size);
    const auto dp = static_cast<std::int32_t>(data_->size / context_->size);
    return in_context.stride == in_data.stride ? in_data.index / cp : in_data.index % dp;
  }

  void Place(std::vector<RankPlace>* places) {
    const std::array<std::pair<Dimension, const Family*>, 4> simple = {
        {{Dimension::kTensor, tensor_},
         {Dimension::kContext, context_},
         {Dimension::kExpert, expert_},
         {Dimension::kPipeline, pipeline_}}};
    for (const std::uint32_t member : members_) (*places)[member].role = layout_.role;
    for (const auto& [dimension, family] : simple) {
      const auto index = static_cast<std::size_t>(dimension);
      const auto found = PlacesIn(family);
      for (const std::uint32_t member : members_) {
        const auto place = found.find(all_.ranks()[member].rank);
        (*places)[member].at[index] = family == nullptr      ? 0
                                      : place != found.end() ? place->second.index
                                                             : -1;
      }
    }
    const auto in_data = PlacesIn(data_);
    const auto in_replicas = PlacesIn(replicas_);
    const auto in_context = PlacesIn(includes_context_ ? context_ : nullptr);
    // No job has more ranks, whatever its files say.
    if (Degree(Dimension::kData) > kMostGroupRanks) return;
    const bool is_only_dimension = Degree(Dimension::kData) == layout_.ranks;
    for (const std::uint32_t member : members_) {
      const std::int64_t rank = all_.ranks()[member].rank;
      std::int32_t& at = (*places)[member].at[static_cast<std::size_t>(Dimension::kData)];
      if (data_ == nullptr) {
        // Of what is left the order is known when there is nothing else and nobody is missing.
        if (Degree(Dimension::kData) == 1) {
          at = 0;
        } else if (is_only_dimension && !layout_.is_partial()) {
          at = static_cast<std::int32_t>(
              std::lower_bound(members_.begin(), members_.end(), member) - members_.begin());
        }
        continue;
      }
      const auto place = in_data.find(rank);
      if (place == in_data.end()) continue;
      at = place->second.index;
      if (includes_context_) {
        const auto context = in_context.find(rank);
        at = context == in_context.end() ? -1 : WithoutContext(place->second, context->second);
      }
      if (replicas_ == nullptr) continue;
      const auto replica = in_replicas.find(rank);
      if (replica == in_replicas.end()) {
        at = -1;
      } else if (replica->second.stride > place->second.stride) {
        at += replica->second.index * static_cast<std::int32_t>(data_->size);
      } else {
        at = at * static_cast<std::int32_t>(replicas_->size) + replica->second.index;
      }
    }
    CheckPlaces(*places);
  }

  // No two ranks stand at one place.
  void CheckPlaces(const std::vector<RankPlace>& places) {
    std::map<std::array<std::int32_t, 4>, std::int64_t> taken;
    for (const std::uint32_t member : members_) {
      const RankPlace& place = places[member];
      const std::array<std::int32_t, 4> at = {
          place.Of(Dimension::kTensor), place.Of(Dimension::kContext),
          place.Of(Dimension::kPipeline), place.Of(Dimension::kData)};
      if (std::find(at.begin(), at.end(), -1) != at.end()) continue;
      const std::int64_t rank = all_.ranks()[member].rank;
      const auto [other, is_new] = taken.emplace(at, rank);
      if (is_new) continue;
      Fit(Dimension::kData)
          .conflicts.push_back(
              fmt::format("ranks {} and {} have the same place", other->second, rank));
      return;
    }
  }

  const JobCollectives& all_;
  std::vector<std::uint32_t> members_;          // ascending
  std::map<std::int64_t, std::uint32_t> seen_;  // global rank -> dense number
  std::vector<Family> families_;
  const Family* tensor_ = nullptr;
  const Family* context_ = nullptr;
  const Family* expert_ = nullptr;
  const Family* pipeline_ = nullptr;
  const Family* data_ = nullptr;
  const Family* replicas_ = nullptr;
  bool includes_context_ = false;  // data_'s groups are of dp x cp ranks
  RoleLayout layout_;
};

RankRole RoleOf(const RankWork& work, bool any_trains) {
  if (work.trains()) return RankRole::kTrainer;
  if (work.ops == 0) return RankRole::kUnknown;
  return any_trains ? RankRole::kGenerator : RankRole::kInference;
}

}  // namespace

std::string_view ToString(RankRole role) {
  static constexpr std::array<std::string_view, 4> kNames = {"trainer", "generator", "inference",
                                                             "unknown"};
  return kNames[static_cast<std::size_t>(role)];
}

std::string_view ToString(LayoutSource source) {
  static constexpr std::array<std::string_view, 5> kNames = {"names", "traffic", "rest", "guess",
                                                             "absent"};
  return kNames[static_cast<std::size_t>(source)];
}

JobLayout LayoutOf(const JobCollectives& all, std::span<const RankWork> work,
                   std::int64_t world_size) {
  JobLayout layout;
  layout.places.resize(all.ranks().size());
  for (const RankWork& of_rank : work) layout.processes.push_back(of_rank.process);
  const std::vector<GroupTraffic> traffic = TrafficOfGroups(all, work);
  const bool any_trains = std::any_of(work.begin(), work.end(),
                                      [](const RankWork& of_rank) { return of_rank.trains(); });
  std::map<RankRole, std::vector<std::uint32_t>> by_role;
  for (std::uint32_t rank = 0; rank < work.size(); ++rank)
    by_role[RoleOf(work[rank], any_trains)].push_back(rank);
  const auto seen = static_cast<std::int64_t>(work.size());
  for (auto& [role, members] : by_role) {
    // Missing ranks may have any role; of several, a role is as large as its largest group.
    std::int64_t ranks = world_size;
    if (by_role.size() > 1) {
      ranks = static_cast<std::int64_t>(members.size());
      const std::set<std::uint32_t> of_role(members.begin(), members.end());
      for (const JobGroup& group : all.groups()) {
        const auto size = static_cast<std::int64_t>(group.ranks.size());
        if (seen == world_size || size >= world_size) continue;
        const bool holds_member =
            std::any_of(group.ranks.begin(), group.ranks.end(), [&](std::int64_t rank) {
              const auto number = all.NumberOf(rank);
              return number && of_role.contains(*number);
            });
        if (holds_member) ranks = std::max(ranks, size);
      }
    }
    layout.roles.push_back(
        Solver(all, traffic, work, std::move(members), role, ranks).Solve(&layout.places));
  }
  return layout;
}

}  // namespace rankscope
