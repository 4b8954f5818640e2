// Models of a Triton server of which others are made.
//
// Triton counts a request of an ensemble at the ensemble and again at each of its steps. No metric
// says which models are steps, so they are taken from the counts: a model is an ensemble of two or
// more others if each of these finished as many requests (within 2%), and they took 70 to 102% of
// its time together.
#pragma once

#include <map>
#include <set>
#include <string>

#include "serving/metrics/series.h"

namespace rankscope::serving {

struct ModelSteps {
  std::set<std::string> ensembles;
  std::set<std::string> steps;  // whose requests are those of an ensemble
};

ModelSteps StepsOf(const std::map<std::string, ModelCounts>& models);

}  // namespace rankscope::serving
