/*
 * Runs the C compiler for native code (native.h): named by an option or by $CC, otherwise cc, looked up in $PATH and started without a
 * shell, one process per unit, several at a time.
 *
 * The options prevent the contraction of a * b + c and everything else that would change the interpreter's bits; sqrt does not set errno.
 * -O1 takes two thirds of the time of -O2, and the code is as fast; lanes also need vectorised loops, for sqrt. Scalar statements must not
 * be vectorised: gcc 12 then makes multiply-add instructions in spite of -ffp-contract=off. With this excluded the processor's own vector
 * instructions (-march=native) are safe; they make lanes two to four times as fast.
 *
 * The compiler's environment contains only what compilers need to find their parts. In the cache, the compiler is identified by its path
 * and options, and by the inode, size and time of change of its file, so that a cache hit runs no process at all.
 */
#include "base/context.h"
#include "base/file.h"
#include "base/process.h"
#include "expr/native.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Each change of these options changes the keys of all cache entries. */
static const char COMMON[] = "-w -fPIC -fvisibility=hidden -ffp-contract=off -fno-math-errno -c";
static const char SCALAR[] = "-O1 -fno-tree-slp-vectorize";
static const char LANES[] = "-O1 -ftree-vectorize -fno-tree-slp-vectorize";
static const char LINK[] = "-shared";
static const char THIS_PROCESSOR[] = "-march=native";

enum { PROCESSES = 64, COMMAND_WORDS = 64, INFO_ROOM = 1 << 14, LOG_LIMIT = 1 << 20 };

__attribute__((format(printf, 2, 3))) static bool fail_with_reason(cmb_native_compiler *c,
                                                                   const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(c->reason, sizeof c->reason, format, arguments);
  va_end(arguments);
  return false;
}

/* ---- which compiler, on which processor */

/* Splits `text` at white space, in place, into at most `room` words, stores them in words[room] and returns their number; if there are
 * more, the last one keeps the rest of the text. */
static int split(char *text, int room, char **words)
{
  int count = 0;
  for (char *c = text; *c && count < room;) {
    while (isspace((unsigned char)*c)) *c++ = '\0';
    if (*c) words[count++] = c;
    while (*c && !isspace((unsigned char)*c)) c++;
  }
  return count;
}

static bool is_program(const char *path)
{
  struct stat there;
  return stat(path, &there) == 0 && S_ISREG(there.st_mode) && access(path, X_OK) == 0;
}

/* Returns the path of an executable program: `name` itself if it contains a slash, otherwise in the first absolute folder of $PATH that has
 * it. NULL if there is none or out of memory. */
static char *find_program(cmb_arena *arena, char *name)
{
  if (strchr(name, '/')) return is_program(name) ? name : NULL;
  const char *folders = getenv("PATH");
  char *path = cmb_arena_text(arena, folders ? folders : "/usr/local/bin:/usr/bin:/bin");
  while (path) {
    char *end = strchr(path, ':');
    if (end) *end = '\0';
    char *file = path[0] == '/' ? cmb_join_path(arena, path, name) : NULL;
    if (file && is_program(file)) return file;
    path = end ? end + 1 : NULL;
  }
  return NULL;
}

static bool add_program_to_identity(cmb_native_compiler *c)
{
  char facts[128];
  struct stat there;
  if (stat(c->word[0], &there) != 0) return false;
  (void)snprintf(facts, sizeof facts, "file %llu, %lld bytes, changed %lld.%09ld",
                 (unsigned long long)there.st_ino, (long long)there.st_size,
                 (long long)there.st_mtim.tv_sec, there.st_mtim.tv_nsec);
  for (int i = 0; i < c->words; i++) cmb_sha256_add_text(&c->identity, c->word[i]);
  cmb_sha256_add_text(&c->identity, facts);
  return true;
}

/* Adds the processor's model name and instruction set, two lines of the first paragraph of /proc/cpuinfo, to the digest c->identity. Returns
 * whether both were found. */
static bool add_processor_to_identity(cmb_native_compiler *c)
{
  char info[INFO_ROOM];
  int file = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
  ssize_t length = file >= 0 ? read(file, info, sizeof info - 1) : -1;
  if (file >= 0) close(file);
  info[length > 0 ? length : 0] = '\0';
  int found = 0;
  for (char *line = info; *line && *line != '\n';) {
    char *end = strchr(line, '\n');
    if (!end) break;
    *end = '\0';
    bool wanted = strncmp(line, "model name", 10) == 0 || strncmp(line, "flags", 5) == 0;
    if (wanted) cmb_sha256_add_text(&c->identity, line);
    found += wanted;
    line = end + 1;
  }
  return found == 2;
}

