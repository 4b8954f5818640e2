#include "job/parallel_dimension.h"

#include <gtest/gtest.h>

#include <string>

namespace rankscope {
namespace {

std::string Text(std::string_view description) {
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
  EXPECT_EQ(Text("TENSOR_MODEL_PARALLEL_GROUP"), "tp");
  EXPECT_EQ(Text("PIPELINE_MODEL_PARALLEL_GROUP"), "pp");
  EXPECT_EQ(Text("CONTEXT_PARALLEL_GROUP"), "cp");
  EXPECT_EQ(Text("EXPERT_MODEL_PARALLEL_GROUP"), "ep");
  EXPECT_EQ(Text("DATA_PARALLEL_GROUP"), "dp");
  EXPECT_EQ(Text("DATA_PARALLEL_GROUP_WITH_CP"), "cp+dp");
  EXPECT_EQ(Text("EXPERT_DATA_PARALLEL_GROUP"), "ep+dp");
  EXPECT_EQ(Text("TENSOR_AND_DATA_PARALLEL_GROUP"), "tp+dp");
  EXPECT_EQ(Text("MODEL_PARALLEL_GROUP"), "tp+pp");
  EXPECT_EQ(Text("EMBEDDING_GROUP"), "");
  EXPECT_EQ(Text("POSITION_EMBEDDING_GROUP"), "");
}

TEST(GroupLabel, DescriptionsOfDeviceMeshes) {
  EXPECT_EQ(Text("mesh_tp"), "tp");
  EXPECT_EQ(Text("mesh_pp"), "pp");
  EXPECT_EQ(Text("mesh_dp_shard"), "dp shard");
  EXPECT_EQ(Text("mesh_dp_replicate"), "dp replicate");
  EXPECT_EQ(Text("mesh_dp_shard_cp"), "cp+dp shard");
  EXPECT_EQ(Text("tp:0"), "tp");
  EXPECT_EQ(Text("dense_ddp"), "dp");
}

TEST(GroupLabel, DescriptionsThatSayNothing) {
  for (const char* description :
       {"", "undefined", "default_pg", "trainers", "group_7", "tpx", "world"})
    EXPECT_EQ(Text(description), "") << description;
}

}  // namespace
}  // namespace rankscope
