#include "probe/library/libraries.h"

#include <fmt/format.h>

#include <algorithm>

#include "probe/library/decode.h"
#include "probe/source/file_text.h"

namespace rankscope::probe {
namespace {

std::uint64_t NumberOf(const Value& value) {
  if (const auto* whole = value.If<std::int64_t>()) return static_cast<std::uint64_t>(*whole);
  if (const auto* natural = value.If<std::uint64_t>()) return *natural;
  return 0;
}

// "NOT_SUPPORTED (3)" where the specification names it.
std::string StatusText(const DeviceSpec& device, const Library& library, std::int32_t status) {
  if (library.codes < 0) return fmt::format("{}", status);
  const auto& items = device.enums[static_cast<std::size_t>(library.codes)].items;
  const auto named = std::ranges::find(items, status, &EnumDef::Item::value);
  return named == items.end() ? fmt::format("{}", status)
                              : fmt::format("{} ({})", named->name, status);
}

std::string KeyOf(const Instance& instance) { return instance.name + " " + instance.folder; }

// Pointers within structs and lists, too.
void TagPointers(const DeviceSpec& device, const Layout& layout, const LibraryClient& client,
                 Value& value) {
  auto* const parts = std::get_if<std::vector<Value>>(&value.data);
  if (layout.struct_of >= 0 && parts != nullptr) {
    const auto& fields = device.structs[static_cast<std::size_t>(layout.struct_of)].fields;
    for (std::size_t i = 0; i < fields.size(); ++i)
      TagPointers(device, fields[i].layout, client, (*parts)[i]);
    return;
  }
  if (layout.width != Width::kPtr) return;
  if (auto* pointer = std::get_if<std::uint64_t>(&value.data)) *pointer = client.Tagged(*pointer);
  if (parts == nullptr) return;
  for (Value& part : *parts)
    if (auto* pointer = std::get_if<std::uint64_t>(&part.data)) *pointer = client.Tagged(*pointer);
}

}  // namespace

Libraries::Clients& Libraries::ClientsOf(const Library& library) {
  return clients_[fmt::format("{} {}", fmt::join(library.files, " "), library.init)];
}

std::unique_ptr<LibraryClient>& Libraries::ClientOf(const Library& library,
                                                    const Instance& instance) {
  Clients& clients = ClientsOf(library);
  const auto own = clients.own.find(KeyOf(instance));
  std::unique_ptr<LibraryClient>& client = own == clients.own.end() ? clients.shared : own->second;
  if (client == nullptr)
    client = std::make_unique<LibraryClient>(library, worker_, clock_, opening_, processes_);
  client->SetTimeout(library.timeout_ns);
  return client;
}

void Libraries::Forget(const Instance& instance) {
  for (auto& [name, clients] : clients_) {
    const auto own = clients.own.find(KeyOf(instance));
    // One in trouble keeps its pause: it may be a candidate that is asked again and again.
    if (own != clients.own.end() && own->second->is_running()) clients.own.erase(own);
  }
}

Reading Libraries::Read(const DeviceSpec& device, const Source& source, const Instance& instance,
                        std::span<const Value> arguments) {
  const Library& library = device.libraries[static_cast<std::size_t>(source.library)];
  std::unique_ptr<LibraryClient>& holder = ClientOf(library, instance);
  LibraryClient& client = *holder;
  LibraryCall call{.function = source.function, .arguments = {}};
  std::size_t next = 0;
  for (const CallArgument& one : source.arguments) {
    LibraryArgument argument;
    if (one.kind == CallArgument::Kind::kOut) {
      argument.kind = LibraryArgument::Kind::kOut;
      argument.number = BytesOf(device, one.layout);
      if (one.version)
        argument.first_word = static_cast<std::uint32_t>(argument.number) |
                              static_cast<std::uint32_t>(*one.version) << 24;
    } else if (const auto* text = arguments[next].If<std::string>()) {
      argument.kind = LibraryArgument::Kind::kText;
      argument.text = *text;
    } else {
      argument.number = NumberOf(arguments[next]);
      if (one.is_pointer) {
        const auto pointer = client.Untagged(argument.number);
        if (!pointer)
          return {
              .value = {},
              .fault = ReadFault::kGone,
              .why = fmt::format("{}(): its pointer is of a process that ended", source.function)};
        argument.number = *pointer;
      }
    }
    next += one.kind == CallArgument::Kind::kValue;
    call.arguments.push_back(std::move(argument));
  }
  LibraryClient::Called called = client.Call(call);
  // Whoever ends the common process takes it, and the wait for its end, along.
  Clients& clients = ClientsOf(library);
  if (called.is_culprit && &holder == &clients.shared)
    clients.own[KeyOf(instance)] = std::move(clients.shared);
  if (!called.answer) return {.value = {}, .fault = called.fault, .why = std::move(called.why)};
  return ValueOf(device, source, client, *called.answer);
}

Reading Libraries::ValueOf(const DeviceSpec& device, const Source& source,
                           const LibraryClient& client, const LibraryAnswer& answer) const {
  const Library& library = device.libraries[static_cast<std::size_t>(source.library)];
  const std::string where = source.function + "()";
  std::string bytes = answer.out;
  if (source.gives_result) {
    bytes.assign(reinterpret_cast<const char*>(&answer.result), sizeof answer.result);
  } else if (const auto status = static_cast<std::int32_t>(answer.result); status != library.ok) {
    return {.value = {},
            .fault = ReadFault::kStatus,
            .why = fmt::format("{} returned {}", where, StatusText(device, library, status))};
  }
  if (bytes.size() < BytesOf(device, source.layout))
    return {.value = {}, .fault = ReadFault::kUnreadable, .why = where + " gave too few bytes"};
  Value value = Decode(device, source.layout, bytes);
  TagPointers(device, source.layout, client, value);
  return Available(std::move(value), source, where);
}

}  // namespace rankscope::probe
