// Review: what commands left waiting for a person, since other programs or models would run or follow it.

import { html, useEffect, useState } from './preact-htm.js'
import { get } from './api.js'
import { act } from './store.js'
import { clock, Code, count, Diff, Empty, line, Problem, useLoad } from './parts.js'

// useLeft loads what waits, again when a command came further.
export function useLeft(s, view) {
  let last = 0
  for (const c of s.calls.values()) if (c.kind === 'exec' || c.elsewhere) last = Math.max(last, c.rev)
  return useLoad(() => (s.shows.review ? get('review') : Promise.resolve(null)), [s.shows.review, s.notice, last, view])
}

export function Review({ left: { value, error } }) {
  const [came, say] = useState()
  return html`<h1>Review</h1><${Problem} text=${error || came?.problem} />
    <div role="status">${came?.text && html`<${Code} text=${came.text} label="Result" />`}</div>
    ${value?.sets.map((x, i) => html`<${Left} key=${x.id} set=${x} first=${!i} say=${say} />`)}
    ${value?.sets.length === 0 && html`<${Empty}>Nothing waits. What commands of mode auto leave for other programs to run or follow
      comes here for a week: look at it, then make it or drop it.<//>`}`
}

// Left is made when all was shown.
function Left({ set, first, say }) {
  const [open, setOpen] = useState(first)
  const [list, setList] = useState([])
  const [more, setMore] = useState(true)
  const load = (skip) => get('review-files', { id: set.id, skip }).then((page) => {
    setList((l) => [...l.slice(0, skip), ...page.files])
    setMore(page.more)
  }, (e) => say({ problem: e.message }))
  useEffect(() => { if (open) load(0) }, [open, set.open])
  const button = (what, files, rest) => html`<button class=${what === 'Make' ? 'yes' : 'no'} aria-label=${rest && `${what} ${rest}`}
    onClick=${async () => say(await act('review-' + what.toLowerCase(), { id: set.id, files }))}>${what} ${!files && `all ${count(set.open)}`}</button> `
  const both = (files, rest) => html`<p class="answers">${button('Drop', files, rest)}${button('Make', files, rest)}</p>`
  return html`<article class="card"><header><h2><button class="link" aria-expanded=${open} onClick=${() => setOpen(!open)}>${line(set.title)}</button></h2>
    <span class="num dim">${clock(set.time)} ${set.id}</span></header>
    ${open ? list.map((f) => html`<section class="changed" key=${f.n}><h3>${line(f.path)}: ${f.change}, ${f.state}</h3><p>${f.why}</p>
      ${f.diff && html`<${Diff} text=${f.diff} />`}${f.state === 'waits' && both([f.n], line(f.path))}</section>`) : html`<p>${line(set.names)}</p>`}
    ${open && (more ? html`<button onClick=${() => load(list.length)}>Show more before you make all</button>` : both())}</article>`
}
