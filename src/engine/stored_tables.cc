#include "engine/stored_tables.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "engine/packing.h"
#include "table/codec.h"
#include "table/schema.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostSmallCells = std::size_t{1} << 20;
// Tables with options that nobody asks for any more are dropped beyond so many.
constexpr std::size_t kMostTablesStored = 512;

// The name of a table in the cache, among those of its job.
std::string NameOf(const Analysis& analysis, const Options& options) {
  const Options complete = CompleteOptions(analysis, options).value();
  std::string name = fmt::format("table-{}-{};", static_cast<int>(analysis.group), analysis.name);
  for (const auto& [option, value] : complete)
    name += fmt::format("{}={}:{};", option, value.size(), value);
  return name;
}

}  // namespace

bool IsSmall(const Table& table) {
  return table.row_count() * table.column_count() <= kMostSmallCells;
}

std::shared_ptr<const Table> StoredTables::Find(const Analysis& analysis, const Options& options) {
  if (!stored_) stored_ = cache_.FindPartials(*cache_.FolderFor(""), key_);
  const auto bytes = stored_->Get(NameOf(analysis, options));
  if (!bytes) return nullptr;
  auto tables = DecodeTables(*bytes);
  if (!tables.ok() || tables->size() != 1 || !HasColumns(tables->front(), analysis.columns))
    return nullptr;
  return std::make_shared<const Table>(std::move(tables->front()));
}

void TablesToStore::Add(const Analysis& analysis, const Options& options, const Table& table) {
  if (!IsSmall(table) || !HasColumns(table, analysis.columns)) return;
  const Table* const one = &table;
  packed_.emplace(NameOf(analysis, options), Pack(EncodeTables({one, 1})));
}

void TablesToStore::Store(const Cache& cache, const Hash128& key) {
  if (packed_.empty()) return;
  const std::string folder = *cache.FolderFor("");
  Partials stored = cache.FindPartials(folder, key);
  if (stored.size() + packed_.size() > kMostTablesStored)
    stored.KeepOnly([](std::string_view) { return false; });
  for (auto& [name, packed] : packed_) stored.SetPacked(name, std::move(packed));
  cache.StorePartials(folder, key, stored);
}

}  // namespace rankscope
