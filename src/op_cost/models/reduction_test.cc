#include <gtest/gtest.h>

#include "op_cost/models/cost_for_test.h"

namespace rankscope {
namespace {

TEST(Reduction, ResultsOfOtherDtypes) {
  // 20 floats in; 4 indices of 8 bytes out, or one.
  EXPECT_EQ(WorkForTest("aten::argmax", "[[4,5],[],[]]", "float", ";-1;False"), "20 112");
  EXPECT_EQ(WorkForTest("aten::argmax", "[[4,5],[],[]]", "float", ";;False"), "20 88");
  EXPECT_EQ(WorkForTest("aten::all", "[[4,5]]", "bool", ""), "20 21");
  EXPECT_EQ(WorkForTest("aten::any", "[[4,5],[],[]]", "bool", ";0;False"), "20 25");
}

TEST(Reduction, ExtremesHaveThreeForms) {
  EXPECT_EQ(WorkForTest("aten::max", "[[4,5]]", "float"), "20 84");
  // Values and indices of 4 rows.
  EXPECT_EQ(WorkForTest("aten::max", "[[4,5],[],[]]", "float", ";1;False"), "20 128");
  // Of two tensors it is no reduction; aten::maximum inside it has a model.
  EXPECT_EQ(WorkForTest("aten::max", "[[4,5],[4,5]]", "float,float"), "none");
}

TEST(Reduction, SquaresAndVariances) {
  EXPECT_EQ(WorkForTest("aten::linalg_vector_norm", "[[4,5],[],[],[],[]]", "float", ";2;;False;"),
            "40 84");
  EXPECT_EQ(
      WorkForTest("aten::linalg_vector_norm", "[[4,5],[],[],[],[]]", "float", ";2;[0];False;"),
      "40 100");
  EXPECT_EQ(WorkForTest("aten::var", "[[4,5],[],[],[]]", "float", ";[-1];;False"), "80 96");
}

TEST(Reduction, AsManyResultsAsElements) {
  EXPECT_EQ(WorkForTest("aten::cumsum", "[[4,5],[],[]]", "long int", ";0;"), "20 320");
  // Values and indices.
  EXPECT_EQ(WorkForTest("aten::sort", "[[4,5],[],[]]", "float"), "0 320");
  // 3 of each of 4 rows.
  EXPECT_EQ(WorkForTest("aten::topk", "[[4,5],[],[],[],[]]", "float", ";3;-1;True;True"), "0 224");
  EXPECT_EQ(WorkForTest("aten::topk", "[[4,5],[],[],[],[]]", "float"), "none");
}

}  // namespace
}  // namespace rankscope
