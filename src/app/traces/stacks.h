// Call stacks of all ranks for flame graphs: the use case of `trace stacks`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "app/listener.h"
#include "app/open_job.h"
#include "base/status.h"

namespace rankscope::app {

struct StacksSpec {
  enum class Format : std::uint8_t { kCollapsed, kSpeedscope } format = Format::kCollapsed;
  // Durations of launched kernels and copies, or time of threads.
  enum class Weight : std::uint8_t { kDevice, kHost } weight = Weight::kDevice;
  std::size_t most = 10'000;  // stacks; the rest become one, (others)
  bool by_rank = false;       // each rank's stacks inside a separate frame
};

// Python, annotations, ops and calls. kNotFound if nothing happens in the steps of `job`.
Result<std::string> StacksOf(const JobSpec& job, const StacksSpec& spec, Listener& listener);

}  // namespace rankscope::app
