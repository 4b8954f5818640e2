#include "job/job_collectives.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "base/hash.h"
#include "base/saturating.h"
#include "job/collective_partial.h"
#include "job/rank_list.h"

namespace rankscope {
namespace {

// Ops whose sizes are the same on all members.
bool IsEven(CollectiveOp op) {
  return op == CollectiveOp::kAllReduce || op == CollectiveOp::kAllGather ||
         op == CollectiveOp::kReduceScatter || op == CollectiveOp::kBroadcast ||
         op == CollectiveOp::kReduce;
}

// What collectives have in common on all members, as one number; `sequence` among it, or -1.
std::uint64_t KindOf(const CollectiveEvent& event, std::int64_t sequence) {
  // Sends and receives of one message have different ops, and their own sides of the buffers.
  if (IsPointToPoint(event.op)) {
    const std::array<std::int64_t, 2> same = {event.dtype, std::max(event.in, event.out)};
    return Checksum64(same.data(), sizeof(same));
  }
  const bool is_even = IsEven(event.op);
  const std::array<std::int64_t, 5> same = {static_cast<std::int64_t>(event.op), event.dtype,
                                            is_even ? event.in : -1, is_even ? event.out : -1,
                                            sequence};
  return Checksum64(same.data(), sizeof(same));
}

// The collectives of a group in order, as far as the lists of its members are known.
class MasterList {
 public:
  explicit MasterList(std::vector<ListEntry> first)
      : entries_(std::move(first)), keys_(entries_.size()) {
    std::iota(keys_.begin(), keys_.end(), 0U);
    first_keys_ = keys_;
    next_key_ = static_cast<std::uint32_t>(keys_.size());
  }

  // Of the list that it was made of.
  const std::vector<std::uint32_t>& FirstKeys() const { return first_keys_; }

  // The key of each entry's collective. What has no partner becomes a collective of its own.
  std::vector<std::uint32_t> Join(const std::vector<ListEntry>& list) {
    const ListMatch match = MatchList(entries_, list);
    std::vector<std::uint32_t> keys(list.size());
    bool any_new = false;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const bool is_new = match.to[i] == ListMatch::kNone;
      keys[i] = is_new ? next_key_++ : keys_[match.to[i]];
      any_new |= is_new;
    }
    if (any_new) Insert(list, match, keys);
    return keys;
  }

  // Of each key its place in the order.
  std::vector<std::uint32_t> Places() const {
    std::vector<std::uint32_t> places(next_key_);
    for (std::uint32_t i = 0; i < keys_.size(); ++i) places[keys_[i]] = i;
    return places;
  }

 private:
  // Between two matches, what is new among what was known by steps and time.
  void Insert(const std::vector<ListEntry>& list, const ListMatch& match,
              const std::vector<std::uint32_t>& keys) {
    std::vector<ListEntry> entries;
    std::vector<std::uint32_t> order;
    entries.reserve(entries_.size() + list.size());
    order.reserve(entries_.size() + list.size());
    std::size_t known = 0;
    const auto take_known = [&] {
      entries.push_back(entries_[known]);
      order.push_back(keys_[known++]);
    };
    std::size_t next_match = 0;  // of the list, from the entry at hand on
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (match.to[i] != ListMatch::kNone) {
        while (known <= match.to[i]) take_known();
        continue;
      }
      next_match = std::max(next_match, i);
      while (next_match < list.size() && match.to[next_match] == ListMatch::kNone) ++next_match;
      const std::size_t until =
          next_match < list.size() ? std::size_t{match.to[next_match]} : entries_.size();
      ListEntry entry = list[i];
      entry.end_ns = SaturatingSubtract(entry.end_ns, match.ahead_ns);
      while (known < until && std::tie(entries_[known].step, entries_[known].end_ns) <=
                                  std::tie(entry.step, entry.end_ns))
        take_known();
      entries.push_back(entry);
      order.push_back(keys[i]);
    }
    while (known < entries_.size()) take_known();
    entries_ = std::move(entries);
    keys_ = std::move(order);
  }

