// Syntax: the syntax tree of a Python file, and Node, a position in it.
//
//   RS_ASSIGN_OR_RETURN(const Syntax syntax, Syntax::Parse(text));
//   for (const Node node : syntax.All("call")) Use(node.Field("function").text());
//
// Kinds and fields are those of tree-sitter-python's grammar (node-types.json). Comments are nodes,
// but not children. A Syntax owns its text; nodes point into it and live as long as it does.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope::fix {

class Syntax;

// A cheap handle; a missing node (`!node`) has no text, no children and no kind.
class Node {
 public:
  Node() = default;

  explicit operator bool() const { return syntax_ != nullptr; }
  bool operator==(const Node&) const = default;

  // The grammar's name: "call", "for_statement"; for punctuation the text itself: "+".
  std::string_view kind() const;
  bool Is(std::string_view kind) const { return this->kind() == kind; }
  std::string_view text() const;
  // Of the whole file.
  std::string_view file_text() const;
  // Byte offsets in the file.
  std::size_t begin() const;
  std::size_t end() const;
  // From 1.
  std::int64_t line() const;

  Node parent() const;
  // The nearest enclosing node of that kind; none if there is none.
  Node Around(std::string_view kind) const;
  // Without punctuation (parentheses, commas) and comments.
  std::vector<Node> children() const;
  // The first child in that field.
  Node Field(std::string_view name) const;
  std::vector<Node> Fields(std::string_view name) const;
  // Its field in the parent; "" for none.
  std::string_view field() const;
  // All nodes of a kind inside this one, including itself, in text order.
  std::vector<Node> All(std::string_view kind) const;
  bool Holds(const Node& other) const { return begin() <= other.begin() && other.end() <= end(); }

 private:
  friend class Syntax;
  Node(const Syntax* syntax, std::uint32_t index) : syntax_(syntax), index_(index) {}

  const Syntax* syntax_ = nullptr;
  std::uint32_t index_ = 0;
};

class Syntax {
 public:
  // kBadData if no tree can be made in 5 s. Invalid Python gives a tree with an error in it.
  static Result<Syntax> Parse(std::string text);

  Syntax(Syntax&&) noexcept = default;
  Syntax& operator=(Syntax&&) noexcept = default;

  const std::string& text() const { return *text_; }
  Node root() const { return {this, 0}; }
  std::vector<Node> All(std::string_view kind) const { return root().All(kind); }
  // The line of the first syntax error; 0 if there is none.
  std::int64_t error_line() const { return error_line_; }
  // From 1.
  std::int64_t LineOf(std::size_t byte) const;

 private:
  friend class Node;
  // Nodes are in text order; each is followed by the nodes inside it.
  struct Entry {
    const char* kind;   // owned by the grammar, which is static
    const char* field;  // or null
    std::uint32_t begin;
    std::uint32_t end;
    std::uint32_t parent;
    std::uint32_t next;  // index after the last node inside
    bool is_named;
  };

  Syntax() = default;

  // On the heap, so that views stay valid when the object is moved.
  std::unique_ptr<const std::string> text_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> line_begins_;
  std::int64_t error_line_ = 0;
};

}  // namespace rankscope::fix
