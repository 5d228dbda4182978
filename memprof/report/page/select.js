// select.js - which samples are selected, and their sums: query/query.c and query/groups.c in
// JavaScript.
//
// What does not depend on the time range is computed once (`scopeOf`), so a brush move only looks
// at times.

function matchLocations(profile, pattern) {
  const texts = profile.texts.site, keys = profile.keyOf.site, re = new RegExp(pattern);
  const matches = texts.map(text => re.test(text));
  return keys.reduce((out, key, i) => (out[i] = matches[key], out), new Uint8Array(keys.length));
}

// The nodes that focus and ignore leave out, the hidden ones, and for each node the innermost
// caller that is not hidden.
function flagNodes(profile, s) {
  const {parent, location} = profile, n = parent.length;
  const [focus, ignore, hide] = [s.focus, s.ignore, s.hide]
    .map(pattern => pattern ? matchLocations(profile, pattern) : null);
  const through = new Uint8Array(n), avoided = new Uint8Array(n), out = new Uint8Array(n);
  const hidden = new Uint8Array(n), shown = new Uint32Array(n);
  for (let i = 0; i < n; i++) {
    const l = location[i], up = parent[i];
    through[i] = through[up] | (i > 0 && focus !== null ? focus[l] : 0);
    avoided[i] = avoided[up] | (i > 0 && ignore !== null ? ignore[l] : 0);
    hidden[i] = i > 0 && hide !== null ? hide[l] : 0;
    out[i] = (focus !== null && !through[i]) | avoided[i];
    shown[i] = hidden[i] ? shown[up] : i;
  }
  return {out, hidden, shown};
}

// The parts of a time range that lie in a phase, joined; without a phase, the range.
function spansOf(profile, phase, from, to) {
  if (!phase) return [[from, to]];
  const spans = profile.facts.phases.filter(p => p[2] === phase)
    .map(p => [Math.max(p[0], from), Math.min(p[1] === null ? Infinity : p[1], to)])
    .filter(p => p[0] < p[1]).sort((a, b) => a[0] - b[0]), joined = [];
  for (const span of spans) {
    const last = joined[joined.length - 1];
    if (last && span[0] <= last[1]) last[1] = Math.max(last[1], span[1]);
    else joined.push(span);
  }
  return joined;
}

function holds(spans, time) {
  const n = countWhile(spans.length, i => spans[i][0] <= time);
  return n > 0 && time < spans[n - 1][1];
}

// What selectors other than the time range and `what` leave: flags of nodes, samples (1: kept).
function scopeOf(profile, s) {
  const flags = flagNodes(profile, s), n = profile.samples, kept = new Uint8Array(n);
  const size = boundsOf(s.size, readNumber), life = boundsOf(s.life, readTime);
  if (size === undefined) throw new Error('size: write MIN..MAX in words, such as 2..8');
  if (life === undefined) throw new Error('life: write MIN..MAX, such as 1ms..2s');
  const threads = profile.facts.thread_numbers.map(([domain, thread]) =>
    (!s.domain || Number(s.domain) === domain) && (!s.thread || Number(s.thread) === thread));
  for (let i = 0; i < n; i++) {
    const words = profile.words[i] + (profile.source[i] !== FIBER);
    const length = profile.died[i] - profile.born[i];
    kept[i] = !flags.out[profile.node[i]] && threads[profile.thread[i]] && !(size[0] !== null && words < size[0]) &&
      !(size[1] > 0 && words > size[1]) && !(life[0] !== null && length < life[0]) &&
      !(life[1] !== null && length > life[1]);
  }
  return {...flags, kept, keys: {}, hasHide: s.hide !== '',
    isWhole: !s.focus && !s.ignore && !s.phase && !s.size && !s.life && !s.domain && !s.thread};
}

