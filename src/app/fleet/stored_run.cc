#include "app/fleet/stored_run.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>

#include "app/report_folder.h"
#include "base/file.h"
#include "json/reader.h"
#include "schemas/captures.h"
#include "schemas/device.h"
#include "schemas/findings.h"
#include "schemas/kernels.h"
#include "schemas/roofline.h"
#include "schemas/steps.h"
#include "sql/files_database.h"
#include "store/sha256.h"
#include "table/conform.h"

namespace rankscope::app {
namespace {

const store::RunTable* PartOf(const store::RunReport& report, std::string_view name) {
  const auto found = std::ranges::find(report.tables, name, &store::RunTable::name);
  return found == report.tables.end() ? nullptr : &*found;
}

// The part of a report that holds a table of it (report_folder.h).
std::string TablePart(std::string_view table) { return fmt::format("{}.parquet", table); }

// nullopt: the report has no such table.
Result<std::optional<Table>> ReadPart(store::Blobs& blobs, const store::Run& run,
                                      std::string_view name, sql::FilesDatabase& database) {
  const store::RunTable* part = PartOf(run.reports.back(), name);
  if (part == nullptr) return std::optional<Table>();
  RS_ASSIGN_OR_RETURN(const std::string path, blobs.PathOf(part->sha256));
  Result<Table> table = database.Run("SELECT * FROM " + sql::ReadParquetOf({&path, 1}));
  if (table.ok()) return std::optional<Table>(*std::move(table));
  return Error(StatusCode::kBadData,
               "run {}: the store has its table {} damaged ({}): rankscope store check --contents "
               "names all such",
               run.id, name, table.status().message());
}

// The begin of the job's clock and its step time, as report.json has them.
Status TakeReport(store::Blobs& blobs, const store::Run& run, fleet::RunInput& input) {
  const store::RunTable* part = PartOf(run.reports.back(), "report.json");
  if (part == nullptr) return OkStatus();
  const auto path = blobs.PathOf(part->sha256);
  // Away it may be read the next time; rows without it would stay.
  if (!path.ok()) return store::IsAway(path.status()) ? path.status() : OkStatus();
  const auto text = ReadFile(*path);
  if (!text.ok()) return OkStatus();
  const auto reader = json::Reader::Parse(*text);
  if (!reader.ok()) return OkStatus();
  const json::Value job = reader->root()["job"];
  const std::string origin = job["origin_ns"].TextOr("");
  std::int64_t ns = 0;
  const auto parsed = std::from_chars(origin.data(), origin.data() + origin.size(), ns);
  if (parsed.ec == std::errc() && parsed.ptr == origin.data() + origin.size() && ns > 0)
    input.origin_ns = ns;
  input.step_ns = job["step_time_ns"]["median"].Number();
  input.bottleneck = job["bottleneck"].TextOr("");
  return OkStatus();
}

}  // namespace

bool HasFleetRows(const store::Run& run) {
  if (run.state != store::RunState::kReady || run.reports.empty()) return false;
  return PartOf(run.reports.back(), TablePart(KernelsByName::kName)) != nullptr;
}

std::string FleetContentOf(const store::Run& run) {
  store::Sha256 hash;
  const auto add = [&](std::string_view text) {
    hash.Add(std::to_string(text.size()) + ":");
    hash.Add(text);
  };
  for (const std::string_view text :
       {std::string_view(run.id), std::string_view(run.name), std::string_view(run.user),
        std::string_view(run.team), std::string_view(run.model), std::string_view(run.product),
        std::string_view(run.framework), std::string_view(run.hardware)})
    add(text);
  for (const auto& [name, value] : run.tags) {
    add(name);
    add(value);
  }
  for (const store::RunTable& part : run.reports.back().tables) {
    add(part.name);
    add(part.sha256);
  }
  return hash.Hex();
}

Status AddStoredRun(store::Store& store, const store::Run& run, sql::FilesDatabase& database,
                    fleet::FleetRows& rows) {
  store::Blobs& blobs = store.blobs();
  fleet::RunInput input{.id = run.id,
                        .name = run.name,
                        .user = run.user,
                        .team = run.team,
                        .model = run.model,
                        .product = run.product,
                        .framework = run.framework,
                        .hardware = run.hardware,
                        .tags = run.tags,
                        .world_size = run.world_size,
                        .added_s = run.created_s,
                        .content = FleetContentOf(run)};
  struct Part {
    std::string name;
    const Table* fleet::RunInput::*to;
    const SchemaColumns& schema;
    std::optional<Table> table = {};
  };
  std::array parts = {
      Part{std::string(kSketchesPart), &fleet::RunInput::kernel_sketches,
           SchemaOf<KernelSketches>()},
      Part{TablePart(KernelsByName::kName), &fleet::RunInput::kernels_by_name,
           SchemaOf<KernelsByName>()},
      Part{std::string(kRooflinePart), &fleet::RunInput::roofline, SchemaOf<Roofline>()},
      Part{TablePart(Captures::kName), &fleet::RunInput::captures, SchemaOf<Captures>()},
      Part{TablePart(Utilisation::kName), &fleet::RunInput::utilisation, SchemaOf<Utilisation>()},
      Part{TablePart(JobSteps::kName), &fleet::RunInput::job_steps, SchemaOf<JobSteps>()},
      Part{TablePart(Findings::kName), &fleet::RunInput::findings, SchemaOf<Findings>()}};
  std::vector<std::string> contents;
  for (const Part& part : parts) {
    if (const store::RunTable* found = PartOf(run.reports.back(), part.name); found != nullptr)
      contents.push_back(found->sha256);
  }
  if (const store::RunTable* report = PartOf(run.reports.back(), "report.json"); report != nullptr)
    contents.push_back(report->sha256);
  const auto hold = blobs.Hold(contents);
  store::Prefetch(blobs, contents);
  RS_RETURN_IF_ERROR(TakeReport(blobs, run, input));
  for (Part& part : parts) {
    RS_ASSIGN_OR_RETURN(part.table, ReadPart(blobs, run, part.name, database));
    if (!part.table) continue;
    // Reports of other versions have other columns.
    part.table = ConformedTo(part.schema, *part.table);
    input.*part.to = &*part.table;
  }
  return fleet::AddRun(input, rows);
}

}  // namespace rankscope::app
