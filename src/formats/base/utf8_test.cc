#include "formats/base/utf8.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

TEST(Utf8, BytesOfNoSequenceAreReplaced) {
  EXPECT_EQ(RepairUtf8(""), "");
  EXPECT_EQ(RepairUtf8("a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"),
            "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(RepairUtf8("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(RepairUtf8("\xC3"), "\xEF\xBF\xBD") << "cut off";
  EXPECT_EQ(RepairUtf8("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD") << "a surrogate";
  EXPECT_TRUE(IsUtf8(RepairUtf8("\xF8\x80\x80\x80\x80 \xC0\x80 \xF4\x90\x80\x80")));
  EXPECT_FALSE(IsUtf8("\xC0\x80"));
}

}  // namespace
}  // namespace rankscope