// The numbers of the selected samples, in the order of births, put into `out`.
function pick(profile, scope, s, out) {
  const {born, promoted, died, young, source} = profile, kept = scope.kept;
  const at = resolve(s.to, profile, s.live), live = isLive(s);
  const from = s.what === 'live' ? 0 : s.from;
  const to = s.what === 'live' || s.to === 'end' ? Infinity : at;
  const spans = spansOf(profile, s.phase, from, to), simple = !s.phase;
  const within = time => simple ? time >= from && time < to : holds(spans, time);
  let n = 0;
  const first = live || s.what === 'alloc' ? countWhile(profile.samples, i => born[i] < from) : 0;
  if (live) {
    const until = profile.until[s.live];
    const last = countWhile(profile.samples, i => born[i] <= at && born[i] < to);
    for (let i = first; i < last; i++)
      if (kept[i] && until[i] >= at && (simple || within(born[i]))) out[n++] = i;
  } else if (s.what === 'alloc') {
    const last = countWhile(profile.samples, i => born[i] < to);
    for (let i = first; i < last; i++)
      if (kept[i] && source[i] !== FIBER && (simple || within(born[i]))) out[n++] = i;
  } else {
    const time = s.what === 'promoted' ? promoted : died;
    const stayed = s.what === 'minor-dead' ? 1 : s.what === 'major-dead' ? 0 : -1;
    for (let i = 0; i < profile.samples; i++) {
      if (!kept[i] || time[i] === Infinity || source[i] === FIBER) continue;
      const stayedYoung = young[i] && promoted[i] === Infinity ? 1 : 0;
      if (stayed >= 0 && stayed !== stayedYoung) continue;
      if (within(time[i])) out[n++] = i;
    }
  }
  return out.subarray(0, n);
}

function addSample(sum, profile, i) {
  sum.samples++;
  sum.hits += profile.hits[i];
  if (profile.source[i] === FIBER) sum.fiberHits += profile.hits[i];
  sum.blocks += profile.blocks[i];
  sum.variance += profile.variance[i];
}

function sumOf(profile, picked, holdsSample = null) {
  const sum = emptySum();
  for (const i of picked) if (holdsSample === null || holdsSample(i)) addSample(sum, profile, i);
  return sum;
}

// Hits by fate, in the order of its numbers; promoted ones count again.
const fates = [['minor_dead', 'died in the minor heap'], ['major_dead', 'died in the major heap'],
  ['live', 'live at the end'], ['promoted', 'promoted']];

function addFate(group, profile, i) {
  const hits = profile.hits[i], fate = profile.fate[i];
  if (fate === LIVE) group.live += hits;
  else if (fate === DIED_OLD) group.major_dead += hits;
  else group.minor_dead += hits;
  if (profile.promoted[i] !== Infinity) group.promoted += hits;
}

const newGroup = (key, text) => ({key, text, sum: emptySum(), minor_dead: 0, major_dead: 0, live: 0,
  promoted: 0});

// Of each sample f.
function perSample(profile, f) {
  const out = new Uint32Array(profile.samples);
  for (let i = 0; i < out.length; i++) out[i] = f(i);
  return out;
}

// The phase in which each sample was born, and the names of phases.
function phasesOf(profile) {
  const changes = profile.facts.phase_changes, names = ['(no phase)'];
  const numbers = changes.map(([, name]) => {
    const known = name ? names.indexOf(name) : 0;
    return known >= 0 ? known : names.push(name) - 1;
  });
  let n = 0;
  return {texts: names, of: perSample(profile, i => {
    while (n < changes.length && changes[n][0] <= profile.born[i]) n++;
    return n === 0 ? 0 : numbers[n - 1];
  })};
}

// The key of each sample under a `by`, and the texts of keys.
function makeKeys(profile, scope, by) {
  const {facts, node, thread, domain, location} = profile;
  switch (by) {
  case 'phase': return phasesOf(profile);
  case 'source': return {of: profile.source, texts: facts.source};
  case 'tag': return {of: profile.tag, texts: facts.tag};
  case 'domain': return {of: perSample(profile, i => domain[thread[i]]), texts: facts.domain};
  case 'thread': return {of: thread, texts: facts.thread};
  default: {
    const keys = scope.shown.map(n => profile.keyOf[by][location[n]]);
    return {of: perSample(profile, i => keys[node[i]]), texts: profile.texts[by]};
  }
  }
}

// The same, computed once for a scope.
const keysBy = (profile, scope, by) =>
  scope.keys[by] || (scope.keys[by] = makeKeys(profile, scope, by));

// Whether words and blocks of all locations were counted, and the selection is all of them.
const isExact = (profile, scope, s) => profile.facts.has_sites && !profile.facts.truncated &&
  s.what === 'alloc' && scope.isWhole && !hasRange(s) && !scope.hasHide && s.unit !== 'samples' &&
  s.by in profile.keyOf;

