#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "fix/kinds/kinds.h"
#include "fix/program/loops.h"
#include "fix/python/calls.h"
#include "fix/python/layout.h"

namespace rankscope::fix {
namespace {

// What attention is made of, read backwards from its last product.
struct Parts {
  std::string query, key, value;
  std::string scale;        // "": none
  std::string mask;         // "": none; true where a key counts
  std::vector<Node> steps;  // the statements that make what the last one uses, the last first
};

Node Bare(Node node) {
  while (node.Is("parenthesized_expression") && node.children().size() == 1)
    node = node.children().front();
  return node;
}

bool IsMinus(const Node& node, std::int64_t number) {
  return node.text() == fmt::format("-{}", number);
}

struct Product {
  Node left, right;
};
// `a @ b`, `torch.matmul(a, b)`, `torch.bmm(a, b)`, `a.matmul(b)`.
std::optional<Product> ProductOf(const Node& node, const Names& names) {
  const Node bare = Bare(node);
  if (bare.Is("binary_operator") && bare.Field("operator").text() == "@")
    return Product{bare.Field("left"), bare.Field("right")};
  if (!bare.Is("call")) return std::nullopt;
  const std::vector<Node> plain = PlainArguments(bare);
  const std::string name = names.FullName(bare.Field("function"));
  if ((name == "torch.matmul" || name == "torch.bmm") && plain.size() == 2)
    return Product{plain[0], plain[1]};
  if (name.empty() && ObjectOf(bare, "matmul") && plain.size() == 1)
    return Product{ObjectOf(bare, "matmul"), plain[0]};
  return std::nullopt;
}

// The matrix of `k.transpose(-2, -1)` or `k.mT`.
Node TransposedBy(const Node& node) {
  const Node bare = Bare(node);
  if (bare.Is("attribute") && bare.Field("attribute").text() == "mT") return bare.Field("object");
  const Node object = ObjectOf(bare, "transpose");
  const std::vector<Node> plain = PlainArguments(bare);
  if (!object || plain.size() != 2) return {};
  const bool is_last_two = (IsMinus(plain[0], 2) && IsMinus(plain[1], 1)) ||
                           (IsMinus(plain[0], 1) && IsMinus(plain[1], 2));
  return is_last_two ? object : Node();
}

// What softmax over the last dimension is taken of.
Node SoftmaxOf(const Node& node, const Names& names) {
  const Node bare = Bare(node);
  if (!bare.Is("call")) return {};
  const std::string name = names.FullName(bare.Field("function"));
  std::vector<Node> plain = PlainArguments(bare);
  const bool is_function = name == "torch.softmax" || name == "torch.nn.functional.softmax";
  Node of = is_function && !plain.empty() ? plain.front() : Node();
  if (of) plain.erase(plain.begin());
  if (!of && name.empty()) of = ObjectOf(bare, "softmax");
  const Node dimension = plain.empty() ? Keyword(bare, "dim") : plain.front();
  return IsMinus(dimension, 1) && ArgumentsOf(bare).children().size() <= (is_function ? 2U : 1U)
             ? of
             : Node();
}

bool IsMinusInfinity(const Node& node) {
  constexpr std::array<std::string_view, 7> kForms = {
      "float('-inf')", "float(\"-inf\")", "-float('inf')", "-float(\"inf\")",
      "-torch.inf",    "-math.inf",       "-np.inf",
  };
  return std::ranges::find(kForms, node.text()) != kForms.end();
}

// Whether a value is a number of Python, which alone scale= takes: a parameter of the model or a
// tensor may stand there, too.
class Numbers {
 public:
  explicit Numbers(const SourceFile& file) : file_(file) {}

  bool Has(const Node& given, int depth = 0) const {
    constexpr int kDeepest = 6;
    const Node node = Bare(given);
    if (depth > kDeepest) return false;
    if (node.Is("integer") || node.Is("float")) return true;
    if (node.Is("unary_operator")) return Has(node.Field("argument"), depth + 1);
    if (node.Is("binary_operator"))
      return Has(node.Field("left"), depth + 1) && Has(node.Field("right"), depth + 1);
    if (node.Is("subscript"))
      return node.Field("value").Is("attribute") &&
             node.Field("value").Field("attribute").text() == "shape";
    if (node.Is("call")) return IsNumberCall(node);
    if (node.Is("attribute")) return AttributeIs(node, depth);
    return node.Is("identifier") && NameIs(node, depth);
  }

 private:
  bool IsNumberCall(const Node& call) const {
    const Node function = call.Field("function");
    return file_.names().FullName(function) == "math.sqrt" || ObjectOf(call, "size") ||
           function.text() == "float" || function.text() == "int" || function.text() == "len";
  }

  // What `self.scale` holds, by all that the file gives it.
  bool AttributeIs(const Node& attribute, int depth) const {
    bool is_given = false;
    for (const Node& assignment : file_.syntax().All("assignment")) {
      if (assignment.Field("left").text() != attribute.text()) continue;
      is_given = true;
      if (!Has(assignment.Field("right"), depth + 1)) return false;
    }
    return is_given;
  }

