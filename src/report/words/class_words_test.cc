#include "report/words/class_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/base/report_for_test.h"
#include "report/html/html_report.h"
#include "report/text/text_report.h"

namespace rankscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Kernel {
  std::string_view name, kernel_class, work;
  std::int64_t total_ns;
};

Report WithClassWords(const std::vector<Kernel>& kernels) {
  const auto& columns = SchemaOf<KernelsByName>();
  auto table = columns.NewTable("kernels_by_name");
  for (const Kernel& kernel : kernels) {
    table.Add({columns.name = kernel.name, columns.class_ = kernel.kernel_class,
               columns.work = kernel.work, columns.count = 1, columns.total_ns = kernel.total_ns});
  }
  Report report;
  report.ranks = {0};
  report.tables = {table};
  return report;
}

// 300 of 1,000 ns that compute; what communicates and copies is not part of them.
const std::vector<Kernel> kThirty = {
    {"ncclDevKernel_AllReduce", "nccl", "communication", 5'000},
    {"ampere_sgemm", "gemm", "compute", 700},
    {"void mine::ring<float, 4>(float*)", "other", "compute", 200},
    {"Memcpy HtoD", "memory", "copy", 150},
    {"second", "other", "compute", 60},
    {"third", "other", "compute", 30},
    {"fourth", "other", "compute", 10},
};

TEST(UnknownKernels, NamesTheLargestAndTheRemedy) {
  EXPECT_THAT(
      DescribeUnknownKernels(WithClassWords(kThirty)),
      ElementsAre("30.0% of the time of computing kernels is of no known class: mine::ring<float, "
                  "4> 20.0%, second 6.0%, third 3.0%; --kernel-classes FILE says what they are, in "
                  "lines such as: gemm mine::ring (all classes: rankscope list kernel_classes)"));
}

TEST(UnknownKernels, AreSaidFromATenthOn) {
  EXPECT_THAT(DescribeUnknownKernels(WithClassWords(
                  {{"a_gemm", "gemm", "compute", 900}, {"x", "other", "compute", 100}})),
              ElementsAre(HasSubstr("10.0% of")));
  EXPECT_THAT(DescribeUnknownKernels(WithClassWords(
                  {{"a_gemm", "gemm", "compute", 901}, {"x", "other", "compute", 99}})),
              IsEmpty());
  EXPECT_THAT(DescribeUnknownKernels(WithClassWords({{"nccl", "nccl", "communication", 9}})),
              IsEmpty());
  EXPECT_THAT(DescribeUnknownKernels({}), IsEmpty());
}

TEST(UnknownKernels, AnExampleIsAPatternThatALineTakes) {
  const auto example_of = [](std::string_view name) {
    return DescribeUnknownKernels(WithClassWords({{name, "other", "compute", 1}})).at(0);
  };
  EXPECT_THAT(example_of("void (anonymous namespace)::scan<int>(int*)"), HasSubstr("gemm scan ("));
  EXPECT_THAT(example_of("merge"), HasSubstr("gemm merge ("));
  EXPECT_THAT(example_of("two words"), HasSubstr("gemm two ("));
  EXPECT_THAT(example_of("<lambda>"), HasSubstr("gemm part_of_the_name ("));
  EXPECT_THAT(example_of("\x1b[2Jred"), Not(HasSubstr("\x1b")));
}

TEST(UnknownKernels, StandInEveryReport) {
  const std::string said = "30.0% of the time of computing kernels is of no known class";
  EXPECT_THAT(WriteHtmlReport(WithClassWords(kThirty)),
              HasSubstr("\"unknown_kernels\":[\"" + said));
  Report report = report_for_test::WithoutFinding();
  EXPECT_THAT(WriteTextReport(report, {}), Not(HasSubstr("of no known class")));
  report_for_test::Get(report, "kernels_by_name") = WithClassWords(kThirty).tables.front();
  EXPECT_THAT(WriteTextReport(report, {}), HasSubstr(said)) << "the first screen";
  EXPECT_THAT(WriteTextReport(report, {.full = true}), HasSubstr(said));
}

}  // namespace
}  // namespace rankscope
