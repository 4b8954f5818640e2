#include "load/run/workload.h"

#include <fmt/core.h>

#include "load/requests/prompt.h"

namespace rankscope::load {
namespace {

// Streams of random numbers that do not touch each other.
std::uint64_t SeedOf(std::uint64_t seed, std::int32_t level, std::uint64_t stream) {
  return seed * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(level + 1) * 0xD1B54A32D192ED03U +
         stream * 0x8CB92BA72F3D8DD7U;
}

}  // namespace

Workload::Workload(const LoadSpec& spec, std::int32_t level, std::uint64_t run)
    : spec_(spec),
      level_(level),
      run_(run),
      prompt_(spec.prompt, SeedOf(spec.seed, level, 1)),
      output_(spec.output, SeedOf(spec.seed, level, 2)) {}

NextRequest Workload::Make(std::int32_t prompt_tokens, std::int32_t output_tokens,
                           std::span<const std::uint64_t> blocks) {
  NextRequest next{.number = made_++, .output_tokens = output_tokens};
  next.id = fmt::format("rs-{:x}-{}-{}", run_, level_, next.number);
  if (spec_.target.endpoint == Endpoint::kPlain) return next;
  next.prompt =
      PromptText(prompt_tokens,
                 SeedOf(spec_.seed, level_, 16 + static_cast<std::uint64_t>(next.number)) ^ run_,
                 spec_.shared_prefix, SeedOf(spec_.seed, 0, 3), blocks);
  return next;
}

NextRequest Workload::Next() { return Make(prompt_.Next(), output_.Next(), {}); }

NextRequest Workload::Next(const RecordedRequest& recorded) {
  return Make(recorded.prompt_tokens, recorded.output_tokens, recorded.blocks);
}

}  // namespace rankscope::load
