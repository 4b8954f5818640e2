#include "timeline/name_filter.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

bool Matches(NameMatch match, std::string_view text, std::string_view name) {
  return NameFilter::Make(match, text)->Matches(name);
}

TEST(NameFilter, MatchesPartsWholesAndPatterns) {
  EXPECT_TRUE(Matches(NameMatch::kPart, "NCCL", "ncclKernel"));
  EXPECT_FALSE(Matches(NameMatch::kPart, "ncclx", "ncclKernel"));
  EXPECT_TRUE(Matches(NameMatch::kWhole, "aten::mm", "aten::mm"));
  EXPECT_FALSE(Matches(NameMatch::kWhole, "aten::mm", "aten::mm_out"));
  EXPECT_FALSE(Matches(NameMatch::kWhole, "aten::MM", "aten::mm"));
  EXPECT_TRUE(Matches(NameMatch::kPattern, "^aten::(mm|addmm)$", "aten::addmm"));
  EXPECT_FALSE(Matches(NameMatch::kPattern, "^aten::(mm|addmm)$", "aten::mm_out"));
  EXPECT_TRUE(Matches(NameMatch::kPattern, "GEMM.*_tn", "ampere_gemm_bf16_tn"));
  EXPECT_TRUE(Matches(NameMatch::kPattern, "a\\{b", "a{b"));
}

TEST(NameFilter, RefusesWhatIsNoPatternOrCostsTooMuch) {
  const auto refusal = [](std::string_view text) {
    return NameFilter::Make(NameMatch::kPattern, text).status().message();
  };
  EXPECT_NE(refusal("a(b").find("no regular expression"), std::string::npos);
  EXPECT_NE(refusal("(a{99}){99}").find("count"), std::string::npos);
  EXPECT_NE(refusal("(a)\\1").find("back reference"), std::string::npos);
  EXPECT_NE(refusal(std::string(201, 'a')).find("200"), std::string::npos);
  EXPECT_FALSE(NameMatchOf("all").ok());
}

// Nested repeats and long names are what makes other matchers take for ever or overflow the stack.
TEST(NameFilter, TakesNoLongerForHostilePatterns) {
  const std::string name(1'000'000, 'a');
  EXPECT_FALSE(Matches(NameMatch::kPattern, "(a*)*b", name));
  EXPECT_FALSE(Matches(NameMatch::kPattern, "(a|a)*(a|aa)*b$", name));
}

}  // namespace
}  // namespace rankscope
