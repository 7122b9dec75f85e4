// Rules: which count here and how often, one more, one less, and what one would change.

import { html, useState } from './preact-htm.js'
import { get } from './api.js'
import { act, store } from './store.js'
import { clock, count, Empty, Problem, useLoad, useStore } from './parts.js'

const verdicts = [['allow', 'Allow without a question'], ['ask', 'Ask before'], ['deny', 'Refuse']]
const places = [['local', 'this workspace, mine alone'], ['project', 'this workspace, for all who have it'], ['user', 'every workspace of mine']]

export function Rules() {
  const s = useStore()
  const [again, setAgain] = useState(0)
  const { value: list, error } = useLoad(() => get('rules'), [s.notice, again])
  const done = () => setAgain(again + 1)
  return html`<h1>Rules ${list && html`<span class="count">${list.length}</span>`}</h1><${Problem} text=${error} />
    <p class="meta">The highest layer is asked first. In a file the last rule that fits counts, and a deny of any file stands.</p>
    ${list && (list.length === 0 ? html`<${Empty}>There are no rules yet: what changes files or runs programs is asked about. Add one below.<//>`
      : html`<div class="scroll"><table class="grid calls"><thead><tr><th class="num">N</th><th>Decision</th><th>Rule</th><th class="num">Used</th><th>Layer</th><th class="wide">Place</th><th><span class="sr">What to do</span></th></tr></thead>
        <tbody>${list.map((r) => html`<${Rule} key=${r.number + r.rule} r=${r} done=${done} />`)}</tbody></table></div><br />`)}
    <${Form} done=${done} />`
}

function Rule({ r, done }) {
  const [sure, setSure] = useState(false)
  const change = (what) => async () => {
    await act(what, r)
    setSure(false)
    done()
  }
  return html`<tr><td class="num dim">${r.number}</td><td>${r.decision}</td><td class="what mono">${r.rule}</td>
    <td class="num">${r.used ? count(r.used) : ''}</td><td class="dim">${r.layer}</td>
    <td class="wide dim mono">${r.file && `${r.file}:${r.line}`}</td>
    <td>${r.file && (sure
      ? html`<span class="answers"><button class="no" onClick=${change('rule-remove')}>Remove it</button><button onClick=${() => setSure(false)}>Leave it</button></span>`
      : html`<span class="answers"><button class="plain" aria-label=${`Put ${r.decision} ${r.rule} last in its file`} onClick=${change('rule-last')}>Last</button>
        <button class="plain" aria-label=${`Remove ${r.decision} ${r.rule}`} onClick=${() => setSure(true)}>Remove</button></span>`)}</td></tr>`
}

function Form({ done }) {
  const [rule, setRule] = useState({ decision: 'deny', rule: '', where: 'local' })
  const [tried, setTried] = useState(null)
  const [said, say] = useState('')
  const set = (name) => (e) => {
    setRule({ ...rule, [name]: e.target.value })
    setTried(null)
    say('')
  }
  const attempt = async () => setTried(await act('rule-try', rule))
  const add = async (e) => {
    e.preventDefault()
    const made = await act('rule-add', rule)
    if (!made) return
    say(`It is written into ${made.file}.`)
    if (made.note) store.error = made.note
    setTried(null)
    setRule({ ...rule, rule: '' })
    done()
  }
  return html`<form class="card" onSubmit=${add}><header><h2>One more</h2></header>
    <div class="filters">
      <label>Decision <select value=${rule.decision} onInput=${set('decision')}>${verdicts.map(([v, t]) => html`<option value=${v}>${t}</option>`)}</select></label>
      <label class="grow">Rule <input class="mono" value=${rule.rule} onInput=${set('rule')} placeholder="bash:go test *" required spellcheck="false" autocapitalize="off" /></label>
      <label>Counts in <select value=${rule.where} onInput=${set('where')}>${places.map(([v, t]) => html`<option value=${v}>${t}</option>`)}</select></label>
    </div>
    <p class="meta">A tool, or a tool and a pattern: <span class="mono">bash:go test *</span> words of a command, <span class="mono">read:secrets/**</span> paths, <span class="mono">fetch:*.go.dev</span> hosts.</p>
    <p class="answers"><button class="yes" type="submit">Add it</button> <button type="button" disabled=${!rule.rule} onClick=${attempt}>What would it change?</button>
      <span class="dim" role="status">${said}</span></p>
    ${tried && html`<${Tried} t=${tried} />`}</form>`
}

function Tried({ t }) {
  return html`<p role="status">It would decide ${count(t.changed.length)} of the last ${count(t.calls)} calls otherwise${t.untold > 0 && `; of ${count(t.untold)} the record says too little`}.</p>
    ${t.changed.length > 0 && html`<div class="scroll"><table class="grid plain"><thead><tr><th>When</th><th>Then</th><th>Now</th><th>Call</th></tr></thead>
      <tbody>${t.changed.map((c) => html`<tr><td class="num time dim">${clock(c.time)}</td><td>${c.then}</td><td>${c.now}</td><td class="what mono">${c.title}</td></tr>`)}</tbody></table></div>`}`
}