  std::vector<ListEntry> entries_;
  std::vector<std::uint32_t> keys_, first_keys_;
  std::uint32_t next_key_ = 0;
};

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

std::int64_t JobCollectives::LeastWorldSize() const {
  std::int64_t least = 0;
  for (const JobGroup& group : groups_) least = std::max(least, group.Members());
  return least;
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
  const ViewOf<CollectiveGroupPartial> groups = tables[0];
  const ViewOf<CollectiveEventPartial> events = tables[1];
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
    const auto number = [&](auto column, std::int64_t unknown) {
      return events.Known(row, column).value_or(unknown);
    };
    const auto text = [&](auto column) {
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
                       .order_ns = events.Int(row, of_event.order_ns),
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
                       .part = static_cast<StepPart>(part),
                       .is_step_marked = events.Bool(row, of_event.is_step_marked)});
  }
  return OkStatus();
}

bool JobCollectives::Agree(const CollectiveEvent& a, const CollectiveEvent& b) {
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
    return std::tie(a.group, a.rank, a.order_ns, a.source) <
           std::tie(b.group, b.rank, b.order_ns, b.source);
  });

  std::vector<std::uint32_t> of_group;
  std::vector<std::uint32_t> point_to_point;
  std::vector<std::uint32_t> without_peer;
  for (std::uint32_t i = 0; i < events_.size();) {
    const std::uint32_t group = events_[i].group;
    of_group.clear();
    point_to_point.clear();
    without_peer.clear();
    for (; i < events_.size() && events_[i].group == group; ++i) {
      const CollectiveOp op = events_[i].op;
      (IsPointToPoint(op)                 ? point_to_point
       : op == CollectiveOp::kSendReceive ? without_peer
                                          : of_group)
          .push_back(i);
    }
    MatchPairs(point_to_point);
    JobGroup& seen = groups_[group];
    if (!seen.is_stated && has_several_streams_) {
      of_group.insert(of_group.end(), without_peer.begin(), without_peer.end());
      std::sort(of_group.begin(), of_group.end());
      LeaveAlone(group, of_group, 0);
      continue;
    }
    MatchGroup(group, of_group);
    const bool has_others = !collectives_.empty() && collectives_.back().group == group;
    LeaveAlone(group, without_peer, has_others ? collectives_.back().ordinal + 1 : 0);
    if (!seen.ranks.empty()) continue;
    for (const std::uint32_t event : of_group) {
      const std::int64_t rank = ranks_[events_[event].rank].rank;
      if (seen.ranks.empty() || seen.ranks.back() != rank) seen.ranks.push_back(rank);
    }
  }
}

std::vector<ListEntry> JobCollectives::EntriesOf(std::span<const std::uint32_t> events,
                                                 Cut cut) const {
  std::vector<ListEntry> entries;
  entries.reserve(events.size());
  std::int64_t step = ListEntry::kBefore;
  for (const std::uint32_t number : events) {
    const CollectiveEvent& event = events_[number];
    if (cut == Cut::kSequenceNumbers) {
      step = event.sequence;
    } else if (event.is_step_marked && event.step != CollectiveEvent::kNoStep) {
      step = event.step;
    } else if (step != ListEntry::kBefore) {
      step = ListEntry::kBehind;
    }
    entries.push_back({.step = step,
                       .end_ns = event.end_ns(),
                       .kind = KindOf(event, cut == Cut::kSequenceNumbers ? event.sequence : -1),
                       .ends_together = EndsTogether(event.op) || IsPointToPoint(event.op)});
  }
  return entries;
}

bool JobCollectives::AreNumbered(const Lists& lists) const {
  return std::all_of(lists.begin(), lists.end(), [&](std::span<const std::uint32_t> list) {
    for (std::size_t i = 1; i < list.size(); ++i) {
      if (events_[list[i]].sequence <= events_[list[i - 1]].sequence) return false;
    }
    return true;
  });
}

