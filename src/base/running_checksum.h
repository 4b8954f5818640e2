// RunningChecksum: the checksum of bytes that come piece by piece, the same as Checksum64 of all of
// them together (base/hash.h).
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
