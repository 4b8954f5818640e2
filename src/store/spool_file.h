// SpoolFile: a content in transit, in a file that is removed with the object unless it is moved to
// its place. It is hashed while it is written. It is not synced to the disk: for durability another
// place must have it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "store/sha256.h"

namespace rankscope::store {

class SpoolFile {
 public:
  // Under a name that RemoveLeftovers (base/durable.h) recognises.
  static Result<std::unique_ptr<SpoolFile>> Create(const std::string& folder);
  ~SpoolFile();
  SpoolFile(const SpoolFile&) = delete;
  SpoolFile& operator=(const SpoolFile&) = delete;

  Status Write(std::string_view bytes);
  // As if nothing had been written.
  Status Restart();
  // Of the written data; write nothing afterwards, except after Restart.
  std::string Hex();
  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  // Moves it there, on the same file system, replacing what is there.
  Status Place(const std::string& path);

 private:
  SpoolFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  Status Failed(std::string_view what) const;

  std::string path_;
  int descriptor_;
  std::uint64_t size_ = 0;
  std::unique_ptr<Sha256> hash_ = std::make_unique<Sha256>();
};

}  // namespace rankscope::store
