#include "formats/et/reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "formats/base/json_document.h"

namespace rankscope::et {
namespace {

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
void AppendNumbers(const json::Value& element, int depth, std::string& out) {
  if (const auto number = element.Integer()) {
    fmt::format_to(std::back_inserter(out), "{}", *number);
  } else if (element.IsArray() && depth < kMostDepth) {
    out += '[';
    for (const json::Value& one : element.Items()) {
      if (out.back() != '[') out += ',';
      AppendNumbers(one, depth + 1, out);
    }
    out += ']';
  }
}

// A value as PyTorch prints it: "1", "2.5", "True", "[1, 2]"; nothing of None.
void AppendValue(const json::Value& element, int depth, std::string& out) {
  if (const auto flag = element.Flag()) {
    out += *flag ? "True" : "False";
  } else if (element.Number()) {
    out += element.ToString();
  } else if (const auto text = element.Text()) {
    if (*text != "<None>") out += *text;
  } else if (element.IsArray() && depth < kMostDepth) {
    out += '[';
    for (const json::Value& one : element.Items()) {
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

class NodeReader {
 public:
  NodeReader(ExecutionTrace& trace, const json::Value& object)
      : trace_(trace), object_(object), attributes_(object["attrs"].Items()) {}

  void Read() {
    Node node;
    node.id = object_["id"].IntegerOr(-1);
    node.record_id = Int("rf_id", 0);
    node.thread = Int("tid", -1);
    node.name = Keep(object_["name"].Text().value_or(""));
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
  json::Value Find(std::string_view name) const {
    const json::Value own = object_[name];
    if (!own.IsAbsent()) return own;
    for (const json::Value& attribute : attributes_) {
      if (attribute["name"].Text().value_or("") == name && attribute.IsObject())
        return attribute["value"];
    }
    return own;
  }
  std::int64_t Int(std::string_view name, std::int64_t unknown) const {
    return Find(name).IntegerOr(unknown);
  }
  std::string_view Text(std::string_view name) const { return Find(name).Text().value_or(""); }

  StringId Keep(std::string_view text) {
    return text.size() <= kMostText ? trace_.strings.Intern(text) : kEmptyString;
  }

  void ReadInputs(Node& node) {
    // One element for each input, in an object or in lists of the node's own.
    const json::Value inputs = object_["inputs"];
    const bool is_object = inputs.IsObject();
    const json::Value& of = is_object ? inputs : object_;
    const std::vector<json::Value> types = of[is_object ? "types" : "input_types"].Items();
    if (types.empty()) return;
    const std::vector<json::Value> shapes = of[is_object ? "shapes" : "input_shapes"].Items();
    const std::vector<json::Value> strides = of[is_object ? "strides" : "input_strides"].Items();
    const std::vector<json::Value> values = of[is_object ? "values" : "inputs"].Items();
    std::vector<std::string_view> names;
    for (const json::Value& type : types) names.push_back(type.Text().value_or(""));
    if (shapes.size() == types.size()) node.dims = Numbers(names, shapes);
    if (strides.size() == types.size()) node.strides = Numbers(names, strides);
    node.types = Types(names);
    if (values.size() == types.size()) node.values = Values(names, values);
  }

  StringId Numbers(const std::vector<std::string_view>& types,
                   const std::vector<json::Value>& elements) {
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
                  const std::vector<json::Value>& elements) {
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
  const json::Value object_;
  const std::vector<json::Value> attributes_;
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
  const json::Value root = document.root();
  trace.schema = root["schema"].TextOr("");
  trace.pid = root["pid"].IntegerOr(-1);
  ForEachJsonObject(root["nodes"],
                    [&](const json::Value& node) { NodeReader(trace, node).Read(); });
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
