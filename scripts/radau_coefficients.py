#!/usr/bin/env python3
"""Computes the coefficients of the Radau IIA methods with 3, 5 and 7 stages and prints them as src/method/radau_table.h. Needs mpmath.

  scripts/radau_coefficients.py > src/method/radau_table.h; clang-format -i src/method/radau_table.h

Hairer and Wanner, Solving ODEs II, §§IV.5 and IV.8; Stiff differential equations solved by Radau methods (1999).
"""
import sys

import mpmath as mp

mp.mp.dps = 80
DIGITS = 25

HEAD = """/*
 * Coefficients of the Radau IIA methods with s = 3, 5 and 7 stages, of order 2 s - 1, for the method radau. Computed by
 * scripts/radau_coefficients.py with 80 digits:
 *
 *     c          zeros of d^(s-1)/dx^(s-1) [x^(s-1) (x - 1)^s], a Jacobi polynomial
 *     A          collocation: sum_j A_ij c_j^(k-1) = c_i^k/k, k = 1 .. s;  A_inverse is its inverse
 *     e          sum_j e_j z_j = -p'(0) for the polynomial p of degree s with p(0) = 0 and p(c_j) = z_j, the increments of the stages.
 *                The slope at the beginning of the step minus p'(0)/h is an error estimate of order s (Solving ODEs II, eq. IV.8.19)
 *     A_inverse = T L T_inverse,  L = diag(gamma, [alpha -beta; beta alpha], ..): one real eigenvalue gamma and pairs alpha +- i beta.
 *                In T the real eigenvector has length 1, and the last entry of a complex one is 1 + 0 i, as in RADAU5
 *
 * tests/unit/method/test_radau_table.c checks these equations. Matrices are stored by rows.
 */
#ifndef CMB_METHOD_RADAU_TABLE_H
#define CMB_METHOD_RADAU_TABLE_H

enum { CMB_RADAU_MOST = 7, CMB_RADAU_PAIRS = CMB_RADAU_MOST / 2, CMB_RADAU_TABLES = 3 };

typedef struct cmb_radau_table {
  int stages;
  double gamma;
  double alpha[CMB_RADAU_PAIRS], beta[CMB_RADAU_PAIRS];
  double c[CMB_RADAU_MOST], e[CMB_RADAU_MOST];
  double A[CMB_RADAU_MOST * CMB_RADAU_MOST], A_inverse[CMB_RADAU_MOST * CMB_RADAU_MOST];
  double T[CMB_RADAU_MOST * CMB_RADAU_MOST], T_inverse[CMB_RADAU_MOST * CMB_RADAU_MOST];
} cmb_radau_table;
"""


def nodes(s):
    """Returns the nodes c."""
    coefficients = []
    for k in range(s, -1, -1):  # coefficient of x^(k+s-1), differentiated s - 1 times
        coefficients.append(mp.binomial(s, k) * (-1) ** (s - k) * mp.factorial(k + s - 1) / mp.factorial(k))
    roots = mp.polyroots(coefficients, maxsteps=1000, extraprec=600)
    return sorted(mp.re(r) for r in roots)


def collocation(c):
    """Returns the matrix A of the collocation method with the nodes c."""
    s = len(c)
    powers = mp.matrix(s, s)
    integrals = mp.matrix(s, s)
    for i in range(s):
        for k in range(s):
            powers[i, k] = c[i] ** k
            integrals[i, k] = c[i] ** (k + 1) / (k + 1)
    return integrals * powers ** -1


def first_slope(c):
    """Returns e: minus the derivatives at 0 of the Lagrange polynomials for the nodes 0, c."""
    result = []
    for j, x in enumerate(c):
        value = -1 / x
        for k, other in enumerate(c):
            if k != j:
                value *= -other / (x - other)
        result.append(value)
    return result


def diagonal(inverse):
    """Returns gamma, the pairs (alpha, beta, eigenvector), and T for the inverse of A."""
    s = inverse.rows
    values, vectors = mp.eig(inverse)
    pairs = []
    for i in range(s):
        vector = [vectors[k, i] for k in range(s)]
        if abs(mp.im(values[i])) < mp.mpf(10) ** -40:
            gamma = mp.re(values[i])
            length = mp.sqrt(sum(abs(x) ** 2 for x in vector))
            turn = vector[-1] / abs(vector[-1]) * length
            real = [mp.re(x / turn) for x in vector]
        elif mp.im(values[i]) < 0:  # A_inverse [p q] = [p q] [alpha -beta; beta alpha] for the vector p + i q
            pairs.append((mp.re(values[i]), -mp.im(values[i]), [x / vector[-1] for x in vector]))
    pairs.sort(key=lambda p: p[1])
    T = mp.matrix(s, s)
    for k in range(s):
        T[k, 0] = real[k]
        for j, (_, _, vector) in enumerate(pairs):
            T[k, 1 + 2 * j] = mp.re(vector[k])
            T[k, 2 + 2 * j] = mp.im(vector[k])
    return gamma, pairs, T


def text(x):
    if abs(x) < mp.mpf(10) ** -60:
        return "0"
    return mp.nstr(x, DIGITS)


def row(name, numbers):
    print(f"    .{name} = {{{', '.join(text(x) for x in numbers)}}},")


def check(s, inverse, gamma, pairs, T):
    """Checks that T L T^-1 is the inverse of A."""
    D = mp.matrix(s, s)
    D[0, 0] = gamma
    for j, (alpha, beta, _) in enumerate(pairs):
        k = 1 + 2 * j
        D[k, k] = D[k + 1, k + 1] = alpha
        D[k, k + 1], D[k + 1, k] = -beta, beta
    if mp.norm(T * D * T ** -1 - inverse) > mp.mpf(10) ** -50:
        sys.exit(f"{s} stages: T L T^-1 differs from the inverse of A")


def main():
    print(HEAD)
    for s in (3, 5, 7):
        c = nodes(s)
        A = collocation(c)
        inverse = A ** -1
        gamma, pairs, T = diagonal(inverse)
        check(s, inverse, gamma, pairs, T)
        print(f"static const cmb_radau_table cmb_radau_{s} = {{")
        print(f"    .stages = {s},")
        print(f"    .gamma = {text(gamma)},")
        row("alpha", [p[0] for p in pairs])
        row("beta", [p[1] for p in pairs])
        row("c", c)
        row("e", first_slope(c))
        for name, matrix in (("A", A), ("A_inverse", inverse), ("T", T), ("T_inverse", T ** -1)):
            row(name, list(matrix))
        print("};\n")
    print("#endif")


main()
