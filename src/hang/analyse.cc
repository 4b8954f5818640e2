#include "hang/analyse.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "hang/calls.h"
#include "hang/mismatches.h"
#include "hang/waiting.h"
#include "schemas/hang.h"

namespace rankscope {
namespace {

using flight::Call;
using flight::CallState;
using flight::FlightDump;
using hang::Calls;
using hang::Matched;
using hang::Member;
using hang::Mismatch;

constexpr std::uint32_t kNone = UINT32_MAX;

std::optional<std::string_view> Known(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

std::optional<std::int64_t> KnownInt(std::int64_t value) {
  return value < 0 ? std::nullopt : std::optional(value);
}

// How a rank stands to a pending call.
struct Standing {
  std::int64_t rank = 0;
  std::uint32_t dump = kNone;
  const Member* member = nullptr;  // null unless it called it
  bool is_missing = false;         // has a dump, which says that it did not
};

struct Pending {
  const Matched* matched = nullptr;
  std::vector<Standing> standings;
  const Mismatch* mismatch = nullptr;  // the first of its series, if not later than it
  std::string_view verdict;
  bool is_root = false;
  std::int64_t held_up = 0;
  std::uint32_t waits_for = kNone;  // among the pending
  std::int64_t id = 0;
};

class Analyser {
 public:
  explicit Analyser(std::span<const FlightDump> dumps)
      : dumps_(dumps), calls_(hang::MatchCalls(dumps)) {
    mismatches_ = hang::FindMismatches(calls_, dumps_);
    FindPending();
    FindWhereRanksStand();
    FindRoots();
    Number();
  }

  HangTables Tables() const {
    HangTables tables{Collectives(), Members(), Ranks(), Mismatches(), Notes()};
    return tables;
  }

 private:
  void FindPending() {
    std::size_t next = 0;
    for (std::uint32_t i = 0; i < calls_.matched.size(); ++i) {
      const Matched& matched = calls_.matched[i];
      while (next + 1 < mismatches_.size() && mismatches_[next + 1].matched <= i) ++next;
      if (!matched.IsPending()) continue;
      Pending& pending = pending_.emplace_back();
      pending.matched = &matched;
      for (const std::int64_t rank : calls_.RanksOf(matched, dumps_))
        pending.standings.push_back(StandingOf(matched, rank));
      if (mismatches_.empty() || mismatches_[next].matched > i) continue;
      const Matched& first = calls_.matched[mismatches_[next].matched];
      if (first.group == matched.group && first.sender == matched.sender &&
          first.receiver == matched.receiver)
        pending.mismatch = &mismatches_[next];
    }
  }

  Standing StandingOf(const Matched& matched, std::int64_t rank) const {
    Standing standing;
    standing.rank = rank;
    const auto dump = calls_.dump_of_rank.find(rank);
    if (dump == calls_.dump_of_rank.end()) return standing;
    standing.dump = dump->second;
    const auto member =
        std::lower_bound(matched.members.begin(), matched.members.end(), standing.dump,
                         [](const Member& one, std::uint32_t wanted) { return one.dump < wanted; });
    if (member != matched.members.end() && member->dump == standing.dump) {
      standing.member = &*member;
    } else {
      standing.is_missing = !IsForgotten(matched, standing.dump);
    }
    return standing;
  }

  // Whether the call may have been in the dump.
  bool IsForgotten(const Matched& matched, std::uint32_t dump) const {
    if (dumps_[dump].is_cut) return true;
    if (matched.is_message()) return false;
    const auto last = calls_.last_of_group[dump].find(matched.group);
    if (last != calls_.last_of_group[dump].end()) return last->second >= matched.sequence;
    return calls_.lost[dump] > 0;
  }

  // The calls of each rank's first pending batch.
  void FindWhereRanksStand() {
    struct First {
      std::uint32_t call = kNone;
      std::uint32_t batch = 0;
    };
    std::vector<First> first(dumps_.size());
    pending_of_.assign(dumps_.size(), 0);
    const auto for_each = [&](const auto& body) {
      for (std::uint32_t i = 0; i < pending_.size(); ++i) {
        for (const Member& member : pending_[i].matched->members)
          if (member.state != CallState::kCompleted) body(i, member);
      }
    };
    for_each([&](std::uint32_t, const Member& member) {
      ++pending_of_[member.dump];
      First& one = first[member.dump];
      if (member.call < one.call) one = {member.call, member.batch};
    });
    stands_in_.resize(dumps_.size());
    batch_of_.resize(dumps_.size());
    for_each([&](std::uint32_t i, const Member& member) {
      batch_of_[member.dump] = first[member.dump].batch;
      if (member.batch == first[member.dump].batch) stands_in_[member.dump].push_back(i);
    });
  }

  void FindRoots() {
    hang::Waiting waiting(pending_.size());
    std::map<std::uint32_t, std::vector<std::uint32_t>> of_batch;
    for (std::uint32_t i = 0; i < pending_.size(); ++i)
      for (const Member& member : pending_[i].matched->members) of_batch[member.batch].push_back(i);
    for (std::uint32_t i = 0; i < pending_.size(); ++i) {
      for (const Standing& standing : pending_[i].standings) {
        if (standing.dump == kNone || !WaitsElsewhere(standing)) continue;
        for (const std::uint32_t other : stands_in_[standing.dump]) {
          if (other == i) continue;
          if (pending_[i].waits_for == kNone) pending_[i].waits_for = other;
          waiting[i].push_back(other);
        }
      }
      AddWaitsInBatches(i, of_batch, waiting[i]);
      std::sort(waiting[i].begin(), waiting[i].end());
      waiting[i].erase(std::unique(waiting[i].begin(), waiting[i].end()), waiting[i].end());
    }
    const hang::Roots roots = hang::FindRoots(waiting);
    for (std::uint32_t i = 0; i < pending_.size(); ++i) {
      const std::uint32_t knot = roots.knot[i];
      pending_[i].is_root = roots.is_root[knot];
      pending_[i].held_up = roots.held_up[knot];
      pending_[i].verdict = VerdictOf(pending_[i], roots.size[knot] > 1);
    }
  }

  static bool IsEntered(const Pending& pending) {
    return std::all_of(pending.standings.begin(), pending.standings.end(),
                       [](const Standing& one) { return one.member != nullptr; });
  }

  // Calls of a batch end together: one that all have made waits for those that not all have.
  void AddWaitsInBatches(std::uint32_t i,
                         const std::map<std::uint32_t, std::vector<std::uint32_t>>& of_batch,
                         std::vector<std::uint32_t>& waits) {
    if (!IsEntered(pending_[i])) return;
    for (const Member& member : pending_[i].matched->members) {
      for (const std::uint32_t other : of_batch.at(member.batch)) {
        if (other == i || IsEntered(pending_[other])) continue;
        if (pending_[i].waits_for == kNone) pending_[i].waits_for = other;
        waits.push_back(other);
      }
    }
  }

  // Whether the rank stands in another call than the one that it is to take part in.
  bool WaitsElsewhere(const Standing& standing) const {
    if (standing.member == nullptr) return standing.is_missing;
    const CallState state = standing.member->state;
    return state != CallState::kCompleted && state != CallState::kStarted &&
           standing.member->batch != batch_of_[standing.dump];
  }

  std::string_view VerdictOf(const Pending& pending, bool is_circle) const {
    if (!pending.is_root) return hang_verdict::kWaits;
    if (pending.mismatch != nullptr && Explains(*pending.mismatch)) return hang_verdict::kMismatch;
    if (is_circle) return hang_verdict::kCircle;
    const auto any = [&](const auto& is) {
      return std::any_of(pending.standings.begin(), pending.standings.end(), is);
    };
    if (any([](const Standing& one) { return one.is_missing; })) return hang_verdict::kMissing;
    if (any([](const Standing& one) { return one.dump == kNone; })) return hang_verdict::kNoDump;
    if (any([](const Standing& one) { return one.member == nullptr; }))
      return hang_verdict::kUnknown;
    return hang_verdict::kAllEntered;
  }

  // Sizes that differ in a call that has ended did not stop it.
  bool Explains(const Mismatch& mismatch) const {
    return mismatch.what == "op" || mismatch.what == "order" ||
           calls_.matched[mismatch.matched].IsPending();
  }

  void Number() {
    constexpr std::array kOrder = {hang_verdict::kMismatch, hang_verdict::kCircle,
                                   hang_verdict::kMissing,  hang_verdict::kNoDump,
                                   hang_verdict::kUnknown,  hang_verdict::kAllEntered,
                                   hang_verdict::kWaits};
    const auto place = [&](std::string_view verdict) {
      return std::find(kOrder.begin(), kOrder.end(), verdict) - kOrder.begin();
    };
    order_.resize(pending_.size());
    for (std::uint32_t i = 0; i < order_.size(); ++i) order_[i] = i;
    std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      const auto of_a = place(pending_[a].verdict);
      const auto of_b = place(pending_[b].verdict);
      return of_a != of_b ? of_a < of_b : pending_[a].held_up > pending_[b].held_up;
    });
    for (std::size_t i = 0; i < order_.size(); ++i)
      pending_[order_[i]].id = static_cast<std::int64_t>(i + 1);
  }

