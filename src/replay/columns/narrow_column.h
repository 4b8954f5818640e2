// NarrowColumn: unsigned numbers, all in the number of bytes (1, 2 or 4) that the largest needs.
//
// For numbers from 0 with few distinct values in many rows: kinds, steps, places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/spilled_vector.h"

namespace rankscope {

class NarrowColumn {
 public:
  std::size_t size() const { return bytes_.size() / width_; }
  std::uint32_t operator[](std::size_t row) const {
    if (width_ == 1) return bytes_[row];
    if (width_ == 2) return Read<std::uint16_t>(row);
    return Read<std::uint32_t>(row);
  }

  // A number that needs more bytes than those before rewrites everything: O(rows), at most twice.
  void PushBack(std::uint32_t number) {
    if (number > Largest()) Widen(number);
    bytes_.resize(bytes_.size() + width_);
    Write(size() - 1, number);
  }
  void Set(std::size_t row, std::uint32_t number) {
    if (number > Largest()) Widen(number);
    Write(row, number);
  }
  // New rows are 0.
  void Resize(std::size_t rows) { bytes_.resize(rows * width_); }
  // Reserves rows at the current width.
  void Reserve(std::size_t rows) { bytes_.reserve(rows * width_); }

 private:
  std::uint32_t Largest() const {
    return width_ == 1 ? UINT8_MAX : width_ == 2 ? UINT16_MAX : UINT32_MAX;
  }
  template <typename T>
  std::uint32_t Read(std::size_t row) const {
    T number;
    std::memcpy(&number, bytes_.data() + row * sizeof(T), sizeof(T));
    return number;
  }
  // The lower bytes of a little-endian number, as in all stored columns.
  void Write(std::size_t row, std::uint32_t number) {
    std::memcpy(bytes_.data() + row * width_, &number, width_);
  }
  void Widen(std::uint32_t number) {
    NarrowColumn wide;
    wide.width_ = number > UINT16_MAX ? 4 : 2;
    wide.Reserve(bytes_.capacity() / width_);
    wide.Resize(size());
    for (std::size_t row = 0; row < size(); ++row) wide.Write(row, (*this)[row]);
    *this = std::move(wide);
  }

  std::size_t width_ = 1;
  SpilledVector<std::uint8_t> bytes_;
};

}  // namespace rankscope
