#include "compare/compare.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/saturating.h"
#include "compare/call_tree_diff.h"
#include "compare/diff_rows.h"
#include "compare/findings_diff.h"
#include "compare/notes.h"
#include "schemas/captures.h"
#include "schemas/critical_path.h"
#include "schemas/findings.h"
#include "statistics/welch.h"

namespace rankscope {
namespace {

const std::string kOutside(kOutsideOfDevices);

std::vector<double> Durations(const Measures& of) {
  std::vector<double> durations;
  for (const StepLength& unit : of.units)
    durations.push_back(static_cast<double>(unit.duration_ns));
  return durations;
}

Table JobRow(const Measures& base, const Measures& test, const PairedSums& all, DiffUnit unit,
             SpreadOf spread, const Table& findings) {
  const auto& columns = SchemaOf<DiffJob>();
  auto table = columns.NewTable(std::string(DiffJob::kName));
  // Recordings are no samples of anything.
  const std::optional<double> p = unit == DiffUnit::kStep && spread == SpreadOf::kSteps
                                      ? WelchTest(Durations(base), Durations(test))
                                      : std::nullopt;
  const auto count = [](std::size_t number) { return static_cast<std::int64_t>(number); };
  const bool is_step = unit == DiffUnit::kStep;
  table.Add({columns.unit = is_step ? "step" : "recording", columns.base_ns = all.base_ns,
             columns.test_ns = all.test_ns, columns.change_ns = all.test_ns - all.base_ns,
             columns.change_pct =
                 all.base_ns > 0 ? Value(all.OfStepPct(all.test_ns - all.base_ns)) : Value(kNull),
             columns.p = p,
             columns.significant =
                 p ? Value(*p < kLargestChance || HasFindingFor(findings, all.base_ns, all.test_ns))
                   : Value(kNull),
             columns.spread_of = spread == SpreadOf::kSteps   ? Value(std::string_view("steps"))
                                 : spread == SpreadOf::kRanks ? Value(std::string_view("ranks"))
                                                              : Value(kNull),
             columns.base_steps = is_step ? count(base.units.size()) : 0,
             columns.test_steps = is_step ? count(test.units.size()) : 0,
             columns.base_ranks = count(base.ranks.size()),
             columns.test_ranks = count(test.ranks.size()),
             columns.same_recordings = base.contents == test.contents});
  return table;
}

Table StepRows(const Measures& base, const Measures& test) {
  const auto& columns = SchemaOf<DiffSteps>();
  auto table = columns.NewTable(std::string(DiffSteps::kName));
  for (const auto& [side, of] : {std::pair("base", &base), std::pair("test", &test)}) {
    for (const StepLength& unit : of->units)
      table.Add({columns.side = side, columns.group = unit.group, columns.step = unit.step,
                 columns.duration_ns = unit.duration_ns});
  }
  return table;
}

// Of matched kernels of all places; idle time is one row per cause. What is added or removed at a
// place counts with its name where the other side has that, too: added is what is new.
Table KernelRows(const PairedSums& all) {
  std::set<std::string> base_names;
  std::set<std::string> test_names;
  for (const PlacePair& pair : all.pairs) {
    if (pair.base != nullptr) base_names.insert(pair.base->place.name);
    if (pair.test != nullptr) test_names.insert(pair.test->place.name);
  }
  RowsByKey<4> rows;
  for (std::size_t i = 0; i < all.pairs.size(); ++i) {
    const PlacePair& pair = all.pairs[i];
    std::string base = pair.base != nullptr ? pair.base->place.name : "";
    std::string test = pair.test != nullptr ? pair.test->place.name : "";
    if (base.empty() && base_names.contains(test)) base = test;
    if (test.empty() && test_names.contains(base)) test = base;
    const bool is_work = pair.place().is_work();
    const std::string_view state = !is_work || base == test ? "same"
                                   : base.empty()           ? "added"
                                   : test.empty()           ? "removed"
                                                            : "renamed";
    RowSum& row = rows[{pair.place().part, base, test, std::string(state)}];
    row.base.Add(all.sums[i].base.ns, all.sums[i].base.count, all.sums[i].base.values);
    row.test.Add(all.sums[i].test.ns, all.sums[i].test.count, all.sums[i].test.values);
  }
  rows[{kOutside, "", "", "same"}] = all.outside;
  const auto& columns = SchemaOf<DiffKernels>();
  return TableOfRows<DiffKernels>(rows, all, columns.part, columns.base_name, columns.test_name,
                                  columns.state);
}

// Time and calls of host threads by the innermost op: of a rank, not of a device.
Table HostRows(const Measures& base, const Measures& test, const PairedSums& all) {
  RowsByKey<2> rows;
  const auto add = [&](const Measures& of, SideSum RowSum::*side) {
    for (const PlaceSum& sum : of.host) {
      const double count = of.host_windows > 0 ? static_cast<double>(sum.count) /
                                                     static_cast<double>(of.host_windows)
                                               : 0;
      (rows[{sum.place.phase, sum.place.op()}].*side)
          .Add(RoundedMean(sum.total_ns, of.host_windows), count, sum.values);
    }
  };
  add(base, &RowSum::base);
  add(test, &RowSum::test);
  const auto& columns = SchemaOf<DiffHost>();
  return TableOfRows<DiffHost>(rows, all, columns.phase, columns.op);
}

bool HasOtherCount(const RowSum& row) {
  constexpr double kSame = 1e-9;
  return std::abs(row.base.count - row.test.count) > kSame;
}

// Every place; the largest change first.
Table PlaceRows(const PairedSums& all) {
  std::vector<const RowSum*> sums;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < all.pairs.size(); ++i) {
    sums.push_back(&all.sums[i]);
    order.push_back(i);
  }
  const std::vector<std::optional<double>> chances = ChancesOf(sums, all);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(all.sums[a].change_ns()) > std::abs(all.sums[b].change_ns());
  });
  const auto& columns = SchemaOf<DiffPlaces>();
  auto table = columns.NewTable(std::string(DiffPlaces::kName));
  const auto text_of = [](const PlaceSum* sum, std::string WorkPlace::*field) {
    return sum == nullptr ? Value(kNull) : TextOrNull(sum->place.*field);
  };
  for (const std::size_t i : order) {
    const PlacePair& pair = all.pairs[i];
    const PlaceSum* const where = pair.test != nullptr ? pair.test : pair.base;
    const bool is_changed =
        pair.state == MatchState::kSame && where->place.is_work() &&
        (HasOtherCount(all.sums[i]) || (chances[i] && *chances[i] < kLargestChance));
    AddSums<DiffPlaces>(
        table, all.sums[i], chances[i], all, columns.part = std::string_view(where->place.part),
        columns.phase = text_of(where, &WorkPlace::phase),
        columns.module = text_of(where, &WorkPlace::module),
        columns.path = text_of(where, &WorkPlace::path),
        columns.base_shapes = text_of(pair.base, &WorkPlace::shapes),
        columns.test_shapes = text_of(pair.test, &WorkPlace::shapes),
        columns.base_name = text_of(pair.base, &WorkPlace::name),
        columns.test_name = text_of(pair.test, &WorkPlace::name),
        columns.class_ = text_of(where, &WorkPlace::class_),
        columns.state = is_changed ? std::string_view("changed") : ToString(pair.state));
  }
  AddSums<DiffPlaces>(table, all.outside, std::nullopt, all, columns.part = kOutsideOfDevices,
                      columns.state = "same");
  return table;
}

