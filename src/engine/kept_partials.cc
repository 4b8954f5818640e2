#include "engine/kept_partials.h"

#include "table/codec.h"

namespace rankscope {

std::optional<std::vector<Table>> KeptPartials::Get(std::string_view stage) const {
  if (const auto found = tables_.find(stage); found != tables_.end()) return *found->second;
  const std::optional<std::string> encoded = packed_.Get(stage);
  if (!encoded) return std::nullopt;
  Result<std::vector<Table>> decoded = DecodeTables(*encoded);
  if (!decoded.ok()) return std::nullopt;
  return std::move(decoded).value();
}

void KeptPartials::KeepOnly(const std::function<bool(std::string_view stage)>& is_kept) {
  std::erase_if(tables_, [&](const auto& stage) { return !is_kept(stage.first); });
  packed_.KeepOnly(is_kept);
}

}  // namespace rankscope
