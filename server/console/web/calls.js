// Calls: what the tools do, as it happens.

import { html, Component, useState } from './preact-htm.js'
import { get, post } from './api.js'
import { act, store } from './store.js'
import { bytes, clock, Code, count, duration, Effects, Empty, Kind, line, Problem, State, useLoad, useStore, Who } from './parts.js'

const page = 100 // rows: more are drawn when a person asks for them

const live = (c) => c.state === 'running' || c.state === 'asking' || c.state === 'client'

const groups = { live, ok: (c) => c.state === 'ok', failed: (c) => c.state === 'failed', refused: (c) => c.state === 'refused', stopped: (c) => c.state === 'stopped' }

export function Calls() {
  const s = useStore()
  const [text, setText] = useState('')
  const [state, setState] = useState('')
  const [session, setSession] = useState('')
  const [open, setOpen] = useState(0)
  const [rows, setRows] = useState(page)
  const all = [...s.calls.values()].sort((a, b) => b.n - a.n)
  const sessions = [...new Set(all.map((c) => c.session).filter(Boolean))]
  const wanted = text.toLowerCase()
  const list = all.filter((c) =>
    (!state || groups[state](c)) && (!session || c.session === session)
    && (!wanted || `${c.name} ${c.title || ''} ${c.source || ''}`.toLowerCase().includes(wanted)))
  return html`<h1>Calls <span class="count">${count(s.begun)}</span></h1>
    <form class="filters" onSubmit=${(e) => e.preventDefault()}>
      <label>Search <input type="search" value=${text} onInput=${(e) => setText(e.target.value)} placeholder="tool or title" /></label>
      <label>State <select value=${state} onChange=${(e) => setState(e.target.value)}>
        <option value="">all</option><option value="live">under way</option><option value="ok">ok</option>
        <option value="failed">failed</option><option value="refused">refused</option><option value="stopped">stopped</option></select></label>
      <label>Session <select value=${session} onChange=${(e) => setSession(e.target.value)}>
        <option value="">all</option>${sessions.map((x) => html`<option value=${x}>${x.slice(0, 12)}</option>`)}</select></label>
    </form>
    ${s.lost > 0 && html`<p class="warn">${count(s.lost)} calls came and went too quickly for this page. The record has all of them.</p>`}
    ${list.length === 0 ? html`<${Empty}>${all.length ? 'No call is like that.' : 'No call yet. Each one appears here when it comes.'}<//>` : html`
    <div class="scroll"><table class="grid calls">
      <thead><tr><th>Time</th><th>State</th><th>Tool</th><th>What</th><th class="wide">Decided by</th><th class="num">Took</th>
        <th class="num wide">Waited</th><th class="num wide">Out</th></tr></thead>
      <tbody>${list.slice(0, rows).map((c) => html`<${Row} key=${c.n} c=${c} open=${open === c.n} toggle=${() => setOpen(open === c.n ? 0 : c.n)} />`)}</tbody>
    </table></div>
    ${list.length > rows && html`<p><button onClick=${() => setRows(rows + page)}>Show ${Math.min(page, list.length - rows)} more</button></p>`}`}`
}

// A Row is drawn anew when its call changed, not with every other one.
class Row extends Component {
  shouldComponentUpdate(next) {
    return next.c !== this.props.c || next.open !== this.props.open
  }

  render({ c, open, toggle }) {
    const p = c.progress
    return html`<tr class=${`row ${open ? 'opened' : ''}`}>
        <td class="num dim time">${clock(c.time)}</td>
        <td class="st"><${State} is=${c.state} /></td>
        <td class="mono name">${c.name}</td>
        <td class="what"><button class="link" aria-expanded=${open} onClick=${toggle}>${line(c.title || c.message || c.name)}</button>
          ${live(c) && p && html`<span class="progress">${p.total > 0 && html`<progress max=${p.total} value=${p.done}
            aria-label="Progress"></progress>`} ${p.message}</span>`}</td>
        <td class="wide">${c.by || (c.verdict === 'deny' ? 'rule' : '')}</td>
        <td class="num took">${live(c) ? '' : duration(c.ms - (c.asked_ms || 0))}</td>
        <td class="num wide">${c.asked_ms ? duration(c.asked_ms) : ''}</td>
        <td class="num wide">${c.out ? bytes(c.out) : ''}</td>
      </tr>
      ${open && html`<tr class="detail"><td colspan="8"><${Detail} c=${c} /></td></tr>`}`
  }
}

