/* The header of a maker that is none: what the library of an accelerator looks like to whoever
 * describes it (docs/probes.md). */
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ACCEL_OK 0
#define ACCEL_NOT_SUPPORTED 3
#define ACCEL_VERSION_MISMATCH 25
#define ACCEL_STATS_VERSION 2 /* version = sizeof(accel_stats_t) | 2 << 24 */

typedef enum { ACCEL_IDLE = 0, ACCEL_RUN = 1, ACCEL_HUNG = 7 } accel_state_t;

typedef struct {
  uint32_t version;
  accel_state_t state;
  uint64_t core_active_ns[8];         /* of each core, since the start */
  uint64_t memory_used, memory_total; /* bytes */
  uint64_t read_bytes, written_bytes; /* of its memory, since the start */
  uint32_t power_mw, clock_mhz;
  uint32_t queue[16]; /* commands waiting */
  uint32_t errors[8]; /* by kind; they wrap after 32 bits */
  float voltage;
  uint16_t fan_rpm; /* 0xffff: it has none */
} accel_stats_t;

int accel_init(void);
int accel_fini(void);
int accel_count(uint32_t* count);
int accel_open(uint32_t index, void** device);
int accel_stats(void* device, accel_stats_t* stats);
int accel_name(void* device, char* name, uint32_t size);
int accel_temperature(void* device, double* celsius);
uint64_t accel_serial(void* device);

#ifdef __cplusplus
}
#endif
