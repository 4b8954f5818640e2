// Debian's libfmt is compiled by g++, whose name for one of fmt's functions is not clang's: with
// clang it is made here.
#ifdef __clang__
#include <fmt/format.h>

template void fmt::detail::vformat_to(
    fmt::detail::buffer<char>&, fmt::string_view,
    fmt::basic_format_args<FMT_BUFFER_CONTEXT(fmt::type_identity_t<char>)>,
    fmt::detail::locale_ref);
#endif
