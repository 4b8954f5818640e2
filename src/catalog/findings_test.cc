#include "catalog/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include "base/file.h"
#include "catalog/pages.h"
#include "catalog/tables.h"

namespace rankscope::catalog {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Findings, AreNamedOnceAndDescribed) {
  std::set<std::string_view> ids;
  for (const FindingEntry& finding : AllFindings()) {
    EXPECT_TRUE(ids.insert(finding.id).second) << finding.id;
    EXPECT_EQ(FindFinding(finding.id), &finding);
    EXPECT_LE(finding.summary.size(), 60u) << finding.id;
    EXPECT_FALSE(finding.summary.empty() || finding.summary.ends_with('.')) << finding.id;
    EXPECT_FALSE(finding.seen_in.empty()) << finding.id;
  }
  EXPECT_EQ(FindFinding("slow"), nullptr);
}

// What is looked for in serving programs is none of a job's findings.
TEST(Findings, AreBySubject) {
  EXPECT_THAT(FindingNames(Subject::kJob), Contains("slow-gpu"));
  EXPECT_THAT(FindingNames(Subject::kJob), Not(Contains("queueing")));
  EXPECT_THAT(FindingNames(Subject::kServing), Contains("queueing"));
  EXPECT_THAT(FindingNames(), Contains("queueing"));
}

TEST(Findings, SlipsAreToldWithWhatMayBeMeant) {
  const auto page = PageOf("slow-gup");
  EXPECT_EQ(page.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(page.status().message(), HasSubstr("did you mean slow-gpu?"));
}

// Names of the files in a folder of docs.
std::set<std::string> FilesIn(std::string_view folder) {
  const char* source = std::getenv("RANKSCOPE_SOURCE_DIR");
  std::set<std::string> files;
  if (source == nullptr) return files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(source) / "docs" / folder))
    files.insert(entry.path().filename().string());
  return files;
}

// The tables that sections of a job's page show: `tables: ["a", "b"]`, and those of percentiles.
std::set<std::string> TablesOfSections() {
  static const std::regex kList(R"re(\btables: \[([^\]]*)\])re");
  static const std::regex kPercentiles(R"re(\[("[a-z_]+"), "[^"]*", \[)re");
  static const std::regex kName(R"re("([a-z_.]+)")re");
  std::set<std::string> tables;
  const char* source = std::getenv("RANKSCOPE_SOURCE_DIR");
  if (source == nullptr) return tables;
  const auto add = [&](const std::string& text, const std::regex& list) {
    for (std::sregex_iterator at(text.begin(), text.end(), list), end; at != end; ++at) {
      const std::string names = (*at)[1];
      for (std::sregex_iterator name(names.begin(), names.end(), kName); name != end; ++name)
        tables.insert((*name)[1]);
    }
  };
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           std::filesystem::path(source) / "web" / "src" / "views")) {
    if (entry.path().extension() != ".tsx") continue;
    const auto text = ReadFile(entry.path().string());
    EXPECT_TRUE(text.ok()) << entry.path();
    add(*text, kList);
    if (entry.path().parent_path().filename() == "percentiles") add(*text, kPercentiles);
  }
  return tables;
}

TEST(Findings, OfJobsLeadToASectionOfThePage) {
  const std::set<std::string> shown = TablesOfSections();
  ASSERT_THAT(shown, Contains("rank_breakdown"));
  ASSERT_THAT(shown, Contains("launches"));
  for (const std::string& table : shown) EXPECT_TRUE(FindTable(table).ok()) << table;
  for (const FindingEntry& finding : AllFindings()) {
    if (finding.subject != Subject::kJob) continue;
    EXPECT_TRUE(std::ranges::any_of(
        finding.tables, [&](const std::string& table) { return shown.contains(table); }))
        << finding.id << ": no section has a table of its evidence";
    for (const std::string& table : finding.tables)
      EXPECT_TRUE(FindTable(table).ok()) << finding.id << ": " << table;
  }
}

// Every id has its page and every page its id, in the folder and in the program.
TEST(FindingPages, AreThoseOfTheIds) {
  const std::set<std::string> files = FilesIn("findings");
  std::set<std::string> wanted;
  std::set<std::string> built_in;
  for (const FindingEntry& finding : AllFindings()) wanted.insert(std::string(finding.id) + ".md");
  for (const Page& page : FindingPages()) built_in.insert(std::string(page.id) + ".md");
  EXPECT_EQ(files, wanted);
  EXPECT_EQ(built_in, wanted);
  EXPECT_EQ(PageOf("no-such-finding", FindingPages()), "");
}

TEST(FindingPages, HaveTheSameParts) {
  for (const Page& page : FindingPages()) {
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

TEST(VerdictPages, AreInTheProgramAndHaveTheSameParts) {
  std::set<std::string> built_in;
  for (const Page& page : VerdictPages()) {
    built_in.insert(std::string(page.id) + ".md");
    EXPECT_TRUE(page.markdown.starts_with("# " + std::string(page.id) + "\n")) << page.id;
    EXPECT_TRUE(FirstSentence(page).ends_with('.')) << page.id;
    std::size_t from = 0;
    for (const std::string_view part :
         {"\n## How it is recognised\n", "\n## What it means\n", "\n## What to do\n"}) {
      const std::size_t at = page.markdown.find(part, from);
      EXPECT_NE(at, std::string_view::npos) << page.id << part;
      from = at == std::string_view::npos ? from : at;
    }
    EXPECT_EQ(FindFinding(page.id), nullptr) << page.id;
    const auto found = PageOf(page.id);
    ASSERT_TRUE(found.ok()) << page.id;
    EXPECT_EQ(*found, page.markdown);
  }
  EXPECT_EQ(FilesIn("verdicts"), built_in);
}

// The definition of the table recording has every verdict, and no other.
TEST(VerdictPages, AreThoseOfTheTable) {
  const auto recording = FindTable("recording");
  ASSERT_TRUE(recording.ok());
  const std::span<const ColumnSpec> columns = (*recording)->columns;
  const auto code = std::ranges::find(columns, "code", &ColumnSpec::name);
  ASSERT_NE(code, columns.end());
  std::string ids;
  for (const Page& page : VerdictPages()) {
    EXPECT_THAT(code->doc, HasSubstr(std::string(page.id)));
    ids += std::string(ids.empty() ? "" : ", ") + std::string(page.id);
  }
  EXPECT_EQ(code->doc.size(), ids.size()) << code->doc;
}

// Pages name other findings by their ids, in backquotes.
TEST(FindingPages, NeighboursAreThere) {
  for (const Page& page : FindingPages()) {
    const std::size_t begin = page.markdown.find("\n## Easily confused with\n");
    ASSERT_NE(begin, std::string_view::npos) << page.id;
    std::string_view rest = page.markdown.substr(begin);
    std::size_t named = 0;
    for (std::size_t at = rest.find("- `"); at != std::string_view::npos; at = rest.find("- `")) {
      rest.remove_prefix(at + 3);
      const std::string_view id = rest.substr(0, rest.find('`'));
      EXPECT_NE(FindFinding(id), nullptr) << page.id << " names " << id;
      EXPECT_NE(id, page.id);
      ++named;
    }
    EXPECT_GE(named, 1u) << page.id;
  }
}

}  // namespace
}  // namespace rankscope::catalog
