// The runs of a store. A run is there as a whole or not at all; a change is durable when the call
// that makes it returns.
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

// Safe for many threads. One implementation keeps a file for each run and all of them in memory;
// the other asks a database that several servers share (postgres_catalogue.h), and any of its
// functions may give kIo when that is away.
class Catalogue {
 public:
  virtual ~Catalogue() = default;

  // A new run with the values of `run`, an id and the times of now. With a key that a run has, that
  // run as it is, and nothing is changed.
  virtual Result<Run> Create(Run run) = 0;
  Result<Run> Find(std::string_view id) const;
  // The record itself, which stays as it is whatever is changed later; copies nothing.
  virtual Result<std::shared_ptr<const Run>> Look(std::string_view id) const = 0;
  // By time of creation, the newest first. Copies all: for work that is seldom done. What cannot be
  // read is left out.
  virtual Result<std::vector<Run>> All() const = 0;
  // A page of a list (run_index.h has what it costs).
  virtual Result<RunPage> Page(const RunQuery& query) const = 0;
  virtual Result<std::size_t> Count() const = 0;
  // Reads the run, lets `change` change it and writes it, with nothing in between. What `change`
  // returns as an error leaves the run as it was. Neither id, key nor time of creation change.
  // Changes of one run that come side by side are written together, as one record: `change` is
  // called once, maybe by another thread; again only where a database took back what was written
  // and somebody else has changed the run since, so what it captures it sets anew. Gives the run as
  // it was written: with a checksum (sealed_s) and, where more than that changed, the time of the
  // change.
  virtual Result<std::shared_ptr<const Run>> Update(std::string_view id,
                                                    const std::function<Status(Run&)>& change) = 0;
  // The same, with a copy of the run.
  Result<Run> Change(std::string_view id, const std::function<Status(Run&)>& change);
  virtual Status Remove(std::string_view id) = 0;

  // Records that could not be read, and why. They are left alone.
  virtual Result<std::vector<std::pair<std::string, Status>>> Unreadable() const = 0;

  // Who collects garbage holds what this gives meanwhile; nullptr where another process does so. A
  // folder's one writer is always alone.
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
