/*
 * The same in C++: names without their parameters' types are what the library has, functions of C++ can be given to it, and it runs.
 */
#include <camber/camber.h>
#include <cstdio>
#include <cstring>

namespace {

cmb_status count(void *user, const cmb_record *)
{
  ++*static_cast<int *>(user);
  return CMB_OK;
}

cmb_status simulate(cmb_context *ctx, const char *path)
{
  int records = 0;
  cmb_model *model = nullptr;
  cmb_system *system = nullptr;
  cmb_simulation *sim = nullptr;
  cmb_run_options options = cmb_run_defaults();
  options.t_end = 0.1;
  options.observer.user = &records;
  options.observer.record = count;
  cmb_status status = cmb_model_read(ctx, path, nullptr, &model);
  if (status == CMB_OK) status = cmb_model_system(ctx, model, nullptr, &system);
  if (status == CMB_OK) status = cmb_simulation_create(ctx, system, &options, &sim);
  if (status == CMB_OK) status = cmb_simulation_run(sim);
  if (status == CMB_OK) {
    const cmb_result *r = cmb_simulation_result(sim);
    std::printf("%s %.17g %.17g\n", cmb_version(), r->t, r->q[0]);
    if (records < 2) status = CMB_ERROR_EQUATIONS;
  }
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  return status;
}

// A pendulum by calls: one body, and a mistake that is said with its key.
bool make_by_calls(cmb_context *ctx)
{
  cmb_draft *draft = nullptr;
  cmb_model *model = nullptr;
  if (cmb_draft_create(ctx, "pendulum", &draft) != CMB_OK) return false;
  cmb_draft_point(draft, "A", 0, 0, 0);
  cmb_draft_point(draft, "B", 0, 0, -1);
  cmb_draft_rod(draft, "rod", 2, "A", "B");
  cmb_draft_joint(draft, "swing", "revolute", nullptr, "rod", "A", "y");
  bool good = cmb_draft_model(draft, nullptr, &model) == CMB_OK &&
              cmb_model_count(model, CMB_ITEM_BODY) == 1;
  cmb_model_destroy(model);
  cmb_draft_text(draft, "bodies/rod/mass", "-1");
  good = good && cmb_draft_model(draft, nullptr, &model) == CMB_ERROR_INPUT && !model &&
         std::strcmp(cmb_error_of(ctx)->key, "bodies/rod/mass") == 0;
  cmb_draft_destroy(draft);
  return good;
}

} // namespace

int main(int argc, char **argv)
{
  if (cmb_version_number() != CAMBER_VERSION_NUMBER || argc < 2) return 3;
  cmb_context *ctx = cmb_context_create(nullptr);
  if (!make_by_calls(ctx)) return 4;
  const cmb_status status = simulate(ctx, argv[1]);
  if (status != CMB_OK) std::fprintf(stderr, "%s\n", cmb_last_error(ctx));
  cmb_context_destroy(ctx);
  return status == CMB_OK ? 0 : 1;
}
