// Records of runs: what is written reads back, and what was changed is refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "store/store_for_test.h"

namespace rankscope::store {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Record, NotesOfOlderVersionsHaveNoEnd) {
  store::Run run{.id = "0123456789abcdef", .sealed_s = 1};
  run.notes = {{.id = 1, .text = "at an instant", .time_ns = 5}};
  const std::string older = ToRecord(run);
  EXPECT_THAT(older, Not(HasSubstr("end_ns")));
  ASSERT_TRUE(FromRecord(older).ok()) << FromRecord(older).status().message();
  EXPECT_EQ(*FromRecord(older), run);
  run.notes[0].end_ns = 9;
  ASSERT_TRUE(FromRecord(ToRecord(run)).ok());
  EXPECT_EQ(*FromRecord(ToRecord(run)), run);
}

TEST_F(StoreTest, ARecordReadsBackAsItIs) {
  store::Run run{.id = "0123456789abcdef",
                 .key = "k\"\\\n",
                 .name = "n\u00e4me",
                 .user = "u",
                 .team = "t",
                 .model = "m",
                 .product = "p",
                 .framework = "f",
                 .hardware = "h",
                 .world_size = 1 << 20,
                 .tags = {{"a", "1"}, {"keep", ""}},
                 .created_s = 1,
                 .changed_s = INT64_MAX,
                 .state = RunState::kFailed,
                 .reason = "why",
                 .files = {{"a/b.json", std::string(kSha256OfAbc), UINT64_MAX}},
                 .reports = {{.version = 2,
                              .made_s = 5,
                              .program = "1.0",
                              .tables = {{"findings", std::string(kSha256OfAbc), 7}}}}};
  const auto back = FromRecord(ToRecord(run));
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ(*back, run);
  EXPECT_TRUE(FromRecord(ToRecord({.id = "0123456789abcdef"})).ok());
}

TEST_F(StoreTest, WhatIsNoRecordIsRefused) {
  const std::string good = ToRecord({.id = "0123456789abcdef"});
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  for (const std::string& record :
       {std::string(), std::string("[]"), good.substr(0, good.size() / 2), with("uploading", "x"),
        with("0123456789abcdef", "../456789abcdef0"), with("\"tags\"", "\"more\""),
        with("\"created_s\":0", "\"created_s\":\"0\""), with("\"files\":[]", "\"files\":[{}]"),
        with("\"files\":[]", "\"files\":[{\"name\":\"../x\",\"sha256\":\"" +
                                 std::string(kSha256OfAbc) + "\",\"bytes\":1}]"),
        with("\"reports\":[]", "\"reports\":[{\"version\":1}]")}) {
    EXPECT_FALSE(FromRecord(record).ok()) << record;
  }
}

TEST_F(StoreTest, ARecordWithAByteChangedIsRefused) {
  const std::string good = ToRecord({.id = "0123456789abcdef",
                                     .name = "llama",
                                     .created_s = 5,
                                     .state = RunState::kReady,
                                     .reason = "why",
                                     .sealed_s = 5});
  ASSERT_TRUE(FromRecord(good).ok());
  for (std::size_t at = 0; at + 1 < good.size(); ++at) {
    for (const char bit : {1, 4, 32}) {
      std::string damaged = good;
      damaged[at] = static_cast<char>(damaged[at] ^ bit);
      EXPECT_FALSE(FromRecord(damaged).ok()) << damaged;
    }
  }
  for (std::size_t bytes = 0; bytes + 1 < good.size(); ++bytes)
    EXPECT_FALSE(FromRecord(good.substr(0, bytes)).ok()) << bytes;
  EXPECT_FALSE(FromRecord(good + "x").ok());
}

TEST_F(StoreTest, RecordsOfOlderVersionsAreUnverifiedUntilTheyAreSealed) {
  const auto blob_of = [&](Store& store, const char* text) {
    return StoreText(store.blobs(), text)->sha256;
  };
  std::string sound, faulty, changed;
  {
    const auto store = Open();
    sound = Add(*store, "sound", "aaaa").id;
    faulty = Add(*store, "faulty", "bbbb").id;
    changed = Add(*store, "changed", "cccc").id;
    Write(PathOfBlob(blob_of(*store, "bbbb")), "bbbB");
    const auto runs = store->catalogue().All();
    for (store::Run run : *runs) {
      run.sealed_s = 0;
      Write(folder_ + "/runs/" + run.id + ".json", ToRecord(run));
      EXPECT_THAT(ToRecord(run), testing::Not(HasSubstr("seal")));
    }
  }
  Write(folder_ + "/store.json", "{\"format\": 1}");
  EXPECT_THAT(Try({.read_only = true}).status().message(), HasSubstr("format 1"));
  Write(folder_ + "/store.json", "{\"format\": 2}");
  EXPECT_EQ(Open({.read_only = true})->Check(false)->unsealed, 3);
  EXPECT_EQ(*ReadFile(folder_ + "/store.json"), "{\"format\": 2}");
  const std::int64_t made_s = now_s_;
  now_s_ += 1000;
  {
    const auto store = Open();
    EXPECT_EQ(store->catalogue().Find(sound)->sealed_s, 0) << "nobody has looked at it";
    ASSERT_TRUE(store->catalogue()
                    .Change(changed,
                            [](store::Run& run) {
                              run.tags["new"] = "";
                              return OkStatus();
                            })
                    .ok());
    const auto before = store->Check(false);
    EXPECT_EQ(before->unsealed, 2);
    EXPECT_EQ(before->sealed_late, 1);
    const auto sealed = store->Seal();
    ASSERT_TRUE(sealed.ok());
    EXPECT_EQ(sealed->unsealed, 1) << "what it names is damaged";
    EXPECT_EQ(sealed->sealed_late, 2);
    EXPECT_EQ(sealed->problems.size(), 1U);
    now_s_ += 1000;
    EXPECT_EQ(store->Seal()->sealed_late, 2);
  }
  const auto store = Open();
  EXPECT_EQ(store->catalogue().Find(sound)->sealed_s, made_s + 1000);
  EXPECT_EQ(store->catalogue().Find(sound)->changed_s, made_s) << "retention goes by it";
  EXPECT_EQ(store->catalogue().Find(changed)->sealed_s, made_s + 1000);
  EXPECT_EQ(store->catalogue().Find(changed)->changed_s, made_s + 1000);
  EXPECT_EQ(store->catalogue().Find(faulty)->sealed_s, 0);
}

}  // namespace
}  // namespace rankscope::store
