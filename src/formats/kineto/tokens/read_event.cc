#include "formats/kineto/tokens/read_event.h"

#include <cstring>

namespace rankscope::kineto {
namespace {

namespace od = simdjson::ondemand;

// Whether the key that begins at `key` (just behind its opening quote) is `name`. The text is
// padded, so reading on is safe.
template <std::size_t N>
bool Is(const char* key, const char (&name)[N]) {
  return std::memcmp(key, name, N - 1) == 0 && key[N - 1] == '"';
}

// The text of a scalar, quotes included; empty for objects and arrays.
std::string_view Scalar(od::value& value) {
  std::string_view token = value.raw_json_token();
  while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ') token.remove_suffix(1);
  if (token.empty() || token.front() == '{' || token.front() == '[') return {};
  return token == "null" ? std::string_view{} : token;
}

simdjson::error_code Triple(od::value& value, std::array<std::string_view, 3>& out) {
  od::array array;
  if (value.get_array().get(array)) return simdjson::SUCCESS;  // "grid(100,)" and such: not known
  std::size_t i = 0;
  for (auto element : array) {
    od::value number;
    if (const auto error = element.get(number)) return error;
    if (i < 3) out[i++] = Scalar(number);
  }
  return simdjson::SUCCESS;
}

// JSON text of a list; a scalar is left out.
simdjson::error_code List(od::value& value, std::string_view& out) {
  od::array array;
  if (value.get_array().get(array)) return simdjson::SUCCESS;
  return array.raw_json().get(out);
}

simdjson::error_code ReadArg(const char* key, od::value& value, RawArgs& args) {
  const auto take = [&](std::string_view& slot) {
    args.Set(slot, Scalar(value));
    return simdjson::SUCCESS;
  };
  const auto take_list = [&](std::string_view& slot) {
    std::string_view text;
    const auto error = List(value, text);
    args.Set(slot, text);
    return error;
  };
  const auto take_triple = [&](std::array<std::string_view, 3>& slots) {
    std::array<std::string_view, 3> tokens;
    const auto error = Triple(value, tokens);
    for (std::size_t i = 0; i < 3; ++i) args.Set(slots[i], tokens[i]);
    return error;
  };
  switch (key[0]) {
    case 'A':
      if (Is(key, "Addr")) return take(args.address);
      break;
    case 'a':
      if (Is(key, "alg_type")) return take(args.algorithm);
      break;
    case 'B':
      if (Is(key, "Bytes")) return take(args.bytes);
      break;
    case 'C':
      if (Is(key, "Collective name")) return take(args.collective);
      if (Is(key, "Concrete Inputs")) return take_list(args.concrete_inputs);
      break;
    case 'D':
      if (Is(key, "Device Type")) return take(args.device_type);
      if (Is(key, "Device Id")) return take(args.device_id);
      if (Is(key, "Dst Rank")) return take(args.destination_rank);
      break;
    case 'E':
      if (Is(key, "External id")) return take(args.external_id);
      break;
    case 'F':
      if (Is(key, "Fwd thread id")) return take(args.forward_thread);
      break;
    case 'G':
      if (Is(key, "Group size")) return take(args.group_size);
      break;
    case 'I':
      if (Is(key, "Input Dims") || Is(key, "Input dims")) return take_list(args.input_dims);
      if (Is(key, "Input type")) return take_list(args.input_types);
      if (Is(key, "Input Strides")) return take_list(args.input_strides);
      if (Is(key, "In msg nelems")) return take(args.in_elements);
      if (Is(key, "In split size")) return take(args.in_split);
      break;
    case 'O':
      if (Is(key, "Out msg nelems")) return take(args.out_elements);
      if (Is(key, "Out split size")) return take(args.out_split);
      break;
    case 'P':
      if (Is(key, "Process Group Name")) return take(args.group_name);
      if (Is(key, "Process Group Description")) return take(args.group_desc);
      if (Is(key, "Process Group Ranks")) return take(args.group_ranks);
      if (Is(key, "Python id")) return take(args.python_id);
      if (Is(key, "Python parent id")) return take(args.python_parent);
      if (Is(key, "Python module id")) return take(args.python_module);
      break;
    case 'R':
      if (Is(key, "Record function id")) return take(args.record_id);
      break;
    case 'S':
      if (Is(key, "Sequence number")) return take(args.sequence_number);
      if (Is(key, "Seq")) return take(args.sequence);
      if (Is(key, "Src Rank")) return take(args.source_rank);
      break;
    case 'T':
      if (Is(key, "Total Allocated")) return take(args.total_allocated);
      if (Is(key, "Total Reserved")) return take(args.total_reserved);
      if (Is(key, "Task Type")) return take(args.task_type);
      break;
    case 'b':
      if (Is(key, "bytes")) return take(args.bytes);
      if (Is(key, "block")) return take_triple(args.block);
      if (Is(key, "blocks per SM")) return take(args.blocks_per_sm);
      break;
    case 'c':
      if (Is(key, "correlation")) return take(args.correlation);
      if (Is(key, "context")) return take(args.context);
      if (Is(key, "connection_id") || Is(key, "correlation_id")) return take(args.connection);
      if (Is(key, "count")) return take(args.count);
      break;
    case 'd':
      if (Is(key, "device")) return take(args.device);
      if (Is(key, "dtype")) return take(args.dtype);
      if (Is(key, "data_type")) return take(args.data_type);
      if (Is(key, "dst rank")) return take(args.peer);
      break;
    case 'e':
      if (Is(key, "external id")) return take(args.external_id);
      if (Is(key, "est. achieved occupancy %")) return take(args.occupancy);
      break;
    case 'g':
      if (Is(key, "grid")) return take_triple(args.grid);
      break;
    case 'h':
      if (Is(key, "hlo_category")) return take(args.task_type);
      break;
    case 'k':
      if (Is(key, "kernel")) return take(args.kernel);
      if (Is(key, "kernel_details")) return take(args.details);
      break;
    case 'l':
      if (Is(key, "labels")) return take(args.labels);
      break;
    case 'm':
      if (Is(key, "memory bandwidth (GB/s)")) return take(args.bandwidth);
      if (Is(key, "memcpy_details")) return take(args.details);
      break;
    case 'n':
      if (Is(key, "name")) return take(args.name);
      break;
    case 'r':
      if (Is(key, "registers per thread")) return take(args.registers);
      break;
    case 's':
      if (Is(key, "stream")) return take(args.stream);
      if (Is(key, "step_num")) return take(args.step);
      if (Is(key, "shared memory")) return take(args.shared_memory);
      if (Is(key, "size") && args.bytes.empty()) return take(args.bytes);  // MTIA
      break;
    case 'w':
      if (Is(key, "warps per SM")) return take(args.warps_per_sm);
      if (Is(key, "wait_on_stream")) return take(args.wait_stream);
      if (Is(key, "wait_on_cuda_event_record_corr_id")) return take(args.wait_record);
      if (Is(key, "wait_on_cuda_event_id")) return take(args.wait_event);
      break;
    default:
      break;
  }
  return simdjson::SUCCESS;
}

simdjson::error_code ReadArgs(od::object args, RawArgs& out) {
  for (auto result : args) {
    if (const auto error = result.error()) return error;
    od::field& field = result.value_unsafe();  // in place: copying it stalls the processor for
                                               // longer than reading it
    const char* key = field.key().raw();
    od::value& value = field.value();
    if (const auto error = ReadArg(key, value, out)) return error;
  }
  return simdjson::SUCCESS;
}

bool HasCounters(const RawEvent& event) {
  return event.has_args && (event.phase == "C" || Unquote(event.category) == "cuda_profiler_range");
}

// Reads the arguments once more: what such an event counts has any name.
simdjson::error_code ReadCounters(od::object& object, RawEvent& event) {
  bool has_members = false;
  if (const auto error = object.reset().get(has_members)) return error;
  // To the end of the event, where those who read on expect to be.
  for (auto result : object) {
    if (const auto error = result.error()) return error;
    od::field& member = result.value_unsafe();
    if (!Is(member.key().raw(), "args")) continue;
    od::object args;
    if (member.value().get_object().get(args)) continue;
    event.counters.clear();
    for (auto argument : args) {
      if (const auto error = argument.error()) return error;
      od::field& field = argument.value_unsafe();
      std::string_view name;
      if (const auto error = field.unescaped_key().get(name)) return error;
      const std::string_view token = Scalar(field.value());
      if (!token.empty()) event.counters.emplace_back(name, token);
    }
  }
  return simdjson::SUCCESS;
}

}  // namespace

simdjson::error_code ReadEvent(od::object& object, RawEvent& event) {
  // One by one: a chain of assignments reads back what it has just written, which stalls.
  event.phase = {};
  event.name = {};
  event.category = {};
  event.pid = {};
  event.tid = {};
  event.ts = {};
  event.dur = {};
  event.id = {};
  if (event.has_args) event.args.Clear();
  event.has_args = false;
  event.counters.clear();
  for (auto result : object) {
    if (const auto error = result.error()) return error;
    od::field& field = result.value_unsafe();
    const char* key = field.key().raw();
    od::value& value = field.value();
    switch (key[0]) {
      case 'p':
        if (Is(key, "ph")) event.phase = Unquote(Scalar(value));
        if (Is(key, "pid")) event.pid = Unquote(Scalar(value));
        break;
      case 'c':
        if (Is(key, "cat")) event.category = Scalar(value);
        break;
      case 'n':
        if (Is(key, "name")) event.name = Scalar(value);
        break;
      case 't':
        if (Is(key, "ts")) event.ts = Unquote(Scalar(value));
        if (Is(key, "tid")) event.tid = Unquote(Scalar(value));
        break;
      case 'd':
        if (Is(key, "dur")) event.dur = Unquote(Scalar(value));
        break;
      case 'i':
        if (Is(key, "id")) event.id = Unquote(Scalar(value));
        break;
      case 'a':
        if (Is(key, "args")) {
          od::object args;
          if (value.get_object().get(args) == simdjson::SUCCESS) {
            if (event.has_args) event.args.Clear();
            event.has_args = true;
            if (const auto error = ReadArgs(args, event.args)) return error;
          }
        }
        break;
      default:
        break;
    }
  }
  return HasCounters(event) ? ReadCounters(object, event) : simdjson::SUCCESS;
}

}  // namespace rankscope::kineto
