#include "op_cost/roof.h"

#include "op_cost/base/op_inputs.h"

namespace rankscope {

Units UnitsOf(bool is_matrix_work, bool fits_matrix_cores, std::string_view dtype,
              const UnitTimes& times) {
  if (2 * times.matrix_ns > times.device_ns) return {true, true};
  if (!is_matrix_work) return {false, true};
  if (2 * (times.matrix_ns + times.vector_ns) > times.device_ns) return {false, true};
  const double bytes = BytesOfDtype(dtype).value_or(0);
  return {fits_matrix_cores && bytes <= 2 && IsFloatingPoint(dtype), false};
}

bool TimeAtRoof(const Roof& roof, double flops, double bytes, bool is_matrix_work, RoofTime& time) {
  if (roof.memory.value <= 0) return false;
  const double memory = bytes / roof.memory.value;
  if (roof.flops.value <= 0) {
    if (is_matrix_work) return false;
    time = {memory, false, roof.memory.confidence};
    return true;
  }
  const double compute = flops / roof.flops.value;
  time = compute > 0 && compute >= memory ? RoofTime{compute, true, roof.flops.confidence}
                                          : RoofTime{memory, false, roof.memory.confidence};
  return true;
}

}  // namespace rankscope
