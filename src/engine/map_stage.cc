#include "engine/map_stage.h"

#include <algorithm>

#include "base/hash.h"
#include "facts/trace_facts.h"
#include "formats/columnar/cache_file.h"
#include "table/schema.h"

namespace rankscope {

bool MapStage::Fits(const std::vector<Table>& read) const {
  if (tables.empty()) return true;
  return std::equal(tables.begin(), tables.end(), read.begin(), read.end(),
                    [](const std::vector<ColumnSpec>& columns, const Table& table) {
                      return HasColumns(table, columns);
                    });
}

MapStage StageOf(const Mapper& mapper, const Options& of_analysis, const StepFilter& steps) {
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
  return {
      .key = fmt::format("{}-{}-{:016x}", mapper.name, mapper.version, HashBytes(depends_on).low),
      .tables = mapper.tables,
      .map = [map = mapper.map, options = MapOptions{steps, std::move(values)}](
                 const TraceFacts& facts) { return map(facts, options); }};
}

}  // namespace rankscope
