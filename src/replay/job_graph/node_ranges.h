// Iterates nodes of several ranges as one: for (NodeId node : NodesIn(ranges)).
#pragma once

#include <cstddef>
#include <iterator>
#include <span>

#include "replay/columns/node_columns.h"

namespace rankscope {

// [first, last).
struct NodeRange {
  NodeId first = 0;
  NodeId last = 0;
};

class NodesIn {
 public:
  class Iterator {
   public:
    using value_type = NodeId;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    Iterator(const NodeRange* range, const NodeRange* end) : range_(range), end_(end) { Begin(); }
    NodeId operator*() const { return node_; }
    Iterator& operator++() {
      if (++node_ == range_->last) {
        ++range_;
        Begin();
      }
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) {
      return a.range_ == b.range_ && a.node_ == b.node_;
    }

   private:
    void Begin() {
      while (range_ != end_ && range_->first == range_->last) ++range_;
      node_ = range_ == end_ ? kNoNode : range_->first;
    }

    const NodeRange* range_ = nullptr;
    const NodeRange* end_ = nullptr;
    NodeId node_ = kNoNode;
  };

  explicit NodesIn(std::span<const NodeRange> ranges) : ranges_(ranges) {}
  Iterator begin() const { return {ranges_.data(), ranges_.data() + ranges_.size()}; }
  Iterator end() const {
    const NodeRange* const end = ranges_.data() + ranges_.size();
    return {end, end};
  }

 private:
  std::span<const NodeRange> ranges_;
};

}  // namespace rankscope
