#include "store/run_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class RunIndexTest : public testing::Test {
 protected:
  // Ids in the order in which they are made.
  void Put(int number, const std::string& name, RunState state = RunState::kReady) {
    store::Run run{.id = fmt::format("{:016x}", number), .name = name};
    run.created_s = 1000 + number / 2;  // two at a time
    run.changed_s = 2000 - number;
    run.state = state;
    run.user = number % 2 == 0 ? "Ann" : "bob";
    run.tags = {{"commit", std::to_string(number)}};
    index_.Put(std::make_shared<const store::Run>(std::move(run)));
  }
  // Page by page, until there is none.
  std::vector<std::string> Names(RunQuery query) const {
    std::vector<std::string> names;
    do {
      const RunPage page = index_.Page(query);
      for (const auto& run : page.runs) names.push_back(run->name);
      query.after = page.next;
    } while (!query.after.empty());
    return names;
  }
  RunIndex index_;
};

TEST_F(RunIndexTest, SortsByEachOrderAndThenById) {
  Put(0, "b", RunState::kReady);
  Put(1, "C", RunState::kFailed);
  Put(2, "a", RunState::kUploading);
  EXPECT_THAT(Names({.order = RunOrder::kCreated}), ElementsAre("b", "C", "a"));
  EXPECT_THAT(Names({.order = RunOrder::kChanged}), ElementsAre("a", "C", "b"));
  EXPECT_THAT(Names({.order = RunOrder::kName}), ElementsAre("a", "b", "C"));
  EXPECT_THAT(Names({.order = RunOrder::kState}), ElementsAre("C", "b", "a"));
  EXPECT_THAT(Names({.order = RunOrder::kCreated, .descending = true}), ElementsAre("a", "C", "b"));
}

TEST_F(RunIndexTest, PagesFollowEachOther) {
  for (int i = 0; i < 7; ++i) Put(i, std::string(1, static_cast<char>('a' + i)));
  for (const std::size_t limit : {1, 2, 3, 7, 8}) {
    EXPECT_THAT(Names({.limit = limit}), ElementsAre("a", "b", "c", "d", "e", "f", "g"));
    EXPECT_THAT(Names({.descending = true, .limit = limit, .mentions = "BOB"}),
                ElementsAre("f", "d", "b"));
  }
  // One that went meanwhile leaves its place.
  const RunPage first = index_.Page({.limit = 3});
  index_.Remove(first.runs.back()->id);
  EXPECT_EQ(index_.Page({.after = first.next, .limit = 1}).runs.front()->name, "d");
}

TEST_F(RunIndexTest, FindsByTextsTagsAndWhatIsWanted) {
  Put(0, "Llama 70B");
  Put(1, "mixtral");
  EXPECT_THAT(Names({.mentions = "LLAMA"}), ElementsAre("Llama 70B"));
  EXPECT_THAT(Names({.mentions = "commit=1"}), ElementsAre("mixtral"));
  EXPECT_THAT(Names({.mentions = "ready"}), ElementsAre("Llama 70B", "mixtral"));
  EXPECT_THAT(Names({.mentions = "llama 70banns"}), IsEmpty()) << "texts are apart";
  const RunPage page = index_.Page({.criteria = {{.field = "user", .values = {"bob"}}}});
  EXPECT_EQ(page.total, 1U);
  EXPECT_EQ(page.runs.front()->name, "mixtral");
}

TEST_F(RunIndexTest, FollowsChanges) {
  Put(0, "a");
  Put(1, "b");
  Put(0, "c", RunState::kFailed);
  EXPECT_EQ(index_.size(), 2U);
  EXPECT_THAT(Names({.order = RunOrder::kName}), ElementsAre("b", "c"));
  EXPECT_THAT(Names({.mentions = "failed"}), ElementsAre("c"));
  index_.Remove(fmt::format("{:016x}", 1));
  index_.Remove("nothing");
  EXPECT_THAT(Names({}), ElementsAre("c"));
}

TEST_F(RunIndexTest, LooksAtWhatAPageShows) {
  for (int i = 0; i < 10'000; ++i) Put(i, "run");
  for (const RunOrder order :
       {RunOrder::kCreated, RunOrder::kChanged, RunOrder::kName, RunOrder::kState}) {
    const RunPage first = index_.Page({.order = order, .descending = true, .limit = 50});
    EXPECT_EQ(first.visited, 50U);
    EXPECT_EQ(first.total, 10'000U);
    const RunPage second =
        index_.Page({.order = order, .descending = true, .after = first.next, .limit = 50});
    EXPECT_EQ(second.visited, 50U);
    EXPECT_NE(second.runs.front(), first.runs.back());
  }
  const RunPage some = index_.Page({.limit = 50, .mentions = "bob"});
  EXPECT_EQ(some.total, 5'000U);
  EXPECT_EQ(some.visited, 10'000U) << "each once";
  // The record itself, no copy of it.
  EXPECT_EQ(some.runs.front(), index_.Page({.limit = 2}).runs.back());
}

}  // namespace
}  // namespace rankscope::store
