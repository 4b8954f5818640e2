#include "service/check_store.h"

#include <iterator>
#include <utility>

#include "service/kept_beside.h"

namespace rankscope::service {

Result<StoreCheck> CheckStore(const StoreCheckSpec& spec) {
  const bool writes = spec.repair || spec.seal;
  auto opened = store::Store::Open(
      spec.data_folder, {.read_only = !writes, .catalogue = spec.catalogue, .blobs = spec.blobs});
  if (!opened.ok() && writes && opened.status().code() == StatusCode::kResource) {
    // One process at a time writes records, and a server keeps those of runs in memory.
    return Error(StatusCode::kResource,
                 "{}: another process writes to this store (rankscope serve?), so its records "
                 "cannot be {} now: end it, run this again, and start it anew; rankscope store "
                 "check --contents reads and compares all while it runs",
                 spec.data_folder, spec.seal ? "sealed" : "repaired");
  }
  RS_ASSIGN_OR_RETURN(const auto store, std::move(opened));
  StoreCheck check;
  RS_ASSIGN_OR_RETURN(check.checked,
                      spec.seal ? store->Seal() : store->Check(spec.contents || spec.repair));
  check.problems = check.checked.problems;
  // Of a cluster they are rows of its database.
  if (spec.catalogue.empty()) {
    std::vector<store::Problem> beside = ProblemsBesideRuns(spec.data_folder);
    std::move(beside.begin(), beside.end(), std::back_inserter(check.problems));
  }
  if (spec.repair) {
    for (const std::string& sha256 : check.checked.damaged) {
      RS_RETURN_IF_ERROR(store->blobs().Remove(sha256));
      ++check.removed;
    }
  }
  return check;
}

}  // namespace rankscope::service
