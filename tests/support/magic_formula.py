"""Values of the Magic Formula for tests/unit/dyn/test_magic_formula.c: a second implementation, written from the equations of
Pacejka 2012 and Besselink et al. 2010, without anything of the library. Prints rows of C.

    python3 tests/support/magic_formula.py models/tyres > tests/unit/dyn/magic_formula_values.h && clang-format -i tests/unit/dyn/magic_formula_values.h
"""
import os, re, sys
from math import atan, cos, exp, pi, sin, sqrt, tan


class File(dict):
    def __missing__(self, key):
        return 1.0 if key[0] == "L" else 2.0 if key == "PKY4" else 1.0 if key == "QSY7" else 0.0


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


STATES = [(0.3, 0.03, 0.02, 0.03), (1.0, -0.08, -0.06, -0.05), (1.0, 0.0, 0.07, 0.0), (1.5, 0.2, -0.15, 0.08),
          (0.05, -0.3, 0.1, -0.02), (1.7, 0.01, 0.3, 0.0)]


def main():
    print("/* Made by tests/support/magic_formula.py: file, load, slip, slip angle, camber, speed, friction; Fx, Fy, Mx, My, Mz, sigma_x, sigma_y. */")
    for name in sorted(os.listdir(sys.argv[1])):
        p = load(os.path.join(sys.argv[1], name))
        for i, (share, kappa, alpha, gamma) in enumerate(STATES):
            state = (share * p["FNOMIN"], kappa, alpha, gamma, 10.0 + 5 * i, 1.0 - 0.1 * i)
            row = ", ".join("%.13g" % x for x in state + law(p, *state))
            print('{"%s", {%s}},' % (name, row))


if __name__ == "__main__":
    main()
