// diff.js - what changed between this profile and a second one, of the page or of a report that one
// drops on it: view/changes.c in JavaScript, and call paths of both.

// The probability that a difference of z standard errors is due to chance: erfc(|z| / sqrt 2), by
// its series or, far out, its continued fraction.
function pValue(z) {
  const x = Math.abs(z) / Math.SQRT2;
  if (x > 27) return 0;
  if (x < 2.5) {
    let term = x, sum = x;
    for (let n = 1; Math.abs(term) > 1e-17 * sum; n++) sum += (term *= -x * x / n) / (2 * n + 1);
    return 1 - 2 / Math.sqrt(Math.PI) * sum;
  }
  let fraction = x;
  for (let n = 60; n > 0; n--) fraction = x + n / 2 / fraction;
  return Math.exp(-x * x) / fraction / Math.sqrt(Math.PI);
}

const standardError = e => (e.high - e.low) / (2 * 1.96);

function chanceOf(before, after) {
  const error = Math.hypot(standardError(before), standardError(after));
  const difference = after.value - before.value;
  return error > 0 ? pValue(difference / error) : difference === 0 ? 1 : 0;
}

// The rows of both groups, joined by their names; Benjamini and Hochberg bound false positives.
function changesOf(before, after, none) {
  const rows = new Map();
  [before, after].forEach((groups, side) => groups.rows.forEach(group => {
    if (!rows.has(group.text)) rows.set(group.text, {text: group.text, of: [none[0], none[1]]});
    rows.get(group.text).of[side] = group.estimate;
  }));
  const all = [...rows.values()];
  for (const row of all) {
    row.p = chanceOf(...row.of);
    row.change = row.of[1].value - row.of[0].value;
  }
  all.sort((a, b) => a.p - b.p || (a.text < b.text ? -1 : 1));
  const certain = all.reduce((n, row, i) => row.p <= 0.05 * (i + 1) / all.length ? i + 1 : n, 0);
  all.forEach((row, i) => { row.real = i < certain ? 'yes' : row.p < 0.05 ? 'maybe' : 'chance'; });
  return all.sort((a, b) => (b.real === 'yes') - (a.real === 'yes') ||
    Math.abs(b.change) - Math.abs(a.change) || (a.text < b.text ? -1 : 1));
}

// The call paths of two profiles in one tree, for Flame. A bar is as wide as the larger of both
// sides, or as its children together. factors: the value of a weight of 1, by side.
class Union {
  constructor(trees, factors) {
    Object.assign(this, {trees, factors, parent: [0], names: ['all'], paths: [[0, 0]],
      below: [[]]});
    this.values = [this.valuesOf([0, 0])];
    const least = 0.0005 * Math.max(...this.values[0]);
    for (let path = 0; path < this.parent.length; path++) this.expand(path, least);
    this.sums = this.values.map(v => Math.max(...v));
    for (let path = this.parent.length - 1; path >= 0; path--) {
      const together = this.below[path].reduce((sum, c) => sum + this.sums[c], 0);
      this.sums[path] = Math.max(this.sums[path], together);
      this.below[path].sort((a, b) => this.sums[b] - this.sums[a]);
    }
  }

  valuesOf(paths) {
    return paths.map((path, side) =>
      path < 0 ? 0 : this.trees[side].sums[path] * this.factors[side]);
  }

  expand(path, least) {
    const found = new Map();
    this.trees.forEach((tree, side) => {
      const at = this.paths[path][side];
      for (const child of at < 0 ? [] : tree.children(at)) {
        const name = tree.text(child);
        if (!found.has(name)) found.set(name, [-1, -1]);
        found.get(name)[side] = child;
      }
    });
    for (const [name, paths] of found) {
      const values = this.valuesOf(paths);
      if (Math.max(...values) < least) continue;
      this.below[path].push(this.parent.length);
      this.parent.push(path);
      this.names.push(name);
      this.paths.push(paths);
      this.values.push(values);
      this.below.push([]);
    }
  }

