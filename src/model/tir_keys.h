/*
 * The keys of tyre property files (.tir) that the Magic Formula uses, listed once for all users: section, key, quantity, allowed values,
 * versions that have it (OLD: 5.2, NEW: 6.1 and 6.2, V62: 6.2, ALL), default value, meaning. Parsing, conversion of units, the names in
 * formulas (dyn/magic_formula.c) and the table in docs/tyres.md are made from this list.
 */
#ifndef CMB_MODEL_TIR_KEYS_H
#define CMB_MODEL_TIR_KEYS_H

/* clang-format off */
#define CMB_TIR_KEYS(X) \
  X(MODEL, FITTYP, NONE, ANY, ALL, REQUIRED, "version of the formula: 6 is 5.2, 61, 62")                           \
  X(MODEL, LONGVL, SPEED, POSITIVE, ALL, REQUIRED, "reference speed V0")                                           \
  X(MODEL, VXLOW, SPEED, POSITIVE, ALL, 1, "speed below which shifts and rolling resistance fade out")             \
  X(DIMENSION, UNLOADED_RADIUS, LENGTH, POSITIVE, ALL, REQUIRED, "free radius R0")                                 \
  X(DIMENSION, WIDTH, LENGTH, NOT_NEGATIVE, ALL, 0, "section width")                                               \
  X(DIMENSION, ASPECT_RATIO, NONE, NOT_NEGATIVE, ALL, 0, "height over width of the section")                       \
  X(DIMENSION, RIM_RADIUS, LENGTH, NOT_NEGATIVE, ALL, 0, "radius of the rim")                                      \
  X(DIMENSION, RIM_WIDTH, LENGTH, NOT_NEGATIVE, ALL, 0, "width of the rim")                                        \
  X(OPERATING_CONDITIONS, INFLPRES, PRESSURE, NOT_NEGATIVE, NEW, 0, "inflation pressure; not given: NOMPRES")      \
  X(OPERATING_CONDITIONS, NOMPRES, PRESSURE, NOT_NEGATIVE, NEW, 0, "pressure that the coefficients are for")       \
  X(INERTIA, MASS, MASS, NOT_NEGATIVE, ALL, 0, "mass of the tyre")                                                 \
  X(INERTIA, IXX, INERTIA, NOT_NEGATIVE, ALL, 0, "moment of inertia about a diameter")                             \
  X(INERTIA, IYY, INERTIA, NOT_NEGATIVE, ALL, 0, "moment of inertia about the axis")                               \
  X(VERTICAL, FNOMIN, FORCE, POSITIVE, ALL, REQUIRED, "nominal load Fz0")                                          \
  X(VERTICAL, VERTICAL_STIFFNESS, STIFFNESS, POSITIVE, ALL, REQUIRED, "vertical stiffness Cz at the nominal load") \
  X(VERTICAL, VERTICAL_DAMPING, DAMPING, NOT_NEGATIVE, ALL, 0, "vertical damping")                                 \
  X(VERTICAL, BREFF, NONE, ANY, ALL, 0, "rolling radius: slope at small loads")                                    \
  X(VERTICAL, DREFF, NONE, ANY, ALL, 0, "rolling radius: height of the curved part")                               \
  X(VERTICAL, FREFF, NONE, ANY, ALL, 0, "rolling radius: slope at large loads")                                    \
  X(VERTICAL, Q_RE0, NONE, POSITIVE, NEW, 1, "free radius over R0")                                                \
  X(VERTICAL, Q_V1, NONE, ANY, NEW, 0, "growth of the radius with speed")                                          \
  X(VERTICAL, Q_V2, NONE, ANY, NEW, 0, "growth of the stiffness with speed")                                       \
  X(VERTICAL, Q_FZ2, NONE, ANY, NEW, 0, "quadratic part of load over deflection")                                  \
  X(VERTICAL, Q_FCX, NONE, ANY, NEW, 0, "Fx in the vertical stiffness")                                            \
  X(VERTICAL, Q_FCY, NONE, ANY, NEW, 0, "Fy in the vertical stiffness")                                            \
  X(VERTICAL, PFZ1, NONE, ANY, NEW, 0, "pressure in the vertical stiffness")                                       \
  X(VERTICAL, Q_FCY2, NONE, ANY, V62, 0, "exponent of the deflection beside Q_FCY")                                \
  X(VERTICAL, Q_CAM1, PER_LENGTH, ANY, V62, 0, "deflection by camber, linear in the radius")                       \
  X(VERTICAL, Q_CAM2, PER_AREA, ANY, V62, 0, "deflection by camber, quadratic in the radius")                      \
  X(VERTICAL, Q_CAM3, NONE, ANY, V62, 0, "deflection lost by camber")                                              \
  X(VERTICAL, Q_FYS1, FORCE, ANY, V62, 0, "Fy shift by camber")                                                    \
  X(VERTICAL, Q_FYS2, FORCE, ANY, V62, 0, "the same, linear in the loaded radius")                                 \
  X(VERTICAL, Q_FYS3, FORCE, ANY, V62, 0, "the same, quadratic in the loaded radius")                              \
  X(VERTICAL, BOTTOM_OFFST, LENGTH, NOT_NEGATIVE, NEW, 0, "distance from the rim at which the tyre bottoms")       \
  X(VERTICAL, BOTTOM_STIFF, STIFFNESS, NOT_NEGATIVE, NEW, 0, "stiffness of the bottomed tyre")                     \
  X(STRUCTURAL, LONGITUDINAL_STIFFNESS, STIFFNESS, NOT_NEGATIVE, NEW, 0, "longitudinal stiffness of the carcass")  \
  X(STRUCTURAL, LATERAL_STIFFNESS, STIFFNESS, NOT_NEGATIVE, NEW, 0, "lateral stiffness of the carcass")            \
  X(STRUCTURAL, PCFX1, NONE, ANY, NEW, 0, "longitudinal stiffness with load")                                      \
  X(STRUCTURAL, PCFX2, NONE, ANY, NEW, 0, "the same, squared")                                                     \
  X(STRUCTURAL, PCFX3, NONE, ANY, NEW, 0, "longitudinal stiffness with pressure")                                  \
  X(STRUCTURAL, PCFY1, NONE, ANY, NEW, 0, "lateral stiffness with load")                                           \
  X(STRUCTURAL, PCFY2, NONE, ANY, NEW, 0, "the same, squared")                                                     \
  X(STRUCTURAL, PCFY3, NONE, ANY, NEW, 0, "lateral stiffness with pressure")                                       \
  X(INFLATION_PRESSURE_RANGE, PRESMIN, PRESSURE, NOT_NEGATIVE, NEW, 0, "least pressure")                           \
  X(INFLATION_PRESSURE_RANGE, PRESMAX, PRESSURE, NOT_NEGATIVE, NEW, NO_LIMIT, "largest pressure")                  \
  X(VERTICAL_FORCE_RANGE, FZMIN, FORCE, NOT_NEGATIVE, ALL, 0, "least load of the measurements")                    \
  X(VERTICAL_FORCE_RANGE, FZMAX, FORCE, POSITIVE, ALL, REQUIRED, "largest load; forces do not grow beyond it")     \
  X(LONG_SLIP_RANGE, KPUMIN, NONE, ANY, ALL, -NO_LIMIT, "least slip")                                              \
  X(LONG_SLIP_RANGE, KPUMAX, NONE, ANY, ALL, NO_LIMIT, "largest slip")                                             \
  X(SLIP_ANGLE_RANGE, ALPMIN, ANGLE, ANY, ALL, -NO_LIMIT, "least slip angle")                                      \
  X(SLIP_ANGLE_RANGE, ALPMAX, ANGLE, ANY, ALL, NO_LIMIT, "largest slip angle")                                     \
  X(INCLINATION_ANGLE_RANGE, CAMMIN, ANGLE, ANY, ALL, -NO_LIMIT, "least camber angle")                             \
  X(INCLINATION_ANGLE_RANGE, CAMMAX, ANGLE, ANY, ALL, NO_LIMIT, "largest camber angle")                            \
  X(SCALING_COEFFICIENTS, LFZO, NONE, POSITIVE, ALL, 1, "nominal load")                                            \
  X(SCALING_COEFFICIENTS, LCX, NONE, POSITIVE, ALL, 1, "shape of Fx")                                              \
  X(SCALING_COEFFICIENTS, LMUX, NONE, POSITIVE, ALL, 1, "friction of Fx")                                          \
  X(SCALING_COEFFICIENTS, LEX, NONE, ANY, ALL, 1, "curvature of Fx")                                               \
  X(SCALING_COEFFICIENTS, LKX, NONE, ANY, ALL, 1, "slip stiffness")                                                \
  X(SCALING_COEFFICIENTS, LHX, NONE, ANY, ALL, 1, "horizontal shift of Fx")                                        \
  X(SCALING_COEFFICIENTS, LVX, NONE, ANY, ALL, 1, "vertical shift of Fx")                                          \
  X(SCALING_COEFFICIENTS, LGAX, NONE, ANY, OLD, 1, "camber in Fx")                                                 \
  X(SCALING_COEFFICIENTS, LCY, NONE, POSITIVE, ALL, 1, "shape of Fy")                                              \
  X(SCALING_COEFFICIENTS, LMUY, NONE, POSITIVE, ALL, 1, "friction of Fy")                                          \
  X(SCALING_COEFFICIENTS, LEY, NONE, ANY, ALL, 1, "curvature of Fy")                                               \
  X(SCALING_COEFFICIENTS, LKY, NONE, ANY, ALL, 1, "cornering stiffness")                                           \
  X(SCALING_COEFFICIENTS, LHY, NONE, ANY, ALL, 1, "horizontal shift of Fy")                                        \
  X(SCALING_COEFFICIENTS, LVY, NONE, ANY, ALL, 1, "vertical shift of Fy")                                          \
  X(SCALING_COEFFICIENTS, LGAY, NONE, ANY, OLD, 1, "camber in Fy")                                                 \
  X(SCALING_COEFFICIENTS, LKYC, NONE, ANY, NEW, 1, "camber stiffness")                                             \
  X(SCALING_COEFFICIENTS, LTR, NONE, ANY, ALL, 1, "pneumatic trail")                                               \
  X(SCALING_COEFFICIENTS, LRES, NONE, ANY, ALL, 1, "residual torque")                                              \
  X(SCALING_COEFFICIENTS, LGAZ, NONE, ANY, OLD, 1, "camber in Mz")                                                 \
  X(SCALING_COEFFICIENTS, LKZC, NONE, ANY, NEW, 1, "camber torque")                                                \
  X(SCALING_COEFFICIENTS, LXAL, NONE, ANY, ALL, 1, "slip angle in Fx")                                             \
  X(SCALING_COEFFICIENTS, LYKA, NONE, ANY, ALL, 1, "slip in Fy")                                                   \
  X(SCALING_COEFFICIENTS, LVYKA, NONE, ANY, ALL, 1, "Fy induced by slip")                                          \
  X(SCALING_COEFFICIENTS, LS, NONE, ANY, ALL, 1, "lever of Fx in Mz")                                              \
  X(SCALING_COEFFICIENTS, LSGKP, NONE, ANY, OLD, 1, "relaxation length of Fx")                                     \
  X(SCALING_COEFFICIENTS, LSGAL, NONE, ANY, OLD, 1, "relaxation length of Fy")                                     \
  X(SCALING_COEFFICIENTS, LMX, NONE, ANY, ALL, 1, "overturning torque")                                            \
  X(SCALING_COEFFICIENTS, LVMX, NONE, ANY, ALL, 1, "vertical shift of Mx")                                         \
  X(SCALING_COEFFICIENTS, LMY, NONE, ANY, ALL, 1, "rolling resistance")                                            \
  X(SCALING_COEFFICIENTS, LMUV, NONE, ZERO, ALL, 0, "friction that decays with slip speed: has to be 0")           \
  X(LONGITUDINAL_COEFFICIENTS, PCX1, NONE, POSITIVE, ALL, REQUIRED, "shape of Fx")                                 \
  X(LONGITUDINAL_COEFFICIENTS, PDX1, NONE, POSITIVE, ALL, REQUIRED, "friction at the nominal load")                \
  X(LONGITUDINAL_COEFFICIENTS, PDX2, NONE, ANY, ALL, 0, "friction with load")                                      \
  X(LONGITUDINAL_COEFFICIENTS, PDX3, NONE, ANY, ALL, 0, "friction with camber squared")                            \
  X(LONGITUDINAL_COEFFICIENTS, PEX1, NONE, ANY, ALL, 0, "curvature")                                               \
  X(LONGITUDINAL_COEFFICIENTS, PEX2, NONE, ANY, ALL, 0, "curvature with load")                                     \
  X(LONGITUDINAL_COEFFICIENTS, PEX3, NONE, ANY, ALL, 0, "curvature with load squared")                             \
  X(LONGITUDINAL_COEFFICIENTS, PEX4, NONE, ANY, ALL, 0, "curvature, driving and braking")                          \
  X(LONGITUDINAL_COEFFICIENTS, PKX1, NONE, POSITIVE, ALL, REQUIRED, "slip stiffness over load")                    \
  X(LONGITUDINAL_COEFFICIENTS, PKX2, NONE, ANY, ALL, 0, "the same with load")                                      \
  X(LONGITUDINAL_COEFFICIENTS, PKX3, NONE, ANY, ALL, 0, "exponent of the load in it")                              \
  X(LONGITUDINAL_COEFFICIENTS, PHX1, NONE, ANY, ALL, 0, "horizontal shift")                                        \
  X(LONGITUDINAL_COEFFICIENTS, PHX2, NONE, ANY, ALL, 0, "horizontal shift with load")                              \
  X(LONGITUDINAL_COEFFICIENTS, PVX1, NONE, ANY, ALL, 0, "vertical shift over load")                                \
  X(LONGITUDINAL_COEFFICIENTS, PVX2, NONE, ANY, ALL, 0, "the same with load")                                      \
  X(LONGITUDINAL_COEFFICIENTS, PPX1, NONE, ANY, NEW, 0, "slip stiffness with pressure")                            \
  X(LONGITUDINAL_COEFFICIENTS, PPX2, NONE, ANY, NEW, 0, "the same, squared")                                       \
  X(LONGITUDINAL_COEFFICIENTS, PPX3, NONE, ANY, NEW, 0, "friction with pressure")                                  \
  X(LONGITUDINAL_COEFFICIENTS, PPX4, NONE, ANY, NEW, 0, "the same, squared")                                       \
  X(LONGITUDINAL_COEFFICIENTS, RBX1, NONE, ANY, ALL, 0, "combined slip: slope")                                    \
  X(LONGITUDINAL_COEFFICIENTS, RBX2, NONE, ANY, ALL, 0, "combined slip: slope with slip")                          \
  X(LONGITUDINAL_COEFFICIENTS, RBX3, NONE, ANY, NEW, 0, "combined slip: slope with camber squared")                \
  X(LONGITUDINAL_COEFFICIENTS, RCX1, NONE, ANY, ALL, 0, "combined slip: shape")                                    \
  X(LONGITUDINAL_COEFFICIENTS, REX1, NONE, ANY, ALL, 0, "combined slip: curvature")                                \
  X(LONGITUDINAL_COEFFICIENTS, REX2, NONE, ANY, ALL, 0, "combined slip: curvature with load")                      \
  X(LONGITUDINAL_COEFFICIENTS, RHX1, NONE, ANY, ALL, 0, "combined slip: shift")                                    \
  X(LONGITUDINAL_COEFFICIENTS, PTX1, NONE, ANY, OLD, 0, "relaxation length over load")                             \
  X(LONGITUDINAL_COEFFICIENTS, PTX2, NONE, ANY, OLD, 0, "the same with load")                                      \
  X(LONGITUDINAL_COEFFICIENTS, PTX3, NONE, ANY, OLD, 0, "exponent of the load in it")                              \
  X(OVERTURNING_COEFFICIENTS, QSX1, NONE, ANY, ALL, 0, "constant part")                                            \
  X(OVERTURNING_COEFFICIENTS, QSX2, NONE, ANY, ALL, 0, "camber")                                                   \
  X(OVERTURNING_COEFFICIENTS, QSX3, NONE, ANY, ALL, 0, "Fy")                                                       \
  X(OVERTURNING_COEFFICIENTS, QSX4, NONE, ANY, NEW, 0, "load, Fy and camber together")                             \
  X(OVERTURNING_COEFFICIENTS, QSX5, NONE, ANY, NEW, 0, "shape of the load in it")                                  \
  X(OVERTURNING_COEFFICIENTS, QSX6, NONE, ANY, NEW, 0, "slope of the load in it")                                  \
  X(OVERTURNING_COEFFICIENTS, QSX7, NONE, ANY, NEW, 0, "camber in it")                                             \
  X(OVERTURNING_COEFFICIENTS, QSX8, NONE, ANY, NEW, 0, "Fy in it")                                                 \
  X(OVERTURNING_COEFFICIENTS, QSX9, NONE, ANY, NEW, 0, "slope of Fy in it")                                        \
  X(OVERTURNING_COEFFICIENTS, QSX10, NONE, ANY, NEW, 0, "load and camber")                                         \
  X(OVERTURNING_COEFFICIENTS, QSX11, NONE, ANY, NEW, 0, "slope of the load in it")                                 \
  X(OVERTURNING_COEFFICIENTS, QSX12, NONE, ANY, NEW, 0, "camber squared")                                          \
  X(OVERTURNING_COEFFICIENTS, QSX13, NONE, ANY, NEW, 0, "Fy alone")                                                \
  X(OVERTURNING_COEFFICIENTS, QSX14, NONE, ANY, NEW, 0, "Fy and camber")                                           \
  X(OVERTURNING_COEFFICIENTS, PPMX1, NONE, ANY, NEW, 0, "pressure")                                                \
  X(LATERAL_COEFFICIENTS, PCY1, NONE, POSITIVE, ALL, REQUIRED, "shape of Fy")                                      \
  X(LATERAL_COEFFICIENTS, PDY1, NONE, POSITIVE, ALL, REQUIRED, "friction at the nominal load")                     \
  X(LATERAL_COEFFICIENTS, PDY2, NONE, ANY, ALL, 0, "friction with load")                                           \
  X(LATERAL_COEFFICIENTS, PDY3, NONE, ANY, ALL, 0, "friction with camber squared")                                 \
  X(LATERAL_COEFFICIENTS, PEY1, NONE, ANY, ALL, 0, "curvature")                                                    \
  X(LATERAL_COEFFICIENTS, PEY2, NONE, ANY, ALL, 0, "curvature with load")                                          \
  X(LATERAL_COEFFICIENTS, PEY3, NONE, ANY, ALL, 0, "curvature, left and right")                                    \
  X(LATERAL_COEFFICIENTS, PEY4, NONE, ANY, ALL, 0, "the same with camber")                                         \
  X(LATERAL_COEFFICIENTS, PEY5, NONE, ANY, NEW, 0, "curvature with camber squared")                                \
  X(LATERAL_COEFFICIENTS, PKY1, NONE, NOT_ZERO, ALL, REQUIRED, "largest cornering stiffness over Fz0")             \
  X(LATERAL_COEFFICIENTS, PKY2, NONE, POSITIVE, ALL, REQUIRED, "load over Fz0 at which it is largest")             \
  X(LATERAL_COEFFICIENTS, PKY3, NONE, ANY, ALL, 0, "cornering stiffness with camber")                              \
  X(LATERAL_COEFFICIENTS, PKY4, NONE, NOT_ZERO, NEW, 2, "shape of cornering stiffness over load")                  \
  X(LATERAL_COEFFICIENTS, PKY5, NONE, ANY, NEW, 0, "load of the largest stiffness with camber squared")            \
  X(LATERAL_COEFFICIENTS, PKY6, NONE, ANY, NEW, 0, "camber stiffness over load")                                   \
  X(LATERAL_COEFFICIENTS, PKY7, NONE, ANY, NEW, 0, "the same with load")                                           \
  X(LATERAL_COEFFICIENTS, PHY1, NONE, ANY, ALL, 0, "horizontal shift")                                             \
  X(LATERAL_COEFFICIENTS, PHY2, NONE, ANY, ALL, 0, "horizontal shift with load")                                   \
  X(LATERAL_COEFFICIENTS, PHY3, NONE, ANY, OLD, 0, "horizontal shift with camber")                                 \
  X(LATERAL_COEFFICIENTS, PVY1, NONE, ANY, ALL, 0, "vertical shift over load")                                     \
  X(LATERAL_COEFFICIENTS, PVY2, NONE, ANY, ALL, 0, "the same with load")                                           \
  X(LATERAL_COEFFICIENTS, PVY3, NONE, ANY, ALL, 0, "the same with camber")                                         \
  X(LATERAL_COEFFICIENTS, PVY4, NONE, ANY, ALL, 0, "the same with camber and load")                                \
  X(LATERAL_COEFFICIENTS, PPY1, NONE, ANY, NEW, 0, "cornering stiffness with pressure")                            \
  X(LATERAL_COEFFICIENTS, PPY2, NONE, ANY, NEW, 0, "load of the largest stiffness with pressure")                  \
  X(LATERAL_COEFFICIENTS, PPY3, NONE, ANY, NEW, 0, "friction with pressure")                                       \
  X(LATERAL_COEFFICIENTS, PPY4, NONE, ANY, NEW, 0, "the same, squared")                                            \
  X(LATERAL_COEFFICIENTS, PPY5, NONE, ANY, NEW, 0, "camber stiffness with pressure")                               \
  X(LATERAL_COEFFICIENTS, RBY1, NONE, ANY, ALL, 0, "combined slip: slope")                                         \
  X(LATERAL_COEFFICIENTS, RBY2, NONE, ANY, ALL, 0, "combined slip: slope with slip angle")                         \
  X(LATERAL_COEFFICIENTS, RBY3, NONE, ANY, ALL, 0, "combined slip: shift in it")                                   \
  X(LATERAL_COEFFICIENTS, RBY4, NONE, ANY, NEW, 0, "combined slip: slope with camber squared")                     \
  X(LATERAL_COEFFICIENTS, RCY1, NONE, ANY, ALL, 0, "combined slip: shape")                                         \
  X(LATERAL_COEFFICIENTS, REY1, NONE, ANY, ALL, 0, "combined slip: curvature")                                     \
  X(LATERAL_COEFFICIENTS, REY2, NONE, ANY, ALL, 0, "combined slip: curvature with load")                           \
  X(LATERAL_COEFFICIENTS, RHY1, NONE, ANY, ALL, 0, "combined slip: shift")                                         \
  X(LATERAL_COEFFICIENTS, RHY2, NONE, ANY, ALL, 0, "combined slip: shift with load")                               \
  X(LATERAL_COEFFICIENTS, RVY1, NONE, ANY, ALL, 0, "Fy induced by slip")                                           \
  X(LATERAL_COEFFICIENTS, RVY2, NONE, ANY, ALL, 0, "the same with load")                                           \
  X(LATERAL_COEFFICIENTS, RVY3, NONE, ANY, ALL, 0, "the same with camber")                                         \
  X(LATERAL_COEFFICIENTS, RVY4, NONE, ANY, ALL, 0, "the same with slip angle")                                     \
  X(LATERAL_COEFFICIENTS, RVY5, NONE, ANY, ALL, 0, "the same: shape over slip")                                    \
  X(LATERAL_COEFFICIENTS, RVY6, NONE, ANY, ALL, 0, "the same: slope over slip")                                    \
  X(LATERAL_COEFFICIENTS, PTY1, NONE, ANY, OLD, 0, "relaxation length over R0")                                    \
  X(LATERAL_COEFFICIENTS, PTY2, NONE, ANY, OLD, 1, "load over Fz0 at which it is largest")                         \
  X(ROLLING_COEFFICIENTS, QSY1, NONE, ANY, ALL, 0, "rolling resistance")                                           \
  X(ROLLING_COEFFICIENTS, QSY2, NONE, ANY, ALL, 0, "the same with Fx")                                             \
  X(ROLLING_COEFFICIENTS, QSY3, NONE, ANY, ALL, 0, "the same with speed")                                          \
  X(ROLLING_COEFFICIENTS, QSY4, NONE, ANY, ALL, 0, "the same with the fourth power of speed")                      \
  X(ROLLING_COEFFICIENTS, QSY5, NONE, ANY, NEW, 0, "the same with camber squared")                                 \
  X(ROLLING_COEFFICIENTS, QSY6, NONE, ANY, NEW, 0, "the same with load and camber squared")                        \
  X(ROLLING_COEFFICIENTS, QSY7, NONE, NOT_NEGATIVE, NEW, 1, "exponent of the load")                                \
  X(ROLLING_COEFFICIENTS, QSY8, NONE, ANY, NEW, 0, "exponent of the pressure")                                     \
  X(ALIGNING_COEFFICIENTS, QBZ1, NONE, ANY, ALL, 0, "trail: slope")                                                \
  X(ALIGNING_COEFFICIENTS, QBZ2, NONE, ANY, ALL, 0, "trail: slope with load")                                      \
  X(ALIGNING_COEFFICIENTS, QBZ3, NONE, ANY, ALL, 0, "trail: slope with load squared")                              \
  X(ALIGNING_COEFFICIENTS, QBZ4, NONE, ANY, ALL, 0, "trail: slope with camber")                                    \
  X(ALIGNING_COEFFICIENTS, QBZ5, NONE, ANY, ALL, 0, "trail: slope with the size of camber")                        \
  X(ALIGNING_COEFFICIENTS, QBZ9, NONE, ANY, ALL, 0, "residual torque: slope")                                      \
  X(ALIGNING_COEFFICIENTS, QBZ10, NONE, ANY, ALL, 0, "residual torque: slope with that of Fy")                     \
  X(ALIGNING_COEFFICIENTS, QCZ1, NONE, ANY, ALL, 0, "trail: shape")                                                \
  X(ALIGNING_COEFFICIENTS, QDZ1, NONE, ANY, ALL, 0, "trail: peak")                                                 \
  X(ALIGNING_COEFFICIENTS, QDZ2, NONE, ANY, ALL, 0, "trail: peak with load")                                       \
  X(ALIGNING_COEFFICIENTS, QDZ3, NONE, ANY, ALL, 0, "trail: peak with camber")                                     \
  X(ALIGNING_COEFFICIENTS, QDZ4, NONE, ANY, ALL, 0, "trail: peak with camber squared")                             \
  X(ALIGNING_COEFFICIENTS, QDZ6, NONE, ANY, ALL, 0, "residual torque: peak")                                       \
  X(ALIGNING_COEFFICIENTS, QDZ7, NONE, ANY, ALL, 0, "residual torque: peak with load")                             \
  X(ALIGNING_COEFFICIENTS, QDZ8, NONE, ANY, ALL, 0, "residual torque: peak with camber")                           \
  X(ALIGNING_COEFFICIENTS, QDZ9, NONE, ANY, ALL, 0, "residual torque: peak with camber and load")                  \
  X(ALIGNING_COEFFICIENTS, QDZ10, NONE, ANY, NEW, 0, "residual torque: peak with camber squared")                  \
  X(ALIGNING_COEFFICIENTS, QDZ11, NONE, ANY, NEW, 0, "residual torque: the same with load")                        \
  X(ALIGNING_COEFFICIENTS, QEZ1, NONE, ANY, ALL, 0, "trail: curvature")                                            \
  X(ALIGNING_COEFFICIENTS, QEZ2, NONE, ANY, ALL, 0, "trail: curvature with load")                                  \
  X(ALIGNING_COEFFICIENTS, QEZ3, NONE, ANY, ALL, 0, "trail: curvature with load squared")                          \
  X(ALIGNING_COEFFICIENTS, QEZ4, NONE, ANY, ALL, 0, "trail: curvature, left and right")                            \
  X(ALIGNING_COEFFICIENTS, QEZ5, NONE, ANY, ALL, 0, "trail: the same with camber")                                 \
  X(ALIGNING_COEFFICIENTS, QHZ1, NONE, ANY, ALL, 0, "trail: shift")                                                \
  X(ALIGNING_COEFFICIENTS, QHZ2, NONE, ANY, ALL, 0, "trail: shift with load")                                      \
  X(ALIGNING_COEFFICIENTS, QHZ3, NONE, ANY, ALL, 0, "trail: shift with camber")                                    \
  X(ALIGNING_COEFFICIENTS, QHZ4, NONE, ANY, ALL, 0, "trail: shift with camber and load")                           \
  X(ALIGNING_COEFFICIENTS, PPZ1, NONE, ANY, NEW, 0, "trail with pressure")                                         \
  X(ALIGNING_COEFFICIENTS, PPZ2, NONE, ANY, NEW, 0, "residual torque with pressure")                               \
  X(ALIGNING_COEFFICIENTS, SSZ1, NONE, ANY, ALL, 0, "lever of Fx")                                                 \
  X(ALIGNING_COEFFICIENTS, SSZ2, NONE, ANY, ALL, 0, "lever of Fx with Fy")                                         \
  X(ALIGNING_COEFFICIENTS, SSZ3, NONE, ANY, ALL, 0, "lever of Fx with camber")                                     \
  X(ALIGNING_COEFFICIENTS, SSZ4, NONE, ANY, ALL, 0, "lever of Fx with camber and load")
/* clang-format on */

#endif
