#include "trace/step_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string>

#include "base/letter_case.h"
#include "base/text.h"

namespace rankscope {
namespace {

// Takes the number at the begin of `text` off it.
std::optional<std::int64_t> TakeNumber(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

StepPhase PhaseOfRequests(std::int64_t prompts, std::int64_t generating) {
  if (prompts > 0) return generating > 0 ? StepPhase::kMixed : StepPhase::kPrefill;
  return generating > 0 ? StepPhase::kDecode : StepPhase::kIdle;
}

// A word that names a phase, in any case; SGLang's forward modes among them.
std::optional<StepPhase> PhaseOfWord(std::string_view word) {
  const std::string lower = LowerCase(word);
  struct Known {
    std::string_view word;
    StepPhase phase;
  };
  constexpr std::array<Known, 12> kKnown = {{
      {"prefill", StepPhase::kPrefill},
      {"extend", StepPhase::kPrefill},
      {"decode", StepPhase::kDecode},
      {"mixed", StepPhase::kMixed},
      {"idle", StepPhase::kIdle},
      {"empty", StepPhase::kIdle},
      {"dummy_first", StepPhase::kIdle},
      {"target_verify", StepPhase::kVerify},
      {"verify", StepPhase::kVerify},
      {"draft_extend", StepPhase::kDraft},
      {"draft_extend_v2", StepPhase::kDraft},
      {"draft", StepPhase::kDraft},
  }};
  for (const Known& known : kKnown) {
    if (lower == known.word) return known.phase;
  }
  return std::nullopt;
}

// The letters, digits and underscores at the begin.
std::string_view FirstWord(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
  });
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

// execute_context_1(512)_generation_31(31), execute_543_context_1(sq512)_generation_31(sq31)
std::optional<StepName> VllmStep(std::string_view name) {
  if (!TakePrefix(name, "execute_")) return std::nullopt;
  if (!name.empty() && IsDigit(name.front()) && (!TakeNumber(name) || !TakePrefix(name, "_")))
    return std::nullopt;
  if (!TakePrefix(name, "context_")) return std::nullopt;
  const std::optional<std::int64_t> prompts = TakeNumber(name);
  constexpr std::string_view kGeneration = "_generation_";
  const std::size_t generation = name.find(kGeneration);
  if (!prompts || generation == std::string_view::npos) return std::nullopt;
  name.remove_prefix(generation + kGeneration.size());
  const std::optional<std::int64_t> generating = TakeNumber(name);
  if (!generating) return std::nullopt;
  return StepName{.phase = PhaseOfRequests(*prompts, *generating)};
}

// step[DECODE bs=32]
std::optional<StepName> SglangStep(std::string_view name) {
  if (!TakePrefix(name, "step[")) return std::nullopt;
  const std::string_view mode = FirstWord(name);
  if (mode.empty() || IsDigit(mode.front())) return std::nullopt;
  return StepName{.phase = PhaseOfWord(mode).value_or(StepPhase::kOther)};
}

// [Executor] _forward_step 12: 3 ctx reqs, 512 ctx tokens, 5 gen reqs
std::optional<StepName> TensorRtStep(std::string_view name) {
  if (!TakePrefix(name, "[Executor] _forward_step ")) return std::nullopt;
  StepName step{.number = TakeNumber(name)};
  if (!step.number || !TakePrefix(name, ": ")) return std::nullopt;
  const std::optional<std::int64_t> prompts = TakeNumber(name);
  if (!prompts || !TakePrefix(name, " ctx reqs")) return std::nullopt;
  const std::size_t last = name.rfind(", ");
  if (last == std::string_view::npos) return std::nullopt;
  name.remove_prefix(last + 2);
  const std::optional<std::int64_t> generating = TakeNumber(name);
  if (!generating || !TakePrefix(name, " gen reqs")) return std::nullopt;
  step.phase = PhaseOfRequests(*prompts, *generating);
  return step;
}

// The number behind `key` at the begin of a word, as in "dec128": 0 where there is none.
std::int64_t CountOf(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    if (at > 0 && std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0) continue;
    std::string_view rest = text.substr(at + key.size());
    if (!rest.empty() && rest.front() == '=') rest.remove_prefix(1);
    if (const auto number = TakeNumber(rest)) return *number;
  }
  return 0;
}

// prefill[bs=1 tok=107], decode[..]; d[req128, tok128, dec128, tok128, pre0, tok0, ext0, tok0]
std::optional<StepName> AtomStep(std::string_view name) {
  const std::string_view word = FirstWord(name);
  if (!name.substr(word.size()).starts_with('[') || !name.ends_with(']')) return std::nullopt;
  if (word == "d" || word == "p" || word == "m") {
    const std::int64_t prompts = CountOf(name, "pre") + CountOf(name, "ext");
    const std::int64_t generating = CountOf(name, "dec");
    if (prompts + generating == 0) return std::nullopt;
    return StepName{.phase = PhaseOfRequests(prompts, generating)};
  }
  const std::optional<StepPhase> phase = PhaseOfWord(word);
  if (!phase) return std::nullopt;
  return StepName{.phase = *phase};
}

// prefill_batch
std::optional<StepName> BatchScope(std::string_view name) {
  constexpr std::string_view kBatch = "_batch";
  if (!name.ends_with(kBatch)) return std::nullopt;
  const std::optional<StepPhase> phase = PhaseOfWord(name.substr(0, name.size() - kBatch.size()));
  if (!phase) return std::nullopt;
  return StepName{.phase = *phase};
}

// Words that a loop's annotation may have, and whether one says that it is a step.
std::optional<bool> WordOfLoop(std::string_view word) {
  constexpr std::array<std::string_view, 7> kStep = {"step",  "steps",     "iteration", "iter",
                                                     "batch", "trainstep", "trainbatch"};
  constexpr std::array<std::string_view, 9> kBeside = {
      "train", "training", "global", "epoch", "loop", "profile", "main", "idx", "index"};
  if (std::find(kStep.begin(), kStep.end(), word) != kStep.end()) return true;
  if (std::find(kBeside.begin(), kBeside.end(), word) != kBeside.end()) return false;
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> ProfilerStepNumber(std::string_view name) {
  if (!TakePrefix(name, "ProfilerStep")) return std::nullopt;
  const auto skip_blanks = [&] {
    name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
  };
  skip_blanks();
  if (!TakePrefix(name, "#")) return std::nullopt;
  skip_blanks();
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

std::optional<StepName> EngineStepOf(std::string_view name) {
  if (const auto step = VllmStep(name)) return step;
  if (const auto step = SglangStep(name)) return step;
  if (const auto step = TensorRtStep(name)) return step;
  if (const auto step = AtomStep(name)) return step;
  return BatchScope(name);
}

std::optional<StepName> NumberedStepOf(std::string_view name) {
  StepName step;
  bool is_step = false;
  std::string word;
  for (std::size_t i = 0; i <= name.size();) {
    const char letter = i < name.size() ? name[i] : ' ';
    if (std::isalpha(static_cast<unsigned char>(letter)) != 0) {
      word.push_back(LowerCase(letter));
      ++i;
      continue;
    }
    if (!word.empty()) {
      const std::optional<bool> known = WordOfLoop(word);
      if (!known) return std::nullopt;
      is_step |= *known;
      word.clear();
    }
    if (!IsDigit(letter)) {
      constexpr std::string_view kBetween = " #_:=-[]()/,";
      if (kBetween.find(letter) == std::string_view::npos) return std::nullopt;
      ++i;
      continue;
    }
    const bool is_total = i > 0 && name[i - 1] == '/';
    std::string_view rest = name.substr(i);
    const std::optional<std::int64_t> taken = TakeNumber(rest);
    if (!taken) return std::nullopt;
    if (!is_total || !step.number) {
      step.outer = step.number.value_or(0);
      step.number = taken;
    }
    i = name.size() - rest.size();
  }
  if (!is_step || !step.number) return std::nullopt;
  return step;
}

bool MarksStep(std::string_view name) {
  return ProfilerStepNumber(name) || EngineStepOf(name) || NumberedStepOf(name);
}

bool IsOptimizerStep(std::string_view name) { return name.starts_with("Optimizer.step#"); }

bool IsLoaderNext(std::string_view name) {
  return name.starts_with("enumerate(Data") && name.ends_with("__next__");
}

}  // namespace rankscope
