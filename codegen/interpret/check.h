/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The checks of the interpreter: what has been written of every byte, who touched it
 * last in a dispatch, and reports of what a kernel may not do.
 *
 *   check          one a device: which checks are on, the reports so far
 *   check_memory   the shadow of a buffer, an image, a workgroup's shared memory or the
 *                  local variables of its threads
 *   check_run      one dispatch
 *   check_group    one workgroup of it, while it runs
 *   check_site     one instruction of the program that is checked
 *
 * The driver makes a check_memory for each buffer and image, marks what the host writes
 * with check_memory_initialise() and copies with check_memory_copy(). The executor does
 * the rest. */

#pragma once

#include "codegen/xir/xir.h"

/* The order is part of the interface of those who show reports: append only. */
enum check_kind
{
  CHECK_OUT_OF_BOUNDS,           /* of a buffer, view, array or image */
  CHECK_UNINITIALISED,           /* a read of what nobody has written */
  CHECK_RACE,                    /* two threads of one dispatch, nothing between them, one writes */
  CHECK_DIVERGENT_BARRIER,       /* threads of a workgroup wait at a barrier that others do not reach */
  CHECK_MISALIGNED,              /* a view that begins where no element may; an offset where no value may */
  CHECK_OVERLAP,                 /* two arguments that share bytes, one of them written */
  CHECK_SHIFT_RANGE,             /* a shift or rotate by the width or more */
  CHECK_CONVERT_RANGE,           /* a float to an integer that cannot hold it */
  CHECK_DIVISION_BY_ZERO,        /* integers; the least one divided by -1 too */
  CHECK_NAN,                     /* from operands that are none */
  CHECK_ENDLESS_LOOP,            /* a subgroup that went beyond its steps */
  CHECK_UNREACHABLE,             /* a thread came to what the source calls unreachable */
  CHECK_INACTIVE_LANE,           /* a read from a thread of the subgroup that is not active */
  CHECK_ASSERT,                  /* an assertion of the source that does not hold */
  CHECK_N_KINDS                  /* in a report: a note about the reports themselves */
};

/* Stable, for options and JSON: "out-of-bounds", "race"…; "note" for CHECK_N_KINDS. */
const char *check_kind_name (enum check_kind kind);
/* False: there is no such kind. */
bool        check_kind_from_name (const char *name, enum check_kind *kind);

#define CHECK_KIND_MASK(kind)  (1u << (kind))
#define CHECK_ALL_KINDS        (CHECK_KIND_MASK (CHECK_N_KINDS) - 1)
/* NaN is what many a kernel means. */
#define CHECK_DEFAULT_KINDS    (CHECK_ALL_KINDS & ~CHECK_KIND_MASK (CHECK_NAN))
#define CHECK_DEFAULT_LIMIT    100

enum check_storage { CHECK_STORAGE_BUFFER, CHECK_STORAGE_IMAGE, CHECK_STORAGE_SHARED, CHECK_STORAGE_LOCAL };
/* CHECK_COPY reads a structure or an array: what of it is not initialised is reported where it is used. */
enum check_access { CHECK_READ, CHECK_WRITE, CHECK_ATOMIC, CHECK_COPY };

/* A plain value, to be copied freely. Its strings live as long as the check that made it;
 * those that do not apply are NULL. */
struct check_report
{
  enum check_kind kind;
  const char *kernel;
  const char *file;                      /* the module's source name */
  struct xir_location location;          /* line 0: unknown */
  bool has_other;                        /* a second place or thread: races and barriers */
  struct xir_location other_location;    /* line 0: unknown, or the thread has ended */
  bool has_thread;                       /* false: of the dispatch as a whole */
  uint32_t thread[3];                    /* in the dispatch: global_id */
  uint32_t group[3];
  uint32_t local[3];                     /* in the workgroup */
  uint32_t other_thread[3];
  uint32_t other_group[3];
  uint32_t other_local[3];
  bool has_storage;
  enum check_storage storage;
  enum check_access access, other_access;
  const char *object;                    /* name of the argument or variable */
  const char *object_label;              /* of the buffer or image */
  const char *other_object;              /* overlaps: the other argument */
  uint64_t offset, size;                 /* bytes of the access, from the start of the view or variable; size 0: none */
  uint32_t n_indices;                    /* 0: none, 1, or the dimensions of an image */
  int64_t index[3];                      /* element or texel; shifts: the count; subgroups: the lane */
  uint64_t limit[3];                     /* how many there are; shifts: bits; loops, without an index: steps; notes: reports */
  const char *value;                     /* what was shifted by, converted or divided, as text; why a place is unreachable; what was asserted */
  bool overflows;                        /* divisions: by -1, not by 0 */
  const char *message;                   /* one translated sentence, without place and thread */
  uint64_t count;                        /* how often it happened so far */
};

