#include "post_training/subsystem.h"

#include "post_training/tables.h"

namespace rankscope {
namespace {

FindingEntry Finding(std::string_view id, std::string_view summary) {
  return {.id = id,
          .summary = summary,
          .subject = Subject::kPostTraining,
          .seen_in = "post-training data"};
}

}  // namespace

const Subsystem& PostTrainingSubsystem() {
  static const Subsystem kSubsystem = {
      .name = "post-training",
      .about = "runs of SFT, DPO, PPO and GRPO with their roles",
      .topics = {{.title = "A post-training run (rankscope post-training)",
                  .about = "[post-training.md](post-training.md) says what is read and how phases, "
                           "tails and findings come about.",
                  .tables = {post_training::PostTrainingTableList().begin(),
                             post_training::PostTrainingTableList().end()}}},
      .findings = {
          Finding("phase-bubble", "generator and trainer take turns on devices of their own"),
          Finding("role-imbalance", "generator or trainer waits for the other"),
          Finding("rollout-tail", "a few long samples keep the generator"),
          Finding("rollout-imbalance", "replicas of the generator have uneven work"),
          Finding("weight-sync", "bringing weights to the generator takes long"),
          Finding("reward-wait", "rewards and tools run behind generation"),
          Finding("checkpoint-in-loop", "all roles wait while checkpoints are saved"),
          Finding("padding-waste", "supervised steps compute padding"),
      }};
  return kSubsystem;
}

}  // namespace rankscope
