// Chooses ranges, ticks and tick labels of plots, by the rules of src/cli/axis.c. If the range of an axis is small relative to its values, the axis has an offset,
// which is written once ("+1.7e9"), and its tick labels are differences to the offset.

import { shown } from "./dom.js";

const ROUNDING = 64 * Number.EPSILON; // a smaller variation, relative to the largest value, is due to rounding
const SINGLE = 4 * 2 ** -24; // the same for curves stored in single precision as differences to a base
const FEW_DIGITS = 1e6; // an axis whose values are at least so many tick steps has an offset
const DIGITS = 6; // significant digits of a number in a legend; more if the axis has an offset

const sizeOf = (low, high) => Math.max(Math.abs(low), Math.abs(high));

// Returns whether all values between low and high are equal within rounding errors; `bases` are the base values of curves stored in single precision.
export function isConstant(low, high, bases = []) {
  const single = Math.max(0, ...bases.map((b) => sizeOf(low - b, high - b)));
  return high - low <= Math.max(ROUNDING * sizeOf(low, high), SINGLE * single);
}

// Returns the range of an ordinate, with a margin around the curves, also for a curve that is constant within rounding errors.
export function withAir(low, high, bases) {
  if (low === null || high === null) return [0, 1];
  const size = sizeOf(low, high);
  const air = isConstant(low, high, bases) ? 0.05 * size || 1e-9 : 0.06 * (high - low);
  return [Math.max(low - air, -Number.MAX_VALUE), Math.min(high + air, Number.MAX_VALUE)];
}

// Returns the range of an abscissa from start to end; a single instant gets a short interval.
export function ofTime(start, end) {
  return isConstant(start, end) ? [start, start + Math.max(1e-12, 1e-6 * Math.abs(start))] : [start, end];
}

// Returns the step of the ticks, 1, 2, 5 or 10 times a power of ten, for about `wanted` ticks.
function stepOf(low, high, wanted) {
  const rough = high / wanted - low / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const digit = rough / power;
  return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

// Returns the offset of an axis: the number in its range with the fewest digits, or 0 if the tick labels are short without an offset.
export function offsetOf(low, high, wanted) {
  const size = sizeOf(low, high);
  if (size < FEW_DIGITS * stepOf(low, high, wanted)) return 0;
  const slack = 1e-9 * (high - low);
  for (let power = Math.floor(Math.log10(size)); power > -308; power--) {
    const unit = 10 ** Math.abs(power);
    const multiple = power < 0 ? Math.ceil((low - slack) * unit) / unit : Math.ceil((low - slack) / unit) * unit;
    if (multiple <= high + slack) return multiple;
  }
  return low;
}

export function ticksOf(low, high, wanted) {
  const [step, offset] = [stepOf(low, high, wanted), offsetOf(low, high, wanted)];
  const first = Math.ceil((low - offset) / step - 1e-9);
  const last = Math.floor((high - offset) / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, k) => offset + Number(((first + k) * step).toPrecision(12)));
}

// Returns a function that formats the numbers of one axis in one notation: with exponents if the largest number is very small or large, or the smallest one of a
// logarithmic axis is very small.
export function inOneNotation(numbers, smallest = Infinity) {
  const size = Math.max(...numbers.map(Math.abs));
  const exponents = Math.min(size, smallest) < 1e-3 || size >= 1e6;
  return (x) => (exponents && x !== 0 ? Number(x.toPrecision(10)).toExponential().replace("e+", "e") : String(Number(x.toPrecision(10))));
}

// Returns the labels of the ticks: their differences to the offset, rounded to multiples of the step.
function tickTexts(low, high, wanted, ticks) {
  const [step, offset] = [stepOf(low, high, wanted), offsetOf(low, high, wanted)];
  const numbers = ticks.map((tick) => (offset === 0 ? tick : Math.round((tick - offset) / step) * step));
  return numbers.map(inOneNotation(numbers));
}

function offsetText(low, high, wanted) {
  const offset = offsetOf(low, high, wanted);
  if (offset === 0) return "";
  const text = sizeOf(offset, 0) >= 1e6 ? offset.toExponential().replace("e+", "e") : String(offset);
  return offset > 0 ? `+${text}` : text;
}

// The number of ticks of an axis for its length in pixels.
const WANTED = { x: (u) => Math.max(2, Math.min(8, Math.floor(u.bbox.width / devicePixelRatio / 80))), y: () => 4 };
const rangeOf = (u, scale) => [u.scales[scale].min, u.scales[scale].max, WANTED[scale](u)];

// Returns the options of a linear axis for uPlot. The increments of uPlot end at 1e16, so that a longer axis would have no ticks; `incrs` returns one that it always
// accepts.
export function linearAxis(scale) {
  return {
    space: 1,
    incrs: (u, k, low, high) => [Math.max(5, high - low)],
    splits: (u, k, low, high) => ticksOf(low, high, WANTED[scale](u)),
    values: (u, ticks) => tickTexts(...rangeOf(u, scale), ticks),
  };
}

// Draws the offsets: above the tick labels of the ordinate, and at the right end of the abscissa.
export function drawOffsets(u, ink) {
  const { ctx, bbox } = u;
  const pixel = devicePixelRatio;
  ctx.save();
  ctx.font = `${12 * pixel}px system-ui, sans-serif`;
  ctx.fillStyle = ink;
  ctx.textAlign = "right";
  ctx.textBaseline = "alphabetic";
  if (u.scales.y.distr !== 3) ctx.fillText(offsetText(...rangeOf(u, "y")), bbox.left - 10 * pixel, bbox.top - 7 * pixel);
  ctx.fillText(offsetText(...rangeOf(u, "x")), bbox.left + bbox.width, bbox.top + bbox.height + 44 * pixel);
  ctx.restore();
}

// Returns a number for a legend, with as many digits as the axis resolves.
export function legendText(u, scale, x) {
  const [low, high, wanted] = rangeOf(u, scale);
  const more = u.scales[scale].distr === 3 || offsetOf(low, high, wanted) === 0 ? 0 : Math.ceil(Math.log10(sizeOf(low, high) / (high - low)));
  return shown(x, Math.min(DIGITS + more, 16));
}
