// What people type behind options and write into files that options name: sets of numbers, sizes,
// settings of analyses, causes and layouts of simulated jobs, names of kernels. Any text is
// understood, or refused with a sentence, in bounded memory.
#include <algorithm>
#include <string>
#include <vector>

#include "base/number_set.h"
#include "facts/kernel_rules.h"
#include "input.h"
#include "sim/model/cause.h"
#include "sim/model/job_defaults.h"
#include "sim/simulate.h"
#include "trace/step_filter.h"
#include "training/list.h"

namespace rankscope::fuzz {
namespace {

void CheckRefused(const Status& status) {
  FUZZ_CHECK(status.code() == StatusCode::kInvalidArgument && !status.message().empty());
}

void Numbers(std::string_view text) {
  const auto numbers = ParseNumberSet(text);
  if (!numbers.ok()) return CheckRefused(numbers.status());
  FUZZ_CHECK(!numbers->empty() && numbers->size() <= 1'000'000);
  const StepFilter steps = *numbers;
  FUZZ_CHECK(Wants(steps, *numbers->begin()) && Wants(steps, *numbers->rbegin()));
}

void Size(std::string_view text) {
  const auto bytes = ParseByteSize(text);
  if (!bytes.ok()) return CheckRefused(bytes.status());
  FUZZ_CHECK(*bytes <= INT64_MAX);
}

void Cause(std::string_view text) {
  const auto numbers = sim::ParseNumbers(text);
  if (!numbers.ok()) CheckRefused(numbers.status());
  const auto planted = sim::ParsePlantedCause(text);
  if (!planted.ok()) return CheckRefused(planted.status());
  for (const std::vector<int>* list : {&planted->ranks, &planted->steps}) {
    FUZZ_CHECK(std::ranges::adjacent_find(*list, std::greater_equal<>()) == list->end());
    FUZZ_CHECK(list->empty() || list->front() >= 0);
  }
}

void Layout(std::string_view text, std::uint8_t job) {
  sim::SimulateOptions options;
  options.job = static_cast<sim::JobKind>(job % sim::kJobKindCount);
  const Status status = sim::ParseLayout(text, &options);
  if (!status.ok()) return CheckRefused(status);
  FUZZ_CHECK(options.ranks >= 1);
}

// A file of --kernel-classes.
void KernelNames(std::string_view text) {
  const auto rules = KernelRules::Parse(text, "kernels.txt");
  if (!rules.ok()) return CheckRefused(rules.status());
  const std::string own = rules->OwnRules();
  const auto again = KernelRules::Parse(own, "again");
  FUZZ_CHECK(again.ok() && again->OwnRules() == own);
  // Every line is a name, too.
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view name = text.substr(at, end - at);
    FUZZ_CHECK(rules->ClassOf(name, false) == again->ClassOf(name, false));
    at = end + 1;
  }
}

// "NAME=VALUE" of one analysis.
void Setting(std::string_view text, std::uint8_t which) {
  const Analysis& analysis = *AllAnalyses()[which % AllAnalyses().size()];
  const std::size_t equals = std::min(text.find('='), text.size());
  Options options;
  std::string name(text.substr(0, equals));
  const std::vector<OptionSpec> known = analysis.AllOptions();
  if (name.empty() && !known.empty()) name = known[text.size() % known.size()].name;
  options[name] = text.substr(std::min(equals + 1, text.size()));
  const auto complete = CompleteOptions(analysis, options);
  if (!complete.ok()) return CheckRefused(complete.status());
  for (const OptionSpec& option : known) {
    if (option.type == OptionType::kCount) FUZZ_CHECK(CountOption(*complete, option.name) >= 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Input input = Split(bytes, size);
  switch (input.first % 6) {
    case 0:
      Numbers(input.data);
      break;
    case 1:
      Size(input.data);
      break;
    case 2:
      Cause(input.data);
      break;
    case 3:
      Layout(input.data, input.second);
      break;
    case 4:
      KernelNames(input.data);
      break;
    default:
      Setting(input.data, input.second);
  }
  return 0;
}

}  // namespace rankscope::fuzz
