// Merges the changes that several callers request of one run into one change of its record.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "store/run.h"

namespace rankscope::store {

using RunPtr = std::shared_ptr<const Run>;

// A requested change of a run, and its result.
struct Asked {
  const std::function<Status(Run&)>* change = nullptr;  // null: the run is to be removed
  Status status = Error(StatusCode::kInternal, "the change was not made");
  RunPtr run;
};

struct Applied {
  Run run;                       // with all changes that went well
  bool is_changed = false;       // and that is another record
  std::vector<Status> statuses;  // of each change

  // The record was written, or was not.
  void Ended(const Status& written) {
    for (Status& status : statuses) {
      if (status.ok()) status = written;
    }
  }
};

// Id, key and time of creation do not change. An exception undoes every change.
inline Applied ApplyAll(const Run& before, std::span<Asked* const> all, std::int64_t now_s) {
  const auto apply = [&](const Asked& asked, Run& run) -> Status {
    RS_RETURN_IF_ERROR((*asked.change)(run));
    run.id = before.id;
    run.key = before.key;
    run.created_s = before.created_s;
    if (before.sealed_s != 0) run.sealed_s = before.sealed_s;
    return OkStatus();
  };
  Applied applied{.run = before};
  for (const Asked* one : all) {
    if (all.size() == 1) {
      applied.statuses.push_back(apply(*one, applied.run));
      break;
    }
    // One that fails may have changed something before.
    Run changed = applied.run;
    applied.statuses.push_back(apply(*one, changed));
    if (applied.statuses.back().ok()) applied.run = std::move(changed);
  }
  applied.is_changed = std::ranges::any_of(applied.statuses, &Status::ok) && applied.run != before;
  if (!applied.is_changed) return applied;
  // Sealing a record does not change its contents.
  Run sealed = before;
  sealed.sealed_s = applied.run.sealed_s;
  if (applied.run != sealed) applied.run.changed_s = now_s;
  if (applied.run.sealed_s == 0) applied.run.sealed_s = now_s;
  return applied;
}

}  // namespace rankscope::store
