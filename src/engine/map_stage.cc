#include "engine/map_stage.h"

#include <algorithm>

#include "base/hash.h"
#include "facts/trace_facts.h"
#include "formats/columnar/cache_file.h"
#include "table/codec.h"
#include "table/schema.h"

namespace rankscope {

bool MapStage::Fits(const std::vector<Table>& read) const {
  if (tables.empty()) return true;
  return std::equal(tables.begin(), tables.end(), read.begin(), read.end(),
                    [](const std::vector<ColumnSpec>& columns, const Table& table) {
                      return HasColumns(table, columns);
                    });
}

std::string MapStage::Id() const {
  if (!slices) return key;
  std::string of_files;
  for (const auto& [file, slice] : *slices) of_files += fmt::format("{}={};", file, slice.key);
  return key + "-" + HashBytes(of_files).Hex();
}

std::vector<Table> MapStage::Map(const TraceFacts& facts, std::size_t file) const {
  if (!slices) return map(facts, options);
  MapOptions with_slices = options;
  with_slices.slices = slices->find(file)->second.tables;
  return map(facts, with_slices);
}

MapStage StageOf(const Mapper& mapper, const Options& of_analysis, const StepFilter& steps,
                 const KernelRules& rules) {
  Options values = MapperOptions(mapper, of_analysis);
  std::string depends_on = fmt::format("load={};", columnar::kCacheVersion);
  for (const std::span<const Component> parts :
       {FactComponents(), std::span<const Component>(mapper.uses)}) {
    for (const Component& part : parts)
      depends_on += fmt::format("{}={};", part.name, part.version);
  }
  // Texts of options may hold anything: their lengths tell where they end.
  for (const auto& [name, value] : values)
    depends_on += fmt::format("{}={}:{};", name, value.size(), value);
  if (steps) {
    depends_on += "steps=";
    for (const std::int64_t step : *steps) depends_on += fmt::format("{},", step);
  }
  if (const std::string own = rules.OwnRules(); !own.empty())
    depends_on += fmt::format("kernel_rules={}:{};", own.size(), own);
  return {
      .key = fmt::format("{}-{}-{:016x}", mapper.name, mapper.version, HashBytes(depends_on).low),
      .tables = mapper.tables,
      .map = mapper.map,
      .options = {steps, std::move(values)},
      .is_large = mapper.is_large,
      .slices = std::nullopt};
}

MapStage::Slices SlicesOf(const Mapper& mapper, const JobContext& job, std::size_t capture) {
  MapStage::Slices slices;
  std::string content;
  for (const AnyJobFact* fact : mapper.facts) {
    Table slice = fact->slice(job.facts.find(fact)->second.get(), job, capture);
    content += EncodeTables({&slice, 1});
    slices.tables.emplace(fact, std::move(slice));
  }
  slices.key = HashBytes(content).Hex();
  return slices;
}

}  // namespace rankscope
