/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tools/files.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/report.h"

static bool
fail_errno (GError **error, const char *filename, int number)
{
  g_autofree char *name = g_filename_display_name (filename);
  return tool_fail (error, "%s: %s", name, g_strerror (number));
}

static const char *
kind_of_file (mode_t mode)
{
  if (S_ISDIR (mode))
    return _("is a folder");
  if (S_ISCHR (mode) || S_ISBLK (mode))
    return _("is a device");
  if (S_ISFIFO (mode))
    return _("is a pipe");
  if (S_ISSOCK (mode))
    return _("is a socket");
  return S_ISREG (mode) ? _("is a regular file") : _("is no regular file");
}

bool
tool_check_folder (const char *filename, GError **error)
{
  struct stat status;

  if (filename[0] == '\0')
    return tool_usage (error, _("the name of a folder is empty"));
  if (stat (filename, &status) != 0)
    return fail_errno (error, filename, errno);
  if (!S_ISDIR (status.st_mode))
    {
      g_autofree char *name = g_filename_display_name (filename);
      return tool_fail (error, _("%s: %s; a folder is needed"), name, kind_of_file (status.st_mode));
    }
  return access (filename, X_OK) == 0 || fail_errno (error, filename, errno);
}

int
tool_open_input (const char *filename, guint64 limit, guint64 *size, GError **error)
{
  struct stat status;

  if (filename[0] == '\0')
    {
      tool_usage (error, _("the name of a file is empty"));
      return -1;
    }
  int fd = open (filename, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0)
    {
      fail_errno (error, filename, errno);
      return -1;
    }
  if (fstat (fd, &status) != 0)
    fail_errno (error, filename, errno);
  else if (!S_ISREG (status.st_mode))
    {
      g_autofree char *name = g_filename_display_name (filename);
      tool_fail (error, _("%s: %s; a regular file is needed"), name, kind_of_file (status.st_mode));
    }
  else if (status.st_size < 0 || (guint64) status.st_size > limit)
    {
      g_autofree char *name = g_filename_display_name (filename);
      tool_fail (error,
                 _("%s: has %" PRIu64 " bytes, %" PRIu64 " are allowed"),
                 name, (guint64) status.st_size, limit);
    }
  else
    {
      *size = (guint64) status.st_size;
      return fd;
    }
  close (fd);
  return -1;
}

gssize
tool_read_some (int fd, const char *filename, gpointer data, gsize size, GError **error)
{
  gsize filled = 0;
  while (filled < size)
    {
      ssize_t n_read = read (fd, (char *) data + filled, size - filled);
      if (n_read < 0 && errno == EINTR)
        continue;
      if (n_read < 0)
        {
          fail_errno (error, filename, errno);
          return -1;
        }
      if (n_read == 0)
        break;
      filled += (gsize) n_read;
    }
  return (gssize) filled;
}

GBytes *
tool_read_file (const char *filename, guint64 limit, GError **error)
{
  guint64 size;
  int fd = tool_open_input (filename, MIN (limit, G_MAXSSIZE - 2), &size, error);
  if (fd < 0)
    return NULL;
  /* One byte more than there should be, to see a file that grows meanwhile. */
  char *data = g_try_malloc ((gsize) size + 2);
  gssize n_read = -1;
  if (data == NULL)
    fail_errno (error, filename, ENOMEM);
  else
    n_read = tool_read_some (fd, filename, data, (gsize) size + 1, error);
  close (fd);
  if (n_read > (gssize) size)
    {
      g_autofree char *name = g_filename_display_name (filename);
      tool_fail (error, _("%s: changed while it was read"), name);
      n_read = -1;
    }
  if (n_read < 0)
    {
      g_free (data);
      return NULL;
    }
  data[n_read] = '\0';
  return g_bytes_new_take (data, (gsize) n_read);
}

/* Where a name leads: the file behind a symbolic link is replaced, not the link. */
static char *
resolve (const char *filename)
{
  g_autofree char *copy = NULL;
  char *real = realpath (filename, NULL);
  if (real == NULL)
    return g_strdup (filename);
  copy = g_strdup (real);
  free (real);
  return g_steal_pointer (&copy);
}

