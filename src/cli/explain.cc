#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "cli/command.h"
#include "cli/markdown.h"
#include "cli/output.h"
#include "insight/pages.h"
#include "insight/rule_ids.h"
#include "table/style.h"

namespace rankscope::cli {
namespace {

std::string ListOfFindings() {
  std::size_t width = 0;
  for (const RuleId& rule : RuleIds()) width = std::max(width, rule.id.size());
  std::string out;
  for (const EvidenceSource source :
       {EvidenceSource::kTraces, EvidenceSource::kTelemetry, EvidenceSource::kServing}) {
    out += fmt::format("{}{}\n", out.empty() ? "" : "\n",
                       Marked(Style::kHeading, fmt::format("Seen in {}", ToString(source))));
    for (const RuleId& rule : RuleIds()) {
      if (rule.source == source)
        fmt::format_to(std::back_inserter(out), "  {:<{}}  {}\n", rule.id, width, rule.summary);
    }
  }
  return out + "\nrankscope explain ID: how it shows, why it matters, what to change.\n";
}

Status Run(const std::string& id) {
  if (!id.empty() && FindRule(id) == nullptr)
    return Error(StatusCode::kInvalidArgument, "{}", NoSuchFinding(id));
  const std::string text = id.empty() ? ListOfFindings() : MarkdownForTerminal(PageOf(id));
  return WriteOutput("", Resolve(text, TakesColour()));
}

}  // namespace

void AddExplain(CommandSpec& app) {
  CommandSpec& command =
      app.AddCommand("explain", "say what a finding means and what to change, or list all");
  auto id = std::make_shared<std::string>();
  command.AddOption("ID", *id, "a finding").Type(kFindingType);
  command.Footer("Example:\n  rankscope explain host-sync");
  command.SetRun(MakeAction([id] { return Run(*id); }));
}

}  // namespace rankscope::cli
