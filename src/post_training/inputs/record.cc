// rankscope's own record, JSON lines (docs/post-training.md): a phase of a role, a rollout, or a
// sequence of a supervised step. Names that other programs use for the same are taken, too.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>

#include "base/text.h"
#include "json/reader.h"
#include "post_training/inputs/input_file.h"
#include "serving/base/words.h"

namespace rankscope::post_training {
namespace {

using Names = std::initializer_list<std::string_view>;

std::optional<json::Value> Find(const json::Value& line, Names names) {
  for (const std::string_view name : names) {
    const json::Value value = line[name];
    if (value.IsKnown()) return value;
  }
  return std::nullopt;
}

Count WholeOf(const json::Value& line, Names names) {
  const auto value = Find(line, names);
  if (!value) return std::nullopt;
  if (const auto whole = value->Integer()) return *whole >= 0 ? Count(*whole) : std::nullopt;
  const auto number = value->Number();
  return number && *number >= 0 && *number < 1e15 ? Count(static_cast<std::int64_t>(*number))
                                                  : std::nullopt;
}

std::string TextOf(const json::Value& line, Names names) {
  const auto value = Find(line, names);
  if (!value) return {};
  if (const auto text = value->Text()) return std::string(*text);
  const auto whole = value->Integer();
  return whole ? fmt::format("{}", *whole) : std::string();
}

bool IsSet(const json::Value& line, Names names) {
  const auto value = Find(line, names);
  return value && value->Flag().value_or(false);
}

// Seconds as a number, whole ns under `ns`, or a moment as text.
Ns MomentOf(const json::Value& line, Names ns, Names seconds) {
  if (const auto value = Find(line, ns)) {
    const auto whole = value->Integer();
    return whole && *whole >= 0 && *whole <= serving::kMostMoment ? Ns(*whole) : std::nullopt;
  }
  const auto value = Find(line, seconds);
  if (!value) return std::nullopt;
  if (const auto text = value->Text()) return serving::ToMoment(*text);
  const auto number = value->Number();
  if (!number || !(*number >= 0) || *number * 1e9 > static_cast<double>(serving::kMostMoment))
    return std::nullopt;
  return static_cast<std::int64_t>(std::llround(*number * 1e9));
}

struct Span {
  std::int64_t begin = 0, end = 0;
};
std::optional<Span> SpanOf(const json::Value& line) {
  const Ns begin = MomentOf(line, {"begin_ns", "start_ns"}, {"begin", "start", "start_time"});
  const Ns end = MomentOf(line, {"end_ns"}, {"end", "end_time", "finish_time"});
  if (!begin || !end || *end < *begin || *end - *begin > kMostSpan) return std::nullopt;
  return Span{*begin, *end};
}

bool TakePhase(const json::Value& line, std::uint32_t source, PostData& to) {
  const auto span = SpanOf(line);
  if (!span) return false;
  const std::string role = TextOf(line, {"role", "actor"});
  to.phases.push_back({.source = source,
                       .role = role.empty() ? "job" : role,
                       .step = WholeOf(line, {"step", "version"}).value_or(0),
                       .phase = PhaseOf(TextOf(line, {"phase"})).value_or(Phase::kOther),
                       .begin = span->begin,
                       .end = span->end,
                       .gpus = WholeOf(line, {"gpus", "devices"})});
  if (const auto bytes = Find(line, {"bytes"}))
    if (const auto number = bytes->Number(); number && *number >= 0 && std::isfinite(*number))
      to.phases.back().bytes = *number;
  return true;
}

bool TakeSequence(const json::Value& line, std::uint32_t source, PostData& to) {
  const Count tokens = WholeOf(line, {"tokens", "length"});
  if (!tokens || *tokens > 1'000'000'000) return false;
  Count padded = WholeOf(line, {"padded", "padded_tokens", "padded_to"});
  if (padded && (*padded < *tokens || *padded > 1'000'000'000)) padded.reset();
  to.sequences.push_back({.source = source,
                          .step = WholeOf(line, {"step"}).value_or(0),
                          .micro_batch = *WholeOf(line, {"micro_batch"}),
                          .tokens = *tokens,
                          .padded = padded});
  return true;
}

bool TakeRollout(const json::Value& line, std::uint32_t source, PostData& to) {
  const auto span = SpanOf(line);
  if (!span) return false;
  Rollout rollout{
      .source = source,
      .id = TextOf(line, {"rollout", "sample", "id", "request_id", "uid"}),
      .replica = TextOf(line, {"replica", "replica_rank", "server", "engine"}),
      .step = WholeOf(line, {"step", "train_step", "batch"}),
      .begin = span->begin,
      .end = span->end,
      .prompt_tokens = WholeOf(line, {"prompt_tokens", "prompt_length", "input_tokens"}),
      .response_tokens = WholeOf(
          line, {"response_tokens", "response_length", "output_tokens", "completion_tokens"}),
      .weight_version = WholeOf(line, {"weight_version", "version", "param_version"}),
      .trained_version = WholeOf(line, {"trained_version", "train_version"}),
      .is_cut = IsSet(line, {"cut", "aborted", "clipped"})};
  for (Count* tokens : {&rollout.prompt_tokens, &rollout.response_tokens})
    if (*tokens && **tokens > 1'000'000'000) tokens->reset();
  if (const auto ns = WholeOf(line, {"tools_ns"}); ns && *ns <= kMostSpan) {
    rollout.tools = ns;
  } else if (const auto seconds = Find(line, {"tools", "tool_s", "tool_calls"})) {
    if (const auto number = seconds->Number()) rollout.tools = serving::ToNs(*number, 1e9);
  }
  to.rollouts.push_back(std::move(rollout));
  return true;
}

}  // namespace

Status ReadRecord(const InputFile& file, PostData& to) {
  const auto source = static_cast<std::uint32_t>(to.sources.size());
  serving::Lines lines(file.text);
  std::string_view text;
  std::int64_t phases = 0, rollouts = 0, sequences = 0, bad = 0, first_bad = 0;
  while (lines.Next(text)) {
    if (Trimmed(text).empty()) continue;
    const Result<json::Reader> reader = json::Reader::Parse(text);
    bool taken = false;
    if (reader.ok() && reader->root().IsObject()) {
      const json::Value line = reader->root();
      if (line["phase"].IsKnown()) {
        taken = TakePhase(line, source, to);
        phases += taken;
      } else if (WholeOf(line, {"micro_batch"})) {
        taken = TakeSequence(line, source, to);
        sequences += taken;
      } else {
        taken = TakeRollout(line, source, to);
        rollouts += taken;
      }
    }
    if (!taken && ++bad == 1) first_bad = lines.number();
  }
  const std::int64_t all = phases + rollouts + sequences;
  if (all == 0)
    return Error(StatusCode::kBadData,
                 "{}: no line is a phase or rollout with begin and end, or a sequence with its "
                 "micro_batch and tokens (line {})",
                 file.path, first_bad);
  if (bad > 0)
    to.notes.push_back(fmt::format("{}: {} of {} lines could not be used, the first at line {}",
                                   file.path, bad, bad + all, first_bad));
  std::string what;
  for (const auto& [count, name] : {std::pair(phases, "phases"), std::pair(rollouts, "rollouts"),
                                    std::pair(sequences, "sequences")}) {
    if (count > 0) what += fmt::format("{}{}", what.empty() ? "" : ", ", name);
  }
  to.sources.push_back({.path = file.path, .format = "record of " + what, .records = all});
  return OkStatus();
}

}  // namespace rankscope::post_training
