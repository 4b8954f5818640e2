// Notes on a run: from people, and from the server about its acts for them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/status.h"
#include "store/run.h"

namespace rankscope::service {

// One more than the largest of these numbers.
template <typename Items>
std::int64_t NextId(const Items& items) {
  std::int64_t next = 1;
  for (const auto& one : items) next = std::max(next, one.id + 1);
  return next;
}

// Gives the note its id. kResource when the run has `most` already.
Status AddNote(store::Run& run, store::RunNote& note, std::size_t most);

}  // namespace rankscope::service
