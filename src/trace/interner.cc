#include "trace/interner.h"

#include <algorithm>
#include <cstring>

namespace rankscope {

StringId Interner::Add(std::string_view text) {
  constexpr std::size_t kBlock = 64 * 1024;
  if (text.size() > left_) {
    const std::size_t size = std::max(kBlock, text.size());
    blocks_.emplace_back(new char[size]);
    next_ = blocks_.back().get();
    left_ = size;
  }
  std::memcpy(next_, text.data(), text.size());
  const std::string_view kept(next_, text.size());
  next_ += text.size();
  left_ -= text.size();
  const auto id = static_cast<StringId>(views_.size());
  views_.push_back(kept);
  ids_.emplace(kept, id);
  return id;
}

}  // namespace rankscope