/* Called from the thread that runs the dispatch, at its end, without a lock held, for each report that
 * is new; in the order in which they first happened. */
typedef void (*check_report_function) (const struct check_report *report, gpointer data);

struct check_options
{
  uint32_t kinds;                /* of CHECK_KIND_MASK */
  uint32_t limit;                /* reports that are kept; one note more says what was left out */
};

struct check;

/* `options` NULL: the defaults. Thread-safe; dispatches under one check run one after another. */
struct check *check_new  (const struct check_options *options, check_report_function function, gpointer data);
/* Its memories and runs have gone before. */
void          check_free (struct check *check);
/* All reports so far with their counts as they are now, in order. Also says how many different ones there
 * were beyond the limit. The caller frees the array (of struct check_report) with g_array_unref(). */
GArray       *check_dup_reports (struct check *check, uint64_t *n_left_out);

/* Shadow memory. Marking and copying is safe beside a run and beside each other; freeing is not. */

struct check_memory;

/* `initialised`: all of it is, at first. NULL: there is no memory for it. The shadow takes an eighth
 * of `size`, or nothing while all is initialised, and more where a dispatch touches it. */
struct check_memory *check_memory_new  (struct check *check, enum check_storage storage, uint64_t size, bool initialised);
void                 check_memory_free (struct check_memory *memory);
/* For reports; copied, may be NULL. */
void check_memory_set_label    (struct check_memory *memory, const char *label);
/* The host, a fill or a copy from outside has written these bytes. Ranges are cut to the memory. */
void check_memory_initialise   (struct check_memory *memory, uint64_t offset, uint64_t size);
/* Nobody knows what these bytes are: memory that was given back and taken again. */
void check_memory_uninitialise (struct check_memory *memory, uint64_t offset, uint64_t size);
/* `to` becomes as initialised as `from` is; the ranges may overlap in one memory. `from` NULL: initialised. */
void check_memory_copy         (struct check_memory *to, uint64_t to_offset,
                                const struct check_memory *from, uint64_t from_offset, uint64_t size);
/* Whether all of the range is initialised. */
bool check_memory_is_initialised (const struct check_memory *memory, uint64_t offset, uint64_t size);

/* The executor's side. */

#define CHECK_NO_ARGUMENT UINT32_MAX

struct check_site
{
  struct xir_location location;
  const char *object;            /* argument or variable; may be NULL */
  uint32_t argument;             /* number of a buffer or image among the arguments, or CHECK_NO_ARGUMENT */
};

/* A variable, where it lies in the shared memory of a workgroup or the local memory of a thread. */
struct check_variable
{
  enum check_storage storage;
  uint64_t offset, size;
  uint64_t element_size;         /* of an array; else 0 */
  const char *name;              /* may be NULL */
};

struct check_run;

struct check_run_info
{
  const char *kernel, *file;
  struct xir_location location;  /* of the kernel */
  uint32_t group_size[3];
  uint64_t local_size;           /* bytes of local memory a thread: its memory holds those of one thread after the other */
  const struct check_site *sites;
  uint32_t n_sites;
  const struct check_variable *variables;
  uint32_t n_variables;
};

/* Strings, sites and variables of `info` are lent until the end of the run. Waits for other runs of the check. Ends
 * in the same thread. */
struct check_run *check_run_new   (struct check *check, const struct check_run_info *info);
/* Hands out the reports. */
void              check_run_end   (struct check_run *run);
bool              check_run_wants (const struct check_run *run, enum check_kind kind);

/* What an argument of the kernel stands for. */
struct check_view
{
  const char *name;
  struct check_memory *memory;   /* NULL: a value, or unchecked */
  uint64_t offset, size;         /* in the memory */
  uint64_t element_size;         /* or of a texel */
  uint32_t alignment;            /* of an element */
  uint32_t n_dimensions;         /* of an image, else 0 */
  uint32_t extent[3];            /* of an image, in texels */
  bool is_read, is_written;      /* by the kernel */
};

