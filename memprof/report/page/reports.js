// reports.js - the tabs of documents that reports.c put into the page: growth, advice, holders.

const readReports = bytes => JSON.parse(new TextDecoder().decode(bytes));

// A number of a document's kinds; a text is itself.
const cellShows = {bytes: bytesText, count: countText, share: shareText, seconds: secondsText,
  number: n => isFinite(n) ? String(Number(n.toPrecision(6))) : '-'};

// The cells of a document's cell: a text, or [kind, value] or [kind, value, low, high].
function reportCells(cell, wide) {
  if (typeof cell === 'string') return [element('td', {className: 'name', textContent: cell})];
  const [kind, value, low, high] = cell, show = cellShows[kind] || cellShows.number;
  const n = v => v === null ? NaN : v;
  const cells = [element('td', {className: 'number', textContent: show(n(value))})];
  if (wide) cells.push(element('td', {className: 'number dim', textContent: high === undefined
    ? '' : marginText({low: n(low), high: n(high)}, show)}));
  return cells;
}

// A document's table. Rows of a tree are indented in the last column.
function reportTable({title, facts, columns, rows}) {
  const wide = columns.map((_, i) =>
    rows.some(row => typeof row[i + 1] !== 'string' && row[i + 1].length > 2));
  const head = element('tr', {}, ...columns.map((name, i) => element('th', {scope: 'col',
    textContent: name, colSpan: wide[i] ? 2 : 1,
    className: rows.every(row => typeof row[i + 1] === 'string') ? 'name' : ''})));
  const body = rows.map(([depth, ...cells]) => {
    const tr = element('tr', {}, ...cells.flatMap((cell, i) => reportCells(cell, wide[i])));
    if (depth > 0) tr.lastElementChild.style.paddingLeft = Math.min(depth, 12) + 'em';
    return tr;
  });
  return element('table', {className: 'report'}, element('caption', {textContent: title}),
    ...(facts ? [] : [element('thead', {}, head)]), element('tbody', {}, ...body));
}

function reportParts({title, tables, notes}) {
  return [element('h2', {textContent: title}), ...tables.map(reportTable),
    ...notes.map(note => element('p', {className: 'dim', textContent: note}))];
}

// Fills a tab, once: it does not depend on the selection.
function drawReports(section, documents) {
  if (section.firstChild) return;
  section.replaceChildren(...documents.flatMap(reportParts));
}
