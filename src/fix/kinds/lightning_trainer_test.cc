#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fix/patches_for_test.h"

namespace rankscope::fix {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Asked kLightningTrainerAsked{.kind = "lightning-trainer", .finding = "no-tensor-cores"};

TEST(LightningTrainer, InBfloat16) {
  EXPECT_EQ(
      Changes(kLightningTrainerAsked, "import lightning as L\ntrainer = L.Trainer(max_epochs=3)\n"),
      "-trainer = L.Trainer(max_epochs=3)\n+trainer = L.Trainer(max_epochs=3, "
      "precision=\"bf16-mixed\")\n");
  EXPECT_EQ(Changes(kLightningTrainerAsked,
                    "from pytorch_lightning import Trainer\ntrainer = Trainer(precision=32)\n"),
            "-trainer = Trainer(precision=32)\n+trainer = Trainer(precision=\"bf16-mixed\")\n");
  EXPECT_EQ(
      Changes(kLightningTrainerAsked, "import lightning.pytorch as pl\ntrainer = pl.Trainer()\n"),
      "-trainer = pl.Trainer()\n+trainer = pl.Trainer(precision=\"bf16-mixed\")\n");
}

TEST(LightningTrainer, WithoutTheSearchForNan) {
  EXPECT_EQ(
      Changes({.kind = "lightning-trainer", .finding = "nan-checks"},
              "import lightning as L\ntrainer = L.Trainer(devices=8, detect_anomaly=True)\n"),
      "-trainer = L.Trainer(devices=8, detect_anomaly=True)\n+trainer = L.Trainer(devices=8)\n");
}

TEST(LightningTrainer, NotWhereItIsChosen) {
  for (const char* precision : {"\"16-mixed\"", "16", "\"bf16-true\"", "args.precision"})
    EXPECT_EQ(Changes(kLightningTrainerAsked, "import lightning as L\nt = L.Trainer(precision=" +
                                                  std::string(precision) + ")\n"),
              "");
}

TEST(LightningTrainer, NotOnDevicesWithoutBfloat16) {
  EXPECT_EQ(Changes({.kind = "lightning-trainer",
                     .finding = "no-tensor-cores",
                     .device = {.name = "Tesla T4", .has_bf16 = false}},
                    "import lightning as L\nt = L.Trainer()\n"),
            "");
}

TEST(LightningTrainer, NotOnTheCpu) {
  EXPECT_THAT(
      LeftFor(kLightningTrainerAsked, "import lightning as L\nt = L.Trainer(accelerator='cpu')\n"),
      ElementsAre(HasSubstr("2: it is told to compute on the CPU")));
}

TEST(LightningTrainer, NotOfAnotherTrainer) {
  EXPECT_EQ(Changes(kLightningTrainerAsked, "from mine import Trainer\nt = Trainer()\n"), "");
  EXPECT_EQ(
      Changes(kLightningTrainerAsked, "from transformers import Trainer\nt = Trainer(model)\n"),
      "");
}

TEST(LightningTrainer, NotWhereArgumentsComeFromElsewhere) {
  EXPECT_THAT(LeftFor(kLightningTrainerAsked, "import lightning as L\nt = L.Trainer(**options)\n"),
              ElementsAre(HasSubstr("2: arguments of L.Trainer come from elsewhere")));
}

}  // namespace
}  // namespace rankscope::fix