std::vector<JobCollectives::Placed> JobCollectives::PlacedBy(Cut cut, const Lists& lists) const {
  std::vector<Placed> placed;
  const auto place = [&](std::span<const std::uint32_t> list, const auto& key_of) {
    for (std::size_t i = 0; i < list.size(); ++i)
      placed.push_back({key_of(i), events_[list[i]].rank, list[i]});
  };
  if (cut == Cut::kSequenceNumbers && AreNumbered(lists)) {
    for (const auto& list : lists)
      place(list, [&](std::size_t i) { return std::int64_t{events_[list[i]].sequence}; });
  } else {
    const auto longest =
        std::max_element(lists.begin(), lists.end(),
                         [](const auto& a, const auto& b) { return a.size() < b.size(); });
    MasterList master(EntriesOf(*longest, cut));
    std::vector<std::vector<std::uint32_t>> keys(lists.size());
    for (std::size_t i = 0; i < lists.size(); ++i) {
      const bool is_first = lists[i].data() == longest->data();
      keys[i] = is_first ? master.FirstKeys() : master.Join(EntriesOf(lists[i], cut));
    }
    const std::vector<std::uint32_t> places = master.Places();
    for (std::size_t l = 0; l < lists.size(); ++l)
      place(lists[l], [&](std::size_t i) { return std::int64_t{places[keys[l][i]]}; });
  }
  std::sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
    return std::tie(a.key, a.rank) < std::tie(b.key, b.rank);
  });
  return placed;
}

bool JobCollectives::HaveStepInCommon(const Lists& lists) const {
  std::map<std::int64_t, std::uint32_t> rank_of;  // that has a step
  for (const auto& list : lists) {
    for (const std::uint32_t number : list) {
      const CollectiveEvent& event = events_[number];
      if (!event.is_step_marked) continue;
      if (rank_of.try_emplace(event.step, event.rank).first->second != event.rank) return true;
    }
  }
  return false;
}

std::size_t JobCollectives::CountMeeting(const std::vector<Placed>& placed) const {
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < placed.size();) {
    std::size_t end = begin;
    bool agrees = true;
    for (; end < placed.size() && placed[end].key == placed[begin].key; ++end)
      agrees &= Agree(events_[placed[begin].event], events_[placed[end].event]);
    if (agrees && end - begin > 1) count += end - begin;
    begin = end;
  }
  return count;
}

std::size_t JobCollectives::MostThatMeet(const Lists& lists) {
  std::size_t all = 0;
  std::size_t longest = 0;
  std::size_t second = 0;
  for (const auto& list : lists) {
    all += list.size();
    second = std::max(second, std::min(longest, list.size()));
    longest = std::max(longest, list.size());
  }
  return all - (longest - second);
}

