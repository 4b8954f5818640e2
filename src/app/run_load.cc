#include "app/run_load.h"

#include <utility>

#include "app/read_serving.h"
#include "load/requests/body.h"
#include "serving/objective.h"

namespace rankscope::app {

Result<ServingReport> RunLoad(load::LoadSpec spec, const std::string& objective,
                              const load::LoadWatch& watch, Listener& listener) {
  if (!objective.empty()) {
    RS_ASSIGN_OR_RETURN(spec.objective, serving::ParseObjective(objective));
  }
  RS_RETURN_IF_ERROR(load::CheckExtra(spec.target.extra));
  const std::string folder = spec.folder;
  RS_RETURN_IF_ERROR(load::RunLoad(std::move(spec), watch));
  return ReadServing({.paths = {folder}, .objective = objective}, listener);
}

}  // namespace rankscope::app
