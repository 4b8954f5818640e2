#include "app/fleet/write_simulated_fleet.h"

#include <unistd.h>

#include <filesystem>

#include "app/fleet/fleet_folder.h"
#include "base/file.h"

namespace rankscope::app {

Status WriteSimulatedFleet(const fleet::FleetSimulation& options, const std::string& out,
                           Listener& listener) {
  std::error_code error;
  if (std::filesystem::exists(out + "/fleet", error) ||
      std::filesystem::exists(out + "/store.json", error)) {
    return Error(StatusCode::kInvalidArgument,
                 "{}: it has runs already; name a new folder for simulated ones", out);
  }
  const FleetFolder folder(out);
  RS_ASSIGN_OR_RETURN(const int lock, folder.Lock());
  FleetManifest manifest{.is_simulated = true};
  const auto write = [&]() -> Status {
    RS_ASSIGN_OR_RETURN(
        const std::string truth,
        fleet::SimulateFleet(options,
                             [&](const std::string& day, const fleet::FleetRows& rows) -> Status {
                               if (listener.IsStopped())
                                 return Error(StatusCode::kCancelled, "stopped");
                               return folder.WriteDay(day, {}, rows, manifest);
                             }));
    RS_RETURN_IF_ERROR(WriteFileAtomically(out + "/truth.json", truth));
    return folder.WriteManifest(manifest);
  };
  const Status written = write();
  close(lock);
  return written;
}

}  // namespace rankscope::app
