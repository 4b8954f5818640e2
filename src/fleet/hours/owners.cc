#include "fleet/hours/owners.h"

#include <utility>

#include "fleet/hours/lines.h"

namespace rankscope::fleet {

Result<OwnerRules> OwnerRules::Read(const std::string& name, std::string_view text) {
  OwnerRules rules;
  RS_RETURN_IF_ERROR(
      ReadRows(name, text, ',', {"field", "pattern"}, [&](const TextRow& row) -> Status {
        Rule rule{.field = std::string(row.Get("field")),
                  .team = std::string(row.Get("team")),
                  .product = std::string(row.Get("product")),
                  .model = std::string(row.Get("model"))};
        try {
          rule.pattern = std::regex(std::string(row.Get("pattern")), std::regex::optimize);
        } catch (const std::regex_error&) {
          return Error(StatusCode::kBadData, "'{}' is no regular expression", row.Get("pattern"));
        }
        rules.rules_.push_back(std::move(rule));
        return OkStatus();
      }));
  return rules;
}

void OwnerRules::Apply(Claim& claim) const {
  for (const Rule& rule : rules_) {
    const auto found = claim.owner.find(rule.field);
    if (found == claim.owner.end() || !std::regex_search(found->second, rule.pattern)) continue;
    for (const auto& [name, value] :
         {std::pair("team", &rule.team), {"product", &rule.product}, {"model", &rule.model}}) {
      if (!value->empty()) claim.owner[name] = *value;
    }
    return;
  }
}

}  // namespace rankscope::fleet
