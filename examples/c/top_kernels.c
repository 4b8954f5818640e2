/* The dearest kernels of a job, and what SQL says of its steps, by rankscope's C interface.
 *
 *   cc -std=c99 -I PREFIX/include examples/c/top_kernels.c -L PREFIX/lib -lrankscope -o top_kernels
 *   ./top_kernels traces/
 *
 * Prints a kernel per line: its time in all and its name, separated by a tab; then a line of the
 * query. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <rankscope.h>

static int fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, rankscope_last_error());
  return 1;
}

static void on_notice(void* user, const char* sentence) {
  (void)user;
  fprintf(stderr, "note: %s\n", sentence);
}

/* The place of a column among the children of a batch, or -1. */
static int64_t find(const struct ArrowSchema* schema, const char* name) {
  int64_t i;
  for (i = 0; i < schema->n_children; ++i) {
    if (strcmp(schema->children[i]->name, name) == 0) return i;
  }
  return -1;
}

/* Whether a cell is known: without a bitmap all are. */
static int is_known(const struct ArrowArray* column, int64_t row) {
  const uint8_t* validity = (const uint8_t*)column->buffers[0];
  return validity == NULL || (validity[row / 8] >> (row % 8) & 1) != 0;
}

static void print_kernels(const struct ArrowSchema* schema, const struct ArrowArray* batch) {
  const struct ArrowArray* time = batch->children[find(schema, "total_ns")];
  const struct ArrowArray* name = batch->children[find(schema, "name")];
  const int64_t* times = (const int64_t*)time->buffers[1];
  const int64_t* ends = (const int64_t*)name->buffers[1];
  const char* names = (const char*)name->buffers[2];
  int64_t row;
  for (row = 0; row < batch->length; ++row) {
    if (!is_known(time, row) || !is_known(name, row)) continue;
    printf("%" PRId64 "\t%.*s\n", times[row], (int)(ends[row + 1] - ends[row]), names + ends[row]);
  }
}

static void print_number(const struct ArrowSchema* schema, const struct ArrowArray* batch) {
  (void)schema;
  printf("%" PRId64 " steps\n", ((const int64_t*)batch->children[0]->buffers[1])[0]);
}

typedef void (*printer)(const struct ArrowSchema* schema, const struct ArrowArray* batch);

/* Hands all batches of a table to a printer. 0 where all went well. */
static int print_table(const rankscope_table* table, printer print) {
  struct ArrowArrayStream stream;
  struct ArrowSchema schema;
  struct ArrowArray batch;
  int error;
  if (rankscope_table_stream(table, 0, &stream) != RANKSCOPE_OK) return fail("stream");
  error = stream.get_schema(&stream, &schema);
  if (error == 0) {
    /* A batch without `release` is the end. */
    while ((error = stream.get_next(&stream, &batch)) == 0 && batch.release != NULL) {
      print(&schema, &batch);
      batch.release(&batch);
    }
    schema.release(&schema);
  }
  stream.release(&stream);
  return error;
}

static int run(rankscope_job* job, const rankscope_call* call) {
  rankscope_table* table = NULL;
  int error;
  if (rankscope_job_table(job, "kernels_by_name", NULL, 0, call, &table) != RANKSCOPE_OK)
    return fail("kernels_by_name");
  error = print_table(table, print_kernels);
  rankscope_table_free(table);
  if (error != 0) return error;

  table = NULL;
  if (rankscope_job_query(job, "SELECT count(DISTINCT step) FROM step_times", NULL, 0, call,
                          &table) != RANKSCOPE_OK)
    return fail("query");
  error = print_table(table, print_number);
  rankscope_table_free(table);
  return error;
}

int main(int argc, char** argv) {
  rankscope_call call;
  rankscope_job* job = NULL;
  int error;
  if (argc < 2) {
    fprintf(stderr, "usage: %s TRACES...\n", argv[0]);
    return 2;
  }
  if (rankscope_abi_version() != RANKSCOPE_ABI_VERSION) {
    fprintf(stderr, "librankscope has another interface: version %" PRIu32 "\n",
            rankscope_abi_version());
    return 1;
  }
  memset(&call, 0, sizeof(call));
  call.size = sizeof(call);
  call.on_notice = on_notice;
  if (rankscope_open((const char* const*)argv + 1, (size_t)(argc - 1), NULL, 0, &call, &job) !=
      RANKSCOPE_OK)
    return fail(argv[1]);
  error = run(job, &call);
  rankscope_close(job);
  return error != 0;
}
