// Partials: the encoded partials of one trace by the name of their stage, packed.
//
// A stage's name says what was computed, with which version and options. Partials are packed one
// by one (zstd), so that one of them is read without the others: kernel names, most of their bytes,
// pack to a fifth.
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
  // The bytes that were set; nullopt when there are none, or they are damaged.
  std::optional<std::string> Get(std::string_view stage) const;
  void Set(const std::string& stage, std::string_view bytes);
  // What a Packer made (packing.h).
  void SetPacked(const std::string& stage, std::string packed) {
    packed_[stage] = std::move(packed);
  }
  std::size_t size() const { return packed_.size(); }
  // Drops the other stages.
  void KeepOnly(const std::function<bool(std::string_view stage)>& is_kept);

  // As one file: version, checksum, stages. Decode gives nullopt for anything that Encode of this
  // version did not write.
  std::string Encode() const;
  static std::optional<Partials> Decode(std::string_view bytes);

 private:
  std::map<std::string, std::string, std::less<>> packed_;
};

}  // namespace rankscope
