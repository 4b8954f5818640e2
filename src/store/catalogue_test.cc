// What every catalogue keeps: in a folder, and in PostgreSQL.
#include "store/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <set>
#include <thread>

#include "postgres/test_server.h"
#include "store/cluster_schema.h"
#include "store/postgres_catalogue.h"

namespace rankscope::store {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

enum class CatalogueKind { kFolder, kPostgres };

class CatalogueTest : public testing::TestWithParam<CatalogueKind> {
 protected:
  CatalogueTest() {
    std::string name = (fs::temp_directory_path() / "rankscope_catalogue_XXXXXX").string();
    root_ = mkdtemp(name.data());
    fs::create_directories(root_ / "runs");
    fs::create_directories(root_ / "temporary");
  }
  ~CatalogueTest() override { fs::remove_all(root_); }
  void SetUp() override {
    if (GetParam() == CatalogueKind::kPostgres) {
      RS_NEEDS_POSTGRES();
      address_ = postgres::TestServer::Get().NewDatabase();
    }
    catalogue_ = Open();
  }

  std::unique_ptr<Catalogue> Open() {
    const auto now_s = [this] { return now_s_.load(); };
    if (GetParam() == CatalogueKind::kPostgres) {
      auto opened = PostgresCatalogue::Open(address_, now_s);
      EXPECT_TRUE(opened.ok()) << opened.status().message();
      return opened.ok() ? std::move(*opened) : nullptr;
    }
    auto opened = OpenFolderCatalogue(root_ / "runs", root_ / "temporary", now_s);
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    return opened.ok() ? std::move(*opened) : nullptr;
  }
  // As another process sees it.
  void Reopen() {
    catalogue_.reset();
    catalogue_ = Open();
  }
  store::Run Make(store::Run run) {
    const auto made = catalogue_->Create(std::move(run));
    EXPECT_TRUE(made.ok()) << made.status().message();
    return made.ok() ? *made : store::Run{};
  }
  // Page by page.
  std::vector<std::string> Names(RunQuery query) const {
    std::vector<std::string> names;
    do {
      const auto page = catalogue_->Page(query);
      EXPECT_TRUE(page.ok()) << page.status().message();
      if (!page.ok()) return names;
      for (const auto& run : page->runs) names.push_back(run->name);
      query.after = page->next;
    } while (!query.after.empty());
    return names;
  }

  fs::path root_;
  std::string address_;
  std::atomic<std::int64_t> now_s_ = 1'800'000'000;
  std::unique_ptr<Catalogue> catalogue_;
};

INSTANTIATE_TEST_SUITE_P(All, CatalogueTest,
                         testing::Values(CatalogueKind::kFolder, CatalogueKind::kPostgres),
                         [](const auto& one) {
                           return one.param == CatalogueKind::kFolder ? "Folder" : "Postgres";
                         });

TEST_P(CatalogueTest, KeepsARunAsItIs) {
  store::Run run{.key = "blue\nmine",
                 .name = "n\u00e4me \"x\" \\ ' {",
                 .user = "ann",
                 .team = "blue",
                 .world_size = 8,
                 .tags = {{"branch", "main"}, {"keep", ""}, {"command", std::string(9000, 'x')}}};
  const store::Run made = Make(run);
  EXPECT_TRUE(IsRunId(made.id));
  EXPECT_EQ(made.created_s, now_s_);
  EXPECT_EQ(made.state, RunState::kUploading);
  const auto files = [](store::Run& one) {
    one.files = {{"a/rank0.json", std::string(64, 'a'), UINT64_MAX}};
    one.state = RunState::kReady;
    return OkStatus();
  };
  now_s_ += 10;
  const auto changed = catalogue_->Update(made.id, files);
  ASSERT_TRUE(changed.ok()) << changed.status().message();
  EXPECT_EQ((*changed)->changed_s, now_s_);
  EXPECT_EQ((*changed)->created_s, made.created_s);
  Reopen();
  EXPECT_EQ(*catalogue_->Find(made.id), **changed);
  EXPECT_EQ(*catalogue_->Count(), 1U);
  EXPECT_THAT(*catalogue_->Unreadable(), IsEmpty());
  // What changes nothing changes no time.
  now_s_ += 10;
  EXPECT_EQ(**catalogue_->Update(made.id, [](store::Run&) { return OkStatus(); }), **changed);
  ASSERT_TRUE(catalogue_->Remove(made.id).ok());
  EXPECT_EQ(catalogue_->Remove(made.id).code(), StatusCode::kNotFound);
  EXPECT_EQ(catalogue_->Look(made.id).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(catalogue_->Update(made.id, files).status().code(), StatusCode::kNotFound);
}

TEST_P(CatalogueTest, TheSameKeyIsTheSameRun) {
  const store::Run first = Make({.key = "k", .name = "first"});
  EXPECT_EQ(Make({.key = "k", .name = "second"}), first);
  EXPECT_NE(Make({.name = "without"}).id, Make({.name = "without"}).id);
  // From many at a time, too.
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::set<std::string> ids;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const auto made = catalogue_->Create({.key = "several", .name = "one"});
      ASSERT_TRUE(made.ok()) << made.status().message();
      const std::scoped_lock lock(mutex);
      ids.insert(made->id);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ids.size(), 1U);
  ASSERT_TRUE(catalogue_->Remove(first.id).ok());
  EXPECT_NE(Make({.key = "k", .name = "third"}).id, first.id);
}

// However many ask at once; and who asks again gets the run that is there.
TEST_P(CatalogueTest, ATeamHasNoMoreRunsThanItMay) {
  Make({.key = "k", .name = "a", .team = "blue"});
  std::atomic<int> made = 0, refused = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 3; ++j) {
        const auto run = catalogue_->Create({.name = "b", .team = "blue"}, 6);
        made += run.ok() ? 1 : 0;
        refused += run.status().code() == StatusCode::kResource ? 1 : 0;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 5);
  EXPECT_EQ(refused, 7);
  const auto again = catalogue_->Create({.key = "k", .name = "c", .team = "blue"}, 6);
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(again->name, "a");
  EXPECT_TRUE(catalogue_->Create({.name = "d", .team = "red"}, 6).ok());
  EXPECT_TRUE(catalogue_->Create({.name = "e", .team = "blue"}).ok());
}

