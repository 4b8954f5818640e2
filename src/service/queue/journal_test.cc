#include "service/queue/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "base/file.h"

namespace rankscope::service {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kOne = "0123456789abcdef";
constexpr std::string_view kTwo = "fedcba9876543210";

class JournalTest : public ::testing::Test {
 protected:
  JournalTest() : folder_(mkdtemp(name_)), path_(folder_ + "/journal") {}
  ~JournalTest() override { std::filesystem::remove_all(folder_); }
  std::unique_ptr<Journal> Open() {
    message_.clear();
    auto journal = Journal::Open(path_, message_);
    EXPECT_TRUE(journal.ok()) << journal.status().message();
    return std::move(*journal);
  }
  char name_[40] = "/tmp/rankscope_journal_XXXXXX";
  std::string folder_;
  std::string path_;
  std::string message_;
};

TEST_F(JournalTest, CountsOverRestarts) {
  {
    const auto journal = Open();
    for (const auto event :
         {Journal::Event::kBegun, Journal::Event::kFailed, Journal::Event::kBegun})
      ASSERT_TRUE(journal->Add(event, kOne).ok());
    ASSERT_TRUE(journal->Add(Journal::Event::kBegun, kTwo).ok());
    ASSERT_TRUE(journal->Add(Journal::Event::kOver, kTwo).ok());
  }
  const auto journal = Open();
  EXPECT_EQ(journal->Of(kOne).begun, 2);
  EXPECT_EQ(journal->Of(kOne).failed, 1);
  EXPECT_EQ(journal->Of(kOne).interrupted(), 1);
  EXPECT_EQ(journal->Of(kTwo).begun, 0);
  EXPECT_EQ(message_, "");
}

TEST_F(JournalTest, BearsEveryTruncation) {
  {
    const auto journal = Open();
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(journal->Add(Journal::Event::kBegun, kOne).ok());
  }
  const std::string whole = *ReadFile(path_);
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    std::ofstream(path_, std::ios::binary) << whole.substr(0, size);
    const auto journal = Open();
    EXPECT_EQ(message_, "") << size;
    EXPECT_EQ(journal->Of(kOne).begun, static_cast<std::int64_t>(size / (whole.size() / 3)))
        << size;
  }
}

TEST_F(JournalTest, WhatWasStoppedHasNotBegun) {
  {
    const auto journal = Open();
    for (const auto event :
         {Journal::Event::kBegun, Journal::Event::kStopped, Journal::Event::kBegun})
      ASSERT_TRUE(journal->Add(event, kOne).ok());
  }
  EXPECT_EQ(Open()->Of(kOne).interrupted(), 1);
}

TEST_F(JournalTest, AloneIsWhatTheServerEndedInAlone) {
  using Event = Journal::Event;
  {
    const auto journal = Open();
    for (const Event event : {Event::kBegun, Event::kAlone, Event::kFailed, Event::kAlone,
                              Event::kStopped, Event::kAlone, Event::kAlone, Event::kFailed})
      ASSERT_TRUE(journal->Add(event, kOne).ok());
    EXPECT_EQ(journal->Of(kOne).alone, 1);
    EXPECT_EQ(journal->Of(kOne).interrupted(), 2);
  }
  // And when it was written anew.
  for (int i = 0; i < 2; ++i) {
    const auto journal = Open();
    EXPECT_EQ(journal->Of(kOne).alone, 1);
    EXPECT_EQ(journal->Of(kOne).failed, 2);
    EXPECT_EQ(journal->Of(kOne).interrupted(), 2);
  }
}

TEST_F(JournalTest, SetsDamageAside) {
  {
    const auto journal = Open();
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(journal->Add(Journal::Event::kBegun, kOne).ok());
  }
  std::string damaged = *ReadFile(path_);
  damaged[20] ^= 1;
  std::ofstream(path_, std::ios::binary) << damaged;
  const auto journal = Open();
  EXPECT_THAT(message_, HasSubstr("damaged; set aside as"));
  EXPECT_EQ(journal->Of(kOne).begun, 0);
  EXPECT_EQ(*ReadFile(path_ + ".damaged"), damaged);
}

}  // namespace
}  // namespace rankscope::service
