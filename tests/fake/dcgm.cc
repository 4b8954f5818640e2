// A DCGM that is none, with its host engine: what it tells comes from the file $FAKE_DCGM (said.h),
// what it was asked to do goes to $FAKE_DCGM.calls, a line each. Loaded by tests alone. Keys:
//   engine 1       the host engine that runs, by a number of its own; 0: none does
//   count 2        devices
//   f203 37        a field's value of all devices; !-6 its status, blank: what DCGM has for no
//   value f203.1 50      of one device watch1006 !-6  to watch that field; CALL !-1 (connect,
//   supported, values, pause): of a call
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

#include "device/dcgm_api.h"
#include "said.h"

using namespace rankscope::device::dcgm;

namespace {

using Lines = std::map<std::string, std::string>;
constexpr Return kBadParameter = -1;
constexpr Return kDuplicateKey = -26;

struct Connection {
  int engine = 0;
  bool is_updated = false;
  std::map<Group, unsigned> groups;
  std::map<FieldGroup, std::vector<unsigned short>> field_groups;
  std::set<std::pair<unsigned, unsigned short>> watched;
  std::set<std::string> names;  // of groups, which no two programs may give
};
std::map<Handle, Connection> connections;
Handle last_id = 0;
bool is_begun = false;
bool is_paused = false;

Lines Said() { return fake::Said("FAKE_DCGM"); }

void Log(const std::string& what) {
  const char* const path = std::getenv("FAKE_DCGM");
  if (path != nullptr) std::ofstream(std::string(path) + ".calls", std::ios::app) << what << '\n';
}

int NumberOf(const Lines& said, const std::string& key, int otherwise) {
  const auto found = said.find(key);
  return found == said.end() ? otherwise : std::stoi(found->second);
}

// Null when its host engine is gone.
Connection* Find(Handle handle, const Lines& said) {
  const auto found = connections.find(handle);
  if (found == connections.end() || found->second.engine != NumberOf(said, "engine", 1))
    return nullptr;
  return &found->second;
}

bool TakesName(Connection& one, const std::string& name) {
  for (const auto& [handle, other] : connections) {
    if (other.engine == one.engine && other.names.contains(name)) return false;
  }
  return one.names.insert(name).second;
}

unsigned short TypeOf(unsigned short field) {
  if (field == 50 || field == 54) return kText;
  const bool is_real = field == 155 || field == 164 || (field >= 1002 && field <= 1008);
  return is_real ? kReal : kWhole;
}

std::string TextOf(const Lines& said, unsigned short field, unsigned device) {
  const std::string key = "f" + std::to_string(field);
  auto found = said.find(key + "." + std::to_string(device));
  if (found == said.end()) found = said.find(key);
  if (found != said.end()) return found->second;
  if (field == 54) return "GPU-" + std::to_string(device);
  return field == 50 ? "NVIDIA" : "!-6";
}

void Fill(const std::string& text, FieldValue& value) {
  if (text[0] == '!') {
    value.status = std::stoi(text.substr(1));
    return;
  }
  const bool is_blank = text == "blank";
  if (value.type == kReal) value.value.real = is_blank ? kBlankReal + 2 : std::stod(text);
  if (value.type == kWhole) value.value.whole = is_blank ? kBlank64 + 1 : std::stoll(text);
  if (value.type == kText)
    std::strncpy(value.value.text, is_blank ? "<<<NOT_FOUND>>>" : text.c_str(),
                 sizeof(value.value.text) - 1);
}

}  // namespace

