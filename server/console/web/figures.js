// Figures: the record of calls as charts.

import { html, useState } from './preact-htm.js'
import { get } from './api.js'
import { bytes, clock, count, duration, Empty, Problem, useLoad } from './parts.js'

const spans = [['15 min', 900], ['1 hour', 3600], ['6 hours', 21_600], ['1 day', 86_400], ['7 days', 604_800], ['30 days', 2_592_000]]
const parts = 120

export function Figures({ query }) {
  const [tool, setTool] = useState(query.get('tool') || '')
  const [source, setSource] = useState(query.get('source') || '')
  const [seconds, setSeconds] = useState(3600)
  const [again, setAgain] = useState(0)
  const { value: f, error, loading } = useLoad(() => {
    const until = Date.now()
    return get('figures', { since: new Date(until - seconds * 1000).toISOString(), until: new Date(until).toISOString(), parts, tool, source })
  }, [seconds, again, tool, source])
  const names = f ? [...new Set(f.tools.map((t) => t.tool))].sort() : []
  const sources = f ? [...new Set(f.tools.map((t) => t.source).filter(Boolean))].sort() : []
  const chosen = f && f.tools.filter((t) => (!tool || t.tool === tool) && (!source || t.source === source))
  const errors = f ? f.errors.filter((e) => !tool || e.tool === tool) : []
  const total = f && chosen.reduce((n, t) => ({
    calls: n.calls + t.calls, failed: n.failed + t.failed, refused: n.refused + t.refused, asked: n.asked + t.asked, bytes: n.bytes + t.bytes,
  }), { calls: 0, failed: 0, refused: 0, asked: 0, bytes: 0 })
  return html`<h1>Figures</h1>
    <div class="segments" role="group" aria-label="Span of time">${spans.map(([name, n]) => html`<button aria-pressed=${n === seconds}
      onClick=${() => { setSeconds(n); setAgain(again + 1) }}>${name}</button>`)}</div>
    <form class="filters" onSubmit=${(e) => e.preventDefault()}>
      <label>Source <select value=${source} onChange=${(e) => setSource(e.target.value)}><option value="">all</option>
        ${with_(sources, source).map((n) => html`<option value=${n} selected=${n === source}>${n}</option>`)}</select></label>
      <label>Tool <select value=${tool} onChange=${(e) => setTool(e.target.value)}><option value="">all</option>
        ${with_(names, tool).map((n) => html`<option value=${n} selected=${n === tool}>${n}</option>`)}</select></label></form>
    <${Problem} text=${error} />
    ${f && f.partial && html`<p class="warn">These are the last ${count(f.records)} records, from ${clock(f.from)} on. There are more: choose a shorter time.</p>`}
    ${f && !f.partial && f.records > 0 && late(f) && html`<p class="meta">The record goes back to ${clock(f.from)}. What was before is not known.</p>`}
    ${!f ? !error && html`<p class="dim">Loading…</p>` : f.records === 0 ? html`<${Empty}>No call is on record in this time.<//>` : html`
    <div aria-busy=${loading}><div class="numbers">
      <div><b>${count(total.calls)}</b><span>calls</span></div>
      <div><b>${count(total.failed)}</b><span>failed</span></div>
      <div><b>${count(total.refused)}</b><span>refused</span></div>
      <div><b>${duration(total.asked)}</b><span>waited for an answer</span></div>
      <div><b>${bytes(total.bytes)}</b><span>of results</span></div></div>
    <p class="meta">Cutting results saved about <b>${count(f.saved.cut)}</b> tokens in this time. The list of tools costs a conversation <b>${count(f.saved.listed)}</b> tokens;
      tools that are found by search save <b>${count(f.saved.deferred)}</b> of it, tools that are off <b>${count(f.saved.off)}</b>.</p>
    <div class="columns">
      <${Chart} title="Calls" f=${f} lines=${[['all', 'calls', 'one'], ['failed', 'failed', 'three'], ['refused', 'refused', 'two']]} format=${count} />
      <${Chart} title="Time of a call" f=${f} lines=${[['half', 'p50', 'one'], ['90 %', 'p90', 'two'], ['99 %', 'p99', 'three']]} format=${duration} gaps />
    </div><br />
    <section class="card"><header><h2>By tool</h2></header><div class="scroll"><table class="grid tools">
      <thead><tr><th>Tool</th><th class="num">Calls</th><th class="num">Failed</th><th class="num">Refused</th><th class="num">Half</th>
        <th class="num wide">90 %</th><th class="num wide">99 %</th><th class="num wide">Waited</th><th class="num wide">Results</th></tr></thead>
      <tbody>${chosen.map((t) => html`<tr><td class="mono what"><button class="link" onClick=${() => setTool(t.tool)}>${t.tool}</button>${t.source && t.source !== 'builtin' && html` <span class="dim">${t.source}</span>`}</td>
        <td class="num">${count(t.calls)}</td><td class="num">${t.failed || ''}</td><td class="num">${t.refused || ''}</td><td class="num">${duration(t.p50)}</td>
        <td class="num wide">${duration(t.p90)}</td><td class="num wide">${duration(t.p99)}</td><td class="num wide">${t.asked ? duration(t.asked) : ''}</td>
        <td class="num wide">${bytes(t.bytes)}</td></tr>`)}</tbody></table></div></section>
    ${errors.length > 0 && html`<section class="card"><header><h2>What went wrong</h2></header><div class="scroll"><table class="grid tools">
      <thead><tr><th>Tool</th><th>Code</th><th class="num">Calls</th></tr></thead>
      <tbody>${errors.map((e) => html`<tr><td class="mono name">${e.tool}</td><td class="mono what">${e.code}</td><td class="num">${count(e.n)}</td></tr>`)}</tbody>
    </table></div></section>`}</div>`}`
}

