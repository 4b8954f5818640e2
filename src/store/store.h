// Store: a folder of runs, their traces and their reports.
//
//   FOLDER/store.json       {"format": 3}: what may read and write it
//   FOLDER/lock             held by the process that writes
//   FOLDER/blobs/ab/ab12..  contents, by SHA-256; or in S3 (s3_blobs.h), then blobs.json says where
//   FOLDER/runs/ID.json     a record per run; renaming it into place is what makes a change happen
//   FOLDER/temporary/       what is being written; nothing in it counts
//   FOLDER/shards/RUN-N/    of a cluster: what workers have read of a large run for its report N
//   FOLDER/shared           there when the runs are in a database: the name that the database has
//                           for the folder, and the database's address. Who does not know which
//                           one would take all contents for garbage, and is refused
//
// Contents are durable before a record names them. So a process or machine that dies at any time
// leaves every run as it was before or after a change, and at worst some contents that no run
// names, which CollectGarbage removes. Safe for many threads. One process writes at a time, except
// if the catalogue is in a database: then many do, FOLDER/runs stays empty and nobody holds the
// lock.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "store/blob_place.h"
#include "store/blobs.h"
#include "store/catalogue.h"

namespace rankscope::store {

// Migrates a folder of an older format to the next: from format 1 by the first entry, and so on.
// Each must be repeatable after an interruption.
using Migration = std::function<Status(const std::string& folder)>;

std::vector<Migration> BuiltInMigrations();

struct StoreOptions {
  bool create = false;                  // where there is none
  bool read_only = false;               // without the lock, beside a process that writes
  std::function<std::int64_t()> now_s;  // seconds since 1970; empty: the system's clock
  // "": in the folder. postgresql://...: in this database, which other processes use at the same
  // time, so that the folder has no lock and holds blobs alone; `read_only` is the same as without
  // it.
  std::string catalogue;
  // Reads a folder's own runs although a database has them now, to copy them again.
  bool was_carried_over = false;
  std::vector<Migration> migrations = BuiltInMigrations();  // kStoreFormat - 1 of them
  BlobPlace blobs;                                          // what is said of where they lie
};

struct Retention {
  std::int64_t older_than_s = 0;  // remove runs that were last changed before so long; 0: none
  std::uint64_t most_bytes = 0;   // remove the oldest runs while contents are more; 0: none
  // Contents that no run names stay this long after they were last stored: a run may be about to
  // name them.
  std::int64_t spare_s = 3600;
};

struct Removed {
  std::int64_t runs = 0;
  std::int64_t blobs = 0;
  std::uint64_t bytes = 0;
};

struct Problem {
  std::string where;  // a run's id and file, or a path
  std::string what;
};

struct Checked {
  std::int64_t runs = 0;
  std::int64_t blobs = 0;
  std::uint64_t bytes = 0;
  std::int64_t unused_blobs = 0;     // no problem: garbage
  std::int64_t unsealed = 0;         // runs whose records have no checksum: of older versions
  std::int64_t sealed_late = 0;      // whose records got one after they were made
  std::vector<std::string> damaged;  // contents that are not what their names say
  std::vector<Problem> problems;
};

class PostgresCatalogue;

class Store {
 public:
  // kNotFound if there is no store; kResource while another process writes; kBadData for a folder
  // of a newer format, or of something else. kInvalidArgument for a folder whose runs are in a
  // database if `catalogue` is missing, and for one with runs of its own that the database lacks.
  static Result<std::unique_ptr<Store>> Open(const std::string& folder, StoreOptions options);
  ~Store();

  Blobs& blobs() { return *blobs_; }
  Catalogue& catalogue() { return *catalogue_; }
  // The same if it is in a database, else null.
  PostgresCatalogue* cluster() { return cluster_; }
  // Makes the folder that of a cluster, whose runs are in `catalogue` from then on; opening it
  // alone is refused. For a store with the folder's lock, or one that was given to it before.
  // kInvalidArgument if that has not all of the folder's runs, has another folder, or if the folder
  // is another database's.
  Status GiveTo(PostgresCatalogue& catalogue) const;
  // Whether GiveTo may go well, before runs are copied for it.
  Status CheckGivable(const PostgresCatalogue& catalogue) const;
  // For files that libraries write by name.
  const std::string& temporary_folder() const { return temporary_; }

  // The folder in which the workers of a cluster keep the data that they have read of a run, for
  // its report of this number until that exists (shard_plan/plan.h). Garbage collection removes it
  // once the run has that report. It also removes it if the run does not wait for it and nothing
  // was added for as long as unnamed contents stay.
  std::string ShardFolderOf(const std::string& run, std::int64_t report) const;

  // Runs with the tag "keep" are never removed. If several processes share a database, one collects
  // at a time, and the others find nothing to do.
  Result<Removed> CollectGarbage(const Retention& retention);
  // Reads every record and checks that every content it names exists; with `contents` each is read
  // and hashed.
  Result<Checked> Check(bool contents) const;
  // Check(true), then adds checksums to records without one, if all contents of the run are intact.
  // Others stay as they are, and are among the problems anyway. In the result `unsealed` counts
  // those left, and `sealed_late` includes those sealed now.
  Result<Checked> Seal();

 private:
  Store() = default;
  // `sound`: the runs without a problem, by id.
  Result<Checked> Check(bool contents, std::vector<std::string>& sound) const;
  std::int64_t Now() const { return now_s_(); }

  std::string folder_;
  std::string temporary_;
  int lock_ = -1;
  std::function<std::int64_t()> now_s_;
  std::unique_ptr<Blobs> blobs_;
  std::unique_ptr<Catalogue> catalogue_;
  PostgresCatalogue* cluster_ = nullptr;  // catalogue_, where it is one
};

}  // namespace rankscope::store
