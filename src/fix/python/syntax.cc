#include "fix/python/syntax.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <utility>

extern "C" const TSLanguage* tree_sitter_python(void);

namespace rankscope::fix {
namespace {

constexpr std::uint64_t kTimeLimitUs = 5'000'000;
constexpr std::string_view kComment = "comment";

struct DeleteParser {
  void operator()(TSParser* parser) const { ts_parser_delete(parser); }
};
struct DeleteTree {
  void operator()(TSTree* tree) const { ts_tree_delete(tree); }
};

// A walk over all nodes that takes no stack of ours, however deep the tree is.
class Cursor {
 public:
  explicit Cursor(const TSTree* tree) : cursor_(ts_tree_cursor_new(ts_tree_root_node(tree))) {}
  ~Cursor() { ts_tree_cursor_delete(&cursor_); }
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  TSNode node() const { return ts_tree_cursor_current_node(&cursor_); }
  const char* field() const { return ts_tree_cursor_current_field_name(&cursor_); }
  bool GoIn() { return ts_tree_cursor_goto_first_child(&cursor_); }
  bool GoOn() { return ts_tree_cursor_goto_next_sibling(&cursor_); }
  bool GoOut() { return ts_tree_cursor_goto_parent(&cursor_); }

 private:
  TSTreeCursor cursor_;
};

std::vector<std::uint32_t> LineBegins(std::string_view text) {
  std::vector<std::uint32_t> begins = {0};
  for (std::size_t at = 0; at < text.size(); ++at)
    if (text[at] == '\n') begins.push_back(static_cast<std::uint32_t>(at + 1));
  return begins;
}

}  // namespace

Result<Syntax> Syntax::Parse(std::string text) {
  const std::unique_ptr<TSParser, DeleteParser> parser(ts_parser_new());
  RS_CHECK(ts_parser_set_language(parser.get(), tree_sitter_python()),
           "the grammar fits the library");
  ts_parser_set_timeout_micros(parser.get(), kTimeLimitUs);
  Syntax syntax;
  syntax.text_ = std::make_unique<const std::string>(std::move(text));
  const std::unique_ptr<TSTree, DeleteTree> tree(
      ts_parser_parse_string(parser.get(), nullptr, syntax.text_->data(),
                             static_cast<std::uint32_t>(syntax.text_->size())));
  if (tree == nullptr)
    return Error(StatusCode::kBadData, "it takes too long to read: it is hardly Python");
  syntax.line_begins_ = LineBegins(*syntax.text_);

  Cursor cursor(tree.get());
  std::vector<std::uint32_t> open;  // the nodes around
  const auto close = [&] {
    syntax.entries_[open.back()].next = static_cast<std::uint32_t>(syntax.entries_.size());
    open.pop_back();
  };
  for (;;) {
    const TSNode node = cursor.node();
    const std::uint32_t index = static_cast<std::uint32_t>(syntax.entries_.size());
    syntax.entries_.push_back({.kind = ts_node_type(node),
                               .field = cursor.field(),
                               .begin = ts_node_start_byte(node),
                               .end = ts_node_end_byte(node),
                               .parent = open.empty() ? index : open.back(),
                               .next = index + 1,
                               .is_named = ts_node_is_named(node)});
    const bool is_wrong =
        ts_node_is_missing(node) || syntax.entries_.back().kind == std::string_view("ERROR");
    if (is_wrong && syntax.error_line_ == 0)
      syntax.error_line_ = syntax.LineOf(syntax.entries_.back().begin);
    open.push_back(index);
    if (cursor.GoIn()) continue;
    close();
    while (!cursor.GoOn()) {
      if (!cursor.GoOut()) return syntax;
      close();
    }
  }
}

std::int64_t Syntax::LineOf(std::size_t byte) const {
  const auto behind = std::upper_bound(line_begins_.begin(), line_begins_.end(), byte);
  return behind - line_begins_.begin();
}

std::string_view Node::kind() const {
  return syntax_ == nullptr ? std::string_view() : syntax_->entries_[index_].kind;
}

std::string_view Node::text() const {
  if (syntax_ == nullptr) return {};
  return std::string_view(syntax_->text()).substr(begin(), end() - begin());
}

std::string_view Node::file_text() const {
  return syntax_ == nullptr ? std::string_view() : syntax_->text();
}

std::size_t Node::begin() const { return syntax_ == nullptr ? 0 : syntax_->entries_[index_].begin; }
std::size_t Node::end() const { return syntax_ == nullptr ? 0 : syntax_->entries_[index_].end; }
std::int64_t Node::line() const { return syntax_ == nullptr ? 0 : syntax_->LineOf(begin()); }

Node Node::parent() const {
  if (syntax_ == nullptr || index_ == 0) return {};
  return {syntax_, syntax_->entries_[index_].parent};
}

Node Node::Around(std::string_view kind) const {
  for (Node node = parent(); node; node = node.parent())
    if (node.Is(kind)) return node;
  return {};
}

std::vector<Node> Node::children() const {
  std::vector<Node> children;
  if (syntax_ == nullptr) return children;
  const auto& entries = syntax_->entries_;
  for (std::uint32_t at = index_ + 1; at < entries[index_].next; at = entries[at].next)
    if (entries[at].is_named && entries[at].kind != kComment) children.push_back({syntax_, at});
  return children;
}

std::vector<Node> Node::Fields(std::string_view name) const {
  std::vector<Node> found;
  if (syntax_ == nullptr) return found;
  const auto& entries = syntax_->entries_;
  for (std::uint32_t at = index_ + 1; at < entries[index_].next; at = entries[at].next)
    if (entries[at].field != nullptr && entries[at].field == name && entries[at].kind != kComment)
      found.push_back({syntax_, at});
  return found;
}

Node Node::Field(std::string_view name) const {
  const std::vector<Node> found = Fields(name);
  return found.empty() ? Node() : found.front();
}

std::string_view Node::field() const {
  if (syntax_ == nullptr || syntax_->entries_[index_].field == nullptr) return {};
  return syntax_->entries_[index_].field;
}

std::vector<Node> Node::All(std::string_view kind) const {
  std::vector<Node> found;
  if (syntax_ == nullptr) return found;
  for (std::uint32_t at = index_; at < syntax_->entries_[index_].next; ++at)
    if (syntax_->entries_[at].kind == kind) found.push_back({syntax_, at});
  return found;
}

}  // namespace rankscope::fix
