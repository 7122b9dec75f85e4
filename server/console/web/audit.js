// Audit: the record of calls, newest first.

import { html, useEffect, useState } from './preact-htm.js'
import { get, raw } from './api.js'
import { bytes, clock, count, duration, Effects, Empty, Problem, State, Who } from './parts.js'

const rows = 50 // of one page
const most = 5000 // records of one download

const outcomes = ['ok', 'need', 'stopped', 'validation_error', 'unknown_tool', 'permission_error', 'timeout_error', 'execution_error', 'cancelled', 'unknown_error']

const states = { ok: 'ok', need: 'client', stopped: 'stopped', cancelled: 'stopped', permission_error: 'refused' }

const ago = { '': 0, hour: 3_600_000, day: 86_400_000, week: 604_800_000 }

export function Audit() {
  const [wish, setWish] = useState({ text: '', tool: '', outcome: '', verdict: '', session: '', since: '' })
  const [list, setList] = useState({ records: [], more: false })
  const [problem, setProblem] = useState('')
  const [open, setOpen] = useState(-1)
  const [busy, setBusy] = useState(false)
  const query = (until) => ({ ...wish, since: ago[wish.since] ? new Date(Date.now() - ago[wish.since]).toISOString() : '', until })

  const load = async (before, current = () => true) => {
    const until = before ? before.until : new Date().toISOString()
    const skip = before ? before.records.length : 0
    setBusy(true)
    try {
      const page = await get('audit', { ...query(until), skip, limit: rows })
      if (!current()) return
      setList({ until, more: page.more, records: skip ? [...before.records, ...page.records] : page.records })
      setProblem('')
    } catch (e) {
      if (current()) setProblem(e.message)
    }
    setBusy(false)
  }
  useEffect(() => { // a search for each word, not for each letter
    let current = true
    const timer = setTimeout(() => load(null, () => current), 250)
    return () => { current = false; clearTimeout(timer) }
  }, [JSON.stringify(wish)])

  const set = (name) => (e) => setWish({ ...wish, [name]: e.target.value })
  const download = async () => {
    const lines = []
    const until = new Date().toISOString()
    try {
      for (let more = true; more && lines.length < most;) {
        const page = await raw('audit', { ...query(until), skip: lines.length, limit: 200 })
        lines.push(...page.records)
        more = page.more
      }
    } catch (e) {
      setProblem(e.message)
      return
    }
    const text = lines.reverse().map((r) => JSON.stringify(r) + '\n').join('')
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([text], { type: 'application/x-ndjson' }))
    link.download = 'helve-audit.jsonl'
    link.click()
    URL.revokeObjectURL(link.href)
  }
  return html`<h1>Audit</h1>
    <form class="filters" onSubmit=${(e) => e.preventDefault()}>
      <label>Search <input type="search" value=${wish.text} onInput=${set('text')} placeholder="title, path, rule …" /></label>
      <label>Tool <input value=${wish.tool} onInput=${set('tool')} size="12" /></label>
      <label>Outcome <select value=${wish.outcome} onChange=${set('outcome')}><option value="">all</option>
        ${outcomes.map((o) => html`<option value=${o}>${o}</option>`)}</select></label>
      <label>Verdict <select value=${wish.verdict} onChange=${set('verdict')}><option value="">all</option>
        <option>allow</option><option>ask</option><option>deny</option></select></label>
      <label>Session <input value=${wish.session} onInput=${set('session')} size="10" /></label>
      <label>Since <select value=${wish.since} onChange=${set('since')}><option value="">the beginning</option>
        <option value="hour">an hour ago</option><option value="day">a day ago</option><option value="week">a week ago</option></select></label>
      <button type="button" onClick=${download}>Download</button>
    </form>
    <${Problem} text=${problem} />
    ${list.records.length === 0 ? html`<${Empty}>${busy ? 'Searching…' : 'No record is like that.'}<//>` : html`
    <div class="scroll"><table class="grid calls">
      <thead><tr><th>Time</th><th>Outcome</th><th>Tool</th><th>What</th><th class="wide">Verdict</th><th class="wide">Decided by</th><th class="num">Took</th></tr></thead>
      <tbody>${list.records.map((r, i) => html`<${Record} key=${i} r=${r} open=${open === i} toggle=${() => setOpen(open === i ? -1 : i)} />`)}</tbody>
    </table></div>
    ${list.more && html`<p><button disabled=${busy} onClick=${() => load(list)}>Show older ones</button>
      <span class="dim num"> ${count(list.records.length)} shown</span></p>`}`}`
}

function Record({ r, open, toggle }) {
  const by = r.approver ? r.approver.kind + (r.approver.via ? ` (${r.approver.via})` : '') : ''
  const v = r.verdict || {}
  return html`<tr class=${`row ${open ? 'opened' : ''}`}>
      <td class="num dim time">${clock(r.time)}</td>
      <td class="st"><${State} is=${states[r.outcome] || 'failed'} /></td>
      <td class="mono name">${r.name}</td>
      <td class="what"><button class="link" aria-expanded=${open} onClick=${toggle}>${r.title || r.error || r.name}</button></td>
      <td class="wide">${v.decision}</td><td class="wide">${by}</td>
      <td class="num took">${duration(r.ms)}</td>
    </tr>
    ${open && html`<tr class="detail"><td colspan="7"><dl>
      <dt>Time</dt><dd class="num">${new Date(r.time).toLocaleString('en')}</dd>
      <dt>Who</dt><dd><${Who} session=${r.session} principal=${r.principal} /></dd>
      <dt>Outcome</dt><dd>${r.outcome}${r.error && html`: ${r.error}`}</dd>
      ${v.reason && html`<dt>Verdict</dt><dd>${v.decision}: ${v.reason} ${v.rule && html`<br /><span class="mono">${v.rule}</span> `}
        ${v.file && html`<span class="dim mono">${v.file}:${v.line}</span>`}</dd>`}
      ${by && html`<dt>Decided by</dt><dd>${by}${r.approver.grant && ` ${r.approver.grant}`}${r.asked_ms ? `, after ${duration(r.asked_ms)}` : ''}</dd>`}
      <dt>Size</dt><dd>${bytes(r.in)} in, ${bytes(r.out)} out</dd>
      <dt>Arguments</dt><dd class="mono">sha256 ${r.args_digest}</dd></dl>
      <${Effects} of=${r.effects} /></td></tr>`}`
}
