#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "catalog/findings.h"
#include "catalog/pages.h"
#include "cli/base/command.h"
#include "cli/base/output.h"
#include "cli/job/markdown.h"
#include "table/style.h"

namespace rankscope::cli {
namespace {

// "Seen in traces" and so on with a line for each finding, then the verdicts on recordings.
std::string ListOfAll() {
  const std::span<const FindingEntry> findings = catalog::AllFindings();
  const std::span<const catalog::Page> verdicts = catalog::VerdictPages();
  std::size_t width = 0;
  for (const FindingEntry& finding : findings) width = std::max(width, finding.id.size());
  std::string out;
  std::string_view seen_in;
  for (const FindingEntry& finding : findings) {
    if (finding.seen_in != std::exchange(seen_in, finding.seen_in)) {
      out += fmt::format("{}{}\n", out.empty() ? "" : "\n",
                         Marked(Style::kHeading, fmt::format("Seen in {}", seen_in)));
    }
    fmt::format_to(std::back_inserter(out), "  {:<{}}  {}\n", finding.id, width, finding.summary);
  }
  out +=
      "\n" + Marked(Style::kHeading, "Verdicts on recordings (rankscope table recording)") + "\n";
  for (const catalog::Page& verdict : verdicts) {
    fmt::format_to(std::back_inserter(out), "- {:<{}}  {}\n", verdict.id, width,
                   catalog::FirstSentence(verdict));
  }
  return out + "\nrankscope explain ID: how it shows, why it matters, what to change.\n";
}

Status RunExplain(const std::string& id) {
  if (id.empty()) return WriteOutput("", Resolve(ListOfAll(), TakesColour()));
  RS_ASSIGN_OR_RETURN(const std::string_view page, catalog::PageOf(id));
  return WriteOutput("", Resolve(MarkdownForTerminal(page), TakesColour()));
}

}  // namespace

void AddExplain(CommandSpec& app) {
  CommandSpec& command = app.AddCommand(
      "explain", "say what a finding or a verdict means and what to change, or list all");
  auto id = std::make_shared<std::string>();
  command.AddOption("ID", *id, "a finding or a verdict").Type(kFindingType);
  command.Footer("Example:\n  rankscope explain host-sync");
  command.SetRun(MakeAction([id] { return RunExplain(*id); }));
}

}  // namespace rankscope::cli
