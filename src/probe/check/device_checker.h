// Checks one class. Internal to check.cc; its functions are spread over several files by what they
// check.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probe/check/built_ins.h"
#include "probe/check/spec.h"
#include "probe/syntax/tree.h"

namespace rankscope::probe {

inline constexpr std::size_t kMostNodes = 20'000;  // of a class: passes are quadratic
inline constexpr std::size_t kMostNames = 500;
inline constexpr int kMostItems = 1024;  // of a list
// Depth through names, since one name may build on another.
inline constexpr int kMostNodeDepth = 1000;

enum class SymbolKind : std::uint8_t {
  kValue,
  kEnum,
  kStruct,
  kLibrary,
  kEnumItem,
  kSpecial,
  kWrong
};

struct Symbol {
  SymbolKind kind = SymbolKind::kWrong;
  int index = -1;          // among symbols of its kind; for an item: of its enum
  std::int64_t value = 0;  // of an item
  Place place;
  bool is_used = false;
};

class DeviceChecker {
 public:
  DeviceChecker(const ClassDef& source, Diagnostics& diagnostics)
      : source_(source), wrong_(diagnostics) {}

  DeviceSpec Run();

 private:
  // The arguments of a call, by name.
  struct Call {
    std::string_view name;
    Place place;
    std::span<const Expr* const> values;  // positional ones
    const std::vector<Keyword>* keywords = nullptr;
    const Keyword* Find(std::string_view name) const;
  };

  // names.cc
  void CheckHead();
  void CollectNames();
  void CollectEnums(const Expr& expr, std::string_view name);
  void CheckAssignments();
  std::vector<std::size_t> Order();
  void TellCycle(const std::vector<std::size_t>& path, std::size_t from);
  void CheckAssignment(const Assignment& one);
  void Declare(const Assignment& one, SymbolKind kind, int index);
  void CheckInstances(const Assignment& one);
  void RefuseChange(int node, Place place);
  void WarnOfUnused();
  void UnknownName(const Expr& expr);

  // types.cc
  std::optional<Layout> ReadLayout(const Expr& expr);
  std::optional<Layout> ReadArray(const Expr& expr);
  int ReadEnum(const Expr& expr);
  int ReadStruct(const Expr& expr, std::string_view name);
  bool AddField(StructDef& made, const Keyword& field, std::size_t& align);

  // sources.cc
  int FileSource(const Expr& expr, const Call& call);
  int CallSource(const Expr& expr);
  int ClockSource(const Expr& expr);
  int AddSource(Source source, Place place);
  bool ReadSchedule(const Call& call, Source& source);
  bool ReadSourceUnit(const Call& call, Source& source);
  bool ReadNotAvailable(const Call& call, Source& source);
  bool ReadPath(const Expr& expr, std::string& path);
  bool ReadKey(const Call& call, Source& source);
  bool ReadCallArgument(const Expr& expr, Source& source);
  bool ReadOut(const Expr& expr, Source& source);
  bool ReadResult(const Call& call, Source& source, Place place);
  int ReadLibrary(const Expr& expr, std::string_view name);
  bool ReadSonames(const Expr& expr, Library& library);
  void WarnOfSameFile(const Source& source);

  // literals.cc
  std::optional<std::string> TextOf(const Expr& expr, std::string_view what);
  std::optional<std::int64_t> WholeOf(const Expr& expr, std::string_view what, std::int64_t least,
                                      std::int64_t most);
  std::optional<double> NumberOf(const Expr& expr, std::string_view what);
  std::optional<bool> FlagOf(const Expr& expr, std::string_view what);
  std::optional<std::int64_t> DurationOf(const Expr& expr);
  bool ReadUnit(const Expr& expr, Unit& unit, std::string& name);
  Call CallOf(const Expr& expr) const;
  // False, after an error, if there are unknown names, or too few or too many arguments.
  bool CheckCall(const Call& call, std::size_t least, std::size_t most,
                 const std::vector<std::string>& keywords);

  // expressions.cc
  int Expression(const Expr& expr);
  int Word(const Expr& expr);
  int Literal(const Expr& expr);
  int Unary(const Expr& expr);
  int Binary(const Expr& expr);
  int Bits(const Expr& expr, Op op, int a, int b);
  Unit ProductUnit(Op op, int a, int b) const;
  int Compare(const Expr& expr);
  int IsNone(const Expr& expr);
  int Logical(const Expr& expr);
  int Conditional(const Expr& expr, int value, int condition, int other);
  int List(const Expr& expr);
  int Comprehension(const Expr& expr);
  bool ReadRange(const Expr& expr, int& begin, int& count);
  int Attribute(const Expr& expr);
  int Subscript(const Expr& expr);
  bool IsCondition(int node, Place place, std::string_view what);

  // functions.cc
  int Function(const Expr& expr);
  int Least(const Call& call);
  int OfList(const Call& call, Op op);
  int Absolute(const Call& call);
  int OrElse(const Call& call);
  int Convert(const Call& call, Op op, TypeKind to);
  int Change(const Call& call, Op op);

  // exports.cc
  void CheckExport(const Assignment& one);
  int ExportValue(const Expr& expr, Export& made, const StandardMetric* standard);
  int Wrapped(const Expr& expr, Export& made, const StandardMetric* standard);
  bool ReadExportUnit(const Call& call, Export& made, const StandardMetric* standard, Unit& unit);
  bool CheckPlainExport(int node, const Expr& expr, Export& made, const StandardMetric* standard);
  bool HasHealthWords(int node);

  // schedule.cc
  void Schedule();
  std::vector<int> SourcesOfDeltas(int node) const;

  // nodes.cc
  int Add(Node node);
  int Wrong(Place place);
  int Constant(Place place, Type type, Value value);
  const Node& At(int node) const { return made_.nodes[static_cast<std::size_t>(node)]; }
  const Type& TypeAt(int node) const { return At(node).type; }
  bool IsLiteral(int node) const;
  bool IsNumber(int node) const;
  bool IsAny(int node) const { return TypeAt(node).kind == TypeKind::kAny; }
  // Converts literals so that both get the same type; false after an error.
  bool Unify(int& a, int& b, std::string_view where, Place place);
  std::optional<int> Converted(int literal, TypeKind to);
  std::string Name(int node) const { return TypeText(made_, TypeAt(node)); }

  const ClassDef& source_;
  Diagnostics& wrong_;
  DeviceSpec made_;
  std::map<std::string_view, Symbol> symbols_;
  std::map<const Expr*, int> enums_;
  struct Facts {
    bool has_delta = false;
    int depth = 0;
  };
  std::vector<Facts> facts_;  // of nodes
  std::string_view name_;     // being checked now
  int sources_of_name_ = 0;
  struct Loop {
    std::string_view name;
    int begin = 0, count = 0;
  };
  std::optional<Loop> loop_;
  bool has_folder_ = false;  // instances are folders
  bool told_size_ = false;
};
std::optional<Width> FindWidth(std::string_view name);     // "u32"
bool IsFunction(const Expr& expr, std::string_view name);  // whether it is a call of `name`

}  // namespace rankscope::probe
