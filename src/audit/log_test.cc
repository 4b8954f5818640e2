// The audit log: what was written is there, and what was changed, removed or put in is found.
#include "audit/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "audit/carry_over.h"
#include "audit/read.h"
#include "base/file.h"
#include "postgres/test_server.h"
#include "store/postgres_catalogue.h"

namespace rankscope::audit {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

api::AuditEntry Entry(const std::string& who, const std::string& act, const std::string& run = "") {
  return {.time = "2026-11-28T10:00:00Z", .who = who, .act = act, .run = run, .outcome = "ok"};
}

std::vector<std::string> ActsOf(Lines& lines, const Filter& filter = {}, std::size_t limit = 100,
                                std::int64_t before = 0) {
  const auto page = ReadPage(lines, filter, limit, before);
  EXPECT_TRUE(page.ok()) << page.status().message();
  std::vector<std::string> acts;
  for (const api::AuditEntry& entry : page->entries) acts.push_back(entry.act);
  return acts;
}

std::vector<std::string> ProblemsOf(Lines& lines,
                                    const std::optional<Head>& expected = std::nullopt) {
  const auto verified = Verify(lines, expected);
  EXPECT_TRUE(verified.ok()) << verified.status().message();
  return verified->problems;
}

TEST(Line, IsChainedAndReadsBack) {
  Head head;
  const std::string first = LineBehind(head, Entry("ann", "run.create", "1"));
  EXPECT_EQ(head.number, 1);
  const Head one = head;
  const std::string second = LineBehind(head, Entry(std::string(2000, 'a'), "\n\"\x01", "\xff"));
  const auto entry = ReadLine(second);
  ASSERT_TRUE(entry.ok()) << entry.status().message();
  EXPECT_EQ(entry->before, one.hash);
  EXPECT_EQ(entry->number, 2);
  EXPECT_EQ(entry->who.size(), 503u);
  EXPECT_EQ(entry->act, "\n\"\x01");
  EXPECT_EQ(entry->run, "(no UTF-8)");
  EXPECT_EQ(second.find('\n'), std::string::npos);
  for (std::size_t i = 0; i < first.size(); ++i) {
    std::string changed = first;
    changed[i] ^= 1;
    EXPECT_FALSE(ReadLine(changed).ok()) << i;
  }
}

class FolderLogTest : public ::testing::Test {
 protected:
  FolderLogTest() : folder_(std::string(mkdtemp(name_)) + "/audit") {}
  ~FolderLogTest() override { fs::remove_all(name_); }
  std::unique_ptr<Log> Open(Bounds bounds = {}) const {
    auto log = OpenFolderLog(folder_, bounds);
    EXPECT_TRUE(log.ok()) << log.status().message();
    return std::move(*log);
  }
  std::string File(int number = 1) const { return fmt::format("{}/{:012}.jsonl", folder_, number); }
  std::string Read() const { return *ReadFile(File()); }
  void Write(const std::string& text) const { std::ofstream(File()) << text; }

