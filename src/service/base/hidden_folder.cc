#include "service/base/hidden_folder.h"

namespace rankscope::service {

std::string WithoutFolder(std::string_view text, std::string_view folder) {
  std::string out;
  while (!folder.empty()) {
    const std::size_t at = text.find(folder);
    if (at == std::string_view::npos) break;
    out += text.substr(0, at);
    text.remove_prefix(at + folder.size());
    if (text.starts_with('/')) {
      text.remove_prefix(1);
    } else {
      out += "the data folder";
    }
  }
  out += text;
  return out;
}

}  // namespace rankscope::service
