// Stacks of Python, of images of memory that are made up.
#include "cpu_profile/python/python_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cpu_profile/python/fake_python_for_test.h"

namespace rankscope::cpu_profile {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Words(const StackTree& stacks, Node node) {
  std::vector<std::string> words;
  for (const Node one : stacks.FramesOf(node)) {
    const StackTree::Frame& frame = stacks.frame(one);
    const Function& function = stacks.function(frame.function);
    words.push_back(fmt::format("{} {}:{}", function.name, function.file, frame.line));
  }
  return words;
}

class EveryVersion : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  EveryVersion() : python_(GetParam()) {}
  FakePython python_;
  StackTree stacks_;
  std::vector<PythonThread> threads_;
};

TEST_P(EveryVersion, FramesOfAllThreads) {
  const std::uint64_t outer = python_.AddCode("main", "train.py", 10);
  const std::uint64_t inner = python_.AddCode("Loader.next", "d\u00e4ta.py", 20);
  python_.AddThread(101, {{outer, 0}, {inner, 2}}, true);
  python_.AddThread(102, {{inner, 1}}, false);
  python_.AddThread(103, {}, false);  // runs no Python
  PythonReader reader(python_.memory, stacks_, python_.place());
  ASSERT_TRUE(reader.Read(threads_));
  ASSERT_EQ(threads_.size(), 2U);
  EXPECT_EQ(threads_[0].native_id, 102);
  EXPECT_THAT(Words(stacks_, threads_[0].stack), ElementsAre("Loader.next d\u00e4ta.py:21"));
  EXPECT_FALSE(threads_[0].holds_lock);
  EXPECT_EQ(threads_[1].native_id, 101);
  EXPECT_THAT(Words(stacks_, threads_[1].stack),
              ElementsAre("main train.py:10", "Loader.next d\u00e4ta.py:22"));
  EXPECT_TRUE(threads_[1].holds_lock);
  EXPECT_EQ(reader.torn(), 0U);
}

TEST_P(EveryVersion, ALoopOfFramesIsDropped) {
  const std::uint64_t code = python_.AddCode("f", "f.py", 1);
  const std::uint64_t frame = python_.AddThread(101, {{code, 0}}, false);
  python_.memory.Put(frame + python_.layout().previous_frame, frame);
  PythonReader reader(python_.memory, stacks_, python_.place());
  ASSERT_TRUE(reader.Read(threads_));
  EXPECT_TRUE(threads_.empty());
  EXPECT_EQ(reader.torn(), 1U);
}

TEST_P(EveryVersion, ALoopOfThreadsEnds) {
  const std::uint64_t code = python_.AddCode("f", "f.py", 1);
  python_.AddThread(101, {{code, 0}}, false);
  python_.memory.Put(python_.last_thread() + python_.layout().next_thread, python_.last_thread());
  PythonReader reader(python_.memory, stacks_, python_.place());
  ASSERT_TRUE(reader.Read(threads_));
  EXPECT_LE(threads_.size(), 2000U);
}

TEST_P(EveryVersion, WhatIsNoCodeIsDropped) {
  const std::uint64_t code = python_.AddCode("f", "f.py", 1);
  python_.AddThread(101, {{code, 0}}, false);
  python_.memory.Put(code + python_.layout().type, std::uint64_t{0x1234});
  PythonReader reader(python_.memory, stacks_, python_.place());
  ASSERT_TRUE(reader.Read(threads_));
  EXPECT_TRUE(threads_.empty());
  EXPECT_EQ(reader.torn(), 1U);
}

// Every word of the image in turn is another one: nothing worse comes of it than fewer stacks.
TEST_P(EveryVersion, NoWordHarms) {
  const std::uint64_t code = python_.AddCode("f", "f.py", 1);
  python_.AddThread(101, {{code, 0}, {code, 1}}, true);
  for (const std::uint64_t garbage :
       {std::uint64_t{0}, ~std::uint64_t{0}, FakePython::kBase, FakePython::kBase + 1}) {
    for (std::uint64_t at = 0; at + 8 <= python_.memory.size(); at += 8) {
      FakeMemory damaged = python_.memory;
      damaged.Put(FakePython::kBase + at, garbage);
      StackTree stacks;
      PythonReader reader(damaged, stacks, python_.place());
      reader.Read(threads_);
      reader.Read(threads_);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Python, EveryVersion,
                         ::testing::Values(0x030b07f0, 0x030c01f0, 0x030d00f0));

TEST(LineTable, EveryFormOfEntry) {
  const auto bytes = [](std::initializer_list<int> values) {
    std::vector<std::byte> made;
    for (const int one : values) made.push_back(static_cast<std::byte>(one));
    return made;
  };
  // Two instructions of line 5; one of line 7 (two on); three of 6 (back by one), without columns;
  // one of none; one 100 lines on, with all columns.
  const auto table =
      bytes({128 | 0 << 3 | 1, 0, 128 | 12 << 3 | 0, 1, 2, 128 | 13 << 3 | 2, 3, 128 | 15 << 3 | 0,
             128 | 14 << 3 | 0, 64 | (200 & 63), 200 >> 6, 0, 1, 2});
  const std::vector<LineRange> lines = ParseLineTable(table, 5);
  const auto at = [&](int instruction) {
    return LineAt(lines, static_cast<std::uint64_t>(2 * instruction));
  };
  EXPECT_EQ(at(0), 5);
  EXPECT_EQ(at(1), 5);
  EXPECT_EQ(at(2), 7);
  EXPECT_EQ(at(3), 6);
  EXPECT_EQ(at(5), 6);
  EXPECT_EQ(at(6), 0);
  EXPECT_EQ(at(7), 106);
  EXPECT_EQ(at(8), 0);
  EXPECT_TRUE(ParseLineTable(bytes({5, 5}), 1).empty());
}

TEST(PythonLayouts, OthersAreNotRead) {
  EXPECT_THAT(LayoutOfVersion(0x030a00f0).status().message(), ::testing::HasSubstr("3.10"));
  EXPECT_FALSE(LayoutOfVersion(0x030e00f0).ok());
  std::vector<std::byte> bytes(kDebugOffsetsBytes);
  EXPECT_FALSE(LayoutOfDebugOffsets(bytes).ok());
}

}  // namespace
}  // namespace rankscope::cpu_profile
