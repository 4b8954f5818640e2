// Interner: gives equal strings equal ids, in order of first use. One per thread; not thread-safe.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "trace/strings.h"

namespace rankscope {

struct StringHash {
  using is_avalanching = void;
  std::size_t operator()(std::string_view text) const {
    return Checksum64(text.data(), text.size());
  }
};

class Interner {
 public:
  Interner() { views_.push_back({}); }

  // The id of `text`, added when new. Amortised O(length).
  StringId Intern(std::string_view text) {
    if (text.empty()) return kEmptyString;
    if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
    return Add(text);
  }
  std::string_view Get(StringId id) const { return views_[id]; }
  std::size_t size() const { return views_.size(); }

 private:
  StringId Add(std::string_view text);

  // Blocks never move, so views into them stay valid.
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t left_ = 0;
  char* next_ = nullptr;
  std::vector<std::string_view> views_;
  boost::unordered_flat_map<std::string_view, StringId, StringHash> ids_;
};

}  // namespace rankscope