  const Call& CallOf(const Member& member) const { return dumps_[member.dump].calls[member.call]; }

  // What most members have.
  std::string_view MostOf(const Matched& matched, StringId Call::*text) const {
    std::map<std::string_view, int> counts;
    std::string_view most;
    int highest = 0;
    for (const Member& member : matched.members) {
      const std::string_view value = dumps_[member.dump].Text(CallOf(member).*text);
      if (value.empty()) continue;
      const int count = ++counts[value];
      if (count <= highest) continue;
      highest = count;
      most = value;
    }
    return most;
  }

  // A message's number, where it counts from the first.
  static std::optional<std::int64_t> SequenceOf(const Calls& calls, const Matched& matched) {
    if (!matched.is_message()) return matched.sequence;
    for (const std::int64_t rank : {matched.sender, matched.receiver}) {
      const auto dump = calls.dump_of_rank.find(rank);
      if (dump == calls.dump_of_rank.end() || calls.lost[dump->second] > 0) return std::nullopt;
    }
    return matched.sequence;
  }

  Table Collectives() const {
    const auto& columns = SchemaOf<FlightCollectives>();
    auto table = columns.NewTable(std::string(FlightCollectives::kName));
    for (const std::uint32_t i : order_) {
      const Pending& pending = pending_[i];
      const Matched& matched = *pending.matched;
      const hang::JobGroup& group = calls_.groups[matched.group];
      std::int64_t entered = 0, started = 0, completed = 0, missing = 0, no_dump = 0, lost = 0;
      std::int64_t timed_out = 0, timeout_ms = -1;
      bool says_started = false;
      for (const Standing& standing : pending.standings) {
        if (standing.dump == kNone) {
          ++no_dump;
        } else if (standing.is_missing) {
          ++missing;
        } else if (standing.member == nullptr) {
          ++lost;
        } else {
          ++entered;
          started += standing.member->state == CallState::kStarted;
          completed += standing.member->state == CallState::kCompleted;
          timed_out += standing.member->timed_out;
          timeout_ms = std::max(timeout_ms, CallOf(*standing.member).timeout_ms);
          says_started |= standing.member->state == CallState::kStarted;
        }
      }
      const bool has_ranks = matched.is_message() || !group.ranks.empty();
      const auto ranks = static_cast<std::int64_t>(pending.standings.size());
      table.Add({
          columns.id = pending.id,
          columns.verdict = pending.verdict,
          columns.is_root = pending.is_root,
          columns.waits_for = pending.waits_for == kNone
                                  ? std::nullopt
                                  : std::optional(pending_[pending.waits_for].id),
          columns.held_up = pending.held_up,
          columns.group = group.name,
          columns.group_description = Known(group.description),
          columns.kind = matched.is_message() ? "p2p" : "collective",
          columns.sequence = SequenceOf(calls_, matched),
          columns.op = matched.is_message() ? "send and recv" : MostOf(matched, &Call::op),
          columns.sender = KnownInt(matched.sender),
          columns.receiver = KnownInt(matched.receiver),
          columns.input_sizes = Known(MostOf(matched, &Call::input_sizes)),
          columns.output_sizes = Known(MostOf(matched, &Call::output_sizes)),
          columns.dtypes = Known(MostOf(matched, &Call::input_dtypes)),
          columns.ranks = has_ranks ? std::optional(ranks) : std::nullopt,
          columns.entered = entered,
          columns.started = says_started ? std::optional(started) : std::nullopt,
          columns.completed = completed,
          columns.missing = missing,
          columns.no_dump = no_dump,
          columns.overwritten = lost,
          columns.timed_out = timed_out,
          columns.timeout_ms = KnownInt(timeout_ms),
          columns.line = Known(MostOf(matched, &Call::line)),
      });
    }
    return table;
  }