  children(path) { return this.below[path]; }
  text(path) { return this.names[path]; }
}

const sides = ['before', 'after'];

// The profile of a dropped or chosen report; what is wrong with it, as an exception.
async function readReport(file) {
  const text = await file.text(), found = / id="data">([\w+\/=]+)<\/script>/.exec(text);
  if (!found) throw new Error(`${file.name} is no report of \`bactrian prof html\``);
  const profile = unpack(await inflate(found[1]));
  page.other = profile;
  change({tab: 'diff'});
}

// The selection in both profiles, the earlier first: scope, samples, sums and paths of each.
function compared() {
  const proven = P.facts.markings > 0 && page.other.facts.markings > 0;
  const s = {...S, live: proven ? S.live : 'uncollected'};
  const pair = [P, page.other].map(profile => {
    const scope = scopeOf(profile, s), buffer = new Uint32Array(profile.samples);
    const picked = pick(profile, scope, s, buffer);
    const sum = sumOf(profile, picked);
    const paths = new (s.inverted ? Outward : Inward)(profile, scope, stepsOf(s));
    paths.weigh(picked, s.unit);
    return {profile, paths, sum, groups: groupsOf(profile, scope, s, picked),
      none: estimators[s.unit](profile.scale, emptySum())};
  });
  return page.swapped ? pair.reverse() : pair;
}

function drawDiff() {
  $('diff-views').hidden = !page.other;
  if (!page.other) return;
  const pair = compared(), show = unitShow(S.unit), signed = n => (n > 0 ? '+' : '') + show(n);
  let rows = changesOf(pair[0].groups, pair[1].groups, pair.map(side => side.none));
  if ($('certain').checked) rows = rows.filter(row => row.real === 'yes');
  const totals = pair.map(side => side.groups.total.estimate);
  const names = pair.map(side => side.profile.facts);
  $('diff-title').textContent = `${signed(totals[1].value - totals[0].value)}: from ` +
    `${show(totals[0].value)} (${names[0].file}, ${names[0].stats.run.started}) to ` +
    `${show(totals[1].value)} (${names[1].file}, ${names[1].stats.run.started})`;
  fillTable($('changes'), [{title: 'change', of: r => r.change, show: signed},
    ...sides.map((title, i) => ({title, of: r => r.of[i].value, show, interval: r => r.of[i]})),
    {title: 'by', of: r => r.change / r.of[0].value, show: shareText},
    {title: 'real?', of: r => r.real}, {title: bys[S.by], of: r => r.text}], rows,
  tableState('diff'));
  drawDiffPaths(pair);
}

function drawDiffPaths(pair) {
  const value = (side, weight) => S.unit === 'samples' ? exactly(weight)
    : S.unit === 'blocks' ? exactly(weight)
    : estimators[S.unit](side.profile.scale, {hits: weight, fiberHits: 0});
  const factors = pair.map(side => value(side, 1e6).value / 1e6);
  const union = new Union(pair.map(side => side.paths), factors);
  const estimates = path => union.paths[path].map((p, side) =>
    value(pair[side], p < 0 ? 0 : pair[side].paths.sums[p]));
  page.diff.tipText = path => {
    const [before, after] = estimates(path), show = unitShow(S.unit);
    const real = chanceOf(before, after) < 0.05 ? 'significant by itself' : 'explained by chance';
    return `${union.text(path)}\nbefore: ${estimateText(before, show)}\n` +
      `after: ${estimateText(after, show)}\n${real}`;
  };
  page.diff.show(union, 0, path => {
    const [before, after] = union.values[path], whole = union.sums[path];
    const real = chanceOf(...estimates(path)) < 0.05;
    return {fill: otherFill, hit: false, sign: after > before ? '+' : after < before ? '−' : '',
      inner: {from: Math.min(before, after) / whole, to: Math.max(before, after) / whole,
        fill: !real ? null : after > before ? palette[1] : palette[0]}};
  }, sum => unitShow(S.unit)(sum));
}
