// Load and health of a host, as requested from its agent by a load balancer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json/type.h"

namespace rankscope::api {

struct DeviceLoad {
  std::int64_t index = 0;
  std::string uuid, verdict;
  std::vector<std::string> reasons;
  std::optional<double> busy, memory_used;
};

struct HostLoad {
  std::string host, status;
  bool accepts_work = true;
  std::vector<std::string> reasons;
  std::optional<double> busy, memory_used;
  std::optional<std::int64_t> read_ms_ago;
  std::string drain;
  std::vector<DeviceLoad> devices;
};

}  // namespace rankscope::api

namespace rankscope::json {

template <>
const Fields<api::DeviceLoad>& FieldsOf();
template <>
const Fields<api::HostLoad>& FieldsOf();

}  // namespace rankscope::json
