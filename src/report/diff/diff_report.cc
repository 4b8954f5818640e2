#include "report/diff/diff_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/base/table_view.h"
#include "report/base/wording.h"
#include "schemas/diff.h"
#include "schemas/words.h"
#include "table/human_number.h"
#include "table/terminal_text.h"

namespace rankscope {
namespace {

// What is less of a step is no news.
constexpr double kDiffReportLeastPct = 1;
constexpr std::size_t kMostReasons = 3;
constexpr double kDiffReportLeastFactorPct = 900;

struct Job {
  explicit Job(const DiffReport& report) : rows(report.Find(DiffJob::kName)) {}

  double base_ns() const { return *rows.Number(0, rows->base_ns); }
  double test_ns() const { return *rows.Number(0, rows->test_ns); }
  double change_ns() const { return test_ns() - base_ns(); }
  double change_pct() const { return rows.Number(0, rows->change_pct).value_or(0); }
  bool is_step() const { return rows.String(0, rows->unit) == "step"; }
  std::string_view unit() const { return is_step() ? "a step" : "a recording"; }
  // Null where it is not known.
  std::optional<double> p() const { return rows.Number(0, rows->p); }
  bool is_significant() const { return rows.Flag(0, rows->significant); }
  bool is_noise() const { return p() && !is_significant(); }

  RowsOf<DiffJob> rows;
};

std::string Signed(double ns) { return (ns < 0 ? "-" : "+") + HumanDuration(std::abs(ns)); }

std::string_view PartLabel(std::string_view part) {
  for (const PartWords& words : kParts) {
    if (words.id == part) return words.label;
  }
  if (part == kOutsideOfDevices) return "outside of devices";
  if (part == "communication") return "communication";
  if (part == "copy") return "copying";
  if (part == "not_observed") return "not observed";
  return part;
}

struct Reason {
  std::string text;
  double ns = 0;
};

// What the steps' path spends more on, or, without one, the devices; the path says what decides,
// where devices also wait for it.
std::vector<Reason> ReasonsOf(const DiffReport& report, const Job& job) {
  std::vector<Reason> reasons;
  std::string_view where;
  const auto add = [&](std::string_view part, std::string_view phase, std::string_view op,
                       std::optional<double> ns, std::optional<double> pct) {
    const bool is_same_way = ns && pct && (*ns < 0) == (job.change_ns() < 0);
    if (!is_same_way || std::abs(*pct) < kDiffReportLeastPct || reasons.size() == kMostReasons)
      return;
    std::string text(PartLabel(part));
    if (!op.empty()) text += fmt::format(", {}", op);
    if (!phase.empty() && phase != "other") text += fmt::format(" ({})", phase);
    reasons.push_back(
        {fmt::format("{}: {}, {} of BASE's {}{}", text, Signed(*ns), HumanPercent(std::abs(*pct)),
                     job.is_step() ? "step" : "time", where),
         *ns});
  };
  const RowsOf<DiffPath> path(report.Find(DiffPath::kName));
  // What decides the step is other time than that of a device in the mean, which the tables have.
  where = ", on the critical path";
  for (std::size_t row = 0; row < path.rows(); ++row)
    add(path.String(row, path->part), "", path.String(row, path->name),
        path.Number(row, path->change_ns), path.Number(row, path->of_step_pct));
  if (!reasons.empty()) return reasons;
  where = "";
  const RowsOf<DiffOps> ops(report.Find(DiffOps::kName));
  // Without devices hosts are all that there is.
  const RowsOf<DiffHost> host(ops.rows() > 1 ? nullptr : report.Find(DiffHost::kName));
  for (std::size_t row = 0; row < host.rows(); ++row) {
    const bool is_noise = host.Number(row, host->p) && !host.Flag(row, host->significant);
    if (!is_noise)
      add("host", host.String(row, host->phase), host.String(row, host->op),
          host.Number(row, host->change_ns), host.Number(row, host->of_step_pct));
  }
  if (host.rows() > 0) return reasons;
  for (std::size_t row = 0; row < ops.rows(); ++row) {
    const bool is_noise = ops.Number(row, ops->p) && !ops.Flag(row, ops->significant);
    if (!is_noise)
      add(ops.String(row, ops->part), ops.String(row, ops->phase), ops.String(row, ops->op),
          ops.Number(row, ops->change_ns), ops.Number(row, ops->of_step_pct));
  }
  return reasons;
}

// By how much more of a step each costs than it did, the most first.
std::vector<std::size_t> RegressionsFirst(const RowsOf<DiffFindings>& rows) {
  std::vector<std::size_t> order(rows.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Null on the side where it is not.
  const auto growth = [&](std::size_t row) {
    return rows.Number(row, rows->test_gain_pct).value_or(0) -
           rows.Number(row, rows->base_gain_pct).value_or(0);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return growth(a) > growth(b); });
  return order;
}

std::string FindingLine(const RowsOf<DiffFindings>& rows, std::size_t row) {
  const std::string_view state = rows.String(row, rows->state);
  std::string line = fmt::format("{} {}", rows.String(row, rows->id), state);
  const auto base = rows.Number(row, rows->base_gain_pct);
  const auto test = rows.Number(row, rows->test_gain_pct);
  if (state == "changed" && base && test) {
    line += fmt::format(" from {} to {} of a step", HumanPercent(*base), HumanPercent(*test));
  } else if (const auto gain = state == "gone" ? base : test) {
    line += fmt::format(" ({} of a step)", HumanPercent(*gain));
  }
  return fmt::format("{}: {}", line, rows.String(row, rows->title));
}

}  // namespace

const Table* DiffReport::Find(std::string_view name) const {
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const Table& table) { return table.name() == name; });
  return found == tables.end() ? nullptr : &*found;
}

