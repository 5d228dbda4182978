// tables.js - the tabs that are tables: sites, lifetimes, collector, recording.

const FIRST_ROWS = 100;

// Fills a table. columns: {title, of(row): a number or a text, show(number), interval(row),
// press(row)}; press makes the cell a button. state keeps the order and whether all rows are shown.
function fillTable(table, columns, rows, state, caption = '') {
  const sorted = state.column === undefined ? rows
    : sortRows(rows, columns[state.column], state.down);
  const shown = state.all ? sorted : sorted.slice(0, FIRST_ROWS);
  const again = () => fillTable(table, columns, rows, state, caption);
  const head = element('tr', {}, ...columns.map((column, i) => {
    const button = element('button', {textContent: column.title, onclick: () => {
      state.down = state.column === i ? !state.down : column.show !== undefined;
      state.column = i;
      again();
    }});
    const th = element('th', {scope: 'col'}, button);
    if (column.interval) th.colSpan = 2;
    if (state.column === i) th.setAttribute('aria-sort', state.down ? 'descending' : 'ascending');
    return th;
  }));
  const body = shown.map(row => {
    const tr = element('tr', {}, ...columns.flatMap(column => cellsOf(column, row)));
    if (row.mark) tr.className = 'hit';
    return tr;
  });
  table.replaceChildren(element('caption', {textContent: caption}), element('thead', {}, head),
    element('tbody', {}, ...body));
  if (rows.length > shown.length)
    table.append(element('tfoot', {}, element('tr', {}, element('td', {colSpan: 99},
      element('button', {textContent: `show all ${countText(rows.length)} rows`,
        onclick: () => { state.all = true; again(); }})))));
  if (rows.length === 0)
    table.append(element('tfoot', {}, element('tr', {}, element('td', {colSpan: 99,
      textContent: 'nothing is selected'}))));
}

function sortRows(rows, column, down) {
  const rank = v => typeof v === 'number' && isNaN(v) ? -Infinity : v;
  const order = (a, b) => {
    const x = rank(column.of(a)), y = rank(column.of(b));
    return x < y ? -1 : x > y ? 1 : 0;
  };
  return [...rows].sort((a, b) => down ? order(b, a) : order(a, b));
}

function cellsOf(column, row) {
  const value = column.of(row), text = column.show ? column.show(value) : value;
  const cell = element('td', {className: column.show ? 'number' : 'name'});
  if (column.press && row.key !== null) cell.append(element('button',
    {textContent: text, title: text, onclick: () => column.press(row)}));
  else cell.textContent = text;
  return column.interval ? [cell, element('td', {className: 'number dim',
    textContent: marginText(column.interval(row), column.show)})] : [cell];
}

// "± 3.1 kB"; "" for exact figures.
function marginText(e, show) {
  const half = (e.high - e.low) / 2;
  return half > 0 ? '± ' + show(half) : '';
}
const estimateText = (e, show) => (show(e.value) + ' ' + marginText(e, show)).trim();

const unitShow = unit => unit === 'bytes' ? bytesText : countText;

function sitesTable(table, groups, s, state, actions, matches) {
  const show = unitShow(s.unit);
  const columns = [
    {title: 'share', of: g => g.share, show: shareText},
    {title: s.unit, of: g => g.estimate.value, show, interval: g => g.estimate},
    {title: 'blocks', of: g => g.blocks.value, show: countText},
    {title: 'promoted', of: g => g.fate('promoted').value, show: shareText},
    {title: 'live at end', of: g => g.fate('live').value, show: shareText},
    {title: bys[s.by], of: g => g.text, press: actions.selectKey},
  ].filter(c => c.title !== 'blocks' || s.unit !== 'blocks');
  groups.rows.forEach(g => { g.mark = matches(g.text); });
  fillTable(table, columns, groups.rows, state);
}

