/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "codegen/spirv/writer.h"

#include <string.h>

#define FIRST_INTERNED_SLOTS 256u
#define FIRST_STREAM_WORDS   256u

void
spirv_writer_init (struct spirv_writer *writer)
{
  memset (writer, 0, sizeof *writer);
  writer->next_id = 1;
  writer->scope = writer->first_scope = 1;
}

void
spirv_writer_clear (struct spirv_writer *writer)
{
  for (guint i = 0; i < SPIRV_N_SECTIONS; i++)
    g_free (writer->sections[i].words);
  g_free (writer->interned);
  g_free (writer->capabilities);
  if (writer->extensions != NULL)
    g_ptr_array_unref (writer->extensions);
  g_free (writer->error);
  memset (writer, 0, sizeof *writer);
}

void
spirv_writer_fail (struct spirv_writer *writer, const char *format, ...)
{
  if (writer->error != NULL)
    return;
  va_list arguments;
  va_start (arguments, format);
  writer->error = g_strdup_vprintf (format, arguments);
  va_end (arguments);
}

/* Room for `n` more words; returns where they go. */
static inline uint32_t *
reserve (struct spirv_stream *stream, gsize n)
{
  if (G_UNLIKELY (stream->capacity - stream->n < n))
    {
      gsize capacity = MAX (stream->capacity * 2, FIRST_STREAM_WORDS);
      while (capacity - stream->n < n)
        capacity *= 2;
      stream->words = g_renew (uint32_t, stream->words, capacity);
      stream->capacity = capacity;
    }
  return stream->words + stream->n;
}

/* The one place where a word count is made. */
static inline uint32_t
first_word (struct spirv_writer *writer, SpvOp op, gsize n_words)
{
  if (G_UNLIKELY (n_words > SPIRV_MAX_INSTRUCTION_WORDS))
    {
      spirv_writer_fail (writer, "SPIR-V instruction %u needs %zu words, an instruction has at most %u",
                         (unsigned) op, n_words, SPIRV_MAX_INSTRUCTION_WORDS);
      n_words = 1;
    }
  return (uint32_t) n_words << SpvWordCountShift | (uint32_t) op;
}

void
spirv_write (struct spirv_writer *writer, enum spirv_section section, SpvOp op, const uint32_t *operands, gsize n)
{
  uint32_t *at = reserve (&writer->sections[section], n + 1);
  *at++ = first_word (writer, op, n + 1);
  for (gsize i = 0; i < n; i++)
    *at++ = operands[i];
  writer->sections[section].n += n + 1;
}

static uint32_t
hash_words (SpvOp op, uint32_t type, const uint32_t *operands, gsize n)
{
  uint32_t hash = (uint32_t) op * 0x9e3779b1u ^ type;
  for (gsize i = 0; i < n; i++)
    {
      hash ^= operands[i];
      hash *= 0x85ebca6bu;
      hash ^= hash >> 15;
    }
  return hash ^ (hash >> 13);
}

static bool
is_repeatable (SpvOp op)
{
  switch (op)
    {
    case SpvOpAccessChain:
    case SpvOpVectorShuffle:
    case SpvOpCompositeConstruct:
    case SpvOpCompositeExtract:
    case SpvOpUConvert:
    case SpvOpSConvert:
    case SpvOpBitcast:
    case SpvOpSNegate:
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpIMul:
    case SpvOpUDiv:
    case SpvOpSDiv:
    case SpvOpUMod:
    case SpvOpBitwiseAnd:
    case SpvOpBitwiseOr:
    case SpvOpBitwiseXor:
    case SpvOpNot:
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
    case SpvOpLogicalAnd:
    case SpvOpLogicalOr:
    case SpvOpLogicalNot:
    case SpvOpIEqual:
    case SpvOpINotEqual:
    case SpvOpSLessThan:
    case SpvOpULessThan:
    case SpvOpUGreaterThan:
    case SpvOpAny:
    case SpvOpAll:
      return true;
    default:
      return false;
    }
}

/* The instruction of `n` words at the end of the body is taken back if it is known. Returns the id of its value. A
 * table that is full forgets nothing and learns nothing. */
