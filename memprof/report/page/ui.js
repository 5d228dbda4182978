// ui.js - the page: one selection drives all views. A change goes through `change`, which writes
// the address and draws in the next frame what is visible.

let P, S; // the profile, the selection
const page = {scopeKey: '', paths: new Map(), tables: {}};

async function start() {
  P = unpack(await inflate($('data').textContent));
  if ($('after').textContent) page.other = unpack(await inflate($('after').textContent));
  if ($('texts').textContent)
    page.sources = unpackSources(await inflate($('texts').textContent));
  page.reports = readReports(await inflate($('reports').textContent));
  for (const id of ['data', 'after', 'texts', 'reports']) $(id).textContent = '';
  page.buffer = new Uint32Array(P.samples);
  page.modules = modulesOf(P);
  P.begin = beginOf(P);
  S = fromHash(location.hash, P);
  setTheme();
  describeRun();
  makeControls();
  makeViews();
  draw();
  addEventListener('resize', () => { page.measured = null; draw(); });
  addEventListener('hashchange', () => { S = fromHash(location.hash, P); draw(); });
  document.addEventListener('keydown', onKey);
  matchMedia('(prefers-color-scheme: dark)').onchange = () => { setTheme(); draw(); };
  document.documentElement.dataset.ready = 'yes';
}

// Changes the selection. done: as a step that the browser's Back undoes; false while the user drags
// or types.
function change(fields, done = true) {
  page.moving = !done;
  const before = toHash(S, P);
  S = {...S, ...fields};
  // What happened is asked of the whole run, what was live at a moment.
  if (fields.what && !isLive(S) && S.from === 0 && S.to === 'peak') S.to = 'end';
  if ('by' in fields || 'inverted' in fields) S.zoom = '';
  if (stepsOf(S) !== S.by && S.tab === 'flame') S.tab = 'sites';
  const after = toHash(S, P);
  if (after !== before || done) request();
  if (after !== before) history[done ? 'pushState' : 'replaceState'](null, '', after);
}

// Draws in the next frame.
function request() {
  if (!page.frame) page.frame = requestAnimationFrame(() => { page.frame = 0; draw(); });
}

// The theme of the system until the button chooses the other one.
function setTheme() {
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  document.documentElement.dataset.theme = page.theme || (dark ? 'dark' : 'light');
}

// The number of the colour of each module, by node; the names of the largest modules.
function modulesOf(profile) {
  const keys = profile.keyOf.module, sums = new Float64Array(profile.texts.module.length);
  for (let i = 0; i < profile.samples; i++)
    sums[keys[profile.location[profile.node[i]]]] += profile.hits[i];
  const order = [...sums.keys()].filter(key => sums[key] > 0)
    .sort((a, b) => sums[b] - sums[a]).slice(0, palette.length);
  const rank = new Uint8Array(sums.length).fill(palette.length);
  order.forEach((key, i) => { rank[key] = i; });
  return {rank, names: order.map(key => profile.texts.module[key]),
    ofNode: Uint8Array.from(profile.location, l => rank[keys[l]])};
}

const tip = {
  show(text, e) {
    const box = $('tip');
    box.textContent = text;
    box.hidden = false;
    const {offsetWidth: w, offsetHeight: h} = box;
    const below = e.clientY + 20 + h < innerHeight;
    box.style.left = Math.max(4, Math.min(innerWidth - w - 8, e.clientX + 14)) + 'px';
    box.style.top = (below ? e.clientY + 18 : Math.max(4, e.clientY - h - 10)) + 'px';
  },
  hide() { $('tip').hidden = true; },
};

const goTo = to => change({what: 'live', from: 0, to});

function makeViews() {
  page.time = new Timeline($('time'), P, {
    range: (from, to, done) => change({from, to, what: S.what === 'live' ? 'born' : S.what}, done),
    moment: goTo, all: () => change({from: 0, to: 'end'}), tip: tip.show, untip: tip.hide});
  const flame = (id, label, zoom) => {
    const view = new Flame($(id), label, {zoom: path => zoom(view, path),
      select: path => { page.chosen = {view, paths: view.paths, path}; drawDetails(); },
      command: (key, path) => command(key, view.paths.text(path), view.paths.by),
      tip: (bar, e) => tip.show(tipOf(view, bar), e), untip: tip.hide});
    view.estimate = estimatePath;
    return view;
  };
  const turnTo = (view, path) => path !== 0 && change({fn: view.paths.text(path)});
  page.flame = flame('flame', 'call paths',
    (view, path) => change({zoom: view.paths.address(path)}));
  page.diff = new Flame($('diff-paths'), 'call paths of both', {zoom() {}, select() {},
    command() {}, untip: tip.hide, tip: (bar, e) => tip.show(bar.rest || bar.chain
      ? page.diff.label(bar) : page.diff.tipText(bar.path), e)});
  page.callers = flame('callers', 'callers', turnTo);
  page.callees = flame('callees', 'callees', turnTo);
}

