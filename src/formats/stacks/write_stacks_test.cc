#include "formats/stacks/write_stacks.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <simdjson.h>

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
  simdjson::dom::parser parser;
  const simdjson::dom::element file = parser.parse(text).value();
  EXPECT_EQ(file["$schema"].get_string().value(),
            "https://www.speedscope.app/file-format-schema.json");
  EXPECT_EQ(file["name"].get_string().value(), "a \"title\"");
  const simdjson::dom::element profile = file["profiles"].at(0).value();
  EXPECT_EQ(profile["type"].get_string().value(), "sampled");
  EXPECT_EQ(profile["unit"].get_string().value(), "nanoseconds");
  EXPECT_EQ(profile["startValue"].get_int64().value(), 0);
  EXPECT_EQ(profile["endValue"].get_int64().value(), 105);
  const simdjson::dom::array frames = file["shared"]["frames"].get_array().value();
  std::string lines;
  std::size_t index = 0;
  const simdjson::dom::array samples = profile["samples"].get_array().value();
  for (const simdjson::dom::element sample : samples) {
    const simdjson::dom::array stack = sample.get_array().value();
    for (const simdjson::dom::element frame : stack) {
      const auto at = static_cast<std::size_t>(frame.get_int64().value());
      lines += std::string(frames.at(at)["name"].get_string().value()) + ";";
    }
    lines += fmt::format(" {}\n", profile["weights"].at(index++).get_int64().value());
  }
  EXPECT_EQ(lines, "main; 70\nmain;say \"hi\" \\; 28\nother: one; 5\n(others); 2\n");
}

TEST(WriteStacks, NothingIsAValidFile) {
  EXPECT_EQ(Write({}, Format::kCollapsed, Weight::kHost, 10, ""), "");
  simdjson::dom::parser parser;
  const std::string text = Write({}, Format::kSpeedscope, Weight::kHost, 10, "");
  EXPECT_EQ(parser.parse(text)["profiles"].at(0)["samples"].get_array().value().size(), 0U);
}

}  // namespace
}  // namespace rankscope::stacks