std::string DiffHeadline(const DiffReport& report) {
  const Job job(report);
  if (job.rows.Flag(0, job.rows->same_recordings) && job.change_ns() == 0)
    return fmt::format("No difference: BASE and TEST are the same recordings ({} takes {})",
                       job.unit(), HumanDuration(job.base_ns()));
  const std::string takes =
      job.change_ns() == 0
          ? fmt::format("{} takes {} in both", job.unit(), HumanDuration(job.base_ns()))
          : fmt::format("{} takes {}, {} {} than BASE's {}", job.unit(),
                        HumanDuration(job.test_ns()), HumanDuration(std::abs(job.change_ns())),
                        job.change_ns() > 0 ? "more" : "less", HumanDuration(job.base_ns()));
  const std::string percent = HumanPercent(std::abs(job.change_pct()));
  if (job.is_noise() || std::abs(job.change_pct()) < kDiffReportLeastPct) {
    return fmt::format("No change beyond {}: {} ({}{})", job.is_noise() ? "noise" : "1%", takes,
                       job.change_pct() < 0 ? "-" : "+", percent);
  }
  // "x22.0 slower" is no percentage.
  if (job.change_pct() >= kDiffReportLeastFactorPct)
    return fmt::format("TEST takes {:.1f} times as long: {}", job.test_ns() / job.base_ns(), takes);
  return fmt::format("TEST is {} {}: {}", percent, job.change_ns() > 0 ? "slower" : "faster",
                     takes);
}

std::vector<std::string> DiffReasons(const DiffReport& report) {
  const Job job(report);
  std::vector<std::string> lines;
  if (!job.is_noise() && std::abs(job.change_pct()) >= kDiffReportLeastPct) {
    for (const Reason& reason : ReasonsOf(report, job)) lines.push_back(reason.text);
  }
  const RowsOf<DiffFindings> findings(report.Find(DiffFindings::kName));
  std::size_t changed = 0;
  for (const std::size_t row : RegressionsFirst(findings)) {
    const std::string_view state = findings.String(row, findings->state);
    const bool is_changed = state == "changed" && ++changed <= kMostReasons;
    if (state == "appeared" || state == "gone" || is_changed)
      lines.push_back(FindingLine(findings, row));
  }
  return lines;
}

Result<std::optional<std::string>> DiffGateHit(double percent, const DiffReport& report) {
  const Job job(report);
  if (!job.is_step()) {
    return Error(StatusCode::kNotFound,
                 "--fail-on cannot be decided: a side has no complete step; profile with steps "
                 "(prof.step()), at least two");
  }
  if (job.change_pct() < percent || job.is_noise()) return std::optional<std::string>();
  return std::optional(fmt::format("TEST is {} slower, --fail-on allows less than {}{}",
                                   HumanPercent(job.change_pct()), HumanPercent(percent),
                                   job.p() ? "" : "; with a single step noise is not known"));
}

}  // namespace rankscope
