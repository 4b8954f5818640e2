#include "trace/launch_index.h"

#include <algorithm>
#include <set>

#include "base/saturating.h"

namespace rankscope {
namespace {

// A stream belongs to a process that launched three of four of its works, of at least so many.
constexpr std::uint32_t kLeastVotes = 4;
bool AreThreeOfFour(std::uint64_t part, std::uint64_t all) { return 4 * part >= 3 * all; }
// Work may seem to begin so long before its call: clocks of hosts and devices are not one.
constexpr std::int64_t kMostSkewNs = 100'000;

bool IsOfDevice(const Track& track) {
  return track.domain != Domain::kHost && track.domain != Domain::kOther;
}

}  // namespace

template <typename Visit>
void LaunchIndex::ForEachCall(Visit visit) const {
  for (const Track& track : trace_.tracks) {
    if (track.domain != Domain::kHost) continue;
    for (Row row = track.begin; row < track.end; ++row) {
      if (trace_.kind[row] == kind_of_calls_ && trace_.correlation[row] > 0)
        visit(row, trace_.correlation[row]);
    }
  }
}

LaunchIndex::LaunchIndex(const RankTrace& trace) : trace_(trace) {
  const bool has_calls = std::any_of(trace.kind.begin(), trace.kind.end(),
                                     [](EventKind kind) { return kind == EventKind::kRuntime; });
  if (!has_calls) kind_of_calls_ = EventKind::kCpuOp;
  TakeFirstCalls();
  if (!shared_.empty()) MatchShared();
}

void LaunchIndex::TakeFirstCalls() {
  std::int64_t low = INT64_MAX;
  std::int64_t high = 0;
  std::uint64_t count = 0;
  Row first = kNoRow;
  ForEachCall([&](Row row, std::int64_t id) {
    low = std::min(low, id);
    high = std::max(high, id);
    ++count;
    if (first == kNoRow) first = row;
    has_processes_ |= ProcessOf(row) != ProcessOf(first);
  });
  if (count == 0) return;
  low_ = low;
  const auto range = static_cast<std::uint64_t>(high - low);
  if (range < 8 * count + 65536) {
    dense_.assign(range + 1, kNoRow);
  } else {
    sparse_.reserve(count);
  }
  ForEachCall([&](Row row, std::int64_t id) {
    Row& slot = dense_.empty() ? sparse_.try_emplace(id, kNoRow).first->second
                               : dense_[static_cast<std::size_t>(id - low_)];
    if (slot == kNoRow) {
      slot = row;
    } else if (ProcessOf(slot) != ProcessOf(row)) {
      std::vector<Row>& calls = shared_[id];
      if (calls.empty()) calls.push_back(slot);
      // Tracks are sorted by process, so its calls come one behind the other.
      if (ProcessOf(calls.back()) != ProcessOf(row)) calls.push_back(row);
    }
  });
  for (auto& [id, calls] : shared_) {
    for (const Row call : calls) of_process_.emplace(std::pair(ProcessOf(call), id), call);
    std::stable_sort(calls.begin(), calls.end(),
                     [&](Row a, Row b) { return trace_.ts_ns[a] < trace_.ts_ns[b]; });
  }
}

void LaunchIndex::MatchShared() {
  boost::unordered_flat_map<std::int64_t, std::vector<Row>> works;
  for (const Track& track : trace_.tracks) {
    if (!IsOfDevice(track)) continue;
    for (Row row = track.begin; row < track.end; ++row) {
      if (shared_.contains(trace_.correlation[row])) works[trace_.correlation[row]].push_back(row);
    }
  }
  for (auto& [id, of_id] : works) MatchId(shared_.at(id), of_id);
  FollowStreams();
}

// As many works as calls, each behind its call: in their order. Else each is of the last call
// before it.
void LaunchIndex::MatchId(const std::vector<Row>& calls, std::vector<Row>& works) {
  std::stable_sort(works.begin(), works.end(),
                   [&](Row a, Row b) { return trace_.ts_ns[a] < trace_.ts_ns[b]; });
  bool is_in_order = works.size() == calls.size();
  for (std::size_t i = 0; is_in_order && i < works.size(); ++i)
    is_in_order = IsBefore(calls[i], works[i]);
  std::size_t before = 0;  // calls that began by then
  for (std::size_t i = 0; i < works.size(); ++i) {
    while (before < calls.size() && IsBefore(calls[before], works[i])) ++before;
    launch_of_[works[i]] = is_in_order ? calls[i] : before > 0 ? calls[before - 1] : kNoRow;
  }
}

// Most works of a stream are of one process: the others are too, where it has a call for them.
void LaunchIndex::FollowStreams() {
  std::map<Stream, Votes> streams;
  const auto for_each_work = [&](auto visit) {
    for (const Track& track : trace_.tracks) {
      if (!IsOfDevice(track)) continue;
      for (Row row = track.begin; row < track.end; ++row) {
        if (trace_.correlation[row] > 0) visit(row);
      }
    }
  };
  for_each_work([&](Row row) {
    const Row call = LaunchOf(row);
    if (call == kNoRow) return;
    Votes& votes = streams[StreamOf(row)];
    ++votes.of[ProcessOf(call)];
    ++votes.count;
  });
  std::map<Stream, Process> owners;
  for (const auto& [stream, votes] : streams) {
    const auto most =
        std::max_element(votes.of.begin(), votes.of.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (votes.count >= kLeastVotes && AreThreeOfFour(most->second, votes.count))
      owners[stream] = most->first;
  }
  std::set<Process> owning;
  for (const auto& [stream, process] : owners) owning.insert(process);
  for_each_work([&](Row row) {
    const auto owner = owners.find(StreamOf(row));
    if (owner == owners.end()) return;
    const Row call = LaunchOf(row);
    if (call == kNoRow || ProcessOf(call) == owner->second) return;
    const Row own = FindInProcess(owner->second, trace_.correlation[row]);
    if (own != kNoRow && IsBefore(own, row)) {
      launch_of_[row] = own;
    } else if (owning.contains(ProcessOf(call))) {
      launch_of_[row] = kNoRow;  // that process has streams of its own
    }
  });
}

Row LaunchIndex::Find(std::int64_t id) const {
  if (!dense_.empty()) {
    if (id < low_ || static_cast<std::uint64_t>(id - low_) >= dense_.size()) return kNoRow;
    return dense_[static_cast<std::size_t>(id - low_)];
  }
  const auto found = sparse_.find(id);
  return found == sparse_.end() ? kNoRow : found->second;
}

Row LaunchIndex::LaunchOf(Row row) const {
  if (const auto matched = launch_of_.find(row); matched != launch_of_.end())
    return matched->second;
  const Row call = Find(trace_.correlation[row]);
  const bool is_of_later_call = call != kNoRow && has_processes_ &&
                                trace_.ts_ns[call] > SaturatingAdd(trace_.ts_ns[row], kMostSkewNs);
  return is_of_later_call ? kNoRow : call;
}

Row LaunchIndex::FindInProcess(Process process, std::int64_t id) const {
  if (shared_.contains(id)) {
    const auto own = of_process_.find({process, id});
    return own == of_process_.end() ? kNoRow : own->second;
  }
  const Row call = Find(id);
  return call != kNoRow && ProcessOf(call) == process ? call : kNoRow;
}

}  // namespace rankscope
