#include "formats/et/reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "formats/base/json_document.h"

namespace rankscope::et {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kMostText = std::size_t{1} << 16;
constexpr int kMostDepth = 4;

// Kinds of inputs as Kineto tells them apart.
enum class Kind : std::uint8_t { kTensor, kTensorList, kScalar, kScalarList, kOther };

Kind KindOf(std::string_view type) {
  if (type.starts_with("Tensor")) return Kind::kTensor;
  if (type.starts_with("GenericList[Tensor")) return Kind::kTensorList;
  if (type == "Int" || type == "Double" || type == "Bool") return Kind::kScalar;
  for (const std::string_view list : {"GenericList[Int", "GenericList[Double", "GenericList[Bool"})
    if (type.starts_with(list)) return Kind::kScalarList;
  return Kind::kOther;
}

// "Tensor(float)" -> "float".
std::string_view KinetoType(std::string_view type) {
  switch (KindOf(type)) {
    case Kind::kTensor:
      return type.size() > 8 && type.ends_with(')') ? type.substr(7, type.size() - 8)
                                                    : std::string_view();
    case Kind::kTensorList:
      return "TensorList";
    case Kind::kScalar:
      return "Scalar";
    case Kind::kScalarList:
      return "ScalarList";
    case Kind::kOther:
      break;
  }
  return {};
}

// Whole numbers, in lists of lists; what else there is is left out.
void AppendNumbers(dom::element element, int depth, std::string& out) {
  dom::array list;
  std::int64_t number = 0;
  if (!element.get(number)) {
    fmt::format_to(std::back_inserter(out), "{}", number);
  } else if (!element.get(list) && depth < kMostDepth) {
    out += '[';
    for (const dom::element one : list) {
      if (out.back() != '[') out += ',';
      AppendNumbers(one, depth + 1, out);
    }
    out += ']';
  }
}

// A value as PyTorch prints it: "1", "2.5", "True", "[1, 2]"; nothing of None.
void AppendValue(dom::element element, int depth, std::string& out) {
  dom::array list;
  std::string_view text;
  if (element.is_bool()) {
    out += bool(element) ? "True" : "False";
  } else if (element.is_int64() || element.is_uint64() || element.is_double()) {
    out += simdjson::minify(element);
  } else if (!element.get(text)) {
    if (text != "<None>") out += text;
  } else if (!element.get(list) && depth < kMostDepth) {
    out += '[';
    for (const dom::element one : list) {
      if (out.back() != '[') out += ", ";
      AppendValue(one, depth + 1, out);
    }
    out += ']';
  }
}

void AppendQuoted(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) continue;
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

// One member of a node's inputs, one element for each input.
std::vector<dom::element> ElementsOf(dom::object inputs, std::string_view key) {
  std::vector<dom::element> elements;
  dom::array list;
  if (inputs.at_key(key).get(list)) return elements;
  for (const dom::element one : list) elements.push_back(one);
  return elements;
}

class NodeReader {
 public:
  NodeReader(ExecutionTrace& trace, dom::object object) : trace_(trace), object_(object) {}

  void Read() {
    dom::array attributes;
    has_attributes_ = !object_.at_key("attrs").get(attributes);
    if (has_attributes_) attributes_ = attributes;
    Node node;
    node.id = JsonInt(object_, "id", -1);
    node.record_id = Int("rf_id", 0);
    node.thread = Int("tid", -1);
    node.name = Keep(JsonText(object_, "name"));
    node.schema = Keep(Text("op_schema"));
    if (node.id < 0 || node.name == kEmptyString) {
      trace_.quality.Add(QualityCode::kBadEvent, -1, "a node without id and name was skipped");
      return;
    }
    ReadInputs(node);
    ReadCollective(node);
    trace_.nodes.push_back(node);
  }

 private:
  // A node's own member, or the attribute of that name.
  dom::element Find(std::string_view name, bool& is_there) const {
    dom::element found;
    is_there = !object_.at_key(name).get(found);
    if (is_there || !has_attributes_) return found;
    for (const dom::element one : attributes_) {
      dom::object attribute;
      if (one.get(attribute) || JsonText(attribute, "name") != name) continue;
      is_there = !attribute.at_key("value").get(found);
      return found;
    }
    return found;
  }
  std::int64_t Int(std::string_view name, std::int64_t unknown) const {
    bool is_there = false;
    const dom::element element = Find(name, is_there);
    std::int64_t value = 0;
    return is_there && !element.get(value) ? value : unknown;
  }
  std::string_view Text(std::string_view name) const {
    bool is_there = false;
    const dom::element element = Find(name, is_there);
    std::string_view text;
    return is_there && !element.get(text) ? text : std::string_view();
  }

  StringId Keep(std::string_view text) {
    return text.size() <= kMostText ? trace_.strings.Intern(text) : kEmptyString;
  }

