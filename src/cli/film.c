/*
 * Makes pictures and films of an HTML page with Chromium and ffmpeg (film.h).
 */
#include "cli/film.h"

#include "base/file.h"
#include "base/output.h"
#include "cli/bytes.h"
#include "cli/other_program.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  RATE = 25, /* pictures per second */
  /* most pictures drawn by one start of the browser; each takes some 300 kB in the document that the browser prints */
  AT_ONCE = 25,
  MOST_PICTURES = 15000,
  MOST_BYTES = 1 << 30,
  TEXT_ROOM = 512
};

bool cli_film_wanted(const struct cli_arguments *a)
{
  return a->video || (a->out && cli_ends_in(a->out, ".png"));
}

/* ---- the temporary folder */

/* Checks that the output files of -o (a picture or page) and --video (a film) can be written, before time is spent on drawing. Returns
 * CLI_DONE or, after an error message, another exit code. */
static int check_places(cmb_context *ctx, const struct cli_arguments *a)
{
  const char *places[] = {a->out, a->video};
  for (int i = 0; i < 2; i++) {
    const cmb_status status = places[i] ? cmb_output_possible(ctx, places[i]) : CMB_OK;
    if (status != CMB_OK) return cli_fail(ctx, status);
  }
  return CLI_DONE;
}

int cli_film_begin(cmb_context *ctx, struct cli_film *f, const struct cli_arguments *a)
{
  *f = (struct cli_film){.folder = ""};
  const int code = check_places(ctx, a);
  if (code != CLI_DONE) return code;
  const char *parent = getenv("TMPDIR");
  if (!parent || !parent[0] || strlen(parent) > 200) parent = "/tmp";
  cli_catch_interrupt(); /* so that the folder is removed on Ctrl-C as well */
  snprintf(f->folder, sizeof f->folder, "%s/camber-XXXXXX", parent);
  if (!mkdtemp(f->folder)) {
    const int error = errno;
    f->folder[0] = '\0';
    return cli_complain(
        "cannot make a temporary folder in '%s': %s; expected a folder that can be written: /tmp, "
        "or that of the variable TMPDIR with at most 200 characters",
        parent, strerror(error));
  }
  snprintf(f->page, sizeof f->page, "%s/page.html", f->folder);
  return CLI_DONE;
}

int cli_film_link(const struct cli_film *f, const char *page)
{
  char whole[CLI_PATH_ROOM];
  if (cmb_whole_path(page, sizeof whole, whole) && symlink(whole, f->page) == 0) return CLI_DONE;
  return cli_complain("cannot make a link '%s': %s", f->page, strerror(errno));
}

bool cli_film_has_page(const struct cli_film *f)
{
  return f->page[0] && access(f->page, R_OK) == 0;
}

void cli_film_end(struct cli_film *f)
{
  if (f->folder[0]) cmb_remove_folder(f->folder);
}

/* ---- the browser */

/* Opens the HTML page f->page in Chromium without a window, and writes the resulting HTML document to the file descriptor `output`. `request`
 * is appended to the page's address and tells its script what to draw. Returns the exit code of Chromium, or CLI_NOT_INSTALLED if Chromium is
 * not found. */
static int browse(const struct cli_film *f, const char *request, int output)
{
  char address[TEXT_ROOM], profile[TEXT_ROOM];
  static char *const names[] = {"chromium", "chromium-browser", "google-chrome"};
  int code = CLI_NOT_INSTALLED;
  snprintf(address, sizeof address, "file://%s#camber-film=1&%s", f->page, request);
  snprintf(profile, sizeof profile, "--user-data-dir=%s/profile", f->folder);
  for (int i = 0; i < 3 && code == CLI_NOT_INSTALLED; i++) {
    char *const words[] = {
        names[i],
        "--headless",
        "--use-gl=angle",
        "--use-angle=swiftshader",
        "--enable-unsafe-swiftshader",
        "--ignore-gpu-blocklist",
        "--force-prefers-reduced-motion",
        "--no-first-run",
        profile,
        "--dump-dom",
        address,
        geteuid() == 0 ? "--no-sandbox" : NULL, /* Chromium refuses to run in its sandbox as root */
        NULL};
    code = cli_other_program(words, -1, output);
  }
  return code;
}

static int complain_interrupt(void)
{
  cli_complain("interrupted");
  return CLI_FAILED;
}

/* Opens the HTML page of f in Chromium, with `request` in its address, and stores the resulting HTML document in *text. The caller frees *text,
 * also after a failure. Returns CLI_DONE or, after an error message, another exit code. */
