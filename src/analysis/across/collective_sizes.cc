// collective_sizes: what collectives of one kind and size cost, and what a larger one would.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "analysis/across/across_fact.h"
#include "analysis/across/analyses.h"
#include "analysis/across/group_link.h"
#include "base/saturating.h"
#include "schemas/across.h"
#include "statistics/statistics.h"

namespace rankscope {
namespace {

using Kind = std::tuple<std::string, CollectiveOp>;

struct CollectiveSizesSum {
  std::set<std::uint32_t> groups;
  std::int64_t count = 0;
  std::int64_t incomplete = 0;
  std::int64_t device_ns = 0;
  std::int64_t known_ns = 0;  // durations where waiting is known
  std::int64_t wait_ns = 0;
  std::vector<double> skews, transfers;
  std::int64_t members = 0;
  std::set<double> links;  // of its groups
};

// The line through (bytes on the bus, transfer): the median of the slopes between all pairs.
struct Line {
  double latency_ns = 0;
  double ns_per_byte = 0;
};
std::optional<Line> FitSizes(const std::vector<std::pair<double, double>>& points) {
  constexpr std::size_t kMost = 200;  // sizes; the slopes of all pairs grow with the square
  if (points.size() < 3 || points.size() > kMost) return std::nullopt;
  std::vector<double> slopes;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j)
      slopes.push_back((points[j].second - points[i].second) / (points[j].first - points[i].first));
  }
  Line line{.ns_per_byte = Median(slopes)};
  std::vector<double> rests;
  rests.reserve(points.size());
  for (const auto& [bytes, transfer] : points) rests.push_back(transfer - line.ns_per_byte * bytes);
  line.latency_ns = Median(rests);
  return line.ns_per_byte > 0 ? std::optional(line) : std::nullopt;
}

std::int64_t OutliersOf(const std::vector<double>& transfers) {
  const std::vector<std::optional<double>> deviations = RobustDeviations(transfers);
  const double median = Median(transfers);
  std::int64_t count = 0;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const bool is_far = deviations[i] && *deviations[i] >= kOutlierDeviation;
    count += is_far && transfers[i] > 1.2 * median ? 1 : 0;
  }
  return count;
}

// What is known of the transfers of collectives whose members' clocks are aligned: nothing without
// any.
struct TransferValues {
  Value wait_pct = kNull;
  std::optional<double> median_skew_ns;
  std::optional<double> median_ns;
  std::optional<double> max_ns;
  std::optional<std::int64_t> outliers;
  std::optional<double> bus_bandwidth;
};
TransferValues TransferOf(const CollectiveSizesSum& sum, CollectiveOp op,
                          std::optional<std::int64_t> bytes) {
  if (sum.transfers.empty()) return {};
  const double median = Median(sum.transfers);
  TransferValues values{.wait_pct = Percent(sum.wait_ns, sum.known_ns),
                        .median_skew_ns = Median(sum.skews),
                        .median_ns = median,
                        .max_ns = *std::max_element(sum.transfers.begin(), sum.transfers.end()),
                        .outliers = OutliersOf(sum.transfers),
                        .bus_bandwidth = std::nullopt};
  if (bytes && median > 0)
    values.bus_bandwidth = static_cast<double>(*bytes) * BusFactor(op, sum.members) / median * 1e9;
  return values;
}

Status CheckSizeOptions(const Options& options) {
  const std::string& link = options.find("link")->second;
  if (link.empty() || ParseLink(link)) return OkStatus();
  return Error(StatusCode::kInvalidArgument,
               "link={} is no bandwidth: a number of GB/s above 0, such as 50", link);
}

