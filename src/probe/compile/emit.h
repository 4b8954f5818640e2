// Converts expressions of the typed tree to C++ expressions. Internal to generate.cc.
#pragma once

#include <string>

#include "probe/check/spec.h"

namespace rankscope::probe {

// Where names live in the generated function: members of `now` and `before`, or locals.
enum class NamesAre : std::uint8_t { kMembers, kLocals };

class Emitter {
 public:
  Emitter(const DeviceSpec& device, NamesAre names) : device_(device), names_(names) {}

  std::string Of(int node);
  // Evaluated on the previous samples; their faults were counted when they were new.
  std::string OfBefore(int node);

 private:
  const Node& At(int node) const { return device_.nodes[static_cast<std::size_t>(node)]; }
  // As a value of this type, also for `absent`.
  std::string As(int node, const Type& type);
  std::string Source(const Node& node);
  std::string Comparison(const Node& node);
  std::string Choice(const Node& node);
  std::string ListOf(const Node& node);
  std::string FieldOf(const Node& node);
  std::string Change(const Node& node);
  std::string Bound(const Node& node);
  std::string Among(const std::string& function, const Node& node);
  std::string Arithmetic(const Node& node);
  std::string Faults() const { return is_before_ ? "counted" : "faults"; }
  std::string Samples() const { return is_before_ ? "samples.before" : "samples.now"; }

  const DeviceSpec& device_;
  NamesAre names_;
  bool is_before_ = false;
};

}  // namespace rankscope::probe