static int load_document(const struct cli_film *f, const char *request, char **text)
{
  FILE *printed = tmpfile();
  size_t length = 0;
  if (!printed) return cli_complain("no temporary file can be made: %s", strerror(errno));
  const int code = browse(f, request, fileno(printed));
  if (cli_interrupted()) {
    fclose(printed);
    return complain_interrupt();
  }
  const bool read = code == 0 && cli_bytes_read(printed, MOST_BYTES, text, &length);
  fclose(printed);
  if (code == CLI_NOT_INSTALLED) {
    return cli_complain(
        "pictures of the animation are drawn by Chromium, which cannot be started; is it installed "
        "(Debian: chromium)? A page (-o FILE.html) needs nothing");
  }
  return read ? CLI_DONE : cli_complain("Chromium could not open the page to draw it");
}

/* ---- pictures */

/* Returns the value (0 to 63) of a base64 digit; -1 for any other character. */
static int sextet(char c)
{
  static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *found = c ? strchr(all, c) : NULL;
  return found ? (int)(found - all) : -1;
}

/* Decodes one line of base64 text, up to its end or its padding '=', and writes the bytes to the file `to`. Returns false for an invalid
 * character or if writing fails. */
static bool decode(const char *from, FILE *to)
{
  uint32_t bits = 0;
  int count = 0;
  for (; *from && *from != '\n' && *from != '='; from++) {
    const int six = sextet(*from);
    if (six < 0) return false;
    bits = bits << 6 | (uint32_t)six;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    if (fputc((int)(bits >> count & 0xFF), to) == EOF) return false;
  }
  return true;
}

/* Searches a text from the position `at` on for a line that begins with `word` and a blank. Returns a pointer to the text after this blank;
 * NULL if there is no such line. */
static const char *line_after(const char *at, const char *word)
{
  const size_t length = strlen(word);
  for (; (at = strstr(at, word)); at += length) {
    if (at[-1] == '\n' && at[length] == ' ') return at + length + 1;
  }
  return NULL;
}

/* Lets Chromium draw the pictures that `request` describes, and appends them as PNG data to the file `to`. Sets *count to their number, and
 * *total to the number of pictures of the whole film (0 if unknown). Returns CLI_DONE or, after an error message, another exit code. */
static int take_pictures(const struct cli_film *f, const char *request, FILE *to, long *count,
                         long *total)
{
  char *text = NULL;
  int code = load_document(f, request, &text);
  if (text) {
    const char *failure = line_after(text, "camber-failure");
    const char *all = line_after(text, "camber-total"), *at = text;
    *total = all ? strtol(all, NULL, 10) : 0;
    for (*count = 0; (at = line_after(at, "camber-picture")); ++*count) {
      if (!decode(at, to)) code = cli_complain("Chromium has not drawn the page as a picture");
    }
    if (failure)
      code = cli_complain("%.*s", (int)strcspn(failure, "\n"), failure);
    else if (*count == 0)
      code = cli_complain("Chromium has not drawn the page");
  }
  free(text);
  return code;
}

/* Saves the content of the open temporary file `from` as the file `path`. Returns CLI_DONE or, after an error message, another exit code. */
static int save(cmb_context *ctx, FILE *from, const char *path)
{
  char *bytes = NULL;
  size_t length = 0;
  if (fflush(from) != 0 || !cli_bytes_read(from, MOST_BYTES, &bytes, &length)) {
    return cli_complain("cannot write '%s': %s", path, strerror(errno));
  }
  const cmb_status status = cmb_file_save(ctx, path, bytes, length);
  free(bytes);
  return status == CMB_OK ? CLI_DONE : cli_fail(ctx, status);
}

/* Draws one picture of the animation, at the time of --at (default: the start), and saves it as the PNG file of the option -o. Returns CLI_DONE
 * or, after an error message, another exit code. */
static int make_still(cmb_context *ctx, const struct cli_film *f, const struct cli_arguments *a)
{
  char request[TEXT_ROOM], at[64] = "start";
  long count = 0, total = 0;
  if (!isnan(a->at)) snprintf(at, sizeof at, "%.17g", a->at);
  snprintf(request, sizeof request, "width=%d&height=%d&at=%s", a->width, a->height, at);
  FILE *picture = tmpfile();
  if (!picture) return cli_complain("no temporary file can be made: %s", strerror(errno));
  int code = take_pictures(f, request, picture, &count, &total);
  if (code == CLI_DONE) code = save(ctx, picture, a->out);
  fclose(picture);
  return code;
}

