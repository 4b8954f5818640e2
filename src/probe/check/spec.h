// A specification after checking: names are resolved, every expression has its type and unit, every
// source its schedule. The interpreter (run/) and the generator of C++ (compile/) read this and
// nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "probe/check/standard.h"
#include "probe/check/unit.h"
#include "probe/check/value.h"
#include "probe/syntax/diagnostic.h"

namespace rankscope::probe {

enum class TypeKind : std::uint8_t {
  kAny,     // of an expression that is wrong: fits all, so that one mistake is told once
  kAbsent,  // of `absent` itself
  kI64,
  kU64,
  kF64,
  kBool,
  kStr,
  kPtr,  // only handed on to a library
  kEnum,
  kStruct,
  kList,
};

// Every value may be absent besides.
struct Type {
  TypeKind kind = TypeKind::kAny;
  int of = -1;                     // which enum or struct
  TypeKind item = TypeKind::kAny;  // of a list
  int count = 0;                   // of a list
  bool operator==(const Type&) const = default;
};

// How a value lies in memory, or is written in a file.
enum class Width : std::uint8_t {
  kI8,
  kI16,
  kI32,
  kI64,
  kU8,
  kU16,
  kU32,
  kU64,
  kF32,
  kF64,
  kPtr,
  kChars
};

struct Layout {
  Width width = Width::kU64;
  int count = 1;  // of an array; bytes of kChars
  bool is_array = false;
  int enum_of = -1;
  int struct_of = -1;  // then nothing else holds
};
std::size_t BytesOf(Width width);  // of one; 1 of kChars

struct EnumDef {
  std::string name;
  Width width = Width::kU32;
  struct Item {
    std::string name;
    std::int64_t value = 0;
  };
  std::vector<Item> items;
};

struct StructDef {
  std::string name;
  struct Field {
    std::string name;
    Layout layout;
    std::size_t offset = 0;
  };
  std::vector<Field> fields;
  std::size_t bytes = 0;
};

enum class Op : std::uint8_t {
  kConstant,
  kAbsent,
  kIndex,   // of the instance
  kLoop,    // the number of the comprehension's turn
  kSource,  // `ref`
  kNamed,   // `ref` of names
  kNegate,
  kNot,
  kInvert,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,       // gives f64
  kFloorDivide,  // as Python's, towards minus infinity
  kModulo,
  kBitAnd,
  kBitOr,
  kBitXor,
  kShiftLeft,
  kShiftRight,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kIsNone,
  kIsNotNone,
  kAnd,
  kOr,
  kConditional,  // value, condition, other
  kList,
  kComprehension,  // value, for `ref` up to type.count turns
  kElement,        // list, number
  kField,          // struct; `ref` of its fields
  kMin,            // of all operands
  kMax,
  kSum,
  kMinOf,  // of a list
  kMaxOf,
  kSumOf,
  kAbs,
  kOrElse,
  kToI64,
  kToU64,
  kToF64,
  kDelta,  // `ref`: bits after which it wraps, 0: it does not
  kRate,   // likewise
  kBound,  // of gauge(): `ref` of bounds
};

struct Node {
  Op op = Op::kAbsent;
  Type type;
  Unit unit;
  Place place;
  std::vector<int> a;  // other nodes, all before this one
  int ref = 0;
  int source = -1;  // of kRate: one whose samples say the time
  Value constant;
};

struct Bounds {
  std::optional<double> least, most;
};

inline constexpr std::int64_t kForever = 0;
inline constexpr std::int64_t kDefaultEvery_ns = 10'000'000'000;
inline constexpr std::int64_t kLeastEvery_ns = 10'000'000;

enum class SourceKind : std::uint8_t { kFile, kClock, kCall };

struct CallArgument {
  enum class Kind : std::uint8_t { kValue, kOut } kind = Kind::kValue;
  int node = -1;               // of kValue
  bool is_pointer = false;     // likewise
  std::vector<int> sources;    // likewise: below it, sorted
  Layout layout;               // of kOut
  std::optional<int> version;  // of kOut: the first field is set to size | version << 24
};

struct Source {
  SourceKind kind = SourceKind::kFile;
  std::string name;  // as errors and explanations call it
  Place place;
  Type type;
  Layout layout;  // of a file's number, and of what a call gives
  Unit unit;
  std::int64_t every_ns = kDefaultEvery_ns;  // kForever: once, when it was read
  bool has_own_schedule = false;
  bool is_optional = false;  // that it is missing is no fault
  bool is_needed = false;    // by a metric, through arguments of calls, too
  std::vector<Value> not_available;
  // Of a file.
  std::string path;  // relative to the instance, or from the root; may hold `*` and `?`
  std::string key;   // the number stands behind this word, ...
  int column = 1;    // ... so many words behind it
  // Of a call.
  int library = -1;
  std::string function;
  std::vector<CallArgument> arguments;
  bool gives_result = false;  // what it returns is its value, not a status
};

struct Library {
  std::string name;
  Place place;
  std::vector<std::string> files;
  std::string init, shutdown;
  std::int64_t ok = 0;
  std::int64_t timeout_ns = 1'000'000'000;
  int codes = -1;  // an enum: names of statuses
};

struct Named {
  std::string name;
  Place place;
  int node = -1;
  bool needs_previous = false;  // below a delta
};

struct Export {
  std::string name;
  Place place;
  MetricKind kind = MetricKind::kGauge;
  std::string unit;  // as it is printed: "celsius"; "" of what is no number
  std::string help;
  int named = -1;  // its value, of names
  int node = -1;   // likewise, of nodes
  Type type;
  std::vector<int> sources;  // it depends on, sorted
};

enum class InstanceKind : std::uint8_t { kOne, kGlob, kRange };

struct DeviceSpec {
  std::string name, about, vendor;
  Place place;
  InstanceKind instances = InstanceKind::kOne;
  std::string pattern;         // of kGlob
  int where = -1;              // a node; -1: all
  int count = -1;              // a node, of kRange
  std::vector<int> discovery;  // sources that say which instances there are, sorted
  std::vector<Node> nodes;
  std::vector<Source> sources;  // arguments of a call depend on sources before it
  std::vector<Named> names;     // each depends on names before it
  std::vector<Export> exports;  // in the order of the file
  std::vector<Bounds> bounds;
  std::vector<EnumDef> enums;
  std::vector<StructDef> structs;
  std::vector<Library> libraries;
};

struct Spec {
  std::string file;
  std::string text;
  std::vector<DeviceSpec> devices;
};

inline constexpr int kLanguageVersion = 1;

// Parses and checks `text`. What is wrong is in `diagnostics`; the spec is of use only without
// errors there. Any text is bounded in time and memory. O(bytes * names).
Spec CheckText(std::string file, std::string text, Diagnostics& diagnostics);

// kBadData with the first that is wrong.
Result<Spec> ReadSpec(const std::string& path);
// That first error as a sentence of one line. There is one.
Status FirstError(const std::string& file, std::string_view text, const Diagnostics& diagnostics);

// "u64", "list of 8 f64", "struct stat_t".
std::string TypeText(const DeviceSpec& device, const Type& type);
Type TypeOf(const Layout& layout);
// Sources below a node, through names, sorted.
std::vector<int> SourcesOf(const DeviceSpec& device, int node);

// What metrics need, through names and arguments of calls: a flag for each source and each name.
// Other sources are read to find instances, or never.
struct Needed {
  std::vector<char> sources, names;
};
Needed NeededOf(const DeviceSpec& device);

}  // namespace rankscope::probe