TEST_P(CatalogueTest, WhatIsNoRunIsNotThere) {
  for (const std::string& id :
       {std::string("0123456789abcdef"), std::string("x"), std::string(), std::string("a\0b", 3),
        std::string("\xff"), std::string("'; DROP TABLE rankscope.run; --"),
        std::string(100'000, 'a')}) {
    EXPECT_EQ(catalogue_->Look(id).status().code(), StatusCode::kNotFound);
    EXPECT_EQ(catalogue_->Remove(id).code(), StatusCode::kNotFound);
    EXPECT_EQ(catalogue_->Update(id, [](store::Run&) { return OkStatus(); }).status().code(),
              StatusCode::kNotFound);
  }
}

TEST_P(CatalogueTest, RunsOfOneSecondAreListedNewestFirst) {
  std::vector<std::string> names;
  for (int i = 60; i-- > 0;) names.push_back(std::to_string(i));
  for (int i = 0; i < 60; ++i) {
    if (i == 30) Reopen();
    Make({.name = names[static_cast<std::size_t>(59 - i)]});
  }
  EXPECT_EQ(Names({.descending = true, .limit = 7}), names);
  std::vector<std::string> all;
  const auto runs = catalogue_->All();
  for (const store::Run& run : *runs) all.push_back(run.name);
  EXPECT_EQ(all, names);
}

TEST_P(CatalogueTest, ListsInEveryOrderPageByPage) {
  for (const char* name : {"b", "A", "c", "a", "B"}) {
    now_s_ += 1;
    const store::Run run = Make({.name = name});
    if (run.name == "c" || run.name == "A") {
      ASSERT_TRUE(catalogue_
                      ->Update(run.id,
                               [](store::Run& one) {
                                 one.state = RunState::kReady;
                                 return OkStatus();
                               })
                      .ok());
    }
  }
  now_s_ += 1;
  const auto first = catalogue_->Page({.order = RunOrder::kCreated, .limit = 1});
  ASSERT_TRUE(catalogue_
                  ->Update(first->runs.front()->id,
                           [](store::Run& one) {
                             one.name = "bb";
                             return OkStatus();
                           })
                  .ok());
  for (const std::size_t limit : {1U, 2U, 100U}) {
    EXPECT_THAT(Names({.order = RunOrder::kCreated, .limit = limit}),
                ElementsAre("bb", "A", "c", "a", "B"));
    EXPECT_THAT(Names({.order = RunOrder::kChanged, .descending = true, .limit = limit}),
                ElementsAre("bb", "B", "a", "c", "A"));
    EXPECT_THAT(Names({.order = RunOrder::kState, .limit = limit}).front(),
                testing::AnyOf("A", "c"));
  }
  // In small letters, then in their order of creation within one.
  const std::vector<std::string> by_name = Names({.order = RunOrder::kName, .limit = 2});
  ASSERT_EQ(by_name.size(), 5U);
  EXPECT_EQ(by_name[2], "B");
  EXPECT_EQ(by_name[3], "bb");
  EXPECT_EQ(by_name[4], "c");
  EXPECT_EQ(catalogue_->Page({.limit = 2})->total, 5U);
}

TEST_P(CatalogueTest, FindsWhatIsAskedFor) {
  Make({.name = "one", .user = "ann", .team = "blue", .tags = {{"branch", "main"}}});
  Make({.name = "two", .user = "bob", .team = "blue", .tags = {{"branch", "x=y, {\"z\"}"}}});
  Make({.name = "Three",
        .user = "ann",
        .team = "red",
        .tags = {{"keep", ""}, {"long", std::string(5000, 'l')}}});
  const auto find = [&](std::vector<RunCriterion> criteria, std::string mentions = "") {
    return Names({.limit = 2, .mentions = std::move(mentions), .criteria = std::move(criteria)});
  };
  EXPECT_THAT(find({{.field = "team", .values = {"blue"}}}), ElementsAre("one", "two"));
  EXPECT_THAT(
      find({{.field = "team", .values = {"blue", "red"}}, {.field = "user", .values = {"ann"}}}),
      ElementsAre("one", "Three"));
  EXPECT_THAT(find({{.field = "team", .values = {}}}), IsEmpty());
  EXPECT_THAT(find({{.field = "tag", .values = {"branch"}}}), ElementsAre("one", "two"));
  EXPECT_THAT(find({{.field = "tag", .values = {"branch=x=y, {\"z\"}"}}}), ElementsAre("two"));
  EXPECT_THAT(find({{.field = "tag", .values = {"keep", "branch=main"}}}),
              ElementsAre("one", "Three"));
  EXPECT_THAT(find({{.field = "tag", .values = {"keep="}}}), ElementsAre("Three"));
  EXPECT_THAT(find({{.field = "tag", .values = {"long=" + std::string(5000, 'l')}}}),
              ElementsAre("Three"));
  EXPECT_THAT(find({{.field = "tag", .values = {"long=" + std::string(5000, 'm')}}}), IsEmpty());
  EXPECT_THAT(find({{.field = "state", .values = {"uploading"}}}).size(), 3U);
  EXPECT_THAT(find({{.field = "name", .values = {"three"}}}), IsEmpty());
  EXPECT_THAT(find({}, "THREE"), ElementsAre("Three"));
  EXPECT_THAT(find({}, "branch=MAIN"), ElementsAre("one"));
  EXPECT_THAT(find({}, "%"), IsEmpty());
  EXPECT_EQ(
      catalogue_->Page({.limit = 1, .criteria = {{.field = "user", .values = {"ann"}}}})->total,
      2U);
}

TEST_P(CatalogueTest, AChangeThatIsRefusedLeavesTheRun) {
  const store::Run run = Make({.name = "a"});
  const auto refused = catalogue_->Update(run.id, [](store::Run& one) {
    one.name = "b";
    return Error(StatusCode::kBadData, "no");
  });
  EXPECT_EQ(refused.status().code(), StatusCode::kBadData);
  EXPECT_EQ(catalogue_->Find(run.id)->name, "a");
  // Neither id, key nor time of creation change.
  const auto changed = catalogue_->Change(run.id, [](store::Run& one) {
    one.id = "ffffffffffffffff";
    one.key = "other";
    one.created_s = 1;
    one.name = "c";
    return OkStatus();
  });
  EXPECT_EQ(changed->id, run.id);
  EXPECT_EQ(changed->key, run.key);
  EXPECT_EQ(changed->created_s, run.created_s);
}

TEST_P(CatalogueTest, ChangesThatMeetAreAllMadeOnce) {
  const store::Run run = Make({.name = "counted"});
  const auto other = GetParam() == CatalogueKind::kPostgres ? Open() : nullptr;  // another server
  std::vector<std::thread> threads;
  std::atomic<int> calls = 0;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      Catalogue& one = t % 2 == 1 && other != nullptr ? *other : *catalogue_;
      for (int i = 0; i < 20; ++i) {
        const auto changed = one.Update(run.id, [&](store::Run& its) {
          ++calls;
          its.world_size = its.world_size + 1;
          return OkStatus();
        });
        ASSERT_TRUE(changed.ok()) << changed.status().message();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(catalogue_->Find(run.id)->world_size, run.world_size + 160);
  EXPECT_EQ(calls, 160);
}

TEST_P(CatalogueTest, ManyThreadsAdd) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) Make({.name = "run"});
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<std::string> ids;
  const auto all = catalogue_->All();
  for (const store::Run& run : *all) ids.insert(run.id);
  EXPECT_EQ(ids.size(), 160U);
}

class PostgresCatalogueTest : public testing::Test {
 protected:
  void SetUp() override {
    RS_NEEDS_POSTGRES();
    address_ = postgres::TestServer::Get().NewDatabase();
    catalogue_ = Open();
  }
  std::unique_ptr<PostgresCatalogue> Open() {
    auto opened = PostgresCatalogue::Open(address_, {});
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    return opened.ok() ? std::move(*opened) : nullptr;
  }
  std::int64_t Number(const std::string& statement) {
    const auto rows = catalogue_->database().Do(statement.c_str());
    EXPECT_TRUE(rows.ok()) << rows.status().message();
    return rows.ok() && !rows->empty() ? rows->Integer(0, 0) : -1;
  }
  std::string address_;
  std::unique_ptr<PostgresCatalogue> catalogue_;
};

TEST_F(PostgresCatalogueTest, WhatIsQueuedIsWorkInTheSameTransaction) {
  const auto run = catalogue_->Create({.name = "a", .team = "blue"});
  const auto set = [&](RunState state) {
    return catalogue_->Update(run->id, [state](store::Run& one) {
      one.state = state;
      return OkStatus();
    });
  };
  constexpr const char* kWork = "SELECT count(*) FROM rankscope.work WHERE team = 'blue'";
  EXPECT_EQ(Number(kWork), 0);
  ASSERT_TRUE(set(RunState::kQueued).ok());
  EXPECT_EQ(Number(kWork), 1);
  ASSERT_TRUE(set(RunState::kAnalysing).ok());
  EXPECT_EQ(Number(kWork), 1);
  ASSERT_TRUE(set(RunState::kReady).ok());
  EXPECT_EQ(Number(kWork), 0);
  ASSERT_TRUE(set(RunState::kQueued).ok());
  ASSERT_TRUE(catalogue_->Remove(run->id).ok());
  EXPECT_EQ(Number(kWork), 0);
}

TEST_F(PostgresCatalogueTest, EventsAreNumberedWithoutGapsInTheOrderInWhichTheyAreSeen) {
  std::vector<std::thread> threads;
  std::atomic<bool> is_over = false;
  std::int64_t seen = 0;
  bool is_in_order = true;
  std::thread reader([&] {
    while (true) {
      const bool is_last = is_over;
      const auto rows = catalogue_->database().Do(
          "SELECT number FROM rankscope.event WHERE number > $1 ORDER BY number", {seen});
      for (std::size_t i = 0; i < rows->size(); ++i) {
        is_in_order = is_in_order && rows->Integer(i, 0) == seen + 1;
        seen = rows->Integer(i, 0);
      }
      if (is_last) return;
    }
  });
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) EXPECT_TRUE(catalogue_->Create({.name = "a"}).ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  is_over = true;
  reader.join();
  EXPECT_TRUE(is_in_order);
  EXPECT_EQ(seen, 120);
}

TEST_F(PostgresCatalogueTest, ADamagedRecordIsSaidAndNeverServed) {
  const auto run = catalogue_->Create({.name = "good"});
  const auto other = catalogue_->Create({.name = "other"});
  ASSERT_TRUE(catalogue_->database()
                  .Do("UPDATE rankscope.run SET version = version + 1, "
                      "record = replace(record, 'good', 'evil') WHERE id = $1",
                      {run->id})
                  .ok());
  EXPECT_EQ(catalogue_->Look(run->id).status().code(), StatusCode::kBadData);
  EXPECT_THAT(catalogue_->Look(run->id).status().message(), HasSubstr("checksum"));
  EXPECT_EQ(catalogue_->Unreadable()->size(), 1U);
  EXPECT_EQ(catalogue_->All()->size(), 1U);
  EXPECT_EQ(catalogue_->Page({.limit = 10})->runs.size(), 1U);
  EXPECT_EQ(catalogue_
                ->Update(run->id,
                         [](store::Run& one) {
                           one.name = "x";
                           return OkStatus();
                         })
                .status()
                .code(),
            StatusCode::kBadData);
}

TEST_F(PostgresCatalogueTest, OneCollectsAtATime) {
  const auto other = Open();
  auto collecting = catalogue_->BeginCollecting();
  ASSERT_TRUE(collecting.ok() && *collecting != nullptr);
  EXPECT_EQ(*other->BeginCollecting(), nullptr);
  collecting->reset();
  EXPECT_TRUE(Until([&] { return *other->BeginCollecting() != nullptr; }));
}

TEST_F(PostgresCatalogueTest, TheServersDeathLosesNothing) {
  const auto run = catalogue_->Create({.name = "kept"});
  postgres::TestServer::Get().Crash();
  ASSERT_TRUE(Until([&] { return catalogue_->Look(run->id).ok(); }));
  EXPECT_EQ(catalogue_->Find(run->id)->name, "kept");
}

TEST_F(PostgresCatalogueTest, AddressesThatNobodyAnswersAreToldAtOnce) {
  const auto opened = PostgresCatalogue::Open("postgresql://x:geheim@127.0.0.1:1/none", {});
  EXPECT_EQ(opened.status().code(), StatusCode::kIo);
  EXPECT_THAT(opened.status().message(), testing::Not(HasSubstr("geheim")));
}

}  // namespace
}  // namespace rankscope::store
