#include "formats/xplane/host_row.h"

namespace rankscope::xplane {
namespace {

bool IsDeviceCall(std::string_view name) {
  return name.starts_with("cuda") || name.starts_with("hip") ||
         (name.starts_with("cu") && name.size() > 2 && name[2] >= 'A' && name[2] <= 'Z');
}

}  // namespace

HostRow HostRowNamed(std::string_view name, bool has_correlation) {
  if (name.starts_with('$')) return {EventKind::kPythonFunction, "python_function", name.substr(1)};
  if (IsDeviceCall(name) || has_correlation) return {EventKind::kRuntime, "device_api", name};
  return {EventKind::kCpuOp, "host_trace", name};
}

}  // namespace rankscope::xplane
