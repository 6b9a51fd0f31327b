/*
 * MJCF text as a file in memory, which is what MuJoCo reads models from.
 */
#ifdef BENCH_MUJOCO

#include "support/mujoco_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

mjModel *bench_mujoco_load(const char *text)
{
  static const char name[] = "model.xml";
  char error[500] = "";
  mjVFS *files = malloc(sizeof *files);
  if (!files) return NULL;
  mj_defaultVFS(files);
  mjModel *m = NULL;
  if (mj_makeEmptyFileVFS(files, name, (int)strlen(text)) == 0) {
    memcpy(files->filedata[mj_findFileVFS(files, name)], text, strlen(text));
    m = mj_loadXML(name, files, error, sizeof error);
    if (!m) fprintf(stderr, "MuJoCo: %s\n", error);
  }
  mj_deleteVFS(files);
  free(files);
  return m;
}

#else

typedef int bench_without_mujoco; /* a file must not be empty */

#endif
