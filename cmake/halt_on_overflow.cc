// Linked into what sanitizers look at: a signed overflow ends the program. The other findings of
// UBSan always do; this one is compiled to go on, so that fuzz_damaged_cache can ask for that.
extern "C" const char* __ubsan_default_options();

extern "C" const char* __ubsan_default_options() { return "halt_on_error=1:print_stacktrace=1"; }
