#include "job/job_collectives.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "job/collective_partial.h"
#include "job/rank_list.h"

namespace rankscope {
namespace {

// A collective of one member, and its place in the group's order.
struct Placed {
  std::int64_t key = 0;
  std::uint32_t rank = 0;
  std::uint32_t event = 0;
};

// Ops whose sizes are the same on all members.
bool IsEven(CollectiveOp op) {
  return op == CollectiveOp::kAllReduce || op == CollectiveOp::kAllGather ||
         op == CollectiveOp::kReduceScatter || op == CollectiveOp::kBroadcast ||
         op == CollectiveOp::kReduce;
}

// How far lists may be shifted against each other, beyond what their clocks say.
constexpr std::int64_t kMostShift = 256;

}  // namespace

std::string JobGroup::Kind() const {
  const bool has_description = !description.empty() && description != "undefined";
  const std::string_view label = has_description ? std::string_view(description)
                                 : is_stated     ? std::string_view("group")
                                                 : std::string_view(name);
  const std::int64_t members = Members();
  return fmt::format("{} ({} rank{})", label, members, members == 1 ? "" : "s");
}

std::uint32_t JobCollectives::RankOf(const Capture& capture) {
  const auto [place, is_new] =
      rank_numbers_.emplace(capture.rank, static_cast<std::uint32_t>(ranks_.size()));
  if (is_new) ranks_.push_back({capture.rank, capture.host});
  return place->second;
}

std::optional<std::uint32_t> JobCollectives::NumberOf(std::int64_t rank) const {
  const auto found = rank_numbers_.find(rank);
  return found == rank_numbers_.end() ? std::nullopt : std::optional(found->second);
}

std::uint32_t JobCollectives::TextOf(std::string_view text) {
  if (text.empty()) return 0;
  const auto found = text_numbers_.find(text);
  if (found != text_numbers_.end()) return found->second;
  const auto number = static_cast<std::uint32_t>(texts_.size());
  texts_.emplace_back(text);
  text_numbers_.emplace(text, number);
  return number;
}

Status JobCollectives::Add(const Capture& capture, std::span<const Table> tables) {
  const std::uint32_t rank = RankOf(capture);
  const Table& groups = tables[0];
  const Table& events = tables[1];
  const auto& of_group = SchemaOf<CollectiveGroupPartial>();
  const auto& of_event = SchemaOf<CollectiveEventPartial>();
  std::vector<std::uint32_t> group_of(groups.row_count());
  std::int64_t unstated = 0;
  for (std::size_t row = 0; row < groups.row_count(); ++row) {
    const std::string name(groups.String(row, of_group.name));
    const std::string listed =
        groups.IsNull(row, of_group.ranks) ? "" : std::string(groups.String(row, of_group.ranks));
    const auto [place, is_new] = group_numbers_.emplace(GroupKey{capture.group, name, listed},
                                                        static_cast<std::uint32_t>(groups_.size()));
    const bool is_stated = groups.Bool(row, of_group.is_stated);
    if (is_new) {
      groups_.push_back({.name = name,
                         .description = std::string(groups.String(row, of_group.description)),
                         .ranks = UnpackRanks(listed),
                         .is_stated = is_stated,
                         .size = groups.Known(row, of_group.size).value_or(-1)});
    }
    group_of[row] = place->second;
    unstated += is_stated ? 0 : 1;
  }
  has_several_streams_ |= unstated > 1;
  for (std::size_t row = 0; row < events.row_count(); ++row) {
    const auto number = [&](IntColumn column, std::int64_t unknown) {
      return events.Known(row, column).value_or(unknown);
    };
    const auto text = [&](StringColumn column) {
      return events.IsNull(row, column) ? 0 : TextOf(events.String(row, column));
    };
    const std::int64_t group = events.Int(row, of_event.group);
    const std::int64_t op = events.Int(row, of_event.op);
    const std::int64_t part = events.Int(row, of_event.part);
    const std::int64_t start_ns = events.Int(row, of_event.start_ns);
    const std::int64_t dur_ns = events.Int(row, of_event.dur_ns);
    std::int64_t end_ns = 0;
    if (dur_ns < 0 || __builtin_add_overflow(start_ns, dur_ns, &end_ns) || group < 0 ||
        group >= static_cast<std::int64_t>(group_of.size()) || op < 0 || op >= kCollectiveOpCount ||
        part < 0 || part >= kStepPartCount) {
      return Error(StatusCode::kIo,
                   "{}: the stored collectives do not fit together; run again with --no-cache",
                   capture.path);
    }
    events_.push_back({.start_ns = start_ns,
                       .dur_ns = dur_ns,
                       .in = number(of_event.in, -1),
                       .out = number(of_event.out, -1),
                       .step = number(of_event.step, CollectiveEvent::kNoStep),
                       .rank = rank,
                       .group = group_of[static_cast<std::size_t>(group)],
                       .source = static_cast<std::uint32_t>(events.Int(row, of_event.event)),
                       .in_split = text(of_event.in_split),
                       .out_split = text(of_event.out_split),
                       .sequence = static_cast<std::int32_t>(number(of_event.sequence, -1)),
                       .peer = static_cast<std::int32_t>(number(of_event.peer, -1)),
                       .dtype = text(of_event.dtype),
                       .op = static_cast<CollectiveOp>(op),
                       .part = static_cast<StepPart>(part)});
  }
  return OkStatus();
}

bool JobCollectives::Agree(const CollectiveEvent& a, const CollectiveEvent& b) const {
  if (a.op != b.op || a.dtype != b.dtype) return false;
  return !IsEven(a.op) || (a.in == b.in && a.out == b.out);
}

void JobCollectives::Match() {
  // Ranks may have been added in any order: numbers follow the ranks from here on.
  std::vector<std::uint32_t> renumbered(ranks_.size());
  std::vector<JobRank> sorted;
  for (auto& [rank, number] : rank_numbers_) {
    renumbered[number] = static_cast<std::uint32_t>(sorted.size());
    sorted.push_back(std::move(ranks_[number]));
    number = renumbered[number];
  }
  ranks_ = std::move(sorted);
  for (CollectiveEvent& event : events_) event.rank = renumbered[event.rank];

  // The same for groups, and events by group, rank and time, whatever the order of partials was.
  std::vector<std::uint32_t> regrouped(groups_.size());
  std::vector<JobGroup> groups;
  for (const auto& [key, number] : group_numbers_) {
    regrouped[number] = static_cast<std::uint32_t>(groups.size());
    groups.push_back(std::move(groups_[number]));
  }
  groups_ = std::move(groups);
  for (CollectiveEvent& event : events_) event.group = regrouped[event.group];
  std::sort(events_.begin(), events_.end(), [](const CollectiveEvent& a, const CollectiveEvent& b) {
    return std::tie(a.group, a.rank, a.start_ns, a.source) <
           std::tie(b.group, b.rank, b.start_ns, b.source);
  });

  std::vector<std::uint32_t> of_group;
  std::vector<std::uint32_t> point_to_point;
  for (std::uint32_t i = 0; i < events_.size();) {
    const std::uint32_t group = events_[i].group;
    of_group.clear();
    point_to_point.clear();
    for (; i < events_.size() && events_[i].group == group; ++i)
      (IsPointToPoint(events_[i].op) ? point_to_point : of_group).push_back(i);
    MatchPairs(point_to_point);
    JobGroup& seen = groups_[group];
    if (!seen.is_stated && has_several_streams_) {
      LeaveAlone(group, of_group);
      continue;
    }
    MatchGroup(group, of_group);
    if (!seen.ranks.empty()) continue;
    for (const std::uint32_t event : of_group) {
      const std::int64_t rank = ranks_[events_[event].rank].rank;
      if (seen.ranks.empty() || seen.ranks.back() != rank) seen.ranks.push_back(rank);
    }
  }
}

void JobCollectives::MatchGroup(std::uint32_t group, std::vector<std::uint32_t>& events) {
  if (events.empty()) return;
  // [begin, end) of each rank's events.
  std::vector<std::span<const std::uint32_t>> lists;
  for (std::size_t begin = 0; begin < events.size();) {
    std::size_t end = begin;
    while (end < events.size() && events_[events[end]].rank == events_[events[begin]].rank) ++end;
    lists.push_back(std::span(events).subspan(begin, end - begin));
    begin = end;
  }
  const bool has_sequence =
      std::all_of(lists.begin(), lists.end(), [&](std::span<const std::uint32_t> list) {
        for (std::size_t i = 0; i < list.size(); ++i) {
          const std::int32_t sequence = events_[list[i]].sequence;
          if (sequence < 0 || (i > 0 && sequence <= events_[list[i - 1]].sequence)) return false;
        }
        return true;
      });
  const auto reference = *std::max_element(
      lists.begin(), lists.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  // Where a list's first event stands in the reference.
  const auto shift_of = [&](std::span<const std::uint32_t> list) -> std::int64_t {
    const auto agreeing = [&](std::int64_t shift) {
      std::int64_t count = 0;
      for (std::size_t i = 0; i < list.size(); ++i) {
        const std::int64_t at = shift + static_cast<std::int64_t>(i);
        if (at < 0 || at >= static_cast<std::int64_t>(reference.size())) continue;
        count += Agree(events_[list[i]], events_[reference[static_cast<std::size_t>(at)]]) ? 1 : 0;
      }
      return count;
    };
    const auto size = static_cast<std::int64_t>(list.size());
    if (list.size() == reference.size() && agreeing(0) == size) return 0;
    const std::int64_t end = events_[list.front()].end_ns();
    const auto near =
        std::partition_point(reference.begin(), reference.end(),
                             [&](std::uint32_t event) { return events_[event].end_ns() < end; });
    const std::int64_t middle = near - reference.begin();
    std::int64_t best = 0;
    std::int64_t most = -1;
    for (std::int64_t away = 0; away <= kMostShift && most < size; ++away) {
      for (const std::int64_t shift : {middle + away, middle - away}) {
        if (const std::int64_t count = agreeing(shift); count > most) {
          most = count;
          best = shift;
        }
      }
    }
    return best;
  };
  std::vector<Placed> placed;
  placed.reserve(events.size());
  for (const auto& list : lists) {
    const std::int64_t shift = has_sequence ? 0 : shift_of(list);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const CollectiveEvent& event = events_[list[i]];
      placed.push_back({has_sequence ? event.sequence : shift + static_cast<std::int64_t>(i),
                        event.rank, list[i]});
    }
  }
  std::sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
    return std::tie(a.key, a.rank) < std::tie(b.key, b.rank);
  });
  std::int64_t ordinal = 0;
  for (std::size_t i = 0; i < placed.size();) {
    JobCollective collective{.group = group,
                             .ordinal = ordinal++,
                             .first = static_cast<std::uint32_t>(members_.size()),
                             .op = events_[placed[i].event].op};
    const CollectiveEvent& first = events_[placed[i].event];
    const std::int64_t key = placed[i].key;
    for (; i < placed.size() && placed[i].key == key; ++i) {
      collective.agrees &= Agree(first, events_[placed[i].event]);
      members_.push_back(placed[i].event);
      ++collective.count;
    }
    collectives_.push_back(collective);
  }
}

