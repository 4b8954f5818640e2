// A checked specification: names are resolved, every expression has its type and unit, every
// source its schedule. The interpreter (run/) and the C++ generator (compile/) read nothing
// else.
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
  kAny,     // of an invalid expression: fits all, so that one mistake is reported once
  kAbsent,  // of the literal `absent`
  kI64,
  kU64,
  kF64,
  kBool,
  kStr,
  kPtr,  // only passed on to a library
  kEnum,
  kStruct,
  kList,
};

// Values of every type may also be absent.
struct Type {
  TypeKind kind = TypeKind::kAny;
  int of = -1;                     // which enum or struct
  TypeKind item = TypeKind::kAny;  // of a list
  int count = 0;                   // of a list
  bool operator==(const Type&) const = default;
};

// The layout of a value in memory, or its format in a file.
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
  int struct_of = -1;  // if set, the other fields do not apply
};
std::size_t BytesOf(Width width);  // of one element; 1 for kChars

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
  kLoop,    // the comprehension's current index
  kSource,  // `ref`
  kNamed,   // `ref`: index of names
  kNegate,
  kNot,
  kInvert,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,       // gives f64
  kFloorDivide,  // like Python's, towards minus infinity
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
  kConditional,  // value, condition, other value
  kList,
  kComprehension,  // value, for type.count indices from `ref` on
  kElement,        // list, index
  kField,          // struct; `ref`: index of its fields
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
  kDelta,  // `ref`: bits after which it wraps; 0: never
  kRate,   // same as kDelta
  kBound,  // of gauge(): `ref`: index of bounds
};

struct Node {
  Op op = Op::kAbsent;
  Type type;
  Unit unit;
  Place place;
  std::vector<int> a;  // other nodes; their indices are smaller than this one's
  int ref = 0;
  int source = -1;  // of kRate: a source whose sample times apply
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
  std::vector<int> sources;    // likewise: the sources that it uses, sorted
  Layout layout;               // of kOut
  std::optional<int> version;  // of kOut: the first field is set to size | version << 24
};

struct Source {
  SourceKind kind = SourceKind::kFile;
  std::string name;  // its name in errors and explanations
  Place place;
  Type type;
  Layout layout;  // of the number in a file, or of a call's result
  Unit unit;
  std::int64_t every_ns = kDefaultEvery_ns;  // kForever: only once, until a reading succeeds
  bool has_own_schedule = false;
  bool is_optional = false;  // its absence is not a fault
  bool is_needed = false;    // a metric needs it, possibly through arguments of calls
  std::vector<Value> not_available;
  // For a file.
  std::string path;  // relative to the instance, or from the root; may hold `*` and `?`
  std::string key;   // the number follows this word ...
  int column = 1;    // ... at this position
  // For a call.
  int library = -1;
  std::string function;
  std::vector<CallArgument> arguments;
  bool gives_result = false;  // its return value is the value, not a status
};

struct Library {
  std::string name;
  Place place;
  std::vector<std::string> files;
  std::string init, shutdown;
  std::int64_t ok = 0;
  std::int64_t timeout_ns = 1'000'000'000;
  int codes = -1;  // an enum with names of statuses
};

struct Named {
  std::string name;
  Place place;
  int node = -1;
  bool needs_previous = false;  // used by a delta or rate
};

struct Export {
  std::string name;
  Place place;
  MetricKind kind = MetricKind::kGauge;
  std::string unit;  // as printed: "celsius"; "" if it is not a number
  std::string help;
  int named = -1;  // its value: index of names
  int node = -1;   // likewise: index of nodes
  Type type;
  std::vector<int> sources;  // sources that it depends on, sorted
};

enum class InstanceKind : std::uint8_t { kOne, kGlob, kRange };

struct DeviceSpec {
  std::string name, about, vendor;
  Place place;
  InstanceKind instances = InstanceKind::kOne;
  std::string pattern;         // of kGlob
  int where = -1;              // a node; -1: all instances
  int count = -1;              // a node, of kRange
  std::vector<int> discovery;  // sources that determine the instances, sorted
  std::vector<Node> nodes;
  std::vector<Source> sources;  // arguments of a call depend only on earlier sources
  std::vector<Named> names;     // each depends only on earlier names
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

// Parses and checks `text`. Problems go into `diagnostics`; the spec is usable only if there are no
// errors. Time and memory are bounded for any text. O(bytes * names).
Spec CheckText(std::string file, std::string text, Diagnostics& diagnostics);

// kBadData with the first error.
Result<Spec> ReadSpec(const std::string& path);
// The first error as a sentence on one line. `diagnostics` must contain an error.
Status FirstError(const std::string& file, std::string_view text, const Diagnostics& diagnostics);

// "u64", "list of 8 f64", "struct stat_t".
std::string TypeText(const DeviceSpec& device, const Type& type);
Type TypeOf(const Layout& layout);
// The sources that a node uses, also through names, sorted.
std::vector<int> SourcesOf(const DeviceSpec& device, int node);

// What metrics need, also through names and arguments of calls: a flag per source and per name.
// Other sources are read only to find instances, or never.
struct Needed {
  std::vector<char> sources, names;
};
Needed NeededOf(const DeviceSpec& device);

}  // namespace rankscope::probe
