#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/nearest_name.h"
#include "base/toml.h"
#include "tune/adapter/adapter.h"
#include "tune/adapter/fill.h"

namespace rankscope::tune {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::size_t kMostKnobs = 16;
constexpr std::int64_t kMostSeconds = std::int64_t{24} * 3600;

// A table of the file whose keys are taken one after the other; what is left is no key.
class Section {
 public:
  Section(const std::string& source, std::string path, const toml::table& table)
      : source_(source), path_(std::move(path)), table_(table) {}

  Status Wrong(const toml::node& node, std::string_view key, std::string_view what) const {
    return Error(StatusCode::kInvalidArgument, "{}: line {}: {}{}{} {}", source_,
                 node.source().begin.line, path_, path_.empty() || key.empty() ? "" : ".", key,
                 what);
  }
  Status Wrong(std::string_view what) const { return Wrong(table_, "", what); }

  const toml::node* Find(const char* key) {
    known_.emplace_back(key);
    return table_.get(key);
  }

  Status Text(const char* key, std::string& to) {
    const toml::node* const node = Find(key);
    if (node == nullptr) return OkStatus();
    if (!node->is_string()) return Wrong(*node, key, "is to be a text");
    to = node->as_string()->get();
    return OkStatus();
  }

  Status Number(const char* key, std::optional<double>& to) {
    const toml::node* const node = Find(key);
    if (node == nullptr) return OkStatus();
    if (!node->is_number()) return Wrong(*node, key, "is to be a number");
    to = node->value<double>();
    return OkStatus();
  }

  Status Seconds(const char* key, std::int64_t& to) {
    const toml::node* const node = Find(key);
    if (node == nullptr) return OkStatus();
    const auto value = node->is_integer() ? node->value<std::int64_t>() : std::nullopt;
    if (!value || *value < 1 || *value > kMostSeconds)
      return Wrong(*node, key, fmt::format("is to be whole seconds, 1 to {}", kMostSeconds));
    to = *value;
    return OkStatus();
  }

  Status Flag(const char* key, bool& to) {
    const toml::node* const node = Find(key);
    if (node == nullptr) return OkStatus();
    if (!node->is_boolean()) return Wrong(*node, key, "is to be true or false");
    to = node->as_boolean()->get();
    return OkStatus();
  }

  Status Texts(const char* key, std::vector<std::string>& to) {
    const toml::node* const node = Find(key);
    if (node == nullptr) return OkStatus();
    const toml::array* const list = node->as_array();
    if (list == nullptr) return Wrong(*node, key, "is to be a list of texts");
    for (const toml::node& item : *list) {
      if (!item.is_string()) return Wrong(item, key, "is to be a list of texts");
      to.push_back(item.as_string()->get());
    }
    return OkStatus();
  }

  Status TextMap(const char* key, std::map<std::string, std::string>& to) {
    const toml::node* const node = Find(key);
    if (node == nullptr) return OkStatus();
    const toml::table* const table = node->as_table();
    if (table == nullptr) return Wrong(*node, key, "is to be a table of texts");
    for (const auto& [name, value] : *table) {
      if (!value.is_string())
        return Wrong(value, fmt::format("{}.{}", key, name.str()), "is to be a text");
      to[std::string(name.str())] = value.as_string()->get();
    }
    return OkStatus();
  }

  // nullptr: it is not there.
  Result<const toml::table*> Table(const char* key) {
    const toml::node* const node = Find(key);
    if (node == nullptr) return nullptr;
    if (!node->is_table()) return Wrong(*node, key, fmt::format("is written [{}]", key));
    return node->as_table();
  }

  // All keys were taken.
  Status End() const {
    for (const auto& [key, node] : table_) {
      if (std::ranges::find(known_, key.str()) != known_.end()) continue;
      const std::string_view nearest = NearestName(key.str(), known_);
      return Wrong(node, key.str(),
                   fmt::format("is nothing that an adapter says{}",
                               nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest)));
    }
    return OkStatus();
  }

  const std::string& source() const { return source_; }
  const toml::table& table() const { return table_; }

 private:
  const std::string& source_;
  const std::string path_;
  const toml::table& table_;
  std::vector<std::string> known_;
};

Status TakeReadiness(Section& section, Readiness& ready) {
  RS_RETURN_IF_ERROR(section.Text("ready", ready.path));
  if (!ready.path.starts_with('/'))
    return section.Wrong(*section.table().get("ready"), "ready", "is a path that begins with '/'");
  return section.Seconds("ready_within_s", ready.within_s);
}

