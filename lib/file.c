/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "lib/file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
fail (const char *path, int number, GError **error)
{
  char *shown = g_filename_display_name (path);

  g_set_error (error, G_FILE_ERROR, (int) g_file_error_from_errno (number), "%s: %s", shown, g_strerror (number));
  g_free (shown);
  return false;
}

/* 0 or the number of an error. */
static int
write_all (int fd, gconstpointer data, gsize size)
{
  const char *at = data;

  while (size > 0)
    {
      ssize_t n = write (fd, at, size);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return errno;
      at += n;
      size -= (gsize) n;
    }
  return 0;
}

/* 0 or the number of an error; the temporary file is closed and the target is as it was, unless all went well. */
static int
write_and_rename (int fd, const char *temporary, const char *target, gconstpointer data, gsize size, unsigned flags)
{
  int number = write_all (fd, data, size);
  struct stat status;

  if (number == 0 && (flags & GB_FILE_PRIVATE) == 0 && stat (target, &status) == 0 && fchmod (fd, status.st_mode & 0777) != 0)
    number = errno;
  /* Some file systems have nothing to bring to a disk. */
  if (number == 0 && (flags & GB_FILE_DURABLE) != 0 && fsync (fd) != 0 && errno != EINVAL && errno != EROFS)
    number = errno;
  if (close (fd) != 0 && number == 0)
    number = errno;
  if (number == 0 && g_rename (temporary, target) != 0)
    number = errno;
  return number;
}

/* A device or a FIFO is not replaced by a file of that name. */
static bool
check_target (const char *target, GError **error)
{
  struct stat status;
  char *shown;

  if (stat (target, &status) != 0 || S_ISREG (status.st_mode))
    return true;
  if (S_ISDIR (status.st_mode))
    return fail (target, EISDIR, error);
  shown = g_filename_display_name (target);
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, _("%s: is no regular file"), shown);
  g_free (shown);
  return false;
}

static bool
replace (const char *target, gconstpointer data, gsize size, unsigned flags, GError **error)
{
  char *folder = g_path_get_dirname (target);
  /* A short name of its own: the target's may be as long as the file system allows. */
  char *temporary = g_build_filename (folder, GB_FILE_TEMPORARY "XXXXXX", NULL);
  int fd = g_mkstemp_full (temporary, O_WRONLY | O_CLOEXEC, (flags & GB_FILE_PRIVATE) != 0 ? 0600 : 0666);
  int number = fd < 0 ? errno : write_and_rename (fd, temporary, target, data, size, flags);

  if (fd >= 0 && number != 0)
    g_unlink (temporary);
  if (number != 0)
    fail (target, number, error);
  g_free (temporary);
  g_free (folder);
  return number == 0;
}

bool
gb_file_replace (const char *path, gconstpointer data, gsize size, unsigned flags, GError **error)
{
  char *real = (flags & GB_FILE_ITSELF) == 0 ? realpath (path, NULL) : NULL;
  const char *target = real != NULL ? real : path;
  bool good = ((flags & GB_FILE_ITSELF) != 0 || check_target (target, error)) && replace (target, data, size, flags, error);

  free (real);
  return good;
}

static bool
read_all (int fd, const char *path, guint8 *data, gsize size, GError **error)
{
  gsize done = 0;

  while (done < size)
    {
      ssize_t n = read (fd, data + done, size - done);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return fail (path, errno, error);
      if (n == 0)
        {
          char *shown = g_filename_display_name (path);

          g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED, _("%s: became shorter while it was read"), shown);
          g_free (shown);
          return false;
        }
      done += (gsize) n;
    }
  return true;
}

static guint8 *
read_file (int fd, const char *path, guint64 limit, gsize *size, GError **error)
{
  struct stat status;
  guint8 *data = NULL;
  char *shown;

  if (fstat (fd, &status) != 0)
    {
      fail (path, errno, error);
      return NULL;
    }
  shown = g_filename_display_name (path);
  if (!S_ISREG (status.st_mode))
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, _("%s: is no regular file"), shown);
  else if ((guint64) status.st_size > limit)
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOMEM, _("%s: has %" PRIu64 " bytes, the limit is %" PRIu64), shown,
                 (uint64_t) status.st_size, (uint64_t) limit);
  else
    {
      *size = (gsize) status.st_size;
      data = g_try_malloc (*size + 1);
      if (data == NULL)
        fail (path, ENOMEM, error);
      else if (!read_all (fd, path, data, *size, error))
        g_clear_pointer (&data, g_free);
    }
  g_free (shown);
  return data;
}

static GBytes *
read_path (const char *path, int flags, guint64 limit, GError **error)
{
  int fd = g_open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags, 0);
  guint8 *data;
  gsize size;

  if (fd < 0)
    {
      fail (path, errno, error);
      return NULL;
    }
  data = read_file (fd, path, limit, &size, error);
  close (fd);
  return data != NULL ? g_bytes_new_take (data, size) : NULL;
}

GBytes *
gb_file_read (const char *path, guint64 limit, GError **error)
{
  return read_path (path, O_NOFOLLOW, limit, error);
}

GBytes *
gb_file_read_linked (const char *path, guint64 limit, GError **error)
{
  return read_path (path, 0, limit, error);
}
