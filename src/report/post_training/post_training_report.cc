#include "report/post_training/post_training_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "json/writer.h"
#include "report/base/text_lines.h"
#include "report/base/wording.h"
#include "report/documents/json_cells.h"
#include "report/documents/markdown_report.h"
#include "report/documents/measured_findings.h"
#include "report/post_training/post_training_words.h"
#include "table/human_number.h"
#include "table/style.h"
#include "table/terminal_text.h"

namespace rankscope {
namespace {

constexpr std::size_t kRolesBeside = 2;
constexpr double kPostTrainingReportLeastShare =
    0.05;  // %; a phase below that is left to the table

// Tables whose rows follow steps or rollouts.
bool IsOfOneStep(std::string_view name) {
  return name == PostSteps::kName || name == PostRollouts::kName;
}

// Phases that one of the roles has, in the order of the table, with the total first.
std::vector<std::string> PhasesOf(const PostTrainingView& view,
                                  const std::vector<std::string>& roles) {
  std::vector<std::string> all;
  for (const std::string_view name : {"total", "generate", "wait", "train", "log_prob", "reward",
                                      "sync", "reshard", "checkpoint", "other", "unknown"}) {
    const bool has = std::ranges::any_of(roles, [&](const std::string& role) {
      const std::ptrdiff_t row = view.Phase(role, name);
      return row >= 0 && view.phases.Number(static_cast<std::size_t>(row), view.phases->share_pct)
                                 .value_or(0) >= kPostTrainingReportLeastShare;
    });
    if (has) all.emplace_back(name);
  }
  return all;
}

// Share, mean and p90 of a role's phase; "-" where it has none.
std::vector<std::string> CellsOf(const PostTrainingView& view, std::string_view role,
                                 std::string_view phase) {
  const std::ptrdiff_t at = view.Phase(role, phase);
  if (at < 0) return {"-", "-", "-"};
  const auto row = static_cast<std::size_t>(at);
  const auto& rows = view.phases;
  return {HumanPercent(rows.Number(row, rows->share_pct).value_or(0)),
          HumanDuration(rows.Number(row, rows->mean_ns).value_or(0)),
          HumanDuration(rows.Number(row, rows->p90_ns).value_or(0))};
}

// "trainer", or "trainer, 8 devices", with its steps.
std::string RoleTitle(const PostTrainingView& view, std::string_view role) {
  for (std::size_t row = 0; row < view.roles.rows(); ++row) {
    if (view.roles.String(row, view.roles->role) != role) continue;
    return fmt::format(
        "{}, {}", SafeForTerminal(role),
        Plural(static_cast<std::size_t>(view.roles.Int(row, view.roles->steps).value_or(0)),
               "step"));
  }
  return SafeForTerminal(role);
}

void AppendPhases(std::string& out, const PostTrainingView& view) {
  std::vector<std::string> roles = view.Roles();
  if (roles.empty()) return;
  const std::size_t more = roles.size() > kRolesBeside ? roles.size() - kRolesBeside : 0;
  roles.resize(roles.size() - more);
  std::string title = "WHERE THE TIME OF A STEP GOES (";
  for (std::size_t i = 0; i < roles.size(); ++i)
    title += (i > 0 ? " | " : "") + RoleTitle(view, roles[i]);
  AppendHeading(out, title + ")");
  const auto line = [&](std::string_view name, const std::vector<std::string>& cells) {
    std::string text = fmt::format("  {:<11}", name);
    for (std::size_t i = 0; i < cells.size(); ++i)
      text += fmt::format("{}{:>10}", i == 3 ? "   " : "", cells[i]);
    out += text + '\n';
  };
  std::vector<std::string> heads;
  for (std::size_t i = 0; i < roles.size(); ++i)
    heads.insert(heads.end(), {"share", "mean", "p90"});
  line("phase", heads);
  for (const std::string& phase : PhasesOf(view, roles)) {
    std::vector<std::string> cells;
    for (const std::string& role : roles) {
      const std::vector<std::string> own = CellsOf(view, role, phase);
      cells.insert(cells.end(), own.begin(), own.end());
    }
    line(phase, cells);
  }
  if (more > 0)
    AppendWrapped(out, "  ", fmt::format("and {}: --table post_phases", Plural(more, "role")));
}

}  // namespace

const Table* PostTrainingReport::Find(std::string_view name) const {
  const auto found = std::ranges::find(tables, name, &Table::name);
  return found == tables.end() ? nullptr : &*found;
}

std::string WritePostTrainingText(const PostTrainingReport& report,
                                  const PostTrainingTextOptions& options) {
  const PostTrainingView view(report);
  std::string out;
  AppendWrapped(out, "", SafeForTerminal(PostTrainingHeadlineOf(view)) + ".");
  AppendPhases(out, view);
  std::string facts;
  for (const PostTrainingLine& line : PostTrainingLines(view))
    AppendWrapped(facts, fmt::format("  {:<9}", line.name), SafeForTerminal(line.text));
  if (!facts.empty()) out += '\n' + facts;
  if (!view.findings.empty()) {
    AppendWorstFinding(out, view.findings, AsSentence(PostTrainingGain(view, 0)));
    AppendOtherFindings(out, view.findings, "post_findings");
  }
  if (const std::string notes = CountNotes(view.notes); !notes.empty()) {
    out += '\n';
    AppendWrapped(out, "  ", notes + ": --table post_notes");
  }
  return Resolve(out, options.colour);
}

std::string WritePostTrainingJson(const PostTrainingReport& report) {
  const PostTrainingView view(report);
  std::string out;
  json::Writer writer(out);
  writer.BeginObject().Member("schema", "rankscope.post-training/1");
  writer.Line().Member("headline", PostTrainingHeadlineOf(view));
  const auto& rows = view.findings;
  WriteMeasuredFindings(writer, rows, view.notes, [&](std::size_t row) {
    writer.TextMember("gain_method", rows.String(row, rows->gain_method));
    writer.TextMember("gain_formula", rows.String(row, rows->gain_formula));
  });
  std::vector<Table> tables;
  for (const Table& table : report.tables)
    if (!IsOfOneStep(table.name())) tables.push_back(table);
  WriteTables(writer.Line(), tables);
  writer.EndObject();
  return out + "\n";
}

std::string WritePostTrainingMarkdown(const PostTrainingReport& report) {
  const PostTrainingView view(report);
  std::string out = fmt::format("# {}.\n", EscapedMarkdown(PostTrainingHeadlineOf(view)));
  for (const std::string& role : view.Roles()) {
    out += fmt::format("\n## Where the time of a step goes ({})\n\n",
                       EscapedMarkdown(RoleTitle(view, role)));
    out += "| phase | share | mean | p90 |\n|---|---:|---:|---:|\n";
    for (const std::string& phase : PhasesOf(view, {role})) {
      const std::vector<std::string> cells = CellsOf(view, role, phase);
      out += fmt::format("| {} | {} | {} | {} |\n", phase, cells[0], cells[1], cells[2]);
    }
  }
  const std::vector<PostTrainingLine> lines = PostTrainingLines(view);
  if (!lines.empty()) out += '\n';
  for (const PostTrainingLine& line : lines)
    out += fmt::format("- **{}**: {}\n", line.name, EscapedMarkdown(line.text));
  AppendMeasuredMarkdown(out, view.findings, view.notes,
                         [&](std::size_t row) { return AsSentence(PostTrainingGain(view, row)); });
  return out;
}

}  // namespace rankscope