static void set_processor(cmb_native_compiler *c)
{
  struct utsname system;
  if (uname(&system) != 0) memset(&system, 0, sizeof system);
  cmb_sha256_add_text(&c->identity, system.sysname);
  cmb_sha256_add_text(&c->identity, system.machine);
#ifdef __x86_64__
  c->for_this_processor = add_processor_to_identity(c);
#else
  c->for_this_processor = false;
  (void)add_processor_to_identity;
#endif
}

bool cmb_native_find_compiler(cmb_native_compiler *c, const cmb_native_options *options)
{
  const char *wanted = options->compiler, *from_environment = getenv("CC");
  if (!wanted || !wanted[0]) wanted = from_environment;
  char *text = cmb_arena_text(c->arena, wanted && wanted[0] ? wanted : "cc");
  if (!text) return fail_with_reason(c, "out of memory");
  c->words = split(text, CMB_NATIVE_WORDS, c->word);
  if (c->words == 0) return fail_with_reason(c, "the name of the C compiler is empty");
  char *path = find_program(c->arena, c->word[0]);
  if (!path)
    return fail_with_reason(c, "the C compiler '%s' was found neither at this path nor in PATH",
                            c->word[0]);
  c->word[0] = path;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  c->processes = options->processes > 0 ? options->processes : cores > 0 ? (int)cores : 1;
  if (c->processes > PROCESSES) c->processes = PROCESSES;
  c->identity = cmb_sha256_begin();
  if (!add_program_to_identity(c))
    return fail_with_reason(c, "cannot read the attributes of '%s'", path);
  set_processor(c);
  return true;
}

void cmb_native_key(const cmb_native_compiler *c, const cmb_native_text *text,
                    uint8_t key[CMB_DIGEST_SIZE])
{
  cmb_sha256 s = c->identity;
  cmb_sha256_add_text(&s, COMMON);
  cmb_sha256_add_text(&s, SCALAR);
  cmb_sha256_add_text(&s, LANES);
  cmb_sha256_add_text(&s, LINK);
  cmb_sha256_add_text(&s, c->for_this_processor ? THIS_PROCESSOR : "");
  for (int u = 0; u < text->count; u++) cmb_sha256_add_text(&s, text->units[u].text.text);
  cmb_sha256_end(&s, key);
}

/* ---- running the compiler */

/* A command under construction; excess words are dropped, which `start` reports. */
struct command {
  cmb_arena *arena;
  int count, room;
  char **word;
};

static bool begin_command(struct command *m, const cmb_native_compiler *c, int room)
{
  *m = (struct command){.arena = c->arena, .room = room};
  m->word = cmb_arena_take(c->arena, (size_t)room, sizeof *m->word);
  for (int i = 0; m->word && i < c->words; i++) m->word[m->count++] = c->word[i];
  return m->word != NULL;
}

static void add_word(struct command *m, char *word)
{
  if (m->count < m->room - 1) m->word[m->count++] = word;
}

static void add_words(struct command *m, const char *words)
{
  char *copy = cmb_arena_text(m->arena, words);
  if (copy) m->count += split(copy, m->room - 1 - m->count, m->word + m->count);
}

/* Appends the environment variable NAME=value to the words of the command m; appends nothing if value is NULL or memory runs out. */
static void add_variable(struct command *m, const char *name, const char *value)
{
  if (!value) return;
  size_t room = strlen(name) + 1 + strlen(value) + 1;
  char *word = cmb_arena_take(m->arena, room, 1);
  if (!word) return;
  (void)snprintf(word, room, "%s=%s", name, value);
  add_word(m, word);
}

/* Creates in m the environment variables of the compiler's process: the few that it needs, and TMPDIR = folder, so that its temporary files are
 * removed with that folder. Returns false if out of memory. */
static bool make_environment(struct command *m, cmb_native_compiler *c, const char *folder)
{
  *m = (struct command){.arena = c->arena, .room = 8};
  m->word = cmb_arena_take(c->arena, (size_t)m->room, sizeof *m->word);
  if (!m->word) return false;
  const char *path = getenv("PATH");
  add_variable(m, "PATH", path ? path : "/usr/local/bin:/usr/bin:/bin");
  add_variable(m, "HOME", getenv("HOME"));
  add_variable(m, "LD_LIBRARY_PATH", getenv("LD_LIBRARY_PATH"));
  add_variable(m, "TMPDIR", folder);
  add_variable(m, "LC_ALL", "C");
  return !cmb_arena_failed(c->arena);
}

static char *unit_path(cmb_arena *arena, const char *folder, int u, const char *ending)
{
  char name[32];
  (void)snprintf(name, sizeof name, "unit%d%s", u, ending);
  return cmb_join_path(arena, folder, name);
}

/* Sets c->reason to a message with the compiler's exit code and a line of the file `log`: the first one that contains "error", else the first
 * line. Always returns false. */
