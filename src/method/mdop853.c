/*
 * The method `mdop853` of the integrator: the explicit Runge–Kutta method of Dormand and Prince of order 8(5,3) with the projection of
 * mdop5; dense output of order 7.
 *
 * The error estimate uses two embedded formulas (Hairer, Nørsett, Wanner): with E5 and E3 the mean squares of their two scaled estimates,
 * err = E5 / sqrt(E5 + 0.01 E3); positions and velocities are tested separately. The dense output
 *
 *     y(θ) = r_0 + θ(r_1 + θ̄(r_2 + θ(r_3 + θ̄(r_4 + θ(r_5 + θ̄(r_6 + θ r_7)))))),   θ̄ = 1 − θ
 *
 * needs three further slopes, which are computed only on request. Where stability limits the steps its error would be hundreds of
 * tolerances and more: there it is the polynomial through values and slopes at thirds of the step, which are computed by steps of that
 * size.
 */
#include "method/mdop.h"

#include <math.h>
#include <string.h>

/* clang-format off */
static const double c[12]={
  0, 0.526001519587677318785587544488e-1, 0.789002279381515978178381316732e-1,
  0.118350341907227396726757197510, 0.281649658092772603273242802490,
  0.333333333333333333333333333333, 0.25, 0.307692307692307692307692307692,
  0.651282051282051282051282051282, 0.6, 0.857142857142857142857142857142, 1};
static const double a[12][12]={
  {[0]=5.26001519587677318785587544488e-2},
  {[0]=1.97250569845378994544595329183e-2, [1]=5.91751709536136983633785987549e-2},
  {[0]=2.95875854768068491816892993775e-2, [2]=8.87627564304205475450678981324e-2},
  {[0]=2.41365134159266685502369798665e-1, [2]=-8.84549479328286085344864962717e-1, [3]=9.24834003261792003115737966543e-1},
  {[0]=3.7037037037037037037037037037e-2, [3]=1.70828608729473871279604482173e-1, [4]=1.25467687566822425016691814123e-1},
  {[0]=3.7109375e-2, [3]=1.70252211019544039314978060272e-1, [4]=6.02165389804559606850219397283e-2, [5]=-1.7578125e-2},
  {[0]=3.70920001185047927108779319836e-2, [3]=1.70383925712239993810214054705e-1, [4]=1.07262030446373284651809199168e-1, [5]=-1.53194377486244017527936158236e-2, [6]=8.27378916381402288758473766002e-3},
  {[0]=6.24110958716075717114429577812e-1, [3]=-3.36089262944694129406857109825, [4]=-8.68219346841726006818189891453e-1, [5]=2.75920996994467083049415600797e1, [6]=2.01540675504778934086186788979e1, [7]=-4.34898841810699588477366255144e1},
  {[0]=4.77662536438264365890433908527e-1, [3]=-2.48811461997166764192642586468, [4]=-5.90290826836842996371446475743e-1, [5]=2.12300514481811942347288949897e1, [6]=1.52792336328824235832596922938e1, [7]=-3.32882109689848629194453265587e1, [8]=-2.03312017085086261358222928593e-2},
  {[0]=-9.3714243008598732571704021658e-1, [3]=5.18637242884406370830023853209, [4]=1.09143734899672957818500254654, [5]=-8.14978701074692612513997267357, [6]=-1.85200656599969598641566180701e1, [7]=2.27394870993505042818970056734e1, [8]=2.49360555267965238987089396762, [9]=-3.0467644718982195003823669022},
  {[0]=2.27331014751653820792359768449, [3]=-1.05344954667372501984066689879e1, [4]=-2.00087205822486249909675718444, [5]=-1.79589318631187989172765950534e1, [6]=2.79488845294199600508499808837e1, [7]=-2.85899827713502369474065508674, [8]=-8.87285693353062954433549289258, [9]=1.23605671757943030647266201528e1, [10]=6.43392746015763530355970484046e-1},
  {[0]=5.42937341165687622380535766363e-2, [5]=4.45031289275240888144113950566, [6]=1.89151789931450038304281599044, [7]=-5.8012039600105847814672114227, [8]=3.1116436695781989440891606237e-1, [9]=-1.52160949662516078556178806805e-1, [10]=2.01365400804030348374776537501e-1, [11]=4.47106157277725905176885569043e-2},
};
static const double dense_c[3]={0.1, 0.2, 0.777777777777777777777777777778};
static const double dense_a[3][16]={
  {[0]=5.61675022830479523392909219681e-2, [6]=2.53500210216624811088794765333e-1, [7]=-2.46239037470802489917441475441e-1, [8]=-1.24191423263816360469010140626e-1, [9]=1.5329179827876569731206322685e-1, [10]=8.20105229563468988491666602057e-3, [11]=7.56789766054569976138603589584e-3, [12]=-8.298e-3},
  {[0]=3.18346481635021405060768473261e-2, [5]=2.83009096723667755288322961402e-2, [6]=5.35419883074385676223797384372e-2, [7]=-5.49237485713909884646569340306e-2, [10]=-1.08347328697249322858509316994e-4, [11]=3.82571090835658412954920192323e-4, [12]=-3.40465008687404560802977114492e-4, [13]=1.41312443674632500278074618366e-1},
  {[0]=-4.28896301583791923408573538692e-1, [5]=-4.69762141536116384314449447206, [6]=7.68342119606259904184240953878, [7]=4.06898981839711007970213554331, [8]=3.56727187455281109270669543021e-1, [12]=-1.39902416515901462129418009734e-3, [13]=2.9475147891527723389556272149, [14]=-9.15095847217987001081870187138},
};
static const double e5[12]={ /* weights of the error estimate of order 5 */
  [0]=0.1312004499419488073250102996e-1, [5]=-0.1225156446376204440720569753e1, [6]=-0.4957589496572501915214079952, [7]=0.1664377182454986536961530415e1, [8]=-0.3503288487499736816886487290, [9]=0.3341791187130174790297318841, [10]=0.8192320648511571246570742613e-1, [11]=-0.2235530786388629525884427845e-1};
