// Reads the output of BPF programs: rings of records, and mapped arrays. Not thread-safe.
//
// A ring is three mappings of its map: the reader's position (which the reader writes), the
// writers' position, and the data mapped twice, so that no record is split
// (Documentation/bpf/ringbuf.rst of the kernel).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "base/status.h"

namespace rankscope::snoop {

class Mapped {
 public:
  Mapped() = default;
  // kIo. `bytes` are rounded up to pages.
  static Result<Mapped> Of(int descriptor, std::size_t bytes, std::size_t offset, bool writes);
  Mapped(Mapped&& other) noexcept;
  Mapped& operator=(Mapped&& other) noexcept;
  ~Mapped();
  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

class Ring {
 public:
  // `bytes`: size of its data, as created. The caller keeps the descriptor.
  static Result<Ring> Open(int descriptor, std::size_t bytes);
  // Calls `seen` for each complete record in order, at most `most`; the kernel may reuse a record
  // when the call returns. Returns their number.
  std::size_t Drain(const std::function<void(std::span<const std::byte>)>& seen, std::size_t most);

 private:
  Mapped reader_, rest_;
  std::size_t mask_ = 0;
  std::size_t page_ = 0;
};

// An array that BPF programs may write during reads.
template <typename T>
class MappedArray {
 public:
  static Result<MappedArray> Open(int descriptor, std::size_t count) {
    MappedArray array;
    RS_ASSIGN_OR_RETURN(array.mapped_, Mapped::Of(descriptor, count * sizeof(T), 0, true));
    array.count_ = count;
    return array;
  }
  volatile T* at(std::size_t i) const { return reinterpret_cast<volatile T*>(mapped_.data()) + i; }
  std::size_t count() const { return count_; }

 private:
  Mapped mapped_;
  std::size_t count_ = 0;
};

// Calls back for each entry of a kernel hash map. kIo: reading it is not permitted.
Status ForEachEntry(int descriptor, std::span<std::byte> key, std::span<std::byte> value,
                    const std::function<void()>& seen);

}  // namespace rankscope::snoop
