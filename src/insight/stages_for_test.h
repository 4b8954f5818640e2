// A pipeline whose stages are tensor parallel groups of two ranks, for what is told of stages.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "insight/program_for_test.h"

namespace rankscope {

// Each rank computes ten products of the same shapes and reduces with its stage, then with the
// ranks of its place in the other stages, which the longest of all products hold up. By stage: what
// a product takes, in us.
inline Told TellOfStages(const std::vector<std::int64_t>& product_us) {
  const auto stages = static_cast<int>(product_us.size());
  const std::int64_t longest = *std::ranges::max_element(product_us);
  std::vector<Body> bodies;
  for (int rank = 0; rank < 2 * stages; ++rank) {
    bodies.emplace_back([=](Program& of, int) {
      const int stage = rank / 2, place = rank % 2;
      const std::int64_t us = product_us[static_cast<std::size_t>(stage)];
      for (int i = 0; i < 10; ++i) of.Op("aten::mm", "gemm", us, "[[64,64],[64,64]]");
      std::string places;
      for (int other = 0; other < stages; ++other)
        places += fmt::format("{}{}", other == 0 ? "" : ", ", 2 * other + place);
      TraceForTest::Collective reduced{.name = "allreduce", .in = 1'000'000, .out = 1'000'000};
      const std::string of_stage = fmt::format("tp{}", stage), across = fmt::format("pp{}", place);
      const std::string ranks = fmt::format("[{}, {}]", 2 * stage, 2 * stage + 1);
      reduced.group = of_stage;
      reduced.ranks = ranks;
      reduced.size = 2;
      reduced.description = "TENSOR_MODEL_PARALLEL_GROUP";
      of.Exchange(reduced, 20);
      const std::string all = "[" + places + "]";
      reduced.group = across;
      reduced.ranks = all;
      reduced.size = stages;
      reduced.description = "PIPELINE_MODEL_PARALLEL_GROUP";
      of.Exchange(reduced, 20 + 10 * (longest - us));
    });
  }
  return TellOfRanks(bodies);
}

}  // namespace rankscope