bool
tool_check_output (const char *filename, GError **error)
{
  struct stat status;

  if (filename[0] == '\0')
    return tool_usage (error, _("the name of a file is empty"));
  if (stat (filename, &status) == 0)
    {
      if (!S_ISREG (status.st_mode))
        {
          g_autofree char *name = g_filename_display_name (filename);
          return tool_fail (error, _("%s: %s; only regular files are written"), name,
                            kind_of_file (status.st_mode));
        }
    }
  else if (errno != ENOENT)
    return fail_errno (error, filename, errno);
  else if (g_str_has_suffix (filename, "/"))
    return fail_errno (error, filename, EISDIR);

  g_autofree char *target = resolve (filename);
  g_autofree char *folder = g_path_get_dirname (target);
  if (access (folder, W_OK | X_OK) != 0)
    return fail_errno (error, filename, errno);
  return true;
}

struct tool_writer
{
  char *target;
  char *temporary;
  int fd;                       /* -1 when closed */
};

struct tool_writer *
tool_writer_new (const char *filename, GError **error)
{
  struct stat status;

  if (!tool_check_output (filename, error))
    return NULL;
  struct tool_writer *writer = g_new0 (struct tool_writer, 1);
  writer->target = resolve (filename);
  /* A short name of its own: the target's may be as long as the file system allows. */
  g_autofree char *folder = g_path_get_dirname (writer->target);
  g_autofree char *unique = g_strnfill (6, 'X');
  g_autofree char *name = g_strconcat (".gabbro-", unique, NULL);
  writer->temporary = g_build_filename (folder, name, NULL);
  writer->fd = g_mkstemp_full (writer->temporary, O_WRONLY | O_CLOEXEC, 0600);
  if (writer->fd < 0)
    {
      fail_errno (error, filename, errno);
      g_clear_pointer (&writer->temporary, g_free);
      tool_writer_give_up (writer);
      return NULL;
    }
  mode_t mode;
  if (stat (writer->target, &status) == 0)
    mode = status.st_mode & 0777;
  else
    {
      mode_t mask = umask (0);
      umask (mask);
      mode = 0666 & ~mask;
    }
  /* Failing to widen it leaves a file that is too private, which is no loss. */
  if (fchmod (writer->fd, mode) != 0)
    g_debug ("%s: %s", writer->temporary, g_strerror (errno));
  return writer;
}

static int
write_all (int fd, gconstpointer data, gsize size)
{
  const char *at = data;
  while (size > 0)
    {
      ssize_t n_written = write (fd, at, size);
      if (n_written < 0 && errno == EINTR)
        continue;
      if (n_written < 0)
        return errno;
      at += n_written;
      size -= (gsize) n_written;
    }
  return 0;
}

bool
tool_writer_write (struct tool_writer *writer, gconstpointer data, gsize size, GError **error)
{
  int number = write_all (writer->fd, data, size);
  return number == 0 || fail_errno (error, writer->target, number);
}

bool
tool_writer_finish (struct tool_writer *writer, GError **error)
{
  int fd = writer->fd;
  if (fd < 0)
    return true;
  writer->fd = -1;
  int number = fsync (fd) != 0 && errno != EINVAL && errno != EROFS ? errno : 0;
  if (close (fd) != 0 && number == 0)
    number = errno;
  return number == 0 || fail_errno (error, writer->target, number);
}

bool
tool_writer_commit (struct tool_writer *writer, GError **error)
{
  bool good = tool_writer_finish (writer, error);
  if (good && g_rename (writer->temporary, writer->target) != 0)
    good = fail_errno (error, writer->target, errno);
  if (good)
    g_clear_pointer (&writer->temporary, g_free);
  tool_writer_give_up (writer);
  return good;
}

void
tool_writer_give_up (struct tool_writer *writer)
{
  if (writer == NULL)
    return;
  if (writer->fd >= 0)
    close (writer->fd);
  if (writer->temporary != NULL)
    g_unlink (writer->temporary);
  g_free (writer->temporary);
  g_free (writer->target);
  g_free (writer);
}

bool
tool_write_file (const char *filename, gconstpointer data, gsize size, GError **error)
{
  struct tool_writer *writer = tool_writer_new (filename, error);
  if (writer == NULL)
    return false;
  if (!tool_writer_write (writer, data, size, error))
    {
      tool_writer_give_up (writer);
      return false;
    }
  return tool_writer_commit (writer, error);
}

bool
tool_write_stdout (gconstpointer data, gsize size, GError **error)
{
  int number = fflush (stdout) != 0 ? errno : write_all (STDOUT_FILENO, data, size);
  if (number != 0)
    return tool_fail (error, _("cannot write to standard output: %s"), g_strerror (number));
  return true;
}
