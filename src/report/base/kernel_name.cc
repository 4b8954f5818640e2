#include "report/base/kernel_name.h"

#include <array>

#include "base/utf8.h"

namespace rankscope {
namespace {

// Without a parameter list at the end: from the bracket that matches the last one.
std::string_view WithoutParameters(std::string_view name) {
  // "Memcpy HtoD (Pinned -> Device)" is no function.
  if (!name.ends_with(')') || name.starts_with("Mem")) return name;
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) return i == 0 ? name : name.substr(0, i);
  }
  return name;
}

}  // namespace

std::string ShortKernelName(std::string_view name, std::size_t width) {
  static constexpr std::array<std::string_view, 5> kNoise = {
      "at::native::", "at::cuda::", "at::", "c10::", "(anonymous namespace)::"};
  if (name.starts_with('%')) name = name.substr(1, name.find(" = ") - 1);
  if (name.starts_with("void ")) name.remove_prefix(5);
  name = WithoutParameters(name);
  std::string text(name);
  for (const std::string_view noise : kNoise) {
    for (std::size_t at = text.find(noise); at != std::string::npos; at = text.find(noise, at)) {
      // Only whole names: "at::" inside "flat::" stays.
      const bool starts_name = at == 0 || text[at - 1] == ' ' || text[at - 1] == '<' ||
                               text[at - 1] == ',' || text[at - 1] == ':';
      if (starts_name) {
        text.erase(at, noise.size());
      } else {
        ++at;
      }
    }
  }
  if (CountCodePoints(text) <= width || width < 4) return text;
  return text.substr(0, ByteOfCodePoint(text, width - 3)) + "...";
}

}  // namespace rankscope
