#include "trace/strings.h"

namespace rankscope {

StringTable::StringTable() { ends_.push_back(0); }

StringId StringTable::Append(std::string_view value) {
  text_.append({value.data(), value.size()});
  ends_.push_back(text_.size());
  return static_cast<StringId>(ends_.size() - 1);
}

}  // namespace rankscope
