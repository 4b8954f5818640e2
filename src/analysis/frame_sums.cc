#include "analysis/frame_sums.h"

#include <algorithm>
#include <numeric>

#include "analysis/forward_ops.h"
#include "analysis/windows.h"
#include "base/saturating.h"

namespace rankscope {
namespace {

// Device work with its launching call, kNoRow where that is not recorded.
template <typename Visit>
void ForEachWork(const RankTrace& trace, Visit visit) {
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kDevice) continue;
    for (Row row = track.begin; row < track.end; ++row) {
      if (IsDeviceWork(trace.kind[row]) && trace.dur_ns[row] >= 0) visit(row, trace.link[row]);
    }
  }
}

struct Owners {
  std::uint32_t own = FrameTree::kNone;
  std::uint32_t by_backward = FrameTree::kNone;
};

class Attribution {
 public:
  Attribution(const RankTrace& trace, const FrameTree& frames, BackwardWork backward)
      : frames_(frames), backward_(backward), forward_(ForwardOpsOf(trace)) {}

  Owners Of(Row call) const {
    Owners owners;
    if (call == kNoRow) return owners;
    owners.own = frames_.at(call);
    const bool wants_forward = backward_ == BackwardWork::kAlso || owners.own == FrameTree::kNone;
    if (wants_forward && !forward_.empty() && forward_[call] != kNoRow)
      owners.by_backward = frames_.at(forward_[call]);
    return owners;
  }
  // Whether the work is in nobody's device_self_ns, or backward_self_ns where that stands instead.
  bool IsUnattributed(const Owners& owners) const {
    return owners.own == FrameTree::kNone &&
           (backward_ == BackwardWork::kAlso || owners.by_backward == FrameTree::kNone);
  }

 private:
  const FrameTree& frames_;
  BackwardWork backward_;
  std::vector<Row> forward_;
};

// Adds what each frame has to the one around it.
void AddUpwards(const FrameTree& frames, std::vector<std::int64_t>& sums) {
  for (std::uint32_t frame = frames.size(); frame-- > 0;) {
    if (frames.around(frame) != FrameTree::kNone)
      AddSaturating(sums[frames.around(frame)], sums[frame]);
  }
}

}  // namespace

void FrameSum::Merge(const FrameSum& other) {
  count += other.count;
  AddSaturating(own_ns, other.own_ns);
  AddSaturating(host_total_ns, other.host_total_ns);
  AddSaturating(host_self_ns, other.host_self_ns);
  shortest_ns = std::min(shortest_ns, other.shortest_ns);
  longest_ns = std::max(longest_ns, other.longest_ns);
  AddSaturating(device_total_ns, other.device_total_ns);
  AddSaturating(device_self_ns, other.device_self_ns);
  works += other.works;
  AddSaturating(backward_total_ns, other.backward_total_ns);
  AddSaturating(backward_self_ns, other.backward_self_ns);
  backward_works += other.backward_works;
  sketch.Merge(other.sketch);
}

std::int64_t FrameSum::AllDeviceSelf() const {
  return SaturatingAdd(device_self_ns, backward_self_ns);
}

std::int64_t FrameSum::QuantileOf(double q) const {
  return std::clamp(sketch.Quantile(q), shortest_ns, longest_ns);
}

