/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the files of the checks share. */

#pragma once

#include "codegen/interpret/check.h"

/* Who touched something last, in one word: the section (a workgroup between two barriers, numbered
 * through all dispatches of a check), the thread in its workgroup, the site. 0 is nobody. */
typedef uint64_t shadow_stamp;

#define SHADOW_SITE_BITS     16
#define SHADOW_THREAD_BITS   16
#define SHADOW_SECTION_BITS  32
/* Instructions beyond this many share the last number, and have no place in reports. */
#define SHADOW_NO_SITE       ((UINT64_C (1) << SHADOW_SITE_BITS) - 1)
#define SHADOW_MAX_SECTION   ((UINT64_C (1) << SHADOW_SECTION_BITS) - 1)

static inline shadow_stamp
shadow_stamp_make (uint64_t section, uint32_t thread, uint64_t site)
{
  return section << (SHADOW_THREAD_BITS + SHADOW_SITE_BITS) | (uint64_t) thread << SHADOW_SITE_BITS
         | MIN (site, SHADOW_NO_SITE);
}

static inline uint64_t
shadow_stamp_section (shadow_stamp stamp)
{
  return stamp >> (SHADOW_THREAD_BITS + SHADOW_SITE_BITS);
}

static inline uint32_t
shadow_stamp_thread (shadow_stamp stamp)
{
  return stamp >> SHADOW_SITE_BITS & ((1u << SHADOW_THREAD_BITS) - 1);
}

static inline uint32_t
shadow_stamp_site (shadow_stamp stamp)
{
  return stamp & SHADOW_NO_SITE;
}

/* The accesses of one class to one cell. With these three any later access that conflicts with one
 * of all accesses of the class also conflicts with one of these, as long as workgroups run one after another:
 * two threads of the latest section, since the later access may be by one of them, and one
 * access of another workgroup. */
struct shadow_class
{
  shadow_stamp latest, second, elsewhere;
};

struct shadow_cell
{
  shadow_stamp write;
  struct shadow_class reads;
};

/* The cells of SHADOW_PAGE_SIZE bytes, each for 1 << shift of them. Accesses that fit no cell split all cells of
 * the page, so that every access so far covered its cells whole. */
struct shadow_page
{
  uint32_t shift;
  struct shadow_cell *cells;
  struct shadow_class *atomics;  /* NULL: none so far */
};

#define SHADOW_PAGE_BITS  12
#define SHADOW_PAGE_SIZE  (1u << SHADOW_PAGE_BITS)
#define SHADOW_MAX_SHIFT  4

/* Race records of all memories of a check together, in bytes. They are dropped between dispatches when half of it is used. */
#define SHADOW_LIMIT      (UINT64_C (4) << 30)

struct check_memory
{
  struct check *check;
  struct gb_list link;           /* in check->memories */
  enum check_storage storage;
  uint64_t size;
  const char *label;             /* under the check's lock */
  /* One bit a byte, and one word more than that needs; read and changed by atomic operations. NULL while all bytes
   * are initialised. Once made it stays. */
  uint64_t *bits;
  struct shadow_page *pages;     /* made with the first access that is followed; only the run touches them */
  uint64_t quiet_run;            /* the run in which nobody writes it */
};

struct check
{
  uint32_t kinds;
  uint32_t limit;
  check_report_function function;
  gpointer data;
  GMutex running;                /* held by the run */
  GMutex lock;                   /* what follows, but for what only the run changes */
  struct gb_list memories;
  GStringChunk *strings;
  GArray *reports;               /* struct check_report */
  GHashTable *index;             /* struct report_key to its number + 1 in `reports`; of those left out, to 0 */
  uint64_t n_left_out;
  bool told_left_out, told_exhausted;
  uint64_t section;              /* the last one given out; run */
  uint64_t n_runs;               /* run */
  uint64_t shadow_bytes;         /* of race records; atomic, since memories are freed beside a run */
};

