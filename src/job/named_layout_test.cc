#include "job/named_layout.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>

namespace rankscope {
namespace {

using Found = std::vector<NumberInName>;
using Names = std::vector<std::vector<std::string>>;

TEST(NumbersInName, WordsAndNumbers) {
  EXPECT_EQ(NumbersInName("ep64_tp1.json.gz"),
            (Found{{Dimension::kExpert, 64}, {Dimension::kTensor, 1}}));
  EXPECT_EQ(NumbersInName("TP=2-PP=4,dp-8"),
            (Found{{Dimension::kTensor, 2}, {Dimension::kPipeline, 4}, {Dimension::kData, 8}}));
  EXPECT_EQ(NumbersInName("VLLM::Worker_TP1"), (Found{{Dimension::kTensor, 1}}));
  EXPECT_EQ(NumbersInName("tp2pp4"), (Found{{Dimension::kTensor, 2}, {Dimension::kPipeline, 4}}));
}

TEST(NumbersInName, OtherWords) {
  EXPECT_EQ(NumbersInName(""), Found{});
  EXPECT_EQ(NumbersInName("http8080 step4 rank3.pt.trace.json"), Found{});
  EXPECT_EQ(NumbersInName("tp_rank0 dp"), Found{});
  EXPECT_EQ(NumbersInName("tp99999999"), Found{});
  EXPECT_EQ(NumbersInName("llama_tp_7b"), Found{});
  EXPECT_EQ(NumbersInName("tp2 tp4"), (Found{{Dimension::kTensor, 2}})) << "the first counts";
}

// A job of which nothing is known but `rest`, what is left for data parallelism, if not 1.
JobLayout Unknown(std::size_t seen, std::int64_t ranks, std::int64_t rest = 1) {
  JobLayout layout;
  RoleLayout role{.role = RankRole::kTrainer, .dimensions = {}, .seen = 0, .ranks = ranks};
  role.seen = static_cast<std::int64_t>(seen);
  if (rest > 1) {
    DimensionFit& data = role.dimensions[static_cast<std::size_t>(Dimension::kData)];
    data.degree = rest;
    data.source = LayoutSource::kRest;
  }
  layout.roles.push_back(role);
  layout.places.assign(seen, {RankRole::kTrainer, {0, 0, 0, 0, 0}});
  return layout;
}

// "tp=2 guess@0,1 ..." of what has a degree above 1.
std::string TextOf(const JobLayout& layout) {
  std::string text;
  for (const Dimension dimension : {Dimension::kTensor, Dimension::kContext, Dimension::kExpert,
                                    Dimension::kPipeline, Dimension::kData}) {
    const DimensionFit& fit = layout.roles.front().Of(dimension);
    if (fit.degree == 1) continue;
    text += std::string(ToString(dimension)) + "=" + std::to_string(fit.degree) + " " +
            std::string(ToString(fit.source)) + "@";
    for (const RankPlace& place : layout.places) text += std::to_string(place.Of(dimension)) + ",";
    text += " ";
  }
  return text;
}

TEST(WithGuesses, DegreesWhereAllNamesSayTheSame) {
  const JobLayout layout = WithGuesses(Unknown(1, 64, 64), Names{{"ep64_tp1.json"}}, 64);
  EXPECT_EQ(TextOf(layout), "ep=64 guess@-1, dp=64 rest@0, ");
  EXPECT_EQ(layout.roles.front().Of(Dimension::kExpert).confidence, 0.3);
  JobLayout sure = Unknown(1, 1);
  sure.roles.front().dimensions[0].confidence = 0.9;  // tp, absent
  EXPECT_EQ(WithGuesses(sure, Names{{"ep64"}}, -1).roles.front().Of(Dimension::kTensor).confidence,
            0.5);
}

TEST(WithGuesses, CoordinatesWhereNamesDiffer) {
  const Names names = {{"a.json", "worker_TP0"}, {"b.json", "worker_TP1"}};
  EXPECT_EQ(TextOf(WithGuesses(Unknown(2, 2, 2), names, 2)), "tp=2 guess@0,1, ");
  EXPECT_EQ(TextOf(WithGuesses(Unknown(2, 4, 4), names, 4)), "tp=2 guess@0,1, dp=2 rest@-1,-1, ");
}

TEST(WithGuesses, WhatIsKnownOrContradictsIsLeft) {
  const Names names = {{"tp2"}, {"tp2"}};
  JobLayout known = Unknown(2, 2);
  DimensionFit& pipeline =
      known.roles.front().dimensions[static_cast<std::size_t>(Dimension::kPipeline)];
  pipeline.degree = 2;
  pipeline.source = LayoutSource::kTraffic;
  EXPECT_EQ(TextOf(WithGuesses(known, names, 2)), TextOf(known)) << "4 of 2 ranks";
  EXPECT_EQ(TextOf(WithGuesses(Unknown(2, 2, 2), Names{{"tp3"}, {"tp3"}}, 2)), "dp=2 rest@0,0, ");
  EXPECT_EQ(TextOf(WithGuesses(Unknown(2, 2, 2), Names{{"tp2"}, {}}, 2)), "dp=2 rest@0,0, ")
      << "not all ranks say so";
  EXPECT_EQ(TextOf(WithGuesses(Unknown(2, 2), Names{{"tp0"}, {"tp0"}}, -1)), "");
}

TEST(WithGuesses, NothingContradictsWhereTheNumberOfRanksIsNotStated) {
  EXPECT_EQ(TextOf(WithGuesses(Unknown(1, 1), Names{{"tp4_pp2"}}, -1)),
            "tp=4 guess@-1, pp=2 guess@-1, ");
  EXPECT_EQ(TextOf(WithGuesses(Unknown(2, 2, 2), Names{{"tp4"}, {"tp4"}}, -1)),
            "tp=4 guess@-1,-1, ");
}

}  // namespace
}  // namespace rankscope
