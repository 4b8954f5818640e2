#include "fix/program/loaders.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "fix/program/loops.h"
#include "fix/python/calls.h"

namespace rankscope::fix {
namespace {

template <std::size_t N>
bool HasAny(std::string_view text, const std::array<std::string_view, N>& signs) {
  return std::ranges::any_of(signs, [&](std::string_view sign) { return Contains(text, sign); });
}

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
  constexpr std::array<std::string_view, 3> kSigns = {"cuda", ".to(", "device="};
  return HasAny(text, kSigns);
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

// "Images" of `data.Images`.
std::string_view LastName(std::string_view name) { return name.substr(name.rfind('.') + 1); }

void AddClass(const Project& project, std::string_view name, std::vector<Node>& classes) {
  const Node definition = project.ClassNamed(name);
  if (!definition || std::ranges::find(classes, definition) != classes.end()) return;
  classes.push_back(definition);
  for (const Node& base : definition.Field("superclasses").children())
    AddClass(project, LastName(base.text()), classes);
}

// Classes of the program that are called inside of a node, with their bases.
void AddClassesCalled(const Project& project, const Node& inside, std::vector<Node>& classes) {
  for (const Node& call : inside.All("call"))
    AddClass(project, LastName(call.Field("function").text()), classes);
}

bool IsDatasetLike(const Node& definition) {
  if (Contains(definition.Field("superclasses").text(), "Dataset")) return true;
  return std::ranges::any_of(
      definition.Field("body").All("function_definition"),
      [](const Node& function) { return function.Field("name").text() == "__getitem__"; });
}

// The classes of the program that a dataset may be of: where it is not certain, all that look like
// one.
std::vector<Node> ClassesOf(const Project& project, const SourceFile& file,
                            const Dataset& dataset) {
  std::vector<Node> classes;
  if (dataset.made) AddClassesCalled(project, dataset.made, classes);
  for (const Node& name : ArgumentsOf(dataset.made).All("identifier"))
    AddClassesCalled(project, MadeBy(name, file), classes);
  if (!classes.empty() || dataset.name.starts_with("torchvision.datasets.") ||
      dataset.name == "torch.utils.data.TensorDataset")
    return classes;
  for (std::size_t index = 0; index < project.size(); ++index)
    for (const Node& definition : project.file(index).syntax().All("class_definition"))
      if (IsDatasetLike(definition)) classes.push_back(definition);
  return classes;
}

bool IsOfSelf(const Node& target) {
  return std::ranges::any_of(target.All("attribute"), [](const Node& attribute) {
    return attribute.Field("object").text() == "self";
  });
}

// Whether a method changes what lives outside of it: `SEEN.append(x)`, `CACHE[i] = x`.
bool IsOfOutside(Node target, const Node& method) {
  while (target.Is("attribute") || target.Is("subscript"))
    target = target.Is("attribute") ? target.Field("object") : target.Field("value");
  if (!target.Is("identifier")) return false;
  return std::ranges::none_of(UsesOf(target.text(), method), IsTarget);
}

// Whether a method changes what the object holds.
bool ChangesSelf(const Node& method) {
  for (const std::string_view kind : {"assignment", "augmented_assignment", "delete_statement"})
    for (const Node& statement : method.All(kind))
      if (IsOfSelf(statement.Is("delete_statement") ? statement : statement.Field("left")) ||
          (!statement.Field("left").Is("identifier") &&
           IsOfOutside(statement.Field("left"), method)))
        return true;
  for (const std::string_view change : {"append", "extend", "add", "update", "insert", "pop",
                                        "clear", "remove", "setdefault", "popitem"})
    for (const Node& call : MethodCalls(method, change))
      if (IsOfSelf(ObjectOf(call, change)) || IsOfOutside(ObjectOf(call, change), method))
        return true;
  return !method.All("global_statement").empty();
}

bool OpensThings(const Node& node) {
  constexpr std::array<std::string_view, 10> kSigns = {"open(",   "h5py",    "sqlite3", "zipfile",
                                                       "ZipFile", "tarfile", "lmdb",    "connect(",
                                                       "socket",  "Lock("};
  return HasAny(node.text(), kSigns);
}

// Whether a class holds, or uses from its module, what was opened when that was imported.
bool UsesOpenThings(const Node& definition) {
  Node root = definition;
  while (root.parent()) root = root.parent();
  for (const Node& assignment : root.All("assignment")) {
    const Node scope = ScopeOf(assignment);
    const Node left = assignment.Field("left");
    const bool is_seen =
        scope == definition || (scope == root && !UsesOf(left.text(), definition).empty());
    if (is_seen && OpensThings(assignment.Field("right"))) return true;
  }
  return false;
}

// The text of functions of the program that a node calls by their names.
bool CallsWhatUsesDevice(const Project& project, const Node& inside) {
  for (const Node& call : inside.All("call"))
    for (std::size_t index = 0; index < project.size(); ++index)
      for (const Node& function : project.file(index).syntax().All("function_definition"))
        if (function.Field("name").text() == call.Field("function").text() &&
            UsesDevice(function.text()))
          return true;
  return false;
}

std::string WhyNotOfClass(const Project& project, const Node& definition) {
  const std::string_view name = definition.Field("name").text();
  for (const Node& method : definition.Field("body").All("function_definition")) {
    const bool begins = method.Field("name").text() == "__init__";
    if (!begins && ChangesSelf(method))
      return fmt::format("{} changes itself or what is beside it, which workers do in copies",
                         name);
    if (begins && OpensThings(method))
      return fmt::format("{} opens files or connections when it is made, which workers would share",
                         name);
  }
  if (UsesOpenThings(definition))
    return fmt::format("{} uses what is opened once, which workers would share", name);
  if (UsesDevice(definition.text()) || CallsWhatUsesDevice(project, definition))
    return fmt::format("{} seems to put items on a device", name);
  return {};
}

// Whether the program does more with an object than to hand it on.
bool IsLookedInto(const SourceFile& file, std::string_view name) {
  return std::ranges::any_of(file.syntax().All("attribute"), [&](const Node& attribute) {
    return attribute.Field("object").text() == name;
  });
}

// Names that hold the dataset, or what it is made of.
std::vector<std::string_view> NamesOfDataset(const SourceFile& file, const Node& call,
                                             const Node& made) {
  std::vector<std::string_view> names;
  const auto add_holder = [&](const Node& value) {
    if (value.parent().Is("assignment")) names.push_back(value.parent().Field("left").text());
  };
  const Node given = DatasetOf(call);
  if (!given.Is("call")) names.push_back(given.text());
  if (!made) return names;
  add_holder(made);
  for (const Node& name : ArgumentsOf(made).All("identifier"))
    if (const Node value = MadeBy(name, file);
        value && Contains(value.Field("function").text(), "Data"))
      add_holder(value);
  return names;
}

std::string WhyLeftAlone(const Project& project, const SourceFile& file, const Loader& loader) {
  constexpr std::array<std::string_view, 3> kOwn = {"collate_fn", "worker_init_fn",
                                                    "multiprocessing_context"};
  constexpr std::size_t kPlaceOfCollation = 6;
  for (const std::string_view keyword : kOwn)
    if (const Node value = Keyword(loader.call, keyword); value && !value.Is("none"))
      return fmt::format("it has a {} of its own", keyword);
  if (PlainArguments(loader.call).size() > kPlaceOfCollation)
    return "it has a collate_fn of its own";
  for (const std::string_view call :
       {"set_start_method", "set_default_tensor_type", "set_default_device"})
    if (project.Mentions(call)) return fmt::format("the program calls {}", call);
  if (project.Mentions("next(iter("))
    return "the program takes single batches by next(iter(...)), which would begin workers anew";
  const Dataset dataset = DatasetOf(project, file, loader.call);
  const std::string name(LastName(dataset.made.Field("function").text()));
  if (!name.empty() &&
      (project.OthersMention("class " + name) || project.OthersMention("def " + name + "(")))
    return fmt::format("what {} does stands in a file that is not looked at", name);
  for (const Node& definition : ClassesOf(project, file, dataset))
    if (const std::string why = WhyNotOfClass(project, definition); !why.empty()) return why;
  if (dataset.made && CallsWhatUsesDevice(project, dataset.made))
    return "what makes its dataset seems to use a device";
  for (const std::string_view holder : NamesOfDataset(file, loader.call, dataset.made))
    if (IsLookedInto(file, holder))
      return fmt::format("the program looks into {}, of which workers have copies", holder);
  for (const Node& attribute : file.syntax().All("attribute"))
    if (attribute.parent().Is("attribute") && attribute.Field("attribute").text() == "dataset" &&
        !attribute.Field("object").text().ends_with("utils.data"))
      return fmt::format("the program looks into {}, of which workers have copies",
                         attribute.text());
  return {};
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
  return WhyLeftAlone(project, file, loader);
}

std::string WhyNotPinned(const Project& project, const SourceFile& file, const Loader& loader) {
  const Dataset dataset = DatasetOf(project, file, loader.call);
  if (UsesDevice(dataset.definition.text()) || (dataset.made && IsOnDevice(dataset.made, file)))
    return OnDeviceSentence("only memory of the host can be pinned");
  return WhyLeftAlone(project, file, loader);
}

}  // namespace rankscope::fix
