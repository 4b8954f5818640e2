#include "tune/adapter/adapter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tune/adapter/built_in.h"
#include "tune/adapter/fill.h"

namespace rankscope::tune {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kText = R"(
name = "mine"
[values]
model = ""
size = "8B"
[trial]
start = ["serve", "${model}-${size}", "--port=${port}", "${settings}", "${arguments}"]
environment = {NAME = "${model}"}
[parameters.slots]
flag = "--slots"
scale = "log2"
least = 1
most = 64
default = 8
[parameters.cache]
choices = ["off", "on"]
flags = ["--no-cache", ""]
default = "on"
[parameters.share]
variable = "SHARE"
least = 0.8
most = 0.97
default = 0.9
resolution = 0.01
)";

Adapter Parsed(std::string_view text) {
  const Result<Adapter> adapter = ParseAdapter(text, "mine.toml", "/");
  EXPECT_TRUE(adapter.ok()) << adapter.status().message();
  return adapter.ok() ? *adapter : Adapter();
}

std::string WhyNot(const std::string& text) {
  const Result<Adapter> adapter = ParseAdapter(text, "mine.toml", "/");
  EXPECT_FALSE(adapter.ok());
  return adapter.ok() ? "" : adapter.status().message();
}

TEST(Adapter, WordsAreFilledWithValuesParametersAndArguments) {
  Adapter adapter = Parsed(kText);
  ASSERT_TRUE(SetInAdapter(adapter, "model=llama").ok());
  const Filling filling{.values = {{"port", "81"}}, .arguments = {"--more", "two words"}};
  // The file's order: slots, cache, share.
  const Point point = {16, 0, 0.93};
  EXPECT_THAT(FillWords(adapter, point, filling, adapter.trial->start).value(),
              ElementsAre("serve", "llama-8B", "--port=81", "--slots", "16", "--no-cache", "--more",
                          "two words"));
  EXPECT_THAT(
      FillWords(adapter, {16, 1, 0.93}, filling, adapter.trial->start).value(),
      ElementsAre("serve", "llama-8B", "--port=81", "--slots", "16", "--more", "two words"));
  EXPECT_EQ(FillText(adapter, point, filling, "S='${settings}' ${share} ${cache}").value(),
            "S='--slots 16 --no-cache' 0.93 off");
  const auto environment = FillEnvironment(adapter, point, filling).value();
  EXPECT_EQ(environment.at("NAME"), "llama");
  EXPECT_EQ(environment.at("SHARE"), "0.93");
}

TEST(Adapter, WhatAFilledTextHoldsIsNotFilledAgain) {
  Adapter adapter = Parsed(kText);
  ASSERT_TRUE(SetInAdapter(adapter, "model=${size} ${nothing}").ok());
  EXPECT_EQ(FillText(adapter, {8, 1, 0.9}, {}, "${model}").value(), "${size} ${nothing}");
}

TEST(Adapter, AValueThatIsMissingIsAskedFor) {
  const Adapter adapter = Parsed(kText);
  const auto words = FillWords(adapter, {8, 1, 0.9}, {}, adapter.trial->start);
  ASSERT_FALSE(words.ok());
  EXPECT_THAT(words.status().message(), HasSubstr("--set model=VALUE"));
}

TEST(Adapter, DefaultsCanBeWhatRunsNow) {
  Adapter adapter = Parsed(kText);
  ASSERT_TRUE(SetInAdapter(adapter, "slots=32").ok());
  ASSERT_TRUE(SetInAdapter(adapter, "cache=off").ok());
  EXPECT_EQ(SpaceOf(adapter)->Standard(), (Point{32, 0, 0.9}));
  EXPECT_FALSE(SetInAdapter(adapter, "cache=maybe").ok());
  EXPECT_FALSE(SetInAdapter(adapter, "slots=many").ok());
  EXPECT_FALSE(SetInAdapter(adapter, "slot=3").ok());
  ASSERT_TRUE(SetInAdapter(adapter, "slots=100").ok());
  EXPECT_FALSE(SpaceOf(adapter).ok());
}

TEST(Adapter, ErrorsNameTheLineAndTheRemedy) {
  const std::string text(kText);
  const auto with = [&](std::string_view part, std::string_view other) {
    std::string changed = text;
    changed.replace(changed.find(part), part.size(), other);
    return changed;
  };
  EXPECT_THAT(WhyNot(with("scale =", "scael =")), HasSubstr("line 11: parameters.slots.scael"));
  EXPECT_THAT(WhyNot(with("\"log2\"", "\"cubic\"")), HasSubstr("scale is linear or log2"));
  EXPECT_THAT(WhyNot(with("${size}", "${sise}")), HasSubstr("did you mean ${size}?"));
  EXPECT_THAT(WhyNot(with("\"${settings}\", ", "")), HasSubstr("never tells the server of"));
  EXPECT_THAT(WhyNot(with("default = \"on\"", "default = \"no\"")),
              HasSubstr("one of its choices"));
  EXPECT_THAT(WhyNot(with("size = ", "url = ")), HasSubstr("a name of rankscope's own"));
  // Keys that are none.
  EXPECT_THAT(WhyNot("[!]\n"), HasSubstr("line 1"));
  EXPECT_THAT(WhyNot("a.=1\n"), HasSubstr("line 1"));
  EXPECT_THAT(WhyNot(with("\"--no-cache\", ", "")), HasSubstr("as many flags as choices"));
}

TEST(BuiltInAdapters, AreAdaptersThatNeedNothingButTheirValues) {
  for (const BuiltInAdapter& one : BuiltInAdapters()) {
    Adapter adapter = Parsed(one.text);
    EXPECT_EQ(adapter.name, one.name);
    for (auto& [name, value] : adapter.values)
      if (value.empty()) value = "given";
    const Filling filling{.values = {{"port", "1"}, {"url", "u"}, {"rankscope", "r"}}};
    const Point standard = SpaceOf(adapter)->Standard();
    EXPECT_TRUE(FillWords(adapter, standard, filling, adapter.trial->start).ok()) << one.name;
    EXPECT_TRUE(FillWords(adapter, standard, filling, adapter.trial->live).ok()) << one.name;
  }
}

}  // namespace
}  // namespace rankscope::tune
