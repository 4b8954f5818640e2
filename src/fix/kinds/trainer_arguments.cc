#include <array>
#include <string>

#include "fix/kinds/keyword_wishes.h"
#include "fix/kinds/kinds.h"
#include "fix/python/calls.h"

namespace rankscope::fix {
namespace {

bool IsArguments(const std::string& name) {
  return name == "transformers.TrainingArguments" ||
         name == "transformers.Seq2SeqTrainingArguments" ||
         name == "transformers.training_args.TrainingArguments" ||
         name == "transformers.training_args_seq2seq.Seq2SeqTrainingArguments";
}

// What each finding asks of them.
std::vector<Wish> WishesFor(const Look& look, const Node& call) {
  const std::string_view finding = look.finding();
  if (finding == "data-starvation" || finding == "data-straggler")
    return {{"dataloader_num_workers", "4", {"0", "1"}, true},
            {"dataloader_pin_memory", "True", {"False"}},
            {"dataloader_prefetch_factor", "4", {"None", "1", "2"}, true},
            {"dataloader_persistent_workers", "True", {"False"}, true}};
  if (finding == "pageable-copy") return {{"dataloader_pin_memory", "True", {"False"}}};
  if (finding == "unfused-optimizer")
    return {{"optim",
             "\"adamw_torch_fused\"",
             {"\"adamw_torch\"", "'adamw_torch'", "\"adamw_hf\"", "'adamw_hf'"},
             true}};
  if (finding == "no-tensor-cores") {
    std::vector<Wish> wishes;
    const bool has_16_bits = Keyword(call, "fp16").Is("true") || Keyword(call, "bf16").Is("true");
    if (look.device().has_bf16 && !has_16_bits && !Keyword(call, "fp16"))
      wishes.push_back({"bf16", "True", {"False"}, true});
    if (look.device().has_tf32) wishes.push_back({"tf32", "True", {"False", "None"}, true});
    return wishes;
  }
  if (finding == "unfused-elementwise" || finding == "launch-bound")
    return {{"torch_compile", "True", {"False"}, true}};
  if (finding == "unused-parameters") return {{"ddp_find_unused_parameters", "False", {"True"}}};
  if (finding == "small-collectives" || finding == "exposed-communication")
    return {SmallBucketWish(call, "ddp_bucket_cap_mb")};
  return {};
}

void LookForTrainerArguments(Look& look) {
  for (std::size_t index = 0; index < look.project().size(); ++index) {
    const SourceFile& file = look.project().file(index);
    for (const Node& call : file.syntax().All("call")) {
      if (!IsArguments(file.names().FullName(call.Field("function")))) continue;
      Site site{.file = index, .at = call, .group = {}, .shown = {call}, .is_in_training = true};
      if (IsOnHost(call)) {
        look.Leave(std::move(site), "it is told to compute on the CPU: nothing is changed");
        continue;
      }
      ProposeWishes(look, std::move(site), call, WishesFor(look, call));
    }
  }
}

}  // namespace

const Kind& TrainerArguments() {
  static const Kind kKind = {
      .name = "trainer-arguments",
      .findings = {"data-starvation", "data-straggler", "pageable-copy", "unfused-optimizer",
                   "no-tensor-cores", "unfused-elementwise", "launch-bound", "unused-parameters",
                   "small-collectives", "exposed-communication"},
      .looks_for = "`TrainingArguments(...)` of Hugging Face's Trainer",
      .writes =
          "by finding: `dataloader_num_workers=4` and its like, `optim=\"adamw_torch_fused\"`, "
          "`bf16=True`, `tf32=True`, `torch_compile=True`, "
          "`ddp_find_unused_parameters=False`; a small `ddp_bucket_cap_mb` goes",
      .undo = "remove the arguments, or write what stood there",
      .stacks = Stacks::kSilent,
      .look = LookForTrainerArguments};
  return kKind;
}

}  // namespace rankscope::fix