function lifetimesTables(table, survivalTable, groups, survival, s, state, actions) {
  const show = unitShow(s.unit), fate = ([key, title]) =>
    ({title, of: g => g.fate(key).value, show: shareText, interval: g => g.fate(key)});
  fillTable(table, [{title: s.unit, of: g => g.estimate.value, show}, ...fates.map(fate),
    {title: bys[s.by], of: g => g.text, press: actions.selectKey}],
  groups.total.sum.samples > 0 ? [groups.total, ...groups.rows] : [], state, 'What became of it');
  fillTable(survivalTable, [{title: 'age', of: r => r.age / 1e9, show: secondsText},
    {title: 'still live', of: r => r.alive.value, show: shareText, interval: r => r.alive},
    {title: '', of: r => '▇'.repeat(Math.round(30 * r.alive.value)) || '·'}], survival, {},
  'Share of the memory that lives longer than an age');
}

// The smallest value that at least a share of all sorted values does not exceed.
const percentile = (sorted, share) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];

// The collector's events of a time range by kind, as `prof gc` lists them.
function collectorRows(profile, from, to) {
  const {start, kind, duration, processor, words} = profile.events, names = profile.facts.gc_kinds;
  const lasting = Math.min(to, profile.end) - from, rows = [];
  const add = (name, lengths, sum) => {
    if (lengths.length === 0) return;
    const total = lengths.reduce((a, b) => a + b, 0);
    lengths.sort((a, b) => a - b);
    rows.push({name, count: lengths.length, total, share: total / (lasting / 1e9), words: sum,
      p50: percentile(lengths, 0.5), p90: percentile(lengths, 0.9), p99: percentile(lengths, 0.99),
      max: lengths[lengths.length - 1]});
  };
  for (const k of [0, 2, 1, ...names.keys()].filter((k, i) => i < 3 || k > 2)) {
    const clock = [], measured = [];
    let sum = 0;
    start.forEach((t, i) => {
      if (kind[i] !== k || t < from || t >= to) return;
      clock.push(duration[i] / 1e9);
      if (processor[i] >= 0) measured.push(processor[i] / 1e9);
      sum += words[i];
    });
    add(names[k], clock, sum);
    if (k === 0) add(names[k] + ', CPU time', measured, sum);
  }
  return rows;
}

// The program's pauses of a time range by cause, as `prof gc` lists them.
function causeRows(profile, from, to) {
  const {start, kind, duration, words, cause} = profile.events;
  const rows = profile.facts.causes.map(name => ({name, count: 0, total: 0, max: 0, words: 0}));
  start.forEach((t, i) => {
    if (kind[i] !== 0 || t < from || t >= to) return;
    const row = rows[cause[i]], seconds = duration[i] / 1e9;
    row.count++;
    row.total += seconds;
    row.max = Math.max(row.max, seconds);
    row.words += words[i];
  });
  if (rows.slice(1).every(row => row.count === 0)) return [];
  const lasting = (Math.min(to, profile.end) - from) / 1e9;
  return rows.filter(row => row.count > 0).map(row => ({...row, share: row.total / lasting}))
    .sort((a, b) => b.total - a.total || (a.name < b.name ? -1 : 1));
}

// Ticks of CPU time of a time range, by function.
function processorRows(profile, from, to) {
  const {time, location, running, collecting} = profile.ticks, sums = new Map();
  let all = 0;
  const add = (name, n) => { sums.set(name, (sums.get(name) || 0) + n); all += n; };
  time.forEach((t, i) => {
    if (t < from || t >= to) return;
    add(profile.texts.fn[profile.keyOf.fn[location[i]]], running[i]);
    add('(the collector)', collecting[i]);
  });
  return [...sums].filter(([, n]) => n > 0)
    .map(([name, n]) => ({name, seconds: n * profile.facts.tick_ns / 1e9, share: n / all}))
    .sort((a, b) => b.seconds - a.seconds || (a.name < b.name ? -1 : 1));
}

// What modules allocate in a time range, and how fast.
function moduleRows(profile, from, to) {
  const s = {...defaults, what: 'alloc', from, to: to === Infinity ? 'end' : to, by: 'module'};
  const whole = profile.whole || (profile.whole =
    {scope: scopeOf(profile, defaults), buffer: new Uint32Array(profile.samples)});
  const {scope, buffer} = whole, lasting = (Math.min(to, profile.end) - from) / 1e9;
  const picked = pick(profile, scope, s, buffer);
  return groupsOf(profile, scope, s, picked).rows.map(g => ({name: g.text, share: g.share,
    estimate: g.estimate, rate: lasting > 0 ? g.estimate.value / lasting : 0}));
}