/* ---- films */

/* Draws all pictures of the film with Chromium, a few at a time, and appends them as PNG data to the file `pictures`; shows the progress on the
 * terminal. Returns CLI_DONE or, after an error message, another exit code. */
static int draw_all(const struct cli_film *f, const struct cli_arguments *a, FILE *pictures)
{
  struct cli_progress progress;
  long drawn = 0, total = 1, count = 0;
  int code = CLI_DONE;
  cli_progress_begin(&progress, a->quiet);
  while (drawn < total && code == CLI_DONE) {
    char request[TEXT_ROOM];
    snprintf(request, sizeof request, "width=%d&height=%d&first=%ld&count=%d&rate=%d&speed=%.17g",
             a->width, a->height, drawn, drawn == 0 ? 1 : AT_ONCE, RATE,
             isnan(a->speed) ? 0 : a->speed);
    code = take_pictures(f, request, pictures, &count, &total);
    drawn += count;
    if (code == CLI_DONE && total > MOST_PICTURES) {
      code = cli_complain("the film would have %ld pictures, but at most %d are possible; a larger "
                          "--speed makes it shorter",
                          total, MOST_PICTURES);
    }
    cli_progress_show(&progress, (double)drawn / (double)total, (double)drawn / RATE);
  }
  cli_progress_end(&progress);
  return code;
}

/* Encodes the PNG images in the file `pictures` as a film with ffmpeg: as GIF if `path` ends in .gif, else as MP4. The film is written to a
 * temporary file, whose name is returned in `made`; the caller copies it to `path`. Returns CLI_DONE or, after an error message, another exit
 * code. */
static int encode(const struct cli_film *f, const char *path, FILE *pictures, char made[TEXT_ROOM])
{
  const bool gif = cli_ends_in(path, ".gif");
  snprintf(made, TEXT_ROOM, "%s/film.%s", f->folder, gif ? "gif" : "mp4");
  char *const words[] = {"ffmpeg",
                         "-loglevel",
                         "error",
                         "-y",
                         "-f",
                         "image2pipe",
                         "-c:v",
                         "png",
                         "-framerate",
                         "25",
                         "-i",
                         "-",
                         "-vf",
                         gif ? "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse"
                             : "crop=trunc(iw/2)*2:trunc(ih/2)*2",
                         "-pix_fmt",
                         gif ? "pal8" : "yuv420p",
                         "-map_metadata",
                         "-1",
                         made,
                         NULL};
  if (fflush(pictures) != 0 || lseek(fileno(pictures), 0, SEEK_SET) != 0) {
    return cli_complain("cannot write '%s': %s", path, strerror(errno));
  }
  const int code = cli_other_program(words, fileno(pictures), -1);
  if (cli_interrupted()) return complain_interrupt();
  return code == 0 ? CLI_DONE : cli_complain("cannot write '%s': ffmpeg has failed", path);
}

static int complain_ffmpeg(void)
{
  return cli_complain(
      "films are made by ffmpeg, which cannot be started; is it installed (Debian: ffmpeg)?");
}

/* Draws the pictures of a film, encodes them with ffmpeg and saves the film as the file of --video. Returns CLI_DONE or, after an error
 * message, another exit code. */
static int make_film(cmb_context *ctx, const struct cli_film *f, const struct cli_arguments *a)
{
  static char *const ask[] = {
      "ffmpeg", "-version",
      NULL}; /* checked before the pictures are drawn, since drawing takes long */
  char made[TEXT_ROOM];
  if (cli_other_program(ask, -1, -1) == CLI_NOT_INSTALLED) return complain_ffmpeg();
  FILE *pictures = tmpfile();
  if (!pictures) return cli_complain("no temporary file can be made: %s", strerror(errno));
  int code = draw_all(f, a, pictures);
  if (code == CLI_DONE) code = encode(f, a->video, pictures, made);
  fclose(pictures);
  FILE *whole = code == CLI_DONE ? fopen(made, "rb") : NULL;
  if (whole)
    code = save(ctx, whole, a->video);
  else if (code == CLI_DONE)
    code = cli_complain("cannot write '%s': ffmpeg has failed", a->video);
  if (whole) fclose(whole);
  return code;
}

int cli_film_make(cmb_context *ctx, const struct cli_film *f, const struct cli_arguments *a)
{
  const bool picture = a->out && cli_ends_in(a->out, ".png");
  int code = picture ? make_still(ctx, f, a) : CLI_DONE;
  if (code == CLI_DONE && a->video) code = make_film(ctx, f, a);
  return code;
}
