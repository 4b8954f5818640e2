#include "formats/pickle/document.h"

#include <algorithm>
#include <vector>

namespace rankscope::pickle {

Value Document::Find(Value dict, std::string_view key) const {
  if (!dict.is(Kind::kDict)) return {};
  const auto items = machine_.Items(dict);
  Value found;
  // The last of equal keys counts, as in Python.
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i].is(Kind::kText) && machine_.Text(items[i]) == key) found = items[i + 1];
  }
  return found;
}

std::span<const Value> Document::Items(Value container) const {
  return container.is_container() ? machine_.Items(container) : std::span<const Value>();
}

std::string_view Document::Text(Value value) const {
  return value.is(Kind::kText) || value.is(Kind::kBytes) ? machine_.Text(value)
                                                         : std::string_view();
}

Status Document::Load() {
  RS_ASSIGN_OR_RETURN(root_, machine_.Run());
  return CheckDepth();
}

// Each container once, in depth-first order without recursion.
Status Document::CheckDepth() const {
  constexpr std::int32_t kNew = 0, kOpen = -1;
  std::vector<std::int32_t> height(machine_.container_count(), kNew);
  struct Open {
    Value container;
    std::size_t next = 0;
    std::int32_t below = 0;
  };
  std::vector<Open> open;
  const auto enter = [&](Value value) {
    height[value.payload()] = kOpen;
    open.push_back({value});
  };
  const auto limit = static_cast<std::size_t>(machine_.limits().depth);
  if (root_.is_container()) enter(root_);
  while (!open.empty()) {
    Open& top = open.back();
    if (open.size() + static_cast<std::size_t>(top.below) > limit)
      return machine_.Bad("containers lie in each other deeper than this program follows");
    const auto items = machine_.Items(top.container);
    if (top.next == items.size()) {
      const std::int32_t own = top.below + 1;
      height[top.container.payload()] = own;
      open.pop_back();
      if (!open.empty()) open.back().below = std::max(open.back().below, own);
      continue;
    }
    const Value item = items[top.next++];
    if (!item.is_container()) continue;
    const std::int32_t known = height[item.payload()];
    if (known == kOpen) return machine_.Bad("a container of the pickle contains itself");
    if (known == kNew) {
      enter(item);
    } else {
      top.below = std::max(top.below, known);
    }
  }
  return OkStatus();
}

Result<std::unique_ptr<Document>> Read(ByteSource& source, const std::string& path,
                                       const ReadOptions& options) {
  auto document = std::make_unique<Document>(source, path, options);
  RS_RETURN_IF_ERROR(document->Load());
  return document;
}

}  // namespace rankscope::pickle
