#include "app/fleet/fleet_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/durable.h"
#include "base/file.h"
#include "base/text.h"
#include "fleet/questions/fleet_sql.h"
#include "fleet/rows/rollup.h"
#include "json/reader.h"
#include "json/writer.h"
#include "sql/files_database.h"
#include "sql/parquet.h"

namespace rankscope::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSchema = "rankscope.fleet/1";
constexpr std::uint64_t kFleetFolderMemoryBytes = std::uint64_t{2} << 30;

Status CannotRead(const std::string& path, std::string_view why) {
  return Error(
      StatusCode::kBadData,
      "{}: {}; the folder follows from the store's runs: remove it, and the next rankscope "
      "fleet makes it anew",
      path, why);
}

bool IsDay(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  for (const std::size_t i : {0, 1, 2, 3, 5, 6, 8, 9}) {
    if (text[i] < '0' || text[i] > '9') return false;
  }
  return true;
}

// One table of a day: the old rows that stay, and the new ones.
Status WriteTable(sql::FilesDatabase& database, const Table& added, const std::string& old,
                  const std::set<std::string>& gone, const std::string& to) {
  const std::string name = "added_" + added.name();
  RS_RETURN_IF_ERROR(database.AddTable(name, added));
  std::string select = "SELECT * FROM " + name;
  if (!old.empty()) {
    std::string kept = "SELECT * FROM " + sql::ReadParquetOf({&old, 1});
    if (!gone.empty()) {
      kept += " WHERE run_id NOT IN (";
      for (const std::string& run : gone) kept += fleet::Quoted(run) + ",";
      kept.back() = ')';
    }
    select = kept + " UNION ALL " + select;
  }
  return database.Copy(select, added, to);
}

Result<TableOf<KernelDay>> RollUp(sql::FilesDatabase& database, const std::string& file) {
  fleet::DayRollup rollup;
  RS_RETURN_IF_ERROR(database.Stream("SELECT * FROM " + sql::ReadParquetOf({&file, 1}),
                                     [&](const Table& chunk) -> Status {
                                       if (!SchemaOf<KernelRun>().Fits(chunk))
                                         return CannotRead(file, "its columns are others");
                                       return rollup.Add(chunk);
                                     }));
  return rollup.Finish();
}

}  // namespace

Result<FleetManifest> FleetFolder::ReadManifest() const {
  const std::string path = folder_ + "/manifest.json";
  FleetManifest manifest;
  std::error_code error;
  if (!fs::exists(path, error)) return manifest;
  RS_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  const Result<json::Reader> reader = json::Reader::Parse(text);
  if (!reader.ok()) return CannotRead(path, reader.status().message());
  const json::Value root = reader->root();
  if (root["schema"].TextOr("") != kSchema) return CannotRead(path, "it is of another version");
  const auto generation = root["generation"].Integer();
  if (!generation) return CannotRead(path, "it has no generation");
  manifest.generation = *generation;
  manifest.is_simulated = root["source"].TextOr("") == "simulated";
  if (root["rows"].IntegerOr(0) != kFleetRowsVersion) return manifest;
  for (const json::Value& day : root["days"].Items()) {
    const std::string name = day["day"].TextOr("");
    const auto of_day = day["generation"].Integer();
    if (!IsDay(name) || !of_day) return CannotRead(path, "a day of it is damaged");
    manifest.days[name] = *of_day;
  }
  return manifest;
}

Status FleetFolder::WriteManifest(const FleetManifest& manifest) const {
  std::string text;
  json::Writer writer(text);
  writer.BeginObject()
      .TextMember("schema", kSchema)
      .Member("rows", kFleetRowsVersion)
      .TextMember("source", manifest.is_simulated ? "simulated" : "store")
      .Member("generation", manifest.generation);
  writer.Key("days").BeginArray();
  for (const auto& [day, generation] : manifest.days) {
    writer.BeginObject().TextMember("day", day).Member("generation", generation).EndObject();
  }
  writer.EndArray().EndObject();
  return WriteDurably(folder_ + "/manifest.json", text + "\n", folder_);
}

std::string FleetFolder::FileOf(std::string_view table, std::string_view day,
                                std::int64_t generation) const {
  return fmt::format("{}/{}.{}.{}.parquet", folder_, table, day, generation);
}

std::vector<std::string> FleetFolder::FilesOf(const FleetManifest& manifest, std::string_view table,
                                              const std::string& since,
                                              const std::string& until) const {
  std::vector<std::string> files;
  for (const auto& [day, generation] : manifest.days) {
    if ((since.empty() || day >= since) && (until.empty() || day <= until))
      files.push_back(FileOf(table, day, generation));
  }
  return files;
}

Result<int> FleetFolder::Lock() const {
  RS_RETURN_IF_ERROR(MakeFolder(folder_));
  const std::string path = folder_ + "/lock";
  const int lock = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock < 0) {
    return Error(StatusCode::kIo,
                 "{}: {}; the rows of runs are kept there: rankscope fleet has to run once as who "
                 "may write to the store",
                 path, std::strerror(errno));
  }
  while (flock(lock, LOCK_EX) != 0) {
    if (errno == EINTR) continue;
    const int why = errno;
    close(lock);
    return Error(StatusCode::kIo, "{}: {}", path, std::strerror(why));
  }
  return lock;
}

Status FleetFolder::WriteDay(const std::string& day, const std::set<std::string>& gone,
                             const fleet::FleetRows& rows, FleetManifest& manifest) const {
  const auto known = manifest.days.find(day);
  const std::int64_t next = manifest.generation + 1;
  RS_ASSIGN_OR_RETURN(const auto database,
                      sql::FilesDatabase::Open({.memory_bytes = kFleetFolderMemoryBytes}));
  for (const Table* table :
       std::initializer_list<const Table*>{&rows.runs, &rows.kernels, &rows.findings}) {
    const std::string old =
        known == manifest.days.end() ? "" : FileOf(table->name(), day, known->second);
    RS_RETURN_IF_ERROR(WriteTable(*database, *table, old, gone, FileOf(table->name(), day, next)));
  }
  RS_ASSIGN_OR_RETURN(const TableOf<KernelDay> rollup,
                      RollUp(*database, FileOf(KernelRun::kName, day, next)));
  RS_RETURN_IF_ERROR(sql::WriteParquet(rollup, FileOf(KernelDay::kName, day, next)));
  RS_RETURN_IF_ERROR(SyncFolder(folder_));
  manifest.generation = next;
  manifest.days[day] = next;
  return OkStatus();
}

void FleetFolder::RemoveUnnamed(const FleetManifest& manifest) const {
  std::set<std::string> named;
  for (const std::string_view table :
       {FleetRun::kName, KernelRun::kName, FindingRun::kName, KernelDay::kName}) {
    for (const std::string& file : FilesOf(manifest, table, "", "")) named.insert(file);
  }
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    const std::string path = folder_ + "/" + entry.path().filename().string();
    if (Contains(path, ".parquet") && !named.contains(path)) fs::remove(path, error);
  }
}

}  // namespace rankscope::app