static uint32_t
settle (struct spirv_writer *writer, SpvOp op, gsize n)
{
  struct spirv_stream *body = &writer->sections[SPIRV_SECTION_BODY];
  const uint32_t *words = body->words + body->n - n;
  const gsize head = 3;
  uint32_t hash = hash_words (op, words[1], words + head, n - head);
  uint32_t slot = hash % SPIRV_KNOWN_SLOTS;
  for (;; slot = (slot + 1) % SPIRV_KNOWN_SLOTS)
    {
      const struct spirv_known *known = &writer->known[slot];
      if (known->scope != writer->scope && known->scope != writer->first_scope)
        break;
      const uint32_t *other = body->words + known->offset;
      if (known->hash == hash && other[0] == words[0] && other[1] == words[1]
          && memcmp (other + head, words + head, (n - head) * sizeof *words) == 0)
        {
          body->n -= n;
          writer->next_id--;
          return other[2];
        }
    }
  if (writer->n_known < SPIRV_KNOWN_SLOTS / 2)
    {
      writer->known[slot] = (struct spirv_known) { hash, writer->scope, (uint32_t) (body->n - n) };
      writer->n_known++;
    }
  return words[2];
}

uint32_t
spirv_write_result (struct spirv_writer *writer, enum spirv_section section, SpvOp op, uint32_t type,
                    const uint32_t *operands, gsize n)
{
  uint32_t id = spirv_new_id (writer);
  uint32_t *at = reserve (&writer->sections[section], n + 3);
  *at++ = first_word (writer, op, n + 3);
  *at++ = type;
  *at++ = id;
  for (gsize i = 0; i < n; i++)
    *at++ = operands[i];
  writer->sections[section].n += n + 3;
  return section == SPIRV_SECTION_BODY && is_repeatable (op) ? settle (writer, op, n + 3) : id;
}

void
spirv_begin (struct spirv_writer *writer, enum spirv_section section, SpvOp op)
{
  writer->start = writer->sections[section].n;
  *reserve (&writer->sections[section], 1) = (uint32_t) op;
  writer->sections[section].n += 1;
}

void
spirv_word (struct spirv_writer *writer, enum spirv_section section, uint32_t word)
{
  *reserve (&writer->sections[section], 1) = word;
  writer->sections[section].n += 1;
}

gsize
spirv_text_words (const char *text)
{
  return strlen (text) / 4 + 1;
}

void
spirv_text (struct spirv_writer *writer, enum spirv_section section, const char *text)
{
  gsize length = strlen (text);
  gsize n = spirv_text_words (text);
  uint32_t *at = reserve (&writer->sections[section], n);
  /* Characters go in from the low byte up whatever the host's order. */
  for (gsize i = 0; i < n; i++)
    {
      uint32_t word = 0;
      for (gsize byte = 0; byte < 4 && i * 4 + byte < length; byte++)
        word |= (uint32_t) (guint8) text[i * 4 + byte] << (8 * byte);
      at[i] = word;
    }
  writer->sections[section].n += n;
}

void
spirv_end (struct spirv_writer *writer, enum spirv_section section)
{
  struct spirv_stream *stream = &writer->sections[section];
  SpvOp op = (SpvOp) stream->words[writer->start];
  stream->words[writer->start] = first_word (writer, op, stream->n - writer->start);
}

/* Capabilities and extensions are few: sorted insertion keeps the output independent of the order of the calls. */

void
spirv_capability (struct spirv_writer *writer, SpvCapability capability)
{
  uint32_t at = 0;
  while (at < writer->n_capabilities && writer->capabilities[at] < (uint32_t) capability)
    at++;
  if (at < writer->n_capabilities && writer->capabilities[at] == (uint32_t) capability)
    return;
  writer->capabilities = g_renew (uint32_t, writer->capabilities, writer->n_capabilities + 1);
  memmove (writer->capabilities + at + 1, writer->capabilities + at,
           (writer->n_capabilities - at) * sizeof (uint32_t));
  writer->capabilities[at] = (uint32_t) capability;
  writer->n_capabilities++;
}

void
spirv_extension (struct spirv_writer *writer, const char *name)
{
  if (writer->extensions == NULL)
    writer->extensions = g_ptr_array_new_with_free_func (g_free);
  guint at = 0;
  while (at < writer->extensions->len && strcmp (g_ptr_array_index (writer->extensions, at), name) < 0)
    at++;
  if (at < writer->extensions->len && strcmp (g_ptr_array_index (writer->extensions, at), name) == 0)
    return;
  g_ptr_array_insert (writer->extensions, (int) at, g_strdup (name));
}

