// Packs bytes with zstd, and unpacks them.
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

// Packs bytes piece by piece: input above some 100 kB is never held completely.
class Packer {
 public:
  Packer();
  ~Packer();
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  void Put(std::string_view bytes);
  // Returns the packed bytes; nothing can be added after it.
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
// nullopt for bytes that no Packer made.
std::optional<std::string> Unpack(std::string_view packed);

}  // namespace rankscope
