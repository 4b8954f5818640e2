#include "hang/calls.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace rankscope::hang {
namespace {

using flight::Call;
using flight::CallState;
using flight::FlightDump;

// A call and what it is matched by.
struct Keyed {
  std::uint32_t group = 0;
  std::int64_t sender = -1;
  std::int64_t receiver = -1;
  std::int64_t sequence = 0;
  std::uint32_t of_batch = 0;
  Member member;

  auto Key() const { return std::tie(group, sender, receiver, sequence, of_batch); }
};

struct Ends {
  std::int64_t sender = 0;  // places in the group
  std::int64_t receiver = 0;
};

std::optional<std::int64_t> ParsePlace(std::string_view text) {
  std::int64_t place = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), place);
  if (error != std::errc() || end != text.data() + text.size() || place < 0) return std::nullopt;
  return place;
}

// Of "send 1->2" and "recv 2<-1".
std::optional<Ends> EndsOf(std::string_view op) {
  const bool is_send = op.starts_with("send ");
  if (!is_send && !op.starts_with("recv ")) return std::nullopt;
  op.remove_prefix(5);
  const std::size_t arrow = op.find(is_send ? "->" : "<-");
  if (arrow == std::string_view::npos) return std::nullopt;
  const auto own = ParsePlace(op.substr(0, arrow));
  const auto peer = ParsePlace(op.substr(arrow + 2));
  if (!own || !peer) return std::nullopt;
  return is_send ? Ends{*own, *peer} : Ends{*peer, *own};
}

class Matcher {
 public:
  explicit Matcher(std::span<const FlightDump> dumps) : dumps_(dumps) {}

  Calls Run() && {
    UniteGroups();
    calls_.last_of_group.resize(dumps_.size());
    for (std::uint32_t dump = 0; dump < dumps_.size(); ++dump) {
      calls_.dump_of_rank.emplace(dumps_[dump].rank, dump);
      CountLost(dumps_[dump]);
      AddBatches(dump);
    }
    NumberMessages();
    std::sort(keyed_.begin(), keyed_.end(), [](const Keyed& a, const Keyed& b) {
      return std::tuple_cat(a.Key(), std::tie(a.member.dump, a.member.call)) <
             std::tuple_cat(b.Key(), std::tie(b.member.dump, b.member.call));
    });
    for (const Keyed& one : keyed_) {
      if (calls_.matched.empty() || !IsOf(one, calls_.matched.back())) {
        calls_.matched.push_back(
            {one.group, one.sender, one.receiver, one.sequence, one.of_batch, {}});
      }
      calls_.matched.back().members.push_back(one.member);
    }
    return std::move(calls_);
  }

 private:
  static bool IsOf(const Keyed& one, const Matched& matched) {
    return one.Key() == std::tie(matched.group, matched.sender, matched.receiver, matched.sequence,
                                 matched.of_batch);
  }

  // Groups of one name and the same ranks are one. A group of which a dump does not say the ranks
  // is the only one of its name, if there is only one.
  void UniteGroups() {
    std::map<std::pair<std::string_view, std::vector<std::int64_t>>, std::uint32_t> known;
    std::multimap<std::string_view, std::uint32_t> by_name;
    const auto add = [&](const flight::Group& group) {
      const auto index = static_cast<std::uint32_t>(calls_.groups.size());
      calls_.groups.push_back({group.name, group.description, group.ranks});
      by_name.emplace(group.name, index);
      return index;
    };
    for (const FlightDump& dump : dumps_) {
      auto& of_dump = group_of_.emplace_back(dump.groups.size(), flight::kNoGroup);
      for (std::size_t i = 0; i < dump.groups.size(); ++i) {
        const flight::Group& group = dump.groups[i];
        if (group.ranks.empty()) continue;
        const auto [place, is_new] = known.try_emplace({group.name, group.ranks}, 0);
        if (is_new) place->second = add(group);
        of_dump[i] = place->second;
      }
    }
    for (std::size_t d = 0; d < dumps_.size(); ++d) {
      for (std::size_t i = 0; i < dumps_[d].groups.size(); ++i) {
        if (group_of_[d][i] != flight::kNoGroup) continue;
        const flight::Group& group = dumps_[d].groups[i];
        group_of_[d][i] =
            by_name.count(group.name) == 1 ? by_name.find(group.name)->second : add(group);
      }
    }
  }

  void CountLost(const FlightDump& dump) {
    const std::int64_t newest = dump.calls.empty() ? -1 : dump.calls.back().record_id;
    calls_.lost.push_back(
        std::max<std::int64_t>(0, newest + 1 - static_cast<std::int64_t>(dump.calls.size())));
  }