std::vector<FrameSum> SumFrames(const RankTrace& trace, const FrameTree& frames,
                                const FrameGroups& groups, BackwardWork backward,
                                const StepFilter& steps) {
  std::vector<FrameSum> sums(groups.count + std::size_t{1});
  const Windows windows(trace, steps);
  const auto is_wanted = [&](Row row) {
    return !steps || windows.At(trace.ts_ns[row]) != Windows::kNone;
  };

  const std::vector<bool> is_outermost = OutermostOfGroup(frames, groups.of_frame, groups.count);
  for (std::uint32_t frame = 0; frame < frames.size(); ++frame) {
    const Row row = frames.row(frame);
    if (!is_wanted(row)) continue;
    FrameSum& sum = sums[groups.of_frame[frame]];
    const std::int64_t duration = trace.dur_ns[row];
    ++sum.count;
    AddSaturating(sum.own_ns, duration);
    if (is_outermost[frame]) AddSaturating(sum.host_total_ns, duration);
    AddSaturating(sum.host_self_ns, frames.self_ns(frame));
    sum.shortest_ns = std::min(sum.shortest_ns, duration);
    sum.longest_ns = std::max(sum.longest_ns, duration);
    sum.sketch.Add(duration);
  }

  const Attribution attribution(trace, frames, backward);
  std::vector<std::int64_t> device(frames.size(), 0);
  std::vector<std::int64_t> by_backward(frames.size(), 0);
  ForEachWork(trace, [&](Row work, Row call) {
    if (!is_wanted(work)) return;
    const std::int64_t duration = trace.dur_ns[work];
    const Owners owners = attribution.Of(call);
    if (owners.own != FrameTree::kNone) {
      FrameSum& sum = sums[groups.of_frame[owners.own]];
      AddSaturating(sum.device_self_ns, duration);
      ++sum.works;
      AddSaturating(device[owners.own], duration);
    }
    if (owners.by_backward != FrameTree::kNone) {
      FrameSum& sum = sums[groups.of_frame[owners.by_backward]];
      AddSaturating(sum.backward_self_ns, duration);
      ++sum.backward_works;
      AddSaturating(by_backward[owners.by_backward], duration);
    }
    if (attribution.IsUnattributed(owners)) {
      AddSaturating(sums.back().device_self_ns, duration);
      ++sums.back().works;
    }
  });
  AddUpwards(frames, device);
  AddUpwards(frames, by_backward);
  for (std::uint32_t frame = 0; frame < frames.size(); ++frame) {
    if (!is_outermost[frame]) continue;
    FrameSum& sum = sums[groups.of_frame[frame]];
    AddSaturating(sum.device_total_ns, device[frame]);
    AddSaturating(sum.backward_total_ns, by_backward[frame]);
  }
  sums.back().device_total_ns = sums.back().device_self_ns;
  return sums;
}

CappedGroups CapGroups(const RankTrace& trace, const FrameTree& frames, const FrameGroups& groups,
                       BackwardWork backward, std::int64_t most) {
  CappedGroups capped;
  if (groups.count <= static_cast<std::uint64_t>(most)) {
    capped.groups = groups;
    capped.kept.resize(groups.count);
    std::iota(capped.kept.begin(), capped.kept.end(), 0U);
    return capped;
  }
  // Inclusive, so that the rows of a tree stay connected.
  std::vector<std::int64_t> of_frame(frames.size(), 0);
  const Attribution attribution(trace, frames, backward);
  ForEachWork(trace, [&](Row work, Row call) {
    const Owners owners = attribution.Of(call);
    for (const std::uint32_t frame : {owners.own, owners.by_backward}) {
      if (frame != FrameTree::kNone) AddSaturating(of_frame[frame], trace.dur_ns[work]);
    }
  });
  AddUpwards(frames, of_frame);
  std::vector<std::int64_t> device(groups.count, 0);
  std::vector<std::int64_t> host(groups.count, 0);
  for (std::uint32_t frame = 0; frame < frames.size(); ++frame) {
    AddSaturating(device[groups.of_frame[frame]], of_frame[frame]);
    AddSaturating(host[groups.of_frame[frame]], frames.self_ns(frame));
  }
  std::vector<std::uint32_t> order(groups.count);
  std::iota(order.begin(), order.end(), 0U);
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(order.begin(), middle, order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (device[a] != device[b]) return device[a] > device[b];
    if (host[a] != host[b]) return host[a] > host[b];
    return a < b;
  });
  order.erase(middle, order.end());
  std::sort(order.begin(), order.end());
  const auto others = static_cast<std::uint32_t>(order.size());
  std::vector<std::uint32_t> renamed(groups.count, others);
  for (std::uint32_t i = 0; i < others; ++i) renamed[order[i]] = i;
  capped.groups.count = others + 1;
  capped.groups.of_frame.reserve(groups.of_frame.size());
  for (const std::uint32_t group : groups.of_frame)
    capped.groups.of_frame.push_back(renamed[group]);
  capped.kept = std::move(order);
  return capped;
}