// What is the same in every run: "<built-in method add of Tensor object at 0x7bc8d80b5c20>" up to
// "object", "ProfilerStep#551" without its number.
std::string WithoutInstance(std::string_view name) {
  constexpr std::string_view kStep = "ProfilerStep";
  if (name.starts_with(kStep)) return std::string(kStep);
  return std::string(name.substr(0, name.find(" at 0x")));
}

// The path of a step, over ranks: which of several like ranks it goes through is chance. Empty
// where the replay of either job refuses.
Table PathRows(const JobTables& base, const JobTables& test, const PairedSums& all) {
  const auto& columns = SchemaOf<DiffPath>();
  const auto& of_path = SchemaOf<PathOverRanks>();
  const auto& of_replay = SchemaOf<ReplayFidelity>();
  auto table = columns.NewTable(std::string(DiffPath::kName));
  const auto steps_of = [&](const JobTables& tables) -> std::int64_t {
    if (tables.path_over_ranks == nullptr || tables.path_over_ranks->row_count() == 0 ||
        tables.replay_fidelity == nullptr || tables.replay_fidelity->row_count() == 0)
      return 0;
    return ViewOf<ReplayFidelity>(*tables.replay_fidelity).Known(0, of_replay.steps).value_or(0);
  };
  const std::int64_t base_steps = steps_of(base);
  const std::int64_t test_steps = steps_of(test);
  if (base_steps == 0 || test_steps == 0) return table;
  using Key = std::pair<std::string, std::string>;
  std::map<Key, std::pair<std::int64_t, std::int64_t>> sums;
  const auto read = [&](ViewOf<PathOverRanks> rows, auto side) {
    for (std::size_t row = 0; row < rows.row_count(); ++row) {
      const std::string_view name =
          rows.IsNull(row, of_path.name) ? std::string_view() : rows.String(row, of_path.name);
      const Key key{rows.String(row, of_path.part), WithoutInstance(name)};
      AddSaturating(sums[key].*side, rows.Int(row, of_path.total_ns));
    }
  };
  using Sides = std::pair<std::int64_t, std::int64_t>;
  read(*base.path_over_ranks, &Sides::first);
  read(*test.path_over_ranks, &Sides::second);
  struct Row {
    Key key;
    Sides ns;
  };
  std::vector<Row> rows;
  rows.reserve(sums.size());
  ExactMeans of_base(base_steps);
  ExactMeans of_test(test_steps);
  for (const auto& [key, ns] : sums)
    rows.push_back({key, {of_base.Next(ns.first), of_test.Next(ns.second)}});
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::abs(a.ns.second - a.ns.first) > std::abs(b.ns.second - b.ns.first);
  });
  for (const Row& row : rows) {
    const std::int64_t change = row.ns.second - row.ns.first;
    table.Add({columns.part = std::string_view(row.key.first),
               columns.name = TextOrNull(row.key.second), columns.base_ns = row.ns.first,
               columns.test_ns = row.ns.second, columns.change_ns = change,
               columns.of_step_pct = all.OfStepPct(change)});
  }
  return table;
}

