// Rows of a table that is kept as Parquet: filtered, sorted and cut, as an API or a page asks for
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
  std::vector<std::string> columns;   // empty: all, in their order
  std::vector<Condition> conditions;  // all hold
  std::vector<SortKey> sort;          // unknown last; rows that are equal keep the file's order
  std::uint64_t offset = 0;
  std::uint64_t limit = 1000;
};

// Safe for many threads. At most `most_at_once` databases work at a time, and as many stay for who
// asks next; further threads wait for one.
class ParquetReader {
 public:
  // Some of the selected rows, in their order, with units and docs as WriteParquet stored them;
  // `row_count` is how many fulfil the conditions in all. Called at least once, maybe without rows,
  // for the columns. An error ends the reading and is its status.
  using Take = std::function<Status(const Table& rows, std::uint64_t row_count)>;

  // `memory_bytes` for each database, which spills the rest to disk.
  ParquetReader(std::uint64_t memory_bytes, std::size_t most_at_once);
  ~ParquetReader();

  // A place among those who read, from before they do: whoever may not block asks for one now and
  // then. Given back when it ends, or by what it was handed to. Ends before its reader.
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
  std::unique_ptr<Turn> TryTurn();  // null: as many work as may

  // `turn` of TryTurn: waits for nobody then.
  // Hands on the rows a chunk (2048) at a time: memory follows neither the file nor the answer;
  // rows that are sorted take up to `memory_bytes`. kInvalidArgument for columns that are not there
  // and values that are not of their type, kBadData for a file that WriteParquet did not write or
  // that is damaged, kResource beyond memory and disk. A few milliseconds and the time to read the
  // columns.
  Status Stream(const std::string& path, const std::string& name, const ParquetSelection& selection,
                const Take& take, std::unique_ptr<Turn> turn = nullptr);

  // Writes the rows to a Parquet file at `to` as WriteParquet does, and gives how many fulfil the
  // conditions in all. Memory and errors as above.
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
