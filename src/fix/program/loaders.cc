#include "fix/program/loaders.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "fix/program/loops.h"
#include "fix/python/calls.h"

namespace rankscope::fix {
namespace {

bool IsDataLoader(const std::string& name) {
  return name == "torch.utils.data.DataLoader" || name == "torch.utils.data.dataloader.DataLoader";
}

// What a function's parameter is given by the calls of that file, where all name the same; none
// where they do not. `parameter` is the node in the list of parameters.
Node ArgumentFor(const Node& parameter, const SourceFile& file) {
  const Node function = parameter.Around("function_definition");
  const std::vector<Node> parameters = parameter.parent().children();
  const auto place = std::ranges::find(parameters, parameter) - parameters.begin();
  const Node named = parameter.Field("name") ? parameter.Field("name") : parameter;
  Node given;
  for (const Node& call : file.syntax().All("call")) {
    if (call.Field("function").text() != function.Field("name").text()) continue;
    Node argument = Keyword(call, named.text());
    const std::vector<Node> plain = PlainArguments(call);
    if (!argument && static_cast<std::size_t>(place) < plain.size())
      argument = plain[static_cast<std::size_t>(place)];
    if (!argument || (given && given.text() != argument.text())) return {};
    given = argument;
  }
  return given;
}

// The call that made what an attribute such as `self.loader` holds, where one assignment gives it.
Node ValueOfAttribute(const Node& attribute, const SourceFile& file) {
  Node value;
  for (const Node& assignment : file.syntax().All("assignment")) {
    if (assignment.Field("left").text() != attribute.text()) continue;
    if (value) return {};
    value = assignment.Field("right");
  }
  return value;
}

// The call that made what an expression stands for; none where that is not certain.
Node MadeBy(const Node& expression, const SourceFile& file, int depth = 0) {
  constexpr int kDeepest = 4;
  if (depth > kDeepest || !expression) return {};
  if (expression.Is("call")) return expression;
  if (expression.Is("attribute"))
    return MadeBy(ValueOfAttribute(expression, file), file, depth + 1);
  if (!expression.Is("identifier")) return {};
  if (const Node value = file.names().ValueOf(expression.text(), expression))
    return MadeBy(value, file, depth + 1);
  const Node parameter = file.names().ParameterOf(expression.text(), expression);
  return parameter ? MadeBy(ArgumentFor(parameter, file), file, depth + 1) : Node();
}

Node DatasetOf(const Node& call) {
  if (const Node named = Keyword(call, "dataset")) return named;
  const std::vector<Node> plain = PlainArguments(call);
  return plain.empty() ? Node() : plain.front();
}

// Whether it says itself that its dataset has items by index: others take neither of these.
bool ChoosesItems(const Node& call) {
  if (Keyword(call, "shuffle").Is("true")) return true;
  for (const std::string_view name : {"sampler", "batch_sampler"})
    if (const Node value = Keyword(call, name); value && !value.Is("none")) return true;
  return false;
}

// Datasets of libraries that have items by index.
bool IsKnownByIndex(const std::string& name) {
  constexpr std::array<std::string_view, 4> kOfTorch = {
      "torch.utils.data.TensorDataset", "torch.utils.data.Subset", "torch.utils.data.ConcatDataset",
      "torch.utils.data.random_split"};
  return name.starts_with("torchvision.datasets.") ||
         std::ranges::find(kOfTorch, name) != kOfTorch.end();
}

bool IsOverItems(const Node& definition) {
  if (Contains(definition.Field("superclasses").text(), "IterableDataset")) return true;
  bool has_items = false, has_iterator = false;
  for (const Node& function : definition.Field("body").All("function_definition")) {
    has_items = has_items || function.Field("name").text() == "__getitem__";
    has_iterator = has_iterator || function.Field("name").text() == "__iter__";
  }
  return has_iterator && !has_items;
}

bool UsesDevice(std::string_view text) {
  constexpr std::array<std::string_view, 5> kSigns = {".cuda(", ".to(", "device=", "\"cuda",
                                                      "'cuda"};
  return std::ranges::any_of(kSigns, [&](std::string_view sign) { return Contains(text, sign); });
}

// The text of what a dataset is made of, as far as the file shows it.
bool IsOnDevice(const Node& made, const SourceFile& file) {
  if (UsesDevice(made.text())) return true;
  for (const Node& name : ArgumentsOf(made).All("identifier"))
    if (const Node value = file.names().ValueOf(name.text(), made);
        value && UsesDevice(value.text()))
      return true;
  return false;
}

struct Dataset {
  Node made;         // the call that made it; none where that is not certain
  Node definition;   // of its class, where the program has it
  std::string name;  // of its class or function, as imports have it
};

Dataset DatasetOf(const Project& project, const SourceFile& file, const Node& call) {
  Dataset dataset;
  dataset.made = MadeBy(DatasetOf(call), file);
  const Node function = dataset.made.Field("function");
  dataset.name = file.names().FullName(function);
  const std::string_view text = function.text();
  dataset.definition = project.ClassNamed(text.substr(text.rfind('.') + 1));
  return dataset;
}

std::string OnDeviceSentence(std::string_view what) {
  return fmt::format("{}: its dataset seems to put items on a device", what);
}

}  // namespace

std::vector<Loader> LoadersOf(const SourceFile& file) {
  std::vector<Loader> loaders;
  for (const Node& call : file.syntax().All("call"))
    if (IsDataLoader(file.names().FullName(call.Field("function"))))
      loaders.push_back({.call = call, .loops = {}});
  if (loaders.empty()) return loaders;
  for (const Node& loop : file.syntax().All("for_statement")) {
    const Node made = MadeBy(LoopSource(loop, file.names()), file);
    for (Loader& loader : loaders) {
      if (!made || loader.call != made) continue;
      loader.loops.push_back(loop);
      loader.is_in_training = loader.is_in_training || Trains(loop);
    }
  }
  return loaders;
}

Site SiteOf(std::size_t file, const Loader& loader) {
  Site site{.file = file,
            .at = loader.call,
            .group = loader.call,
            .shown = {loader.call},
            .is_in_training = loader.is_in_training};
  // Of a loop the line that asks for the next batch.
  for (const Node& loop : loader.loops) site.shown.push_back(loop.Field("right"));
  return site;
}

std::string WhyNotInWorkers(const Project& project, const SourceFile& file, const Loader& loader) {
  const Dataset dataset = DatasetOf(project, file, loader.call);
  if (dataset.definition && IsOverItems(dataset.definition))
    return "its dataset is an IterableDataset, which gives every item once for each worker unless "
           "it asks get_worker_info()";
  if (UsesDevice(dataset.definition.text()) || (dataset.made && IsOnDevice(dataset.made, file)))
    return OnDeviceSentence("workers cannot use a device that the program has used");
  const bool has_items =
      ChoosesItems(loader.call) || dataset.definition || IsKnownByIndex(dataset.name);
  if (!has_items)
    return "it is not certain that its dataset has items by index (an IterableDataset would give "
           "every item once for each worker)";
  return {};
}

std::string WhyNotPinned(const Project& project, const SourceFile& file, const Loader& loader) {
  const Dataset dataset = DatasetOf(project, file, loader.call);
  if (UsesDevice(dataset.definition.text()) || (dataset.made && IsOnDevice(dataset.made, file)))
    return OnDeviceSentence("only memory of the host can be pinned");
  return {};
}

}  // namespace rankscope::fix
