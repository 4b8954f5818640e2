// What rules look at, of a job of literal traces.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "analysis/across/across_fact.h"
#include "insight/base/rule_input.h"
#include "replay/replay_fact.h"
#include "stage/job_for_test.h"

namespace rankscope {

// Calls look(input); `tables` are what a rule lists.
inline void LookAt(const JobForTest& job, std::vector<const Analysis*> tables,
                   const std::function<void(const RuleInput&)>& look) {
  Analysis analysis;
  analysis.facts = {&AcrossFact(), &ReplayFact()};
  analysis.inputs = std::move(tables);
  analysis.derive = [&](const InputTables& inputs, const JobContext& context,
                        const Options&) -> Result<Table> {
    look(RuleInput(context, AcrossOf(context), ReplayedOf(context), inputs));
    return Table("looked_at", {});
  };
  job.Run(analysis);
}

}  // namespace rankscope
