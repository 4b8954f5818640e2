#include "insight/rule_ids.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "insight/pages.h"
#include "insight/rule.h"

namespace rankscope {
namespace {

using ::testing::HasSubstr;

TEST(RuleIds, AreDistinctAndDescribed) {
  std::set<std::string_view> ids;
  for (const RuleId& rule : RuleIds()) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_EQ(FindRule(rule.id), &rule);
    EXPECT_LE(rule.summary.size(), 60u) << rule.id;
    EXPECT_FALSE(rule.summary.empty() || rule.summary.ends_with('.')) << rule.id;
  }
  EXPECT_EQ(ids.size(), 35u);
  EXPECT_EQ(FindRule("slow"), nullptr);
}

// Every cause that traces can show has a rule that may find it, and no rule finds another.
TEST(RuleIds, AllButThoseOfServingProgramsHaveARule) {
  std::set<std::string_view> without_serving, of_rules;
  for (const RuleId& rule : RuleIds()) {
    if (rule.source != EvidenceSource::kServing) without_serving.insert(rule.id);
  }
  for (const Rule* rule : AllRules()) EXPECT_TRUE(of_rules.insert(rule->id).second) << rule->id;
  EXPECT_EQ(of_rules, without_serving);
}

TEST(RuleIds, SlipsAreToldWithWhatMayBeMeant) {
  EXPECT_EQ(NoSuchFinding("slow-gup"),
            "there is no finding 'slow-gup'; did you mean slow-gpu?; rankscope explain lists all");
  EXPECT_EQ(NoSuchFinding("zzz"), "there is no finding 'zzz'; rankscope explain lists all");
}

// Every id has its page and every page its id, in the folder and in the program.
TEST(FindingPages, AreThoseOfTheIds) {
  const char* source = std::getenv("RANKSCOPE_SOURCE_DIR");
  ASSERT_NE(source, nullptr);
  std::set<std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(source) / "docs" / "findings"))
    files.insert(entry.path().filename().string());
  std::set<std::string> wanted;
  std::set<std::string> built_in;
  for (const RuleId& rule : RuleIds()) wanted.insert(std::string(rule.id) + ".md");
  for (const FindingPage& page : FindingPages()) built_in.insert(std::string(page.id) + ".md");
  EXPECT_EQ(files, wanted);
  EXPECT_EQ(built_in, wanted);
  EXPECT_EQ(PageOf("no-such-finding"), "");
}

TEST(FindingPages, HaveTheSameParts) {
  for (const FindingPage& page : FindingPages()) {
    EXPECT_TRUE(page.markdown.starts_with("# " + std::string(page.id) + "\n")) << page.id;
    std::size_t from = 0;
    for (const std::string_view part :
         {"\n## In a trace\n", "\n## How rankscope recognises it\n", "\n## Why it matters\n",
          "\n## What to change\n", "\n## Verify\n", "\n## Easily confused with\n"}) {
      const std::size_t at = page.markdown.find(part, from);
      EXPECT_NE(at, std::string_view::npos) << page.id << part;
      from = at == std::string_view::npos ? from : at;
    }
    EXPECT_THAT(std::string(page.markdown), HasSubstr("\n```")) << page.id << " shows no code";
    EXPECT_TRUE(page.markdown.ends_with('\n')) << page.id;
    const auto lines = std::count(page.markdown.begin(), page.markdown.end(), '\n');
    EXPECT_TRUE(lines >= 25 && lines <= 70) << page.id << " has " << lines << " lines";
  }
}

// Pages name other findings by their ids, in backquotes.
TEST(FindingPages, NeighboursAreThere) {
  for (const FindingPage& page : FindingPages()) {
    const std::size_t begin = page.markdown.find("\n## Easily confused with\n");
    ASSERT_NE(begin, std::string_view::npos) << page.id;
    std::string_view rest = page.markdown.substr(begin);
    std::size_t named = 0;
    for (std::size_t at = rest.find("- `"); at != std::string_view::npos; at = rest.find("- `")) {
      rest.remove_prefix(at + 3);
      const std::string_view id = rest.substr(0, rest.find('`'));
      EXPECT_NE(FindRule(id), nullptr) << page.id << " names " << id;
      EXPECT_NE(id, page.id);
      ++named;
    }
    EXPECT_GE(named, 1u) << page.id;
  }
}

}  // namespace
}  // namespace rankscope
