#include "facts/kernel_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using enum KernelClass;

KernelRules Parsed(std::string_view text) {
  Result<KernelRules> rules = KernelRules::Parse(text, "classes.txt");
  EXPECT_TRUE(rules.ok()) << rules.status().message();
  return rules.ok() ? *rules : KernelRules();
}

std::string ErrorOf(std::string_view text) {
  const Result<KernelRules> rules = KernelRules::Parse(text, "classes.txt");
  return rules.ok() ? "" : std::string(rules.status().message());
}

TEST(KernelRules, OnesOwnComeBeforeTheBuiltInOnes) {
  const KernelRules rules = Parsed(
      "# What our kernels are for.\n"
      "other_communication  My_Exchange\t^ring_\r\n"
      "\n"
      "attention my_gemm_attention # not a gemm\n"
      "gemm my_ fbgemm_gpu::odd memcpy_of_ours");
  EXPECT_EQ(rules.ClassOf("void ns::my_exchange<4>(int)", false), kOtherCommunication);
  EXPECT_EQ(rules.ClassOf("void RING_kernel(int)", false), kOtherCommunication);
  EXPECT_EQ(rules.ClassOf("spring_kernel", false), kOther) << "^ is the begin";
  EXPECT_EQ(rules.ClassOf("my_gemm_attention", false), kAttention) << "the first that fits";
  EXPECT_EQ(rules.ClassOf("my_elementwise", false), kGemm);
  EXPECT_EQ(rules.ClassOf("void fbgemm_gpu::odd_one(int)", false), kGemm);
  EXPECT_EQ(rules.ClassOf("memcpy_of_ours", false), kGemm);
  EXPECT_EQ(rules.ClassOf("ampere_sgemm", false), kGemm) << "the built-in ones are still there";
  EXPECT_EQ(rules.ClassOf("another", false), kOther);
}

TEST(KernelRules, NcclOfOnesOwnIsRcclOnAmd) {
  EXPECT_EQ(Parsed("nccl mine").ClassOf("mine", true), kRccl);
  EXPECT_EQ(Parsed("nccl mine").ClassOf("mine", false), kNccl);
}

TEST(KernelRules, TheirTextTellsThemApart) {
  EXPECT_EQ(KernelRules().OwnRules(), "");
  EXPECT_EQ(Parsed("").OwnRules(), "");
  EXPECT_EQ(Parsed("# nothing\n\n").OwnRules(), "");
  EXPECT_EQ(Parsed(" gemm\tA b#c\r\n# x\ntriton ^d").OwnRules(), "gemm a b\ntriton ^d\n");
}

TEST(KernelRules, ABadLineIsSaidWithItsRemedy) {
  EXPECT_THAT(ErrorOf("gemm a\n\natention my_flash\n"),
              AllOf(HasSubstr("classes.txt, line 3: there is no kernel class 'atention'; did you "
                              "mean attention?"),
                    HasSubstr("a line is CLASS PATTERN..."), HasSubstr("gemm, convolution,")));
  EXPECT_THAT(ErrorOf("xyzzy a"), AllOf(HasSubstr("'xyzzy'; a line is"), Not(HasSubstr("mean"))));
  EXPECT_EQ(ErrorOf("gemm # all of them"),
            "classes.txt, line 1: class gemm has no pattern; a line is CLASS PATTERN..., such as: "
            "gemm part_of_its_name ^begin_of_its_name");
  EXPECT_THAT(ErrorOf("gemm ^"), HasSubstr("classes.txt, line 1: ^ alone fits every kernel"));
  // A trace in the place of the file.
  EXPECT_THAT(ErrorOf(std::string(100'000, '{')),
              AllOf(HasSubstr("{{{...'"), Not(HasSubstr(std::string(41, '{')))));
}

}  // namespace
}  // namespace rankscope
