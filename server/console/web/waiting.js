// Waiting for you: the questions.

import { html, useEffect, useRef, useState } from './preact-htm.js'
import { get } from './api.js'
import { act, changed, store } from './store.js'
import { Code, Diff, Effects, Empty, Kind, line, since, useClock, useStore, Who } from './parts.js'

// After an answer the next question moves under the pointer: a second click must not answer it, too.
const settle = 600 // ms

let last = 0
const settled = () => Date.now() - last > settle

async function say(q, reply) {
  if (!settled()) return
  last = Date.now()
  const done = await act('answer', { id: q.id, digest: q.digest, ...reply },
    'helve could not be reached: whether your answer arrived is not known')
  if (done) store.questions.delete(q.id)
  changed()
}

export function Waiting() {
  const s = useStore()
  const now = useClock()
  const [at, go] = useState(0)
  const list = [...s.questions.values()]
  const cards = useRef([])
  useEffect(() => {
    const key = (e) => {
      const typing = e.target.closest('input, textarea, select')
      if (typing || e.repeat || e.ctrlKey || e.altKey || e.metaKey || list.length === 0) return
      const i = Math.min(at, list.length - 1)
      // A key answers the question that has the focus and no other: what somebody types into a card that goes away
      // meanwhile must not answer the next one.
      const focused = cards.current[i]?.contains(document.activeElement)
      const move = { j: 1, k: -1 }[e.key]
      if (move) {
        const next = Math.max(0, Math.min(list.length - 1, focused ? i + move : i))
        go(next)
        cards.current[next]?.focus()
      } else if (!focused) return
      else if (e.key === 'o') say(list[i], { yes: true })
      else if (e.key === 'n') say(list[i], { yes: false })
      else return
      e.preventDefault()
    }
    addEventListener('keydown', key)
    return () => removeEventListener('keydown', key)
  })
  if (list.length === 0) {
    return html`<h1>Waiting for you</h1>
      <${Empty}>Nothing waits for an answer. What needs approval appears here by itself.<//>
      <${Ask} />`
  }
  return html`<h1>Waiting for you <span class="count">${list.length}</span></h1>
    <${Ask} />
    ${list.map((q, i) => html`<${Question} key=${q.id} q=${q} now=${now} current=${i === Math.min(at, list.length - 1)}
      hold=${(el) => { cards.current[i] = el }} pick=${() => go(i)} />`)}
    <p class="keys"><kbd>j</kbd> <kbd>k</kbd> move · <kbd>o</kbd> once · <kbd>n</kbd> no · no key says yes for longer</p>`
}

// Ask offers notifications, to persons that have not been asked yet.
function Ask() {
  const [state, set] = useState('Notification' in window ? Notification.permission : 'denied')
  if (state !== 'default') return null
  return html`<p class="aside"><button class="plain" onClick=${async () => set(await Notification.requestPermission())}>
    Notify me when something waits</button></p>`
}

function Question({ q, now, current, hold, pick }) {
  const [whole, setWhole] = useState(null)
  const [problem, setProblem] = useState('')
  const [note, setNote] = useState('')
  const shown = whole ? { ...q, ...whole } : q
  const partly = (q.cut > 0 || q.too_long) && !whole
  const all = () => get('question', { id: q.id }).then(setWhole, (e) => setProblem(e.message))
  const answer = (reply) => say(q, { note, ...reply })
  return html`<article class=${`card question ${current ? 'current' : ''}`} tabindex="-1" ref=${hold} onFocusIn=${pick}
      aria-labelledby=${'t' + q.id}>
    <header>
      <${Kind} is=${q.kind} />
      <h2 id=${'t' + q.id}>${line(q.title)}</h2>
      <span class="dim num">${since(q.since, now)}</span>
    </header>
    <p class="meta"><span class="mono">${q.tool}</span>${q.source !== 'builtin' && html` of <b>${q.source}</b>`}
      ${q.client && html` · asked by <b>${q.client}</b>`}
      ${q.session && html` · conversation <${Who} session=${q.session} principal=${q.principal} />`}
      ${q.why && html`<br />Asked because: ${q.why}`}</p>
    ${q.late && html`<p class="warn">This showed when the command had ended: it is what it would leave behind.</p>`}
    ${q.gap && html`<p class="warn">The sandbox does not keep this: ${q.gap}</p>`}
    ${q.line && !(q.preview || '').includes(q.line) && html`<${Code} text=${shown.line} label="The command" />`}
    ${!q.line && !single(q) && html`<${Effects} of=${q.effects} more=${q.more} />`}
    ${q.note && html`<p>${q.note}</p>`}
    ${q.preview && (q.diff ? html`<${Diff} text=${shown.preview} />` : html`<${Code} text=${shown.preview} label="What would happen" />`)}
    ${q.repairs && html`<ul class="notes">${q.repairs.map((r) => html`<li>${r}</li>`)}</ul>`}
    ${q.args && html`<details open=${!q.preview && !q.line}><summary>Arguments</summary>
      <${Code} text=${shown.args} label="Arguments" /></details>`}
    ${partly && html`<p class="warn">${q.cut > 0 && `${q.cut.toLocaleString('en')} bytes are not shown.`}
      ${q.too_long ? ' It is too long to be approved here.' : html` <button onClick=${all}>Show all</button> before you can say yes.`}</p>`}
    ${q.outside && html`<p class="aside">${q.client} asks nobody itself, and was refused. A yes lets this very call run once, when it is made
      again within ten minutes.</p>`}
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
    ${!q.outside && html`<label class="words">Words for the model <input value=${note} onInput=${(e) => setNote(e.target.value)}
      placeholder="optional" maxlength="4000" /></label>`}
    <div class="answers">
      <button class="no" onClick=${() => answer({ yes: false })}>No</button>
      <button class="yes" disabled=${partly} onClick=${() => answer({ yes: true })}>Once</button>
      ${q.for_session && html`<button class="lasting" disabled=${partly} onClick=${() => answer({ yes: true, for: 'session' })}>
        This session<small>${q.session_rule || 'exactly this call'}</small></button>`}
      ${(q.always || []).map((rule, i) => html`<button class="lasting" disabled=${partly}
        onClick=${() => answer({ yes: true, for: 'always', rule: i })}>Always<small>${ruleWords(rule, q)}</small></button>`)}
      ${q.calls > 0 && html`<button onClick=${() => answer({ yes: false, each: true })}>Ask about each<small>as it comes</small></button>`}
    </div>
  </article>`
}

// single tells of a question whose title and difference say already what its only effect is.
const single = (q) => q.diff && !q.more && q.effects && q.effects.length === 1 && q.title.includes(q.effects[0].target)

// ruleWords is a rule as a person reads it on a button.
function ruleWords(rule, q) {
  if (rule === '@tool') return `every call of ${q.tool}`
  if (rule === '@server') return `everything of ${q.source}`
  return line(rule)
}