std::vector<ColumnSpec> PartialSumColumns() {
  return {{"count"},
          {"own_ns"},
          {"host_total_ns"},
          {"host_self_ns"},
          {"shortest_ns"},
          {"longest_ns"},
          {"device_total_ns"},
          {"device_self_ns"},
          {"works"},
          {"backward_total_ns"},
          {"backward_self_ns"},
          {"backward_works"},
          {"sketch", ColumnType::kString}};
}

void AppendSum(const FrameSum& sum, std::string& sketch, std::vector<Value>& row) {
  sketch = sum.sketch.Encode();
  row.insert(row.end(), {sum.count, sum.own_ns, sum.host_total_ns, sum.host_self_ns,
                         sum.shortest_ns, sum.longest_ns, sum.device_total_ns, sum.device_self_ns,
                         sum.works, sum.backward_total_ns, sum.backward_self_ns, sum.backward_works,
                         std::string_view(sketch)});
}

Result<FrameSum> ReadSum(const Table& table, std::size_t row, std::size_t column) {
  FrameSum sum;
  for (std::int64_t* field :
       {&sum.count, &sum.own_ns, &sum.host_total_ns, &sum.host_self_ns, &sum.shortest_ns,
        &sum.longest_ns, &sum.device_total_ns, &sum.device_self_ns, &sum.works,
        &sum.backward_total_ns, &sum.backward_self_ns, &sum.backward_works})
    *field = table.Int(row, column++);
  RS_ASSIGN_OR_RETURN(sum.sketch, DurationSketch::Decode(table.String(row, column)));
  return sum;
}

void SumOverRanks::Add(std::int64_t rank, const FrameSum& sum) {
  all.Merge(sum);
  OfRank& of_rank = ranks[rank];
  of_rank.count += sum.count;
  AddSaturating(of_rank.own_ns, sum.own_ns);
}

std::optional<std::pair<std::int64_t, SumOverRanks::OfRank>> SumOverRanks::Slowest() const {
  std::optional<std::pair<std::int64_t, OfRank>> slowest;
  for (const auto& entry : ranks) {
    if (entry.second.count == 0) continue;
    if (!slowest || entry.second.Mean() > slowest->second.Mean()) slowest = entry;
  }
  return slowest;
}

Result<SumsByName> MergeSums(PartialStream& partials, const JobContext& job, std::size_t names) {
  SumsByName merged;
  Partial partial;
  while (true) {
    RS_ASSIGN_OR_RETURN(const bool more, partials.Next(partial));
    if (!more) return merged;
    const Table& table = partial.tables[0];
    for (std::size_t row = 0; row < table.row_count(); ++row) {
      std::vector<std::string> key;
      key.reserve(names);
      for (std::size_t column = 0; column < names; ++column)
        key.emplace_back(table.String(row, column));
      RS_ASSIGN_OR_RETURN(const FrameSum sum, ReadSum(table, row, names));
      merged[std::move(key)].Add(job.captures[partial.capture].rank, sum);
    }
  }
}

void AppendCallTimes(const FrameSum& sum, std::vector<Value>& row) {
  if (sum.count == 0) {
    row.insert(row.end(), 4, kNull);
    return;
  }
  row.insert(row.end(), {sum.Mean(), sum.QuantileOf(0.5), sum.QuantileOf(0.99), sum.longest_ns});
}

void AppendSlowest(const SumOverRanks& sums, std::vector<Value>& row) {
  const auto slowest = sums.Slowest();
  row.push_back(slowest ? Value(slowest->first) : Value(kNull));
  row.push_back(slowest ? Value(slowest->second.Mean()) : Value(kNull));
}

}  // namespace rankscope
