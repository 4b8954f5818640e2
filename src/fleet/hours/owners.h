// The owner of a claim, by rules of the operator in a table.
//
//   field,pattern,team,product,model
//   account,^nlp-,language,assistant,
//   label:team,(.+),vision,,
//
// The first row whose pattern is found in the claim's field gives team, product and model.
#pragma once

#include <memory>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "fleet/hours/claim.h"

namespace rankscope::fleet {

class OwnerRules {
 public:
  // kBadData with file and line for an invalid regular expression.
  static Result<OwnerRules> Read(const std::string& name, std::string_view text);
  // Fills in team, product and model if a rule gives them.
  void Apply(Claim& claim) const;

 private:
  struct Rule {
    std::string field;
    std::regex pattern;
    std::string team, product, model;
  };
  std::vector<Rule> rules_;
};

}  // namespace rankscope::fleet
