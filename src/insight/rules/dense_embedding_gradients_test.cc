// dense-embedding-gradients: an optimizer over whole tables.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

// A table of so many rows of 64, of which 1,024 are looked up, and an update of so many us.
Body TrainsDenseEmbeddingGradients(std::int64_t rows, std::int64_t update_us,
                                   std::string_view backward) {
  const std::string table = "[" + std::to_string(rows) + ",64]";
  return [=](Program& of, int) {
    of.Op("aten::embedding", "gather", 20, "[" + table + ",[1024]]");
    of.Products(8);
    of.Op("aten::fill_", "fill", 100, "[" + table + ",[]]");
    of.Op(backward, "scatter", 20, "[[1024,64],[1024]]");
    of.Range("Optimizer.step#Adam.step",
             [&] { of.Op("aten::_fused_adam_", "multi_tensor_apply_kernel", update_us); });
  };
}

// 64 M values of 28 bytes at 80 % of an A100's 2,039 GB/s are 1.099 ms of the optimizer's 1.2.
TEST(DenseEmbeddingGradients, GainTheirPartOfTheOptimizer) {
  const Told told =
      TellOf(TrainsDenseEmbeddingGradients(1'000'000, 1200, "aten::embedding_dense_backward"));
  EXPECT_EQ(told.first(), "dense-embedding-gradients") << told.ids;
  EXPECT_NEAR(told.gain, 100 * (1099 + 100) / told.mean_step, 0.5);
  EXPECT_NE(told.title.find("tables of 64 million values a step"), std::string::npos) << told.title;
  EXPECT_NE(told.change.find("sparse=True"), std::string::npos) << told.change;
}

// The same table in each of four micro-batches, which an optimizer goes over once: 1.099 ms of its
// 3 are too little of it to be what it is about. Of 1.2 they are not 4.4.
TEST(DenseEmbeddingGradients, ATableCountsOnceHoweverOftenItIsLookedUp) {
  const auto trains = [](std::int64_t update_us) {
    return [=](Program& of, int) {
      for (int batch = 0; batch < 4; ++batch) {
        of.Op("aten::embedding", "gather", 20, "[[1000000,64],[1024]]");
        of.Products(2);
        of.Op("aten::embedding_dense_backward", "scatter", 20, "[[1024,64],[1024]]");
      }
      of.Range("Optimizer.step#Adam.step",
               [&] { of.Op("aten::_fused_adam_", "multi_tensor_apply_kernel", update_us); });
    };
  };
  EXPECT_FALSE(TellOf(trains(3000)).Has("dense-embedding-gradients"));
  const Told told = TellOf(trains(1200));
  ASSERT_EQ(told.first(), "dense-embedding-gradients") << told.ids;
  EXPECT_NEAR(told.gain, 100 * 1099 / told.mean_step, 0.5);
  EXPECT_NE(told.title.find("tables of 64 million values a step"), std::string::npos) << told.title;
}

// Of 90 M gradients a step, 80 M and 10 M at once, the table's 64 M are 0.711: of 1,600 us of the
// optimizer 1,138. Of the reduction of 80 M they are 0.8: 800 of 1,000 us.
TEST(DenseEmbeddingGradients, AreReducedAsWell) {
  const Told told = TellOf([](Program& of, int) {
    of.Op("aten::embedding", "gather", 20, "[[1000000,64],[1024]]");
    of.Products(8);
    of.Op("aten::embedding_dense_backward", "scatter", 20, "[[1024,64],[1024]]");
    of.Collective("allreduce", 320'000'000, 1000);
    of.Range("Optimizer.step#Adam.step",
             [&] { of.Op("aten::_fused_adam_", "multi_tensor_apply_kernel", 1600); });
  });
  ASSERT_EQ(told.first(), "dense-embedding-gradients") << told.ids;
  EXPECT_NEAR(told.gain, 100 * (1138 + 800) / told.mean_step, 0.5);
  EXPECT_NE(told.title.find("1.14 ms for rows without a gradient, and 800 us to reduce them"),
            std::string::npos)
      << told.title;
}

// One weight for embedding and output layer: products give all of its rows a gradient.
TEST(DenseEmbeddingGradients, OfATiedOutputLayerAreNeeded) {
  const Told told = TellOf([](Program& of, int) {
    of.Op("aten::embedding", "gather", 20, "[[1000000,64],[1024]]");
    of.Products(8);
    of.Op("aten::mm", "gemm", 100, "[[1024,64],[64,1000000]]");
    of.Op("aten::embedding_dense_backward", "scatter", 20, "[[1024,64],[1024]]");
    of.Range("Optimizer.step#Adam.step",
             [&] { of.Op("aten::_fused_adam_", "multi_tensor_apply_kernel", 1200); });
  });
  EXPECT_FALSE(told.Has("dense-embedding-gradients"));
}

// FSDP: each of two ranks updates half of every parameter, 0.55 of 1.6 ms.
TEST(DenseEmbeddingGradients, AnOptimizerMayHaveAShard) {
  const auto trains = [](std::string_view reduction) {
    return [=](Program& of, int) {
      of.Op("aten::embedding", "gather", 20, "[[1000000,64],[1024]]");
      of.Products(8);
      of.Op("aten::embedding_dense_backward", "scatter", 20, "[[1024,64],[1024]]");
      of.Collective(reduction, 128'000'000, 500);
      of.Range("Optimizer.step#Adam.step",
               [&] { of.Op("aten::_fused_adam_", "multi_tensor_apply_kernel", 1600); });
    };
  };
  EXPECT_TRUE(TellOf(trains("allreduce")).Has("dense-embedding-gradients"));
  EXPECT_FALSE(TellOf(trains("_reduce_scatter_base")).Has("dense-embedding-gradients"));
}

// A vocabulary, of which a batch meets a good part; a small part of the optimizer; and gradients
// that are sparse.
TEST(DenseEmbeddingGradients, AreNoneWhere) {
  const auto is_told = [](std::int64_t rows, std::int64_t update_us, std::string_view backward) {
    return TellOf(TrainsDenseEmbeddingGradients(rows, update_us, backward))
        .Has("dense-embedding-gradients");
  };
  EXPECT_FALSE(is_told(8'000, 1200, "aten::embedding_dense_backward"));
  EXPECT_FALSE(is_told(100'000, 1200, "aten::embedding_dense_backward"));
  EXPECT_FALSE(is_told(1'000'000, 1200, "aten::embedding_sparse_backward"));
}

}  // namespace
}  // namespace rankscope
