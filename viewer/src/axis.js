// The axes of plots: the rules of src/cli/axis.c. An axis whose values differ by little beside their size has an offset, which is written once ("+1.7e9"): its
// ticks are differences to it.

import { shown } from "./dom.js";

const ROUNDING = 64 * Number.EPSILON; // beside the largest value: what varies by less is constant
const SINGLE = 4 * 2 ** -24; // the same of differences to a base, which have single precision
const FEW_DIGITS = 1e6; // from so many steps from 0 on ticks have an offset
const DIGITS = 6; // of a number in a legend; more where the axis has an offset

const sizeOf = (low, high) => Math.max(Math.abs(low), Math.abs(high));

// Whether values between low and high are all the same but for rounding; `bases` are the numbers that curves of single precision start from.
export function isConstant(low, high, bases = []) {
  const single = Math.max(0, ...bases.map((b) => sizeOf(low - b, high - b)));
  return high - low <= Math.max(ROUNDING * sizeOf(low, high), SINGLE * single);
}

// A scale with some air, also for a curve that is constant but for rounding.
export function withAir(low, high, bases) {
  if (low === null || high === null) return [0, 1];
  const size = sizeOf(low, high);
  const air = isConstant(low, high, bases) ? 0.05 * size || 1e-9 : 0.06 * (high - low);
  return [Math.max(low - air, -Number.MAX_VALUE), Math.min(high + air, Number.MAX_VALUE)];
}

// A range of time; a single instant gets some room.
export function ofTime(start, end) {
  return isConstant(start, end) ? [start, start + Math.max(1e-12, 1e-6 * Math.abs(start))] : [start, end];
}

function stepOf(low, high, wanted) {
  const rough = high / wanted - low / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const digit = rough / power;
  return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

// The number of the axis with the fewest digits, if its ticks had many: 0 if they have few.
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

// Numbers of one axis, all in one notation: with exponents if the largest is tiny or huge, or if the smallest on a logarithmic axis is.
export function inOneNotation(numbers, smallest = Infinity) {
  const size = Math.max(...numbers.map(Math.abs));
  const exponents = Math.min(size, smallest) < 1e-3 || size >= 1e6;
  return (x) => (exponents && x !== 0 ? Number(x.toPrecision(10)).toExponential().replace("e+", "e") : String(Number(x.toPrecision(10))));
}

// The ticks' numbers: their differences to the offset, without digits that rounding has left.
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

// How many ticks an axis of so many pixels gets.
const WANTED = { x: (u) => Math.max(2, Math.min(8, Math.floor(u.bbox.width / devicePixelRatio / 80))), y: () => 4 };
const rangeOf = (u, scale) => [u.scales[scale].min, u.scales[scale].max, WANTED[scale](u)];

// What a linear axis of uPlot needs. Its own increments end at 1e16, so that a longer axis had no ticks: it is told of one that is always found.
export function linearAxis(scale) {
  return {
    space: 1,
    incrs: (u, k, low, high) => [Math.max(5, high - low)],
    splits: (u, k, low, high) => ticksOf(low, high, WANTED[scale](u)),
    values: (u, ticks) => tickTexts(...rangeOf(u, scale), ticks),
  };
}

// The offsets, above the ordinate's numbers and at the end of the abscissa.
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

// A number in a legend: with the digits that the axis shows.
export function legendText(u, scale, x) {
  const [low, high, wanted] = rangeOf(u, scale);
  const more = u.scales[scale].distr === 3 || offsetOf(low, high, wanted) === 0 ? 0 : Math.ceil(Math.log10(sizeOf(low, high) / (high - low)));
  return shown(x, Math.min(DIGITS + more, 16));
}
