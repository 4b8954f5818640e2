#include "load/requests/prompt.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace rankscope::load {
namespace {

constexpr std::int32_t kBlock = 512;
constexpr std::array<std::string_view, 64> kWords = {
    "time",   "year",   "people", "way",    "day",   "man",  "thing", "world", "life",  "hand",
    "part",   "child",  "eye",    "woman",  "place", "work", "week",  "case",  "point", "home",
    "water",  "room",   "area",   "money",  "story", "fact", "month", "lot",   "right", "study",
    "book",   "word",   "house",  "side",   "kind",  "head", "car",   "game",  "line",  "end",
    "group",  "name",   "idea",   "body",   "back",  "face", "door",  "art",   "war",   "party",
    "result", "change", "air",    "moment", "city",  "team", "force", "food",  "music", "light",
    "town",   "road",   "map",    "field"};

// SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t Mixed(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

}  // namespace

void AppendWords(std::string& text, std::int32_t count, std::uint64_t seed) {
  std::uint64_t state = seed, bits = 0;
  int left = 0;
  for (std::int32_t i = 0; i < count; ++i) {
    if (left == 0) {
      bits = Mixed(state);
      left = 10;
    }
    if (!text.empty()) text += ' ';
    text += kWords[bits & 63];
    bits >>= 6;
    --left;
  }
}

std::string PromptText(std::int32_t tokens, std::uint64_t seed, std::int32_t shared,
                       std::uint64_t shared_seed, std::span<const std::uint64_t> blocks) {
  std::string text;
  text.reserve(static_cast<std::size_t>(tokens) * 6);
  std::int32_t left = tokens;
  for (const std::uint64_t block : blocks) {
    const std::int32_t words = std::min(left, kBlock);
    AppendWords(text, words, block ^ shared_seed);
    left -= words;
  }
  if (blocks.empty()) {
    const std::int32_t words = std::min(left, shared);
    AppendWords(text, words, shared_seed);
    left -= words;
  }
  AppendWords(text, left, seed);
  return text;
}

}  // namespace rankscope::load
