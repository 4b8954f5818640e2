#include <gtest/gtest.h>

#include "op_cost/models/cost_for_test.h"

namespace rankscope {
namespace {

TEST(Indexing, Embeddings) {
  // 6 rows of 4 halves are read and written, 6 indices of 8 bytes.
  EXPECT_EQ(WorkForTest("aten::embedding", "[[100,4],[2,3],[],[],[]]", "Half,long int"), "0 144");
  // No more rows than there are.
  EXPECT_EQ(WorkForTest("aten::embedding", "[[2,4],[2,3],[],[],[]]", "Half,long int"), "0 112");
  // 24 gradients are read and added, all 100 rows are written.
  EXPECT_EQ(WorkForTest("aten::embedding_dense_backward", "[[2,3,4],[2,3],[],[],[]]",
                        "Half,long int", ";;100;-1;False"),
            "24 896");
  EXPECT_EQ(
      WorkForTest("aten::embedding_dense_backward", "[[2,3,4],[2,3],[],[],[]]", "Half,long int"),
      "none");
  // Two bags of 6 rows: 24 additions; 6 + 2 rows of 16 bytes, indices and offsets of 8.
  EXPECT_EQ(
      WorkForTest("aten::_embedding_bag", "[[100,4],[6],[2],[],[]]", "float,long int,long int"),
      "24 192");
}

TEST(Indexing, SelectGatherScatter) {
  // 3 of 10 rows of 4 floats: 48 read, 48 written, indices of 24 bytes.
  EXPECT_EQ(WorkForTest("aten::index_select", "[[10,4],[],[3]]", "float,Scalar,long int", ";0;"),
            "0 120");
  EXPECT_EQ(WorkForTest("aten::index_select", "[[4,10],[],[3]]", "float,Scalar,long int", ";-1;"),
            "0 120");
  EXPECT_EQ(WorkForTest("aten::index_select", "[[4,10],[],[3]]", "float,Scalar,long int", ";7;"),
            "none");
  EXPECT_EQ(WorkForTest("aten::gather", "[[10],[],[3],[]]", "float,Scalar,long int"), "0 48");
  EXPECT_EQ(WorkForTest("aten::scatter_", "[[10],[],[3],[3]]", "float,Scalar,long int,float"),
            "0 48");
  EXPECT_EQ(WorkForTest("aten::scatter_", "[[10],[],[3],[]]", "float,Scalar,long int,Scalar"),
            "0 36");
  EXPECT_EQ(WorkForTest("aten::scatter_add_", "[[10],[],[3],[3]]", "float,Scalar,long int,float"),
            "3 60");
  // A copy first.
  EXPECT_EQ(WorkForTest("aten::scatter_add", "[[10],[],[3],[3]]", "float,Scalar,long int,float"),
            "3 140");
  EXPECT_EQ(
      WorkForTest("aten::index_add_", "[[10,2],[],[3],[3,2],[]]", "float,Scalar,long int,float"),
      "6 96");
}

TEST(Indexing, ListsNeedADtype) {
  EXPECT_EQ(WorkForTest("aten::cat", "[[[2,3],[4,3]],[]]", "OpaqueType<2u>,Scalar"), "0 72");
  EXPECT_EQ(WorkForTest("aten::cat", "[[[2,3],[4,3]],[]]", "TensorList,Scalar"), "none");
  EXPECT_EQ(WorkForTest("aten::cat", "[[],[]]", "float,Scalar"), "none");
}

TEST(Indexing, KeysAndValuesToTheirSlots) {
  // 3 tokens of 8 halves, twice, read; written as fp8; slots of 8 bytes.
  EXPECT_EQ(WorkForTest("_C_cache_ops::reshape_and_cache_flash",
                        "[[3,2,4],[3,2,4],[9,16,2,4],[9,16,2,4],[3],[],[],[]]",
                        "Half,Half,unsigned char,unsigned char,long int"),
            "0 168");
}

TEST(Indexing, PermutationsOfEmbeddings) {
  EXPECT_EQ(WorkForTest("fbgemm::permute_pooled_embs", "[[2,10],[3],[2],[3],[2]]",
                        "float,long,long,long,long"),
            "0 240");
  EXPECT_EQ(WorkForTest("fbgemm::bounds_check_indices", "[[3],[10],[4],[],[1]]",
                        "long,long,long,Scalar,long"),
            "0 112");
}

}  // namespace
}  // namespace rankscope
