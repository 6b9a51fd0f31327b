"""Computes reference values of the Magic Formula for tests/unit/dyn/test_magic_formula.c by a second implementation, which does not use the library. It
follows the equations of Pacejka 2012 and Besselink et al. 2010; the vertical force of version 6.2 was compared with public descriptions of its equations.
Prints rows of a C array for all tyres of the folders.

    python3 tests/support/magic_formula.py forces models/tyres tests/unit/dyn > tests/unit/dyn/magic_formula_values.h
    python3 tests/support/magic_formula.py loads tests/unit/dyn > tests/unit/dyn/magic_formula_loads.h
    clang-format -i tests/unit/dyn/magic_formula_*.h

With `effects` in place of `forces` it prints the coefficients of the folders' tyres on which no number of the two tables depends.
"""
import os, re, sys
from math import atan, cos, exp, pi, sin, sqrt, tan


class File(dict):
    def __missing__(self, key):
        return 1.0 if key[0] == "L" or key in ("QSY7", "Q_RE0") else 2.0 if key == "PKY4" else 0.0


def load(path):
    f = File()
    for line in open(path):
        m = re.match(r"^(\w+)\s*=\s*([-+.\deE]+)\s*(\$.*)?$", line.strip())
        if m:
            f[m[1]] = float(m[2])
    return f


def sgn(x):
    return (x > 0) - (x < 0)


def curve(b, e):
    return b - e * (b - atan(b))


def pure_y(p, fz, alpha, g, df, dp, fz0, mu):
    old = p["FITTYP"] == 6
    cy = p["PCY1"] * p["LCY"]
    muy = (p["PDY1"] + p["PDY2"] * df) * (1 + p["PPY3"] * dp + p["PPY4"] * dp**2) * (1 - p["PDY3"] * g * g) * mu
    dy = muy * fz
    k = (p["PKY1"] * fz0 * (1 + p["PPY1"] * dp) * (1 - p["PKY3"] * abs(g)) * p["LKY"]
         * sin(p["PKY4"] * atan((fz / fz0) / ((p["PKY2"] + p["PKY5"] * g * g) * (1 + p["PPY2"] * dp)))))
    svg = fz * (p["PVY3"] + p["PVY4"] * df) * g * p["LKYC"] * mu
    if old:
        sh = (p["PHY1"] + p["PHY2"] * df) * p["LHY"] + p["PHY3"] * g
    else:
        kg = fz * (p["PKY6"] + p["PKY7"] * df) * (1 + p["PPY5"] * dp) * p["LKYC"]
        sh = (p["PHY1"] + p["PHY2"] * df) * p["LHY"] + (kg * g - svg) / k
    sv = fz * (p["PVY1"] + p["PVY2"] * df) * p["LVY"] * mu + svg
    ay = alpha + sh
    e = (p["PEY1"] + p["PEY2"] * df) * (1 + p["PEY5"] * g * g - (p["PEY3"] + p["PEY4"] * g) * sgn(ay)) * p["LEY"]
    b = k / (cy * dy)
    fy = dy * sin(cy * atan(curve(b * ay, min(e, 1)))) + sv
    return fy, muy, k, sh, sv, b, cy


