#include "fix/kinds/keyword_wishes.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

#include "fix/python/calls.h"

namespace rankscope::fix {
namespace {

// "a=1, b=2" out of its parts.
class List {
 public:
  void Add(const std::string& part) { text_ += (text_.empty() ? "" : ", ") + part; }
  bool empty() const { return text_.empty(); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string Sentence(std::string_view before, const List& list) {
  return list.empty() ? std::string() : fmt::format("{}{}", before, list.text());
}

std::string Both(const std::string& one, const std::string& other) {
  return one.empty() || other.empty() ? one + other : one + "; " + other;
}

}  // namespace

Wish SmallBucketWish(const Node& call, std::string_view keyword) {
  constexpr double kDefaultMb = 25;
  const Node value = Keyword(call, keyword);
  const auto size = NumberOf(value);
  Wish wish{.keyword = keyword, .value = ""};
  if (size && *size < kDefaultMb) wish.instead_of.push_back(value.text());
  return wish;
}

bool IsOnHost(const Node& call) {
  return Keyword(call, "use_cpu").Is("true") || Keyword(call, "no_cuda").Is("true") ||
         StringOf(Keyword(call, "accelerator")) == "cpu";
}

void ProposeWishes(Look& look, Site site, const Node& call, const std::vector<Wish>& wishes,
                   const std::string& note) {
  const std::string_view function = call.Field("function").text();
  if (!HasOwnArguments(call)) {
    look.Leave(std::move(site),
               fmt::format("arguments of {} come from elsewhere (* or **)", function));
    return;
  }
  std::vector<Edit> edits;
  std::vector<NewKeyword> added;
  List gets, loses, back;
  for (const Wish& wish : wishes) {
    const Node value = Keyword(call, wish.keyword);
    const std::string made = fmt::format("{}={}", wish.keyword, wish.value);
    if (!value) {
      if (!wish.is_added) continue;
      added.push_back({wish.keyword, wish.value});
      gets.Add(made);
      continue;
    }
    if (std::ranges::find(wish.instead_of, value.text()) == wish.instead_of.end()) continue;
    const std::string was = fmt::format("{}={}", wish.keyword, value.text());
    back.Add(was);
    if (wish.value.empty()) {
      edits.push_back(RemoveKeyword(call, wish.keyword));
      loses.Add(was);
    } else {
      edits.push_back(ChangeKeyword(call, wish.keyword, wish.value));
      gets.Add(made);
    }
  }
  List remove;
  for (const NewKeyword& keyword : added)
    remove.Add(fmt::format("{}={}", keyword.name, keyword.value));
  if (!added.empty()) edits.push_back(AddKeywords(call, added));
  if (edits.empty()) {
    look.Right(std::move(site));
    return;
  }
  look.Propose(
      {.site = std::move(site),
       .edits = std::move(edits),
       .what =
           Both(Both(Sentence(fmt::format("{} gets ", function), gets),
                     Sentence(gets.empty() ? fmt::format("{} loses ", function) : "loses ", loses)),
                note),
       .undo = Both(Sentence("remove ", remove), Sentence("write ", back))});
}

}  // namespace rankscope::fix
