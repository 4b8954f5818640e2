// Scrapes of serving programs: what a setting names, what is kept, and what a capture gets of it.
#include "agent/serving_pages.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ServingPages, AreNamedByTheirAddressOrByTheirUser) {
  const auto plain = ParseServingPage("http://127.0.0.1:8000/metrics");
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->instance, "127.0.0.1:8000");
  EXPECT_EQ(plain->address.target, "/metrics");
  const auto named = ParseServingPage("chat-1=http://127.0.0.1:8000/m?a=b");
  ASSERT_TRUE(named.ok());
  EXPECT_EQ(named->instance, "chat-1");
  EXPECT_EQ(named->address.target, "/m?a=b");
  EXPECT_FALSE(ParseServingPage("a b=http://127.0.0.1:8000").ok());
  EXPECT_FALSE(ParseServingPage("chat").ok());
  const auto twice = ParseServingPages({"a=http://127.0.0.1:1", "a=http://127.0.0.1:2"});
  EXPECT_THAT(twice.status().message(), HasSubstr("there is an instance a already"));
}

TEST(ServingPages, KeepWhatWasSaidUpToTheirBytes) {
  std::int64_t now_us = 0;
  int asked = 0;
  ServingPages pages(
      ParseServingPages({"a=http://127.0.0.1:1", "b=http://127.0.0.1:2"}).value(),
      std::chrono::seconds(5), 20,
      [&] {
        return Now{0, now_us};
      },
      [&](std::size_t page) -> Result<std::string> {
        if (page == 1 && asked > 2) return Error(StatusCode::kIo, "gone");
        return fmt::format("m {}{}", ++asked, page == 1 ? "\n" : "");
      });
  const std::vector<Source> sources = pages.Sources();
  ASSERT_EQ(sources.size(), 2u);
  EXPECT_EQ(sources[0].name, "serving a");
  Readings readings;
  for (now_us = 1'000'000; now_us <= 3'000'000; now_us += 1'000'000) {
    EXPECT_TRUE(sources[0].read("", readings).ok());
    EXPECT_EQ(sources[1].read("", readings).ok(), now_us == 1'000'000);
  }
  // Of what was asked, "m 1", "m 2", "m 3", "m 4" in 13 bytes: all of it is there.
  auto all = pages.Between(0, 9'000'000);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].text,
            "# scraped_at 1000000\n# instance a\nm 1\n# scraped_at 2000000\n# instance a\nm 3\n"
            "# scraped_at 3000000\n# instance a\nm 4\n");
  EXPECT_EQ(all[1].text, "# scraped_at 1000000\n# instance b\nm 2\n");
  // A window has what was scraped in it.
  all = pages.Between(1'500'000, 2'500'000);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_THAT(all[0].text, HasSubstr("m 3"));
  // Three more are over 20 bytes: the oldest go.
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(sources[0].read("", readings).ok());
  all = pages.Between(0, 9'000'000);
  EXPECT_THAT(all[0].text, Not(HasSubstr("m 1\n")));
  EXPECT_THAT(all[0].text, HasSubstr("m 7\n"));
}

}  // namespace
}  // namespace rankscope::agent
