// A libcudart.so.11 that exports nothing of CUDA's.
extern "C" int FakeNothing() { return 0; }