// The tables of what the collector, the processor and the modules did; without rows none.
function workTables(tables, profile, from, to) {
  const column = (title, key, show) => ({title, of: row => row[key], show});
  const fill = (table, columns, rows, caption) => {
    table.hidden = rows.length === 0;
    fillTable(table, columns, rows, {}, caption);
  };
  fill(tables.causes, [column('pauses', 'count', countText), column('total', 'total', secondsText),
    column('of that time', 'share', shareText), column('max', 'max', secondsText),
    column('words promoted', 'words', countText), column('cause', 'name')],
  causeRows(profile, from, to), 'Why it ran');
  fill(tables.processor, [column('seconds', 'seconds', secondsText),
    column('share', 'share', shareText), column('function', 'name')],
  processorRows(profile, from, to), 'CPU time');
  fill(tables.modules, [column('share', 'share', shareText),
    {title: 'bytes', of: r => r.estimate.value, show: bytesText, interval: r => r.estimate},
    column('in a second', 'rate', bytesText), column('module', 'name')],
  moduleRows(profile, from, to), 'Allocation by module');
}

function collectorTables(table, longestTable, profile, s, state, actions) {
  const from = s.from, to = s.to === 'end' || s.what === 'live' ? Infinity
    : resolve(s.to, profile, s.live);
  const start = s.what === 'live' ? 0 : from, column = (title, key, show) =>
    ({title, of: row => row[key], show});
  const range = start > 0 || to < Infinity
    ? `from ${secondsText(start / 1e9)} to ${secondsText(Math.min(to, profile.end) / 1e9)}`
    : 'in the whole run';
  fillTable(table, [column('count', 'count', countText), column('total', 'total', secondsText),
    column('of that time', 'share', shareText), column('p50', 'p50', secondsText),
    column('p90', 'p90', secondsText), column('p99', 'p99', secondsText),
    column('max', 'max', secondsText), column('words', 'words', countText), column('what', 'name')],
  collectorRows(profile, start, to), {}, 'Time of the collector ' + range);
  workTables(actions.tables, profile, start, to);
  const {events} = profile, pauses = [];
  events.start.forEach((t, i) => {
    if (events.kind[i] === 0 && t >= start && t < to)
      pauses.push({t, duration: events.duration[i], processor: events.processor[i],
        cause: events.cause[i] === 0 ? '' : profile.facts.causes[events.cause[i]]});
  });
  pauses.sort((a, b) => b.duration - a.duration || a.t - b.t);
  fillTable(longestTable, [{title: 'pause', of: p => p.duration / 1e9, show: secondsText},
    {title: 'CPU time', of: p => p.processor < 0 ? NaN : p.processor / 1e9,
      show: secondsText},
    {title: 'at', of: p => p.t / 1e9, show: secondsText, press: p => actions.moment(p.t)},
    {title: 'cause', of: p => p.cause}],
  pauses.slice(0, 20), state, 'The longest pauses');
}

function recordingTables(table, calibrationTable, facts) {
  const {run, sampling, calibration = []} = facts.stats;
  const value = v => v && v.value !== undefined ? v.value : v;
  const shows = {duration: secondsText, overhead: secondsText, overhead_processor: secondsText,
    processor: secondsText, period: bytesText,
    samples: countText, stacks: countText, locations: countText, deepest: countText};
  const rows = Object.entries({...run, ...sampling}).map(([key, v]) =>
    ({key: key.replace(/_/g, ' '), text: (shows[key] || String)(value(v))}));
  fillTable(table, [{title: 'what', of: r => r.key}, {title: '', of: r => r.text}], rows,
    {all: true}, 'The recording');
  fillTable(calibrationTable, [{title: 'estimate', of: r => r.estimate.value, show: bytesText,
    interval: r => r.estimate}, {title: 'exact', of: r => value(r.exact), show: bytesText},
  {title: 'what', of: r => r.what}], calibration, {}, "Estimates against the collector's counters");
}