void JobCollectives::MatchGroup(std::uint32_t group, const std::vector<std::uint32_t>& events) {
  if (events.empty()) return;
  // [begin, end) of each rank's events.
  Lists lists;
  for (std::size_t begin = 0; begin < events.size();) {
    std::size_t end = begin;
    while (end < events.size() && events_[events[end]].rank == events_[events[begin]].rank) ++end;
    lists.push_back(std::span(events).subspan(begin, end - begin));
    begin = end;
  }
  const bool has_sequence = std::all_of(events.begin(), events.end(), [&](std::uint32_t event) {
    return events_[event].sequence >= 0;
  });
  std::vector<Placed> placed = PlacedBy(has_sequence ? Cut::kSequenceNumbers : Cut::kSteps, lists);
  if (has_sequence) {
    // Batches of sends count as collectives in some versions of PyTorch, on each rank its own: then
    // numbers are no good.
    const std::size_t meeting = CountMeeting(placed);
    if (2 * meeting < MostThatMeet(lists) && HaveStepInCommon(lists)) {
      std::vector<Placed> by_steps = PlacedBy(Cut::kSteps, lists);
      if (CountMeeting(by_steps) > meeting) placed = std::move(by_steps);
    }
  }
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

void JobCollectives::LeaveAlone(std::uint32_t group, const std::vector<std::uint32_t>& events,
                                std::int64_t first) {
  std::int64_t ordinal = first;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const CollectiveEvent& event = events_[events[i]];
    ordinal = i > 0 && event.rank == events_[events[i - 1]].rank ? ordinal + 1 : first;
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
    if (event.peer < 0) continue;
    if (event.op == CollectiveOp::kSend) {
      ways[{rank, event.peer}].first.push_back(i);
    } else {
      ways[{event.peer, rank}].second.push_back(i);
    }
  }
  for (const auto& [way, both] : ways) {
    const auto& [sends, receives] = both;
    const std::vector<ListEntry> sent = EntriesOf(sends, Cut::kSteps);
    const std::vector<ListEntry> received = EntriesOf(receives, Cut::kSteps);
    const ListMatch match = MatchList(sent, received);
    for (std::size_t i = 0; i < receives.size(); ++i) {
      const std::uint32_t at = match.to[i];
      if (at == ListMatch::kNone || sent[at].kind != received[i].kind) continue;
      pairs_.push_back({sends[at], receives[i]});
    }
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

// Of an uneven all-to-all some are done before the others.
bool JobCollectives::AreEven(const JobCollective& collective) const {
  const auto members = MembersOf(collective);
  return std::all_of(members.begin(), members.end(), [&](std::uint32_t member) {
    return events_[member].in == events_[members.front()].in &&
           events_[member].out == events_[members.front()].out;
  });
}

std::vector<ClockSample> JobCollectives::ClockSamples() const {
  // Sent in pieces from rank to rank: the first is done when what its buffers hold is left to send.
  constexpr std::int64_t kManyPieces = std::int64_t{64} << 20;
  std::vector<bool> ends_together(collectives_.size(), false), is_in_pieces = ends_together;
  std::vector<std::uint32_t> linked(ranks_.size());  // to a lower rank, or itself
  std::iota(linked.begin(), linked.end(), 0U);
  const auto lowest = [&](std::uint32_t rank) {
    while (linked[rank] != rank) rank = linked[rank] = linked[linked[rank]];
    return rank;
  };
  for (std::uint32_t i = 0; i < collectives_.size(); ++i) {
    const JobCollective& collective = collectives_[i];
    if (!collective.agrees || collective.count < 2) continue;
    ends_together[i] = EndsTogether(collective.op) && AreEven(collective);
    is_in_pieces[i] =
        collective.op == CollectiveOp::kBroadcast && BytesOf(collective).value_or(0) >= kManyPieces;
    if (!ends_together[i]) continue;
    const auto members = MembersOf(collective);
    for (const std::uint32_t member : members) {
      const std::uint32_t one = lowest(events_[members.front()].rank);
      const std::uint32_t other = lowest(events_[member].rank);
      linked[std::max(one, other)] = std::min(one, other);
    }
  }
  std::vector<ClockSample> samples;
  for (std::uint32_t i = 0; i < collectives_.size(); ++i) {
    const auto members = MembersOf(collectives_[i]);
    const bool is_only_link =
        is_in_pieces[i] && std::any_of(members.begin(), members.end(), [&](std::uint32_t member) {
          return lowest(events_[member].rank) != lowest(events_[members.front()].rank);
        });
    if (!ends_together[i] && !is_only_link) continue;
    for (const std::uint32_t member : members) {
      const CollectiveEvent& event = events_[member];
      samples.push_back({i, event.group, event.rank, event.start_ns, event.end_ns()});
    }
  }
  return samples;
}

std::vector<ClockMessage> JobCollectives::ClockMessages() const {
  std::vector<ClockMessage> messages;
  messages.reserve(pairs_.size());
  for (const SendReceive& pair : pairs_) {
    const CollectiveEvent& send = events_[pair.send];
    const CollectiveEvent& receive = events_[pair.receive];
    messages.push_back({send.rank, receive.rank, send.start_ns, send.end_ns(), receive.end_ns()});
  }
  return messages;
}

}  // namespace rankscope