def law(p, fz, kappa, alpha, gamma, v, road):
    old = p["FITTYP"] == 6
    r0, f0 = p["UNLOADED_RADIUS"], p["FNOMIN"]
    fz0 = p["LFZO"] * f0
    df = (fz - fz0) / fz0
    dp = (p["INFLPRES"] - p["NOMPRES"]) / p["NOMPRES"] if p["NOMPRES"] else 0.0
    a = alpha if old else tan(alpha)
    gx = gamma * p["LGAX"]
    gy = gamma * p["LGAY"] if old else sin(gamma)
    gz = gamma * p["LGAZ"]
    gs = gz if old else sin(gamma)
    mx, my = p["LMUX"] * road, p["LMUY"] * road
    # Fx
    cx = p["PCX1"] * p["LCX"]
    mux = (p["PDX1"] + p["PDX2"] * df) * (1 + p["PPX3"] * dp + p["PPX4"] * dp**2) * (1 - p["PDX3"] * gx**2) * mx
    kx = fz * (p["PKX1"] + p["PKX2"] * df) * exp(p["PKX3"] * df) * (1 + p["PPX1"] * dp + p["PPX2"] * dp**2) * p["LKX"]
    s = kappa + (p["PHX1"] + p["PHX2"] * df) * p["LHX"]
    e = (p["PEX1"] + p["PEX2"] * df + p["PEX3"] * df**2) * (1 - p["PEX4"] * sgn(s)) * p["LEX"]
    fx0 = (mux * fz * sin(cx * atan(curve(kx / (cx * mux * fz) * s, min(e, 1))))
           + fz * (p["PVX1"] + p["PVX2"] * df) * p["LVX"] * mx)
    b = (p["RBX1"] + p["RBX3"] * gy**2) * cos(atan(p["RBX2"] * kappa)) * p["LXAL"]
    e = min(p["REX1"] + p["REX2"] * df, 1)
    sh = p["RHX1"]
    fx = fx0 * cos(p["RCX1"] * atan(curve(b * (a + sh), e))) / cos(p["RCX1"] * atan(curve(b * sh, e)))
    # Fy
    fy0, muy, ky, shy, svy, by, cy = pure_y(p, fz, a, gy, df, dp, fz0, my)
    fy1 = pure_y(p, fz, a, 0.0, df, dp, fz0, my)[0]
    b = (p["RBY1"] + p["RBY4"] * gy**2) * cos(atan(p["RBY2"] * (a - p["RBY3"]))) * p["LYKA"]
    e = min(p["REY1"] + p["REY2"] * df, 1)
    sh = p["RHY1"] + p["RHY2"] * df
    gyk = cos(p["RCY1"] * atan(curve(b * (kappa + sh), e))) / cos(p["RCY1"] * atan(curve(b * sh, e)))
    svyk = (muy * fz * (p["RVY1"] + p["RVY2"] * df + p["RVY3"] * gy) * cos(atan(p["RVY4"] * a))
            * sin(p["RVY5"] * atan(p["RVY6"] * kappa)) * p["LVYKA"])
    fy = gyk * fy0 + svyk
    # Mz
    at = a + p["QHZ1"] + p["QHZ2"] * df + (p["QHZ3"] + p["QHZ4"] * df) * gs
    ar = a + shy + svy / ky
    bt = (p["QBZ1"] + p["QBZ2"] * df + p["QBZ3"] * df**2) * (1 + p["QBZ4"] * gz + p["QBZ5"] * abs(gz)) * p["LKY"] / my
    ct = p["QCZ1"]
    dt = fz * r0 / f0 * (p["QDZ1"] + p["QDZ2"] * df) * (1 - p["PPZ1"] * dp) * (1 + p["QDZ3"] * gz + p["QDZ4"] * gz**2) * p["LTR"]
    et = min((p["QEZ1"] + p["QEZ2"] * df + p["QEZ3"] * df**2) * (1 + (p["QEZ4"] + p["QEZ5"] * gs) * 2 / pi * atan(bt * ct * at)), 1)
    br = p["QBZ9"] * p["LKY"] / my + p["QBZ10"] * by * cy
    dr = fz * r0 * ((p["QDZ6"] + p["QDZ7"] * df) * p["LRES"] + ((p["QDZ8"] + p["QDZ9"] * df) * (1 + p["PPZ2"] * dp)
                    + (p["QDZ10"] + p["QDZ11"] * df) * abs(gs)) * gs * p["LKZC"]) * my * cos(alpha)
    w = (kx / ky * kappa) ** 2
    if old:
        ate, are = (atan(sqrt(tan(x) ** 2 + w)) * sgn(x) for x in (at, ar))
    else:
        ate, are = (sqrt(x * x + w) * sgn(x) for x in (at, ar))
    t = dt * cos(ct * atan(curve(bt * ate, et))) * cos(alpha)
    mzr = dr * cos(atan(br * are))
    lever = r0 * (p["SSZ1"] + p["SSZ2"] * fy / f0 + (p["SSZ3"] + p["SSZ4"] * df) * gamma) * p["LS"]
    mz = -t * ((fy - svyk) if old else gyk * fy1) + mzr + lever * fx
    # Mx, My
    x = fz / f0
    mxx = r0 * fz * p["LMX"] * (p["QSX1"] * p["LVMX"] - p["QSX2"] * gamma * (1 + p["PPMX1"] * dp) - p["QSX12"] * gamma * abs(gamma)
          + p["QSX3"] * fy / f0 + p["QSX4"] * cos(p["QSX5"] * atan((p["QSX6"] * x) ** 2)) * sin(p["QSX7"] * gamma
          + p["QSX8"] * atan(p["QSX9"] * fy / f0)) + p["QSX10"] * atan(p["QSX11"] * x) * gamma) \
          + r0 * fy * p["LMX"] * (p["QSX13"] + p["QSX14"] * abs(gamma))
    v0 = p["LONGVL"]
    q = p["QSY1"] + p["QSY2"] * fx / f0 + p["QSY3"] * abs(v / v0) + p["QSY4"] * (v / v0) ** 4
    if old:
        myy = -r0 * fz * p["LMY"] * q
    else:
        myy = -r0 * f0 * p["LMY"] * (q + (p["QSY5"] + p["QSY6"] * x) * gamma**2) * x ** p["QSY7"] * (1 + dp) ** p["QSY8"]
    if old:
        sx = fz * (p["PTX1"] + p["PTX2"] * df) * exp(-p["PTX3"] * df) * r0 / f0 * p["LSGKP"]
        sy = p["PTY1"] * sin(2 * atan(fz / (p["PTY2"] * fz0))) * (1 - p["PKY3"] * abs(gy)) * r0 * p["LFZO"] * p["LSGAL"]
    else:
        sx = abs(kx / (p["LONGITUDINAL_STIFFNESS"] * (1 + p["PCFX1"] * df + p["PCFX2"] * df**2) * (1 + p["PCFX3"] * dp)))
        sy = abs(ky / (p["LATERAL_STIFFNESS"] * (1 + p["PCFY1"] * df + p["PCFY2"] * df**2) * (1 + p["PCFY3"] * dp)))
    return fx, fy, mxx, myy, mz, sx, sy


