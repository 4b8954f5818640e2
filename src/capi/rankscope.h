/* rankscope.h: rankscope as a library for C, and for every language that can call C.
 *
 *   rankscope_job* job = NULL;
 *   const char* paths[] = {"traces/"};
 *   if (rankscope_open(paths, 1, NULL, 0, NULL, &job) != RANKSCOPE_OK)
 *     fprintf(stderr, "%s\n", rankscope_last_error());
 *
 * Errors. A function that can fail returns a rankscope_status. Every status but RANKSCOPE_OK sets a
 * sentence for rankscope_last_error() and leaves the values behind output pointers unchanged.
 * Nothing is printed, and no C++ exception leaves the library. If memory runs out, the status is
 * RANKSCOPE_RESOURCE. A broken invariant of the library itself, which is a bug, ends the process
 * with a sentence.
 *
 * Ownership. The caller owns what a function returns through an output pointer, and releases it: a
 * job with rankscope_close, a table with rankscope_table_free, a text with rankscope_text_free, a
 * stream, an array or a schema with its own `release`. Each of these is independent: tables and
 * their exports stay valid after their job was closed. All of these functions accept NULL and then
 * do nothing. Arguments are copied; the library keeps no reference to them after the call.
 *
 * Threads. Any thread may call any function. Calls on one job run one after the other, calls on
 * different jobs in parallel. A job must not be closed while a call on it runs. A table is
 * immutable: any number of threads may read it. rankscope_last_error() belongs to the calling
 * thread.
 *
 * Units. Times are int64 nanoseconds, sizes bytes, unless a column's unit says otherwise. Unknown
 * is null, never 0 or NaN. Texts are UTF-8 and end in a NUL byte.
 *
 * Stability. Functions and enumeration values are only added. Structs only grow at their end, and
 * begin with their size if the caller fills them in. An incompatible change would change
 * RANKSCOPE_ABI_VERSION and the library's name, librankscope.so.1.
 */
