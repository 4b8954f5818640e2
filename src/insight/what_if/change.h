// A change to a job, in the syntax of `rankscope whatif --change`.
//
//   idealise:rank=3            compute and host work of a rank take what they take its peers
//   idealise:stage=1           the same of all ranks of a pipeline stage
//   idealise:op=aten::mm       work under an op takes its median over ranks and steps
//   idealise:class=gemm        the same of a class of kernels
//   idealise:...,to=roofline   what the device's peaks allow at least, of ops whose cost is known
//   scale:kind=compute,factor=0.5[,rank=R][,op=NAME][,class=NAME]
//                              durations times factor; kinds: compute, communication, copy, host
//   remove:kind=sync           hosts wait for devices nowhere; others: data, gc, checkpoint,
//                              compile, allocator, copies, launches
//   cure:finding=host-sync     the cause of that finding of the job is gone, as its gain has it
//   overlap                    communication holds up nothing on its stream
//   balance                    every rank computes the mean of its peers in each step
//   microbatches:count=32      the pipeline's step in so many micro-batches (micro_batches.h)
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "insight/base/rule_input.h"

namespace rankscope {

struct Change {
  std::string text;  // as it was given
  std::string verb;  // "idealise", ...
  std::string kind;  // of scale and remove
  std::optional<std::int64_t> rank, stage;
  std::optional<double> factor;
  std::optional<std::int64_t> count;  // of microbatches
  std::string op, kernel_class, finding;
  bool to_roofline = false;
};

// Possible changes, a line each: the form and its effect.
struct ChangeForm {
  std::string_view form;
  std::string_view what;
};
std::span<const ChangeForm> ChangeForms();

// kInvalidArgument with a message about the error and the valid values.
Result<Change> ParseChange(std::string_view text);

// Applies the change to the scenario. kInvalidArgument for ranks, stages and findings that the job
// does not have.
Status ApplyChange(const RuleInput& input, const Change& change, Scenario& scenario);

// A remark about a change besides its gain: ranks have no peers to compare with. Otherwise ""; the
// same errors as ApplyChange.
Result<std::string_view> NoteOn(const RuleInput& input, const Change& change);

// The share of a step saved in addition to the change of the scenario: for `microbatches`, which
// cannot be a scenario of the recorded passes, and for causes that no replay can remove. 0 for all
// others.
Result<double> SavedBeside(const RuleInput& input, const Change& change);

}  // namespace rankscope
