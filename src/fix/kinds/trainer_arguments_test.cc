#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fix/patches_for_test.h"

namespace rankscope::fix {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Asked ForTrainerArguments(std::string finding) {
  return {.kind = "trainer-arguments", .finding = std::move(finding)};
}

constexpr std::string_view kPlain =
    "from transformers import TrainingArguments\nargs = TrainingArguments(output_dir=out)\n";

std::string Added(std::string_view what) {
  return "-args = TrainingArguments(output_dir=out)\n+args = TrainingArguments(output_dir=out, " +
         std::string(what) + ")\n";
}

TEST(TrainerArguments, ByFinding) {
  EXPECT_EQ(Changes(ForTrainerArguments("data-starvation"), kPlain),
            Added("dataloader_num_workers=4, dataloader_prefetch_factor=4, "
                  "dataloader_persistent_workers=True"));
  EXPECT_EQ(Changes(ForTrainerArguments("no-tensor-cores"), kPlain), Added("bf16=True, tf32=True"));
  EXPECT_EQ(Changes(ForTrainerArguments("launch-bound"), kPlain), Added("torch_compile=True"));
  EXPECT_EQ(Changes(ForTrainerArguments("unfused-optimizer"), kPlain),
            Added("optim=\"adamw_torch_fused\""));
}

TEST(TrainerArguments, InPlaceOfOthers) {
  EXPECT_EQ(Changes(ForTrainerArguments("unfused-optimizer"), R"(import transformers
args = transformers.Seq2SeqTrainingArguments(
    "out",
    optim="adamw_torch",
)
)"),
            R"(-    optim="adamw_torch",
+    optim="adamw_torch_fused",
)");
  EXPECT_EQ(Changes(ForTrainerArguments("unused-parameters"), R"(import transformers as hf
args = hf.TrainingArguments("out", ddp_find_unused_parameters=True)
)"),
            R"(-args = hf.TrainingArguments("out", ddp_find_unused_parameters=True)
+args = hf.TrainingArguments("out", ddp_find_unused_parameters=False)
)");
  EXPECT_EQ(Changes(ForTrainerArguments("pageable-copy"),
                    "from transformers import TrainingArguments as A\na = A('o', "
                    "dataloader_pin_memory=False)\n"),
            "-a = A('o', dataloader_pin_memory=False)\n+a = A('o', dataloader_pin_memory=True)\n");
}

TEST(TrainerArguments, NotOnDevicesWithoutTheTypes) {
  EXPECT_EQ(Changes({.kind = "trainer-arguments",
                     .finding = "no-tensor-cores",
                     .device = {.name = "Tesla V100", .has_bf16 = false, .has_tf32 = false}},
                    kPlain),
            "");
}

TEST(TrainerArguments, NotOnTheCpu) {
  for (const char* argument : {"use_cpu=True", "no_cuda=True"})
    EXPECT_THAT(LeftFor(ForTrainerArguments("no-tensor-cores"),
                        "from transformers import TrainingArguments as A\na = A('o', " +
                            std::string(argument) + ")\n"),
                ElementsAre(HasSubstr("2: it is told to compute on the CPU")));
}

TEST(TrainerArguments, NotBesideAnotherType) {
  EXPECT_EQ(
      Changes(
          ForTrainerArguments("no-tensor-cores"),
          "from transformers import TrainingArguments as A\na = A('o', fp16=True, tf32=True)\n"),
      "");
}

TEST(TrainerArguments, NotOfAClassOfTheProgram) {
  EXPECT_EQ(
      Changes(ForTrainerArguments("launch-bound"), R"(from transformers import TrainingArguments
class MyArguments(TrainingArguments):
    pass
args = MyArguments("out")
)"),
      "");
}

TEST(TrainerArguments, NotWhereArgumentsComeFromElsewhere) {
  EXPECT_THAT(
      LeftFor(ForTrainerArguments("launch-bound"),
              "from transformers import TrainingArguments\na = TrainingArguments(**config)\n"),
      ElementsAre(HasSubstr("2: arguments of TrainingArguments come from elsewhere")));
}

TEST(TrainerArguments, NotWhereTheyAreChosen) {
  EXPECT_EQ(
      Changes(ForTrainerArguments("launch-bound"),
              "from transformers import TrainingArguments as A\na = A('o', torch_compile=flag)\n"),
      "");
}

}  // namespace
}  // namespace rankscope::fix
