// Partials: the encoded and packed partials of one trace, by stage name.
//
// A stage's name contains the computation, its version and its options. Partials are packed
// separately (zstd), so one can be read without the others; kernel names, most of their bytes, pack
// to a fifth.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace rankscope {

class Partials {
 public:
  // Of the file's format.
  static constexpr int kVersion = 4;

  bool Contains(std::string_view stage) const { return packed_.contains(stage); }
  // The bytes that were set; nullopt if there are none, or if they are damaged.
  std::optional<std::string> Get(std::string_view stage) const;
  void Set(const std::string& stage, std::string_view bytes);
  // Output of a Packer (packing.h).
  void SetPacked(const std::string& stage, std::string packed) {
    packed_[stage] = std::move(packed);
  }
  std::size_t size() const { return packed_.size(); }
  // Drops the other stages.
  void KeepOnly(const std::function<bool(std::string_view stage)>& is_kept);

  // As one file: version, checksum, stages. Decode returns nullopt for anything not written by
  // Encode of this version.
  std::string Encode() const;
  static std::optional<Partials> Decode(std::string_view bytes);

 private:
  std::map<std::string, std::string, std::less<>> packed_;
};

}  // namespace rankscope
