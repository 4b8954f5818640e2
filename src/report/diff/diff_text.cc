#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/utf8.h"
#include "report/base/kernel_name.h"
#include "report/base/table_view.h"
#include "report/base/text_lines.h"
#include "report/base/wording.h"
#include "report/diff/diff_report.h"
#include "report/words/layout_words.h"
#include "schemas/diff.h"
#include "schemas/words.h"
#include "table/human_number.h"
#include "table/style.h"
#include "table/terminal_text.h"
#include "table/write_text.h"

namespace rankscope {
namespace {

constexpr double kDiffTextLeastPct = 1;
constexpr std::size_t kDiffTextMostRows = 8;
constexpr std::size_t kMostRowsOfFull = 40;
constexpr std::size_t kDiffTextNameWidth = 40;

std::string Signed(std::optional<double> ns) {
  if (!ns) return "?";
  return (*ns < 0 ? "-" : "+") + HumanDuration(std::abs(*ns));
}

std::string Padded(std::string text, std::size_t width) {
  const std::size_t has = CountCodePoints(text);
  if (has < width) text.append(width - has, ' ');
  return text;
}

// Both ends of a name that is too long.
std::string Fitted(std::string_view name, std::size_t width) {
  std::string safe = SafeForTerminal(name);
  if (CountCodePoints(safe) <= width) return safe;
  const std::size_t half = (width - 3) / 2;
  return safe.substr(0, half) + "..." + safe.substr(safe.size() - half);
}

void AppendSide(std::string& out, std::string_view name, const Report& report,
                std::optional<std::int64_t> steps) {
  std::string line = fmt::format("{}: {}", Plural(report.ranks.size(), "rank"), report.traces);
  if (steps && *steps > 0)
    line = fmt::format("{}, {}: {}", Plural(report.ranks.size(), "rank"),
                       Plural(static_cast<std::size_t>(*steps), "step"), report.traces);
  AppendWrapped(out, fmt::format("  {}  ", name), SafeForTerminal(line));
}

void AppendNotes(std::string& out, const DiffReport& report) {
  const RowsOf<DiffNotes> notes(report.Find(DiffNotes::kName));
  if (notes.empty()) return;
  AppendHeading(out, "NOT THE SAME IN BOTH");
  for (std::size_t row = 0; row < notes.rows(); ++row)
    AppendWrapped(out, "  - ", SafeForTerminal(notes.String(row, notes->note)));
}

struct Line {
  std::string label;
  std::optional<double> base, test, change, of_step;
  bool is_noise = false;
};

// Lines of one table, under a heading; nothing without lines.
void AppendLines(std::string& out, std::string_view heading, const std::vector<Line>& lines) {
  if (lines.empty()) return;
  AppendHeading(out, fmt::format("{:<{}}{:>9} {:>9} {:>9} {:>8}", heading, kDiffTextNameWidth + 2,
                                 "BASE", "TEST", "change", "of step"));
  for (const Line& line : lines) {
    const std::string text = fmt::format(
        "  {}{:>9} {:>9} {:>9} {:>8}", Padded(line.label, kDiffTextNameWidth),
        HumanValue(line.base, "ns"), HumanValue(line.test, "ns"), Signed(line.change),
        line.of_step ? (*line.of_step < 0 ? "-" : "+") + HumanPercent(std::abs(*line.of_step))
                     : "?");
    out += (line.is_noise ? Marked(Style::kAside, text + " ~") : text) + "\n";
  }
}

std::string PartText(std::string_view part) {
  for (const PartWords& words : kParts) {
    if (words.id == part) return std::string(words.label);
  }
  std::string text(part);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

template <typename T>
Line LineOf(const RowsOf<T>& rows, std::size_t row, std::string label) {
  return {std::move(label),
          rows.Number(row, rows->base_ns),
          rows.Number(row, rows->test_ns),
          rows.Number(row, rows->change_ns),
          rows.Number(row, rows->of_step_pct),
          rows.Number(row, rows->p) && !rows.Flag(row, rows->significant)};
}

// The lines of a table by `label(rows, row)`. The short form has what changed by 1 % of the step,
// and not by chance.
template <typename T, typename LabelOf>
std::vector<Line> LinesOf(const DiffReport& report, bool full, LabelOf label) {
  const RowsOf<T> rows(report.Find(T::kName));
  std::vector<Line> lines;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    Line line = LineOf(rows, row, label(rows, row));
    const double most = std::max(line.base.value_or(0), line.test.value_or(0));
    const bool is_news = std::abs(line.of_step.value_or(0)) >= kDiffTextLeastPct && !line.is_noise;
    if (full ? most > 0 || line.change.value_or(0) != 0 : is_news) lines.push_back(std::move(line));
    if (lines.size() == (full ? kMostRowsOfFull : kDiffTextMostRows)) break;
  }
  return lines;
}

// All parts that take or change 1 % of a step, and their sum.
void AppendParts(std::string& out, const DiffReport& report) {
  const RowsOf<DiffParts> parts(report.Find(DiffParts::kName));
  const RowsOf<DiffJob> job(report.Find(DiffJob::kName));
  const double least = *job.Number(0, job->base_ns) * kDiffTextLeastPct / 100;
  std::vector<Line> lines;
  Line rest{.label = "all the rest", .base = 0.0, .test = 0.0, .change = 0.0, .of_step = 0.0};
  for (std::size_t row = 0; row < parts.rows(); ++row) {
    Line line = LineOf(parts, row, PartText(parts.String(row, parts->part)));
    if (std::max(std::abs(*line.base), std::abs(*line.test)) >= least) {
      lines.push_back(std::move(line));
    } else {
      *rest.base += *line.base;
      *rest.test += *line.test;
      *rest.change += *line.change;
      *rest.of_step += *line.of_step;
    }
  }
  if (*rest.base != 0 || *rest.test != 0) lines.push_back(rest);
  lines.push_back({"all together", job.Number(0, job->base_ns), job.Number(0, job->test_ns),
                   job.Number(0, job->change_ns), job.Number(0, job->change_pct)});
  AppendLines(out, "WHERE A DEVICE'S TIME GOES", lines);
  if (std::any_of(lines.begin(), lines.end(), [](const Line& line) { return line.is_noise; }))
    out +=
        fmt::format("  ~ no more than {} differ among themselves\n", job.String(0, job->spread_of));
}

// A line has room for a word each.
std::string_view ShortPart(std::string_view part) {
  static constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"compute", ""},
      {"exposed_communication", ", exposed"},
      {"exposed_copy", ", copying"},
      {"idle_host", ", idle: host"},
      {"idle_data", ", idle: data"},
      {"idle_sync", ", idle: sync"},
      {"idle_launch", ", idle: launch"},
      {"idle_gap", ", idle: gap"},
      {"idle_stream", ", idle: stream"},
      {"unknown", ", idle: ?"}};
  for (const auto& [id, word] : kWords) {
    if (id == part) return word;
  }
  return "";
}

