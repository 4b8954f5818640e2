#include "app/fleet/update_fleet.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "app/fleet/stored_run.h"
#include "sql/files_database.h"

namespace rankscope::app {
namespace {

constexpr std::size_t kRunsAtOnce = 500;

struct Known {
  std::string day, content;
};

// What has rows, by run.
Result<std::map<std::string, Known>> KnownRuns(const FleetFolder& folder,
                                               const FleetManifest& manifest) {
  std::map<std::string, Known> known;
  const std::vector<std::string> files = folder.FilesOf(manifest, FleetRun::kName, "", "");
  if (files.empty()) return known;
  RS_ASSIGN_OR_RETURN(const auto database, sql::FilesDatabase::Open({}));
  const Status read = database->Stream(
      "SELECT run_id, day, content FROM " + sql::ReadParquetOf(files), [&](const Table& chunk) {
        for (std::size_t row = 0; row < chunk.row_count(); ++row) {
          known[std::string(chunk.String(row, 0))] = {std::string(chunk.String(row, 1)),
                                                      std::string(chunk.String(row, 2))};
        }
        return OkStatus();
      });
  if (!read.ok()) {
    return Error(StatusCode::kBadData,
                 "the fleet's rows cannot be read ({}): remove the folder fleet of the store, and "
                 "the next rankscope fleet makes it anew",
                 read.message());
  }
  return known;
}

struct Work {
  std::vector<store::Run> changed;             // new, or not as their rows say; the oldest first
  std::map<std::string, std::string> removed;  // run -> day
  bool is_empty() const { return changed.empty() && removed.empty(); }
};

Work WorkOf(std::vector<store::Run> runs, const std::map<std::string, Known>& known) {
  Work work;
  for (const auto& [run, what] : known) work.removed[run] = what.day;
  for (store::Run& run : runs) {
    if (!HasFleetRows(run)) continue;
    work.removed.erase(run.id);
    const auto found = known.find(run.id);
    if (found == known.end() || found->second.content != FleetContentOf(run))
      work.changed.push_back(std::move(run));
  }
  std::ranges::sort(work.changed, {}, &store::Run::created_s);
  return work;
}

// The rows of each day among rows of several.
std::map<std::string, fleet::FleetRows> ByDay(const fleet::FleetRows& rows) {
  std::map<std::string, fleet::FleetRows> days;
  const auto divide = [&](const auto& table, auto member, auto day) {
    for (std::size_t row = 0; row < table.row_count(); ++row) {
      std::vector<Value> cells;
      for (std::size_t i = 0; i < table.column_count(); ++i)
        cells.push_back(table.table().At(row, i));
      (days[std::string(table.String(row, day))].*member).AddRow(cells);
    }
  };
  divide(rows.runs, &fleet::FleetRows::runs, SchemaOf<FleetRun>().day);
  divide(rows.kernels, &fleet::FleetRows::kernels, SchemaOf<KernelRun>().day);
  divide(rows.findings, &fleet::FleetRows::findings, SchemaOf<FindingRun>().day);
  return days;
}

class Updater {
 public:
  Updater(const FleetFolder& folder, FleetManifest manifest,
          const std::map<std::string, Known>& known)
      : folder_(folder), manifest_(std::move(manifest)), known_(known) {}

  // The rows of `rows` in place of those of the runs `gone`; kept when it returns.
  Status Write(const fleet::FleetRows& rows, const std::set<std::string>& gone) {
    std::map<std::string, fleet::FleetRows> days = ByDay(rows);
    for (const std::string& run : gone) {
      if (const auto found = known_.find(run); found != known_.end()) days[found->second.day];
    }
    for (const auto& [day, of_day] : days)
      RS_RETURN_IF_ERROR(folder_.WriteDay(day, gone, of_day, manifest_));
    RS_RETURN_IF_ERROR(folder_.WriteManifest(manifest_));
    folder_.RemoveUnnamed(manifest_);
    return OkStatus();
  }

  const FleetManifest& manifest() const { return manifest_; }

 private:
  const FleetFolder& folder_;
  FleetManifest manifest_;
  const std::map<std::string, Known>& known_;
};

Status UpdateRuns(store::Store& store, const Work& work, Updater& updater, Listener& listener) {
  std::set<std::string> gone;
  for (const auto& [run, day] : work.removed) gone.insert(run);
  fleet::FleetRows rows;
  RS_ASSIGN_OR_RETURN(const auto database, sql::FilesDatabase::Open({}));
  for (std::size_t i = 0; i < work.changed.size(); ++i) {
    if (listener.IsStopped()) return Error(StatusCode::kCancelled, "stopped");
    const store::Run& run = work.changed[i];
    gone.insert(run.id);
    const Status added = AddStoredRun(store, run, *database, rows);
    if (!added.ok()) listener.OnNotice(added.message());
    if ((i + 1) % kRunsAtOnce != 0) continue;
    RS_RETURN_IF_ERROR(updater.Write(rows, gone));
    rows = {};
    gone.clear();
  }
  return gone.empty() ? OkStatus() : updater.Write(rows, gone);
}

}  // namespace

Result<FleetManifest> UpdateFleet(const std::string& data, const std::string& catalogue,
                                  Listener& listener) {
  const FleetFolder folder(data);
  RS_ASSIGN_OR_RETURN(FleetManifest manifest, folder.ReadManifest());
  if (manifest.is_simulated) return manifest;
  RS_ASSIGN_OR_RETURN(const auto store,
                      store::Store::Open(data, {.read_only = true, .catalogue = catalogue}));
  RS_ASSIGN_OR_RETURN(const auto unreadable, store->catalogue().Unreadable());
  for (const auto& [path, why] : unreadable)
    listener.OnNotice(fmt::format("{}: {}", path, why.message()));
  {
    RS_ASSIGN_OR_RETURN(const auto known, KnownRuns(folder, manifest));
    RS_ASSIGN_OR_RETURN(const auto runs, store->catalogue().All());
    if (WorkOf(runs, known).is_empty()) return manifest;
  }
  RS_ASSIGN_OR_RETURN(const int lock, folder.Lock());
  const auto update = [&]() -> Result<FleetManifest> {
    // Somebody else may have done it meanwhile.
    RS_ASSIGN_OR_RETURN(FleetManifest now, folder.ReadManifest());
    RS_ASSIGN_OR_RETURN(const auto known, KnownRuns(folder, now));
    RS_ASSIGN_OR_RETURN(const auto runs, store->catalogue().All());
    const Work work = WorkOf(runs, known);
    Updater updater(folder, std::move(now), known);
    RS_RETURN_IF_ERROR(UpdateRuns(*store, work, updater, listener));
    return updater.manifest();
  };
  auto updated = update();
  close(lock);
  return updated;
}

}  // namespace rankscope::app
