#include "store/run_index.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace rankscope::store {
namespace {

constexpr std::array<std::string_view, kRunOrders> kOrderNames = {"created", "changed", "name",
                                                                  "state"};
}  // namespace

std::string InSmall(std::string_view text) {
  std::string small(text);
  for (char& c : small) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return small;
}

std::string WordsOf(const Run& run) {
  std::string words;
  for (const std::string_view text :
       {std::string_view(run.id), ToString(run.state), std::string_view(run.name),
        std::string_view(run.user), std::string_view(run.team), std::string_view(run.model),
        std::string_view(run.product), std::string_view(run.framework),
        std::string_view(run.hardware)}) {
    words += text;
    words += kBetweenTexts;
  }
  for (const auto& [name, value] : run.tags) words += name + "=" + value + kBetweenTexts;
  return InSmall(words);
}

std::string OrderText(const Run& run, RunOrder order) {
  std::string value;
  switch (order) {
    case RunOrder::kCreated:
      value = fmt::format("{:020}", run.created_s);
      break;
    case RunOrder::kChanged:
      value = fmt::format("{:020}", run.changed_s);
      break;
    case RunOrder::kName:
      value = InSmall(run.name);
      break;
    case RunOrder::kState:
      value = ToString(run.state);
      break;
  }
  return value;
}

namespace {

std::string PlaceOf(const Run& run, RunOrder order) {
  return OrderText(run, order) + kBetweenTexts + run.id;
}

}  // namespace

std::optional<RunOrder> ParseRunOrder(std::string_view text) {
  const auto found = std::ranges::find(kOrderNames, text);
  if (found == kOrderNames.end()) return std::nullopt;
  return static_cast<RunOrder>(found - kOrderNames.begin());
}

void RunIndex::Put(std::shared_ptr<const Run> run) {
  Entry& entry = entries_[run->id];
  const bool is_new = entry.run == nullptr;
  entry.words = WordsOf(*run);
  for (std::size_t i = 0; i < kRunOrders; ++i) {
    std::string place = PlaceOf(*run, static_cast<RunOrder>(i));
    if (!is_new && place == entry.places[i]) continue;
    Order& order = orders_[i];
    const auto at = [i](const Entry* one) -> const std::string& { return one->places[i]; };
    if (!is_new) order.erase(std::ranges::lower_bound(order, entry.places[i], {}, at));
    order.insert(std::ranges::lower_bound(order, place, {}, at), &entry);
    entry.places[i] = std::move(place);
  }
  entry.run = std::move(run);
}

void RunIndex::Remove(std::string_view id) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return;
  for (std::size_t i = 0; i < kRunOrders; ++i) {
    orders_[i].erase(std::ranges::lower_bound(
        orders_[i], found->second.places[i], {},
        [i](const Entry* one) -> const std::string& { return one->places[i]; }));
  }
  entries_.erase(found);
}

RunPage RunIndex::Page(const RunQuery& query) const {
  return query.mentions.empty() && query.criteria.empty() ? PageOfAll(query) : PageOfSome(query);
}

RunPage RunIndex::PageOfAll(const RunQuery& query) const {
  const auto which = static_cast<std::size_t>(query.order);
  const Order& order = orders_[which];
  const auto at = [which](const Entry* one) -> const std::string& { return one->places[which]; };
  RunPage page{.total = order.size()};
  // Runs of the page are order[i] upwards, or order[i - 1] downwards.
  std::size_t i = query.descending ? order.size() : 0;
  if (!query.after.empty()) {
    const auto place = query.descending ? std::ranges::lower_bound(order, query.after, {}, at)
                                        : std::ranges::upper_bound(order, query.after, {}, at);
    i = static_cast<std::size_t>(place - order.begin());
  }
  const std::size_t left = query.descending ? i : order.size() - i;
  page.visited = std::min(left, query.limit);
  page.runs.reserve(page.visited);
  const Entry* last = nullptr;
  for (std::size_t count = 0; count < page.visited; ++count) {
    last = query.descending ? order[--i] : order[i++];
    page.runs.push_back(last->run);
  }
  if (left > page.visited && last != nullptr) page.next = at(last);
  return page;
}

RunPage RunIndex::PageOfSome(const RunQuery& query) const {
  const auto which = static_cast<std::size_t>(query.order);
  const Order& order = orders_[which];
  const std::string mentions = InSmall(query.mentions);
  RunPage page{.visited = order.size()};
  const Entry* last = nullptr;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Entry& entry = *order[query.descending ? order.size() - 1 - i : i];
    if (!mentions.empty() && entry.words.find(mentions) == std::string::npos) continue;
    if (!FulfilsAll(*entry.run, query.criteria)) continue;
    ++page.total;
    const std::string& place = entry.places[which];
    const bool is_behind =
        query.after.empty() || (query.descending ? place < query.after : place > query.after);
    if (!is_behind) continue;
    if (page.runs.size() < query.limit) {
      page.runs.push_back(entry.run);
      last = &entry;
    } else if (page.next.empty() && last != nullptr) {
      page.next = last->places[which];
    }
  }
  return page;
}

}  // namespace rankscope::store
