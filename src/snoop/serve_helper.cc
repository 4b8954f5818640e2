// The helper: all that runs with privileges, and the only user of libbpf.
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/core.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "snoop/helper.h"
#include "snoop/messages.h"
#include "snoop/programs.h"

namespace rankscope::snoop {
namespace {

// What libbpf said last: the verifier's verdict is long, and of use to us alone.
std::string* libbpf_said = nullptr;

int Keep(libbpf_print_level level, const char* format, va_list words) {
  std::array<char, 2048> line{};
  const int length = std::vsnprintf(line.data(), line.size(), format, words);
  if (level == LIBBPF_WARN && length > 0 && libbpf_said != nullptr && libbpf_said->size() < 100'000)
    *libbpf_said += line.data();
  return length;
}

// By the number that the kernel gave.
Status NotPermitted(std::string_view what, int error) {
  if (error == EPERM || error == EACCES)
    return Error(StatusCode::kIo,
                 "BPF is not permitted here ({}: {}): snoop and offcpu need root, or CAP_BPF and "
                 "CAP_PERFMON, and a container that allows bpf(2) and perf_event_open(2)",
                 what, std::strerror(error));
  if (error == ENOSYS || error == ENOENT || error == EINVAL)
    return Error(StatusCode::kIo,
                 "this kernel cannot do what snoop needs ({}: {}): it takes Linux 5.15 or later "
                 "with CONFIG_BPF_SYSCALL and CONFIG_UPROBE_EVENTS",
                 what, std::strerror(error));
  return Error(StatusCode::kIo, "snoop could not begin ({}: {})", what, std::strerror(error));
}

struct CloseObject {
  void operator()(bpf_object* object) const { bpf_object__close(object); }
};
struct DestroyLink {
  void operator()(bpf_link* link) const { bpf_link__destroy(link); }
};
using Object = std::unique_ptr<bpf_object, CloseObject>;
using Link = std::unique_ptr<bpf_link, DestroyLink>;

int MapOf(const Object& object, const char* name) {
  return bpf_object__find_map_fd_by_name(object.get(), name);
}

Result<Object> Load(const HelperRequest& request) {
  const std::string_view bytes =
      request.programs == Programs::kSnoop ? SnoopBytes() : OffCpuBytes();
  bpf_object_open_opts options{};
  options.sz = sizeof(options);
  options.object_name = "rankscope_snoop";
  Object object(bpf_object__open_mem(bytes.data(), bytes.size(), &options));
  if (!object) return NotPermitted("its programs cannot be opened", errno);
  const int error = bpf_object__load(object.get());
  if (error != 0) {
    if (error != -EPERM && libbpf_said != nullptr)
      std::fwrite(libbpf_said->data(), 1, libbpf_said->size(), stderr);
    return NotPermitted("its programs cannot be loaded", -error);
  }
  const std::uint32_t zero = 0;
  if (bpf_map_update_elem(MapOf(object, "config_of"), &zero, &request.config, BPF_ANY) != 0)
    return NotPermitted("its settings cannot be written", errno);
  for (std::uint32_t i = 0; i < request.calls.size(); ++i) {
    if (bpf_map_update_elem(MapOf(object, "calls"), &i, &request.calls[i], BPF_ANY) != 0)
      return NotPermitted("its list of calls cannot be written", errno);
  }
  return object;
}

Result<Link> Attach(const Object& object, const HelperRequest& request, const Probe& probe) {
  const bpf_program* program =
      bpf_object__find_program_by_name(object.get(), probe.at_return ? "leave" : "enter");
  bpf_uprobe_opts options{};
  options.sz = sizeof(options);
  options.ref_ctr_offset = probe.semaphore;
  options.bpf_cookie = probe.call;
  options.retprobe = probe.at_return;
  Link link(bpf_program__attach_uprobe_opts(program, request.pid, probe.file.c_str(), probe.offset,
                                            &options));
  if (!link && errno == ESRCH)
    return Error(StatusCode::kNotFound, "process {} has ended", request.pid);
  if (!link) return NotPermitted(fmt::format("a probe cannot be put into {}", probe.file), errno);
  return link;
}

// It is the other's from here on. False: that has gone.
bool Send(const Link& link, int socket) {
  const std::array<int, 1> descriptor = {bpf_link__fd(link.get())};
  return SendMessage(socket, "links", descriptor);
}

// What says itself where it belongs.
Status AttachAll(const Object& object, int socket) {
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object.get()) {
    const Link link(bpf_program__attach(program));
    if (!link) return NotPermitted("the scheduler cannot be watched", errno);
    if (!Send(link, socket)) return OkStatus();
  }
  return OkStatus();
}

Status Serve(int socket) {
  RS_ASSIGN_OR_RETURN(const Message message, ReceiveMessage(socket));
  RS_ASSIGN_OR_RETURN(const HelperRequest request, ParseRequest(message.text));
  RS_ASSIGN_OR_RETURN(const Object object, Load(request));
  bpf_map* map = nullptr;
  bpf_object__for_each_map(map, object.get()) {
    const std::array<int, 1> descriptor = {bpf_map__fd(map)};
    // Who has gone needs none.
    if (!SendMessage(socket, fmt::format("map {}", bpf_map__name(map)), descriptor))
      return OkStatus();
  }
  if (request.programs == Programs::kOffCpu) {
    RS_RETURN_IF_ERROR(AttachAll(object, socket));
  } else {
    for (const Probe& probe : request.probes) {
      RS_ASSIGN_OR_RETURN(const Link link, Attach(object, request, probe));
      if (!Send(link, socket)) return OkStatus();
    }
  }
  SendMessage(socket, "done", {});
  return OkStatus();
}

}  // namespace

int ServeHelper(int socket) {
  std::string words;
  libbpf_said = &words;
  libbpf_set_print(Keep);
  const Status served = Serve(socket);
  libbpf_said = nullptr;
  if (!served.ok()) SendMessage(socket, served.message(), {});
  return served.ok() ? 0 : 1;
}

}  // namespace rankscope::snoop
