// A backup is a store; whatever happens, what it has is sound.
#include "store/backup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <utility>

#include "base/file.h"

namespace rankscope::store {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::array<std::string_view, 1> kBeside = {"shares"};

class BackupTest : public testing::Test {
 protected:
  BackupTest() {
    std::string name = (fs::temp_directory_path() / "rankscope_backup_XXXXXX").string();
    root_ = mkdtemp(name.data());
    from_ = (root_ / "data").string();
    to_ = (root_ / "backup").string();
    auto opened = Store::Open(from_, {.create = true});
    EXPECT_TRUE(opened.ok());
    store_ = std::move(*opened);
  }
  ~BackupTest() override { fs::remove_all(root_); }

  // A run of one file with this text: its id.
  std::string Add(const std::string& text) {
    const auto blob = StoreText(store_->blobs(), text);
    const auto run = store_->catalogue().Create({.name = "run"});
    const auto changed = store_->catalogue().Change(run->id, [&](store::Run& one) {
      one.files.push_back({.name = "a.json", .sha256 = blob->sha256, .bytes = blob->bytes});
      return OkStatus();
    });
    EXPECT_TRUE(changed.ok());
    return run->id;
  }
  std::string PathOf(const std::string& id) {
    return *store_->blobs().PathOf(store_->catalogue().Find(id)->files.front().sha256);
  }
  BackedUp Do() {
    auto done = BackUp(from_, to_, kBeside);
    EXPECT_TRUE(done.ok()) << done.status().message();
    return done.ok() ? std::move(*done) : BackedUp{};
  }
  // What the backup says of itself.
  Checked Look() { return *(*Store::Open(to_, {.read_only = true}))->Check(true); }
  static void Write(const std::string& path, std::string_view text) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }

  fs::path root_;
  std::string from_, to_;
  std::unique_ptr<Store> store_;  // at work meanwhile
};

TEST_F(BackupTest, HasWhatTheStoreHasAndThenWhatIsNew) {
  const std::string first = Add("one"), second = Add("two");
  Add("two");
  Write(from_ + "/shares/s.share", "state");
  BackedUp done = Do();
  EXPECT_TRUE(done.problems.empty());
  EXPECT_EQ(done.runs, 3);
  EXPECT_EQ(done.new_runs, 3);
  EXPECT_EQ(done.contents, 2);
  EXPECT_EQ(done.bytes, 6U);
  EXPECT_EQ(done.beside, 1);
  const auto backup = Store::Open(to_, {.read_only = true});
  EXPECT_EQ(*(*backup)->catalogue().Find(first), *store_->catalogue().Find(first));
  EXPECT_EQ(*ReadFile(to_ + "/shares/s.share"), "state");

  // Nothing is copied twice; a change and a new run are.
  ASSERT_TRUE(store_->catalogue()
                  .Change(second,
                          [](store::Run& run) {
                            run.tags["commit"] = "1f3a";
                            return OkStatus();
                          })
                  .ok());
  Add("three");
  done = Do();
  EXPECT_EQ(done.runs, 4);
  EXPECT_EQ(done.new_runs, 2);
  EXPECT_EQ(done.contents, 1);
  EXPECT_EQ(done.beside, 0);
  EXPECT_EQ((*Store::Open(to_, {.read_only = true}))->catalogue().Find(second)->tags.at("commit"),
            "1f3a");
  const Checked checked = Look();
  EXPECT_EQ(checked.runs, 4);
  EXPECT_TRUE(checked.problems.empty());
  EXPECT_EQ(checked.unused_blobs, 0);
}

TEST_F(BackupTest, KeepsWhatTheStoreHasNoMore) {
  const std::string run = Add("one");
  Do();
  ASSERT_TRUE(store_->catalogue().Remove(run).ok());
  const BackedUp done = Do();
  EXPECT_EQ(done.runs, 0);
  EXPECT_EQ(Look().runs, 1);
}

// The run before stays; what is damaged never takes its place.
TEST_F(BackupTest, WhatIsDamagedOrGoneIsNotBackedUp) {
  const std::string damaged = Add("one"), gone = Add("two"), sound = Add("three");
  Write(PathOf(damaged), "onx");
  fs::remove(PathOf(gone));
  const BackedUp done = Do();
  ASSERT_EQ(done.problems.size(), 2U);
  EXPECT_THAT(done.problems[0].where, HasSubstr(damaged));
  EXPECT_THAT(done.problems[0].what, HasSubstr("is damaged"));
  EXPECT_THAT(done.problems[1].what, HasSubstr("is gone"));
  EXPECT_EQ(done.runs, 1);
  const Checked checked = Look();
  EXPECT_EQ(checked.runs, 1);
  EXPECT_TRUE(checked.problems.empty());
  EXPECT_TRUE((*Store::Open(to_, {.read_only = true}))->catalogue().Find(sound).ok());
}

TEST_F(BackupTest, ARecordThatCannotBeReadIsAProblem) {
  const std::string run = Add("one");
  Write(from_ + "/runs/" + run + ".json", "{}");
  const BackedUp done = Do();
  EXPECT_EQ(done.runs, 0);
  ASSERT_FALSE(done.problems.empty());
  EXPECT_THAT(done.problems.front().where, HasSubstr(run));
}

TEST_F(BackupTest, IsAnotherFolder) {
  for (const std::string& to : {from_, from_ + "/backup", root_.string(), from_ + "/../data/x"}) {
    const auto done = BackUp(from_, to, kBeside);
    ASSERT_FALSE(done.ok()) << to;
    EXPECT_THAT(done.status().message(), HasSubstr("outside of the store"));
  }
  EXPECT_EQ(BackUp(root_.string() + "/none", to_, kBeside).status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace rankscope::store