  Table Members() const {
    const auto& columns = SchemaOf<FlightMembers>();
    auto table = columns.NewTable(std::string(FlightMembers::kName));
    for (const std::uint32_t i : order_) {
      for (const Standing& standing : pending_[i].standings) {
        std::optional<std::int64_t> record;
        std::optional<std::string_view> line;
        std::string_view state = standing.dump == kNone ? hang_state::kNoDump
                                 : standing.is_missing  ? hang_state::kMissing
                                                        : hang_state::kOverwritten;
        if (standing.member != nullptr) {
          const Call& call = CallOf(*standing.member);
          state = ToString(standing.member->state);
          record = KnownInt(call.record_id);
          line = Known(dumps_[standing.dump].Text(call.line));
        }
        table.Add({columns.id = pending_[i].id, columns.rank = standing.rank, columns.state = state,
                   columns.record_id = record, columns.line = line});
      }
    }
    return table;
  }

  Table Ranks() const {
    std::set<std::int64_t> ranks;
    for (const hang::JobGroup& group : calls_.groups)
      ranks.insert(group.ranks.begin(), group.ranks.end());
    for (const FlightDump& dump : dumps_) ranks.insert(dump.rank);
    const auto& columns = SchemaOf<FlightRanks>();
    auto table = columns.NewTable(std::string(FlightRanks::kName));
    for (const std::int64_t rank : ranks) {
      const auto found = calls_.dump_of_rank.find(rank);
      if (found == calls_.dump_of_rank.end()) {
        table.Add({columns.rank = rank, columns.has_dump = false});
        continue;
      }
      const FlightDump& dump = dumps_[found->second];
      const Call* const last = LastOf(dump);
      const auto text = [&](StringId Call::*of) {
        return last == nullptr ? std::nullopt : Known(dump.Text(last->*of));
      };
      const auto& stands_in = stands_in_[found->second];
      table.Add({
          columns.rank = rank,
          columns.has_dump = true,
          columns.file = std::string_view(dump.path),
          columns.version = Known(dump.version),
          columns.calls = static_cast<std::int64_t>(dump.calls.size()),
          columns.lost = calls_.lost[found->second],
          columns.pending = pending_of_[found->second],
          columns.stands_in =
              stands_in.empty() ? std::nullopt : std::optional(pending_[stands_in.front()].id),
          columns.last_op = text(&Call::op),
          columns.last_group =
              last == nullptr ? std::nullopt : Known(dump.groups[last->group].name),
          columns.last_sequence = last == nullptr ? std::nullopt : std::optional(last->sequence),
          columns.last_state =
              last == nullptr ? std::nullopt : std::optional(ToString(last->state)),
          columns.last_line = text(&Call::line),
          columns.last_stack = text(&Call::stack),
      });
    }
    return table;
  }

