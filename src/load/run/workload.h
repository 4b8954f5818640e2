// The requests of a run, one after the other: prompts, lengths, conversations.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "load/base/spec.h"
#include "load/requests/body.h"
#include "load/schedule/lengths.h"
#include "load/schedule/replay_file.h"

namespace rankscope::load {

struct NextRequest {
  std::int64_t number = 0;
  std::string id;
  std::string prompt;
  std::int32_t output_tokens = 0;
};

// The same seed and level give the same requests; other levels have different prompts, so that none
// is in the server's cache.
class Workload {
 public:
  Workload(const LoadSpec& spec, std::int32_t level, std::uint64_t run);
  NextRequest Next();
  NextRequest Next(const RecordedRequest& recorded);

 private:
  NextRequest Make(std::int32_t prompt_tokens, std::int32_t output_tokens,
                   std::span<const std::uint64_t> blocks);

  const LoadSpec& spec_;
  const std::int32_t level_;
  const std::uint64_t run_;  // makes request ids unique across runs
  LengthSource prompt_, output_;
  std::int64_t made_ = 0;
};

}  // namespace rankscope::load
