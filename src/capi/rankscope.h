/* rankscope.h: rankscope as a library for C, and for every language that can call C.
 *
 *   rankscope_job* job = NULL;
 *   const char* paths[] = {"traces/"};
 *   if (rankscope_open(paths, 1, NULL, 0, NULL, &job) != RANKSCOPE_OK)
 *     fprintf(stderr, "%s\n", rankscope_last_error());
 *
 * Errors. A function that can fail returns a rankscope_status; all but RANKSCOPE_OK leave a
 * sentence for rankscope_last_error() and the values behind output pointers as they were. Nothing
 * is printed, and no C++ exception leaves the library. Where memory runs out the status is
 * RANKSCOPE_RESOURCE. A broken invariant of the library itself, which is a bug, ends the process
 * with a sentence.
 *
 * Ownership. What a function gives through an output pointer belongs to the caller, who gives it
 * back: a job to rankscope_close, a table to rankscope_table_free, a text to rankscope_text_free, a
 * stream, an array or a schema to its own `release`. Each of these lives on its own: tables and
 * what was exported of them are valid after their job was closed. All of these functions take NULL
 * and do nothing. What a caller hands in is copied; nothing of it is kept behind the call.
 *
 * Threads. Any thread may call any function. Calls about one job are done one after the other,
 * those about different jobs at the same time. A job must not be closed while a call about it runs.
 * A table does not change: any number of threads may read it. rankscope_last_error() is of the
 * calling thread.
 *
 * Units. Times are int64 nanoseconds, sizes bytes, unless a column's unit says otherwise. Unknown
 * is null, never 0 or NaN. Texts are UTF-8 and end in a NUL byte.
 *
 * Stability. Functions and the values of enumerations are only added, structs only grow at their
 * end and begin with their size where the caller fills them in. What could not be kept would change
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

/* The Arrow C data interface, as its specification has it
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

/* Of the library that was loaded. A program that was built with another RANKSCOPE_ABI_VERSION must
 * not use it. Within one version a newer library has all that an older header declares. */
RANKSCOPE_API uint32_t rankscope_abi_version(void);
/* Such as "0.1.0". Lives as long as the library. */
RANKSCOPE_API const char* rankscope_version(void);

/* ---- errors ---- */

typedef int32_t rankscope_status;

enum {
  RANKSCOPE_OK = 0,
  RANKSCOPE_INVALID_ARGUMENT = 1, /* what was asked for makes no sense */
  RANKSCOPE_NOT_FOUND = 2,        /* a file, rank or step is not there */
  RANKSCOPE_BAD_DATA = 3,         /* the input cannot be used */
  RANKSCOPE_IO = 4,               /* the operating system said no */
  RANKSCOPE_RESOURCE = 5,         /* a limit of memory, disk or size was hit */
  RANKSCOPE_CANCELLED = 6,        /* stopped by its rankscope_cancel */
  RANKSCOPE_INTERNAL = 7          /* a bug */
};

/* What went wrong in the last call of this thread that failed: one sentence, "" where none did.
 * Valid until this thread calls the library again. */
RANKSCOPE_API const char* rankscope_last_error(void);

/* ---- calls that take long ---- */

/* Stops calls. May be given to several calls, at the same time or one after the other. */
typedef struct rankscope_cancel rankscope_cancel;
RANKSCOPE_API rankscope_status rankscope_cancel_new(rankscope_cancel** cancel);
/* From now on the calls that were given it end soon with RANKSCOPE_CANCELLED; their job can be
 * asked again. Reading stops within a file, SQL within a statement, other work between two tables.
 * From any thread, and from a signal handler. */
RANKSCOPE_API void rankscope_cancel_set(rankscope_cancel* cancel);
/* Calls are no longer stopped. */
RANKSCOPE_API void rankscope_cancel_clear(rankscope_cancel* cancel);
/* No call has it any more. */
RANKSCOPE_API void rankscope_cancel_free(rankscope_cancel* cancel);

typedef struct rankscope_progress {
  uint64_t files_done;
  uint64_t files;      /* 0: one file, and `bytes` is a guess */
  uint64_t bytes_done; /* of the files as they lie on disk */
  uint64_t bytes;
} rankscope_progress;

/* What a call tells while it is at work. The caller fills it in, zeros (and so NULL) for what it
 * does not want; NULL in its place: nothing. It must live until the call returns.
 *
 * The functions are called by threads of the library, one at a time, before the call returns. They
 * must return soon, must not call the library about the same job, and must not throw. */
typedef struct rankscope_call {
  size_t size;              /* sizeof(rankscope_call) */
  rankscope_cancel* cancel; /* stops the call */
  void* user;               /* handed to the functions */
  /* How far reading is, ten times a second or more. */
  void (*on_progress)(void* user, const rankscope_progress* progress);
  /* What the caller should know beside the result, a sentence: which files were left out, say. */
  void (*on_notice)(void* user, const char* sentence);
} rankscope_call;

/* An option as on the command line, both texts. */
typedef struct rankscope_option {
  const char* name;
  const char* value;
} rankscope_option;

/* ---- jobs ---- */

typedef struct rankscope_job rankscope_job;

/* Opens the traces of a job: files, folders and globs. What the cache does not have is read.
 *
 * Options, as of the command line: ranks ("0,4-7"), steps ("12,13"), capture ("latest", "all" or a
 * number), kernel_classes (a file), jobs (threads; default one per core), cache_dir, cache_size
 * ("32G"), no_cache ("1"), called (what reports call the job in the commands that they suggest;
 * default TRACES). The cache is that of the command line. */
