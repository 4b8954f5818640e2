// Profile: stack samples of a process's threads.
//
// Stacks form a tree: a stack is the node of its innermost frame, and its outer frames are the
// node's ancestors. A sample is a thread, a time and a node. So one minute of a hundred threads at
// 99 Hz takes at most 15 MB, and repeated stacks need no extra memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rankscope::cpu_profile {

struct Function {
  std::string name;
  std::string file;             // or the library; empty: unknown
  std::int32_t first_line = 0;  // of the function; 0: unknown
};

using Node = std::uint32_t;
inline constexpr Node kNoFrames = 0;  // the empty stack, and the parent of outermost frames

// Node and function ids count from 1. Both are limited: beyond the limit, a function becomes
// "(others)" and a node becomes its parent.
class StackTree {
 public:
  struct Frame {
    Node parent = kNoFrames;
    std::uint32_t function = 0;
    std::int32_t line = 0;  // the running line; 0: unknown
    std::uint32_t depth = 0;
  };

  StackTree();
  std::uint32_t AddFunction(std::string_view name, std::string_view file,
                            std::int32_t first_line = 0);
  // `function` is an id of this tree.
  Node Add(Node parent, std::uint32_t function, std::int32_t line);

  const Frame& frame(Node node) const { return frames_[node]; }
  const Function& function(std::uint32_t id) const { return functions_[id]; }
  std::size_t node_count() const { return frames_.size(); }
  // Outermost first.
  std::vector<Node> FramesOf(Node node) const;

  static constexpr std::size_t kMostFunctions = 50'000;
  static constexpr std::size_t kMostNodes = 500'000;
  static constexpr std::size_t kMostNameBytes = 400;

 private:
  struct Key {
    Node parent;
    std::uint32_t function;
    std::int32_t line;
    bool operator==(const Key&) const = default;
  };
  struct HashOfKey {
    std::size_t operator()(const Key& key) const;
  };

  std::vector<Frame> frames_;
  std::vector<Function> functions_;
  std::unordered_map<Key, Node, HashOfKey> nodes_;
  std::unordered_map<std::string, std::uint32_t> ids_;  // of functions, by name, file and line
};

struct Thread {
  std::int64_t id = 0;  // in the process's own namespace
  std::string name;     // the name it gave itself; may be empty
};

struct Sample {
  std::int64_t time_ns = 0;  // since the epoch, by the host's clock
  std::uint32_t thread = 0;  // index in Profile::threads
  Node stack = kNoFrames;
  bool holds_lock = false;  // Python's lock
};

// The result of one sampler.
struct Profile {
  std::string kind;  // "python", "native"
  StackTree stacks;
  std::vector<Thread> threads;
  std::vector<Sample> samples;  // by time within each thread
  std::int64_t period_ns = 0;
  std::uint64_t lost = 0;  // samples that were not taken or not readable
};

}  // namespace rankscope::cpu_profile
