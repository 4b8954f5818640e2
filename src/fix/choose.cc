#include "fix/choose.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace rankscope::fix {
namespace {

struct Line {
  std::size_t file;
  std::int64_t line;
};

std::vector<Line> LinesIn(const Project& project, const Finding& finding) {
  std::vector<Line> lines;
  for (const RecordedLine& recorded : finding.lines)
    if (const auto file = project.FileOf(recorded.file)) lines.push_back({*file, recorded.line});
  return lines;
}

bool IsShown(const Site& site, const Project& project, const std::vector<Line>& lines) {
  const SourceFile& file = project.file(site.file);
  return std::ranges::any_of(lines, [&](const Line& line) {
    return line.file == site.file && std::ranges::any_of(site.shown, [&](const Node& node) {
             return file.HasOriginalLine(node, line.line);
           });
  });
}

// A group by its place, so that groups can be told apart.
struct Group {
  std::size_t file;
  std::size_t begin;
  bool operator==(const Group&) const = default;
};

Group GroupOf(const Site& site) {
  return {site.file, site.group ? site.group.begin() : site.at.begin()};
}

// The sites of a look: proposed, right and left ones.
std::vector<const Site*> SitesOf(const Look& look) {
  std::vector<const Site*> sites;
  for (const Candidate& candidate : look.candidates()) sites.push_back(&candidate.site);
  for (const Look::LeftSite& left : look.left()) sites.push_back(&left.site);
  return sites;
}

std::vector<Group> GroupsOf(const std::vector<const Site*>& sites,
                            const std::function<bool(const Site&)>& is_one) {
  std::vector<Group> groups;
  for (const Site* site : sites) {
    if (!is_one(*site)) continue;
    const Group group = GroupOf(*site);
    if (std::ranges::find(groups, group) == groups.end()) groups.push_back(group);
  }
  return groups;
}

Left LeftOf(const Look& look, const Site& site, const Finding& finding, std::string why) {
  const SourceFile& file = look.project().file(site.file);
  return {.file = file.path(),
          .line = file.OriginalLine(site.at),
          .finding = finding.id,
          .why = std::move(why)};
}

}  // namespace

Choice Choose(const Look& look, const Kind& kind, const Finding& finding) {
  const std::vector<const Site*> sites = SitesOf(look);
  const std::vector<Line> lines = LinesIn(look.project(), finding);
  std::vector<Group> meant;
  if (kind.stacks != Stacks::kSilent)
    meant = GroupsOf(sites, [&](const Site& site) { return IsShown(site, look.project(), lines); });
  const bool is_told = !meant.empty() || (kind.stacks == Stacks::kNameIt && !finding.lines.empty());
  std::vector<Group> all;
  if (!is_told) {
    all = GroupsOf(sites, [](const Site&) { return true; });
    const auto in_training = GroupsOf(sites, [](const Site& site) { return site.is_in_training; });
    if (all.size() == 1)
      meant = all;
    else if (in_training.size() == 1)
      meant = in_training;
  }
  const auto is_meant = [&](const Site& site) {
    return std::ranges::find(meant, GroupOf(site)) != meant.end();
  };
  const bool is_unclear = !is_told && meant.empty();

  Choice choice;
  for (const Candidate& candidate : look.candidates()) {
    if (candidate.edits.empty())
      choice.is_right = choice.is_right || is_meant(candidate.site);
    else if (is_meant(candidate.site))
      choice.meant.push_back(&candidate);
    else if (is_unclear)
      choice.left.push_back(LeftOf(
          look, candidate.site, finding,
          fmt::format("one of {} places that may be meant: here {}", all.size(), candidate.what)));
  }
  for (const Look::LeftSite& left : look.left())
    if (is_unclear || is_meant(left.site))
      choice.left.push_back(LeftOf(look, left.site, finding, left.why));
  return choice;
}

}  // namespace rankscope::fix
