#include "fleet/hours/hours_tables.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <optional>

namespace rankscope::fleet {
namespace {

constexpr double kHourMs = 3'600'000;

// "2026-11-28T10:00:00Z".
std::string TimeText(std::int64_t ms) {
  const std::chrono::sys_time<std::chrono::milliseconds> at{std::chrono::milliseconds(ms)};
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(std::chrono::floor<std::chrono::seconds>(at - day));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count());
}

std::int64_t AllocatedOf(const HoursOfPeriod& period) {
  std::int64_t sum = 0;
  for (const auto& [value, of] : period.values) sum += of.allocated_ms;
  return sum;
}

// Of what --use says; null without.
Value OfUse(const Partition& partition, std::int64_t ms) {
  return partition.has_use ? Value(ms) : Value(kNull);
}

std::optional<double> PercentOf(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return std::nullopt;
  return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

TableOf<FleetCapacity> CapacityTable(const Partition& partition) {
  const auto& columns = SchemaOf<FleetCapacity>();
  auto table = columns.NewTable(std::string(FleetCapacity::kName));
  for (const HoursOfPeriod& period : partition.periods) {
    const std::int64_t allocated = AllocatedOf(period);
    const auto nobody = period.values.find(std::nullopt);
    std::int64_t use_known = 0, busy = 0;
    for (const auto& [value, of] : period.values) {
      use_known += of.use_known_ms;
      busy += of.busy_ms;
    }
    table.Add(
        {columns.from = TimeText(period.from_ms), columns.until = TimeText(period.until_ms),
         columns.capacity_ms = period.capacity_ms, columns.allocated_ms = allocated,
         columns.reserved_ms = period.reserved_ms, columns.down_ms = period.down_ms,
         columns.unallocated_ms = period.unallocated_ms,
         columns.unattributed_ms = nobody == period.values.end() ? 0 : nobody->second.allocated_ms,
         columns.allocated_pct = PercentOf(allocated, period.capacity_ms),
         columns.use_known_ms = OfUse(partition, use_known),
         columns.busy_ms = OfUse(partition, busy),
         columns.busy_unclaimed_ms = OfUse(partition, period.busy_unclaimed_ms)});
  }
  return table;
}

TableOf<FleetHours> HoursTable(const Partition& partition) {
  const auto& columns = SchemaOf<FleetHours>();
  auto table = columns.NewTable(std::string(FleetHours::kName));
  for (const HoursOfPeriod& period : partition.periods) {
    const std::int64_t allocated = AllocatedOf(period);
    std::vector<const std::pair<const std::optional<std::string>, HoursOfValue>*> values;
    for (const auto& value : period.values) values.push_back(&value);
    std::stable_sort(values.begin(), values.end(), [](const auto* a, const auto* b) {
      return a->second.allocated_ms > b->second.allocated_ms;
    });
    for (const auto* value : values) {
      const HoursOfValue& of = value->second;
      table.Add({columns.from = TimeText(period.from_ms),
                 columns.value =
                     value->first ? std::optional<std::string_view>(*value->first) : std::nullopt,
                 columns.jobs = static_cast<std::int64_t>(of.jobs.size()),
                 columns.allocated_ms = of.allocated_ms,
                 columns.device_hours = static_cast<double>(of.allocated_ms) / kHourMs,
                 columns.share_pct = PercentOf(of.allocated_ms, allocated),
                 columns.capacity_pct = PercentOf(of.allocated_ms, period.capacity_ms),
                 columns.failed_ms = of.failed_ms, columns.cancelled_ms = of.cancelled_ms,
                 columns.shared_ms = of.shared_ms,
                 columns.use_known_ms = OfUse(partition, of.use_known_ms),
                 columns.busy_ms = OfUse(partition, of.busy_ms),
                 columns.mixed_ms = OfUse(partition, of.mixed_ms)});
    }
  }
  return table;
}

}  // namespace rankscope::fleet
