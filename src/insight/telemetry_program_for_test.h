// Programs whose cost is known exactly, and samples of telemetry beside their traces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "insight/program_for_test.h"

namespace rankscope {

// Traces begin at 1,000,000 ns of their clock.
inline MetricSample SampleOf(std::int64_t rank, std::string_view name, double value) {
  return {.time_ns = 900'000, .rank = rank, .name = std::string(name), .value = value, .unit = ""};
}

// Ten products, for which a rank takes so long, and the wait for those that take longer.
inline Body TenProducts(std::int64_t product_us, std::int64_t waits_us = 0) {
  return [=](Program& program, int) {
    for (int i = 0; i < 10; ++i) program.Op("aten::mm", "gemm", product_us);
    program.Waits(waits_us);
  };
}

// Rank 3 takes 130 us for what the others do in 100.
inline std::vector<Body> OneSlowDevice() {
  return {TenProducts(100, 300), TenProducts(100, 300), TenProducts(100, 300), TenProducts(130)};
}

// Many kernels of 4 us, launched every 10 us: the step is what the hosts take.
inline Body ManyLaunches() {
  return [](Program& program, int) {
    for (int i = 0; i < 300; ++i) program.Op("aten::add", "gemv_kernel", 4);
  };
}

}  // namespace rankscope
