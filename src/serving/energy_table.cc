#include "serving/energy_table.h"

#include "schemas/serving.h"
#include "serving/energy.h"

namespace rankscope::serving {

Table EnergyTable(const Study& study, std::int64_t origin_ns) {
  const auto& schema = SchemaOf<ServingEnergy>();
  auto table = schema.NewTable(std::string(ServingEnergy::kName));
  const DeviceEnergy devices(study.all.data.power);
  for (const EnergyRow& row : EnergyOf(study.all, study.levels, devices)) {
    table.Add({schema.part = std::string_view(row.part), schema.begin_ns = row.begin - origin_ns,
               schema.duration_ns = row.duration,
               schema.devices = static_cast<std::int64_t>(devices.devices()),
               schema.joules = row.joules, schema.watts = row.watts(),
               schema.output_tokens = row.output_tokens,
               schema.joules_per_token = row.joules_per_token(), schema.idle_pct = row.idle_pct});
  }
  return table;
}

}  // namespace rankscope::serving