  // Calls of a group that follow each other with the same number are a batch.
  void AddBatches(std::uint32_t dump) {
    const std::vector<Call>& calls = dumps_[dump].calls;
    std::map<std::pair<std::uint32_t, bool>, std::vector<std::uint32_t>> open;
    for (std::uint32_t i = 0; i < calls.size(); ++i) {
      auto& batch = open[{calls[i].group, calls[i].is_p2p}];
      if (!batch.empty() && calls[batch.back()].sequence != calls[i].sequence)
        AddBatch(dump, std::exchange(batch, {}));
      batch.push_back(i);
    }
    for (const auto& [key, batch] : open) AddBatch(dump, batch);
  }

  void AddBatch(std::uint32_t dump, std::vector<std::uint32_t> batch) {
    const FlightDump& of = dumps_[dump];
    const Call& last = of.calls[batch.back()];
    const bool is_closed = batch.size() > 1 && of.Text(last.op).ends_with("coalesced");
    if (is_closed) batch.pop_back();
    ++batches_;
    for (std::uint32_t i = 0; i < batch.size(); ++i) {
      const Call& call = of.calls[batch[i]];
      // Calls of a batch have no state of their own.
      const Call& ended_by = is_closed ? last : call;
      Keyed keyed;
      keyed.group = group_of_[dump][call.group];
      keyed.member = {dump, batch[i], batches_, ended_by.state,
                      ended_by.retired && ended_by.state != CallState::kCompleted};
      if (call.is_p2p) {
        AddMessage(keyed, of.Text(call.op));
        continue;
      }
      keyed.sequence = call.sequence;
      keyed.of_batch = i;
      auto& highest = calls_.last_of_group[dump].try_emplace(keyed.group, -1).first->second;
      highest = std::max(highest, call.sequence);
      keyed_.push_back(keyed);
    }
  }

  void AddMessage(Keyed keyed, std::string_view op) {
    const auto ends = EndsOf(op);
    if (!ends) {
      ++calls_.unknown_batches;
      return;
    }
    const std::vector<std::int64_t>& ranks = calls_.groups[keyed.group].ranks;
    const auto rank_at = [&](std::int64_t place) {
      return place < static_cast<std::int64_t>(ranks.size())
                 ? ranks[static_cast<std::size_t>(place)]
                 : place;
    };
    keyed.sender = rank_at(ends->sender);
    keyed.receiver = rank_at(ends->receiver);
    const bool is_send = op.starts_with("send ");
    messages_[{keyed.group, keyed.sender, keyed.receiver}][is_send ? 0 : 1].push_back(keyed);
  }

  // Counted from the first, or, where one side lost calls, from the first that has not ended.
  void NumberMessages() {
    for (auto& [pair, sides] : messages_) {
      const bool lost = HasLost(std::get<1>(pair)) || HasLost(std::get<2>(pair));
      for (std::vector<Keyed>& side : sides) {
        std::sort(side.begin(), side.end(),
                  [](const Keyed& a, const Keyed& b) { return a.member.call < b.member.call; });
        const auto first = std::find_if(side.begin(), side.end(), [](const Keyed& one) {
          return one.member.state != CallState::kCompleted;
        });
        const std::int64_t base = lost ? first - side.begin() : 0;
        for (std::size_t i = 0; i < side.size(); ++i) {
          side[i].sequence = static_cast<std::int64_t>(i) - base;
          keyed_.push_back(side[i]);
        }
      }
    }
  }

  bool HasLost(std::int64_t rank) const {
    const auto dump = calls_.dump_of_rank.find(rank);
    return dump != calls_.dump_of_rank.end() && calls_.lost[dump->second] > 0;
  }

  std::span<const FlightDump> dumps_;
  Calls calls_;
  std::vector<std::vector<std::uint32_t>> group_of_;  // by dump and its group
  std::vector<Keyed> keyed_;
  std::map<std::tuple<std::uint32_t, std::int64_t, std::int64_t>, std::vector<Keyed>[2]> messages_;
  std::uint32_t batches_ = 0;
};

}  // namespace

bool Matched::IsPending() const {
  return std::any_of(members.begin(), members.end(),
                     [](const Member& one) { return one.state != CallState::kCompleted; });
}

std::vector<std::int64_t> Calls::RanksOf(const Matched& one,
                                         std::span<const FlightDump> dumps) const {
  if (one.is_message()) return {one.sender, one.receiver};
  if (!groups[one.group].ranks.empty()) return groups[one.group].ranks;
  std::vector<std::int64_t> ranks;
  for (const Member& member : one.members) ranks.push_back(dumps[member.dump].rank);
  return ranks;
}

Calls MatchCalls(std::span<const FlightDump> dumps) { return Matcher(dumps).Run(); }

}  // namespace rankscope::hang
