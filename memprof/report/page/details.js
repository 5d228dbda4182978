// details.js - figures of one bar or row: its memory, what becomes of it, its blocks' sizes; what
// can be done with its function.

const commands = {f: 'focus', i: 'ignore', x: 'hide', s: 'callers and callees', l: 'source'};

// Which samples the chosen bar or row consists of, and its name; null: all.
function chosen() {
  const {view, paths, path, key, by} = page.chosen || {};
  if (view && view.paths === paths && path !== 0 && view.box.offsetParent !== null) {
    const inside = paths.below(path), {pathOf} = paths;
    return {name: paths.text(path), by: paths.by,
      holds: i => pathOf[P.node[i]] >= 0 && inside[pathOf[P.node[i]]] === 1};
  }
  if (!view && by === S.by && by in P.keyOf) {
    const keys = keysBy(P, page.scope, by);
    return {name: P.texts[by][key], by, holds: i => keys.of[i] === key};
  }
  return {name: '', by: S.by, holds: null};
}

function drawDetails() {
  const {name, by, holds} = chosen(), group = newGroup(null, name);
  const sizes = new Float64Array(64), {picked} = page;
  for (let k = 0; k < picked.length; k++) {
    const i = picked[k];
    if (holds !== null && !holds(i)) continue;
    addSample(group.sum, P, i);
    addFate(group, P, i);
    sizes[P.sizeClass[i]] += P.hits[i];
  }
  const {sum} = group;
  const parts = [element('h2', {textContent: name || 'The selection'}), factList({
    memory: estimateText(estimateBytes(P.scale, sum), bytesText),
    blocks: estimateText(estimateBlocks(P.scale, sum), countText),
    samples: countText(sum.samples),
    share: shareText(page.sum.hits > 0 ? sum.hits / page.sum.hits : NaN)})];
  if (name) parts.push(commandButtons(name, by));
  if (sum.hits > 0) parts.push(...fateBar(group), ...sizeTable(sizes, sum));
  $('details').replaceChildren(...parts);
}

const factList = facts => element('dl', {}, ...Object.entries(facts).flatMap(([title, text]) =>
  [element('dt', {textContent: title}), element('dd', {textContent: text})]));

function fateBar(group) {
  const fills = {minor_dead: palette[0], major_dead: palette[3], live: palette[1]};
  const bar = element('div', {className: 'bar'}), list = element('dl');
  bar.setAttribute('aria-hidden', 'true');
  for (const [fate, title] of fates) {
    const e = estimateShare(P.scale, {hits: group[fate]}, group.sum), fill = fills[fate];
    if (fill) bar.append(Object.assign(element('i'),
      {style: `width:${100 * e.value}%;background:${fill}`}));
    list.append(element('dt', {}, ...(fill ? [swatch(fill)] : []), title),
      element('dd', {textContent: estimateText(e, shareText)}));
  }
  return [element('h2', {textContent: 'What becomes of it'}), bar, list];
}

function sizeTable(sizes, sum) {
  const range = size => size === 1 ? '1' : `${countText(size)} to ${countText(2 * size - 1)}`;
  const rows = [...sizes].flatMap((hits, i) => hits === 0 ? [] : [
    element('dt', {textContent: range(2 ** i)}),
    element('dd', {}, swatch('var(--accent)', Math.round(90 * hits / sum.hits)),
      shareText(hits / sum.hits))]);
  return [element('h2', {textContent: 'Words of its blocks'}), element('dl', {}, ...rows)];
}

const commandButtons = (name, by) => element('div', {className: 'row'},
  ...Object.entries(commands).filter(([key]) => applies(key, name, by)).map(([key, title]) =>
    element('button', {textContent: `${title} (${key})`, onclick: () => command(key, name, by)})));

const applies = (key, name, by) => key === 's' ? by === 'fn'
  : key !== 'l' || firstLine(name, by) !== null;

// The file and the line of a key's first location whose source is in the page; null: there is none.
function firstLine(name, by) {
  const {names} = page.sources || {names: []}, {keyOf, texts, line} = P;
  let first = null;
  if (names.length === 0 || !(by in keyOf)) return null;
  keyOf[by].forEach((key, l) => {
    const file = texts.file[keyOf.file[l]];
    if (texts[by][key] !== name || line[l] === 0 || !names.includes(file)) return;
    if (first === null || line[l] < first.line) first = {file, line: line[l]};
  });
  return first;
}

// Focuses on a key, leaves it out, hides it, shows its callers or its source.
function command(key, name, by) {
  if (!applies(key, name, by)) return;
  if (key === 's') {
    change({tab: 'sandwich', fn: name});
    return;
  }
  if (key === 'l') {
    page.line = firstLine(name, by);
    page.scrolls = true;
    change({tab: 'source', file: page.line.file});
    return;
  }
  const field = commands[key], pattern = patternOf(name, by), old = S[field];
  change({[field]: key === 'f' || old === '' ? pattern : old + '|' + pattern, zoom: ''});
}
