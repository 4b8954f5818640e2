#include "oidc/form.h"

#include "base/status.h"

namespace rankscope::oidc {

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                          (c >= 'A' && c <= 'Z') || c == '-' || c == '.' || c == '_' || c == '~';
    if (is_plain) {
      escaped += c;
    } else {
      escaped += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return escaped;
}

std::string Form(const fetch::Pairs& fields) {
  std::string form;
  for (const auto& [name, value] : fields)
    form += (form.empty() ? "" : "&") + Escaped(name) + "=" + Escaped(value);
  return form;
}

}  // namespace rankscope::oidc
