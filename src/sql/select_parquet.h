// Rows of a table stored as Parquet: filtered, sorted and limited, as an API or a page requests
// them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "table/condition.h"
#include "table/table.h"

namespace rankscope::sql {

class Session;

struct SortKey {
  std::string column;
  bool descending = false;
};

struct ParquetSelection {
  std::vector<std::string> columns;   // empty: all, in file order
  std::vector<Condition> conditions;  // all must hold
  std::vector<SortKey> sort;          // unknown values last; equal rows keep the file's order
  std::uint64_t offset = 0;
  std::uint64_t limit = 1000;
};

// Thread-safe. At most `most_at_once` databases work at a time, and as many stay open for later
// requests; further threads wait for one.
class ParquetReader {
 public:
  // Receives some of the selected rows, in order, with units and docs as stored by WriteParquet.
  // `row_count` is the total number of rows that fulfil the conditions. Called at least once,
  // possibly without rows, for the columns. An error ends the reading and becomes its status.
  using Take = std::function<Status(const Table& rows, std::uint64_t row_count)>;

  // `memory_bytes` per database; the rest is spilled to disk.
  ParquetReader(std::uint64_t memory_bytes, std::size_t most_at_once);
  ~ParquetReader();

  // A reserved place among the readers. A caller that must not block polls for one. It is released
  // by its destructor, or by the call that it was passed to. It must not outlive its reader.
  class Turn {
   public:
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    friend class ParquetReader;
    explicit Turn(ParquetReader& owner) : owner_(&owner) {}
    ParquetReader* owner_;
  };
  std::unique_ptr<Turn> TryTurn();  // null: all places are taken

  // `turn` comes from TryTurn; with it the call does not wait for a place. Passes on the rows one
  // chunk (2048) at a time: memory depends neither on the file nor on the result; sorting takes up
  // to `memory_bytes`. kInvalidArgument for unknown columns and values of another type, kBadData
  // for a damaged file and one that WriteParquet did not write, kResource beyond memory and disk.
  // Takes a few milliseconds plus the time to read the columns.
  Status Stream(const std::string& path, const std::string& name, const ParquetSelection& selection,
                const Take& take, std::unique_ptr<Turn> turn = nullptr);

  // Writes the rows to a Parquet file at `to` like WriteParquet, and returns the total number of
  // rows that fulfil the conditions. Memory and errors as above.
  Result<std::uint64_t> Copy(const std::string& path, const std::string& name,
                             const ParquetSelection& selection, const std::string& to,
                             std::unique_ptr<Turn> turn = nullptr);

 private:
  class Lent;

  std::unique_ptr<Turn> WaitForTurn();
  void GiveBack();

  const std::uint64_t memory_bytes_;
  const std::size_t most_at_once_;
  std::mutex mutex_;
  std::condition_variable given_back_;
  std::size_t lent_ = 0;
  std::vector<std::unique_ptr<Session>> idle_;
};

}  // namespace rankscope::sql