  void ReadInputs(Node& node) {
    dom::object inputs;
    const bool is_object = !object_.at_key("inputs").get(inputs);
    const dom::object& of = is_object ? inputs : object_;
    const auto types = ElementsOf(of, is_object ? "types" : "input_types");
    if (types.empty()) return;
    const auto shapes = ElementsOf(of, is_object ? "shapes" : "input_shapes");
    const auto strides = ElementsOf(of, is_object ? "strides" : "input_strides");
    const auto values = ElementsOf(of, is_object ? "values" : "inputs");
    std::vector<std::string_view> names;
    for (const dom::element type : types) {
      std::string_view name;
      names.push_back(type.get(name) ? std::string_view() : name);
    }
    if (shapes.size() == types.size()) node.dims = Numbers(names, shapes);
    if (strides.size() == types.size()) node.strides = Numbers(names, strides);
    node.types = Types(names);
    if (values.size() == types.size()) node.values = Values(names, values);
  }

  StringId Numbers(const std::vector<std::string_view>& types,
                   const std::vector<dom::element>& elements) {
    std::string text = "[";
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (i > 0) text += ',';
      const Kind kind = KindOf(types[i]);
      const std::size_t before = text.size();
      if (kind == Kind::kTensor || kind == Kind::kTensorList) AppendNumbers(elements[i], 0, text);
      if (text.size() == before) text += "[]";
    }
    return Keep(text + ']');
  }
  StringId Types(const std::vector<std::string_view>& types) {
    std::string text = "[";
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (i > 0) text += ',';
      AppendQuoted(KinetoType(types[i]), text);
    }
    return Keep(text + ']');
  }
  StringId Values(const std::vector<std::string_view>& types,
                  const std::vector<dom::element>& elements) {
    std::string text = "[";
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (i > 0) text += ',';
      std::string value;
      const Kind kind = KindOf(types[i]);
      if (kind != Kind::kTensor && kind != Kind::kTensorList) AppendValue(elements[i], 0, value);
      AppendQuoted(value, text);
    }
    return Keep(text + ']');
  }

  void ReadCollective(Node& node) {
    const std::string_view name = Text("collective_name");
    if (name.empty()) return;
    Collective collective;
    collective.name = Keep(name);
    collective.dtype = Keep(Text("dtype"));
    collective.group_name = Keep(Text("pg_name"));
    collective.group_desc = Keep(Text("pg_desc"));
    collective.in_split = Keep(Text("in_split_size"));
    collective.out_split = Keep(Text("out_split_size"));
    collective.in_elements = Int("in_msg_nelems", -1);
    collective.out_elements = Int("out_msg_nelems", -1);
    collective.group_size = Int("pg_size", -1);
    collective.first_rank = Int("global_rank_start", -1);
    collective.rank_stride = Int("global_rank_stride", -1);
    node.collective = static_cast<std::uint32_t>(trace_.collectives.size());
    trace_.collectives.push_back(collective);
  }

  ExecutionTrace& trace_;
  dom::object object_;
  dom::array attributes_;
  bool has_attributes_ = false;
};

}  // namespace

bool IsExecutionTrace(std::string_view head) {
  const auto has = [&](std::string_view key) { return head.find(key) != std::string_view::npos; };
  const std::size_t brace = head.find_first_not_of(" \t\r\n");
  return brace != std::string_view::npos && head[brace] == '{' && !has("\"traceEvents\"") &&
         has("\"schema\"") && has("\"nodes\"") &&
         (has("\"rf_id\"") || has("\"ctrl_deps\"") || has("\"op_schema\""));
}

std::optional<std::int64_t> PidOf(std::string_view head) {
  constexpr std::string_view kKey = "\"pid\":";
  const std::size_t key = head.find(kKey);
  if (key == std::string_view::npos) return std::nullopt;
  head.remove_prefix(key + kKey.size());
  head.remove_prefix(std::min(head.size(), head.find_first_not_of(" \t\r\n")));
  std::int64_t pid = 0;
  const auto [end, error] = std::from_chars(head.data(), head.data() + head.size(), pid);
  return error == std::errc() ? std::optional(pid) : std::nullopt;
}

Result<ExecutionTrace> ReadExecutionTrace(ByteSource& source, const std::string& path) {
  ExecutionTrace trace;
  trace.path = path;
  JsonDocument document;
  RS_RETURN_IF_ERROR(document.Read(source, path, trace.quality));
  dom::object root;
  if (!document.root().get(root)) {
    trace.schema = JsonText(root, "schema");
    trace.pid = JsonInt(root, "pid", -1);
    ForEachJsonObject(root, "nodes", [&](dom::object node) { NodeReader(trace, node).Read(); });
  }
  if (trace.nodes.empty()) {
    return Error(StatusCode::kBadData, "{}: there is no op in this execution trace", path);
  }
  // Nodes are written when their calls return.
  std::stable_sort(trace.nodes.begin(), trace.nodes.end(),
                   [](const Node& a, const Node& b) { return a.record_id < b.record_id; });
  return trace;
}

Result<ExecutionTrace> ReadExecutionTrace(const std::string& path, const InflateLimits& limits) {
  RS_ASSIGN_OR_RETURN(const auto source, OpenByteSource(path, limits));
  return ReadExecutionTrace(*source, path);
}

}  // namespace rankscope::et
