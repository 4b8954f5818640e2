#include "base/running_checksum.h"

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

namespace rankscope {

struct RunningChecksum::State {
  XXH3_state_t of;
};

RunningChecksum::RunningChecksum() : state_(std::make_unique<State>()) {
  XXH3_64bits_reset(&state_->of);
}

RunningChecksum::~RunningChecksum() = default;

void RunningChecksum::Add(std::string_view bytes) {
  XXH3_64bits_update(&state_->of, bytes.data(), bytes.size());
}

std::uint64_t RunningChecksum::Value() const { return XXH3_64bits_digest(&state_->of); }

}  // namespace rankscope
