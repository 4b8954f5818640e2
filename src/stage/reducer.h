// Reducer: makes one table of all ranks from a mapper's partials.
//
//   Add(capture, tables)   one capture's partial, in any order
//   Merge(other)           takes over what another reducer of the same analysis was given
//   Finish(job)            the table
//
// Several reducers, one per worker, take the captures of a job in turns and are merged in any
// order; the table has the same bytes for any merge tree. So Add and Merge use integers, sketches
// and values per capture. Floating-point sums are computed in Finish, in the order of ranks and
// captures.
//
// The tables fit the mapper's schemas (Mapper::tables). A reducer is used by one thread at a time.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "stage/analysis.h"

namespace rankscope {

class Reducer {
 public:
  virtual ~Reducer() = default;
  // Never twice for a capture. An error becomes the error of the table.
  virtual Status Add(const Capture& capture, std::vector<Table> tables) = 0;
  // `other` was made by the same analysis with the same options, and is consumed.
  virtual void Merge(Reducer& other) = 0;
  // Once, after the last Add and Merge.
  virtual Result<Table> Finish(const JobContext& job) = 0;
};

// A reducer of a State with
//
//   State(const Options&)
//   Status Add(const Capture&, std::vector<Table>)
//   void Merge(State&&)
//   Result<Table> Finish(const JobContext&)
template <typename State>
class ReducerOf : public Reducer {
 public:
  explicit ReducerOf(const Options& options) : state_(options) {}
  Status Add(const Capture& capture, std::vector<Table> tables) override {
    return state_.Add(capture, std::move(tables));
  }
  void Merge(Reducer& other) override {
    state_.Merge(std::move(static_cast<ReducerOf&>(other).state_));
  }
  Result<Table> Finish(const JobContext& job) override { return state_.Finish(job); }

 private:
  State state_;
};

// For Analysis::reducer: `.reducer = ReduceBy<State>()`.
template <typename State>
std::function<std::unique_ptr<Reducer>(const Options&)> ReduceBy() {
  return [](const Options& options) { return std::make_unique<ReducerOf<State>>(options); };
}

// A State that keeps one value of each capture until Finish, for tables that need all of them at
// once and in order. T should be small; memory grows with the number of captures.
//
//   void Keep(capture, value); void Merge(PerCapture&&); values() by (rank, capture index)
template <typename T>
class PerCapture {
 public:
  void Keep(const Capture& capture, T value) {
    values_.insert_or_assign({capture.rank, capture.index}, std::move(value));
  }
  void Merge(PerCapture&& other) { values_.merge(other.values_); }
  const std::map<std::pair<std::int64_t, std::int64_t>, T>& values() const { return values_; }
  std::map<std::pair<std::int64_t, std::int64_t>, T>& values() { return values_; }

 private:
  std::map<std::pair<std::int64_t, std::int64_t>, T> values_;
};

}  // namespace rankscope
