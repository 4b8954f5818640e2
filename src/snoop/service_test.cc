#include "snoop/service.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "json/fields.h"

namespace rankscope::snoop {
namespace {

using snoop_file::WindowRequest;
using ::testing::HasSubstr;

std::string Words(const WindowRequest& request) {
  return fmt::format("{}", fmt::join(WordsFor(request), " "));
}

TEST(Service, MakesAWindowByTheCommand) {
  EXPECT_EQ(Words({.pid = 7, .milliseconds = 1500}),
            "snoop --pid 7 --seconds 1.500 --max-overhead 5 --format json --max-events-per-second "
            "20000 --what memory,launches");
  EXPECT_EQ(Words({.pid = 7, .launches = false, .stacks = false, .max_events_per_second = 5}),
            "snoop --pid 7 --seconds 10.000 --max-overhead 5 --format json --no-stacks "
            "--max-events-per-second 5 --what memory");
  EXPECT_EQ(Words({.what = "offcpu", .pid = 7, .milliseconds = 100, .max_overhead_percent = 20}),
            "offcpu --pid 7 --seconds 0.100 --max-overhead 20 --format json");
}

TEST(Service, RefusesWhatIsOutOfBounds) {
  const auto why = [](std::string_view text) {
    return std::string(json::FromJson<WindowRequest>(text).status().message());
  };
  EXPECT_EQ(why(R"({"pid":7})"), "");
  EXPECT_THAT(why("{}"), HasSubstr("pid: is missing"));
  EXPECT_THAT(why(R"({"pid":0})"), HasSubstr("from 1"));
  EXPECT_THAT(why(R"({"pid":7,"what":"exec"})"), HasSubstr("'snoop', 'offcpu'"));
  EXPECT_THAT(why(R"({"pid":7,"milliseconds":600001})"), HasSubstr("from 100 to 600000"));
  EXPECT_THAT(why(R"({"pid":7,"file":"/etc/shadow"})"), HasSubstr("is not known here"));
  EXPECT_NE(why(""), "");
}

TEST(Service, IsAskedByOneUserAndRoot) {
  EXPECT_TRUE(MayAsk(0, "nobody-of-this-name"));
  EXPECT_FALSE(MayAsk(1000, "nobody-of-this-name"));
  EXPECT_TRUE(MayAsk(1000, "1000"));
  EXPECT_FALSE(MayAsk(1001, "1000"));
  EXPECT_EQ(UserOf("root"), uid_t{0});
  EXPECT_EQ(UserOf(""), std::nullopt);
}

TEST(Service, LooksAtWhatUsesAnAcceleratorAlone) {
  EXPECT_THAT(WhyNot(getpid(), {}), HasSubstr("has mapped none of libcudart"));
  EXPECT_THAT(WhyNot(4'194'303, {}), HasSubstr("there is no process 4194303"));
}

}  // namespace
}  // namespace rankscope::snoop