void JobCollectives::LeaveAlone(std::uint32_t group, const std::vector<std::uint32_t>& events) {
  std::int64_t ordinal = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const CollectiveEvent& event = events_[events[i]];
    ordinal = i > 0 && event.rank == events_[events[i - 1]].rank ? ordinal + 1 : 0;
    collectives_.push_back({.group = group,
                            .ordinal = ordinal,
                            .first = static_cast<std::uint32_t>(members_.size()),
                            .count = 1,
                            .op = event.op,
                            .agrees = false});
    members_.push_back(events[i]);
  }
}

void JobCollectives::MatchPairs(const std::vector<std::uint32_t>& events) {
  using Way = std::pair<std::int64_t, std::int64_t>;  // (source, destination)
  std::map<Way, std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>> ways;
  for (const std::uint32_t i : events) {
    const CollectiveEvent& event = events_[i];
    const std::int64_t rank = ranks_[event.rank].rank;
    if (event.peer < 0) {
      ++unpaired_;
    } else if (event.op == CollectiveOp::kSend) {
      ways[{rank, event.peer}].first.push_back(i);
    } else {
      ways[{event.peer, rank}].second.push_back(i);
    }
  }
  for (const auto& [way, both] : ways) {
    const auto& [sends, receives] = both;
    const std::size_t count = std::min(sends.size(), receives.size());
    for (std::size_t i = 0; i < count; ++i) pairs_.push_back({sends[i], receives[i]});
    unpaired_ += static_cast<std::int64_t>(sends.size() + receives.size() - 2 * count);
  }
}