RANKSCOPE_API rankscope_status rankscope_open(const char* const* paths, size_t path_count,
                                              const rankscope_option* options, size_t option_count,
                                              const rankscope_call* call, rankscope_job** job);
RANKSCOPE_API void rankscope_close(rankscope_job* job);

/* ---- tables ---- */

/* Rows and columns that do not change. */
typedef struct rankscope_table rankscope_table;
RANKSCOPE_API void rankscope_table_free(rankscope_table* table);
/* NULL: 0. */
RANKSCOPE_API uint64_t rankscope_table_row_count(const rankscope_table* table);

/* Flags of an export. */
enum {
  /* Texts as a dictionary (indices int32, in the order in which texts first occur) in place of a
   * text per row: for readers that keep names as categories. */
  RANKSCOPE_TEXT_AS_DICTIONARY = 1
};

/* The columns of a table, as the schema of its stream: a struct ("+s") whose children are int64
 * ("l"), double ("g"), text ("U") or bool ("b"), all nullable, each with the metadata `unit` and
 * `doc` where it has them. The struct's metadata has the table's `name`. Of columns with one name
 * the later have a suffix. */
RANKSCOPE_API rankscope_status rankscope_table_schema(const rankscope_table* table, uint32_t flags,
                                                      struct ArrowSchema* schema);
/* The rows, as one batch. Numbers, texts and offsets are the table's own memory, which lives until
 * the table is freed and all that was exported is released; it must not be written to. */
RANKSCOPE_API rankscope_status rankscope_table_stream(const rankscope_table* table, uint32_t flags,
                                                      struct ArrowArrayStream* stream);

/* One table of a job by its name (`rankscope list`), with its options. */
RANKSCOPE_API rankscope_status rankscope_job_table(rankscope_job* job, const char* name,
                                                   const rankscope_option* options,
                                                   size_t option_count, const rankscope_call* call,
                                                   rankscope_table** table);
/* SQL over the events and tables of a job, in DuckDB's dialect: the rows of the last of the
 * statements, a table without columns where it has none. What statements create stays until the job
 * is closed, or asked with other options.
 *
 * Options: memory ("4G": what the query and its result may hold; more is spilled to disk),
 * allow_files ("1": statements may read and write files; else they see the job alone), select_only
 * ("1": one SELECT or EXPLAIN and nothing else, for what others wrote). */
RANKSCOPE_API rankscope_status rankscope_job_query(rankscope_job* job, const char* statements,
                                                   const rankscope_option* options,
                                                   size_t option_count, const rankscope_call* call,
                                                   rankscope_table** table);
/* The job replayed with changes, all made at once, such as "idealise:rank=3": the table what_if.
 * RANKSCOPE_BAD_DATA where the replay of this job predicts nothing. */
RANKSCOPE_API rankscope_status rankscope_job_what_if(rankscope_job* job, const char* const* changes,
                                                     size_t change_count,
                                                     const rankscope_call* call,
                                                     rankscope_table** table);

/* ---- reports, as texts ---- */

/* `size` may be NULL; else it is the text's bytes without the NUL byte. */
RANKSCOPE_API void rankscope_text_free(char* text);

/* What `rankscope analyze` says. Formats: "json" (schema rankscope.report/1), "text" (one screen),
 * "full" (all sections), "markdown", "html" (one page that needs nothing else), "view" (what that
 * page draws, as JSON). */
RANKSCOPE_API rankscope_status rankscope_job_report(rankscope_job* job, const char* format,
                                                    const rankscope_call* call, char** text,
                                                    size_t* size);
/* The findings of that report alone, and what could not be looked for, without its tables:
 * {"findings":[..],"not_evaluated":[..]}. */
RANKSCOPE_API rankscope_status rankscope_job_findings(rankscope_job* job,
                                                      const rankscope_call* call, char** text,
                                                      size_t* size);
/* Which ranks are looked at: {"recordings":8,"ranks":[0,1],"ranks_are_stated":true}. Reads nothing.
 */
RANKSCOPE_API rankscope_status rankscope_job_info(rankscope_job* job, char** text, size_t* size);

/* What changed between two jobs, and whether it is noise, as `rankscope diff` says it. Formats:
 * "json" (schema rankscope.diff/1), "text", "full", "html", "view". */
RANKSCOPE_API rankscope_status rankscope_diff(rankscope_job* base, rankscope_job* test,
                                              const char* format, const rankscope_call* call,
                                              char** text, size_t* size);
/* One table of a comparison by its name, such as diff_ops. */
RANKSCOPE_API rankscope_status rankscope_diff_table(rankscope_job* base, rankscope_job* test,
                                                    const char* name, const rankscope_call* call,
                                                    rankscope_table** table);

/* ---- what there is ---- */

/* All tables and views with definitions, columns and options, as `rankscope list --json` has them.
 */
RANKSCOPE_API rankscope_status rankscope_catalog(char** text, size_t* size);
/* The page of a finding or of a verdict on recordings, in Markdown, as `rankscope explain` has it.
 */
RANKSCOPE_API rankscope_status rankscope_explain(const char* id, char** text, size_t* size);

#ifdef __cplusplus
}
#endif

#endif /* RANKSCOPE_H */