  char name_[32] = "/tmp/rankscope_audit_XXXXXX";
  const std::string folder_;
};

TEST_F(FolderLogTest, GoesOnWhereItEnded) {
  ASSERT_TRUE(Open()->Add(Entry("ann", "a"), Log::Care::kOnDisk).ok());
  const auto log = Open();
  ASSERT_TRUE(log->Add(Entry("bob", "b"), Log::Care::kQuickly).ok());
  EXPECT_THAT(ActsOf(*log), ElementsAre("b", "a"));
  EXPECT_THAT(ProblemsOf(*log), IsEmpty());
  EXPECT_EQ((*Verify(*log)).last.number, 2);
  // It is not for others to read.
  EXPECT_EQ(fs::status(File()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(FolderLogTest, FindsWhatWasChanged) {
  const auto log = Open();
  for (const char* act : {"a", "b", "c", "d"})
    ASSERT_TRUE(log->Add(Entry("ann", act), Log::Care::kQuickly).ok());
  const std::string sound = Read();
  const auto head = (*Verify(*log)).last;
  const std::size_t second = sound.find('\n') + 1;
  const std::size_t third = sound.find('\n', second) + 1;
  const std::size_t fourth = sound.find('\n', third) + 1;
  // A line is removed, changed, put elsewhere; the last ones are removed.
  Write(sound.substr(0, second) + sound.substr(third));
  EXPECT_THAT(ProblemsOf(*log), ElementsAre(HasSubstr("behind number 1 comes 3")));
  std::string changed = sound;
  changed.replace(changed.find("\"act\":\"b\""), 9, "\"act\":\"x\"");
  Write(changed);
  EXPECT_THAT(ProblemsOf(*log), ElementsAre(HasSubstr("behind number 1: its hash")));
  Write(sound.substr(0, second) + sound.substr(third, fourth - third) +
        sound.substr(second, third - second) + sound.substr(fourth));
  EXPECT_EQ(ProblemsOf(*log).size(), 3u);
  Write(sound.substr(0, third));
  EXPECT_THAT(ProblemsOf(*log), ElementsAre(HasSubstr("the last 2 lines are missing")));
  // A line with a hash of its own breaks the chain behind it.
  Head one{.number = 1, .hash = ReadLine(sound.substr(0, second - 1))->hash};
  Write(sound.substr(0, second) + LineBehind(one, Entry("eve", "b")) + "\n" + sound.substr(third));
  EXPECT_THAT(ProblemsOf(*log), ElementsAre(HasSubstr("number 3: the line before it is another")));
  // All written anew, the note of the last line, too: found by a hash that was kept elsewhere.
  Head none;
  std::string forged;
  for (const char* act : {"a", "b", "c", "x"}) forged += LineBehind(none, Entry("ann", act)) + "\n";
  Write(forged);
  std::ofstream(folder_ + "/head") << fmt::format("{:012} {}\n", none.number, none.hash);
  EXPECT_THAT(ProblemsOf(*log), IsEmpty());
  EXPECT_THAT(ProblemsOf(*log, head), ElementsAre(HasSubstr("whose hash was noted")));
  Write(sound);
  EXPECT_THAT(ProblemsOf(*log, Head{.number = 9, .hash = "x"}),
              ::testing::Contains(HasSubstr("number 9, which was noted, is missing")));
}

TEST_F(FolderLogTest, ALineThatWasCutOffIsTakenAwayAndDamageGoesOn) {
  ASSERT_TRUE(Open()->Add(Entry("ann", "a"), Log::Care::kOnDisk).ok());
  const std::string sound = Read();
  Write(sound + "{\"number\":2,\"ti");
  {
    const auto log = Open();
    EXPECT_THAT(ProblemsOf(*log), IsEmpty());
    ASSERT_TRUE(log->Add(Entry("ann", "b"), Log::Care::kOnDisk).ok());
    EXPECT_THAT(ActsOf(*log), ElementsAre("b", "a"));
  }
  Write(Read() + "nonsense\n");
  const auto log = Open();
  ASSERT_TRUE(log->Add(Entry("ann", "c"), Log::Care::kOnDisk).ok());
  EXPECT_THAT(ActsOf(*log), ElementsAre("c", "b", "a"));
  EXPECT_THAT(ProblemsOf(*log), ElementsAre(HasSubstr("behind number 2")));
}

TEST_F(FolderLogTest, IsBounded) {
  const Bounds small{.file_bytes = 2000, .most_files = 3};
  const auto log = Open(small);
  for (int i = 0; i < 100; ++i)
    ASSERT_TRUE(log->Add(Entry("ann", "a" + std::to_string(i)), Log::Care::kQuickly).ok());
  ASSERT_TRUE(log->Trim().ok());
  const auto verified = Verify(*log);
  EXPECT_THAT(verified->problems, IsEmpty());
  EXPECT_GT(verified->first, 1);
  EXPECT_EQ(verified->last.number, 100);
  // Numbers go on where files are gone altogether.
  for (const auto& entry : fs::directory_iterator(folder_)) {
    if (entry.path().extension() == ".jsonl") fs::remove(entry.path());
  }
  const auto again = Open(small);
  ASSERT_TRUE(again->Add(Entry("ann", "z"), Log::Care::kQuickly).ok());
  EXPECT_EQ((*Verify(*again)).first, 101);
}

TEST_F(FolderLogTest, PagesAndFilters) {
  const auto log = Open();
  ASSERT_TRUE(log->Add(Entry("ann", "run.create", "1"), Log::Care::kQuickly).ok());
  ASSERT_TRUE(log->Add(Entry("bob", "run.remove", "1"), Log::Care::kQuickly).ok());
  ASSERT_TRUE(log->Add(Entry("ann", "note.add", "2"), Log::Care::kQuickly).ok());
  EXPECT_THAT(ActsOf(*log, {.who = "ann"}), ElementsAre("note.add", "run.create"));
  EXPECT_THAT(ActsOf(*log, {.run = "1"}), ElementsAre("run.remove", "run.create"));
  EXPECT_THAT(ActsOf(*log, {.act = "run."}), ElementsAre("run.remove", "run.create"));
  EXPECT_THAT(ActsOf(*log, {.act = "run"}), IsEmpty());
  EXPECT_THAT(ActsOf(*log, {.since = "2026-11-29"}), IsEmpty());
  EXPECT_THAT(ActsOf(*log, {.since = "2026-11-28"}, 1), ElementsAre("note.add"));
  const auto page = ReadPage(*log, {}, 2);
  EXPECT_EQ(page->older, 2);
  EXPECT_THAT(ActsOf(*log, {}, 2, page->older), ElementsAre("run.create"));
  EXPECT_EQ(ReadPage(*log, {}, 2, 2)->older, 0);
}

TEST_F(FolderLogTest, AFolderWithoutOneSaysSo) {
  const auto none = OpenFolderLines(folder_);
  EXPECT_EQ(none.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(none.status().message(), HasSubstr("--data"));
}

TEST(ClusterLog, IsOneOfAllServers) {
  RS_NEEDS_POSTGRES();
  auto catalogue = store::PostgresCatalogue::Open(postgres::TestServer::Get().NewDatabase(), {});
  ASSERT_TRUE(catalogue.ok()) << catalogue.status().message();
  const auto one = MakeClusterLog((*catalogue)->database(), {.most_rows = 30});
  const auto two = MakeClusterLog((*catalogue)->database());
  const auto add = [](Log& log) {
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(log.Add(Entry("ann", "a"), Log::Care::kOnDisk).ok());
  };
  std::thread other([&] { add(*two); });
  add(*one);
  other.join();
  auto verified = Verify(*one);
  EXPECT_THAT(verified->problems, IsEmpty());
  EXPECT_EQ(verified->lines, 40);
  ASSERT_TRUE(one->Trim().ok());
  verified = Verify(*two);
  EXPECT_THAT(verified->problems, IsEmpty());
  EXPECT_EQ(verified->first, 11);
  EXPECT_EQ(ActsOf(*one, {.who = "ann"}).size(), 30u);
  ASSERT_TRUE((*catalogue)->database().Do("DELETE FROM rankscope.audit WHERE number = 20").ok());
  EXPECT_THAT(ProblemsOf(*one), ElementsAre(HasSubstr("behind number 19 comes 21")));
}

TEST_F(FolderLogTest, IsContinuedByThatOfACluster) {
  RS_NEEDS_POSTGRES();
  auto catalogue = store::PostgresCatalogue::Open(postgres::TestServer::Get().NewDatabase(), {});
  ASSERT_TRUE(catalogue.ok()) << catalogue.status().message();
  postgres::Database& database = (*catalogue)->database();
  const auto log = Open({.file_bytes = 2000, .most_files = 100});
  // What JSON and SQL escape, and more than is copied at once.
  ASSERT_TRUE(log->Add(Entry("\"ann\" \\ $1 \n\x01 é", "a"), Log::Care::kQuickly).ok());
  for (int i = 0; i < 1500; ++i) ASSERT_TRUE(log->Add(Entry("ann", "b"), Log::Care::kQuickly).ok());
  EXPECT_EQ(CarryOver(*log, database)->lines, 1501);
  const auto again = CarryOver(*log, database);
  EXPECT_EQ(again->lines, 0);
  EXPECT_EQ(again->why_not, "");
  const auto cluster = MakeClusterLog(database);
  ASSERT_TRUE(cluster->Add(Entry("bob", "c"), Log::Care::kOnDisk).ok());
  EXPECT_THAT(ProblemsOf(*cluster, Verify(*log)->last), IsEmpty());
  EXPECT_EQ(Verify(*cluster)->first, 1);
  EXPECT_EQ(Verify(*cluster)->last.number, 1502);
  std::string oldest;
  ASSERT_TRUE(cluster
                  ->FromOldest([&](std::string_view line) {
                    oldest = line;
                    return false;
                  })
                  .ok());
  EXPECT_EQ(ReadLine(oldest)->who, "\"ann\" \\ $1 \n\x01 é");
  EXPECT_EQ(CarryOver(*log, database)->why_not, "") << "also while servers add to it";
  // Lines of others are not mixed with it.
  ASSERT_TRUE(log->Add(Entry("ann", "d"), Log::Care::kQuickly).ok());
  EXPECT_THAT(CarryOver(*log, database)->why_not, HasSubstr("of its own"));
  EXPECT_EQ(Verify(*cluster)->last.number, 1502);
}

TEST_F(FolderLogTest, DamageIsNotCarriedOver) {
  RS_NEEDS_POSTGRES();
  auto catalogue = store::PostgresCatalogue::Open(postgres::TestServer::Get().NewDatabase(), {});
  ASSERT_TRUE(catalogue.ok()) << catalogue.status().message();
  const auto log = Open();
  ASSERT_TRUE(log->Add(Entry("ann", "a"), Log::Care::kQuickly).ok());
  Write(Read() + "nonsense\n");
  const auto carried = CarryOver(*log, (*catalogue)->database());
  ASSERT_TRUE(carried.ok()) << carried.status().message();
  EXPECT_THAT(carried->why_not, HasSubstr("damaged"));
  EXPECT_EQ(Verify(*MakeClusterLog((*catalogue)->database()))->lines, 0);
}

}  // namespace
}  // namespace rankscope::audit
