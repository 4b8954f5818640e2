// Chunks: an array that grows without moving and may have holes, in pieces.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace rankscope {

// A piece has `kChunk` elements. Use large pieces for places far apart, and small pieces for small
// arrays.
template <typename T, std::uint64_t kChunk = 4096>
class Chunks {
 public:
  static constexpr std::uint64_t kChunkBytes = kChunk * sizeof(T);

  // Whether Put would take a new piece of kChunkBytes.
  bool NeedsChunk(std::uint64_t index) const {
    return index / kChunk >= chunks_.size() || chunks_[index / kChunk] == nullptr;
  }
  // Elements that were never put are T().
  void Put(std::uint64_t index, const T& value) {
    const std::uint64_t chunk = index / kChunk;
    if (chunk >= chunks_.size()) chunks_.resize(chunk + 1);
    if (chunks_[chunk] == nullptr) chunks_[chunk] = std::make_unique<T[]>(kChunk);
    chunks_[chunk][index % kChunk] = value;
  }
  // Null if there is no piece.
  const T* Find(std::uint64_t index) const {
    return NeedsChunk(index) ? nullptr : &chunks_[index / kChunk][index % kChunk];
  }
  // Only for a place that was put.
  T& operator[](std::uint64_t index) { return chunks_[index / kChunk][index % kChunk]; }
  const T& operator[](std::uint64_t index) const { return chunks_[index / kChunk][index % kChunk]; }

 private:
  std::vector<std::unique_ptr<T[]>> chunks_;
};

}  // namespace rankscope