static const double b3[12]={ /* weights of the embedded formula of order 3 */
  [0]=0.244094488188976377952755905512, [8]=0.733846688281611857341361741547, [11]=0.220588235294117647058823529412e-1};
static const double d[4][16]={
  {[0]=-0.84289382761090128651353491142e1, [5]=0.56671495351937776962531783590, [6]=-0.30689499459498916912797304727e1, [7]=0.23846676565120698287728149680e1, [8]=0.21170345824450282767155149946e1, [9]=-0.87139158377797299206789907490, [10]=0.22404374302607882758541771650e1, [11]=0.63157877876946881815570249290, [12]=-0.88990336451333310820698117400e-1, [13]=0.18148505520854727256656404962e2, [14]=-0.91946323924783554000451984436e1, [15]=-0.44360363875948939664310572000e1},
  {[0]=0.10427508642579134603413151009e2, [5]=0.24228349177525818288430175319e3, [6]=0.16520045171727028198505394887e3, [7]=-0.37454675472269020279518312152e3, [8]=-0.22113666853125306036270938578e2, [9]=0.77334326684722638389603898808e1, [10]=-0.30674084731089398182061213626e2, [11]=-0.93321305264302278729567221706e1, [12]=0.15697238121770843886131091075e2, [13]=-0.31139403219565177677282850411e2, [14]=-0.93529243588444783865713862664e1, [15]=0.35816841486394083752465898540e2},
  {[0]=0.19985053242002433820987653617e2, [5]=-0.38703730874935176555105901742e3, [6]=-0.18917813819516756882830838328e3, [7]=0.52780815920542364900561016686e3, [8]=-0.11573902539959630126141871134e2, [9]=0.68812326946963000169666922661e1, [10]=-0.10006050966910838403183860980e1, [11]=0.77771377980534432092869265740, [12]=-0.27782057523535084065932004339e1, [13]=-0.60196695231264120758267380846e2, [14]=0.84320405506677161018159903784e2, [15]=0.11992291136182789328035130030e2},
  {[0]=-0.25693933462703749003312586129e2, [5]=-0.15418974869023643374053993627e3, [6]=-0.23152937917604549567536039109e3, [7]=0.35763911791061412378285349910e3, [8]=0.93405324183624310003907691704e2, [9]=-0.37458323136451633156875139351e2, [10]=0.10409964950896230045147246184e3, [11]=0.29840293426660503123344363579e2, [12]=-0.43533456590011143754432175058e2, [13]=0.96324553959188282948394950600e2, [14]=-0.39177261675615439165231486172e2, [15]=-0.14972683625798562581422125276e3},
};
/* clang-format on */