  // The last call; what closes a batch is the program's doing less than what is in it.
  static const Call* LastOf(const FlightDump& dump) {
    for (auto call = dump.calls.rbegin(); call != dump.calls.rend(); ++call)
      if (!dump.Text(call->op).ends_with("coalesced")) return &*call;
    return dump.calls.empty() ? nullptr : &dump.calls.back();
  }

  Table Mismatches() const {
    const auto& columns = SchemaOf<FlightMismatches>();
    auto table = columns.NewTable(std::string(FlightMismatches::kName));
    for (const Mismatch& mismatch : mismatches_) {
      const Matched& matched = calls_.matched[mismatch.matched];
      const hang::JobGroup& group = calls_.groups[matched.group];
      const FlightDump& expected = dumps_[mismatch.expected_dump];
      for (const hang::Odd& odd : mismatch.odd) {
        std::optional<std::int64_t> rank;
        std::optional<std::string_view> line;
        if (odd.dump) {
          rank = dumps_[*odd.dump].rank;
          line = Known(dumps_[*odd.dump].Text(dumps_[*odd.dump].calls[odd.call].line));
        }
        table.Add({
            columns.group = group.name,
            columns.group_description = Known(group.description),
            columns.sequence = SequenceOf(calls_, matched),
            columns.rank = rank,
            columns.what = mismatch.what,
            columns.found = std::string_view(odd.found),
            columns.expected = std::string_view(mismatch.expected),
            columns.agreeing = static_cast<std::int64_t>(mismatch.agreeing),
            columns.is_tie = mismatch.is_tie,
            columns.is_pending = matched.IsPending(),
            columns.line = line,
            columns.expected_line =
                Known(expected.Text(expected.calls[mismatch.expected_call].line)),
            columns.later = mismatch.later,
        });
      }
    }
    return table;
  }

