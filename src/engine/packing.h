// Bytes packed with zstd, and as they were again.
//
//   packed   u8 kind (0: plain, 1: zstd)  u64 size unpacked  bytes
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

// Packs bytes that come piece by piece: what is larger than some 100 kB is never held whole.
class Packer {
 public:
  Packer();
  ~Packer();
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  void Put(std::string_view bytes);
  // What was put, packed. Nothing can be put behind.
  std::string Finish();

 private:
  void Compress(bool is_end);  // what waits

  struct State;  // zstd's, of which a thread keeps one for its next Packer: about 2 MB

  std::unique_ptr<State> state_;
  std::string waiting_;
  std::string packed_;  // with its header
  std::uint64_t size_ = 0;
};

std::string Pack(std::string_view bytes);
// nullopt for what no Packer made.
std::optional<std::string> Unpack(std::string_view packed);

}  // namespace rankscope