// late tells that the record begins in the picture, and not with it.
const late = (f) => f.from && Date.parse(f.from) - Date.parse(f.since) > 2 * f.step * 1000

// with_ is a list with one more, if it is not there: what was chosen stays to be seen.
const with_ = (list, one) => (one && !list.includes(one) ? [one, ...list] : list)

const high = 160 // of a chart, as wide as high in its own units: the browser stretches it

// nice is the end of an axis: 1, 2 or 5 times a power of ten, at or above a value.
function nice(value) {
  const ten = 10 ** Math.floor(Math.log10(value || 1))
  return [1, 2, 5, 10].map((n) => n * ten).find((n) => n >= value)
}

// line draws a value for each part; where there is none the line is broken, and a part alone is a dot.
function line(values, top) {
  const x = (i) => (i * 1000) / Math.max(1, values.length - 1)
  let path = ''
  values.forEach((v, i) => {
    if (v == null) return
    const alone = values[i - 1] == null
    path += `${alone ? 'M' : 'L'}${x(i).toFixed(1)},${(high - (v / top) * high).toFixed(1)}`
    if (alone && values[i + 1] == null) path += 'h5'
  })
  return path
}

function Chart({ title, f, lines, format, gaps }) {
  const [at, point] = useState(-1)
  const known = late(f) ? Math.floor((Date.parse(f.from) - Date.parse(f.since)) / (f.step * 1000)) : 0 // of the parts, the first
  const all = lines.map(([, key]) => f.parts.map((p, i) => (i < known || (gaps && !p.calls) ? null : p[key])))
  const most = all.map((values) => Math.max(0, ...values.filter((v) => v != null)))
  const top = nice(Math.max(...most, 1))
  const start = Date.parse(f.since)
  const time = (i) => clock(new Date(start + i * f.step * 1000).toISOString())
  const move = (e) => {
    const box = e.currentTarget.getBoundingClientRect()
    const i = Math.round(((e.clientX - box.left) / box.width) * (f.parts.length - 1))
    point(Math.max(0, Math.min(f.parts.length - 1, i)))
  }
  const value = (i) => (at < 0 ? '' : all[i][at] == null ? '–' : format(all[i][at]))
  return html`<section class="card"><header><h2>${title}</h2><span class="grow"></span>
      <span class="dim num">${at >= 0 ? time(at) : ''}</span></header>
    <p class="legend">${lines.map(([label, , c], i) => html`<span><svg width="18" height="4" class=${'line ' + c} aria-hidden="true"><path d="M0,2h18" /></svg>
      ${label} <b class="num">${value(i)}</b></span>`)}</p>
    <div class="chart" role="img" aria-label=${`${title}: ` + lines.map(([label], i) => `${label} at most ${format(most[i])}`).join(', ')}>
      <span class="tick num" style=${{ top: 0 }}>${format(top)}</span><span class="tick num" style=${{ top: '50%' }}>${format(top / 2)}</span>
      <div class="plot" onMouseMove=${move} onMouseLeave=${() => point(-1)}>
        <svg viewBox=${`0 0 1000 ${high}`} preserveAspectRatio="none" aria-hidden="true">
          <path class="axis" d=${`M0,0H1000M0,${high / 2}H1000M0,${high}H1000`} />
          ${lines.map(([, , c], i) => html`<path class=${'line ' + c} d=${line(all[i], top)} />`)}
          ${at >= 0 && html`<path class="axis" d=${`M${(at * 1000) / (f.parts.length - 1)},0V${high}`} />`}
        </svg></div>
      <p class="times num"><span>${time(0)}</span><span>${time((f.parts.length - 1) / 2)}</span><span>${time(f.parts.length - 1)}</span></p>
    </div></section>`
}
