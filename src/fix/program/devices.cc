#include "fix/program/devices.h"

#include <string_view>
#include <vector>

#include "fix/python/calls.h"

namespace rankscope::fix {
namespace {

bool IsDevice(const Node& value) {
  if (const auto text = StringOf(value)) return text->starts_with("cuda");
  if (value.Is("call")) return value.Field("function").text().ends_with("device");
  const std::string_view text = value.text();
  const std::string_view name = text.substr(text.rfind('.') + 1);
  return (value.Is("identifier") || value.Is("attribute")) &&
         (name.ends_with("device") || name == "dev" || name.ends_with("rank") || name == "gpu");
}

}  // namespace

Node PlacedBy(const Node& call) {
  const std::vector<Node> plain = PlainArguments(call);
  if (const Node object = ObjectOf(call, "cuda")) return plain.size() > 1 ? Node() : object;
  const bool is_to_device =
      plain.size() == 1 ? IsDevice(plain[0]) : plain.empty() && IsDevice(Keyword(call, "device"));
  return is_to_device ? ObjectOf(call, "to") : Node();
}

}  // namespace rankscope::fix