/* Interning. The table holds offsets into the globals; the words there are the key. */

static void
grow_interned (struct spirv_writer *writer)
{
  struct spirv_interned *old = writer->interned;
  uint32_t old_slots = old != NULL ? writer->interned_mask + 1 : 0;
  uint32_t slots = MAX (old_slots * 2, FIRST_INTERNED_SLOTS);
  writer->interned = g_new0 (struct spirv_interned, slots);
  writer->interned_mask = slots - 1;
  for (uint32_t i = 0; i < old_slots; i++)
    if (old[i].id != 0)
      {
        uint32_t slot = old[i].hash & writer->interned_mask;
        while (writer->interned[slot].id != 0)
          slot = (slot + 1) & writer->interned_mask;
        writer->interned[slot] = old[i];
      }
  g_free (old);
}

uint32_t
spirv_global (struct spirv_writer *writer, SpvOp op, uint32_t type, const uint32_t *operands, gsize n)
{
  if (type != 0)
    return spirv_write_result (writer, SPIRV_SECTION_GLOBALS, op, type, operands, n);
  uint32_t id = spirv_new_id (writer);
  uint32_t *at = reserve (&writer->sections[SPIRV_SECTION_GLOBALS], n + 2);
  *at++ = first_word (writer, op, n + 2);
  *at++ = id;
  for (gsize i = 0; i < n; i++)
    *at++ = operands[i];
  writer->sections[SPIRV_SECTION_GLOBALS].n += n + 2;
  return id;
}

uint32_t
spirv_intern (struct spirv_writer *writer, SpvOp op, uint32_t type, const uint32_t *operands, gsize n, bool *is_new)
{
  if (writer->interned == NULL || writer->n_interned * 2 > writer->interned_mask)
    grow_interned (writer);
  gsize head = type != 0 ? 3 : 2;
  uint32_t hash = hash_words (op, type, operands, n);
  uint32_t slot = hash & writer->interned_mask;
  for (; writer->interned[slot].id != 0; slot = (slot + 1) & writer->interned_mask)
    {
      const struct spirv_interned *entry = &writer->interned[slot];
      const uint32_t *words = writer->sections[SPIRV_SECTION_GLOBALS].words + entry->offset;
      if (entry->hash == hash && words[0] == ((uint32_t) (n + head) << SpvWordCountShift | (uint32_t) op)
          && (type == 0 || words[1] == type)
          && (n == 0 || memcmp (words + head, operands, n * sizeof (uint32_t)) == 0))
        {
          if (is_new != NULL)
            *is_new = false;
          return entry->id;
        }
    }
  uint32_t offset = (uint32_t) writer->sections[SPIRV_SECTION_GLOBALS].n;
  uint32_t id = spirv_global (writer, op, type, operands, n);
  writer->interned[slot] = (struct spirv_interned) { hash, id, offset };
  writer->n_interned++;
  if (is_new != NULL)
    *is_new = true;
  return id;
}

void
spirv_decorate (struct spirv_writer *writer, uint32_t id, SpvDecoration decoration)
{
  const uint32_t operands[] = { id, decoration };
  spirv_write (writer, SPIRV_SECTION_ANNOTATIONS, SpvOpDecorate, operands, G_N_ELEMENTS (operands));
}

void
spirv_decorate_word (struct spirv_writer *writer, uint32_t id, SpvDecoration decoration, uint32_t word)
{
  const uint32_t operands[] = { id, decoration, word };
  spirv_write (writer, SPIRV_SECTION_ANNOTATIONS, SpvOpDecorate, operands, G_N_ELEMENTS (operands));
}

void
spirv_decorate_member (struct spirv_writer *writer, uint32_t id, uint32_t member, SpvDecoration decoration, uint32_t word)
{
  const uint32_t operands[] = { id, member, decoration, word };
  spirv_write (writer, SPIRV_SECTION_ANNOTATIONS, SpvOpMemberDecorate, operands, G_N_ELEMENTS (operands));
}

