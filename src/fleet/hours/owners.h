// Whose a claim is: rules of the operator's, as a table.
//
//   field,pattern,team,product,model
//   account,^nlp-,language,assistant,
//   label:team,(.+),vision,,
//
// The first row whose pattern is found in the claim's field says team, product and model.
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
  // kBadData names file and line of what is no regular expression.
  static Result<OwnerRules> Read(const std::string& name, std::string_view text);
  // Fills in team, product and model where a rule says them.
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