  bool NameIs(const Node& name, int depth) const {
    if (const Node value = file_.names().ValueOf(name.text(), name)) return Has(value, depth + 1);
    // A parameter of a function: a number by what it says, or as heads and dimensions are called.
    const Node parameter = file_.names().ParameterOf(name.text(), name);
    const std::string_view type = parameter.Field("type").text();
    return type == "float" || type == "int" || (parameter && IsDimension(name.text()));
  }

  static bool IsDimension(std::string_view name) {
    return name.ends_with("dim") || name.ends_with("heads") || name.ends_with("head") ||
           name.ends_with("size") || name.starts_with("d_") || name.starts_with("n_");
  }

  const SourceFile& file_;
};

// Reads attention that ends in a product; what it cannot read is none.
class Reader {
 public:
  Reader(const SourceFile& file, const Node& last)
      : names_(file.names()), numbers_(file), last_(last) {}

  std::optional<Parts> Read(const Node& product) {
    const auto outer = ProductOf(product, names_);
    if (!outer) return std::nullopt;
    product_ = product;
    const Node scores = SoftmaxOf(Made(outer->left), names_);
    if (!scores || !ReadScores(scores)) return std::nullopt;
    parts_.value = outer->right.text();
    if (!AreStepsOwn() || ChangesBetween(outer->right)) return std::nullopt;
    return parts_;
  }

 private:
  bool ReadScores(const Node& given) {
    const Node node = Bare(Made(given));
    if (node.Is("binary_operator")) {
      const std::string_view sign = node.Field("operator").text();
      if (sign == "/" && ReadScores(node.Field("left"))) return AddScale(node.Field("right"), true);
      if (sign == "*" && ReadScores(node.Field("left")))
        return AddScale(node.Field("right"), false);
      if (sign != "@") return false;
    }
    if (const Node of = ObjectOf(node, "masked_fill")) return ReadScores(of) && AddMask(node);
    const auto product = ProductOf(node, names_);
    const Node key = product ? TransposedBy(product->right) : Node();
    if (!key) return false;
    parts_.query = product->left.text();
    parts_.key = key.text();
    used_.insert(used_.end(), {product->left, key});
    return true;
  }

  bool AddScale(const Node& by, bool divides) {
    if (!parts_.scale.empty() || !parts_.mask.empty() || !numbers_.Has(by)) return false;
    parts_.scale =
        divides ? fmt::format("1 / {}", by.Is("binary_operator") ? fmt::format("({})", by.text())
                                                                 : std::string(by.text()))
                : std::string(Bare(by).text());
    used_.push_back(by);
    return true;
  }

  // masked_fill(mask == 0, -inf): what is masked does not count.
  bool AddMask(const Node& call) {
    const std::vector<Node> plain = PlainArguments(call);
    if (plain.size() != 2 || !IsMinusInfinity(plain[1]) || !parts_.mask.empty()) return false;
    const Node mask = Bare(plain[0]);
    const std::vector<Node> sides = mask.children();
    if (!mask.Is("comparison_operator") || sides.size() != 2 || sides[1].text() != "0" ||
        mask.Field("operators").text() != "==")
      return false;
    parts_.mask = fmt::format("{} != 0", sides[0].text());
    used_.push_back(sides[0]);
    return true;
  }

  // What a name was given by the nearest statement before, in the same block.
  Node Made(const Node& node) {
    if (!Bare(node).Is("identifier")) return node;
    const Node name = Bare(node);
    const Node user = parts_.steps.empty() ? last_ : parts_.steps.back();
    Node made;
    for (const Node& statement : last_.parent().children()) {
      if (statement.begin() >= user.begin()) break;
      const std::vector<Node> inside = statement.children();
      const bool is_it = statement.Is("expression_statement") && inside.size() == 1 &&
                         inside[0].Is("assignment") &&
                         inside[0].Field("left").text() == name.text();
      if (is_it) made = statement;
    }
    if (!made) return {};
    names_used_.emplace_back(name.text());
    parts_.steps.push_back(made);
    return made.children().front().Field("right");
  }

  // Nothing but the steps and the last product uses what the steps make.
  bool AreStepsOwn() const {
    const Node scope = ScopeOf(last_);
    return std::ranges::all_of(names_used_, [&](const std::string& name) {
      const std::vector<Node> uses = UsesOf(name, scope);
      return std::ranges::all_of(uses, [&](const Node& use) { return IsOwn(use, uses); });
    });
  }

  bool IsOwn(const Node& use, const std::vector<Node>& uses) const {
    if (product_.Holds(use)) return true;
    for (const Node& step : parts_.steps)
      if (step.Holds(use)) return true;
    // Where the last statement gives the name to the result, it is that from there on.
    const bool is_result = std::ranges::any_of(
        uses, [&](const Node& each) { return last_.Holds(each) && IsTarget(each); });
    return is_result && use.begin() >= last_.begin();
  }

