// estimate.js - estimates with their 95 % intervals: model/estimate.c in JavaScript. A test
// compares both on the same sums.
//
//   sum    {samples, hits, fiberHits, blocks, variance}
//   scale  {rate, totalHits, exactWords, wordBytes}; exactWords 0: unknown

const Z = 1.959963984540054; // of 95 %
const MANY = 30; // samples from which the normal approximation is good enough

const emptySum = () => ({samples: 0, hits: 0, fiberHits: 0, blocks: 0, variance: 0});

// The probability that a block of that many words is sampled.
function sampledWith(rate, words) {
  const p = rate < 1 ? -Math.expm1(words * Math.log1p(-rate)) : 1;
  return p > 0 ? p : rate;
}

function addToSum(sum, more) {
  for (const key in sum) sum[key] += more[key];
}

// The score interval of the mean of a Poisson count; a high rate narrows it.
function countBounds(n, rate) {
  const narrow = Math.sqrt(1 - rate), half = Z * Math.sqrt(n + Z * Z / 4);
  if (narrow === 0) return {value: n, low: n, high: n};
  return {value: n, low: n > 0 ? n - (half - Z * Z / 2) * narrow : 0,
    high: n + (half + Z * Z / 2) * narrow};
}

// Wilson's interval of n in total, drawn without putting back: a high rate narrows it.
function proportion(n, total, rate) {
  if (!(total > 0)) return {value: 0, low: 0, high: Math.sqrt(1 - rate)};
  const p = n / total, zz = Z * Z, narrow = Math.sqrt(1 - rate);
  const middle = (p + zz / (2 * total)) / (1 + zz / total);
  const half = Z / (1 + zz / total) * Math.sqrt(p * (1 - p) / total + zz / (4 * total * total));
  const low = n <= 0 ? 0 : Math.max(0, middle - half);
  const high = n >= total ? 1 : Math.min(1, middle + half);
  return {value: p, low: p - (p - low) * narrow, high: p + (high - p) * narrow};
}

const times = (e, f) => ({value: e.value * f, low: e.low * f, high: e.high * f});
const exactly = n => ({value: n, low: n, high: n});

function allocatedWords(scale, hits) {
  if (scale.exactWords > 0 && hits >= scale.totalHits) return exactly(scale.exactWords);
  if (scale.exactWords > 0)
    return times(proportion(hits, scale.totalHits, scale.rate), scale.exactWords);
  return times(countBounds(hits, scale.rate), 1 / scale.rate);
}

// The sum of independent estimates: distances to the bounds add up as standard errors do.
function plus(a, b) {
  const value = a.value + b.value;
  return {value, low: value - Math.hypot(a.value - a.low, b.value - b.low),
    high: value + Math.hypot(a.high - a.value, b.high - b.value)};
}

function estimateWords(scale, sum) {
  const hits = sum.hits - sum.fiberHits; // suspended fibers have no exact total
  if (sum.fiberHits === 0) return allocatedWords(scale, hits);
  const fibers = times(countBounds(sum.fiberHits, scale.rate), 1 / scale.rate);
  return hits === 0 ? fibers : plus(allocatedWords(scale, hits), fibers);
}

const estimateBytes = (scale, sum) => times(estimateWords(scale, sum), scale.wordBytes);

function estimateBlocks(scale, sum) {
  const correction = scale.exactWords > 0 ? scale.exactWords * scale.rate / scale.totalHits : 1;
  const e = exactly(sum.blocks);
  if (sum.samples === 0) {
    e.high = countBounds(0, scale.rate).high / scale.rate;
  } else if (sum.variance > 0 && sum.samples < MANY) {
    const n = countBounds(sum.samples, 0), width = Math.sqrt(sum.variance / sum.samples);
    e.low = Math.max(sum.samples, sum.blocks - (n.value - n.low) * width);
    e.high = sum.blocks + (n.high - n.value) * width;
  } else {
    e.low = Math.max(sum.samples, sum.blocks - Z * Math.sqrt(sum.variance));
    e.high = sum.blocks + Z * Math.sqrt(sum.variance);
  }
  return times(e, correction);
}

const estimateShare = (scale, part, whole) => proportion(part.hits, whole.hits, scale.rate);

// The share `alive` of words that survive an age, by Kaplan and Meier, with Greenwood's sum.
function estimateSurvival(scale, alive, greenwood, atRisk) {
  let trials = greenwood > 0 ? (1 - alive) / (alive * greenwood) : atRisk;
  if (!(alive > 0)) trials = atRisk;
  return proportion(alive * trials, trials, scale.rate);
}

const estimators = {bytes: estimateBytes, words: estimateWords, blocks: estimateBlocks,
  samples: (scale, sum) => exactly(sum.samples)};
