#include "cpu_profile/samples/profile.h"

#include <algorithm>

namespace rankscope::cpu_profile {
namespace {

constexpr std::uint32_t kOthers = 1;

// Never within a character of UTF-8.
std::string Bounded(std::string_view text) {
  std::size_t bytes = std::min(text.size(), StackTree::kMostNameBytes);
  while (bytes < text.size() && bytes > 0 && (text[bytes] & 0xC0) == 0x80) --bytes;
  return std::string(text.substr(0, bytes));
}

}  // namespace

std::size_t StackTree::HashOfKey::operator()(const Key& key) const {
  std::uint64_t mixed = key.parent;
  mixed = (mixed << 32 | key.function) * 0x9E3779B97F4A7C15ULL;
  mixed ^= mixed >> 29;
  mixed = (mixed + static_cast<std::uint32_t>(key.line)) * 0xBF58476D1CE4E5B9ULL;
  return static_cast<std::size_t>(mixed ^ mixed >> 32);
}

StackTree::StackTree() : frames_(1), functions_(1) { AddFunction("(others)", ""); }

std::uint32_t StackTree::AddFunction(std::string_view name, std::string_view file,
                                     std::int32_t first_line) {
  std::string key = Bounded(name) + '\0' + Bounded(file) + '\0' + std::to_string(first_line);
  const auto found = ids_.find(key);
  if (found != ids_.end()) return found->second;
  if (functions_.size() >= kMostFunctions) return kOthers;
  const auto id = static_cast<std::uint32_t>(functions_.size());
  functions_.push_back({Bounded(name), Bounded(file), first_line});
  ids_.emplace(std::move(key), id);
  return id;
}

Node StackTree::Add(Node parent, std::uint32_t function, std::int32_t line) {
  const auto [found, is_new] =
      nodes_.try_emplace({parent, function, line}, static_cast<Node>(frames_.size()));
  if (!is_new) return found->second;
  if (frames_.size() >= kMostNodes) {
    nodes_.erase(found);
    return parent;
  }
  frames_.push_back({parent, function, line, frames_[parent].depth + 1});
  return static_cast<Node>(frames_.size() - 1);
}

std::vector<Node> StackTree::FramesOf(Node node) const {
  std::vector<Node> frames;
  for (; node != kNoFrames; node = frames_[node].parent) frames.push_back(node);
  std::ranges::reverse(frames);
  return frames;
}

}  // namespace rankscope::cpu_profile
