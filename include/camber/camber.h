/*
 * Camber: simulation of constrained mechanical systems. This header brings in all of the library.
 */
#ifndef CAMBER_CAMBER_H
#define CAMBER_CAMBER_H

#include <camber/base.h>
#include <camber/dae.h>
#include <camber/dyn.h>
#include <camber/export.h>
#include <camber/expr.h>
#include <camber/math.h>
#include <camber/method.h>
#include <camber/model.h>
#include <camber/rail.h>
#include <camber/sim.h>
#include <camber/system.h>

#endif
