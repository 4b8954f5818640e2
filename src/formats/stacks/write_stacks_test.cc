#include "formats/stacks/write_stacks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "trace/trace_for_test.h"

namespace rankscope::stacks {
namespace {

StackTree Tree() {
  TestTrace test;
  test.Op("main", 0, 100);
  test.Op("say \"hi\" \\", 10, 30);
  test.Call("launch", 15, 2, 1);
  test.Kernel(60, 7, 1);
  test.Op("other; one", 200, 5);
  const RankTrace trace = test.Finish();
  const auto always = [](Row) { return true; };
  return StackTree(trace, always, StackWork::kAsOwnFrame, always);
}

TEST(WriteStacks, Collapsed) {
  EXPECT_EQ(Write(Tree(), Format::kCollapsed, Weight::kHost, 10, ""),
            "main 70\n"
            "main;say \"hi\" \\ 28\n"
            "main;say \"hi\" \\;launch 2\n"
            "other: one 5\n");
  EXPECT_EQ(Write(Tree(), Format::kCollapsed, Weight::kDevice, 10, ""),
            "main;say \"hi\" \\;launch;kernel 7\n");
}

TEST(WriteStacks, BeyondTheLimitTheLeastBecomeOne) {
  EXPECT_EQ(Write(Tree(), Format::kCollapsed, Weight::kHost, 2, ""),
            "main 70\nmain;say \"hi\" \\ 28\n(others) 7\n");
}

TEST(WriteStacks, SpeedscopeIsASampledProfile) {
  const std::string text = Write(Tree(), Format::kSpeedscope, Weight::kHost, 3, "a \"title\"");
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
  const RankTrace trace = TestTrace().Finish();
  const auto always = [](Row) { return true; };
  const StackTree tree(trace, always, StackWork::kAtCall, always);
  EXPECT_EQ(Write(tree, Format::kCollapsed, Weight::kHost, 10, ""), "");
  simdjson::dom::parser parser;
  const std::string text = Write(tree, Format::kSpeedscope, Weight::kHost, 10, "");
  EXPECT_EQ(parser.parse(text)["profiles"].at(0)["samples"].get_array().value().size(), 0U);
}

}  // namespace
}  // namespace rankscope::stacks