// The groups of the picked samples by key; undefined: there are none of that key.
function sumByKey(profile, keys, picked) {
  const {of, texts} = keys, groups = new Array(texts.length);
  for (let k = 0; k < picked.length; k++) {
    const i = picked[k], key = of[i];
    const group = groups[key] || (groups[key] = newGroup(key, texts[key]));
    addSample(group.sum, profile, i);
    addFate(group, profile, i);
  }
  return groups;
}

// Sums the picked samples by a key: the groups, the largest first, and the total.
function groupsOf(profile, scope, s, picked) {
  const keys = keysBy(profile, scope, s.by), total = newGroup(null, 'all');
  const exact = isExact(profile, scope, s), groups = sumByKey(profile, keys, picked);
  const groupOf = key => groups[key] || (groups[key] = newGroup(key, keys.texts[key]));
  for (const group of Object.values(groups)) {
    addToSum(total.sum, group.sum);
    for (const [fate] of fates) total[fate] += group[fate];
  }
  if (exact) {
    total.words = total.blocks = 0;
    profile.siteWords.forEach((words, l) => {
      if (words === 0) return;
      const group = groupOf(profile.keyOf[s.by][l]);
      for (const g of [group, total]) {
        g.words = (g.words || 0) + words;
        g.blocks = (g.blocks || 0) + profile.siteBlocks[l];
      }
    });
  }
  const size = g => exact ? g.words || 0 : g.sum.hits;
  const rows = Object.values(groups).sort((a, b) => size(b) - size(a) ||
    (s.by in profile.keyOf ? a.key - b.key : a.text < b.text ? -1 : 1));
  for (const g of [...rows, total]) {
    g.share = size(g) / size(total);
    g.estimate = !exact ? estimators[s.unit](profile.scale, g.sum) : exactly(
      s.unit === 'words' ? g.words || 0 : s.unit === 'blocks' ? g.blocks || 0
      : (g.words || 0) * profile.scale.wordBytes);
    g.blocks = exact ? exactly(g.blocks || 0) : estimateBlocks(profile.scale, g.sum);
    g.fate = fate => g.sum.hits > 0 ? estimateShare(profile.scale, {hits: g[fate]}, g.sum)
      : exactly(NaN);
  }
  return {rows, total, exact};
}

// How long each sample lived, until the end of the run at most, and their numbers by that time; at
// the same time those that died come first. Computed once for a profile.
function lengthsOf(profile) {
  if (profile.lengths) return profile.lengths;
  const {born, died, end} = profile, length = new Float64Array(profile.samples);
  for (let i = 0; i < length.length; i++) length[i] = Math.min(died[i], end) - born[i];
  const order = perSample(profile, i => i)
    .sort((a, b) => length[a] - length[b] || (died[a] === Infinity) - (died[b] === Infinity));
  return profile.lengths = {length, order, picked: new Uint8Array(profile.samples)};
}

// The share of the memory that lives longer than 1 us, 10 us ...: Kaplan and Meier.
function survivalOf(profile, picked) {
  const {length, order, picked: isPicked} = lengthsOf(profile), {hits, died} = profile, rows = [];
  let all = 0;
  isPicked.fill(0);
  for (let k = 0; k < picked.length; k++) {
    isPicked[picked[k]] = 1;
    all += hits[picked[k]];
  }
  let atRisk = all, alive = 1, greenwood = 0, k = 0;
  for (let age = 1e3; picked.length > 0 && age < 10 * profile.end; age *= 10) {
    for (; k < order.length && length[order[k]] <= age; k++) {
      const i = order[k], n = hits[i];
      if (!isPicked[i]) continue;
      if (died[i] !== Infinity && atRisk > 0) alive *= 1 - n / atRisk;
      if (died[i] !== Infinity && atRisk > n) greenwood += n / (atRisk * (atRisk - n));
      atRisk -= n;
    }
    if (atRisk <= 0 && alive > 0) break;
    if (alive < 1e-12) alive = 0;
    rows.push({age, alive: estimateSurvival(profile.scale, alive, greenwood, all)});
    if (alive === 0) break;
  }
  return rows;
}

// What each sample adds to a path's weight in a unit; null: 1.
const weightIn = (profile, unit) => unit === 'blocks' ? profile.blocks
  : unit === 'samples' ? null : profile.hits;

// What the picked samples have by key, an array of numbers for each sample, added to sums; keys
// below 0 are left out.
function addByKey(sums, keys, picked, weight) {
  for (let k = 0; k < picked.length; k++) {
    const i = picked[k];
    if (keys[i] >= 0) sums[keys[i]] += weight === null ? 1 : weight[i];
  }
  return sums;
}
