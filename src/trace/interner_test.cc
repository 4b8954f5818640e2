#include "trace/interner.h"

#include <gtest/gtest.h>

#include <string>

namespace rankscope {
namespace {

TEST(Interner, EqualTextsHaveEqualIdsInOrderOfFirstUse) {
  Interner interner;
  EXPECT_EQ(interner.size(), 1U);
  EXPECT_EQ(interner.Intern(""), kEmptyString);
  EXPECT_EQ(interner.Intern("b"), 1U);
  EXPECT_EQ(interner.Intern("a"), 2U);
  EXPECT_EQ(interner.Intern("b"), 1U);
  EXPECT_EQ(interner.Intern(std::string_view("b\0", 2)), 3U);
  EXPECT_EQ(interner.Get(kEmptyString), "");
  EXPECT_EQ(interner.Get(2), "a");
  EXPECT_EQ(interner.size(), 4U);
}

// Texts are kept, also when the caller's memory is gone and when one fills a block of its own.
TEST(Interner, KeepsTextsOfAnyLength) {
  Interner interner;
  const std::string huge(1'000'000, 'x');
  std::vector<std::string_view> views;
  for (int i = 0; i < 5000; ++i) {
    const auto id = interner.Intern("name " + std::to_string(i));
    ASSERT_EQ(id, static_cast<StringId>(i < 2500 ? i + 1 : i + 2));
    views.push_back(interner.Get(id));
    if (i == 2499) {
      ASSERT_EQ(interner.Intern(huge), 2501U);
    }
  }
  for (int i = 0; i < 5000; ++i) {
    ASSERT_EQ(views[static_cast<std::size_t>(i)], "name " + std::to_string(i));
  }
  EXPECT_EQ(interner.Get(2501), huge);
  EXPECT_EQ(interner.Intern(huge), 2501U);
}

}  // namespace
}  // namespace rankscope