def vertical(p, rho, rate, omega, gamma, fx, fy):
    """Returns the vertical load at a deflection (the free radius minus the loaded radius), and the free radius."""
    r0, f0, v0 = p["UNLOADED_RADIUS"], p["FNOMIN"], p["LONGVL"]
    dp = (p["INFLPRES"] - p["NOMPRES"]) / p["NOMPRES"] if p["NOMPRES"] else 0.0
    free = r0 * (p["Q_RE0"] + p["Q_V1"] * (omega * r0 / v0) ** 2)
    loaded = free - rho
    tread = (1.075 - 0.5 * p["ASPECT_RATIO"]) * p["WIDTH"]
    by_camber = 0.0
    if p["Q_CAM1"] or p["Q_CAM2"]:
        share = (p["Q_CAM1"] * loaded + p["Q_CAM2"] * loaded**2) / (p["Q_CAM1"] * free + p["Q_CAM2"] * free**2)
        by_camber = share**2 * tread / 8 * abs(tan(gamma))
    rho_z = rho + by_camber - p["Q_CAM3"] * rho * abs(gamma)
    shift = (p["Q_FYS1"] + p["Q_FYS2"] * (loaded / free) + p["Q_FYS3"] * (loaded / free) ** 2) * gamma
    q_fz1 = sqrt((p["VERTICAL_STIFFNESS"] * r0 / f0) ** 2 - 4 * p["Q_FZ2"])
    factor = (1 + p["Q_V2"] * (r0 / v0) * abs(omega) - (p["Q_FCX"] * fx / f0) ** 2
              - ((rho_z / r0) ** p["Q_FCY2"] * p["Q_FCY"] * (fy - shift) / f0) ** 2)
    load = factor * (q_fz1 * rho_z / r0 + p["Q_FZ2"] * (rho_z / r0) ** 2) * (1 + p["PFZ1"] * dp) * f0
    bottom = p["RIM_RADIUS"] + p["BOTTOM_OFFST"] - loaded
    return load + max(bottom, 0.0) * p["BOTTOM_STIFF"] + p["VERTICAL_DAMPING"] * rate, free


