#include "insight/evidence/setting/setting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "insight/program_for_test.h"
#include "insight/rule_input_for_test.h"

namespace rankscope {
namespace {

using testing::HasSubstr;

JobForTest JobOn(std::string_view device, const Body& body) {
  Program program;
  for (int step = 0; step < 4; ++step) program.Step(step, [&](Program& of) { body(of, step); });
  JobForTest job;
  job.Add(0, program.Build(-1, device));
  return job;
}

Setting SettingOf(std::string_view device, const Body& body) {
  std::optional<Setting> setting;
  const JobForTest job = JobOn(device, body);
  LookAt(job, {}, [&](const RuleInput& input) { setting.emplace(input); });
  return *setting;
}

Body OpsSetting(std::string_view op) {
  return [=](Program& of, int) { of.Op(op, "gemm", 100); };
}

TEST(Setting, DevicesByTheirNames) {
  const Setting h100 = SettingOf("NVIDIA H100 80GB HBM3", OpsSetting("aten::mm"));
  EXPECT_EQ(h100.vendor, Setting::Vendor::kNvidia);
  EXPECT_TRUE(h100.has_bf16);
  EXPECT_TRUE(h100.has_tf32);
  const Setting v100 = SettingOf("Tesla V100-SXM2-16GB", OpsSetting("aten::mm"));
  EXPECT_EQ(v100.vendor, Setting::Vendor::kNvidia);
  EXPECT_FALSE(v100.has_bf16);
  EXPECT_FALSE(v100.has_tf32);
  const Setting mi300 = SettingOf("AMD Instinct MI300X", OpsSetting("aten::mm"));
  EXPECT_TRUE(mi300.IsAmd());
  EXPECT_TRUE(mi300.has_bf16);
  EXPECT_FALSE(mi300.has_tf32);
}

TEST(Setting, AmdByItsCalls) {
  EXPECT_TRUE(SettingOf("", [](Program& of, int) {
                of.Product();
                of.Call("hipStreamSynchronize", 10);
              }).IsAmd());
}

TEST(Setting, FrameworksByTheirNames) {
  EXPECT_EQ(SettingOf("", OpsSetting("aten::mm")).framework, Setting::Framework::kTorch);
  EXPECT_TRUE(SettingOf("", OpsSetting("PjitFunction(train_step)")).IsJax());
  EXPECT_TRUE(
      SettingOf("", OpsSetting("StatefulPartitionedCall/model/dense/MatMul")).IsTensorFlow());
  // PyTorch beside it: XLA under PyTorch.
  EXPECT_EQ(SettingOf("",
                      [](Program& of, int) {
                        of.Op("jit_train", "gemm", 100);
                        of.Op("aten::mm", "gemm", 100);
                      })
                .framework,
            Setting::Framework::kTorch);
}

TEST(Setting, EnginesAndTrainersByTheirNames) {
  EXPECT_EQ(SettingOf("", OpsSetting("vllm::unified_attention")).engine, Setting::Engine::kVllm);
  const Body lightning = [](Program& of, int) {
    of.Product();
    of.Range("[pl][profile]run_training_batch", [&] { of.Idles(300); });
  };
  EXPECT_EQ(SettingOf("", lightning).trainer, Setting::Trainer::kLightning);
  EXPECT_EQ(SettingOf("", OpsSetting("aten::mm")).engine, Setting::Engine::kNone);
  EXPECT_EQ(SettingOf("", OpsSetting("aten::mm")).trainer, Setting::Trainer::kNone);
}

TEST(Setting, ServersByTheirEngine) {
  EXPECT_TRUE(SettingOf("", OpsSetting("vllm::unified_attention")).is_serving);
  EXPECT_FALSE(SettingOf("", OpsSetting("aten::mm")).is_serving);
}

// Of a recommender, not of a language model that looks up tokens, nor of one with experts.
TEST(Setting, TablesByTheirLookups) {
  constexpr std::string_view kLookup = "fbgemm::split_embedding_codegen_lookup_sgd_function";
  EXPECT_TRUE(SettingOf("", OpsSetting(kLookup)).has_tables);
  EXPECT_FALSE(SettingOf("", OpsSetting("aten::embedding")).has_tables);
  EXPECT_FALSE(SettingOf("", [=](Program& of, int) {
                 of.Op(kLookup, "gemm", 100);
                 of.Op("aten::_grouped_mm", "gemm", 100);
               }).has_tables);
}

// What to do about products in fp32.
std::string AdviceFor(std::string_view device) {
  const Table findings =
      JobOn(device, [](Program& of, int) {
        for (int i = 0; i < 10; ++i)
          of.Op("aten::mm", "volta_sgemm_128x64_nn", 1000, "[[1024,1024],[1024,1024]]");
      }).Run(FindingsAnalysis());
  if (findings.row_count() == 0) return "nothing found";
  EXPECT_EQ(std::get<std::string_view>(Cell(findings, 0, "id")), "no-tensor-cores");
  return std::string(std::get<std::string_view>(Cell(findings, 0, "recommendation")));
}

TEST(Advice, FitsTheDevice) {
  EXPECT_THAT(AdviceFor("NVIDIA A100-SXM4-80GB"), HasSubstr("TF32"));
  EXPECT_THAT(AdviceFor("NVIDIA A100-SXM4-80GB"), HasSubstr("bfloat16"));
  EXPECT_THAT(AdviceFor("Tesla V100-SXM2-16GB"), HasSubstr("torch.float16"));
  EXPECT_THAT(AdviceFor("AMD Instinct MI300X"), HasSubstr("there is no TF32"));
}

}  // namespace
}  // namespace rankscope
