// Store: a folder of runs, their traces and what was made of them.
//
//   FOLDER/store.json       {"format": 3}: what may read and write it
//   FOLDER/lock             held by the process that writes
//   FOLDER/blobs/ab/ab12..  contents, by SHA-256; or in S3 (s3_blobs.h), then blobs.json says where
//   FOLDER/runs/ID.json     a record per run; renaming it into place is what makes a change happen
//   FOLDER/temporary/       what is being written; nothing in it counts
//   FOLDER/shards/RUN-N/    of a cluster: what workers have read of a large run for its report N
//   FOLDER/shared           there when the runs are in a database: who does not know which one
//   would
//                           take all contents for garbage, and is refused
//
// Contents are durable before a record names them, so a process or machine that dies at any time
// leaves every run as it was before or after a change, and at worst contents that no run names,
// which CollectGarbage removes. Safe for many threads. One process writes at a time, except where
// the catalogue is in a database: then many do, FOLDER/runs stays empty and nobody holds the lock.
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

// How a folder of an older format becomes one of the next: from format 1 the first entry, and so
// on. Each must bear being done again after it was cut off.
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
  // Reads a folder's own runs although a database has them now, to carry them over once more.
  bool was_carried_over = false;
  std::vector<Migration> migrations = BuiltInMigrations();  // kStoreFormat - 1 of them
  BlobPlace blobs;                                          // what is said of where they lie
};

struct Retention {
  std::int64_t older_than_s = 0;  // remove runs that were last changed before so long; 0: none
  std::uint64_t most_bytes = 0;   // remove the oldest runs while contents are more; 0: none
  // Contents that no run names stay so long after they were stored last: a run may be about to name
  // them.
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
  // kNotFound where there is no store; kResource while another process writes; kBadData for a
  // folder of a newer format, or of something else; kInvalidArgument for one whose runs are in a
  // database without `catalogue`, and for one with runs of its own that the database has not.
  static Result<std::unique_ptr<Store>> Open(const std::string& folder, StoreOptions options);
  ~Store();

  Blobs& blobs() { return *blobs_; }
  Catalogue& catalogue() { return *catalogue_; }
  // The same where it is in a database, else null.
  PostgresCatalogue* cluster() { return cluster_; }
  // For files that libraries write by name.
  const std::string& temporary_folder() const { return temporary_; }

  // Where the workers of a cluster keep what they have read of a run for its report of this number
  // until it is there (shard_plan/plan.h). Removed when garbage is collected, once the run has that
  // report; and when the run does not wait for it and nothing was added for as long as contents
  // that no run names stay.
  std::string ShardFolderOf(const std::string& run, std::int64_t report) const;

  // Runs with the tag "keep" are never removed. Of several processes with one database one collects
  // at a time: the others find nothing to do.
  Result<Removed> CollectGarbage(const Retention& retention);
  // Reads every record and looks for every content that it names; with `contents` each is read and
  // hashed.
  Result<Checked> Check(bool contents) const;
  // Check(true), then records without a checksum get one: those of runs all of whose contents are
  // there and what they are to be. Others stay as they are, and are among the problems anyway.
  // `unsealed` of the result is what is left, `sealed_late` has what was sealed now.
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