struct check_run
{
  struct check *check;
  struct check_run_info info;
  const struct check_view *views;
  uint32_t n_views;
  uint32_t kinds;
  uint64_t number;
  uint64_t first_section;
  GArray *groups;                /* uint32_t[3]: id by number */
  GArray *section_groups;        /* uint32_t: number of the group, by section - first_section */
  GHashTable *seen;              /* struct seen_key to struct seen */
  uint32_t first_new;            /* reports of the check before this run */
  bool exhausted;                /* no memory or no number for a record */
};

/* A place beside the first: races and barriers. */
struct check_other
{
  const struct check_site *site; /* NULL: unknown, or ended */
  uint32_t group;                /* number of it in the run */
  uint32_t thread;
  enum check_access access;
};

/* What is known of a fault, before it is known whether it is a new one. */
struct check_fault
{
  enum check_kind kind;
  const struct check_thread *thread;     /* may be NULL */
  const struct check_site *site;         /* may be NULL */
  const struct check_memory *memory;     /* may be NULL */
  bool has_storage;
  enum check_storage storage;
  enum check_access access;
  const struct check_other *other;       /* may be NULL */
  uint64_t offset, size;                 /* in the memory */
  uint32_t n_indices;
  const int64_t *index;
  const uint64_t *limit;
  const struct check_view *view, *other_view;    /* faults of views */
  const char *value;                     /* may be NULL */
};

/* A fault that has a thread and a site, and nothing else yet. */
#define CHECK_FAULT(kind_, thread_, site_) ((struct check_fault) { .kind = (kind_), .thread = (thread_), .site = (site_) })


/* Counts the fault. True: it is a new one, and `*report` is filled but for its message, which check_fault_add() takes. */
bool check_fault_is_new (struct check_run *run, const struct check_fault *fault, struct check_report *report);
void check_fault_add    (struct check_run *run, struct check_report *report, const char *message);
/* check-message.c: a sentence of what has been filled; the caller frees it. */
char *check_message_uninitialised (const struct check_report *report);
char *check_message_undefined     (const struct check_report *report);
char *check_message_race          (const struct check_report *report);
char *check_message_outside       (const struct check_report *report, uint64_t limit);
char *check_message_bounds        (const struct check_report *report);
char *check_message_shift         (const struct check_report *report);
char *check_message_convert       (const struct check_report *report, const char *type);
char *check_message_division      (const struct check_report *report, bool overflow);
char *check_message_nan           (const struct check_report *report, const char *operation);
char *check_message_barrier       (const struct check_report *report, bool elsewhere);
char *check_message_loop          (const struct check_report *report);
char *check_message_unreachable   (const struct check_report *report);
char *check_message_assert        (const struct check_report *report);
char *check_message_inactive      (const struct check_report *report);
char *check_message_misaligned    (const struct check_report *report, uint32_t alignment);
char *check_message_offset        (const struct check_report *report, uint32_t alignment);
char *check_message_bytes         (const struct check_report *report);
char *check_message_overlap       (const struct check_report *report, bool first_is_written);

/* check-report.c */
void check_add_notes           (struct check_run *run);
void check_fault_uninitialised (struct check_run *run, struct check_memory *memory, uint64_t offset, uint32_t size,
                                enum check_access access, const struct check_thread *thread, const struct check_site *site);
void check_fault_race          (struct check_run *run, struct check_memory *memory, uint64_t offset, uint32_t size,
                                enum check_access access, const struct check_thread *thread, const struct check_site *site,
                                const struct check_other *other);
void check_fault_outside       (struct check_run *run, struct check_memory *memory, uint64_t offset, uint32_t size,
                                enum check_access access, const struct check_thread *thread, const struct check_site *site);

/* shadow.c */
bool shadow_is_initialised (const struct check_memory *memory, uint64_t offset, uint64_t size);
void shadow_set_initialised (struct check_memory *memory, uint64_t offset, uint64_t size);

/* shadow-race.c */
void shadow_drop_pages (struct check_memory *memory);
void shadow_follow     (struct check_run *run, struct check_memory *memory, uint64_t offset, uint32_t size,
                        enum check_access access, const struct check_thread *thread, const struct check_site *site);