static double error_of(const cmb_integrator *in, double h)
{
  const cmb_mdop *m = in->data;
  double *x5 = m->work, *x3 = m->y_stage;
  memset(x5, 0, (size_t)in->n * sizeof *x5);
  cmb_combine(in->n, x5, h, 12, e5, m->k, x5);
  for (int i = 0; i < in->n; i++) x3[i] = m->y_plain[i] - in->y[i]; /* h Σ (b_j − b3_j) k_j */
  cmb_combine(in->n, x3, -h, 12, b3, m->k, x3);
  double worst = cmb_separate_weak_error(in, x5, x3);
  for (int part = 0; part < 2; part++) {
    int from = part ? in->nq : 0, to = part ? in->n : in->nq;
    double n5 = cmb_error_norm(in, from, to, x5), n3 = cmb_error_norm(in, from, to, x3);
    double both = n5 * n5 + 0.01 * n3 * n3;
    worst = cmb_larger_error(worst, both > 0 ? n5 * n5 / sqrt(both) : both);
  }
  return worst;
}

static void dense(cmb_integrator *in)
{
  const cmb_mdop *m = in->data;
  const double h = in->h_taken, *y0 = in->y_before, *y1 = in->y;
  for (int i = 0; i < in->n; i++) {
    m->r[0][i] = y0[i];
    m->r[1][i] = y1[i] - y0[i];
    m->r[2][i] = h * m->k[0][i] - m->r[1][i];
    m->r[3][i] = m->r[1][i] - h * m->k[12][i] - m->r[2][i];
  }
  for (int j = 0; j < 4; j++) {
    memset(m->r[4 + j], 0, (size_t)in->n * sizeof *m->r[4 + j]);
    cmb_combine(in->n, m->r[4 + j], h, 16, d[j], m->k, m->r[4 + j]);
  }
}

/* Returns the estimated error of the dense output in units of the tolerance, 1/800 of the norm of its last coefficient vector r_7. (For
 * y' = zy the true error is 1/1500 to 1/700 of that norm for |hz| from 0.2 to 6. It is 1 to 3 times the error estimate of the step up to
 * |hz| = 4, and 100 times as large at the limit of stability, |hz| = 6.) Bounds of the error of each component are the largest values that
 * the last two terms of the polynomial have in the step: that of r_7 alone is 7 times the estimated error, and that of r_6 is there for
 * components in which r_7 vanishes by chance. */
static double dense_error(const cmb_integrator *in, double *bounds)
{
  const cmb_mdop *m = in->data;
  for (int i = 0; i < in->n; i++) bounds[i] = fabs(m->r[6][i]) / 64 + fabs(m->r[7][i]) / 119;
  const double worst = cmb_larger_error(cmb_error_norm(in, 0, in->nq, m->r[7]),
                                        cmb_error_norm(in, in->nq, in->n, m->r[7]));
  return worst / 800;
}

/* Computes the coefficient vectors r_4 .. r_7 of the dense output, from the states y (n each) and slopes at x = 1/3 and 2/3 of the last step.
 * The polynomial r_4 + x(r_5 + (1 − x)(r_6 + x r_7)), times x²(1 − x)², is added to the cubic through the ends of the step. */
