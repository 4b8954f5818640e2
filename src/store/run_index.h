// RunIndex: the runs of a catalogue in the orders of lists, kept sorted while runs are added,
// changed and removed. A page of a list shares the records and copies none.
//
// Cost, with n runs: a change moves up to n pointers in one of four arrays (10,000 runs: some
// microseconds). A page of all runs reads only its own runs. A page with a filter reads each run
// once, because it counts them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/run.h"
#include "store/run_criterion.h"

namespace rankscope::store {

enum class RunOrder : std::uint8_t { kCreated, kChanged, kName, kState };
inline constexpr std::size_t kRunOrders = 4;
std::optional<RunOrder> ParseRunOrder(std::string_view text);  // "created"

// A run's sort key in an order, beside its id: texts that compare as the runs do.
std::string OrderText(const Run& run, RunOrder order);
// A text that occurs in no text of a run: in RunPage::next it separates the order's text from the
// id.
inline constexpr char kBetweenTexts = '\x01';
// All texts of a run in lower case, in which RunQuery::mentions is searched.
std::string WordsOf(const Run& run);
// ASCII letters in lower case.
std::string InSmall(std::string_view text);

// What a page shows.
struct RunQuery {
  RunOrder order = RunOrder::kCreated;  // and by id, where this is the same
  bool descending = false;
  std::string after;  // RunPage::next of the page before; "" for the first
  std::size_t limit = 100;
  std::string mentions;  // a text that id, state, a name or a tag has, in capitals or not
  std::vector<RunCriterion> criteria;  // of which all hold
};

struct RunPage {
  std::vector<std::shared_ptr<const Run>> runs;
  std::size_t total = 0;    // that the query finds
  std::string next;         // where the next page begins; "" when this is the last
  std::size_t visited = 0;  // runs that were looked at
};

// Not safe for several threads.
class RunIndex {
 public:
  // Adds a run, or replaces the one with its id.
  void Put(std::shared_ptr<const Run> run);
  void Remove(std::string_view id);

  std::size_t size() const { return entries_.size(); }
  RunPage Page(const RunQuery& query) const;

 private:
  struct Entry {
    std::shared_ptr<const Run> run;
    std::string words;                           // of `mentions`, in small letters
    std::array<std::string, kRunOrders> places;  // texts that compare in each order
  };
  using Order = std::vector<const Entry*>;
  RunPage PageOfAll(const RunQuery& query) const;
  RunPage PageOfSome(const RunQuery& query) const;

  std::map<std::string, Entry, std::less<>> entries_;  // by id
  std::array<Order, kRunOrders> orders_;
};

}  // namespace rankscope::store
