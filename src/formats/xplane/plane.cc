#include "formats/xplane/plane.h"

#include "formats/xplane/message.h"

namespace rankscope::xplane {
namespace {

// Numbers of fields, of xplane.proto.
namespace plane {
constexpr std::uint32_t kName = 2, kLine = 3, kEventNames = 4, kStatNames = 5, kStat = 6;
}
namespace entry {  // of a map
constexpr std::uint32_t kKey = 1, kValue = 2;
}
namespace named {  // metadata of events and stats
constexpr std::uint32_t kName = 2, kDisplayName = 4, kStat = 5;
}
namespace line {
constexpr std::uint32_t kId = 1, kName = 2, kTimestampNs = 3, kDisplayName = 11;
}
namespace stat {
constexpr std::uint32_t kName = 1, kReal = 2, kText = 5, kBytes = 6, kReference = 7;
}

template <typename T>
T Find(const boost::unordered_flat_map<std::int64_t, T>& names, std::int64_t id) {
  const auto found = names.find(id);
  return found == names.end() ? T() : found->second;
}

// An element of a map of names: calls body(key, message of the value).
template <typename Body>
void ForElement(std::string_view bytes, bool& is_damaged, const Body& body) {
  std::int64_t key = 0;
  std::string_view value;
  Message pair(bytes);
  while (pair.Next()) {
    if (pair.field() == entry::kKey) key = pair.Int();
    if (pair.field() == entry::kValue) value = pair.Bytes();
  }
  is_damaged |= pair.is_damaged();
  body(key, value);
}

void AddStatName(std::string_view bytes, Plane& to, bool& is_damaged) {
  ForElement(bytes, is_damaged, [&](std::int64_t key, std::string_view value) {
    std::string_view& name = to.stats[key];
    Message message(value);
    while (message.Next()) {
      if (message.field() == named::kName) name = message.Bytes();
    }
    is_damaged |= message.is_damaged();
  });
}

void AddEventName(std::string_view bytes, Plane& to, bool& is_damaged) {
  ForElement(bytes, is_damaged, [&](std::int64_t key, std::string_view value) {
    EventName read;
    std::string_view display_name;
    Message message(value);
    while (message.Next()) {
      if (message.field() == named::kName) read.name = message.Bytes();
      if (message.field() == named::kDisplayName) display_name = message.Bytes();
      if (message.field() != named::kStat) continue;
      const Stat stated = ReadStat(message.Bytes(), to, is_damaged);
      if (stated.name == "hlo_category") read.category = stated.text;
    }
    is_damaged |= message.is_damaged();
    if (read.name.empty()) read.name = display_name;
    read.role = RoleOf(ParseHloName(read.name), read.category);
    to.events[key] = read;
  });
}

}  // namespace

EventName Plane::EventNameOf(std::int64_t id) const { return Find(events, id); }

std::string_view Plane::StatNameOf(std::int64_t id) const { return Find(stats, id); }

Stat ReadStat(std::string_view bytes, const Plane& of, bool& is_damaged) {
  Stat read;
  Message message(bytes);
  while (message.Next()) {
    switch (message.field()) {
      case stat::kName:
        read.name = of.StatNameOf(message.Int());
        break;
      case stat::kText:
      case stat::kBytes:
        read.text = message.Bytes();
        break;
      case stat::kReference:
        read.text = of.StatNameOf(message.Int());
        break;
      case stat::kReal:
        break;
      default:
        read.number = message.Int();
    }
  }
  is_damaged |= message.is_damaged();
  return read;
}

Line ReadLine(std::string_view bytes, bool& is_damaged) {
  Line read;
  std::string_view display_name;
  Message message(bytes);
  while (message.Next()) {
    if (message.field() == line::kId) read.id = message.Int();
    if (message.field() == line::kName) read.name = message.Bytes();
    if (message.field() == line::kDisplayName) display_name = message.Bytes();
    if (message.field() == line::kTimestampNs) read.timestamp_ns = message.Int();
  }
  is_damaged |= message.is_damaged();
  if (read.name.empty()) read.name = display_name;
  return read;
}

Plane ReadPlane(std::string_view bytes, bool& is_damaged) {
  Plane read;
  std::vector<std::string_view> event_names;  // read when all names of stats are known
  Message message(bytes);
  while (message.Next()) {
    switch (message.field()) {
      case plane::kName:
        read.name = message.Bytes();
        break;
      case plane::kLine:
        read.lines.push_back(message.Bytes());
        break;
      case plane::kEventNames:
        event_names.push_back(message.Bytes());
        break;
      case plane::kStatNames:
        AddStatName(message.Bytes(), read, is_damaged);
        break;
      case plane::kStat:
        read.own_stats.push_back(message.Bytes());
        break;
      default:
        break;
    }
  }
  is_damaged |= message.is_damaged();
  for (const std::string_view name : event_names) AddEventName(name, read, is_damaged);
  return read;
}

}  // namespace rankscope::xplane