Result<TrialServer> TrialOf(Section section) {
  TrialServer trial;
  RS_RETURN_IF_ERROR(section.Texts("start", trial.start));
  RS_RETURN_IF_ERROR(section.TextMap("environment", trial.environment));
  RS_RETURN_IF_ERROR(section.Texts("live", trial.live));
  RS_RETURN_IF_ERROR(section.Text("url", trial.url));
  RS_RETURN_IF_ERROR(TakeReadiness(section, trial.ready));
  RS_RETURN_IF_ERROR(section.Seconds("stop_within_s", trial.stop_within_s));
  RS_RETURN_IF_ERROR(section.End());
  if (trial.start.empty() || trial.start.front().empty())
    return section.Wrong("needs start, the command that starts the server");
  return trial;
}

Result<Service> ServiceOf(Section section) {
  Service service;
  RS_RETURN_IF_ERROR(section.Text("url", service.url));
  RS_RETURN_IF_ERROR(section.Text("file", service.file));
  RS_RETURN_IF_ERROR(section.Text("content", service.content));
  RS_RETURN_IF_ERROR(section.Texts("apply", service.apply));
  RS_RETURN_IF_ERROR(TakeReadiness(section, service.ready));
  RS_RETURN_IF_ERROR(section.Seconds("apply_within_s", service.apply_within_s));
  RS_RETURN_IF_ERROR(section.End());
  if (service.url.empty()) return section.Wrong("needs url, where the service is");
  if (service.file.empty() && service.apply.empty())
    return section.Wrong("needs a file of settings with its content, or a command: apply, or both");
  if (service.file.empty() != service.content.empty())
    return section.Wrong("needs file and content together");
  if (!service.apply.empty() && service.apply.front().empty())
    return section.Wrong("apply begins with a program");
  return service;
}

// What the keys of a parameter say, before it is known which belong together.
struct KnobKeys {
  std::string scale = "linear", choice;
  std::optional<double> least, most, standard, resolution;
};

Status TakeKeys(Section& section, Knob& knob, KnobKeys& keys) {
  RS_RETURN_IF_ERROR(section.Texts("choices", knob.parameter.choices));
  RS_RETURN_IF_ERROR(knob.parameter.choices.empty() ? section.Number("default", keys.standard)
                                                    : section.Text("default", keys.choice));
  RS_RETURN_IF_ERROR(section.Text("scale", keys.scale));
  RS_RETURN_IF_ERROR(section.Number("least", keys.least));
  RS_RETURN_IF_ERROR(section.Number("most", keys.most));
  RS_RETURN_IF_ERROR(section.Number("resolution", keys.resolution));
  RS_RETURN_IF_ERROR(section.Text("flag", knob.flag));
  RS_RETURN_IF_ERROR(section.Texts("flags", knob.flags));
  RS_RETURN_IF_ERROR(section.Text("variable", knob.variable));
  RS_RETURN_IF_ERROR(section.Flag("restart", knob.needs_restart));
  RS_RETURN_IF_ERROR(section.Texts("raised_by", knob.raised_by));
  RS_RETURN_IF_ERROR(section.Texts("lowered_by", knob.lowered_by));
  return section.End();
}

Status SetNumbers(const Section& section, const KnobKeys& keys, Parameter& to) {
  if (keys.scale != "linear" && keys.scale != "log2")
    return section.Wrong(*section.table().get("scale"), "scale", "is linear or log2");
  if (!keys.least || !keys.most || !keys.standard)
    return section.Wrong("needs least, most and default, or choices and default");
  to.scale = keys.scale == "log2" ? Scale::kLog2 : Scale::kLinear;
  to.least = *keys.least;
  to.most = *keys.most;
  to.standard = *keys.standard;
  to.resolution = keys.resolution.value_or(1);
  return OkStatus();
}

Status SetChoice(const Section& section, const KnobKeys& keys, Parameter& to) {
  to.scale = Scale::kChoice;
  const auto found = std::ranges::find(to.choices, keys.choice);
  if (found == to.choices.end()) return section.Wrong("needs a default that is one of its choices");
  to.standard = static_cast<double>(found - to.choices.begin());
  return OkStatus();
}

