// The runs of a store. A run exists as a whole or not at all. A change is durable when its call
// returns.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "store/run.h"
#include "store/run_index.h"

namespace rankscope::store {

// Safe for many threads. One implementation keeps a file for each run and all of them in memory.
// The other uses a database shared by several servers (postgres_catalogue.h), and any of its
// functions may return kIo if that is unreachable.
class Catalogue {
 public:
  virtual ~Catalogue() = default;

  // Makes a new run with the values of `run`, an id and the present time. If a run has that key
  // already, returns it unchanged. kResource if it makes more runs of its team than `most_of_team`;
  // 0: any number.
  virtual Result<Run> Create(Run run, std::size_t most_of_team = 0) = 0;
  Result<Run> Find(std::string_view id) const;
  // The record itself, which later changes do not affect; copies nothing.
  virtual Result<std::shared_ptr<const Run>> Look(std::string_view id) const = 0;
  // By time of creation, the newest first. Copies all, so it is for rare work. Unreadable runs are
  // left out.
  virtual Result<std::vector<Run>> All() const = 0;
  // A page of a list (run_index.h has what it costs).
  virtual Result<RunPage> Page(const RunQuery& query) const = 0;
  virtual Result<std::size_t> Count() const = 0;
  // Reads the run, lets `change` change it and writes it, atomically. An error of `change` leaves
  // the run as it was. Id, key and time of creation do not change. Concurrent changes of one run
  // are written together, as one record. `change` is called once, possibly by another thread. It is
  // called again only if a database rolled back the write and somebody else has changed the run
  // since, so it must set its captured values anew. Returns the run as written: with a checksum
  // (sealed_s) and, if more than that changed, the time of the change.
  virtual Result<std::shared_ptr<const Run>> Update(std::string_view id,
                                                    const std::function<Status(Run&)>& change) = 0;
  // The same, with a copy of the run.
  Result<Run> Change(std::string_view id, const std::function<Status(Run&)>& change);
  virtual Status Remove(std::string_view id) = 0;

  // Records that could not be read, and why. They are left alone.
  virtual Result<std::vector<std::pair<std::string, Status>>> Unreadable() const = 0;

  // A lock to hold during garbage collection; nullptr if another process is collecting. The writer
  // of a folder is always alone.
  class Collecting {
   public:
    virtual ~Collecting() = default;
  };
  virtual Result<std::unique_ptr<Collecting>> BeginCollecting() {
    return std::make_unique<Collecting>();
  }
};

// Reads all records of `folder`. `now_s` is the clock.
Result<std::unique_ptr<Catalogue>> OpenFolderCatalogue(std::string folder, std::string temporary,
                                                       std::function<std::int64_t()> now_s);

}  // namespace rankscope::store
