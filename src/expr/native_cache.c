/*
 * The cache of compiled programs on the disk (native.h).
 *
 * Entries are created by rename, completely or not at all; they are checked byte by byte before they are loaded, so that a damaged or
 * foreign one is never run. If two processes compile the same programs, both store the same entry.
 */
#include "base/context.h"
#include "base/file.h"
#include "expr/native.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
  ENTRY_LIMIT = 1 << 30, /* bytes; more than any program that a compiler could handle */
  BUILD_AGE = 3600,      /* seconds after which a build folder counts as abandoned */
  ENTRY_AGE = 90 * 86400 /* seconds without use after which an entry is removed */
};

/* The bytes after the shared object in a cache entry. */
struct seal {
  char magic[8];
  uint8_t key[CMB_DIGEST_SIZE], digest[CMB_DIGEST_SIZE];
};

static const char MAGIC[8] = "camber1";

char *cmb_join_path(cmb_arena *arena, const char *folder, const char *file)
{
  size_t room = strlen(folder) + 1 + strlen(file) + 1;
  char *path = cmb_arena_take(arena, room, 1);
  if (path) (void)snprintf(path, room, "%s/%s", folder, file);
  return path;
}

/* ---- the cache folder */

/* Returns the default path of the cache folder: $CAMBER_CACHE, else $XDG_CACHE_HOME/camber, else $HOME/.cache/camber, the last two only if
 * the variable is an absolute path; NULL if none is usable or out of memory. */
static const char *default_folder(cmb_arena *arena)
{
  const char *own = getenv("CAMBER_CACHE"), *user = getenv("XDG_CACHE_HOME"),
             *home = getenv("HOME");
  if (own && own[0]) return own;
  if (user && user[0] == '/') return cmb_join_path(arena, user, "camber");
  if (home && home[0] == '/') return cmb_join_path(arena, home, ".cache/camber");
  return NULL;
}

/* Creates the folder `path` and its parents if they are missing, accessible to the user alone (mode 0700). Errors are ignored. */
static void make_folders(char *path)
{
  for (char *c = path + 1; *c; c++) {
    if (*c != '/') continue;
    *c = '\0';
    mkdir(path, 0700);
    *c = '/';
  }
  mkdir(path, 0700);
}

/* Returns whether the file or folder with the attributes `there` belongs to the user and is writable neither by its group nor by others. */
static bool is_private(const struct stat *there)
{
  return there->st_uid == geteuid() && (there->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

const char *cmb_cache_open(cmb_arena *arena, const char *wanted)
{
  const char *folder = wanted && wanted[0] ? wanted : default_folder(arena);
  if (!folder) return NULL;
  char *path = folder[0] == '/' ? cmb_arena_text(arena, folder) : cmb_join_path(arena, ".", folder);
  if (!path) return NULL;
  make_folders(path);
  struct stat there;
  bool good = stat(path, &there) == 0 && S_ISDIR(there.st_mode) && is_private(&there);
  return good ? path : NULL;
}

/* ---- entries */

/* Computes digest, the SHA-256 digest of the key followed by bytes[length]. */
static void digest_of(const void *bytes, size_t length, const uint8_t key[CMB_DIGEST_SIZE],
                      uint8_t digest[CMB_DIGEST_SIZE])
{
  cmb_sha256 s = cmb_sha256_begin();
  cmb_sha256_add(&s, key, CMB_DIGEST_SIZE);
  cmb_sha256_add(&s, bytes, length);
  cmb_sha256_end(&s, digest);
}

static bool is_whole(const void *bytes, size_t length, const uint8_t key[CMB_DIGEST_SIZE])
{
  struct seal seal;
  uint8_t digest[CMB_DIGEST_SIZE];
  if (length <= sizeof seal) return false;
  length -= sizeof seal;
  memcpy(&seal, (const char *)bytes + length, sizeof seal);
  if (memcmp(seal.magic, MAGIC, sizeof MAGIC) != 0) return false;
  if (memcmp(seal.key, key, CMB_DIGEST_SIZE) != 0) return false;
  digest_of(bytes, length, key, digest);
  return memcmp(seal.digest, digest, sizeof digest) == 0;
}

bool cmb_cache_check(cmb_context *ctx, const char *path, const uint8_t key[CMB_DIGEST_SIZE])
{
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return false;
  struct stat there;
  void *bytes = NULL;
  size_t length = 0;
  bool good = fstat(file, &there) == 0 && S_ISREG(there.st_mode) && is_private(&there) &&
              cmb_read_all(ctx, file, ENTRY_LIMIT, &bytes, &length) && is_whole(bytes, length, key);
  cmb_release(ctx, bytes);
  if (good) (void)futimens(file, NULL); /* the time of change is the time of last use */
  close(file);
  return good;
}

bool cmb_cache_seal(cmb_context *ctx, const char *path, const uint8_t key[CMB_DIGEST_SIZE])
{
  int file = open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return false;
  void *bytes = NULL;
  size_t length = 0;
  bool good = cmb_read_all(ctx, file, ENTRY_LIMIT, &bytes, &length);
  if (good) {
    struct seal seal;
    memcpy(seal.magic, MAGIC, sizeof MAGIC);
    memcpy(seal.key, key, CMB_DIGEST_SIZE);
    digest_of(bytes, length, key, seal.digest);
    good = cmb_write_all(file, &seal, sizeof seal) && fchmod(file, 0600) == 0 && fsync(file) == 0;
  }
  cmb_release(ctx, bytes);
  return close(file) == 0 && good;
}

/* ---- cleaning up */

/* Removes the folder `path` and the files in it. Errors are ignored: a folder that contains folders stays. */
void cmb_cache_remove_folder(const char *path)
{
  DIR *folder = opendir(path);
  if (!folder) return;
  for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    (void)unlinkat(dirfd(folder), entry->d_name, 0);
  }
  closedir(folder);
  (void)rmdir(path);
}

static bool ends_with(const char *text, const char *ending)
{
  size_t length = strlen(text), more = strlen(ending);
  return length >= more && strcmp(text + length - more, ending) == 0;
}

static void clean_one(cmb_arena *arena, const char *cache, int folder, const char *name, time_t now)
{
  bool build = strncmp(name, CMB_CACHE_BUILD, strlen(CMB_CACHE_BUILD)) == 0;
  bool entry = strlen(name) == CMB_DIGEST_TEXT - 1 + 3 && ends_with(name, ".so");
  struct stat there;
  if ((!build && !entry) || fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW) != 0) return;
  double age = difftime(now, there.st_mtime);
  if (entry && S_ISREG(there.st_mode) && age > ENTRY_AGE) (void)unlinkat(folder, name, 0);
  if (build && S_ISDIR(there.st_mode) && age > BUILD_AGE) {
    const char *path = cmb_join_path(arena, cache, name);
    if (path) cmb_cache_remove_folder(path);
  }
}

void cmb_cache_clean(cmb_arena *arena, const char *cache)
{
  DIR *folder = opendir(cache);
  if (!folder) return;
  time_t now = time(NULL);
  for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
    clean_one(arena, cache, dirfd(folder), entry->d_name, now);
  closedir(folder);
}
