#include "compare/findings_diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schemas/diff.h"
#include "schemas/findings.h"

namespace rankscope {
namespace {

// Findings are made from 1 % of gain on. One that is on one side alone counts from 2 %, and so do
// changes: noise brings what is at a threshold over it.
constexpr double kLeastGainPct = 2;
constexpr double kLeastChangePct = 2;

using Rows = std::vector<std::size_t>;

struct Pair {
  std::optional<std::size_t> base;
  std::optional<std::size_t> test;
};

class FindingRow {
 public:
  FindingRow(std::optional<ViewOf<Findings>> table, std::optional<std::size_t> row)
      : table_(table), row_(row) {}
  std::string Text(Findings::StringColumn column) const {
    if (!row_ || table_->IsNull(*row_, column)) return {};
    return std::string(table_->String(*row_, column));
  }
  std::optional<double> Gain() const {
    return row_ ? table_->Known(*row_, SchemaOf<Findings>().gain_pct) : std::nullopt;
  }
  // Worse than what noise may bring: memory that will be full has no gain.
  bool IsSure() const {
    return row_ &&
           (!Gain() || *Gain() >= kLeastGainPct || Text(SchemaOf<Findings>().severity) != "low");
  }

 private:
  std::optional<ViewOf<Findings>> table_;
  std::optional<std::size_t> row_;
};

std::string_view StateOf(const Pair& pair, const FindingRow& base, const FindingRow& test) {
  const auto& columns = SchemaOf<Findings>();
  if (!pair.base) return test.IsSure() ? "appeared" : "small";
  if (!pair.test) return base.IsSure() ? "gone" : "small";
  const double gained = std::abs(test.Gain().value_or(0) - base.Gain().value_or(0));
  if (gained >= kLeastChangePct) return "changed";
  // Where a small one sits is as uncertain as whether it is there.
  const bool is_sure = base.IsSure() && test.IsSure();
  const bool differs = base.Text(columns.severity) != test.Text(columns.severity) ||
                       base.Text(columns.ranks) != test.Text(columns.ranks);
  return is_sure && differs && gained >= kLeastChangePct / 2 ? "changed" : "same";
}

int PlaceOf(std::string_view state) {
  constexpr std::string_view kOrder[] = {"appeared", "gone", "changed", "same", "small"};
  return static_cast<int>(std::find(std::begin(kOrder), std::end(kOrder), state) -
                          std::begin(kOrder));
}

}  // namespace

Table FindingsDiff(const Table* base_findings, const Table* test_findings) {
  const auto base = OptionalView<Findings>(base_findings);
  const auto test = OptionalView<Findings>(test_findings);
  const auto& of_finding = SchemaOf<Findings>();
  std::map<std::string, std::pair<Rows, Rows>> by_id;
  const auto read = [&](const std::optional<ViewOf<Findings>>& table, auto side) {
    if (!table) return;
    for (std::size_t row = 0; row < table->row_count(); ++row)
      (by_id[std::string(table->String(row, of_finding.id))].*side).push_back(row);
  };
  read(base, &std::pair<Rows, Rows>::first);
  read(test, &std::pair<Rows, Rows>::second);

  struct Entry {
    std::string id;
    Pair pair;
    std::string_view state;
    double gain = 0;
  };
  std::vector<Entry> entries;
  for (const auto& [id, rows] : by_id) {
    const auto at = [](const Rows& of, std::size_t i) {
      return i < of.size() ? std::optional(of[i]) : std::nullopt;
    };
    for (std::size_t i = 0; i < std::max(rows.first.size(), rows.second.size()); ++i) {
      const Pair pair{at(rows.first, i), at(rows.second, i)};
      const FindingRow of_base(base, pair.base);
      const FindingRow of_test(test, pair.test);
      entries.push_back({id, pair, StateOf(pair, of_base, of_test),
                         std::max(of_base.Gain().value_or(0), of_test.Gain().value_or(0))});
    }
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(PlaceOf(a.state), -a.gain) < std::pair(PlaceOf(b.state), -b.gain);
  });

  const auto& columns = SchemaOf<DiffFindings>();
  auto table = columns.NewTable(std::string(DiffFindings::kName));
  const auto number = [](std::optional<std::size_t> row) {
    return row ? Value(static_cast<std::int64_t>(*row)) : Value(kNull);
  };
  for (const Entry& entry : entries) {
    const FindingRow of_base(base, entry.pair.base);
    const FindingRow of_test(test, entry.pair.test);
    const std::string base_who = of_base.Text(of_finding.who);
    const std::string test_who = of_test.Text(of_finding.who);
    const std::string title =
        entry.pair.test ? of_test.Text(of_finding.title) : of_base.Text(of_finding.title);
    table.Add({columns.state = entry.state, columns.id = entry.id,
               columns.base_gain_pct = of_base.Gain(), columns.test_gain_pct = of_test.Gain(),
               columns.base_who = entry.pair.base ? Value(base_who) : Value(kNull),
               columns.test_who = entry.pair.test ? Value(test_who) : Value(kNull),
               columns.title = title, columns.base_row = number(entry.pair.base),
               columns.test_row = number(entry.pair.test)});
  }
  return table;
}

bool HasFindingFor(ViewOf<DiffFindings> findings_diff, std::int64_t base_ns, std::int64_t test_ns) {
  const auto& columns = SchemaOf<DiffFindings>();
  const bool is_slower = test_ns > base_ns;
  const auto longer = static_cast<double>(std::max(base_ns, test_ns));
  const double change_pct =
      100 * (longer - static_cast<double>(std::min(base_ns, test_ns))) / longer;
  for (std::size_t row = 0; change_pct > 0 && row < findings_diff.row_count(); ++row) {
    if (findings_diff.String(row, columns.state) != (is_slower ? "appeared" : "gone")) continue;
    const auto gain =
        findings_diff.Known(row, is_slower ? columns.test_gain_pct : columns.base_gain_pct);
    if (gain && *gain >= change_pct / 2) return true;
  }
  return false;
}

}  // namespace rankscope