// Where both have the same ranks.
Table RanksDiff(const Measures& base, const Measures& test, const PairedSums& all) {
  const auto& columns = SchemaOf<DiffRanks>();
  auto table = columns.NewTable(std::string(DiffRanks::kName));
  if (base.ranks != test.ranks) return table;
  for (const auto& [rank, of_base] : base.parts_of_rank) {
    const auto of_test = test.parts_of_rank.find(rank);
    if (of_test == test.parts_of_rank.end()) continue;
    ExactMeans base_means(of_base.windows);
    ExactMeans test_means(of_test->second.windows);
    for (const auto& [part, total] : of_base.total_ns) {
      const std::int64_t base_ns = base_means.Next(total);
      const std::int64_t test_ns = test_means.Next(of_test->second.total_ns.at(part));
      table.Add({columns.rank = rank, columns.part = std::string_view(part),
                 columns.base_ns = base_ns, columns.test_ns = test_ns,
                 columns.change_ns = test_ns - base_ns,
                 columns.of_step_pct = all.OfStepPct(test_ns - base_ns)});
    }
  }
  return table;
}

std::size_t RankCount(const JobTables& tables) {
  const auto& columns = SchemaOf<Captures>();
  std::set<std::int64_t> ranks;
  const ViewOf<Captures> captures = *tables.captures;
  for (std::size_t row = 0; row < captures.row_count(); ++row) {
    if (captures.Bool(row, columns.analysed)) ranks.insert(captures.Int(row, columns.rank));
  }
  return ranks.size();
}