  Table Notes() const {
    const auto& columns = SchemaOf<FlightNotes>();
    auto table = columns.NewTable(std::string(FlightNotes::kName));
    const auto note = [&](const std::string& text) {
      table.Add({columns.note = std::string_view(text)});
    };
    std::size_t without_stacks = 0;
    std::set<std::string_view> versions;
    for (const FlightDump& dump : dumps_) {
      without_stacks += !dump.has_stacks && !dump.calls.empty();
      versions.insert(dump.version);
      if (dump.calls.empty())
        note(
            fmt::format("{}: the dump holds no call: is TORCH_NCCL_TRACE_BUFFER_SIZE (or "
                        "TORCH_FR_BUFFER_SIZE) set on rank {}?",
                        dump.path, dump.rank));
      if (dump.is_cut)
        note(fmt::format("{}: the dump was cut off, so the newest calls of rank {} are missing",
                         dump.path, dump.rank));
      for (const QualityEntry& entry : dump.quality.entries()) {
        if (entry.code == QualityCode::kBadEvent)
          note(fmt::format("{}: {} ({} times)", dump.path, entry.message, entry.count));
      }
      for (const flight::Group& group : dump.groups) {
        if (group.ranks.empty() ||
            std::binary_search(group.ranks.begin(), group.ranks.end(), dump.rank))
          continue;
        note(fmt::format("{}: by its name it is of rank {}, which is not in its process group {}",
                         dump.path, dump.rank, group.name));
        break;
      }
    }
    if (without_stacks > 0)
      note(
          fmt::format("{} of {} dumps have no stacks, so that lines of code are unknown there: "
                      "PyTorch writes them into pickles, not into JSON",
                      without_stacks, dumps_.size()));
    if (versions.size() > 1)
      note("the dumps are of different formats, that is of different versions of PyTorch");
    if (calls_.unknown_batches > 0)
      note(fmt::format("{} batches of messages do not say what is in them and were left out",
                       calls_.unknown_batches));
    return table;
  }

  std::span<const FlightDump> dumps_;
  Calls calls_;
  std::vector<Mismatch> mismatches_;
  std::vector<Pending> pending_;
  std::vector<std::uint32_t> order_;
  std::vector<std::int64_t> pending_of_;               // by dump
  std::vector<std::vector<std::uint32_t>> stands_in_;  // by dump
  std::vector<std::uint32_t> batch_of_;                // by dump: of what it stands in
};

}  // namespace

HangTables AnalyseHang(std::span<const FlightDump> dumps) { return Analyser(dumps).Tables(); }

}  // namespace rankscope
