#include "hta/short_name.h"

#include "hta/kernel_types.h"

namespace rankscope::hta {
namespace {

// Takes the text back to before its last `opening`; everything goes where there is none.
void CutBackTo(char opening, std::string& text) {
  const std::size_t at = text.rfind(opening);
  text.resize(at == std::string::npos ? 0 : at);
}

}  // namespace

std::string ShortName(std::string_view name) {
  if (name.find_first_of("<(") == std::string_view::npos) return std::string(name);
  if (KernelTypeOf(name) == KernelType::kMemory) return std::string(name);
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i, 2) == "->") {
      ++i;
    } else if (name[i] == '>') {
      CutBackTo('<', text);
    } else if (name[i] == ')') {
      CutBackTo('(', text);
    } else {
      text += name[i];
    }
  }
  return text.substr(text.rfind(' ') + 1);
}

}  // namespace rankscope::hta