std::string_view ShortPhase(std::string_view phase) {
  if (phase == "forward") return " (fwd)";
  if (phase == "backward") return " (bwd)";
  if (phase == "optimizer") return " (opt)";
  return phase == "data loading" ? " (data)" : "";
}

void AppendOps(std::string& out, const DiffReport& report, bool full) {
  AppendLines(out, "BY OP", LinesOf<DiffOps>(report, full, [](const auto& rows, std::size_t row) {
                const std::string_view part = rows.String(row, rows->part);
                const std::string_view op = rows.String(row, rows->op);
                if (op.empty() && part == kOutsideOfDevices) return PartText(part);
                const std::string tail =
                    fmt::format("{}{}", ShortPart(part), ShortPhase(rows.String(row, rows->phase)));
                return Fitted(op.empty() ? "(no op)" : op, kDiffTextNameWidth - 1 - tail.size()) +
                       tail;
              }));
}

// With all rows, and where no device says more.
void AppendHost(std::string& out, const DiffReport& report, bool full) {
  AppendLines(out, "BY OP ON THE HOST",
              LinesOf<DiffHost>(report, full, [](const auto& rows, std::size_t row) {
                const std::string_view phase = ShortPhase(rows.String(row, rows->phase));
                return Fitted(rows.String(row, rows->op), kDiffTextNameWidth - 1 - phase.size()) +
                       std::string(phase);
              }));
}

