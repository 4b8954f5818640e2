// A change to a job, as `rankscope whatif --change` takes it.
//
//   idealise:rank=3            compute and host work of a rank take what they take its peers
//   idealise:stage=1           the same of all ranks of a pipeline stage
//   idealise:op=aten::mm       work under an op takes its median over ranks and steps
//   idealise:class=gemm        the same of a class of kernels
//   scale:kind=compute,factor=0.5[,rank=R][,op=NAME][,class=NAME]
//                              durations times factor; kinds: compute, communication, copy, host
//   remove:kind=sync           hosts wait for devices nowhere; others: data, gc, checkpoint,
//                              compile, allocator, copies, launches
//   overlap                    communication holds up nothing on its stream
//   balance                    every rank computes the mean of its peers in each step
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "insight/rule_input.h"

namespace rankscope {

struct Change {
  std::string text;  // as it was given
  std::string verb;  // "idealise", ...
  std::string kind;  // of scale and remove
  std::optional<std::int64_t> rank, stage;
  std::optional<double> factor;
  std::string op, kernel_class;
};

// What can be changed, a line each: the form and what it does.
struct ChangeForm {
  std::string_view form;
  std::string_view what;
};
std::span<const ChangeForm> ChangeForms();

// kInvalidArgument with a sentence that says what is wrong and what there is.
Result<Change> ParseChange(std::string_view text);

// Lets the scenario be so. kInvalidArgument for ranks and stages that the job does not have.
Status ApplyChange(const RuleInput& input, const Change& change, Scenario& scenario);

}  // namespace rankscope