void
spirv_name (struct spirv_writer *writer, uint32_t id, const char *name)
{
  spirv_begin (writer, SPIRV_SECTION_DEBUG_NAMES, SpvOpName);
  spirv_word (writer, SPIRV_SECTION_DEBUG_NAMES, id);
  spirv_text (writer, SPIRV_SECTION_DEBUG_NAMES, name);
  spirv_end (writer, SPIRV_SECTION_DEBUG_NAMES);
}

void
spirv_name_member (struct spirv_writer *writer, uint32_t id, uint32_t member, const char *name)
{
  spirv_begin (writer, SPIRV_SECTION_DEBUG_NAMES, SpvOpMemberName);
  spirv_word (writer, SPIRV_SECTION_DEBUG_NAMES, id);
  spirv_word (writer, SPIRV_SECTION_DEBUG_NAMES, member);
  spirv_text (writer, SPIRV_SECTION_DEBUG_NAMES, name);
  spirv_end (writer, SPIRV_SECTION_DEBUG_NAMES);
}

/* Functions. */

void
spirv_function_begin (struct spirv_writer *writer, uint32_t function, uint32_t result_type, uint32_t function_type,
                      SpvFunctionControlMask control)
{
  const uint32_t operands[] = { result_type, function, control, function_type };
  spirv_write (writer, SPIRV_SECTION_FUNCTIONS, SpvOpFunction, operands, G_N_ELEMENTS (operands));
  writer->sections[SPIRV_SECTION_VARIABLES].n = 0;
  writer->sections[SPIRV_SECTION_BODY].n = 0;
  writer->first_scope = ++writer->scope;
  writer->n_known = 0;
}

uint32_t
spirv_function_parameter (struct spirv_writer *writer, uint32_t type)
{
  return spirv_write_result (writer, SPIRV_SECTION_FUNCTIONS, SpvOpFunctionParameter, type, NULL, 0);
}

static void
append_stream (struct spirv_stream *to, const struct spirv_stream *from)
{
  if (from->n == 0)
    return;
  memcpy (reserve (to, from->n), from->words, from->n * sizeof (uint32_t));
  to->n += from->n;
}

void
spirv_function_end (struct spirv_writer *writer, uint32_t entry_label)
{
  struct spirv_stream *functions = &writer->sections[SPIRV_SECTION_FUNCTIONS];
  spirv_write (writer, SPIRV_SECTION_FUNCTIONS, SpvOpLabel, &entry_label, 1);
  append_stream (functions, &writer->sections[SPIRV_SECTION_VARIABLES]);
  append_stream (functions, &writer->sections[SPIRV_SECTION_BODY]);
  spirv_write (writer, SPIRV_SECTION_FUNCTIONS, SpvOpFunctionEnd, NULL, 0);
  writer->sections[SPIRV_SECTION_VARIABLES].n = 0;
  writer->sections[SPIRV_SECTION_BODY].n = 0;
}

/* Instructions of bodies that opcodes.def cannot make. */

uint32_t
spirv_op_variable (struct spirv_writer *writer, uint32_t pointer_type)
{
  const uint32_t class = SpvStorageClassFunction;
  return spirv_write_result (writer, SPIRV_SECTION_VARIABLES, SpvOpVariable, pointer_type, &class, 1);
}

/* One or two leading operands, then a list. */
static uint32_t
write_list (struct spirv_writer *writer, SpvOp op, uint32_t type, const uint32_t *lead, gsize n_lead,
            const uint32_t *list, gsize n)
{
  struct spirv_stream *body = &writer->sections[SPIRV_SECTION_BODY];
  uint32_t id = spirv_new_id (writer);
  gsize total = 3 + n_lead + n;
  uint32_t *at = reserve (body, total);
  *at++ = first_word (writer, op, total);
  *at++ = type;
  *at++ = id;
  for (gsize i = 0; i < n_lead; i++)
    *at++ = lead[i];
  for (gsize i = 0; i < n; i++)
    *at++ = list[i];
  body->n += total;
  return is_repeatable (op) ? settle (writer, op, total) : id;
}

uint32_t
spirv_op_access_chain (struct spirv_writer *writer, uint32_t type, uint32_t base, const uint32_t *indices, gsize n)
{
  return write_list (writer, SpvOpAccessChain, type, &base, 1, indices, n);
}