Result<Table> ReduceCollectiveSizes(const InputTables&, const JobContext& job,
                                    const Options& options) {
  using Key = std::tuple<Kind, std::string, std::optional<std::int64_t>>;  // and dtype and bytes
  std::map<Key, CollectiveSizesSum> sums;
  std::int64_t everything = 0;
  const AcrossFacts& facts = AcrossOf(job);
  const JobCollectives& all = facts.collectives();
  const auto group_links =
      GroupLinks(all, job, ParseLink(options.find("link")->second).value_or(0));
  for (std::size_t c = 0; c < all.collectives().size(); ++c) {
    const JobCollective& collective = all.collectives()[c];
    const auto members = all.MembersOf(collective);
    const CollectiveEvent& first = all.events()[members.front()];
    CollectiveSizesSum& sum = sums[{Kind{all.groups()[collective.group].Kind(), collective.op},
                                    std::string(all.text(first.dtype)), all.BytesOf(collective)}];
    const CollectiveTimes& times = facts.TimesOf(c);
    sum.groups.insert(collective.group);
    sum.links.insert(group_links[collective.group]);
    sum.members = all.SizeOf(collective);
    ++sum.count;
    const bool is_whole = collective.agrees && collective.count >= sum.members;
    sum.incomplete += is_whole ? 0 : 1;
    for (const std::uint32_t member : members) {
      const std::int64_t duration = all.events()[member].dur_ns;
      AddSaturating(sum.device_ns, duration);
      AddSaturating(everything, duration);
      if (!times.is_known) continue;
      AddSaturating(sum.known_ns, duration);
      AddSaturating(sum.wait_ns, facts.WaitOf(member));
    }
    if (!times.is_known) continue;
    sum.skews.push_back(static_cast<double>(times.skew_ns()));
    sum.transfers.push_back(static_cast<double>(times.transfer_ns()));
  }

  std::map<Kind, std::vector<std::pair<double, double>>> points;
  for (const auto& [key, sum] : sums) {
    const auto& [kind, dtype, bytes] = key;
    if (!bytes || sum.transfers.empty()) continue;
    const double on_bus = static_cast<double>(*bytes) * BusFactor(std::get<1>(kind), sum.members);
    auto& of_kind = points[kind];
    // Sizes of two dtypes may be equal.
    if (of_kind.empty() || of_kind.back().first != on_bus)
      of_kind.emplace_back(on_bus, Median(sum.transfers));
  }
  std::map<Kind, std::optional<Line>> lines;
  for (auto& [kind, of_kind] : points) {
    std::sort(of_kind.begin(), of_kind.end());
    of_kind.erase(std::unique(of_kind.begin(), of_kind.end(),
                              [](const auto& a, const auto& b) { return a.first == b.first; }),
                  of_kind.end());
    lines[kind] = FitSizes(of_kind);
  }

  const auto& columns = SchemaOf<CollectiveSizes>();
  auto table = columns.NewTable("collective_sizes");
  for (const auto& [key, sum] : sums) {
    const auto& [kind, dtype, bytes] = key;
    const auto& [groups, op] = kind;
    const double link = sum.links.size() == 1 ? *sum.links.begin() : 0;
    const TransferValues transfer = TransferOf(sum, op, bytes);
    const auto line = lines.find(kind);
    const bool has_line = !sum.transfers.empty() && line != lines.end() && line->second;
    table.Add(
        {columns.groups = groups,
         columns.group_count = static_cast<std::int64_t>(sum.groups.size()),
         columns.op = ToString(op),
         columns.dtype = dtype.empty() ? Value(kNull) : Value(std::string_view(dtype)),
         columns.bytes = bytes, columns.count = sum.count, columns.incomplete = sum.incomplete,
         columns.device_ns = sum.device_ns, columns.share_pct = Percent(sum.device_ns, everything),
         columns.wait_pct = transfer.wait_pct, columns.median_skew_ns = transfer.median_skew_ns,
         columns.median_transfer_ns = transfer.median_ns, columns.max_transfer_ns = transfer.max_ns,
         columns.outliers = transfer.outliers, columns.bus_bandwidth = transfer.bus_bandwidth,
         columns.fit_latency_ns = has_line ? Value(line->second->latency_ns) : Value(kNull),
         columns.fit_bus_bandwidth =
             has_line ? Value(1e9 / line->second->ns_per_byte) : Value(kNull),
         columns.link_peak = link > 0 ? Value(link) : Value(kNull),
         columns.link_pct = link > 0 && transfer.bus_bandwidth
                                ? Value(100 * *transfer.bus_bandwidth / link)
                                : Value(kNull)});
  }
  table.SortBy({{columns.device_ns, true}, {columns.groups}, {columns.op}, {columns.bytes}});
  return table;
}

}  // namespace

const Analysis& CollectiveSizesAnalysis() {
  static const Analysis kAnalysis = {
      .name = "collective_sizes",
      .summary = "collectives by groups, op and size: waiting, transfer, bus bandwidth, latency",
      .definition =
          "Collectives as in collectives; process groups of one description and size are taken "
          "together. Bus bandwidth is that of nccl-tests, of the transfer alone: waiting for late "
          "members is no matter of the network. The fit is a line of transfer over bytes on the "
          "bus through the medians of the sizes of one op in such groups: latency + bytes / "
          "bandwidth.",
      .example = "rankscope table collective_sizes traces/",
      .columns = SchemaOf<CollectiveSizes>().columns(),
      .options = {{"link", "",
                   "GB/s of a device in one direction, of groups across hosts and wherever else no "
                   "peak is known"}},
      .facts = {&AcrossFact()},
      .derive = ReduceCollectiveSizes,
      .check = CheckSizeOptions,
  };
  return kAnalysis;
}

}  // namespace rankscope
