// A change to a job, as `rankscope whatif --change` takes it.
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

// What can be changed, a line each: the form and what it does.
struct ChangeForm {
  std::string_view form;
  std::string_view what;
};
std::span<const ChangeForm> ChangeForms();

// kInvalidArgument with a sentence that says what is wrong and what there is.
Result<Change> ParseChange(std::string_view text);

// Lets the scenario be so. kInvalidArgument for ranks, stages and findings that the job does not
// have.
Status ApplyChange(const RuleInput& input, const Change& change, Scenario& scenario);

// What has to be said of a change beside its gain: that ranks have no peers to be ideal like. ""
// for all others; the same errors as ApplyChange.
Result<std::string_view> NoteOn(const RuleInput& input, const Change& change);

// The share of a step that the change saves beside what it does to the scenario: of `microbatches`,
// which no scenario of the recorded passes can have, and of causes that no replay can cure. 0 for
// all others.
Result<double> SavedBeside(const RuleInput& input, const Change& change);

}  // namespace rankscope