uint32_t
spirv_op_composite_construct (struct spirv_writer *writer, uint32_t type, const uint32_t *parts, gsize n)
{
  return write_list (writer, SpvOpCompositeConstruct, type, NULL, 0, parts, n);
}

uint32_t
spirv_op_composite_extract (struct spirv_writer *writer, uint32_t type, uint32_t composite, const uint32_t *indices, gsize n)
{
  return write_list (writer, SpvOpCompositeExtract, type, &composite, 1, indices, n);
}

uint32_t
spirv_op_composite_insert (struct spirv_writer *writer, uint32_t type, uint32_t object, uint32_t composite,
                           const uint32_t *indices, gsize n)
{
  const uint32_t lead[] = { object, composite };
  return write_list (writer, SpvOpCompositeInsert, type, lead, G_N_ELEMENTS (lead), indices, n);
}

uint32_t
spirv_op_vector_shuffle (struct spirv_writer *writer, uint32_t type, uint32_t vector, const uint32_t *lanes, gsize n)
{
  const uint32_t lead[] = { vector, vector };
  return write_list (writer, SpvOpVectorShuffle, type, lead, G_N_ELEMENTS (lead), lanes, n);
}

uint32_t
spirv_op_function_call (struct spirv_writer *writer, uint32_t type, uint32_t function, const uint32_t *arguments, gsize n)
{
  return write_list (writer, SpvOpFunctionCall, type, &function, 1, arguments, n);
}

uint32_t
spirv_op_image_fetch_lod (struct spirv_writer *writer, uint32_t type, uint32_t image, uint32_t coordinate, uint32_t lod)
{
  const uint32_t operands[] = { image, coordinate, SpvImageOperandsLodMask, lod };
  return write_list (writer, SpvOpImageFetch, type, operands, G_N_ELEMENTS (operands), NULL, 0);
}

uint32_t
spirv_op_glsl (struct spirv_writer *writer, uint32_t type, enum GLSLstd450 instruction, const uint32_t *operands, gsize n)
{
  if (writer->glsl == 0)
    writer->glsl = spirv_new_id (writer);
  const uint32_t lead[] = { writer->glsl, instruction };
  return write_list (writer, SpvOpExtInst, type, lead, G_N_ELEMENTS (lead), operands, n);
}

void
spirv_op_label (struct spirv_writer *writer, uint32_t label)
{
  if (writer->scope == writer->first_scope)
    writer->n_known_first = writer->n_known;
  writer->n_known = writer->n_known_first;
  writer->scope++;
  spirv_write (writer, SPIRV_SECTION_BODY, SpvOpLabel, &label, 1);
}

void
spirv_op_label_first (struct spirv_writer *writer, uint32_t label)
{
  spirv_write (writer, SPIRV_SECTION_BODY, SpvOpLabel, &label, 1);
}

void
spirv_op_branch (struct spirv_writer *writer, uint32_t target)
{
  spirv_write (writer, SPIRV_SECTION_BODY, SpvOpBranch, &target, 1);
}

void
spirv_op_branch_conditional (struct spirv_writer *writer, uint32_t condition, uint32_t if_true, uint32_t if_false)
{
  const uint32_t operands[] = { condition, if_true, if_false };
  spirv_write (writer, SPIRV_SECTION_BODY, SpvOpBranchConditional, operands, G_N_ELEMENTS (operands));
}

void
spirv_op_selection_merge (struct spirv_writer *writer, uint32_t merge)
{
  const uint32_t operands[] = { merge, SpvSelectionControlMaskNone };
  spirv_write (writer, SPIRV_SECTION_BODY, SpvOpSelectionMerge, operands, G_N_ELEMENTS (operands));
}

void
spirv_op_loop_merge (struct spirv_writer *writer, uint32_t merge, uint32_t target, uint32_t control, uint32_t partial_count)
{
  const uint32_t operands[] = { merge, target, control, partial_count };
  bool counted = (control & SpvLoopControlPartialCountMask) != 0;
  spirv_write (writer, SPIRV_SECTION_BODY, SpvOpLoopMerge, operands, counted ? 4 : 3);
}

