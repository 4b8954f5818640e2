// Of glibc 2.35, for the unwinder: the object whose code holds an address, and its exception
// handling data. By dl_iterate_phdr, as GCC itself did before.
#include <dlfcn.h>
#include <link.h>

namespace {

struct Search {
  ElfW(Addr) address;
  void* frames;
};

int Look(dl_phdr_info* info, size_t, void* data) {
  Search& search = *static_cast<Search*>(data);
  bool is_inside = false;
  void* frames = nullptr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    const ElfW(Addr) begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_GNU_EH_FRAME) frames = reinterpret_cast<void*>(begin);
    if (header.p_type == PT_LOAD) is_inside |= search.address - begin < header.p_memsz;
  }
  if (is_inside) search.frames = frames;
  return is_inside ? 1 : 0;
}

}  // namespace

extern "C" int _dl_find_object(void* address, dl_find_object* result) noexcept {
  Search search{reinterpret_cast<ElfW(Addr)>(address), nullptr};
  dl_iterate_phdr(Look, &search);
  if (search.frames == nullptr) return -1;
  // libgcc reads no other member on x86-64.
  result->dlfo_eh_frame = search.frames;
  return 0;
}
