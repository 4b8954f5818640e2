// Column<T>: an array of plain values that either owns growing memory or views memory owned by
// someone else.
//
// Owned memory of a mebibyte and more comes from mmap and grows by mremap: growing moves page
// tables, not bytes, and a page that was never written costs nothing. Smaller memory comes from the
// heap, where memory freed by one small trace serves the next without a system call. A view
// (`Column::View`) points into a mapped cache file; it cannot be appended to. T is trivially
// copyable. Not thread-safe for writing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace rankscope {

namespace internal {
// Memory of `new_bytes`. It holds the `old_bytes` of `old`, which is freed (or left alone if
// `old_bytes` is 0), then zeros, because columns go into files with the padding of their values.
// Throws std::bad_alloc.
void* GrowMemory(void* old, std::size_t old_bytes, std::size_t new_bytes);
void ReleaseMemory(void* data, std::size_t bytes);
}  // namespace internal

template <typename T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Column() = default;
  ~Column() { Release(); }
  Column(Column&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Column& operator=(Column&& other) noexcept {
    if (this != &other) {
      Release();
      data_ = std::exchange(other.data_, nullptr);
      size_ = std::exchange(other.size_, 0);
      capacity_ = std::exchange(other.capacity_, 0);
    }
    return *this;
  }
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;

  // A column over memory of another owner, which must outlive it. It does not write to `values`.
  static Column View(std::span<const T> values) {
    Column column;
    column.data_ = const_cast<T*>(values.data());
    column.size_ = values.size();
    return column;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T* data() const { return data_; }
  T* data() { return data_; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T& back() const { return data_[size_ - 1]; }
  std::span<const T> span() const { return {data_, size_}; }
  std::size_t bytes() const { return size_ * sizeof(T); }

  void push_back(const T& value) {
    if (size_ == capacity_) Grow(size_ + 1);
    data_[size_++] = value;
  }
  // Appends `count` uninitialised values and returns where they begin.
  T* extend(std::size_t count) {
    if (size_ + count > capacity_) Grow(size_ + count);
    T* begin = data_ + size_;
    size_ += count;
    return begin;
  }
  void append(std::span<const T> values) {
    T* to = extend(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) to[i] = values[i];
  }
  void assign(std::size_t count, T value) {
    clear();
    T* to = extend(count);
    for (std::size_t i = 0; i < count; ++i) to[i] = value;
  }
  void clear() { size_ = 0; }
  void truncate(std::size_t count) { size_ = count; }

 private:
  void Grow(std::size_t need) {
    std::size_t capacity = capacity_ < 256 ? 512 : capacity_ * 2;
    if (capacity < need) capacity = need;
    data_ =
        static_cast<T*>(internal::GrowMemory(data_, capacity_ * sizeof(T), capacity * sizeof(T)));
    capacity_ = capacity;
  }
  void Release() {
    if (capacity_ != 0) internal::ReleaseMemory(data_, capacity_ * sizeof(T));
    data_ = nullptr;
    size_ = capacity_ = 0;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;  // 0 with data_ set = a view
};

}  // namespace rankscope