void
spirv_op_store (struct spirv_writer *writer, uint32_t pointer, uint32_t value)
{
  const uint32_t operands[] = { pointer, value };
  spirv_write (writer, SPIRV_SECTION_BODY, SpvOpStore, operands, G_N_ELEMENTS (operands));
}

void
spirv_op_image_write (struct spirv_writer *writer, uint32_t image, uint32_t coordinate, uint32_t texel)
{
  const uint32_t operands[] = { image, coordinate, texel };
  spirv_write (writer, SPIRV_SECTION_BODY, SpvOpImageWrite, operands, G_N_ELEMENTS (operands));
}

void
spirv_op_return (struct spirv_writer *writer)
{
  spirv_write (writer, SPIRV_SECTION_BODY, SpvOpReturn, NULL, 0);
}

void
spirv_op_return_value (struct spirv_writer *writer, uint32_t value)
{
  spirv_write (writer, SPIRV_SECTION_BODY, SpvOpReturnValue, &value, 1);
}

void
spirv_op_unreachable (struct spirv_writer *writer)
{
  spirv_write (writer, SPIRV_SECTION_BODY, SpvOpUnreachable, NULL, 0);
}

void
spirv_op_line (struct spirv_writer *writer, uint32_t file, uint32_t line, uint32_t column)
{
  const uint32_t operands[] = { file, line, column };
  spirv_write (writer, SPIRV_SECTION_BODY, SpvOpLine, operands, G_N_ELEMENTS (operands));
}

/* The head: what stands before the entry points. */
static void
write_head (struct spirv_writer *writer, struct spirv_stream *out)
{
  struct spirv_stream body = writer->sections[SPIRV_SECTION_BODY];
  /* The instruction functions write to sections; the scratch one lends its place. */
  writer->sections[SPIRV_SECTION_BODY] = (struct spirv_stream) { NULL, 0, 0 };
  const uint32_t header[] = { SpvMagicNumber, SPIRV_VERSION_WORD, SPIRV_GENERATOR << 16, 0, 0 };
  for (guint i = 0; i < G_N_ELEMENTS (header); i++)
    spirv_word (writer, SPIRV_SECTION_BODY, header[i]);
  for (uint32_t i = 0; i < writer->n_capabilities; i++)
    spirv_write (writer, SPIRV_SECTION_BODY, SpvOpCapability, &writer->capabilities[i], 1);
  for (guint i = 0; writer->extensions != NULL && i < writer->extensions->len; i++)
    {
      spirv_begin (writer, SPIRV_SECTION_BODY, SpvOpExtension);
      spirv_text (writer, SPIRV_SECTION_BODY, g_ptr_array_index (writer->extensions, i));
      spirv_end (writer, SPIRV_SECTION_BODY);
    }
  if (writer->glsl != 0)
    {
      spirv_begin (writer, SPIRV_SECTION_BODY, SpvOpExtInstImport);
      spirv_word (writer, SPIRV_SECTION_BODY, writer->glsl);
      spirv_text (writer, SPIRV_SECTION_BODY, "GLSL.std.450");
      spirv_end (writer, SPIRV_SECTION_BODY);
    }
  const uint32_t model[] = { SpvAddressingModelLogical, SpvMemoryModelGLSL450 };
  spirv_write (writer, SPIRV_SECTION_BODY, SpvOpMemoryModel, model, G_N_ELEMENTS (model));
  *out = writer->sections[SPIRV_SECTION_BODY];
  writer->sections[SPIRV_SECTION_BODY] = body;
}

uint32_t *
spirv_writer_finish (struct spirv_writer *writer, gsize *n_words)
{
  struct spirv_stream head;
  write_head (writer, &head);
  gsize total = head.n;
  for (guint i = 0; i <= SPIRV_SECTION_FUNCTIONS; i++)
    total += writer->sections[i].n;
  if (total > G_MAXUINT32)
    spirv_writer_fail (writer, "the SPIR-V module has %zu words, at most %u fit", total, G_MAXUINT32);
  if (writer->error != NULL)
    {
      g_free (head.words);
      return NULL;
    }
  reserve (&head, total - head.n);
  for (guint i = 0; i <= SPIRV_SECTION_FUNCTIONS; i++)
    append_stream (&head, &writer->sections[i]);
  head.words[3] = writer->next_id;
  *n_words = head.n;
  return head.words;
}