// ---- Drawing. ----

function draw() {
  $('problem').textContent = '';
  try {
    makeScope();
  } catch (error) {
    $('problem').textContent = error.message;
    return;
  }
  page.picked = pick(P, page.scope, S, page.buffer);
  page.sum = sumOf(P, page.picked);
  page.match = matcher(S.search);
  drawSelection();
  drawTime();
  for (const tab in tabs) {
    $('tab-' + tab).hidden = tab !== S.tab;
    if ($('show-' + tab)) $('show-' + tab).setAttribute('aria-selected', tab === S.tab);
  }
  $('matched').textContent = '';
  drawTab[S.tab]();
  clearTimeout(page.timer);
  if (page.moving) page.timer = setTimeout(drawDetails, 100);
  else drawDetails();
}

// Computes what does not depend on the time range, if it has changed.
function makeScope() {
  const key = JSON.stringify(filters.map(name => S[name]));
  if (key === page.scopeKey) return;
  page.scope = scopeOf(P, S);
  page.scopeKey = key;
  page.paths.clear();
  page.measured = null;
}

// A function that tests whether a text matches the search; an empty search matches nothing.
function matcher(search) {
  if (search === '') return () => false;
  try {
    const re = new RegExp(search, 'i');
    return text => re.test(text);
  } catch (error) {
    $('problem').textContent = error.message;
    return () => false;
  }
}

function drawTime() {
  const theme = document.documentElement.dataset.theme, drawn = [S.axis, theme].join();
  if (page.measured !== drawn) {
    page.time.measure(page.scope, S, page.modules);
    page.time.drawLanes();
    page.measured = drawn;
  }
  page.time.drawRange(S);
  drawLegend();
}

// The paths in a direction, of all stacks or through a function, with the selection's weights.
function pathsOf(direction, by, key = -1) {
  const name = [direction, by, key].join();
  if (!page.paths.has(name)) {
    if (page.paths.size > 12) page.paths.clear();
    const Tree = direction === 'in' ? Inward : Outward;
    page.paths.set(name, new Tree(P, page.scope, by, key));
  }
  const paths = page.paths.get(name);
  paths.weigh(page.picked, S.unit);
  return paths;
}

// The estimate of a path's weight, without suspended fibers' own law.
function estimatePath(weight) {
  const {exactWords, rate, totalHits} = P.scale;
  if (S.unit === 'samples') return exactly(weight);
  if (S.unit === 'blocks')
    return exactly(weight * (exactWords > 0 ? exactWords * rate / totalHits : 1));
  return estimators[S.unit](P.scale, {hits: weight, fiberHits: 0});
}

const weightText = paths => weight => unitShow(S.unit)(estimatePath(weight).value) + ', ' +
  shareText(weight / paths.sums[0]);

// The colour of a bar: of its module, or by the share of its memory that is live at the end.
function styleOf(paths) {
  const fill = S.color === 'fate' ? fateFill(paths) : moduleFill(paths);
  return path => ({fill: path === 0 ? otherFill : fill(path),
    hit: path !== 0 && page.match(paths.text(path))});
}

function moduleFill(paths) {
  const rank = new Uint8Array(paths.texts.length);
  paths.keys.forEach((key, l) => { rank[key] = page.modules.rank[P.keyOf.module[l]]; });
  return path => palette[rank[paths.key[path]]] || otherFill;
}

function fateFill(paths) {
  const alive = new Float64Array(P.parent.length), all = new Float64Array(P.parent.length);
  for (const i of page.picked) {
    all[P.node[i]] += P.hits[i];
    if (P.died[i] === Infinity) alive[P.node[i]] += P.hits[i];
  }
  const kept = paths.sumNodes(alive), sums = paths.sumNodes(all);
  return path => fateFills[Math.min(4, Math.round(4 * kept[path] / sums[path]))];
}

