// Every cause in every job that it fits: what it costs is found, and nothing else changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/planted_job.h"

namespace rankscope::sim {
namespace {

SimulateOptions OptionsPlantedCauses(JobKind job) {
  SimulateOptions options;
  options.job = job;
  options.ranks = 8;
  options.steps = 4;
  options.threads = 1;
  return options;
}

StepSize Size() { return {.layers = 4, .micro_batches = 4}; }

PlantedCause Plant(const CauseInfo& info) {
  const auto planted = ParsePlantedCause(info.name);
  EXPECT_TRUE(planted.ok());
  return *planted;
}

// Step time added, as a share of a healthy step.
double Added(const PlantedJob& job) {
  return static_cast<double>(job.step_ns()) / static_cast<double>(job.healthy_step_ns()) - 1;
}

class PlantedCauseTest : public ::testing::TestWithParam<int> {
 protected:
  const CauseInfo& info() const { return CauseTable()[static_cast<std::size_t>(GetParam())]; }
};

TEST_P(PlantedCauseTest, CostsStepTimeInEveryJobThatItFits) {
  for (int kind = 0; kind < kJobKindCount; ++kind) {
    const auto job_kind = static_cast<JobKind>(kind);
    if ((info().jobs & Bit(job_kind)) == 0) continue;
    SimulateOptions options = OptionsPlantedCauses(job_kind);
    options.causes = {Plant(info())};
    if (job_kind == JobKind::kSingle) options.ranks = 1;
    const PlantedJob job(options, Size());
    EXPECT_GT(job.step_ns(), job.healthy_step_ns()) << NameOf(job_kind);
    EXPECT_EQ(job.step_without_ns()[0], job.healthy_step_ns()) << NameOf(job_kind);
  }
}

TEST_P(PlantedCauseTest, OfSeverityZeroChangesNothing) {
  SimulateOptions options = OptionsPlantedCauses(JobKind::kDdp);
  const PlantedJob healthy(options, Size());
  options.causes = {Plant(info())};
  options.causes[0].severity = 0;
  const PlantedJob job(options, Size());
  EXPECT_EQ(job.run().step_bounds_ns, healthy.run().step_bounds_ns);
}

INSTANTIATE_TEST_SUITE_P(All, PlantedCauseTest, ::testing::Range(0, kCauseCount),
                         [](const auto& test) {
                           std::string name(
                               CauseTable()[static_cast<std::size_t>(test.param)].name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(PlantedCauses, ThatAreMeasuredBySteps) {
  // Severity times the share of steps that are struck is added to the mean step.
  const auto added = [](CauseId cause, double severity, std::vector<int> steps) {
    SimulateOptions options = OptionsPlantedCauses(JobKind::kDdp);
    options.causes = {{.cause = cause, .severity = severity, .ranks = {}, .steps = steps}};
    return Added(PlantedJob(options, Size()));
  };
  EXPECT_NEAR(added(CauseId::kDataStarvation, 0.4, {}), 0.4, 0.02);
  EXPECT_NEAR(added(CauseId::kDataStarvation, 0.4, {1, 2}), 0.2, 0.02);
  EXPECT_NEAR(added(CauseId::kCheckpointStall, 3, {2}), 0.75, 0.02);
  EXPECT_NEAR(added(CauseId::kRecompilation, 2, {1, 3}), 1, 0.03);
}

TEST(PlantedCauses, ASlowDeviceAddsItsShareOfTheComputingThatDecides) {
  SimulateOptions options = OptionsPlantedCauses(JobKind::kDdp);
  options.ranks = 1;  // nobody to wait for
  options.causes = {{.cause = CauseId::kSlowGpu, .severity = 0.5, .ranks = {0}, .steps = {}}};
  EXPECT_NEAR(Added(PlantedJob(options, Size())), 0.5, 0.05);
}

TEST(PlantedCauses, StrikeOnlyInTheirSteps) {
  SimulateOptions options = OptionsPlantedCauses(JobKind::kDdp);
  const PlantedJob healthy(options, Size());
  options.causes = {{.cause = CauseId::kNoTensorCores, .severity = 0.5, .ranks = {}, .steps = {1}}};
  const PlantedJob job(options, Size());
  const auto length = [](const PlantedJob& run, std::size_t step) {
    const auto& bounds = run.run().step_bounds_ns[0];
    return static_cast<double>(bounds[step + 1] - bounds[step]);
  };
  EXPECT_EQ(length(job, 0), length(healthy, 0));
  EXPECT_GT(length(job, 1), 1.2 * length(healthy, 1));
  // What the causes do not touch draws the same numbers again.
  EXPECT_NEAR(length(job, 3) / length(healthy, 3), 1, 0.001);
}

TEST(PlantedCauses, TogetherCostAtLeastAsMuchAsEachAlone) {
  SimulateOptions options = OptionsPlantedCauses(JobKind::kDdp);
  options.causes = {{.cause = CauseId::kSlowGpu, .severity = 0.5, .ranks = {3}, .steps = {}},
                    {.cause = CauseId::kDataStarvation, .severity = 0.2, .ranks = {}, .steps = {}}};
  const PlantedJob job(options, Size());
  // The slow device alone takes longer than the workers need for a batch: they cost nothing more.
  EXPECT_LT(job.step_without_ns()[0], job.step_ns());
  EXPECT_LE(job.step_without_ns()[1], job.step_ns());
  for (const std::int64_t without : job.step_without_ns()) {
    EXPECT_GT(without, job.healthy_step_ns());
  }
}

}  // namespace
}  // namespace rankscope::sim
