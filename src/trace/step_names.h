// Parses the names of step marks.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "trace/trace.h"

namespace rankscope {

// The contents of a step mark's name.
struct StepName {
  std::optional<std::int64_t> number;  // nullopt: the name has none, steps are counted
  std::int64_t outer = 0;              // of the epoch, where the name has one
  StepPhase phase = StepPhase::kNone;
  friend bool operator==(const StepName&, const StepName&) = default;
};

// All return nullopt for names of another kind and are O(length).

// "ProfilerStep#12"; blanks around # are allowed.
std::optional<std::int64_t> ProfilerStepNumber(std::string_view name);

// Marks of inference engines, with their phase. Only TensorRT-LLM's carry a number.
//
// vLLM: execute_context_1(512)_generation_31(31), execute_543_context_1(sq..)_generation_..
//
// SGLang: step[DECODE bs=32], step[EXTEND bs=1 toks=107], step[MIXED ..], step[idle]
//
// TensorRT-LLM: [Executor] _forward_step 12: 3 ctx reqs, 512 ctx tokens, 5 gen reqs
//
// ATOM: prefill[bs=1 tok=107], decode[..], d[req128, tok128, dec128, ..pre0..]
//
// Scopes: prefill_batch, decode_batch, mixed_batch, empty_batch
std::optional<StepName> EngineStepOf(std::string_view name);

// A numbered annotation of a training or serving loop: "step 12", "Iteration#3", "train_step 5/100"
// (the number after a slash is a total), "epoch 0 batch 7" (the last number counts). Its words are
// step, iteration, iter or batch, with words such as train, training, global, epoch or loop, and
// nothing else.
std::optional<StepName> NumberedStepOf(std::string_view name);

// True if a name is one of these marks: it identifies a step, but no kind of work.
bool MarksStep(std::string_view name);

// "Optimizer.step#AdamW.step", of PyTorch's own hook.
bool IsOptimizerStep(std::string_view name);
// "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__": the loop waits for a batch.
bool IsLoaderNext(std::string_view name);

}  // namespace rankscope