#ifndef RANKSCOPE_H
#define RANKSCOPE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define RANKSCOPE_API __attribute__((visibility("default")))
#else
#define RANKSCOPE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The Arrow C data interface, as in its specification
 * (https://arrow.apache.org/docs/format/CDataInterface.html). */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

#endif /* ARROW_C_DATA_INTERFACE */

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

#endif /* ARROW_C_STREAM_INTERFACE */

/* ---- versions ---- */

#define RANKSCOPE_ABI_VERSION 1

/* ABI version of the loaded library. A program built with another RANKSCOPE_ABI_VERSION must not
 * use it. Within one version a newer library has everything that an older header declares. */
RANKSCOPE_API uint32_t rankscope_abi_version(void);
/* Such as "0.1.0". Lives as long as the library. */
RANKSCOPE_API const char* rankscope_version(void);

/* ---- errors ---- */

typedef int32_t rankscope_status;

enum {
  RANKSCOPE_OK = 0,
  RANKSCOPE_INVALID_ARGUMENT = 1, /* the request makes no sense */
  RANKSCOPE_NOT_FOUND = 2,        /* a file, rank or step does not exist */
  RANKSCOPE_BAD_DATA = 3,         /* the input cannot be used */
  RANKSCOPE_IO = 4,               /* an error of the operating system */
  RANKSCOPE_RESOURCE = 5,         /* a limit of memory, disk or size was hit */
  RANKSCOPE_CANCELLED = 6,        /* stopped by its rankscope_cancel */
  RANKSCOPE_INTERNAL = 7          /* a bug */
};

/* The error of this thread's last failed call: one sentence, "" if no call has failed.
 * Valid until this thread calls the library again. */
RANKSCOPE_API const char* rankscope_last_error(void);

/* ---- long calls ---- */

/* Stops calls. May be passed to several calls, concurrently or one after the other. */
typedef struct rankscope_cancel rankscope_cancel;
RANKSCOPE_API rankscope_status rankscope_cancel_new(rankscope_cancel** cancel);
/* From now on calls that got it end soon with RANKSCOPE_CANCELLED; their job stays usable.
 * Reading stops within a file, SQL within a statement, other work between two tables. May be
 * called from any thread, and from a signal handler. */
RANKSCOPE_API void rankscope_cancel_set(rankscope_cancel* cancel);
/* Calls are no longer stopped. */
RANKSCOPE_API void rankscope_cancel_clear(rankscope_cancel* cancel);
/* No call may be using it. */
RANKSCOPE_API void rankscope_cancel_free(rankscope_cancel* cancel);

typedef struct rankscope_progress {
  uint64_t files_done;
  uint64_t files;      /* 0: one file, and `bytes` is a guess */
  uint64_t bytes_done; /* of the files as stored on disk */
  uint64_t bytes;
} rankscope_progress;

/* Callbacks of a running call. The caller fills it in, with zeros (and so NULL) for what it does
 * not want. A NULL pointer to it means no callbacks. It must live until the call returns.
 *
 * Threads of the library call the functions, one at a time, before the call returns. They must
 * return soon, must not call the library on the same job, and must not throw. */
typedef struct rankscope_call {
  size_t size;              /* sizeof(rankscope_call) */
  rankscope_cancel* cancel; /* stops the call */
  void* user;               /* passed to the functions */
  /* Progress of reading, ten times per second or more. */
  void (*on_progress)(void* user, const rankscope_progress* progress);
  /* A remark in addition to the result, a sentence: for example which files were left out. */
  void (*on_notice)(void* user, const char* sentence);
} rankscope_call;

/* An option as on the command line; both are texts. */
typedef struct rankscope_option {
  const char* name;
  const char* value;
} rankscope_option;

/* ---- jobs ---- */

typedef struct rankscope_job rankscope_job;

/* Opens the traces of a job: files, folders and globs. Reads what the cache does not have.
 *
 * Options, as on the command line: ranks ("0,4-7"), steps ("12,13"), capture ("latest", "all" or a
 * number), kernel_classes (a file), jobs (threads; default one per core), cache_dir, cache_size
 * ("32G"), no_cache ("1"), called (the job's name in commands that reports suggest; default
 * TRACES). The cache is that of the command line. */
RANKSCOPE_API rankscope_status rankscope_open(const char* const* paths, size_t path_count,
                                              const rankscope_option* options, size_t option_count,
                                              const rankscope_call* call, rankscope_job** job);
RANKSCOPE_API void rankscope_close(rankscope_job* job);

/* ---- tables ---- */

/* Immutable rows and columns. */
typedef struct rankscope_table rankscope_table;
RANKSCOPE_API void rankscope_table_free(rankscope_table* table);
/* NULL: 0. */
RANKSCOPE_API uint64_t rankscope_table_row_count(const rankscope_table* table);

/* Flags of an export. */
enum {
  /* Texts as a dictionary (int32 indices, in the order of first occurrence) instead of one text
   * per row: for readers that store names as categories. */
  RANKSCOPE_TEXT_AS_DICTIONARY = 1
};

/* The columns of a table, as the schema of its stream: a struct ("+s") whose children are int64
 * ("l"), double ("g"), text ("U") or bool ("b"), all nullable, each with the metadata `unit` and
 * `doc` if it has them. The struct's metadata has the table's `name`. If a column name repeats,
 * later columns get a suffix. */
RANKSCOPE_API rankscope_status rankscope_table_schema(const rankscope_table* table, uint32_t flags,
                                                      struct ArrowSchema* schema);
/* The rows, as one batch. Numbers, texts and offsets share the table's memory, which lives until
 * the table is freed and all exports are released; do not write to it. */
RANKSCOPE_API rankscope_status rankscope_table_stream(const rankscope_table* table, uint32_t flags,
                                                      struct ArrowArrayStream* stream);

/* One table of a job by its name (`rankscope list`), with its options. */
RANKSCOPE_API rankscope_status rankscope_job_table(rankscope_job* job, const char* name,
                                                   const rankscope_option* options,
                                                   size_t option_count, const rankscope_call* call,
                                                   rankscope_table** table);
/* SQL over the events and tables of a job, in DuckDB's dialect. Returns the rows of the last
 * statement, or a table without columns if it has none. What statements create stays until the job
 * is closed, or queried with other options.
 *
 * Options: memory ("4G": limit of the query and its result; more is spilled to disk),
 * allow_files ("1": statements may read and write files; otherwise they see only the job),
 * select_only ("1": only one SELECT or EXPLAIN, for untrusted statements). */
RANKSCOPE_API rankscope_status rankscope_job_query(rankscope_job* job, const char* statements,
                                                   const rankscope_option* options,
                                                   size_t option_count, const rankscope_call* call,
                                                   rankscope_table** table);
/* Replays the job with all changes at once, such as "idealise:rank=3"; gives the table what_if.
 * RANKSCOPE_BAD_DATA if the replay of this job cannot predict anything. */
RANKSCOPE_API rankscope_status rankscope_job_what_if(rankscope_job* job, const char* const* changes,
                                                     size_t change_count,
                                                     const rankscope_call* call,
                                                     rankscope_table** table);

/* ---- reports, as texts ---- */

/* `size` may be NULL; otherwise it gets the text's bytes without the NUL byte. */
RANKSCOPE_API void rankscope_text_free(char* text);

/* The output of `rankscope analyze`. Formats: "json" (schema rankscope.report/1), "text" (one
 * screen), "full" (all sections), "markdown", "html" (one self-contained page), "view" (the data of
 * that page, as JSON). */
RANKSCOPE_API rankscope_status rankscope_job_report(rankscope_job* job, const char* format,
                                                    const rankscope_call* call, char** text,
                                                    size_t* size);
/* Only the findings of that report and those that could not be checked, without its tables:
 * {"findings":[..],"not_evaluated":[..]}. */
RANKSCOPE_API rankscope_status rankscope_job_findings(rankscope_job* job,
                                                      const rankscope_call* call, char** text,
                                                      size_t* size);
/* The selected ranks: {"recordings":8,"ranks":[0,1],"ranks_are_stated":true}. Reads nothing.
 */
RANKSCOPE_API rankscope_status rankscope_job_info(rankscope_job* job, char** text, size_t* size);

/* What changed between two jobs, and whether it is noise, like `rankscope diff`. Formats:
 * "json" (schema rankscope.diff/1), "text", "full", "html", "view". */
RANKSCOPE_API rankscope_status rankscope_diff(rankscope_job* base, rankscope_job* test,
                                              const char* format, const rankscope_call* call,
                                              char** text, size_t* size);
/* One table of a comparison by its name, such as diff_ops. */
RANKSCOPE_API rankscope_status rankscope_diff_table(rankscope_job* base, rankscope_job* test,
                                                    const char* name, const rankscope_call* call,
                                                    rankscope_table** table);

/* ---- definitions ---- */

/* All tables and views with definitions, columns and options, like `rankscope list --json`.
 */
RANKSCOPE_API rankscope_status rankscope_catalog(char** text, size_t* size);
/* The page of a finding or of a verdict on recordings, in Markdown, like `rankscope explain`.
 */
RANKSCOPE_API rankscope_status rankscope_explain(const char* id, char** text, size_t* size);

#ifdef __cplusplus
}
#endif

#endif /* RANKSCOPE_H */
