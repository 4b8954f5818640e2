#include "sim/server/token_text.h"

#include "base/hash.h"
#include "sim/model/jitter.h"
#include "sim/serving/engine_settings.h"

namespace rankscope::sim {
namespace {

constexpr std::size_t kTokenBytes = 4;
constexpr std::size_t kBlockTokens = EngineSettings::kBlockTokens;

constexpr std::string_view kWords[] = {
    " the", " and", " for", " you", " not", " are", " all", " new", " was", " can", " has",
    " but", " our", " one", " may", " out", " use", " any", " who", " get", " now", " how",
    " see", " two", " way", " day", " off", " run", " set", " end", " top", " few"};

std::vector<std::uint64_t> Chain(const char* data, std::size_t bytes, std::size_t block_bytes) {
  std::vector<std::uint64_t> hashes;
  std::uint64_t before = 0;
  for (std::size_t at = 0; at + block_bytes <= bytes; at += block_bytes) {
    before = MixAll(before, Checksum64(data + at, block_bytes), block_bytes);
    hashes.push_back(before);
  }
  return hashes;
}

}  // namespace

std::int64_t CountTokens(std::string_view text) {
  return static_cast<std::int64_t>((text.size() + kTokenBytes - 1) / kTokenBytes);
}

std::vector<std::uint64_t> BlockHashes(std::string_view text) {
  return Chain(text.data(), text.size(), kBlockTokens * kTokenBytes);
}

std::vector<std::uint64_t> BlockHashes(std::span<const std::int64_t> tokens) {
  return Chain(reinterpret_cast<const char*>(tokens.data()), tokens.size_bytes(),
               kBlockTokens * sizeof(std::int64_t));
}

std::string_view WordOf(std::uint64_t draw) { return kWords[Mix(draw) % std::size(kWords)]; }

}  // namespace rankscope::sim
