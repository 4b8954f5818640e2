#include "timeline/bins.h"

#include <algorithm>
#include <cmath>

#include "base/saturating.h"

namespace rankscope {
namespace {

std::uint8_t ShareOf(std::int64_t part_ns, double whole_ns) {
  if (part_ns <= 0) return 0;
  const double share = static_cast<double>(part_ns) / whole_ns;
  if (share >= 1) return 255;
  return static_cast<std::uint8_t>(std::clamp(std::lround(255 * share), 1L, 254L));
}

}  // namespace

BinSums::Bin* BinSums::At(std::int64_t bin) {
  if (bin < 0 || static_cast<std::uint64_t>(bin) >= most_bins_) return nullptr;
  if (static_cast<std::size_t>(bin) >= bins_.size())
    bins_.resize(static_cast<std::size_t>(bin) + 1);
  return &bins_[static_cast<std::size_t>(bin)];
}

void BinSums::AddPart(TimelinePart part, std::int64_t start_ns, std::int64_t duration_ns) {
  const std::int64_t most_ns = static_cast<std::int64_t>(most_bins_) << shift_;
  const std::int64_t from = std::max<std::int64_t>(0, SaturatingSubtract(start_ns, begin_ns_));
  const std::int64_t to =
      std::min(most_ns, SaturatingSubtract(SaturatingAdd(start_ns, duration_ns), begin_ns_));
  const std::int64_t length = std::int64_t{1} << shift_;
  for (std::int64_t at = from; at < to;) {
    const std::int64_t bin = at >> shift_;
    const std::int64_t end = std::min(to, (bin + 1) * length);
    AddSaturating(At(bin)->part_ns[static_cast<std::size_t>(part)], end - at);
    at = end;
  }
}

void BinSums::AddFlags(std::uint8_t flags, std::int64_t at_ns) {
  const std::int64_t since = SaturatingSubtract(at_ns, begin_ns_);
  if (Bin* bin = At(since >> shift_)) bin->flags |= flags;
}

void BinSums::Add(const BinSums& other) {
  bins_.resize(std::max(bins_.size(), other.bins_.size()));
  for (std::size_t i = 0; i < other.bins_.size(); ++i) Join(bins_[i], other.bins_[i]);
}

void BinSums::Join(Bin& bin, const Bin& other) {
  for (std::size_t part = 0; part < bin.part_ns.size(); ++part)
    AddSaturating(bin.part_ns[part], other.part_ns[part]);
  bin.flags |= other.flags;
}

void BinSums::Halve() {
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    if (i % 2 == 0) {
      bins_[i / 2] = bins_[i];
    } else {
      Join(bins_[i / 2], bins_[i]);
    }
  }
  bins_.resize((bins_.size() + 1) / 2);
  ++shift_;
}

std::vector<TimelineBin> BinSums::Shares(std::int64_t devices) const {
  const double whole = std::ldexp(static_cast<double>(std::max<std::int64_t>(1, devices)), shift_);
  std::vector<TimelineBin> shares;
  shares.reserve(bins_.size());
  for (const Bin& bin : bins_) {
    const auto of = [&](TimelinePart part) { return bin.part_ns[static_cast<std::size_t>(part)]; };
    TimelineBin made{
        .compute = ShareOf(of(TimelinePart::kCompute), whole),
        .transfer = ShareOf(of(TimelinePart::kTransfer), whole),
        .wait = ShareOf(of(TimelinePart::kWait), whole),
        .communication_unknown = ShareOf(of(TimelinePart::kCommunicationUnknown), whole),
        .copy = ShareOf(of(TimelinePart::kCopy), whole),
        .idle_host = ShareOf(of(TimelinePart::kIdleHost), whole)};
    std::uint8_t rest = 0;
    std::int64_t most = 0;
    for (const TimelinePart part :
         {TimelinePart::kIdleDevice, TimelinePart::kIdleUnknown, TimelinePart::kNotObserved}) {
      if (of(part) <= most) continue;
      most = of(part);
      rest = static_cast<std::uint8_t>(static_cast<int>(part) -
                                       static_cast<int>(TimelinePart::kIdleDevice) + 1);
    }
    made.rest = static_cast<std::uint8_t>(rest << 4 | bin.flags);
    shares.push_back(made);
  }
  return shares;
}

void AddSpan(BinSums& sums, const TimelineSpan& span) {
  const int part = span.kind - KindOfPart(TimelinePart::kCompute);
  if (span.duration_ns > 0 && part >= 0 && part < kTimelinePartCount)
    sums.AddPart(static_cast<TimelinePart>(part), span.start_ns, span.duration_ns);
  if (span.flags != 0) sums.AddFlags(span.flags, span.start_ns);
}

void AddTrack(BinSums& sums, const TimelineTrack& track) {
  for (const TimelineSpan& span : track.spans) AddSpan(sums, span);
}

}  // namespace rankscope
