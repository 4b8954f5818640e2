#include "engine/kept_partials.h"

#include <gtest/gtest.h>

#include "engine/packing.h"
#include "table/codec.h"

namespace rankscope {
namespace {

std::vector<Table> TablesWith(std::int64_t value) {
  Table table("numbers", {{.name = "value", .type = ColumnType::kInt64}});
  table.AddRow({value});
  return {table};
}

std::string PackedWith(std::int64_t value) {
  const std::vector<Table> tables = TablesWith(value);
  return Pack(EncodeTables(tables));
}

TEST(KeptPartials, TablesAndWhatIsPackedAreReadAlike) {
  KeptPartials kept;
  kept.Set("a", TablesWith(1));
  kept.SetPacked("b", PackedWith(2));
  EXPECT_EQ(kept.size(), 2U);
  EXPECT_TRUE(kept.Contains("a") && kept.Contains("b"));
  EXPECT_FALSE(kept.Contains("c"));
  EXPECT_EQ(kept.Get("a"), TablesWith(1));
  EXPECT_EQ(kept.Get("b"), TablesWith(2));
  EXPECT_EQ(kept.Get("c"), std::nullopt);
}

TEST(KeptPartials, WhatIsDamagedIsNotThere) {
  KeptPartials kept;
  kept.SetPacked("no packer made this", "?");
  kept.SetPacked("no tables", Pack("text"));
  EXPECT_EQ(kept.Get("no packer made this"), std::nullopt);
  EXPECT_EQ(kept.Get("no tables"), std::nullopt);
}

TEST(KeptPartials, DropsStagesOfBothKinds) {
  KeptPartials kept;
  kept.Set("a", TablesWith(1));
  kept.Set("b", TablesWith(2));
  kept.SetPacked("c", PackedWith(3));
  kept.KeepOnly([](std::string_view stage) { return stage == "b"; });
  EXPECT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept.Get("b"), TablesWith(2));
}

TEST(KeptPartials, OnlyWhatIsPackedGoesToACache) {
  KeptPartials kept;
  kept.Set("a", TablesWith(1));
  kept.SetPacked("b", PackedWith(2));
  EXPECT_FALSE(kept.packed().Contains("a"));
  EXPECT_TRUE(kept.packed().Contains("b"));
}

}  // namespace
}  // namespace rankscope