Result<Knob> KnobOf(const std::string& name, Section section) {
  Knob knob{.parameter = {.name = name}};
  KnobKeys keys;
  RS_RETURN_IF_ERROR(TakeKeys(section, knob, keys));
  RS_RETURN_IF_ERROR(knob.parameter.choices.empty() ? SetNumbers(section, keys, knob.parameter)
                                                    : SetChoice(section, keys, knob.parameter));
  if (!knob.flags.empty() && knob.flags.size() != knob.parameter.choices.size())
    return section.Wrong("needs as many flags as choices");
  if (!knob.flag.empty() && !knob.flags.empty())
    return section.Wrong("has flag or flags, not both");
  return knob;
}

Result<Order> OrderOf(Section section) {
  Order order;
  std::optional<double> factor;
  RS_RETURN_IF_ERROR(section.Text("greater", order.greater));
  RS_RETURN_IF_ERROR(section.Text("lesser", order.lesser));
  RS_RETURN_IF_ERROR(section.Number("factor", factor));
  RS_RETURN_IF_ERROR(section.End());
  order.factor = factor.value_or(1);
  return order;
}

Status TakeOrders(const std::string& source, const toml::node& node, Adapter& adapter) {
  const toml::array* const list = node.as_array();
  if (list == nullptr || !list->is_array_of_tables())
    return Error(StatusCode::kInvalidArgument, "{}: line {}: orders are written [[orders]]", source,
                 node.source().begin.line);
  for (const toml::node& one : *list) {
    RS_ASSIGN_OR_RETURN(Order order, OrderOf(Section(source, "orders", *one.as_table())));
    adapter.orders.push_back(std::move(order));
  }
  return OkStatus();
}

// What a text refers to is there, and each parameter reaches the server.
class References {
 public:
  explicit References(const Adapter& adapter) : adapter_(adapter) {
    for (const char* const name : {"settings", "arguments", "rankscope"}) known_.insert(name);
    for (const auto& [name, value] : adapter.values) known_.insert(name);
    for (const Knob& knob : adapter.knobs) known_.insert(knob.parameter.name);
  }

  Status Check() {
    if (const auto& trial = adapter_.trial) {
      std::set<std::string> used;
      known_.insert("port");
      RS_RETURN_IF_ERROR(Use("trial.url", {trial->url}, used));
      known_.insert("url");
      RS_RETURN_IF_ERROR(Use("trial.start", trial->start, used));
      RS_RETURN_IF_ERROR(Use("trial.live", trial->live, used));
      for (const auto& [name, value] : trial->environment)
        RS_RETURN_IF_ERROR(Use("trial.environment", {value}, used));
      known_.erase("port");
      known_.erase("url");
      RS_RETURN_IF_ERROR(CheckReached("trial", used, /*has_variables=*/true));
    }
    if (const auto& service = adapter_.service) {
      std::set<std::string> used;
      RS_RETURN_IF_ERROR(Use("service.content", {service->content}, used));
      RS_RETURN_IF_ERROR(Use("service.apply", service->apply, used));
      RS_RETURN_IF_ERROR(CheckReached("service", used, /*has_variables=*/false));
    }
    return OkStatus();
  }

 private:
  Status Use(std::string_view where, const std::vector<std::string>& texts,
             std::set<std::string>& used) const {
    for (const std::string& text : texts) {
      for (const std::string& name : NamesIn(text)) {
        if (!known_.contains(name)) return NoSuchName(where, name);
        used.insert(name);
      }
    }
    return OkStatus();
  }

  Status NoSuchName(std::string_view where, const std::string& name) const {
    const std::vector<std::string> names(known_.begin(), known_.end());
    const std::string_view nearest = NearestName(name, names);
    return Error(StatusCode::kInvalidArgument,
                 "{}: {}: ${{{}}} stands for nothing: it is none of [values] and no parameter{}",
                 adapter_.source, where, name,
                 nearest.empty() ? "" : fmt::format("; did you mean ${{{}}}?", nearest));
  }

  Status CheckReached(std::string_view where, const std::set<std::string>& used,
                      bool has_variables) const {
    for (const Knob& knob : adapter_.knobs) {
      const bool is_of_settings = !knob.flag.empty() || !knob.flags.empty();
      if (used.contains(knob.parameter.name) || (is_of_settings && used.contains("settings")) ||
          (has_variables && !knob.variable.empty()))
        continue;
      return Error(StatusCode::kInvalidArgument,
                   "{}: [{}] never tells the server of the parameter {}: by ${{settings}} (with a "
                   "flag), ${{{}}} or a variable",
                   adapter_.source, where, knob.parameter.name, knob.parameter.name);
    }
    return OkStatus();
  }

