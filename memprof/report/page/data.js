// data.js - unpacks the profile; its form is drawn in pack.c.
//
// A profile has a typed array for each field of samples, nodes, locations and collector events.
// Times are nanoseconds since its start; Infinity: never.

async function inflate(base64) {
  const bytes = Uint8Array.from(atob(base64), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// A function that reads the next column of n numbers into an array.
function columnReader(bytes, at) {
  return (array, n, first = 0) => {
    for (let i = first; i < n; i++) {
      let byte = bytes[at++], number = byte & 127;
      for (let scale = 128; byte > 127; scale *= 128) {
        byte = bytes[at++];
        number += (byte & 127) * scale;
      }
      array[i] = number;
    }
    return array;
  };
}

// Makes differences into numbers.
function accumulate(array, first = 1) {
  for (let i = first; i < array.length; i++) array[i] += array[i - 1];
  return array;
}

const MINOR_SOURCE = 0, EXTERNAL = 2, FIBER = 3;

function unpack(bytes) {
  const length = bytes[0] + bytes[1] * 256 + bytes[2] * 65536 + bytes[3] * 16777216;
  const facts = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const read = columnReader(bytes, 4 + length), n = facts.samples;
  const p = {facts, samples: n, end: facts.end, keyOf: {}, texts: {...facts.keys},
    scale: {rate: facts.rate, totalHits: facts.all_hits, exactWords: facts.exact_words,
      wordBytes: facts.word_bytes}};
  const locations = facts.locations;
  for (const by in facts.keys) p.keyOf[by] = read(new Uint32Array(locations), locations);
  p.line = read(new Uint32Array(locations), locations); // 0: unknown
  if (facts.has_sites) {
    p.siteWords = read(new Float64Array(locations), locations);
    p.siteBlocks = read(new Float64Array(locations), locations);
  }
  p.parent = read(new Uint32Array(facts.nodes), facts.nodes, 1);
  for (let i = 1; i < facts.nodes; i++) p.parent[i] = i - p.parent[i];
  p.location = read(new Uint32Array(facts.nodes), facts.nodes, 1);
  const moments = accumulate(read(new Float64Array(facts.moments), facts.moments));
  p.born = accumulate(read(new Float64Array(n), n));
  p.node = read(new Uint32Array(n), n);
  p.promoted = read(new Float64Array(n), n);
  p.died = read(new Float64Array(n), n);
  for (let i = 0, next = 0; i < n; i++) {
    while (next < moments.length && moments[next] < p.born[i]) next++;
    p.promoted[i] = p.promoted[i] === 0 ? Infinity : moments[next + p.promoted[i] - 1];
    p.died[i] = p.died[i] === 0 ? Infinity : moments[next + p.died[i] - 1];
  }
  p.words = read(new Float64Array(n), n); // without the header
  p.hits = read(new Float64Array(n), n);
  p.tag = read(new Uint16Array(n), n); // plus 1
  p.source = read(new Uint8Array(n), n);
  p.young = p.source.map(s => s >> 2);
  p.source = p.source.map(s => s & 3);
  p.thread = read(new Uint32Array(n), n);
  p.domain = read(new Uint32Array(facts.threads), facts.threads);
  const count = facts.events;
  p.events = {start: accumulate(read(new Float64Array(count), count)),
    kind: read(new Uint8Array(count), count), duration: read(new Float64Array(count), count),
    processor: read(new Float64Array(count), count).map(ns => ns - 1), // -1: unknown
    words: read(new Float64Array(count), count), cause: read(new Uint8Array(count), count)};
  const markings = accumulate(read(new Float64Array(2 * facts.markings), 2 * facts.markings));
  p.markings = {began: markings.filter((t, i) => i % 2 === 0),
    over: markings.filter((t, i) => i % 2 === 1)};
  const ticks = facts.ticks, residents = facts.residents;
  p.ticks = {time: accumulate(read(new Float64Array(ticks), ticks)),
    location: read(new Uint32Array(ticks), ticks), running: read(new Float64Array(ticks), ticks),
    collecting: read(new Float64Array(ticks), ticks)};
  p.resident = {time: accumulate(read(new Float64Array(residents), residents)),
    bytes: read(new Float64Array(residents), residents)};
  addWeights(p);
  addLiveUntil(p);
  return p;
}

const DIED_YOUNG = 0, DIED_OLD = 1, LIVE = 2;

// What each sample adds to the number of blocks, and to its variance; its fate; the logarithm of
// its size.
function addWeights(p) {
  const known = new Map();
  p.blocks = new Float64Array(p.samples);
  p.variance = new Float64Array(p.samples);
  p.fate = new Uint8Array(p.samples);
  p.sizeClass = new Uint8Array(p.samples);
  p.hasFibers = p.source.includes(FIBER);
  for (let i = 0; i < p.samples; i++) {
    const stayedYoung = p.young[i] && p.promoted[i] === Infinity;
    p.fate[i] = p.died[i] === Infinity ? LIVE : stayedYoung ? DIED_YOUNG : DIED_OLD;
    const words = p.words[i] + (p.source[i] < EXTERNAL);
    let chance = known.get(words);
    if (chance === undefined) known.set(words, chance = sampledWith(p.scale.rate, words));
    p.sizeClass[i] = Math.floor(Math.log2(Math.max(1, words)));
    p.blocks[i] = 1 / chance;
    p.variance[i] = (1 - chance) / (chance * chance);
  }
}

// The number of leading items of a sorted array for which a test holds.
function countWhile(length, holds) {
  let low = 0, high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle + 1; else high = middle;
  }
  return low;
}

// The last moment at which a marking found a block of the major heap reachable; -1: none did.
function markedUntil(p, since, died) {
  const n = countWhile(p.markings.over.length, i => p.markings.over[i] < died);
  if (n === 0 || p.markings.began[n - 1] < since) return -1;
  return died === Infinity ? Infinity : p.markings.began[n - 1];
}

// The last moment at which each sample counts as live, by both bounds (query/query.h).
function addLiveUntil(p) {
  const uncollected = p.died.map((died, i) => died - 1);
  const proven = p.markings.began.length === 0 ? uncollected : uncollected.map((until, i) => {
    const born = p.born[i], died = p.died[i], promoted = p.promoted[i], young = p.young[i];
    if (p.source[i] === FIBER || died <= born) return until;
    if (young && promoted === Infinity) return born - 1;
    const marked = markedUntil(p, young ? promoted : born, died);
    return marked >= 0 ? marked : young ? promoted : born - 1;
  });
  p.until = {proven, uncollected};
}