  // Whether what attention is given gets another value between its first step and its last.
  bool ChangesBetween(const Node& value) const {
    if (parts_.steps.empty()) return false;
    const std::size_t begin = parts_.steps.back().begin();
    std::vector<Node> given = used_;
    given.push_back(value);
    for (const Node& part : given)
      for (const Node& name : part.All("identifier"))
        for (const Binding* binding : names_.Of(name.text(), last_))
          if (binding->name.begin() > begin && binding->name.begin() < last_.begin()) return true;
    return false;
  }

  const Names& names_;
  const Numbers numbers_;
  const Node last_;
  Node product_;
  Parts parts_;
  std::vector<Node> used_;
  std::vector<std::string> names_used_;
};

std::string CallOf(const Parts& parts, const std::string& function) {
  return fmt::format("{}({}, {}, {}{}, scale={})", function, parts.query, parts.key, parts.value,
                     parts.mask.empty() ? "" : ", attn_mask=" + parts.mask,
                     parts.scale.empty() ? "1.0" : parts.scale);
}

std::string FunctionName(const SourceFile& file, const Node& place) {
  const std::string functional = file.names().ModuleName("torch.nn.functional", place);
  if (!functional.empty()) return functional + ".scaled_dot_product_attention";
  const std::string torch = file.names().ModuleName("torch", place);
  return torch.empty() ? "" : torch + ".nn.functional.scaled_dot_product_attention";
}

void LookAtProduct(Look& look, std::size_t index, const Node& product) {
  const SourceFile& file = look.project().file(index);
  const Node last = StatementOf(product);
  const auto parts = Reader(file, last).Read(product);
  if (!parts) return;
  Site site{
      .file = index, .at = product, .group = {}, .shown = parts->steps, .is_in_training = true};
  site.shown.push_back(last);
  const std::string function = FunctionName(file, last);
  bool can_move = !function.empty();
  std::vector<Edit> edits = {{product.begin(), product.end(), CallOf(*parts, function)}};
  for (const Node& step : parts->steps) {
    can_move = can_move && IsOnOwnLines(file.syntax(), step, step);
    edits.push_back(WithoutLines(file.syntax(), step));
  }
  if (!can_move) {
    look.Leave(std::move(site),
               "use scaled_dot_product_attention here: torch is not imported by its "
               "name, or statements share lines");
    return;
  }
  look.Propose({.site = std::move(site),
                .edits = std::move(edits),
                .what = "attention is one call, for which fused kernels exist",
                .undo = "write the products and the softmax again"});
}

// What looks like attention and was not read is left to the user.
void LookAtSoftmax(Look& look, std::size_t index, const Node& call) {
  const SourceFile& file = look.project().file(index);
  const Node function = call.Around("function_definition");
  if (!SoftmaxOf(call, file.names()) || !function) return;
  int products = 0;
  for (const std::string_view kind : {"binary_operator", "call"})
    for (const Node& node : function.All(kind)) products += ProductOf(node, file.names()) ? 1 : 0;
  const bool is_proposed = std::ranges::any_of(look.candidates(), [&](const Candidate& candidate) {
    return candidate.site.file == index &&
           std::ranges::any_of(candidate.site.shown,
                               [&](const Node& node) { return node.Holds(call); });
  });
  if (is_proposed || products < 2) return;
  look.Leave(
      {.file = index,
       .at = call,
       .group = {},
       .shown = {StatementOf(call)},
       .is_in_training = true},
      "if this is attention, use scaled_dot_product_attention: what stands between its products "
      "(dropout, a mask of another form) is not certain");
}

void LookForAttention(Look& look) {
  for (std::size_t index = 0; index < look.project().size(); ++index) {
    const SourceFile& file = look.project().file(index);
    for (const std::string_view kind : {"binary_operator", "call"}) {
      for (const Node& node : file.syntax().All(kind)) LookAtProduct(look, index, node);
    }
    for (const Node& call : file.syntax().All("call")) {
      LookAtSoftmax(look, index, call);
      if (call.Field("function").text().ends_with("scaled_dot_product_attention"))
        look.Right(
            {.file = index, .at = call, .group = {}, .shown = {call}, .is_in_training = true});
    }
  }
}

}  // namespace

const Kind& Attention() {
  static const Kind kKind = {
      .name = "attention",
      .findings = {"unfused-attention"},
      .looks_for =
          "`softmax(q @ k.transpose(-2, -1) * scale, dim=-1) @ v` in straight lines, with "
          "no dropout, and no mask but `masked_fill(mask == 0, -inf)`",
      .writes = "`F.scaled_dot_product_attention(q, k, v, scale=scale)`",
      .undo = "write the products and the softmax again",
      .stacks = Stacks::kNameIt,
      .look = LookForAttention};
  return kKind;
}

}  // namespace rankscope::fix
