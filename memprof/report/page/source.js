// source.js - source lines with their figures, as view/annotate.c, of the files that sources.c put
// into the page.

const CONTEXT = 2; // lines shown around a line with figures

function unpackSources(bytes) {
  const {files, left_out: leftOut} = JSON.parse(new TextDecoder().decode(bytes));
  return {leftOut, names: files.map(file => file[0]),
    lines: new Map(files.map(([name, text]) => [name, text.replace(/\n$/, '').split('\n')]))};
}

// The line of each node's frame if it is in the file and not hidden; else 0.
function linesOfNodes(profile, scope, file) {
  const {location, line, keyOf, texts} = profile, key = texts.file.indexOf(file);
  return Uint32Array.from(location, (l, i) =>
    i === 0 || scope.hidden[i] || keyOf.file[l] !== key ? 0 : line[l]);
}

// Calls with each node that has a line, unless it is below another node of the same line.
function eachOutermost(parent, lineOf, call) {
  const first = new Uint32Array(parent.length), next = new Uint32Array(parent.length);
  for (let i = parent.length - 1; i > 0; i--) {
    next[i] = first[parent[i]];
    first[parent[i]] = i;
  }
  const depth = new Uint32Array(1 + lineOf.reduce((most, line) => Math.max(most, line), 0));
  for (let at = first[0]; at !== 0;) {
    if (lineOf[at] !== 0 && depth[lineOf[at]]++ === 0) call(at);
    let below = first[at];
    while (below === 0 && at !== 0) {
      if (lineOf[at] !== 0) depth[lineOf[at]]--;
      below = next[at];
      at = parent[at];
    }
    at = below;
  }
}

const sumFields = Object.keys(emptySum());
const addSum = (to, from) => { for (const field of sumFields) to[field] += from[field]; };

// What the picked samples have at and through the lines of a file, by line.
function annotatedLines(profile, scope, picked, file) {
  const {parent, node} = profile, lineOf = linesOfNodes(profile, scope, file), rows = new Map();
  const rowOf = line => rows.get(line) ||
    rows.set(line, {self: emptySum(), through: emptySum()}).get(line);
  const below = Object.fromEntries(sumFields.map(f => [f, new Float64Array(parent.length)]));
  const one = emptySum();
  for (const i of picked) {
    const shown = scope.shown[node[i]];
    Object.assign(one, emptySum());
    addSample(one, profile, i);
    for (const field of sumFields) below[field][shown] += one[field];
    if (lineOf[shown] !== 0) addSum(rowOf(lineOf[shown]).self, one);
  }
  for (const field of sumFields)
    for (let i = parent.length - 1; i > 0; i--) below[field][parent[i]] += below[field][i];
  eachOutermost(parent, lineOf, i => {
    if (below.samples[i] === 0) return;
    const through = Object.fromEntries(sumFields.map(field => [field, below[field][i]]));
    addSum(rowOf(lineOf[i]).through, through);
  });
  return rows;
}

// The rows of a file's table: line numbers, 0 for a gap. All lines, or those near one of `lines`.
function shownLines(count, lines, whole) {
  const near = new Uint8Array(count + CONTEXT + 2), shown = [];
  for (const line of lines)
    for (let i = line - CONTEXT; line > 0 && i <= line + CONTEXT; i++)
      if (i > 0 && i <= count) near[i] = 1;
  for (let i = 1; i <= count; i++) {
    if (whole || near[i]) shown.push(i);
    else if (shown[shown.length - 1] !== 0) shown.push(0);
  }
  return shown;
}

// Fills the table of a file; `marked`: a line that is shown in any case, or 0.
function sourceTable(table, profile, scope, picked, s, {lines, file, whole, marked}) {
  const text = lines.get(file), rows = annotatedLines(profile, scope, picked, file);
  const total = sumOf(profile, picked), show = unitShow(s.unit), estimate = estimators[s.unit];
  const number = (content, more) => element('td', {className: 'number', ...more}, ...content);
  const figures = sum => {
    if (sum.samples === 0) return [number([]), number([])];
    const e = estimate(profile.scale, sum);
    return [number([show(e.value)]),
      number([marginText(e, show)], {className: 'number dim'})];
  };
  const body = shownLines(text.length, [...rows.keys(), marked], whole).map(line => {
    if (line === 0) return element('tr', {}, element('td', {colSpan: 6, className: 'gap',
      textContent: '⋮'}));
    const row = rows.get(line) || {self: emptySum(), through: emptySum()};
    const share = total.hits > 0 ? row.self.hits / total.hits : 0;
    const bar = share > 0 ? [swatch('var(--accent)', Math.max(1, Math.round(80 * share)))] : [];
    const tr = element('tr', {}, ...figures(row.self),
      number(row.through.samples > 0 ? [show(estimate(profile.scale, row.through).value)] : []),
      element('td', {className: 'bars'}, ...bar),
      number([String(line)], {className: 'number dim'}),
      element('td', {className: 'code', textContent: text[line - 1]}));
    if (line === marked) tr.className = 'marked';
    return tr;
  });
  const head = ['allocated here', '', 'through it', '', 'line', ''].map(title =>
    element('th', {scope: 'col', textContent: title}));
  table.replaceChildren(element('caption', {textContent: file}),
    element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...body));
}
