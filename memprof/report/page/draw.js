// draw.js - elements, canvases and colours.

const $ = id => document.getElementById(id);

function element(tag, fields = {}, ...children) {
  const e = Object.assign(document.createElement(tag), fields);
  e.append(...children);
  return e;
}

// A coloured box of that width before a text; line: a flat one.
const swatch = (color, width = 11, line = '') => Object.assign(
  element('i', {className: 'swatch ' + line}), {style: `background:${color};width:${width}px`});

// A canvas of that size in CSS pixels, cleared; returns its context.
function sized(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.style.width = width + 'px';
  canvas.style.height = height + 'px';
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  const g = canvas.getContext('2d');
  g.scale(ratio, ratio);
  g.font = '12px system-ui,sans-serif';
  g.textBaseline = 'middle';
  return g;
}

// Draws text, shortened to a width.
function fitText(g, text, x, y, width) {
  const most = Math.ceil(width / 4);
  if (text.length > most) text = text.slice(0, most);
  if (g.measureText(text).width > width) {
    let low = 0, high = text.length;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      const fits = g.measureText(text.slice(0, middle) + '…').width <= width;
      if (fits) low = middle; else high = middle - 1;
    }
    if (low < 2) return;
    text = text.slice(0, low) + '…';
  }
  g.fillText(text, x, y);
}

// The theme's colours. Bars have the same in both: dark text on them and both backgrounds beside
// them have enough contrast.
function colors() {
  const style = getComputedStyle(document.documentElement);
  const of = name => style.getPropertyValue(name);
  if (!colors.known || colors.theme !== of('--bg')) {
    colors.theme = of('--bg');
    colors.known = {text: of('--fg'), dim: of('--dim'), line: of('--line'), accent: of('--accent'),
      bg: of('--bg'), card: of('--card'), rest: '#8d939c', onBar: '#0c0d0f',
      hit: '#a3127f', onHit: '#fff'};
  }
  return colors.known;
}

// The largest modules have a colour each, the same in the curve and in the bars.
const palette = ['#4f8fd0', '#d1803a', '#4b9e5f', '#a67fd0', '#b28b1c', '#3f9c9c'];
const otherFill = '#8d939c';
// Colours by fate: the share that is live at the end.
const fateFills = ['#4f8fd0', '#7f8fc0', '#a58aa8', '#c0857c', '#d1803a'];