/* All arguments in order, once a run, before the first access. Reports misaligned and overlapping views. Memory that no
 * argument writes has no races. Lent until the end of the run. */
void check_run_views (struct check_run *run, const struct check_view *views, uint32_t n_views);

/* A workgroup while it runs. The executor owns it. Workgroups may run side by side, each with its own shared memory;
 * all of a run's calls come from one thread. */
struct check_group
{
  uint32_t id[3];
  uint32_t number;               /* in the order in which they began */
  uint64_t section;              /* between two barriers of one workgroup; no two of a check have the same */
};

void check_group_begin   (struct check_run *run, struct check_group *group, const uint32_t id[3]);
/* All threads of the workgroup have met. */
void check_group_barrier (struct check_run *run, struct check_group *group);

struct check_thread
{
  const struct check_group *group;
  uint32_t index;                /* in the workgroup, x fastest */
};

/* One access of one thread. False: it is not inside the memory and must not be done. */
bool check_access (struct check_run *run, struct check_memory *memory, uint64_t offset, uint32_t size,
                   enum check_access access, const struct check_thread *thread, const struct check_site *site);
/* The same for the threads `first` + lane whose bit is set in `mask`, each at its own offset. The lanes that may go on. */
uint64_t check_access_lanes (struct check_run *run, struct check_memory *memory, const uint64_t *offsets, uint32_t size,
                             enum check_access access, const struct check_group *group, uint32_t first, uint64_t mask,
                             const struct check_site *site);

/* What the executor finds by itself. All of them do nothing where the kind is switched off. */

/* An index or the coordinates of a texel; `memory` may be NULL. */
void check_report_bounds   (struct check_run *run, const struct check_thread *thread, const struct check_site *site,
                            enum check_storage storage, enum check_access access, const struct check_memory *memory,
                            uint32_t n_indices, const int64_t *index, const uint64_t *limit);
/* `size` bytes at an offset of a byte buffer of `limit` bytes: that it is a multiple of `alignment` and that they are there. */
void check_report_bytes    (struct check_run *run, const struct check_thread *thread, const struct check_site *site,
                            enum check_access access, const struct check_memory *memory, int64_t offset, uint32_t size,
                            uint32_t alignment, uint64_t limit);
/* Part of a copy is used (CHECK_COPY) that was not initialised where it came from. */
void check_report_undefined (struct check_run *run, const struct check_thread *thread, const struct check_site *site,
                            enum check_storage storage);
/* A count that is negative, or `width` or more. `is_signed`: the bits of `count` are those of an int64_t. */
void check_report_shift    (struct check_run *run, const struct check_thread *thread, const struct check_site *site,
                            uint64_t count, bool is_signed, uint32_t width);
/* `type` is the name of the integer. */
void check_report_convert  (struct check_run *run, const struct check_thread *thread, const struct check_site *site,
                            double value, const char *type);
/* `dividend` by 0, or by -1 where `overflow`. */
void check_report_division (struct check_run *run, const struct check_thread *thread, const struct check_site *site,
                            uint64_t dividend, bool is_signed, bool overflow);
/* `why` is what the source says, and may be NULL. */
void check_report_unreachable (struct check_run *run, const struct check_thread *thread, const struct check_site *site,
                            const char *why);
/* `condition` as the source has it, or what is said of it, and may be NULL. */
void check_report_assert   (struct check_run *run, const struct check_thread *thread, const struct check_site *site,
                            const char *condition);
/* No thread is active in `lane` of a subgroup of `width` threads. */
void check_report_inactive (struct check_run *run, const struct check_thread *thread, const struct check_site *site,
                            uint32_t lane, uint32_t width);
/* `operation` is a mnemonic of ops.def. */
void check_report_nan      (struct check_run *run, const struct check_thread *thread, const struct check_site *site,
                            const char *operation);
/* `thread` waits at `site`; `other` does not come, or waits at `other_site` where that is not NULL. */
void check_report_barrier  (struct check_run *run, const struct check_thread *thread, const struct check_site *site,
                            const struct check_thread *other, const struct check_site *other_site);
/* `site` is the loop, or where the thread was. */
void check_report_loop     (struct check_run *run, const struct check_thread *thread, const struct check_site *site,
                            uint64_t steps);