// Work that one side alone has, and what has another name: the most of each by time.
void AppendKernels(std::string& out, const DiffReport& report, bool full) {
  const RowsOf<DiffKernels> rows(report.Find(DiffKernels::kName));
  const auto short_name = [](std::string_view name, std::size_t width) {
    return SafeForTerminal(ShortKernelName(name, width));
  };
  AppendLines(
      out, "BY KERNEL", LinesOf<DiffKernels>(report, full, [&](const auto& of, std::size_t row) {
        const std::string_view test = of.String(row, of->test_name);
        const std::string_view base = of.String(row, of->base_name);
        if (test.empty() && base.empty()) return PartText(of.String(row, of->part));
        const std::string_view state = of.String(row, of->state);
        const std::string tail = state == "same" ? "" : fmt::format(" ({})", state);
        return short_name(test.empty() ? base : test, kDiffTextNameWidth - 1 - tail.size()) + tail;
      }));
  std::size_t said = 0;
  std::size_t renamed = 0;
  std::string lines;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    if (rows.String(row, rows->state) != "renamed") continue;
    ++renamed;
    if (said == (full ? kMostRowsOfFull : 3)) continue;
    ++said;
    lines +=
        fmt::format("  {} -> {}\n", Padded(short_name(rows.String(row, rows->base_name), 36), 36),
                    short_name(rows.String(row, rows->test_name), 36));
  }
  if (renamed == 0) return;
  AppendHeading(out, fmt::format("{} WITH ANOTHER NAME AT THE SAME PLACE",
                                 renamed == 1 ? "A KERNEL" : fmt::format("{} KERNELS", renamed)));
  out += lines;
}

}  // namespace

std::string WriteDiffText(const DiffReport& report, const DiffTextOptions& options) {
  const RowsOf<DiffJob> job(report.Find(DiffJob::kName));
  std::string out = Marked(Style::kHeading, DiffHeadline(report)) + "\n";
  for (const std::string& reason : DiffReasons(report))
    AppendWrapped(out, "  - ", SafeForTerminal(reason));
  out += "\n";
  AppendSide(out, "BASE", report.base, job.Int(0, job->base_steps));
  AppendSide(out, "TEST", report.test, job.Int(0, job->test_steps));
  const bool is_same = job.Flag(0, job->same_recordings) && job.Int(0, job->change_ns) == 0;
  if (is_same && !options.full) return Resolve(out, options.colour);
  AppendNotes(out, report);
  AppendParts(out, report);
  // Without devices the one part is the whole.
  const bool has_devices = RowsOf<DiffParts>(report.Find(DiffParts::kName)).rows() > 1;
  if (has_devices) AppendOps(out, report, options.full);
  if (options.full) {
    AppendLines(out, "BY PHASE",
                LinesOf<DiffPhases>(report, true, [](const auto& rows, std::size_t row) {
                  const std::string_view phase = rows.String(row, rows->phase);
                  return phase.empty() ? std::string("(no call)") : PartText(phase);
                }));
    AppendLines(out, "BY MODULE",
                LinesOf<DiffModules>(report, true, [](const auto& rows, std::size_t row) {
                  const std::string_view module = rows.String(row, rows->module);
                  return Fitted(module.empty() ? "(no module)" : module, kDiffTextNameWidth - 1);
                }));
  }
  if (has_devices) AppendKernels(out, report, options.full);
  if (options.full || !has_devices) AppendHost(out, report, options.full);
  if (!options.full) out += "\nAll rows: --full. Side by side: --format html -o diff.html\n";
  return Resolve(out, options.colour);
}

}  // namespace rankscope