static void dense_by_thirds(cmb_integrator *in, const double *const y[2], double *const slope[2])
{
  const cmb_mdop *m = in->data;
  const double h = in->h_taken;
  double *const *r = m->r;
  for (int i = 0; i < in->n; i++) {
    const double cubic[2] = {r[0][i] + r[1][i] / 3 + r[2][i] * 2 / 9 + r[3][i] * 2 / 27,
                             r[0][i] + r[1][i] * 2 / 3 + r[2][i] * 2 / 9 + r[3][i] * 4 / 27};
    const double rate[2] = {r[1][i] + r[2][i] / 3 + r[3][i] / 3, r[1][i] - r[2][i] / 3};
    /* x²(1 − x)² is 4/81 at both places and has the slopes ±4/27 there */
    const double g[2] = {(y[0][i] - cubic[0]) * 81 / 4, (y[1][i] - cubic[1]) * 81 / 4};
    const double dg[2] = {(h * slope[0][i] - rate[0]) * 81 / 4 - 3 * g[0],
                          (h * slope[1][i] - rate[1]) * 81 / 4 + 3 * g[1]};
    r[7][i] = 54 * (g[1] - g[0]) - 9 * (dg[0] + dg[1]);
    r[6][i] = 1.5 * (dg[0] - dg[1]) - r[7][i] / 2;
    r[5][i] = 3 * (g[1] - g[0]) - r[7][i] * 2 / 9;
    r[4][i] = g[0] - r[5][i] / 3 - r[6][i] * 2 / 9 - r[7][i] * 2 / 27;
  }
}

static void interpolate(const cmb_integrator *in, double theta, double *y)
{
  const cmb_mdop *m = in->data;
  double *const *r = m->r;
  for (int i = 0; i < in->n; i++) {
    double x = r[7][i];
    for (int j = 6; j >= 0; j--) x = r[j][i] + (j % 2 ? 1 - theta : theta) * x;
    y[i] = x;
  }
}

static const cmb_mdop_table table = {.stages = 12,
                                     .c = c,
                                     .a = a[0],
                                     .dense_stages = 3,
                                     .dense_c = dense_c,
                                     .dense_a = dense_a[0],
                                     .dense_vectors = 8,
                                     .error = error_of,
                                     .dense = dense,
                                     .dense_error = dense_error,
                                     .dense_by_thirds = dense_by_thirds};

static cmb_status create(cmb_integrator *in)
{
  return cmb_mdop_create(in, &table);
}

static const cmb_option options[] = {CMB_OPTION_PROJECTION, CMB_OPTION_MDOP_FORM, CMB_OPTION_STEPS};

/* The step-size controller with the constants of DOP853 (Hairer, Nørsett, Wanner), and caution where many attempts are rejected. */
static const cmb_controller control = {
    .kind = CMB_CONTROLLER_PI,
    CMB_CONTROLLER_PI_ORDER(8, 0),
    .safety = 0.9,
    .shrink = 0.333,
    .grow = 6,
    .failed = 0.25,
    .caution = 4,
};

const cmb_method cmb_method_mdop853 = {
    .name = "mdop853",
    .passes_singular = true,
    .title = "Dormand-Prince 8(5,3) on the index-1 form with projection",
    .order = 8,
    .control = &control,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .ends_with_slope = true,
    .stability = 6.1,
    .create = create,
    .begin = cmb_mdop_begin,
    .attempt = cmb_mdop_attempt,
    .accept = cmb_mdop_accept,
    .densify = cmb_mdop_densify,
    .is_rough = cmb_mdop_is_rough,
    .refine = cmb_mdop_refine,
    .visit = cmb_mdop_visit,
    .nodes = c + 5, /* stages 2 to 5 have no weight */
    .node_count = sizeof c / sizeof *c - 5,
    .node_position = cmb_mdop_node_position,
    .dense_degree = 7,
    .interpolate = interpolate,
};
