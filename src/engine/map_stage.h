// A computation for every file: a mapper with its options, keyed by everything that the result
// depends on except the file.
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
  // Name and version of the mapper, versions of the components that it uses and of loading,
  // options, steps, the user's rules for kernel classes.
  std::string key;
  std::vector<std::vector<ColumnSpec>> tables;  // Mapper::tables; empty: not declared
  std::function<std::vector<Table>(const TraceFacts&, const MapOptions&)> map;
  MapOptions options;
  bool is_large = false;  // Mapper::is_large
  // For a mapper that needs facts: their parts for each file, by number; other files are left out.
  struct Slices {
    std::map<const AnyJobFact*, Table> tables;
    std::string key;  // of their content
  };
  std::optional<std::map<std::size_t, Slices>> slices;

  // Whether there is anything to map for a file.
  bool IsOf(std::size_t file) const { return !slices || slices->contains(file); }
  // The key of a file's partial. The stage must apply to the file.
  std::string KeyOf(std::size_t file) const {
    return slices ? key + "-" + slices->find(file)->second.key : key;
  }
  // Identifies the stage within a run; for a mapper without facts its key.
  std::string Id() const;
  std::vector<Table> Map(const TraceFacts& facts, std::size_t file) const;
  // Whether stored tables have the column names and types that `map` returns.
  bool Fits(const std::vector<Table>& read) const;
};

// `of_analysis` are the options of an analysis that uses the mapper; `rules` are those of its
// facts.
MapStage StageOf(const Mapper& mapper, const Options& of_analysis, const StepFilter& steps,
                 const KernelRules& rules);

// The parts of known facts for each file.
MapStage::Slices SlicesOf(const Mapper& mapper, const JobContext& job, std::size_t capture);

}  // namespace rankscope
