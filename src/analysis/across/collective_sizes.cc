// collective_sizes: what collectives of one kind and size cost, and what a larger one would.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "analysis/across/across_fact.h"
#include "analysis/across/analyses.h"
#include "analysis/across/group_link.h"
#include "base/saturating.h"
#include "schemas/columns.h"
#include "statistics/statistics.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = {
      column::Text("groups", "the process groups' description and size: those alike are one row"),
      column::Int("group_count", "", "so many groups"),
      column::Text("op", "all_reduce, all_gather, ..."),
      column::Text("dtype", "null when not known"),
      column::Int("bytes", "bytes", "the full buffer of each; null when not known"),
      column::Int("count", "", "collectives"),
      column::Int("incomplete", "",
                  "of these, those whose members were not all found, or do not agree"),
      column::Int("device_ns", "ns", "durations on all members, summed"),
      column::Real("share_pct", "%", "device_ns of all collectives"),
      column::Real("wait_pct", "%",
                   "part of device_ns before the last member came, where that is known; null where "
                   "it never is, as what follows"),
      column::Real("median_skew_ns", "ns", "from the first member's begin to the last one's"),
      column::Real("median_transfer_ns", "ns", "from the last begin to the last end"),
      column::Real("max_transfer_ns", "ns", "the longest"),
      column::Int("outliers", "",
                  "transfers at least 3.5 robust deviations above the median and 20 % longer"),
      column::Real("bus_bandwidth", "bytes/s", "of the median transfer"),
      column::Real("fit_latency_ns", "ns",
                   "transfer of an empty collective of this op in these groups, by a line through "
                   "the medians of three sizes or more (Theil and Sen); null without"),
      column::Real("fit_bus_bandwidth", "bytes/s", "of a very large one, by that line"),
      column::Real(
          "link_peak", "bytes/s",
          "of a device's links to the others of its host, in one direction (device_peaks), "
          "for groups whose members were all recorded, on one host and on one kind of "
          "device; else what the option link says; null without"),
      column::Real("link_pct", "%",
                   "bus_bandwidth of link_peak; above 100 where switches reduce (NVLink SHARP)"),
  };
  return kColumns;
}

using Kind = std::tuple<std::string, CollectiveOp>;

struct Sum {
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

Status Check(const Options& options) {
  const std::string& link = options.find("link")->second;
  if (link.empty() || ParseLink(link)) return OkStatus();
  return Error(StatusCode::kInvalidArgument,
               "link={} is no bandwidth: a number of GB/s above 0, such as 50", link);
}

Result<Table> Reduce(std::span<const Table* const>, const JobContext& job, const Options& options) {
  using Key = std::tuple<Kind, std::string, std::optional<std::int64_t>>;  // and dtype and bytes
  std::map<Key, Sum> sums;
  std::int64_t everything = 0;
  const AcrossFacts& facts = AcrossOf(job);
  const JobCollectives& all = facts.collectives();
  const auto group_links =
      GroupLinks(all, job, ParseLink(options.find("link")->second).value_or(0));
  for (std::size_t c = 0; c < all.collectives().size(); ++c) {
    const JobCollective& collective = all.collectives()[c];
    const auto members = all.MembersOf(collective);
    const CollectiveEvent& first = all.events()[members.front()];
    Sum& sum = sums[{Kind{all.groups()[collective.group].Kind(), collective.op},
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

  Table table("collective_sizes", Columns());
  for (const auto& [key, sum] : sums) {
    const auto& [kind, dtype, bytes] = key;
    const auto& [groups, op] = kind;
    std::vector<Value> row = {std::string_view(groups),
                              static_cast<std::int64_t>(sum.groups.size()),
                              ToString(op),
                              dtype.empty() ? Value(kNull) : Value(std::string_view(dtype)),
                              bytes ? Value(*bytes) : Value(kNull),
                              sum.count,
                              sum.incomplete,
                              sum.device_ns,
                              Percent(sum.device_ns, everything)};
    std::optional<double> rate;
    if (!sum.transfers.empty()) {
      const double median = Median(sum.transfers);
      if (bytes && median > 0)
        rate = static_cast<double>(*bytes) * BusFactor(op, sum.members) / median * 1e9;
      row.insert(row.end(), {Percent(sum.wait_ns, sum.known_ns), Median(sum.skews), median,
                             *std::max_element(sum.transfers.begin(), sum.transfers.end()),
                             OutliersOf(sum.transfers), rate ? Value(*rate) : Value(kNull)});
      if (const auto line = lines.find(kind); line != lines.end() && line->second) {
        row.insert(row.end(), {line->second->latency_ns, 1e9 / line->second->ns_per_byte});
      }
    }
    row.resize(Columns().size() - 2, kNull);
    const double link = sum.links.size() == 1 ? *sum.links.begin() : 0;
    row.push_back(link > 0 ? Value(link) : Value(kNull));
    row.push_back(link > 0 && rate ? Value(100 * *rate / link) : Value(kNull));
    table.AddRow(row);
  }
  table.SortBy({{*table.Find("device_ns"), true}, {0}, {2}, {4}});
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
          "bus "
          "through the medians of the sizes of one op in such groups: latency + bytes / bandwidth.",
      .example = "rankscope table collective_sizes traces/",
      .columns = Columns(),
      .options = {{"link", "",
                   "GB/s of a device in one direction, of groups across hosts and wherever else no "
                   "peak is known"}},
      .facts = {&AcrossFact()},
      .derive = Reduce,
      .check = Check,
  };
  return kAnalysis;
}

}  // namespace rankscope
