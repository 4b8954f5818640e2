// What GCC 12 gave std::condition_variable::wait a new version for (GLIBCXX_3.4.30). With one of
// its own librankscope asks for nothing newer than the libstdc++ of GCC 11, which Python
// environments on systems with glibc 2.34 have.
#include <pthread.h>

#include <condition_variable>
#include <mutex>

namespace std {

void condition_variable::wait(unique_lock<mutex>& lock) {
  pthread_cond_wait(native_handle(), lock.mutex()->native_handle());
}

}  // namespace std
