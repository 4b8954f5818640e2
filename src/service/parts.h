// What the routes work with.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "service/access.h"
#include "service/event_hub.h"
#include "service/numbers.h"
#include "service/uploads.h"
#include "store/store.h"

namespace rankscope::sql {
class ParquetReader;
}

namespace rankscope::service {

class Agents;
class Captures;
class Commands;
class Queue;
class Timelines;

struct Limits {
  std::uint64_t most_file_bytes = std::uint64_t{64} << 30;
  std::size_t most_files = 100'000;  // of a run
};

struct Parts {
  store::Store& store;
  Queue& queue;
  Commands& commands;
  EventHub& events;
  Access& access;
  Uploads& uploads;
  Numbers& numbers;
  sql::ParquetReader& tables;
  Timelines& timelines;
  Agents& agents;
  Captures& captures;
  Limits limits;
  std::string shares_folder;
  std::string version;            // of this program
  std::string table_definitions;  // JSON: every table with its columns and what they mean
  std::function<std::int64_t()> now_s;
};

// The run of a call's first argument, if the caller may see it. kNotFound otherwise: who may not
// see a run does not learn that it is there.
Result<store::Run> RunOf(const Parts& parts, const Principal& who, std::string_view id);

// Takes a run out of the store, the queue and the uploads, and tells who listens.
Status RemoveRun(Parts& parts, const store::Run& run);
// All its files are there: it is analysed. What is finished already stays so.
Result<store::Run> FinishRun(Parts& parts, const std::string& id);

// Tells who listens what a run's state is now.
void Publish(Parts& parts, const store::Run& run);

}  // namespace rankscope::service
