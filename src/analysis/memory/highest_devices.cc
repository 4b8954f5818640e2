#include "analysis/memory/highest_devices.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/saturating.h"

namespace rankscope {
namespace {

std::optional<std::int64_t> Known(const Table& table, std::size_t row, std::size_t column) {
  return table.IsNull(row, column) ? std::nullopt : std::optional(table.Int(row, column));
}

}  // namespace

std::map<HighestDevices::DeviceKey, HighestDevices::DeviceRows> HighestDevices::Split(
    const Table& table) const {
  std::map<DeviceKey, DeviceRows> devices;
  std::vector<Value> cells;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    const std::int64_t device = Known(table, row, device_).value_or(-1);
    const auto [place, is_new] =
        devices.try_emplace({std::string(table.String(row, device_type_)), device});
    DeviceRows& of_device = place->second;
    if (is_new) {
      of_device.device = device;
      of_device.table = Table(table.name(), table.columns());
    }
    cells.clear();
    for (std::size_t i = 0; i < table.column_count(); ++i) cells.push_back(table.At(row, i));
    of_device.table.AddRow(cells);
    const std::optional<std::int64_t> amount = Known(table, row, column_);
    if (!amount) continue;
    if (!of_device.level) {
      of_device.level = amount;
    } else if (level_ == Level::kSum) {
      of_device.level = SaturatingAdd(*of_device.level, *amount);
    } else {
      of_device.level = std::max(*of_device.level, *amount);
    }
  }
  return devices;
}

void HighestDevices::Keep(const std::string& type, DeviceRows rows) {
  std::set<DeviceRows>& kept = of_type_[type];
  kept.insert(std::move(rows));
  if (std::ssize(kept) > most_) kept.erase(std::prev(kept.end()));
}

void HighestDevices::Add(const Capture& capture, Table table) {
  if (most_ == 0) {
    all_.Keep(capture, std::move(table));
    return;
  }
  for (auto& [key, rows] : Split(table)) {
    rows.rank = capture.rank;
    rows.capture = capture.index;
    Keep(key.first, std::move(rows));
  }
}

void HighestDevices::Merge(HighestDevices&& other) {
  all_.Merge(std::move(other.all_));
  for (auto& [type, kept] : other.of_type_) {
    while (!kept.empty()) Keep(type, std::move(kept.extract(kept.begin()).value()));
  }
}

PerCapture<Table> HighestDevices::TakeRows() {
  for (auto& [type, kept] : of_type_) {
    for (const DeviceRows& rows : kept) {
      const auto [place, is_new] = all_.values().try_emplace({rows.rank, rows.capture}, rows.table);
      if (!is_new) place->second.Append(rows.table);
    }
  }
  of_type_.clear();
  return std::exchange(all_, {});
}

}  // namespace rankscope
