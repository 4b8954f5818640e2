#include "hta/numpy_sort.h"

#include <bit>
#include <numeric>
#include <utility>

namespace rankscope::hta {
namespace {

// Parts whose last place is at most so far from the first are sorted by insertion.
constexpr std::int64_t kMostInserted = 15;

class Sorter {
 public:
  explicit Sorter(std::span<const std::int64_t> keys) : keys_(keys), order_(keys.size()) {
    std::iota(order_.begin(), order_.end(), 0U);
  }

  std::vector<std::uint32_t> Sort() && {
    if (keys_.empty()) return {};
    const int levels = 2 * (std::bit_width(keys_.size()) - 1);
    std::vector<Part> parts = {{0, static_cast<std::int64_t>(keys_.size()) - 1, levels}};
    while (!parts.empty()) {
      Part part = parts.back();
      parts.pop_back();
      if (part.levels < 0) {
        HeapSort(part);
        continue;
      }
      while (part.last - part.first > kMostInserted) {
        const std::int64_t middle = Divide(part);
        --part.levels;
        // The larger part waits.
        Part other = part;
        if (middle - part.first < part.last - middle) {
          other.first = middle + 1;
          part.last = middle - 1;
        } else {
          other.last = middle - 1;
          part.first = middle + 1;
        }
        parts.push_back(other);
      }
      Insert(part);
    }
    return std::move(order_);
  }

 private:
  struct Part {
    std::int64_t first = 0;
    std::int64_t last = 0;  // included
    int levels = 0;         // of dividing that are left before it counts as divided badly
  };

  std::uint32_t& At(std::int64_t place) { return order_[static_cast<std::size_t>(place)]; }
  std::int64_t KeyAt(std::int64_t place) { return keys_[At(place)]; }

  // Puts a key between the smaller and the larger ones; returns its place.
  std::int64_t Divide(const Part& part) {
    const std::int64_t middle = part.first + (part.last - part.first) / 2;
    if (KeyAt(middle) < KeyAt(part.first)) std::swap(At(middle), At(part.first));
    if (KeyAt(part.last) < KeyAt(middle)) std::swap(At(part.last), At(middle));
    if (KeyAt(middle) < KeyAt(part.first)) std::swap(At(middle), At(part.first));
    const std::int64_t key = KeyAt(middle);
    std::int64_t low = part.first;
    std::int64_t high = part.last - 1;
    std::swap(At(middle), At(high));
    while (true) {
      do ++low;
      while (KeyAt(low) < key);
      do --high;
      while (key < KeyAt(high));
      if (low >= high) break;
      std::swap(At(low), At(high));
    }
    std::swap(At(low), At(part.last - 1));
    return low;
  }

  void Insert(const Part& part) {
    for (std::int64_t place = part.first + 1; place <= part.last; ++place) {
      const std::uint32_t moved = At(place);
      std::int64_t to = place;
      for (; to > part.first && keys_[moved] < KeyAt(to - 1); --to) At(to) = At(to - 1);
      At(to) = moved;
    }
  }

  void HeapSort(const Part& part) {
    std::int64_t count = part.last - part.first + 1;
    for (std::int64_t root = count / 2; root > 0; --root)
      SiftDown(part.first, root, count, At(part.first + root - 1));
    while (count > 1) {
      const std::uint32_t moved = At(part.first + count - 1);
      At(part.first + count - 1) = At(part.first);
      --count;
      SiftDown(part.first, 1, count, moved);
    }
  }

  // Places in a heap count from 1.
  void SiftDown(std::int64_t first, std::int64_t root, std::int64_t count, std::uint32_t moved) {
    const auto at = [&](std::int64_t place) -> std::uint32_t& { return At(first + place - 1); };
    for (std::int64_t child = 2 * root; child <= count; child = 2 * root) {
      if (child < count && keys_[at(child)] < keys_[at(child + 1)]) ++child;
      if (keys_[moved] >= keys_[at(child)]) break;
      at(root) = at(child);
      root = child;
    }
    at(root) = moved;
  }

  std::span<const std::int64_t> keys_;
  std::vector<std::uint32_t> order_;
};

}  // namespace

std::vector<std::uint32_t> NumpyOrder(std::span<const std::int64_t> keys) {
  return Sorter(keys).Sort();
}

}  // namespace rankscope::hta
