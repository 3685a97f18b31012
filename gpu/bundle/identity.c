/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "gpu/bundle/identity.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>

#include "gpu/bundle/artifact.h"

static void
append_target (struct gb_digest *digest, const struct spirv_target *target)
{
  const uint32_t limits[] = {
    target->max_group_size[0], target->max_group_size[1], target->max_group_size[2], target->max_group_invocations,
    target->max_shared_memory, target->max_push_constants, target->max_storage_buffers, target->max_storage_images,
    target->max_sampled_images, target->max_resources
  };

  /* A new member of the target may change what a compile makes: it belongs in the list. */
  G_STATIC_ASSERT (sizeof *target == sizeof (uint64_t) + sizeof limits);
  gb_digest_append_u64 (digest, target->features);
  for (gsize i = 0; i < G_N_ELEMENTS (limits); i++)
    gb_digest_append_u32 (digest, limits[i]);
}

void
bundle_identify (const struct bundle_origin *origin, uint8_t identity[GB_DIGEST_SIZE])
{
  struct gb_digest digest;
  uint8_t source[GB_DIGEST_SIZE];
  /* What the source has become covers all else that it was made from. */
  char *text = gabbro_module_print (origin->module, GABBRO_MODULE_XIR);
  const char *name = gabbro_module_get_name (origin->module);
  char *base = g_path_get_basename (name);
  /* Its first line is the name, as a path. */
  const char *body = g_str_has_prefix (text, "module ") && strchr (text, '\n') != NULL ? strchr (text, '\n') : text;

  gabbro_module_get_digest (origin->module, source);
  gb_digest_init (&digest);
  gb_digest_append_string (&digest, "Gabbro identity");
  gb_digest_append_u32 (&digest, BUNDLE_HEADER_VERSION);
  gb_digest_append_u32 (&digest, BUNDLE_PIPELINE_VERSION);
  gb_digest_append_string (&digest, PACKAGE_VERSION);
  gb_digest_append_string (&digest, SPIRV_TOOLS_VERSION);
  gb_digest_append_string (&digest, base);
  /* The code has the whole name then. */
  gb_digest_append_string (&digest, (origin->compile_flags & GABBRO_COMPILE_DEBUG_NAMES) != 0 ? name : NULL);
  gb_digest_append_raw (&digest, source, sizeof source);
  gb_digest_append_string (&digest, body);
  gb_digest_append_string (&digest, origin->kernel);
  gb_digest_append_u32 (&digest, origin->compile_flags);
  gb_digest_append_u32 (&digest, origin->optimization_level);
  append_target (&digest, origin->target);
  gb_digest_finish (&digest, identity);
  g_free (base);
  g_free (text);
}

/* The build of this library: a compiler that was changed gives other words under the same version. */
struct build
{
  const uint8_t *id;                     /* NULL: the linker gave none */
  gsize size;
  struct stat file;                      /* then what is known of the file */
};

static void
read_note (const struct dl_phdr_info *info, const ElfW (Phdr) *header, struct build *build)
{
  const uint8_t *at = (const uint8_t *) (info->dlpi_addr + header->p_vaddr), *end = at + header->p_memsz;
  ElfW (Nhdr) note;

  while ((gsize) (end - at) >= sizeof note)
    {
      gsize name_size, size;

      memcpy (&note, at, sizeof note);
      at += sizeof note;
      name_size = ((gsize) note.n_namesz + 3) & ~(gsize) 3;
      size = ((gsize) note.n_descsz + 3) & ~(gsize) 3;
      if (name_size > (gsize) (end - at) || size > (gsize) (end - at) - name_size)
        return;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU && memcmp (at, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0)
        {
          build->id = at + name_size;
          build->size = note.n_descsz;
        }
      at += name_size + size;
    }
}

/* The object that this very function is in. */
static int
visit_object (struct dl_phdr_info *info, size_t size, void *data)
{
  struct build *build = data;
  uintptr_t self = (uintptr_t) &bundle_identify_here;
  bool is_ours = false;

  for (ElfW (Half) i = 0; i < info->dlpi_phnum && !is_ours; i++)
    {
      const ElfW (Phdr) *header = &info->dlpi_phdr[i];
      uintptr_t begin = info->dlpi_addr + header->p_vaddr;

      is_ours = header->p_type == PT_LOAD && self >= begin && self - begin < header->p_memsz;
    }
  if (!is_ours)
    return 0;
  for (ElfW (Half) i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_NOTE)
      read_note (info, &info->dlpi_phdr[i], build);
  if (build->id == NULL && stat (info->dlpi_name != NULL && info->dlpi_name[0] != '\0' ? info->dlpi_name : "/proc/self/exe", &build->file) != 0)
    g_debug ("%s: %s", info->dlpi_name, g_strerror (errno));
  return 1;
}

void
bundle_identify_here (const uint8_t identity[GB_DIGEST_SIZE], const char *driver, const struct gabbro_adapter_info *adapter,
                      uint8_t key[GB_DIGEST_SIZE])
{
  struct build build = { .id = NULL };
  struct gb_digest digest;

  dl_iterate_phdr (visit_object, &build);
  gb_digest_init (&digest);
  gb_digest_append_string (&digest, "Gabbro cache");
  gb_digest_append_raw (&digest, identity, GB_DIGEST_SIZE);
  gb_digest_append_bytes (&digest, build.id, build.size);
  gb_digest_append_u64 (&digest, (uint64_t) build.file.st_ino);
  gb_digest_append_u64 (&digest, (uint64_t) build.file.st_size);
  gb_digest_append_u64 (&digest, (uint64_t) build.file.st_mtim.tv_sec);
  gb_digest_append_u64 (&digest, (uint64_t) build.file.st_mtim.tv_nsec);
  gb_digest_append_string (&digest, driver);
  gb_digest_append_string (&digest, adapter->name);
  gb_digest_append_string (&digest, adapter->driver_name);
  gb_digest_append_string (&digest, adapter->driver_info);
  gb_digest_append_u32 (&digest, adapter->vendor_id);
  gb_digest_append_u32 (&digest, adapter->device_id);
  gb_digest_append_u32 (&digest, adapter->api_version);
  gb_digest_append_bytes (&digest, adapter->device_uuid, sizeof adapter->device_uuid);
  gb_digest_append_bytes (&digest, adapter->driver_uuid, sizeof adapter->driver_uuid);
  gb_digest_finish (&digest, key);
}
