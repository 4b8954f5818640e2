// Of glibc 2.36, for std::random_device.
#include <sys/random.h>

extern "C" unsigned arc4random() {
  unsigned value = 0;
  while (getrandom(&value, sizeof value, 0) != sizeof value) {
  }
  return value;
}
