#include "analysis/ops/frame_sums.h"

#include <algorithm>
#include <numeric>

#include "base/saturating.h"
#include "facts/places/forward_ops.h"
#include "facts/windows.h"

namespace rankscope {

template const FrameSumPartial& SchemaOf<FrameSumPartial>();
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
  AddSaturating(count, other.count);
  AddSaturating(own_ns, other.own_ns);
  AddSaturating(host_total_ns, other.host_total_ns);
  AddSaturating(host_self_ns, other.host_self_ns);
  shortest_ns = std::min(shortest_ns, other.shortest_ns);
  longest_ns = std::max(longest_ns, other.longest_ns);
  AddSaturating(device_total_ns, other.device_total_ns);
  AddSaturating(device_self_ns, other.device_self_ns);
  AddSaturating(works, other.works);
  AddSaturating(backward_total_ns, other.backward_total_ns);
  AddSaturating(backward_self_ns, other.backward_self_ns);
  AddSaturating(backward_works, other.backward_works);
  sketch.Merge(other.sketch);
}

std::int64_t FrameSum::AllDeviceSelf() const {
  return SaturatingAdd(device_self_ns, backward_self_ns);
}

std::int64_t FrameSum::QuantileOf(double q) const {
  return std::min(std::max(sketch.Quantile(q), shortest_ns), longest_ns);
}

std::vector<FrameSum> SumFrames(const TraceFacts& facts, const FrameTree& frames,
                                const FrameGroups& groups, BackwardWork backward,
                                const StepFilter& steps) {
  const RankTrace& trace = facts.trace();
  std::vector<FrameSum> sums(groups.count + std::size_t{1});
  const Windows windows = Windows::OfHost(facts, steps);
  const auto is_wanted = [&](Row row) { return !steps || windows.OfRow(row) != Windows::kNone; };

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

void AddSum(const FrameNames& names, const FrameSum& sum, TableOf<FrameSumPartial>& partial) {
  const auto text = [](std::string_view value) {
    return value.empty() ? Value(kNull) : Value(value);
  };
  const std::string sketch = sum.sketch.Encode();
  const auto& c = SchemaOf<FrameSumPartial>();
  partial.Add({c.name = names.name, c.shapes = text(names.shapes), c.dtypes = text(names.dtypes),
               c.count = sum.count, c.own_ns = sum.own_ns, c.host_total_ns = sum.host_total_ns,
               c.host_self_ns = sum.host_self_ns, c.shortest_ns = sum.shortest_ns,
               c.longest_ns = sum.longest_ns, c.device_total_ns = sum.device_total_ns,
               c.device_self_ns = sum.device_self_ns, c.works = sum.works,
               c.backward_total_ns = sum.backward_total_ns,
               c.backward_self_ns = sum.backward_self_ns, c.backward_works = sum.backward_works,
               c.sketch = sketch});
}

namespace {

Result<FrameSum> ReadSum(ViewOf<FrameSumPartial> table, std::size_t row) {
  const auto& c = SchemaOf<FrameSumPartial>();
  FrameSum sum{.count = table.Int(row, c.count),
               .own_ns = table.Int(row, c.own_ns),
               .host_total_ns = table.Int(row, c.host_total_ns),
               .host_self_ns = table.Int(row, c.host_self_ns),
               .shortest_ns = table.Int(row, c.shortest_ns),
               .longest_ns = table.Int(row, c.longest_ns),
               .device_total_ns = table.Int(row, c.device_total_ns),
               .device_self_ns = table.Int(row, c.device_self_ns),
               .works = table.Int(row, c.works),
               .backward_total_ns = table.Int(row, c.backward_total_ns),
               .backward_self_ns = table.Int(row, c.backward_self_ns),
               .backward_works = table.Int(row, c.backward_works),
               .sketch = {}};
  RS_ASSIGN_OR_RETURN(sum.sketch, DurationSketch::Decode(table.String(row, c.sketch)));
  return sum;
}

}  // namespace

void SumOverRanks::Add(std::int64_t rank, const FrameSum& sum) {
  all.Merge(sum);
  OfRank& of_rank = ranks[rank];
  AddSaturating(of_rank.count, sum.count);
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

void SumOverRanks::Merge(SumOverRanks&& other) {
  all.Merge(other.all);
  for (const auto& [rank, sum] : other.ranks) {
    OfRank& of_rank = ranks[rank];
    AddSaturating(of_rank.count, sum.count);
    AddSaturating(of_rank.own_ns, sum.own_ns);
  }
}

Status SumsByName::Add(const Capture& capture, ViewOf<FrameSumPartial> partial) {
  const auto& c = SchemaOf<FrameSumPartial>();
  const auto text = [&](std::size_t row, auto column) {
    return partial.IsNull(row, column) ? std::string() : std::string(partial.String(row, column));
  };
  for (std::size_t row = 0; row < partial.row_count(); ++row) {
    RS_ASSIGN_OR_RETURN(const FrameSum sum, ReadSum(partial, row));
    sums_[{text(row, c.name), text(row, c.shapes), text(row, c.dtypes)}].Add(capture.rank, sum);
  }
  return OkStatus();
}

void SumsByName::Merge(SumsByName&& other) {
  sums_.merge(other.sums_);  // leaves those that are in both
  for (auto& [key, sum] : other.sums_) sums_.at(key).Merge(std::move(sum));
}

CallTimes CallTimesOf(const SumOverRanks& sums) {
  CallTimes times;
  if (sums.all.count > 0) {
    times.mean_ns = sums.all.Mean();
    times.p50_ns = sums.all.QuantileOf(0.5);
    times.p99_ns = sums.all.QuantileOf(0.99);
    times.max_ns = sums.all.longest_ns;
  }
  if (const auto slowest = sums.Slowest()) {
    times.slowest_rank = slowest->first;
    times.slowest_mean_ns = slowest->second.Mean();
  }
  return times;
}

}  // namespace rankscope
