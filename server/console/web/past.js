// History: what calls changed in files, as a diff, and how it is taken back.

import { html, useState } from './preact-htm.js'
import { get } from './api.js'
import { act } from './store.js'
import { clock, count, Diff, Empty, Problem, useLoad, useStore } from './parts.js'

const step = 50

export function Past() {
  const s = useStore()
  const [again, setAgain] = useState(0)
  const [limit, setLimit] = useState(step)
  const [said, say] = useState('')
  const busy = Math.floor(s.begun / 20) // looked at again now and then while calls come
  const { value, error } = useLoad(() => get('history', { limit }), [s.notice, again, busy, limit])
  const make = async (path, body) => {
    const made = await act(path, body, 'helve cannot be reached: whether it was taken back is not known.')
    say(made ? made.text : '')
    setAgain(again + 1)
  }
  const calls = value && value.calls
  const last = calls && calls.find((c) => !c.undone) // what a redo can take back is an undo that nothing followed
  return html`<h1>History</h1><${Problem} text=${error} />
    ${value && value.damaged > 0 && html`<p class="warn">${count(value.damaged)} entries are damaged and left out.</p>`}
    <div role="status">${said && html`<pre class="code" tabindex="0" aria-label="What came of it">${said}</pre>`}</div>
    ${!value && !error && html`<p class="dim">Loading…</p>`}
    ${calls && calls.length === 0 && html`<${Empty}>No call has changed a file yet. What one changes stands here, and can be taken back.<//>`}
    ${calls && calls.map((c) => html`<${Call} key=${c.id} c=${c} redo=${c === last && c.tool === 'undo'} make=${make} />`)}
    ${calls && calls.length === limit && html`<p><button onClick=${() => setLimit(limit + step)}>Older ones</button></p>`}`
}

function Call({ c, redo, make }) {
  const [open, setOpen] = useState(false)
  const plus = c.files.reduce((n, f) => n + f.added, 0)
  const minus = c.files.reduce((n, f) => n + f.removed, 0)
  return html`<section class="card">
    <header><h2><button class="link" aria-expanded=${open} onClick=${() => setOpen(!open)}>${c.title}</button></h2>
      <span class="dim">${c.tool}</span><span class="grow"></span>
      <span class="num dim">${count(c.files.length)} ${c.files.length === 1 ? 'file' : 'files'} +${count(plus)} −${count(minus)}</span>
      <span class="num dim">${clock(c.time)}</span>${c.undone && html`<span class="state stopped"><i aria-hidden="true"></i>undone</span>`}</header>
    ${c.rest && html`<p class="warn">An undo left these alone, since somebody changed them: <span class="mono">${c.rest.join(' ')}</span></p>`}
    ${open && html`<${Change} c=${c} redo=${redo} make=${make} />`}</section>`
}

function Change({ c, redo, make }) {
  const { value, error } = useLoad(() => get('diff', { call: c.id }), [c.id])
  return html`<${Problem} text=${error} />
    ${c.gaps.length > 0 && html`<ul class="notes">${c.gaps.map((g) => html`<li>${g}</li>`)}</ul>`}
    ${value && html`<${Diff} text=${value.text} />`}
    <p class="answers">${redo ? html`<button onClick=${() => make('redo', {})}>Take this undo back</button>`
      : !c.undone && html`<button class="no" onClick=${() => make('undo', { call: c.id })}>Take it back</button>`}
      <span class="mono dim">${c.id}</span></p>`
}