def rolling(p, fz, omega):
    """Returns the effective rolling radius."""
    r0, f0, v0 = p["UNLOADED_RADIUS"], p["FNOMIN"], p["LONGVL"]
    dp = (p["INFLPRES"] - p["NOMPRES"]) / p["NOMPRES"] if p["NOMPRES"] else 0.0
    stiffness = p["VERTICAL_STIFFNESS"] * (1 + p["PFZ1"] * dp)
    free = r0 * (p["Q_RE0"] + p["Q_V1"] * (omega * r0 / v0) ** 2)
    return free - f0 / stiffness * (p["DREFF"] * atan(p["BREFF"] * fz / f0) + p["FREFF"] * fz / f0)


STATES = [(0.3, 0.03, 0.02, 0.03), (1.0, -0.08, -0.06, -0.05), (1.0, 0.0, 0.07, 0.0), (1.5, 0.2, -0.15, 0.08),
          (0.05, -0.3, 0.1, -0.02), (1.7, 0.01, 0.3, 0.0)]


DEFLECTIONS = [(0.002, 0.1, 5.0, 0.03, 0.0, 0.0), (0.02, -0.3, 40.0, -0.05, 1500.0, -2000.0), (0.03, 0.0, -60.0, 0.1, -3000.0, 2500.0),
               (0.015, 0.2, 100.0, 0.0, 0.0, 3000.0), (0.09, 0.5, 30.0, -0.15, 500.0, 500.0)]


def forces_of(p):
    for i, (share, kappa, alpha, gamma) in enumerate(STATES):
        state = (share * p["FNOMIN"], kappa, alpha, gamma, 10.0 + 5 * i, 1.0 - 0.1 * i)
        yield state + law(p, *state)


def loads_of(p):
    for state in DEFLECTIONS:
        load, free = vertical(p, *state)
        yield state + (load, free, rolling(p, load, state[2]))


def print_rows(rows_of, files):
    for name, p in files:
        for row in rows_of(p):
            print('{"%s", {%s}},' % (name, ", ".join("%.13g" % x for x in row)))


def print_idle(files):
    for name, p in files:
        for key in p:
            other = File(p)
            other[key] = 1.01 * p[key]
            rows = [(a, b) for of in (forces_of, loads_of) for a, b in zip(of(p), of(other))]
            if all(abs(x - y) <= 1e-6 * abs(x) for a, b in rows for x, y in zip(a, b)):
                print(name, key)


def main():
    files = [(name, load(os.path.join(folder, name))) for folder in sys.argv[2:] for name in sorted(os.listdir(folder))
             if name.endswith(".tir")]
    if sys.argv[1] == "effects":
        print_idle(files)
    elif sys.argv[1] == "forces":
        print("/* Made by tests/support/magic_formula.py: file, load, slip, slip angle, camber, speed, friction; Fx, Fy, Mx, My, Mz, sigma_x, sigma_y. */")
        print_rows(forces_of, files)
    else:
        print("/* Made by tests/support/magic_formula.py: file, deflection, its rate, spin, camber, Fx, Fy; load, free radius, rolling radius. */")
        print_rows(loads_of, files)


if __name__ == "__main__":
    main()
