#include <fmt/format.h>

#include "json/writer.h"
#include "probe/syntax/tree.h"

namespace rankscope::probe {
namespace {

std::string Quoted(std::string_view text) {
  std::string out;
  json::Writer(out).Write(text);
  return out;
}

std::string_view OperatorWord(std::string_view op, bool is_unary) {
  if (is_unary) return op == "-" ? "neg" : op == "+" ? "pos" : op == "~" ? "invert" : "not";
  return op;
}

class Dumper {
 public:
  std::string Take() && { return std::move(out_); }

  void Class(const ClassDef& one) {
    out_ += fmt::format("(class {}", one.name);
    for (const Expr* decorator : one.decorators) {
      out_ += "\n  (decorator ";
      Write(*decorator);
      out_ += ")";
    }
    if (one.has_about) out_ += fmt::format("\n  (about {})", Quoted(one.about));
    for (const Assignment& assignment : one.assignments) {
      out_ += fmt::format("\n  (assign {} ", assignment.name);
      if (assignment.value != nullptr) Write(*assignment.value);
      out_ += ")";
    }
    out_ += ")\n";
  }

 private:
  void Operands(std::string_view head, const Expr& expr) {
    out_ += fmt::format("({}", head);
    for (const Expr* one : expr.a) {
      out_ += ' ';
      Write(*one);
    }
    out_ += ')';
  }

  void Write(const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kName:
        out_ += expr.name;
        return;
      case ExprKind::kInteger:
        out_ += fmt::format("{}", expr.integer);
        return;
      case ExprKind::kReal:
        out_ += fmt::format("(real {:a})", expr.real);
        return;
      case ExprKind::kText:
        out_ += Quoted(expr.text);
        return;
      case ExprKind::kTrue:
        out_ += "True";
        return;
      case ExprKind::kFalse:
        out_ += "False";
        return;
      case ExprKind::kNone:
        out_ += "None";
        return;
      case ExprKind::kList:
        return Operands("list", expr);
      case ExprKind::kComprehension:
        return Operands(fmt::format("comprehension {}", expr.name), expr);
      case ExprKind::kUnary:
        return Operands(OperatorWord(expr.name, true), expr);
      case ExprKind::kBinary:
      case ExprKind::kCompare:
      case ExprKind::kLogical:
        return Operands(expr.name, expr);
      case ExprKind::kConditional:
        return Operands("conditional", expr);
      case ExprKind::kCall:
        return Call(expr);
      case ExprKind::kAttribute:
        return Operands(fmt::format("attribute {}", expr.name), expr);
      case ExprKind::kSubscript:
        return Operands("subscript", expr);
    }
  }

  void Call(const Expr& expr) {
    out_ += "(call";
    for (const Expr* one : expr.a) {
      out_ += ' ';
      Write(*one);
    }
    for (const Keyword& one : expr.keywords) {
      out_ += fmt::format(" ({}= ", one.name);
      Write(*one.value);
      out_ += ')';
    }
    out_ += ')';
  }

  std::string out_;
};

}  // namespace

std::string DumpTree(const SyntaxTree& tree) {
  Dumper dumper;
  for (const ClassDef& one : tree.classes) dumper.Class(one);
  return std::move(dumper).Take();
}

}  // namespace rankscope::probe
