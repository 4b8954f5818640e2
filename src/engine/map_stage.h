// What is computed of every file: a mapper with its options, under a name that says all that the
// result depends on but the file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "stage/analysis.h"

namespace rankscope {

struct MapStage {
  // Name and version of the mapper, versions of the components that it uses and of what loading
  // computes, options, steps.
  std::string key;
  std::vector<std::vector<ColumnSpec>> tables;  // Mapper::tables; empty: not declared
  std::function<std::vector<Table>(const TraceFacts&)> map;

  // Whether tables that were read are what `map` would return, by names and types of columns.
  bool Fits(const std::vector<Table>& read) const;
};

// `of_analysis` are the options of an analysis that uses the mapper.
MapStage StageOf(const Mapper& mapper, const Options& of_analysis, const StepFilter& steps);

}  // namespace rankscope
