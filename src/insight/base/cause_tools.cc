#include "insight/base/cause_tools.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "facts/places/code_places.h"
#include "job/collective_op.h"
#include "table/human_number.h"
#include "trace/row_names.h"
#include "trace/step_names.h"
#include "trace/value_reads.h"

namespace rankscope {
namespace {

std::string ThreeDigits(double value) {
  const double size = std::abs(value);
  if (size >= 99.95) return fmt::format("{:.0f}", value);
  return size >= 9.995 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}

// Of any of these codes, and no hint.
bool HasVerdict(ViewOf<Recording> recording, std::initializer_list<std::string_view> codes) {
  const auto& columns = SchemaOf<Recording>();
  for (std::size_t row = 0; row < recording.row_count(); ++row) {
    if (recording.String(row, columns.severity) == "low") continue;
    if (std::find(codes.begin(), codes.end(), recording.String(row, columns.code)) != codes.end())
      return true;
  }
  return false;
}

}  // namespace

bool IsBoundByComputing(const NodeKind& kind) {
  return kind.kernel_class == KernelClass::kGemm ||
         kind.kernel_class == KernelClass::kConvolution ||
         kind.kernel_class == KernelClass::kAttention;
}

bool HasDeviceWork(const JobGraph& graph) {
  return std::any_of(graph.kinds().begin(), graph.kinds().end(), [](const NodeKind& kind) {
    return IsDevice(kind.work) && !IsExchangeOfHosts(kind);
  });
}

bool KnowsAllDevices(ViewOf<Recording> recording) {
  return !HasVerdict(recording, {"device-not-recorded", "graphs-without-kernels", "thinned",
                                 "rows-not-understood"});
}

bool KnowsDevices(ViewOf<Recording> recording, const JobGraph& graph) {
  if (HasVerdict(recording, {"graphs-without-kernels", "thinned", "rows-not-understood"}))
    return false;
  return HasDeviceWork(graph) || !HasVerdict(recording, {"device-not-recorded"});
}

bool IsEnough(ViewOf<Recording> recording) {
  for (std::size_t row = 0; row < recording.row_count(); ++row) {
    if (recording.String(row, SchemaOf<Recording>().code) == "too-little-work") return false;
  }
  return true;
}

std::string TimeText(double ns) { return HumanDuration(ns); }

std::string PercentText(double share) { return ThreeDigits(100 * share) + "%"; }

std::map<std::int64_t, std::uint32_t> DenseRanks(const RuleInput& input) {
  std::map<std::int64_t, std::uint32_t> dense;
  for (std::uint32_t i = 0; i < input.ranks(); ++i)
    dense.emplace(input.across().collectives().ranks()[i].rank, i);
  return dense;
}

std::vector<std::uint32_t> AllRanks(const RuleInput& input) {
  std::vector<std::uint32_t> ranks(input.ranks());
  std::iota(ranks.begin(), ranks.end(), 0U);
  return ranks;
}

LossWords LossOf(const RuleInput& input, const Cause& cause) {
  const auto lost_ns = static_cast<double>(*cause.lost_ns);
  if (cause.steps.empty()) return {TimeText(lost_ns), "a step"};
  const std::size_t steps = cause.steps.size(), all = input.counted().size();
  const double there_ns = cause.lost_there_ns
                              ? static_cast<double>(*cause.lost_there_ns)
                              : lost_ns * static_cast<double>(all) / static_cast<double>(steps);
  return {TimeText(there_ns), InStepsText(input, steps)};
}

std::string InStepsText(const RuleInput& input, std::size_t steps) {
  const std::size_t all = input.counted().size();
  return steps == 1
             ? fmt::format("in 1 step of {}", all)
             : fmt::format("in {} steps of {} (the mean of the steps that have it)", steps, all);
}

std::string_view InEveryStepText(const RuleInput& input) {
  const auto& steps = input.graph().steps();
  if (input.counted().size() <= 1) return "in the one step that was recorded";
  const bool all_count = input.counted().size() == steps.size();
  const bool all_are_complete =
      std::ranges::all_of(input.counted(), [&](std::size_t step) { return steps[step].complete; });
  return all_count || !all_are_complete ? "in every step" : "in every complete step";
}

namespace {

// Whole numbers from ten on and near them, else a decimal.
std::string MeanCountText(double count) {
  constexpr double kNearlyWhole = 0.05;
  const bool is_whole = count >= 10 || std::abs(count - std::round(count)) < kNearlyWhole;
  return is_whole ? fmt::format("{:.0f}", count) : fmt::format("{:.1f}", count);
}

}  // namespace

std::string CountText(double count, std::string_view noun) {
  const std::string number = MeanCountText(count);
  if (number == "1") return fmt::format("1 {}", noun);
  if (noun.ends_with('y')) return fmt::format("{} {}ies", number, noun.substr(0, noun.size() - 1));
  return fmt::format("{} {}s", number, noun);
}

CountWords CountAStep(double count, std::string_view noun) {
  return {CountText(count, noun) + " a step", MeanCountText(count) == "1" ? "s" : ""};
}

std::string TimesAStep(double count) {
  const std::string number = MeanCountText(count);
  return number == "1" ? "once a step" : number + " times a step";
}

std::string WhoText(const RuleInput& input, const std::vector<std::uint32_t>& ranks) {
  const auto& known = input.across().collectives().ranks();
  if (ranks.size() == known.size() && ranks.size() > 1) return "all ranks";
  std::vector<std::int64_t> numbers;
  numbers.reserve(ranks.size());
  for (const std::uint32_t rank : ranks) numbers.push_back(known[rank].rank);
  const std::string text =
      fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", RangesWords(std::move(numbers)));
  // A whole stage is told as one.
  const JobLayout& layout = input.across().layout();
  std::set<std::int32_t> stages;
  for (const std::uint32_t rank : ranks)
    stages.insert(layout.places[rank].Of(Dimension::kPipeline));
  if (ranks.size() < 2 || stages.size() != 1 || *stages.begin() < 0) return text;
  std::size_t of_stage = 0;
  std::set<std::int32_t> all;
  for (const RankPlace& place : layout.places) {
    of_stage += place.Of(Dimension::kPipeline) == *stages.begin() ? 1 : 0;
    all.insert(place.Of(Dimension::kPipeline));
  }
  if (all.size() < 2 || of_stage != ranks.size()) return text;
  return fmt::format("pipeline stage {}: {}", *stages.begin(), text);
}

namespace {

// Cause::Place::key of a place that is named so.
std::string_view KeyOf(const NodeKind& kind, std::string_view name) {
  switch (kind.work) {
    case Work::kLaunchCall:
    case Work::kSyncCall:
    case Work::kAllocator:
    case Work::kOtherCall:
      return name == kind.name ? "call" : "";
    case Work::kPython:
    case Work::kDataLoading:
    case Work::kCheckpoint:
      // Frames are "file.py(12): f" and "<built-in method sort of list object>".
      return name.empty() || name.starts_with('<') || ParseCodeLine(name).line >= 0 ? ""
                                                                                    : "annotation";
    default:
      return "";
  }
}

}  // namespace

void TellWhere(const RuleInput& input, const std::vector<NodeId>& nodes, Cause& cause) {
  std::vector<std::int64_t> times;
  times.reserve(nodes.size());
  for (const NodeId node : nodes) times.push_back(input.graph().nodes()[node].duration_ns);
  TellWhere(input, nodes, times, cause);
}

void TellWhere(const RuleInput& input, const std::vector<NodeId>& nodes,
               std::span<const std::int64_t> times, Cause& cause) {
  constexpr std::size_t kMostPlaces = 5;
  constexpr std::size_t kMostNodes = 3;
  constexpr double kLeastPart = 0.2;
  const JobGraph& graph = input.graph();
  std::int64_t all_ns = 0, unnamed_ns = 0;
  std::map<const NodeKind*, std::string> names;
  // A step's mark says nothing about what is done in it.
  const auto what_of = [&](const NodeKind& kind) -> std::string_view {
    const auto [found, is_new] = names.try_emplace(&kind);
    const std::string_view own = kind.op.empty() ? kind.name : kind.op;
    const std::string_view name =
        ReadsValue(own) && !kind.outer_op.empty() ? std::string_view(kind.outer_op) : own;
    if (!is_new) return found->second;
    // Every exchange of PyTorch's is one of record_param_comms.
    const CollectiveOp exchange =
        kind.work == Work::kCommunication ? OpOfName(kind.name) : CollectiveOp::kUnknown;
    if (exchange != CollectiveOp::kUnknown && name.starts_with("record_param_comms"))
      found->second = ToString(exchange);
    else if (!MarksStep(name))
      found->second = WithoutAddresses(name);
    return found->second;
  };
  using PlaceKey = std::tuple<std::string_view, std::string_view, std::string_view,
                              std::string_view>;  // op, module, function, Cause::Place::key
  std::map<PlaceKey, std::int64_t> by_place;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const NodeId node = nodes[i];
    const NodeKind& kind = graph.KindOf(node);
    const CodeSite* const site = graph.SiteOf(node);
    const std::string_view name = what_of(kind);
    all_ns += times[i];
    if (name.empty() && site == nullptr) {
      unnamed_ns += times[i];
      continue;
    }
    by_place[{name, site == nullptr ? "" : std::string_view(site->module),
              site == nullptr ? "" : std::string_view(site->function), KeyOf(kind, name)}] +=
        times[i];
  }
  cause.places.clear();
  for (const auto& [place, ns] : by_place) {
    const auto& [op, module, function, key] = place;
    // A hundredth of a stretch that nothing names is not where it sits.
    if (2 * unnamed_ns > all_ns &&
        kLeastPart * static_cast<double>(all_ns) > static_cast<double>(ns))
      continue;
    cause.places.push_back({std::string(op), key, std::string(module), std::string(function), ns});
  }
  std::stable_sort(cause.places.begin(), cause.places.end(),
                   [](const auto& a, const auto& b) { return a.ns > b.ns; });
  if (cause.places.size() > kMostPlaces) cause.places.resize(kMostPlaces);
  std::vector<std::size_t> order(nodes.size());
  std::iota(order.begin(), order.end(), 0);
  const std::size_t most = std::min(kMostNodes, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      return times[a] != times[b] ? times[a] > times[b] : a < b;
                    });
  cause.nodes.clear();
  for (std::size_t i = 0; i < most; ++i) cause.nodes.push_back(nodes[order[i]]);
}

}  // namespace rankscope
