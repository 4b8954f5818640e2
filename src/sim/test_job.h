// For tests: a temporary folder and the small job that they simulate.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "sim/simulate.h"

namespace rankscope::sim {

class TestFolder {
 public:
  TestFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "rs_sim_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline constexpr int kTestRanks = 4;
inline constexpr int kTestSteps = 3;
inline constexpr int kTestSlowRank = 2;

inline SimulateOptions TestOptions(const std::filesystem::path& folder) {
  SimulateOptions options;
  options.out_folder = folder.string();
  options.ranks = kTestRanks;
  options.steps = kTestSteps;
  options.events_per_rank = 20'000;
  options.seed = 7;
  options.clock_offset_max_ns = 5'000'000;
  options.causes.push_back(
      {.cause = CauseId::kSlowGpu, .severity = 0.25, .ranks = {kTestSlowRank}, .steps = {}});
  options.compress = false;
  return options;
}

}  // namespace rankscope::sim