static bool compiler_failed(cmb_native_compiler *c, int code, const char *log)
{
  void *bytes = NULL;
  size_t length = 0;
  int file = open(log, O_RDONLY | O_CLOEXEC);
  bool read = file >= 0 && cmb_read_all(c->ctx, file, LOG_LIMIT, &bytes, &length);
  if (file >= 0) close(file);
  char *text = read && length > 0 ? bytes : NULL; /* cmb_read_all appends a 0 */
  char *error = text ? strstr(text, "error") : NULL;
  while (error && error > text && error[-1] != '\n') error--;
  const char *line = error ? error : text ? text : "";
  (void)fail_with_reason(c, "'%s' failed with exit code %d%s%.*s", c->word[0], code,
                         line[0] ? ": " : "", (int)strcspn(line, "\n"), line);
  cmb_release(c->ctx, bytes);
  return false;
}

/* A running compiler process. */
struct job {
  pid_t process;
  const char *log, *result;
};

static bool start(cmb_native_compiler *c, const struct command *command,
                  const struct command *environment, struct job *job)
{
  if (cmb_arena_failed(c->arena)) return fail_with_reason(c, "out of memory");
  if (command->count >= command->room - 1) return fail_with_reason(c, "the command is too long");
  int error = cmb_process_start(command->word, environment->word, job->log, &job->process);
  return error == 0 ||
         fail_with_reason(c, "'%s' cannot be run: %s", command->word[0], strerror(error));
}

static bool finish(cmb_native_compiler *c, const struct job *job)
{
  if (!job->log || !job->result) return fail_with_reason(c, "out of memory");
  int code = cmb_process_wait(job->process);
  if (code == 0 || (code == CMB_EXIT_UNKNOWN && access(job->result, R_OK) == 0)) return true;
  return compiler_failed(c, code, job->log);
}

static bool start_unit(cmb_native_compiler *c, const cmb_native_unit *unit, int u,
                       const char *folder, const struct command *environment, struct job *job)
{
  char *source = unit_path(c->arena, folder, u, ".c");
  struct command m;
  job->log = unit_path(c->arena, folder, u, ".log");
  job->result = unit_path(c->arena, folder, u, ".o");
  if (!begin_command(&m, c, COMMAND_WORDS) || cmb_arena_failed(c->arena)) {
    return fail_with_reason(c, "out of memory");
  }
  int file = open(source, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  bool written = file >= 0 && cmb_write_all(file, unit->text.text, unit->text.length);
  if (!written || close(file) != 0) {
    return fail_with_reason(c, "cannot write '%s': %s", source, strerror(errno));
  }
  add_words(&m, unit->number == CMB_C_LANES ? LANES : SCALAR);
  if (c->for_this_processor) add_words(&m, THIS_PROCESSOR);
  add_words(&m, COMMON);
  add_word(&m, source);
  add_words(&m, "-o");
  add_word(&m, (char *)job->result);
  return start(c, &m, environment, job);
}

/* Compiles all C files (units) of `text` in `folder`, at most c->processes at a time. After a failure starts no more, waits for the running
 * processes and returns false. */
static bool compile(cmb_native_compiler *c, const cmb_native_text *text, const char *folder,
                    const struct command *environment)
{
  struct job jobs[PROCESSES] = {{0}};
  int started = 0, finished = 0;
  bool good = true;
  while (finished < (good ? text->count : started)) {
    if (good && started < text->count && started - finished < c->processes) {
      good = start_unit(c, &text->units[started], started, folder, environment,
                        &jobs[started % c->processes]);
      started += good;
    } else {
      const struct job *job = &jobs[finished++ % c->processes];
      if (good) {
        good = finish(c, job);
      } else {
        (void)cmb_process_wait(job->process);
      }
    }
  }
  return good;
}

static bool link_units(cmb_native_compiler *c, int units, const char *folder,
                       const struct command *environment)
{
  struct command m;
  struct job job = {.log = cmb_join_path(c->arena, folder, "native.log"),
                    .result = cmb_join_path(c->arena, folder, "native.so")};
  if (!begin_command(&m, c, COMMAND_WORDS + units)) return fail_with_reason(c, "out of memory");
  add_words(&m, LINK);
  add_words(&m, "-o");
  add_word(&m, (char *)job.result);
  for (int u = 0; u < units; u++) add_word(&m, unit_path(c->arena, folder, u, ".o"));
  add_words(&m, "-lm");
  return start(c, &m, environment, &job) && finish(c, &job);
}

bool cmb_native_build(cmb_native_compiler *c, const cmb_native_text *text, const char *folder)
{
  struct command environment;
  if (!make_environment(&environment, c, folder)) return fail_with_reason(c, "out of memory");
  return compile(c, text, folder, &environment) && link_units(c, text->count, folder, &environment);
}
