// Sessions: who calls, and what was approved for longer than once.

import { html, useState } from './preact-htm.js'
import { get } from './api.js'
import { act, store } from './store.js'
import { clock, count, Empty, Problem, useLoad, useStore } from './parts.js'

export function Sessions() {
  const s = useStore()
  const [again, setAgain] = useState(0)
  const busy = Math.floor(s.begun / 20) // looked at again now and then while calls come
  const { value: list, error } = useLoad(() => get('sessions'), [s.notice, again, busy, s.questions.size])
  const revoke = async (session, grant) => {
    if (await act('revoke', { session, grant })) setAgain(again + 1)
  }
  const end = async (session) => {
    if (await act('end', { session })) setAgain(again + 1)
  }
  return html`<h1>Sessions</h1><${Problem} text=${error} />
    ${list && list.map((x) => html`<section class="card" key=${x.id}>
      <header><h2>${x.id ? x.client || 'A client' : 'Approved for always'}</h2>
        ${x.id ? html`<span class="mono dim">${x.id}</span>` : html`<span class="dim">in this workspace</span>`}
        ${x.id && x.principal !== 'local' && html`<b>${x.principal}</b>`}<span class="grow"></span>
        ${x.id && html`<span class="dim num">${x.calls ? `${count(x.calls)} ${x.calls === 1 ? 'call' : 'calls'}, ${clock(x.since)} to ${clock(x.last)}` : `no call yet, there since ${clock(x.since)}`}</span>`}
        ${x.id && (x.open ? s.shows.end && html`<button class="no" aria-label=${`End it: the session of ${x.client || "a client"}`} onClick=${() => end(x.id)}>End it</button>` : html`<span class="dim">ended</span>`)}</header>
      ${x.grants.length === 0 ? html`<${Empty}>${x.id ? 'Nothing is approved for this session.' : 'Nothing yet. What you say Always to stands here.'}<//>`
        : html`<div class="scroll"><table class="grid tools"><thead><tr><th>Tool</th><th>What it covers</th><th class="wide">Approved with</th><th>When</th><th><span class="sr">What to do</span></th></tr></thead>
        <tbody>${x.grants.map((g) => html`<tr><td class="mono name">${g.tool}</td><td class="what mono">${covers(g)}</td><td class="wide dim">${g.title}</td>
          <td class="num dim time">${clock(g.when)}</td><td><button class="no" aria-label=${`Take back: ${g.title}`} onClick=${() => revoke(x.id, g.id)}>Take back</button></td></tr>`)}</tbody>
        </table></div>`}
    </section>`)}
    ${list && list.length === 1 && html`<p class="dim">No client is here. ${store.begun > 0 ? 'These calls had no session.' : ''}</p>`}`
}

const covers = (g) => ({ '': 'exactly this call', '@tool': 'every call of it', '@server': 'everything of the server' }[g.rule] || g.rule)
