// Times of parts of the work on traces of several sizes as shares of loading each, in one run.
//
//   LoadShares shares(paths);
//   shares.Add("graph", [](const RankTrace& trace) { benchmark::DoNotOptimize(...); });
//   shares.Run();
//   shares.PrintHeader();
//   shares.PrintLine("load"), shares.PrintLine("graph");
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ratio_table.h"
#include "trace/trace.h"

namespace rankscope::bench {

RankTrace Load(const std::string& path);  // on one thread

class LoadShares {
 public:
  explicit LoadShares(std::vector<std::string> paths);

  const std::vector<std::unique_ptr<RankTrace>>& traces() const { return traces_; }
  void Add(const std::string& part, const std::function<void(const RankTrace&)>& work);
  void Run();
  void PrintHeader() const;
  void PrintLine(std::string_view part) const;

 private:
  std::vector<std::string> paths_;
  std::vector<std::unique_ptr<RankTrace>> traces_;
  RatioReporter times_;
};

}  // namespace rankscope::bench