const drawTab = {
  flame() {
    const paths = pathsOf(S.inverted ? 'out' : 'in', stepsOf(S)), zoom = paths.find(S.zoom);
    // Finding the zoomed path may have made others.
    if (S.inverted) paths.weigh(page.picked, S.unit);
    page.flame.show(paths, zoom, styleOf(paths), weightText(paths));
    drawCrumbs(paths, zoom);
    drawMatched(paths);
  },
  sandwich() {
    const key = P.texts.fn.indexOf(S.fn);
    for (const [view, direction] of [[page.callers, 'out'], [page.callees, 'in']]) {
      view.box.hidden = key < 0;
      if (key < 0) continue;
      const paths = pathsOf(direction, 'fn', key);
      view.show(paths, paths.find(String(key)), styleOf(paths), weightText(paths));
    }
  },
  sites() { sitesTable($('sites'), groups(), S, tableState('sites'), tableActions, page.match); },
  lifetimes() {
    lifetimesTables($('lifetimes'), $('survival'), groups(), survivalOf(P, page.picked), S,
      tableState('lifetimes'), tableActions);
  },
  source() {
    const file = sourceFile();
    $('file').value = file;
    $('no-source').hidden = file !== '';
    for (const id of ['file', 'whole']) $(id).parentNode.hidden = file === '';
    $('source').hidden = file === '';
    if (file !== '') sourceTable($('source'), P, page.scope, page.picked, S,
      {...page.sources, file, whole: $('whole').checked,
        marked: page.line && page.line.file === file ? page.line.line : 0});
    const marked = $('source').querySelector('tr.marked');
    if (marked && page.scrolls) marked.scrollIntoView({block: 'center'});
    page.scrolls = false;
  },
  growth() { drawReports($('tab-growth'), page.reports.growth); },
  advice() { drawReports($('tab-advice'), page.reports.advice); },
  holders() { drawReports($('tab-holders'), page.reports.holders); },
  diff: drawDiff,
  gc() { collectorTables($('gc'), $('longest'), P, S, tableState('gc'), 
    {moment: goTo, tables: {causes: $('causes'), processor: $('processor'),
      modules: $('modules')}}); },
  run() {},
};

// The file that is shown: the chosen one, or that through which most is allocated; '': there is none.
function sourceFile() {
  const {names} = page.sources || {names: []};
  return names.includes(S.file) ? S.file : names[0] || '';
}

const groups = () => groupsOf(P, page.scope, S, page.picked);
const tableState = tab => page.tables[tab + S.by] || (page.tables[tab + S.by] = {});
const tableActions = {selectKey(group) {
  page.chosen = {key: group.key, by: S.by};
  drawDetails();
}};

function drawCrumbs(paths, zoom) {
  const chain = [];
  for (let path = zoom; path !== 0; path = paths.parent[path]) chain.unshift(path);
  const crumb = path => element('button', {className: 'link', textContent: paths.text(path),
    onclick: () => change({zoom: paths.address(path)})});
  const shown = chain.length > 6 ? [chain[0], null, ...chain.slice(-4)] : chain;
  $('crumbs').replaceChildren(crumb(0), ...shown.flatMap(path =>
    [' › ', path === null ? `… ${chain.length - 5} frames` : crumb(path)]));
}

// The total of the outermost matching bars.
function drawMatched(paths) {
  if (S.search === '') return;
  const inside = new Uint8Array(paths.parent.length), keys = new Map();
  let sum = 0;
  for (let path = 1; path < inside.length; path++) {
    const key = paths.key[path];
    if (!keys.has(key)) keys.set(key, page.match(paths.texts[key]));
    inside[path] = inside[paths.parent[path]];
    if (inside[path] || !keys.get(key)) continue;
    inside[path] = 1;
    sum += paths.sums[path];
  }
  $('matched').textContent = `matched: ${unitShow(S.unit)(estimatePath(sum).value)}, ` +
    shareText(paths.sums[0] > 0 ? sum / paths.sums[0] : 0);
}

function tipOf(view, bar) {
  const {paths} = view;
  if (bar.rest) return `${countText(bar.rest)} bars too narrow to draw`;
  if (bar.chain) return bar.chain.map(path => paths.text(path)).join('\n') + '\n(click to open)';
  const inside = paths.below(bar.path), {pathOf} = paths;
  const sum = sumOf(P, page.picked, i => pathOf[P.node[i]] >= 0 && inside[pathOf[P.node[i]]]);
  return `${paths.text(bar.path)}\n${unitText(estimators[S.unit](P.scale, sum))}, ` +
    `${shareText(sum.hits / page.sum.hits)} of the selection`;
}

// ---- Keys of the whole page. ----

// Moves the selected time by half of its length, or the moment by a fiftieth of the run.
function moveTime(sign) {
  const to = resolve(S.to, P, S.live), clamp = t => Math.max(0, Math.min(P.end, Math.round(t)));
  if (S.what === 'live') { goTo(clamp(to + sign * P.end / 50)); return; }
  const length = to - S.from, end = clamp(to + sign * length / 2);
  change({from: clamp(end - length), to: end});
}

function onKey(e) {
  if (e.ctrlKey || e.metaKey || e.altKey || $('keys').open) return;
  if (['INPUT', 'SELECT'].includes(e.target.tagName)) {
    if (e.key === 'Escape') e.target.blur();
    return;
  }
  const whole = {...P.begin, tab: S.tab, live: S.live, what: 'alloc', to: 'end'};
  const actions = {'/': () => $('search').focus(), '?': () => $('keys').showModal(),
    '[': () => moveTime(-1), ']': () => moveTime(1), 'Escape': () => change({zoom: ''}),
    '0': () => change(whole)};
  [...$('tabs').children].forEach((tab, i) => { actions[i + 1] = () => tab.click(); });
  if (!actions[e.key]) return;
  actions[e.key]();
  e.preventDefault();
}

start().catch(error => {
  $('problem').textContent = 'The report cannot be read: ' + error.message;
});
