#include "app/stored_runs.h"

#include <fmt/core.h>

#include <ctime>
#include <filesystem>

#include "schemas/store.h"
#include "store/sha256.h"
#include "store/store.h"
#include "table/or_null.h"

namespace rankscope::app {
namespace {

namespace fs = std::filesystem;

std::string TagsText(const store::Run& run) {
  std::string text;
  for (const auto& [name, value] : run.tags) {
    if (!text.empty()) text += ", ";
    text += value.empty() ? name : name + "=" + value;
  }
  return text;
}

// The same of all machines.
std::string UtcText(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  if (gmtime_r(&time, &parts) == nullptr) return "";
  char text[32];
  return {text, std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

// Copies, since who gets a file may change it; the copy is hashed, since it is what he gets.
Status Copy(const store::Blobs& blobs, const std::string& sha256, const fs::path& to) {
  RS_ASSIGN_OR_RETURN(const std::string from, blobs.PathOf(sha256));
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  fs::copy_file(from, to, error);
  if (error) return Error(StatusCode::kIo, "{}: cannot write: {}", to.string(), error.message());
  RS_ASSIGN_OR_RETURN(const std::string found, store::Sha256OfFile(to.string()));
  if (found == sha256) return OkStatus();
  fs::remove(to, error);
  return Error(StatusCode::kBadData,
               "{}: the store has it damaged (its content {} has another SHA-256), so it is left "
               "out: rankscope store check --contents names all such",
               to.string(), sha256);
}

}  // namespace

Result<Table> RunsOf(const std::string& data, Listener& listener, const std::string& catalogue) {
  RS_ASSIGN_OR_RETURN(const auto store,
                      store::Store::Open(data, {.read_only = true, .catalogue = catalogue}));
  const auto& columns = SchemaOf<StoredRuns>();
  auto table = columns.NewTable(std::string(StoredRuns::kName));
  RS_ASSIGN_OR_RETURN(const std::vector<store::Run> runs, store->catalogue().All());
  for (const store::Run& run : runs) {
    std::uint64_t bytes = 0;
    for (const store::RunFile& file : run.files) bytes += file.bytes;
    const std::string tags = TagsText(run);
    const std::string created = UtcText(run.created_s);
    table.Add({columns.id = run.id, columns.name = run.name,
               columns.state = store::ToString(run.state), columns.created = created,
               columns.world_size = run.world_size >= 0 ? Value(run.world_size) : Value(kNull),
               columns.hardware = TextOrNull(run.hardware), columns.model = TextOrNull(run.model),
               columns.user = TextOrNull(run.user), columns.team = TextOrNull(run.team),
               columns.product = TextOrNull(run.product),
               columns.framework = TextOrNull(run.framework), columns.tags = TextOrNull(tags),
               columns.files = static_cast<std::int64_t>(run.files.size()),
               columns.bytes = static_cast<std::int64_t>(bytes),
               columns.reports = static_cast<std::int64_t>(run.reports.size()),
               columns.reason = TextOrNull(run.reason)});
  }
  RS_ASSIGN_OR_RETURN(const auto unreadable, store->catalogue().Unreadable());
  for (const auto& [path, why] : unreadable)
    listener.OnNotice(fmt::format("{}: {}", path, why.message()));
  return table;
}

Status CopyRun(const std::string& data, const std::string& id, const std::string& to,
               const std::string& catalogue) {
  RS_ASSIGN_OR_RETURN(const auto store,
                      store::Store::Open(data, {.read_only = true, .catalogue = catalogue}));
  RS_ASSIGN_OR_RETURN(const store::Run run, store->catalogue().Find(id));
  const fs::path folder = to;
  std::error_code error;
  if (fs::exists(folder, error)) {
    return Error(StatusCode::kInvalidArgument, "{}: it is there already; name a new folder", to);
  }
  std::vector<std::string> contents;
  for (const store::RunFile& file : run.files) contents.push_back(file.sha256);
  if (!run.reports.empty()) {
    for (const store::RunTable& table : run.reports.back().tables) contents.push_back(table.sha256);
  }
  const auto hold = store->blobs().Hold(contents);
  store::Prefetch(store->blobs(), contents);
  // What is damaged or gone costs itself; the first such is told.
  Status first;
  const auto copy = [&](const std::string& sha256, const fs::path& place) {
    Status copied = Copy(store->blobs(), sha256, place);
    if (first.ok()) first = std::move(copied);
  };
  for (const store::RunFile& file : run.files) copy(file.sha256, folder / "traces" / file.name);
  if (!run.reports.empty()) {
    for (const store::RunTable& table : run.reports.back().tables)
      copy(table.sha256, folder / "report" / table.name);
  }
  return first;
}

}  // namespace rankscope::app
