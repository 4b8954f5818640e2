#include "http/url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::http {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(ParseTarget, DecodesPathAndQuery) {
  const auto target = ParseTarget("/a%20b/c?x=1+2&y&x=%26%3D#gone");
  ASSERT_TRUE(target.ok()) << target.status().message();
  EXPECT_EQ(target->path, "/a b/c");
  EXPECT_THAT(target->query, ElementsAre(Pair("x", "1 2"), Pair("y", ""), Pair("x", "&=")));
  // A text of several lines, such as SQL.
  EXPECT_THAT(ParseTarget("/?q=a%0D%0A%09b")->query, ElementsAre(Pair("q", "a\r\n\tb")));
  EXPECT_EQ(ParseTarget("/a+b")->path, "/a+b");
  EXPECT_EQ(ParseTarget("/%C3%A4")->path, "/ä");
}

TEST(ParseTarget, RefusesWhatCouldMeanSomethingElse) {
  for (const char* target :
       {"", "a", "http://x/", "/%", "/%4", "/%zz", "/%00", "/a%0d%0ab", "/%ff", "/..", "/a/../b",
        "/%2e%2e/b", "/a%2f..%2fb", "/.", "/a\\b", "/a%5Cb", "/?x=%00", "/?x=%1b", "/?%0a=1"}) {
    EXPECT_FALSE(ParseTarget(target).ok()) << target;
  }
}

TEST(PercentEncoded, ComesBack) {
  const std::string odd = "a b/%?&=+#ä~";
  EXPECT_EQ(ParseTarget("/" + PercentEncoded(odd))->path, "/" + odd);
  EXPECT_EQ(PercentEncoded("a/b c", true), "a/b%20c");
}

TEST(Segments, AreThoseBetweenSlashes) {
  EXPECT_THAT(Segments("/a/b//c"), ElementsAre("a", "b", "", "c"));
  EXPECT_THAT(Segments("/"), ElementsAre(""));
}

}  // namespace
}  // namespace rankscope::http