SpreadOf ChooseSpread(const JobTables& base, const JobTables& test, DiffUnit unit) {
  if (unit == DiffUnit::kStep && !NeedsRanks(base, test)) return SpreadOf::kSteps;
  const bool has_ranks = base.step_work_of_ranks != nullptr && test.step_work_of_ranks != nullptr;
  return has_ranks && std::max(RankCount(base), RankCount(test)) > 1 ? SpreadOf::kRanks
                                                                     : SpreadOf::kNothing;
}

}  // namespace

bool NeedsRanks(const JobTables& base, const JobTables& test) {
  const std::size_t base_steps = CompleteSteps(base);
  const std::size_t test_steps = CompleteSteps(test);
  return std::min(base_steps, test_steps) == 0 || std::max(base_steps, test_steps) < 2;
}

Result<std::vector<Table>> Compare(const JobTables& base, const JobTables& test) {
  const bool has_steps = CompleteSteps(base) > 0 && CompleteSteps(test) > 0;
  const DiffUnit unit = has_steps ? DiffUnit::kStep : DiffUnit::kRecording;
  const SpreadOf spread = ChooseSpread(base, test, unit);
  const Measures of_base = MeasuresOf(base, unit, spread);
  const Measures of_test = MeasuresOf(test, unit, spread);
  const PairedSums all = SumPairs(of_base, of_test);
  if (all.base_ns <= 0 || all.test_ns <= 0) {
    return Error(StatusCode::kNotFound,
                 "{} recorded nothing that takes time: there is nothing to compare",
                 all.base_ns <= 0 ? "BASE" : "TEST");
  }
  const auto& phases = SchemaOf<DiffPhases>();
  const auto& parts = SchemaOf<DiffParts>();
  const auto& modules = SchemaOf<DiffModules>();
  const auto& ops = SchemaOf<DiffOps>();
  using Place = const WorkPlace&;
  std::vector<Table> tables;
  Table findings = FindingsDiff(base.findings, test.findings);
  tables.push_back(JobRow(of_base, of_test, all, unit, spread, findings));
  tables.push_back(NotesOf(base, test, of_base, of_test, all, unit, spread));
  tables.push_back(std::move(findings));
  tables.push_back(TableOfRows<DiffParts>(
      GroupSides<1>(all, {kOutside}, [](Place of) { return std::array{of.part}; }), all,
      parts.part));
  tables.push_back(PathRows(base, test, all));
  tables.push_back(TableOfRows<DiffPhases>(
      GroupSides<1>(all, {kOutside}, [](Place of) { return std::array{of.phase}; }), all,
      phases.phase));
  tables.push_back(TableOfRows<DiffModules>(
      GroupSides<1>(all, {kOutside}, [](Place of) { return std::array{of.module}; }), all,
      modules.module));
  tables.push_back(
      TableOfRows<DiffOps>(GroupSides<3>(all, {kOutside, "", ""},
                                         [](Place of) {
                                           return std::array{of.part, of.phase, of.op()};
                                         }),
                           all, ops.part, ops.phase, ops.op));
  tables.push_back(HostRows(of_base, of_test, all));
  tables.push_back(KernelRows(all));
  tables.push_back(PlaceRows(all));
  tables.push_back(CallTreeDiff(all, of_base, of_test));
  tables.push_back(RanksDiff(of_base, of_test, all));
  tables.push_back(StepRows(of_base, of_test));
  return tables;
}

}  // namespace rankscope
