#include "analysis/layout/expert_exchanges.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/across/across_fact.h"
#include "base/saturating.h"
#include "facts/launch_parts.h"
#include "facts/windows.h"
#include "job/split_sizes.h"
#include "table/move_tables.h"

namespace rankscope {

template const GroupedGemmPartial& SchemaOf<GroupedGemmPartial>();
namespace {

bool IsGroupedGemm(std::string_view name) {
  return name.find("grouped_mm") != std::string_view::npos ||
         name.find("grouped_gemm") != std::string_view::npos ||
         name.find("GroupedLinear") != std::string_view::npos;
}

// The first number of "[[4096, 128], ...]"; -1 without one.
std::int64_t RowsOf(std::string_view dims) {
  if (!dims.starts_with("[[")) return -1;
  std::int64_t rows = -1;
  const auto [end, error] = std::from_chars(dims.data() + 2, dims.data() + dims.size(), rows);
  return error == std::errc() && rows >= 0 ? rows : -1;
}

// What a rank gets in an all-to-all: rows, or elements where splits are not stated.
std::int64_t Received(const JobCollectives& all, const CollectiveEvent& event) {
  const JobGroup& group = all.groups()[event.group];
  const std::int64_t members = group.Members();
  const std::string_view text = all.text(event.out_split);
  if (text.empty()) return event.out;
  const std::vector<std::int64_t> splits = SplitsOf(text, event.out, members);
  if (splits.empty()) return event.out;
  std::int64_t rows = 0;
  for (const std::int64_t split : splits) AddSaturating(rows, split);
  return rows;
}

bool IsAnswer(const CollectiveEvent& combine, const CollectiveEvent& dispatch) {
  return combine.in == dispatch.out && combine.out == dispatch.in &&
         combine.in_split == dispatch.out_split && combine.out_split == dispatch.in_split;
}

using ExpertExchangesKey =
    std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // group, step, ordinal
using Exchanges = std::map<ExpertExchangesKey, ExpertExchange>;

// Dispatches of one rank in one group; `events` are its all-to-alls in order.
void AddDispatches(const AcrossFacts& facts, std::span<const CollectiveEvent* const> events,
                   Exchanges* exchanges) {
  const JobCollectives& all = facts.collectives();
  std::int64_t ordinal = 0;
  std::int64_t step = CollectiveEvent::kNoStep;
  for (std::size_t i = 0; i + 1 < events.size(); ++i) {
    const CollectiveEvent& dispatch = *events[i];
    const CollectiveEvent& combine = *events[i + 1];
    if (!IsAnswer(combine, dispatch)) continue;
    ++i;
    const std::int64_t rows = Received(all, dispatch);
    if (dispatch.part != StepPart::kForward || rows < 0) continue;
    if (dispatch.step != step) ordinal = 0;
    step = dispatch.step;
    const auto group = static_cast<std::int64_t>(dispatch.group);
    ExpertExchange& exchange = (*exchanges)[{group, step, ordinal}];
    exchange.group = group;
    exchange.step = step;
    exchange.ordinal = ordinal++;
    exchange.loads.push_back({.rank = all.ranks()[dispatch.rank].rank,
                              .rows = rows,
                              .experts_ns = std::max<std::int64_t>(
                                  SaturatingSubtract(combine.start_ns, dispatch.end_ns()), 0)});
  }
}

std::set<std::uint32_t> ExpertGroups(const JobLayout& layout) {
  std::set<std::uint32_t> groups;
  for (const RoleLayout& role : layout.roles) {
    const auto& of_experts = role.Of(Dimension::kExpert).groups;
    groups.insert(of_experts.begin(), of_experts.end());
  }
  return groups;
}

Exchanges BySplits(const AcrossFacts& facts) {
  const std::set<std::uint32_t> groups = ExpertGroups(facts.layout());
  Exchanges exchanges;
  std::vector<const CollectiveEvent*> of_rank;
  const auto close = [&] { AddDispatches(facts, std::exchange(of_rank, {}), &exchanges); };
  // Events come by group, rank and time.
  for (const CollectiveEvent& event : facts.collectives().events()) {
    if (event.op != CollectiveOp::kAllToAll || !groups.contains(event.group)) continue;
    const bool is_next = !of_rank.empty() && (of_rank.front()->group != event.group ||
                                              of_rank.front()->rank != event.rank);
    if (is_next) close();
    of_rank.push_back(&event);
  }
  close();
  return exchanges;
}

Exchanges ByGemms(const PerCapture<TableOf<GroupedGemmPartial>>& partials, const JobContext& job) {
  const auto& columns = SchemaOf<GroupedGemmPartial>();
  const AcrossFacts& facts = AcrossOf(job);
  std::map<std::int64_t, std::int64_t> group_of;  // global rank -> expert group
  for (const std::uint32_t group : ExpertGroups(facts.layout())) {
    for (const std::int64_t rank : facts.collectives().groups()[group].ranks)
      group_of.emplace(rank, group);
  }
  Exchanges exchanges;
  for (const auto& [of, gemms] : partials.values()) {
    const std::int64_t rank = of.first;
    const auto number = facts.collectives().NumberOf(rank);
    if (!number) continue;
    // Without such groups, ranks of one role share them.
    const auto known = group_of.find(rank);
    const std::int64_t group =
        known != group_of.end()
            ? known->second
            : -1 - static_cast<std::int64_t>(facts.layout().places[*number].role);
    for (std::size_t row = 0; row < gemms.row_count(); ++row) {
      const std::int64_t step = gemms.Known(row, columns.step).value_or(CollectiveEvent::kNoStep);
      const std::int64_t ordinal = gemms.Int(row, columns.ordinal);
      ExpertExchange& exchange = exchanges[{group, step, ordinal}];
      exchange.group = group;
      exchange.step = step;
      exchange.ordinal = ordinal;
      exchange.loads.push_back({.rank = rank, .rows = gemms.Int(row, columns.rows)});
    }
  }
  return exchanges;
}

}  // namespace

double ExpertExchange::Mean() const {
  double sum = 0;
  for (const Load& load : loads) sum += static_cast<double>(load.rows);
  return sum / static_cast<double>(loads.size());
}

const ExpertExchange::Load& ExpertExchange::Hottest() const {
  return *std::max_element(loads.begin(), loads.end(),
                           [](const Load& a, const Load& b) { return a.rows < b.rows; });
}

std::string_view ToString(LoadSource source) {
  return source == LoadSource::kSplits ? "all-to-all sizes" : "shapes of grouped GEMMs";
}

ExpertLoads ExpertLoadsOf(const PerCapture<TableOf<GroupedGemmPartial>>& gemms,
                          const JobContext& job) {
  ExpertLoads loads;
  Exchanges found = BySplits(AcrossOf(job));
  if (found.empty()) {
    loads.source = LoadSource::kGemms;
    found = ByGemms(gemms, job);
  }
  for (auto& [key, exchange] : found) {
    std::stable_sort(exchange.loads.begin(), exchange.loads.end(),
                     [](const auto& a, const auto& b) { return a.rank < b.rank; });
    // One rank alone has no others to be compared with.
    if (exchange.loads.size() > 1) loads.exchanges.push_back(std::move(exchange));
  }
  return loads;
}

std::vector<Table> MapGroupedGemms(const TraceFacts& facts, const MapOptions& options) {
  const RankTrace& trace = facts.trace();
  const auto& columns = SchemaOf<GroupedGemmPartial>();
  auto table = columns.NewPartial("gemms");
  std::vector<bool> is_grouped(trace.strings.size());
  bool any = false;
  for (StringId id = 0; id < is_grouped.size(); ++id)
    any |= is_grouped[id] = IsGroupedGemm(trace.strings.Get(id));
  if (!any) return MoveTables(std::move(table));
  const Windows windows = Windows::OfHost(facts, options.steps);
  const LaunchParts parts(trace, windows);
  std::vector<Row> rows;
  for (Row row = 0; row < trace.row_count(); ++row) {
    const bool is_op = trace.kind[row] == EventKind::kCpuOp && trace.aux[row] != kNoAux;
    if (!is_op || !is_grouped[trace.name[row]]) continue;
    // An op inside another one computes the same.
    const Row around = trace.parent[row];
    if (around != kNoRow && is_grouped[trace.name[around]]) continue;
    rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [&](Row a, Row b) { return trace.ts_ns[a] < trace.ts_ns[b]; });
  std::map<std::size_t, std::int64_t> counts;
  for (const Row row : rows) {
    const std::size_t window = windows.At(trace.ts_ns[row]);
    if (window == Windows::kNone || parts.Of(row, window) != StepPart::kForward) continue;
    const std::int64_t in = RowsOf(trace.strings.Get(trace.ops[trace.aux[row]].input_dims));
    if (in < 0) continue;
    table.Add({columns.step = windows[window].StepValue(), columns.ordinal = counts[window]++,
               columns.rows = in});
  }
  return MoveTables(std::move(table));
}

}  // namespace rankscope
