// RunningChecksum: the checksum of bytes that arrive piece by piece. It equals Checksum64 of all
// the bytes together (base/hash.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace rankscope {

class RunningChecksum {
 public:
  RunningChecksum();  // throws std::bad_alloc
  ~RunningChecksum();

  void Add(std::string_view bytes);
  std::uint64_t Value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rankscope
