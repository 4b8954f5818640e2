#include "hta/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::hta {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Options, PythonsSpellingOfFlags) {
  EXPECT_TRUE(FlagOf({{"use_gpu_annotation", "True"}}, "use_gpu_annotation"));
  EXPECT_TRUE(FlagOf({{"use_gpu_annotation", "true"}}, "use_gpu_annotation"));
  EXPECT_FALSE(FlagOf({{"use_gpu_annotation", "False"}}, "use_gpu_annotation"));
}

TEST(Options, Lists) {
  EXPECT_THAT(NumbersOf({{"ranks", "0,12"}}, "ranks"), ElementsAre(0, 12));
  EXPECT_TRUE(NumbersOf({{"ranks", ""}}, "ranks").empty());
  EXPECT_THAT(TextsOf({{"allowlist_patterns", "a b,c"}}, "allowlist_patterns"),
              ElementsAre("a b", "c"));
}

TEST(Options, Instances) {
  EXPECT_EQ(InstancesOf({{"instance_id", "3"}}, "instance_id"), (InstanceRange{3, 3}));
  EXPECT_EQ(InstancesOf({{"instance_id", "(1, 4)"}}, "instance_id"), (InstanceRange{1, 4}));
  EXPECT_EQ(InstancesOf({{"instance_id", "(0,0)"}}, "instance_id"), (InstanceRange{0, 0}));
}

TEST(Options, EveryDefaultIsValid) {
  Options defaults;
  for (const OptionSpec& option :
       {IncludeLastProfilerStep(), Ranks(), Streams(), DurationRatio(), NumKernels("10"),
        IncludeMemoryKernels(), IncludeMemoryEvents(), ConsecutiveKernelDelay(), MaxQueueLength(),
        UseGpuAnnotation(), AllowlistPatterns(), Annotation(), InstanceId(), Rank()}) {
    defaults[option.name] = option.default_value;
  }
  EXPECT_EQ(CheckOptions(defaults).message(), "");
}

TEST(Options, OneSentenceSaysWhatIsWrong) {
  const std::pair<const char*, const char*> kWrong[] = {
      {"include_memory_kernels", "yes"},
      {"num_kernels", "-1"},
      {"num_kernels", "many"},
      {"duration_ratio", "1.5"},
      {"duration_ratio", ""},
      {"duration_ratio", "nan"},
      {"ranks", "0,x"},
      {"streams", "7,,8"},
      {"max_queue_length", "1e3"},
      {"instance_id", ""},
      {"instance_id", "-1"},
      {"instance_id", "(1)"},
      {"instance_id", "(0, 1, 2)"},
      {"instance_id", "(2, 1)"},
      {"rank", "first"},
  };
  for (const auto& [name, value] : kWrong) {
    const Status status = CheckOptions({{name, value}});
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << name << " " << value;
    EXPECT_THAT(status.message(), HasSubstr(name));
    EXPECT_THAT(status.message(), HasSubstr("'" + std::string(value) + "'"));
  }
}

}  // namespace
}  // namespace rankscope::hta
