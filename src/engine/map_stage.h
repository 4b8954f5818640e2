// What is computed of every file: a mapper with its options, under a name that says all that the
// result depends on but the file.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "facts/kernel_rules.h"
#include "stage/analysis.h"

namespace rankscope {

struct MapStage {
  // Name and version of the mapper, versions of the components that it uses and of what loading
  // computes, options, steps, the user's rules for classes of kernels.
  std::string key;
  std::vector<std::vector<ColumnSpec>> tables;  // Mapper::tables; empty: not declared
  std::function<std::vector<Table>(const TraceFacts&, const MapOptions&)> map;
  MapOptions options;
  bool is_large = false;  // Mapper::is_large
  // Of a mapper that needs facts: what they say to each file, by number; files without are left
  // out.
  struct Slices {
    std::map<const AnyJobFact*, Table> tables;
    std::string key;  // of their content
  };
  std::optional<std::map<std::size_t, Slices>> slices;

  // Whether there is anything to map of a file.
  bool IsOf(std::size_t file) const { return !slices || slices->contains(file); }
  // Under which the partial of a file is stored. The file must be one that the stage is of.
  std::string KeyOf(std::size_t file) const {
    return slices ? key + "-" + slices->find(file)->second.key : key;
  }
  // Tells stages of one run apart; of a mapper without facts its key.
  std::string Id() const;
  std::vector<Table> Map(const TraceFacts& facts, std::size_t file) const;
  // Whether tables that were read are what `map` would return, by names and types of columns.
  bool Fits(const std::vector<Table>& read) const;
};

// `of_analysis` are the options of an analysis that uses the mapper; `rules` are those of the facts
// that it will see.
MapStage StageOf(const Mapper& mapper, const Options& of_analysis, const StepFilter& steps,
                 const KernelRules& rules);

// What facts that are known say to a file.
MapStage::Slices SlicesOf(const Mapper& mapper, const JobContext& job, std::size_t capture);

}  // namespace rankscope
