// Tools: what is offered, by source, and why the rest is not.

import { html, useState } from './preact-htm.js'
import { get } from './api.js'
import { act, store } from './store.js'
import { count, Empty, Kind, Problem, since, useClock, useLoad, useStore } from './parts.js'

export function Board() {
  const s = useStore()
  const [again, setAgain] = useState(0)
  const { value: b, error } = useLoad(() => get('board'), [s.notice, again])
  const now = useClock()
  if (!b) return html`<h1>Tools</h1>${error ? html`<${Problem} text=${error} />` : html`<p class="dim">Loading…</p>`}`
  const offered = b.sources.reduce((n, x) => n + x.tools.filter((t) => t.offered).length, 0)
  return html`<h1>Tools <span class="count">${offered}</span></h1>
    <${Problem} text=${error} />
    <p class="meta">Mode <b>${b.mode}</b> (${b.becomes}) · profile <b>${b.profile}</b> · the list costs a model ${count(b.tokens)} tokens
      <br />${b.dirs.map((d) => html`<span class="mono">${d}</span> `)}</p>
    ${b.sources.map((x) => html`<${Source} key=${x.name} source=${x} now=${now} done=${() => setAgain(again + 1)} />`)}`
}

function Source({ source, now, done }) {
  const used = source.tools.some((t) => t.calls > 0) // columns without a number in them tell nothing
  const tokens = source.tools.reduce((n, t) => n + (t.offered && t.listed ? t.tokens : 0), 0)
  return html`<section class="card">
    <header><h2>${source.name}</h2>${source.kind !== source.name && html`<span class="dim">${source.kind}</span>`}
      <span class=${`state ${source.missing ? 'failed' : 'ok'}`}><i aria-hidden="true"></i>${source.missing ? 'missing' : 'there'}
        ${source.since && html` since ${since(source.since, now)}`}</span>
      <span class="grow"></span><span class="dim num">${count(tokens)} tokens</span></header>
    ${source.error && html`<p class="warn">${source.error}</p>`}
    ${source.tools.length === 0 ? html`<${Empty}>It brings no tools.<//>` : html`<div class="scroll"><table class="grid tools">
      <thead><tr><th>Tool</th><th>Kind</th><th>What it does</th><th class="num">Tokens</th>
        ${used && html`<th class="num">Calls</th><th class="num wide">Failed</th><th class="num wide">Refused</th>`}${store.shows.switch && html`<th>On</th>`}</tr></thead>
      <tbody>${source.tools.map((t) => html`<${Tool} key=${t.name} t=${t} used=${used} done=${done} />`)}</tbody></table></div>`}
  </section>`
}

function Tool({ t, used, done }) {
  const [change, setChange] = useState(null)
  const ask = async () => setChange(await act('switch', { name: t.name, on: !t.offered, do: false }))
  const make = async () => {
    const made = await act('switch', { name: t.name, on: !t.offered, do: true })
    if (made && made.note) store.error = made.note
    setChange(null)
    done()
  }
  return html`<tr class=${t.offered ? '' : 'off'}>
      <td class="mono name"><a href=${'#/why?tool=' + encodeURIComponent(t.name)}>${t.name}</a></td>
      <td><${Kind} is=${t.kind} /></td>
      <td class="what">${t.short}${t.why && html`<br /><span class="dim">Off: ${t.why}</span>`}
        ${t.offered && !t.listed && html`<br /><span class="dim">Not listed: it is found by search and called by name.</span>`}</td>
      <td class="num">${count(t.tokens)}</td>
      ${used && html`<td class="num">${t.calls ? count(t.calls) : ''}</td>
        <td class="num wide">${t.failed ? count(t.failed) : ''}</td>
        <td class="num wide">${t.refused ? count(t.refused) : ''}</td>`}
      ${store.shows.switch && html`<td><input type="checkbox" role="switch" class="switch" checked=${t.offered} disabled=${t.locked}
        aria-label=${`${t.name} is offered`} title=${t.locked ? 'Fixed by whoever manages this machine' : undefined} onClick=${(e) => { e.preventDefault(); ask() }} /></td>`}
    </tr>
    ${change && html`<tr class="detail"><td colspan="8"><p>This sets, in <span class="mono">${change.file}</span>:</p>
      <pre class="code">${change.line}</pre>
      <p class="answers"><button class="yes" onClick=${make}>Switch ${t.name} ${t.offered ? 'off' : 'on'}</button>
        <button onClick=${() => setChange(null)}>Leave it</button></p></td></tr>`}`
}
