#include "job/parallel_dimension.h"

#include <gtest/gtest.h>

#include <string>

namespace rankscope {
namespace {

std::string TextParallelDimension(std::string_view description) {
  const GroupLabel label = LabelOf(description);
  std::string text;
  for (int i = 0; i < kDimensionCount; ++i) {
    const auto dimension = static_cast<Dimension>(i);
    if (label.dimensions.Has(dimension))
      text += (text.empty() ? "" : "+") + std::string(ToString(dimension));
  }
  if (label.is_shard) text += " shard";
  if (label.is_replicate) text += " replicate";
  return text;
}

TEST(GroupLabel, MegatronsDescriptions) {
  EXPECT_EQ(TextParallelDimension("TENSOR_MODEL_PARALLEL_GROUP"), "tp");
  EXPECT_EQ(TextParallelDimension("PIPELINE_MODEL_PARALLEL_GROUP"), "pp");
  EXPECT_EQ(TextParallelDimension("CONTEXT_PARALLEL_GROUP"), "cp");
  EXPECT_EQ(TextParallelDimension("EXPERT_MODEL_PARALLEL_GROUP"), "ep");
  EXPECT_EQ(TextParallelDimension("DATA_PARALLEL_GROUP"), "dp");
  EXPECT_EQ(TextParallelDimension("DATA_PARALLEL_GROUP_WITH_CP"), "cp+dp");
  EXPECT_EQ(TextParallelDimension("EXPERT_DATA_PARALLEL_GROUP"), "ep+dp");
  EXPECT_EQ(TextParallelDimension("TENSOR_AND_DATA_PARALLEL_GROUP"), "tp+dp");
  EXPECT_EQ(TextParallelDimension("MODEL_PARALLEL_GROUP"), "tp+pp");
  EXPECT_EQ(TextParallelDimension("EMBEDDING_GROUP"), "");
  EXPECT_EQ(TextParallelDimension("POSITION_EMBEDDING_GROUP"), "");
}

TEST(GroupLabel, DescriptionsOfDeviceMeshes) {
  EXPECT_EQ(TextParallelDimension("mesh_tp"), "tp");
  EXPECT_EQ(TextParallelDimension("mesh_pp"), "pp");
  EXPECT_EQ(TextParallelDimension("mesh_dp_shard"), "dp shard");
  EXPECT_EQ(TextParallelDimension("mesh_dp_replicate"), "dp replicate");
  EXPECT_EQ(TextParallelDimension("mesh_dp_shard_cp"), "cp+dp shard");
  EXPECT_EQ(TextParallelDimension("tp:0"), "tp");
  EXPECT_EQ(TextParallelDimension("dense_ddp"), "dp");
}

TEST(GroupLabel, DescriptionsThatSayNothing) {
  for (const char* description :
       {"", "undefined", "default_pg", "trainers", "group_7", "tpx", "world"})
    EXPECT_EQ(TextParallelDimension(description), "") << description;
}

}  // namespace
}  // namespace rankscope
