// text.js - numbers as text, as model/text.c writes them, and texts for the command line.

function prefixed(n, unit) {
  const prefixes = ['', 'k', 'M', 'G', 'T', 'P'];
  let i = 0;
  for (; i < 5 && Math.abs(n) >= 999.5; i++) n /= 1000;
  let decimals = i === 0 || Math.abs(n) >= 99.95 ? 0 : Math.abs(n) >= 9.995 ? 1 : 2;
  if (i === 0 && Math.abs(n) < 9.995 && n !== Math.floor(n)) decimals = 1;
  return (n.toFixed(decimals) + ' ' + prefixes[i] + unit).trim();
}

const bytesText = n => isFinite(n) ? prefixed(n, 'B') : '-';
const countText = n => !isFinite(n) ? '-' : Math.abs(n) > 1e15 ? prefixed(n, '')
  : Math.round(n).toLocaleString('en');
const shareText = n => isFinite(n) ? (100 * n).toFixed(1) + ' %' : '-';

function secondsText(s) {
  const a = Math.abs(s);
  return !isFinite(s) ? '-' : s === 0 ? '0 s' : a < 1e-6 ? (s * 1e9).toFixed(0) + ' ns'
    : a < 1e-3 ? (s * 1e6).toFixed(a < 1e-5 ? 1 : 0) + ' us'
    : a < 1 ? (s * 1e3).toFixed(a < 1e-2 ? 2 : a < 1e-1 ? 1 : 0) + ' ms'
    : a < 600 ? s.toFixed(2) + ' s' : a < 36000 ? (s / 60).toFixed(1) + ' min'
    : (s / 3600).toFixed(1) + ' h';
}

// A time in ns as the command line reads it, exactly: "1.5s" would be rounded.
function timeWord(ns) {
  for (const [unit, length] of [['s', 1e9], ['ms', 1e6], ['us', 1e3]])
    if (ns % length === 0) return ns / length + unit;
  return ns + 'ns';
}

// A word of a shell's command.
const shellWord = s => /^[\w.,:=@%+\/-]+$/.test(s) ? s : "'" + s.replace(/'/g, "'\\''") + "'";

// A regular expression that matches exactly this text.
const quotePattern = s => s.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