  const Adapter& adapter_;
  std::set<std::string> known_;
};

Status CheckNames(const Adapter& adapter) {
  static constexpr std::string_view kTaken[] = {"settings", "arguments", "port", "url",
                                                "rankscope"};
  for (const std::string_view name : kTaken) {
    const bool is_taken = adapter.values.contains(std::string(name)) ||
                          std::ranges::any_of(adapter.knobs, [name](const Knob& knob) {
                            return knob.parameter.name == name;
                          });
    if (is_taken)
      return Error(StatusCode::kInvalidArgument,
                   "{}: {} is a name of rankscope's own; call the value otherwise", adapter.source,
                   name);
  }
  for (const Knob& knob : adapter.knobs) {
    if (adapter.values.contains(knob.parameter.name))
      return Error(StatusCode::kInvalidArgument, "{}: {} is a parameter and one of [values]",
                   adapter.source, knob.parameter.name);
  }
  return OkStatus();
}

}  // namespace

Result<Adapter> ParseAdapter(std::string_view text, const std::string& source,
                             const std::string& folder) {
  if (text.size() > kMostBytes)
    return Error(StatusCode::kInvalidArgument, "{}: more than {} bytes are no adapter", source,
                 kMostBytes);
  RS_ASSIGN_OR_RETURN(const toml::table table, ParseToml(text, source));
  Adapter adapter{.source = source, .text = std::string(text), .folder = folder};
  Section all(source, "", table);
  RS_RETURN_IF_ERROR(all.Text("name", adapter.name));
  RS_RETURN_IF_ERROR(all.TextMap("values", adapter.values));
  RS_ASSIGN_OR_RETURN(const toml::table* const trial, all.Table("trial"));
  RS_ASSIGN_OR_RETURN(const toml::table* const service, all.Table("service"));
  RS_ASSIGN_OR_RETURN(const toml::table* const parameters, all.Table("parameters"));
  const toml::node* const orders = all.Find("orders");
  RS_RETURN_IF_ERROR(all.End());
  if (adapter.name.empty())
    return Error(StatusCode::kInvalidArgument, "{}: an adapter needs a name", source);
  if (trial != nullptr) {
    RS_ASSIGN_OR_RETURN(adapter.trial, TrialOf(Section(source, "trial", *trial)));
  }
  if (service != nullptr) {
    RS_ASSIGN_OR_RETURN(adapter.service, ServiceOf(Section(source, "service", *service)));
  }
  if (!adapter.trial && !adapter.service)
    return Error(StatusCode::kInvalidArgument,
                 "{}: an adapter needs [trial], a server of its own, or [service], a running one",
                 source);
  if (parameters == nullptr || parameters->empty())
    return Error(StatusCode::kInvalidArgument, "{}: an adapter needs a [parameters.NAME]", source);
  if (parameters->size() > kMostKnobs)
    return Error(StatusCode::kInvalidArgument,
                 "{}: {} parameters; few dozen runs tell nothing of more than {}", source,
                 parameters->size(), kMostKnobs);
  for (const auto& [key, node] : *parameters) {
    const std::string path = "parameters." + std::string(key.str());
    if (!node.is_table()) return all.Wrong(node, path, fmt::format("is written [{}]", path));
    RS_ASSIGN_OR_RETURN(Knob knob,
                        KnobOf(std::string(key.str()), Section(source, path, *node.as_table())));
    adapter.knobs.push_back(std::move(knob));
  }
  // The file's order, which a table of TOML does not keep.
  std::ranges::sort(adapter.knobs, {}, [&](const Knob& knob) {
    const auto& begin = parameters->get(knob.parameter.name)->source().begin;
    return std::pair(begin.line, begin.column);
  });
  if (orders != nullptr) RS_RETURN_IF_ERROR(TakeOrders(source, *orders, adapter));
  RS_RETURN_IF_ERROR(CheckNames(adapter));
  RS_RETURN_IF_ERROR(References(adapter).Check());
  RS_RETURN_IF_ERROR(SpaceOf(adapter).status());
  return adapter;
}

}  // namespace rankscope::tune
