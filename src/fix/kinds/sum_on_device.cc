#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/text.h"
#include "fix/kinds/device_reads.h"
#include "fix/kinds/kinds.h"
#include "fix/program/loop_tensors.h"
#include "fix/program/loops.h"
#include "fix/python/calls.h"
#include "fix/python/layout.h"

namespace rankscope::fix {
namespace {

// What an assignment gives a name: of `a, b = 0.0, 0` that at its place.
Node GivenTo(const Node& name, const Node& assignment) {
  const Node left = assignment.Field("left"), right = assignment.Field("right");
  if (left == name) return right;
  const std::vector<Node> names = left.children(), values = right.children();
  if (!left.Is("pattern_list") || !right.Is("expression_list") || names.size() != values.size())
    return {};
  for (std::size_t at = 0; at < names.size(); ++at)
    if (names[at] == name) return values[at];
  return {};
}

enum class Begin : std::uint8_t { kUnknown, kInteger, kFloat };

// As what number a name begins, wherever it is given a value.
Begin BeginOf(std::string_view name, const Node& place, const Names& names) {
  Begin begin = Begin::kUnknown;
  for (const Binding* binding : names.Of(name, place)) {
    const Node& statement = binding->statement;
    if (statement.Is("augmented_assignment")) continue;
    const Node value = statement.Is("assignment") ? GivenTo(binding->name, statement) : Node();
    if (!value) return Begin::kUnknown;
    // What an earlier run of this program has put behind the loop.
    if (Contains(value.text(), "is_tensor")) continue;
    const Begin here = value.Is("integer") ? Begin::kInteger
                       : value.Is("float") ? Begin::kFloat
                                           : Begin::kUnknown;
    if (here == Begin::kUnknown || (begin != Begin::kUnknown && begin != here))
      return Begin::kUnknown;
    begin = here;
  }
  return begin;
}

// `(a == b).sum()`, `a.eq(b).sum()`, `torch.ne(a, b).sum()`, `(a == b).count_nonzero()`.
bool IsCount(const Node& value, const StepLoop& step, const NameSet& tensors) {
  Node counted = ObjectOf(value, "sum");
  if (!counted) counted = ObjectOf(value, "count_nonzero");
  if (!counted || !PlainArguments(value).empty() || LeavesTorch(value.text())) return false;
  if (!ArgumentsOf(value).children().empty() || IsInInnerFunction(value, step.loop)) return false;
  if (counted.Is("parenthesized_expression") && counted.children().size() == 1)
    counted = counted.children().front();
  bool is_comparison = counted.Is("comparison_operator") && counted.children().size() == 2;
  for (const std::string_view method : {"eq", "ne", "gt", "lt", "ge", "le"})
    is_comparison = is_comparison || ObjectOf(counted, method);
  return is_comparison && (UsesAny(counted, tensors) || Contains(counted.text(), "torch."));
}

// `loss`, `loss.mean()` and its like of a loss.
bool IsLoss(Node value, const NameSet& losses) {
  constexpr std::array<std::string_view, 6> kMethods = {"mean",  "sum",    "detach",
                                                        "float", "double", "clone"};
  while (value.Is("call")) {
    const Node function = value.Field("function");
    if (!function.Is("attribute") ||
        std::ranges::find(kMethods, function.Field("attribute").text()) == kMethods.end())
      return false;
    value = function.Field("object");
  }
  return losses.contains(value.text());
}

bool IsReadIn(std::string_view name, const Node& loop) {
  return std::ranges::any_of(UsesOf(name, loop), [](const Node& use) {
    return !(use.parent().Is("augmented_assignment") && use.field() == "left");
  });
}

bool IsFunction(const Node& node) { return node.Is("function_definition") || node.Is("lambda"); }

// Whether a function that runs at another time may see the name.
bool IsSeenElsewhere(std::string_view name, const Node& loop) {
  Node scope = loop.parent();
  while (scope.parent() && !IsFunction(scope)) scope = scope.parent();
  for (const std::string_view kind : {"function_definition", "lambda"})
    for (const Node& function : scope.All(kind))
      if (function != scope && !UsesOf(name, function).empty()) return true;
  return false;
}

// What an error would leave unread.
bool IsGuarded(const Node& sum) {
  for (Node around = sum.parent(); around && !IsFunction(around); around = around.parent())
    if (around.Is("try_statement") ||
        (around.Is("with_statement") && Contains(around.children().front().text(), "suppress")))
      return true;
  return false;
}

// Whether a tensor can be multiplied with it, from that side. On the left a number of numpy would
// have its own way with a tensor.
bool IsFactor(const Node& factor) {
  return factor.Is("integer") || factor.Is("float") || factor.Field("function").text() == "len" ||
         ObjectOf(factor, "size") ||
         (factor.Is("subscript") && factor.Field("value").text().ends_with(".shape")) ||
         (factor.Is("identifier") && factor.field() == "right");
}

// Why it cannot be changed; "" where it can.
std::string WhyNot(const Look& look, const SourceFile& file, const Node& sum, const Node& read,
                   const StepLoop& step) {
  const std::string_view name = sum.Field("left").text();
  const Begin begin = BeginOf(name, sum, file.names());
  if (begin == Begin::kUnknown) return fmt::format("what {} holds before is not certain", name);
  if (IsReadIn(name, step.loop)) return fmt::format("{} is read in the loop", name);
  if (IsSeenElsewhere(name, step.loop))
    return fmt::format("a function mentions {}, and may read it before the loop ends", name);
  if (IsGuarded(sum))
    return fmt::format("an error that is caught would leave {} on the device", name);
  const NameSet losses = LossesOf(step);
  const Node value = ObjectOf(read, "item");
  const bool is_count = IsCount(value, step, TensorNames(step, losses));
  if (!is_count && !IsLoss(value, losses))
    return fmt::format("it is not certain that {} is a tensor", value.text());
  const Node right = sum.Field("right");
  if (begin == Begin::kInteger) {
    std::size_t sums = 0;
    for (const Node& each : step.body.All("augmented_assignment"))
      if (each.Field("left").text() == name) ++sums;
    if (!is_count || right != read || sums != 1)
      return fmt::format("{} begins as an integer, and what is added may be none: begin with 0.0",
                         name);
  } else {
    if (right != read &&
        !IsFactor(right.Field("left") == read ? right.Field("right") : right.Field("left")))
      return "what the value is multiplied with is not certain";
    if (look.project().Mentions("\"mps\"") || look.project().Mentions("'mps'"))
      return "not every device of the program has float64";
  }
  if (file.names().ModuleName("torch", step.loop).empty())
    return "the file does not import torch by its name";
  if (!IsOnOwnLines(file.syntax(), step.loop, step.loop)) return "the loop shares a line";
  return {};
}

void LookAtSum(Look& look, std::size_t index, const Node& sum, const StepLoop& step) {
  const SourceFile& file = look.project().file(index);
  const std::string name(sum.Field("left").text());
  if (Contains(sum.Field("right").text(), ".detach()")) {
    look.Right(SiteOf(index, sum, step));
    return;
  }
  const Node read = ReadOf(sum);
  if (!read || IsInInnerFunction(sum, step.loop)) return;
  if (const std::string why = WhyNot(look, file, sum, read, step); !why.empty()) {
    look.Leave(SiteOf(index, sum, step),
               "add up on the device, and read the sum behind the loop: " + why);
    return;
  }
  const std::string torch = file.names().ModuleName("torch", step.loop);
  const Node method = read.Field("function").Field("attribute");
  // What Python's float adds up has 64 bits; counts have them on the device, too.
  const bool is_float = BeginOf(name, sum, file.names()) == Begin::kFloat;
  const std::string way = is_float ? ".detach().double()" : ".detach()";
  look.Propose(
      {.site = SiteOf(index, sum, step),
       .edits = {{method.begin(), read.end(), way.substr(1)},
                 LinesBehind(file.syntax(), step.loop,
                             {fmt::format("{} = {}.item() if {}.is_tensor({}) else {}", name, name,
                                          torch, name, name)})},
       .what = fmt::format("{} is added up on the device, in {}, and read once behind the loop",
                           name, is_float ? "float64" : "int64"),
       .undo = fmt::format(
           "write .item() in place of {}, and remove {} = {}.item() ... behind the loop", way, name,
           name)});
}

void LookForSumOnDevice(Look& look) {
  for (std::size_t index = 0; index < look.project().size(); ++index) {
    for (const StepLoop& step : StepLoops(look.project().file(index).syntax())) {
      for (const Node& sum : step.body.All("augmented_assignment"))
        LookAtSum(look, index, sum, step);
      LookAtReads(look, index, step);
    }
  }
}

}  // namespace

const Kind& SumOnDevice() {
  static const Kind kKind = {
      .name = "sum-on-device",
      .findings = {"host-sync"},
      .looks_for =
          "`total += loss.item()` of what `backward` is called of, or of a sum of comparisons, in "
          "a "
          "training loop that does not read `total`, which begins as a number",
      .writes =
          "`total += loss.detach().double()` where it begins as a float, `.detach()` for counts "
          "that begin as an integer, and behind the loop `total = total.item()`",
      .undo = "write .item() again, and remove the line behind the loop",
      .stacks = Stacks::kNameIt,
      .look = LookForSumOnDevice};
  return kKind;
}

}  // namespace rankscope::fix