std::int64_t JobCollectives::SizeOf(const JobCollective& collective) const {
  const JobGroup& group = groups_[collective.group];
  if (group.size > 0) return group.size;
  return std::max<std::int64_t>(static_cast<std::int64_t>(group.ranks.size()), collective.count);
}

std::optional<std::int64_t> JobCollectives::BytesOf(const JobCollective& collective) const {
  if (!collective.agrees) return std::nullopt;
  std::optional<std::int64_t> most;  // of an all-to-all the largest share
  for (const std::uint32_t member : MembersOf(collective)) {
    const CollectiveEvent& event = events_[member];
    const auto element = BytesOfCollectiveDtype(text(event.dtype));
    if (!element) return std::nullopt;
    const auto bytes = BufferBytes(event.op, event.in, event.out, *element, SizeOf(collective));
    if (!bytes) return std::nullopt;
    most = std::max(most.value_or(0), *bytes);
  }
  return most;
}

std::vector<ClockSample> JobCollectives::ClockSamples() const {
  std::vector<ClockSample> samples;
  for (std::uint32_t i = 0; i < collectives_.size(); ++i) {
    const JobCollective& collective = collectives_[i];
    if (!collective.agrees || collective.count < 2 || !EndsTogether(collective.op)) continue;
    const auto members = MembersOf(collective);
    // Of an uneven all-to-all some are done before the others.
    const bool is_even = std::all_of(members.begin(), members.end(), [&](std::uint32_t member) {
      return events_[member].in == events_[members.front()].in &&
             events_[member].out == events_[members.front()].out;
    });
    if (!is_even) continue;
    for (const std::uint32_t member : members) {
      const CollectiveEvent& event = events_[member];
      samples.push_back({i, event.group, event.rank, event.start_ns, event.end_ns()});
    }
  }
  return samples;
}

}  // namespace rankscope