function Detail({ c }) {
  const { value: d, error } = useLoad(() => get('call', { n: c.n }), [c.n, c.state])
  if (error) return html`<${Problem} text=${error} />`
  if (!d) return html`<p class="dim">Loading…</p>`
  return html`<div class="pairs">
      <dl>
        <dt>Tool</dt><dd><span class="mono">${c.name}</span> <${Kind} is=${c.kind || '?'} /> ${c.source && html`<span class="dim">of ${c.source}</span>`}</dd>
        ${c.session && html`<dt>Session</dt><dd><span class="mono">${c.session}</span></dd>`}
        ${c.why && html`<dt>Verdict</dt><dd>${c.verdict}: ${c.why}</dd>`}
        ${c.by && html`<dt>Decided by</dt><dd>${c.by}</dd>`}
        ${c.message && html`<dt>Error</dt><dd>${c.message} <span class="dim mono">${c.error}</span></dd>`}
        <dt>Size</dt><dd>${bytes(c.in)} in, ${bytes(c.out)} out</dd>
      </dl>
      <${Effects} of=${c.effects} more=${c.more} />
      ${d.repairs && html`<ul class="notes">${d.repairs.map((r) => html`<li>${r}</li>`)}</ul>`}
    </div>
    <${Family} c=${c} />
    ${d.line && html`<h2 class="part">Command</h2><${Code} text=${d.line} label="Command" />`}
    ${d.kept ? html`<h2 class="part">Arguments</h2><${Code} text=${d.args || '{}'} label="Arguments" />
      ${!live(c) && html`<h2 class="part">Result</h2><${Code} text=${d.result} label="Result" />`}`
      : html`<p class="dim">${c.elsewhere ? 'Another process made this call: arguments and results stay there.' : 'Arguments and results are not kept here (--console-args=false).'}</p>`}
    <p class="answers">${(c.state === 'running' || c.state === 'asking') && html`<button class="no" onClick=${() => act('stop', { n: c.n })}>Cancel this call</button>`}
      <a href=${'#/why?tool=' + encodeURIComponent(c.name)}>Why?</a> <a href=${'#/try?tool=' + encodeURIComponent(c.name)}>Try it</a></p>
    ${store.shows.play && !live(c) && d.kept && html`<${Again} c=${c} result=${d.result} />`}`
}

// Family is what a script called, in the order in which it did; of one of these, the call that made it.
function Family({ c }) {
  const all = [...useStore().calls.values()]
  const parent = c.parent && all.find((x) => x.family === c.parent)
  const made = c.family ? all.filter((x) => x.parent === c.family).sort((a, b) => a.n - b.n) : []
  return html`${parent && html`<p class="dim">Made by <span class="mono">${parent.name}</span> of ${clock(parent.time)}.</p>`}
    ${made.length > 0 && html`<h2 class="part">It called ${count(made.length)} times</h2>
      <ol class="made">${made.slice(0, page).map((x) => html`<li><${State} is=${x.state} /> <span class="mono">${line(x.title || x.name)}</span>
        <span class="dim">${live(x) ? '' : duration(x.ms)} ${x.message || ''}</span></li>`)}</ol>
      ${made.length > page && html`<p class="dim">and ${count(made.length - page)} more</p>`}`}`
}

// Again makes a call once more, as one of the person's own, and shows both results side by side.
function Again({ c, result }) {
  const [came, set] = useState({})
  const call = async () => {
    set({ busy: true })
    try {
      set({ value: await post('again', { n: c.n }) })
    } catch (e) {
      set({ error: e.message })
    }
  }
  const v = came.value
  return html`<p class="answers"><button disabled=${came.busy} onClick=${call}>Call it again</button>
      ${came.busy && html`<span role="status" class="dim">It runs, or waits for an answer: <a href="#/waiting">Waiting</a></span>`}</p>
    <${Problem} text=${came.error} />
    ${v && html`<div class="columns"><div><h2 class="part">Then</h2><${Code} text=${result} label="Result then" /></div>
      <div><h2 class="part">Now${v.failed ? `: ${v.failed}` : v.text === result ? ': the same' : ''}</h2><${Code} text=${v.text} label="Result now" /></div></div>`}`
}