extern "C" {
Return dcgmInit() {
  const Return result = fake::ErrorOf(Said(), "init");
  is_begun = result == kOk;
  return result;
}
Return dcgmShutdown() {
  Log("shutdown");
  is_begun = false;
  return kOk;
}
Return dcgmConnect_v2(const char* address, ConnectParams* params, Handle* handle) {
  const Lines said = Said();
  if (!is_begun) return kUninitialized;
  if (params->version != kConnectVersion) return kVersionMismatch;
  const int engine = NumberOf(said, "engine", 1);
  if (engine == 0) return kConnectionNotValid;
  if (const Return wrong = fake::ErrorOf(said, "connect"); wrong != kOk) return wrong;
  Log(std::string("connect ") + address + (params->is_unix_socket != 0 ? " unix" : ""));
  *handle = ++last_id;
  connections[*handle].engine = engine;
  return kOk;
}
Return dcgmDisconnect(Handle handle) {
  Log("disconnect");
  return connections.erase(handle) == 1 ? kOk : kBadParameter;
}
Return dcgmGetAllSupportedDevices(Handle handle, unsigned* devices, int* count) {
  const Lines said = Said();
  if (Find(handle, said) == nullptr) return kConnectionNotValid;
  *count = NumberOf(said, "count", 1);
  for (int i = 0; i < *count; ++i) devices[i] = static_cast<unsigned>(i);
  return fake::ErrorOf(said, "supported");
}
Return dcgmGroupCreate(Handle handle, int type, const char* name, Group* group) {
  Connection* const one = Find(handle, Said());
  if (one == nullptr) return kConnectionNotValid;
  if (type != kEmptyGroup) return kBadParameter;
  if (!TakesName(*one, name)) return kDuplicateKey;
  *group = ++last_id;
  return kOk;
}
Return dcgmGroupAddDevice(Handle handle, Group group, unsigned device) {
  Connection* const one = Find(handle, Said());
  if (one == nullptr) return kConnectionNotValid;
  one->groups[group] = device;
  return kOk;
}
Return dcgmGroupDestroy(Handle handle, Group group) {
  Connection* const one = Find(handle, Said());
  if (one == nullptr) return kConnectionNotValid;
  Log("destroy");
  return one->groups.erase(group) == 1 ? kOk : kBadParameter;
}
Return dcgmFieldGroupCreate(Handle handle, int count, unsigned short* fields, const char* name,
                            FieldGroup* group) {
  Connection* const one = Find(handle, Said());
  if (one == nullptr) return kConnectionNotValid;
  if (!TakesName(*one, name)) return kDuplicateKey;
  *group = ++last_id;
  one->field_groups[*group] = std::vector<unsigned short>(fields, fields + count);
  return kOk;
}
Return dcgmWatchFields(Handle handle, Group group, FieldGroup fields, long long interval_us,
                       double keep_s, int) {
  const Lines said = Said();
  Connection* const one = Find(handle, said);
  if (one == nullptr) return kConnectionNotValid;
  if (!one->groups.contains(group) || !one->field_groups.contains(fields) || interval_us < 100000 ||
      keep_s * 1e6 < static_cast<double>(interval_us))
    return kBadParameter;
  for (const unsigned short field : one->field_groups[fields]) {
    const Return wrong = fake::ErrorOf(said, "watch" + std::to_string(field));
    if (wrong != kOk) return wrong;
  }
  for (const unsigned short field : one->field_groups[fields])
    one->watched.emplace(one->groups[group], field);
  one->is_updated = false;
  return kOk;
}
Return dcgmUpdateAllFields(Handle handle, int waits) {
  Connection* const one = Find(handle, Said());
  if (one == nullptr) return kConnectionNotValid;
  one->is_updated = waits == 1;
  return kOk;
}
Return dcgmEntityGetLatestValues(Handle handle, int kind, int device, unsigned short* fields,
                                 unsigned count, FieldValue* values) {
  const Lines said = Said();
  Connection* const one = Find(handle, said);
  if (one == nullptr) return kConnectionNotValid;
  if (kind != kGpuEntity) return kBadParameter;
  if (const Return wrong = fake::ErrorOf(said, "values"); wrong != kOk) return wrong;
  const auto index = static_cast<unsigned>(device);
  for (unsigned i = 0; i < count; ++i) {
    FieldValue& value = values[i];
    value = {};
    value.version = VersionOf(sizeof(FieldValue), 1);
    value.field = fields[i];
    value.type = TypeOf(fields[i]);
    const bool is_watched = one->watched.contains({index, fields[i]});
    const bool is_blank = is_paused && fields[i] > 1000;
    if (!is_watched || !one->is_updated) value.status = is_watched ? kNoData : kNotWatched;
    Fill(value.status != kOk || is_blank ? "blank" : TextOf(said, fields[i], index), value);
  }
  return kOk;
}
Return dcgmProfPause(Handle handle) {
  const Lines said = Said();
  if (Find(handle, said) == nullptr) return kConnectionNotValid;
  const Return result = fake::ErrorOf(said, "pause");
  Log("pause");
  is_paused = is_paused || result == kOk;
  return result;
}
Return dcgmProfResume(Handle handle) {
  if (Find(handle, Said()) == nullptr) return kConnectionNotValid;
  Log("resume");
  is_paused = false;
  return kOk;
}
}
