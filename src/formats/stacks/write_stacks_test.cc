#include "formats/stacks/write_stacks.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "json/reader.h"

namespace rankscope::stacks {
namespace {

Profile Program() {
  Profile profile;
  profile.names = {"main", R"(say "hi" \)", "launch", "kernel", "other: one"};
  profile.frames = {{Profile::kNoParent, 0, 70, 0},
                    {0, 1, 28, 0},
                    {1, 2, 2, 0},
                    {2, 3, 0, 7},
                    {Profile::kNoParent, 4, 5, 0}};
  return profile;
}

TEST(WriteStacks, Collapsed) {
  EXPECT_EQ(Write(Program(), Format::kCollapsed, Weight::kHost, 10, ""),
            "main 70\n"
            "main;say \"hi\" \\ 28\n"
            "main;say \"hi\" \\;launch 2\n"
            "other: one 5\n");
  EXPECT_EQ(Write(Program(), Format::kCollapsed, Weight::kDevice, 10, ""),
            "main;say \"hi\" \\;launch;kernel 7\n");
}

TEST(WriteStacks, BeyondTheLimitTheLeastBecomeOne) {
  EXPECT_EQ(Write(Program(), Format::kCollapsed, Weight::kHost, 2, ""),
            "main 70\nmain;say \"hi\" \\ 28\n(others) 7\n");
}

TEST(WriteStacks, SpeedscopeIsASampledProfile) {
  const std::string text = Write(Program(), Format::kSpeedscope, Weight::kHost, 3, "a \"title\"");
  const auto reader = json::Reader::Parse(text);
  ASSERT_TRUE(reader.ok());
  const json::Value file = reader->root();
  EXPECT_EQ(file["$schema"].Text(), "https://www.speedscope.app/file-format-schema.json");
  EXPECT_EQ(file["name"].Text(), "a \"title\"");
  const json::Value profile = file["profiles"].At(0);
  EXPECT_EQ(profile["type"].Text(), "sampled");
  EXPECT_EQ(profile["unit"].Text(), "nanoseconds");
  EXPECT_EQ(profile["startValue"].Integer(), 0);
  EXPECT_EQ(profile["endValue"].Integer(), 105);
  const json::Value frames = file["shared"]["frames"];
  std::string lines;
  std::size_t index = 0;
  for (const json::Value& sample : profile["samples"].Items()) {
    for (const json::Value& frame : sample.Items()) {
      const auto at = static_cast<std::size_t>(frame.IntegerOr(0));
      lines += frames.At(at)["name"].TextOr("") + ";";
    }
    lines += fmt::format(" {}\n", profile["weights"].At(index++).IntegerOr(-1));
  }
  EXPECT_EQ(lines, "main; 70\nmain;say \"hi\" \\; 28\nother: one; 5\n(others); 2\n");
}

TEST(WriteStacks, NothingIsAValidFile) {
  EXPECT_EQ(Write({}, Format::kCollapsed, Weight::kHost, 10, ""), "");
  const std::string text = Write({}, Format::kSpeedscope, Weight::kHost, 10, "");
  const auto reader = json::Reader::Parse(text);
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE(reader->root()["profiles"].At(0)["samples"].IsArray());
  EXPECT_EQ(reader->root()["profiles"].At(0)["samples"].Items().size(), 0U);
}

}  // namespace
}  // namespace rankscope::stacks
