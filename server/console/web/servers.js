// Servers: the MCP servers behind the tools, what changed in them, and what a person may do about it.

import { html, useState } from './preact-htm.js'
import { get } from './api.js'
import { act, store } from './store.js'
import { clock, Code, count, Diff, duration, Empty, Problem, since, useClock, useLoad, useStore } from './parts.js'

export function Servers() {
  const s = useStore()
  const [again, setAgain] = useState(0)
  const busy = Math.floor(s.begun / 20) // looked at again now and then while calls come
  const { value: list, error } = useLoad(() => get('servers'), [s.notice, again, busy])
  const now = useClock()
  const up = list && list.filter((x) => x.up).length
  return html`<h1>Servers ${list && html`<span class="count">${up} of ${list.length} up</span>`}</h1><${Problem} text=${error} />
    ${!list && !error && html`<p class="dim">Loading…</p>`}
    ${list && list.length === 0 && html`<${Empty}>No MCP server is configured. <span class="mono">helve mcp add</span> adds one.<//>`}
    ${list && list.map((x) => html`<${Server} key=${x.name} x=${x} now=${now} done=${() => setAgain(again + 1)} />`)}`
}

// standing is a server's state in a word, and the class of its colour.
function standing(x) {
  if (x.disabled) return ['disabled', 'stopped']
  if (x.up) return ['up', 'ok']
  if (x.missing) return ['missing', 'failed']
  return ['not started', 'stopped'] // it starts when it is needed
}

function Server({ x, now, done }) {
  const [busy, setBusy] = useState(false)
  const [change, setChange] = useState(null)
  const [log, setLog] = useState(false)
  const [word, color] = standing(x)
  const off = x.tools > 0 && x.offered === 0
  const start = busy ? 'Starting…' : x.up ? 'Restart' : 'Start'
  const turn = off ? 'Switch all its tools on' : 'Switch all its tools off'
  const restart = async () => {
    setBusy(true)
    await act('server-restart', { name: x.name }, 'helve cannot be reached: whether the server was started is not known.')
    setBusy(false)
    done()
  }
  const flip = async (make) => {
    const made = await act('server-switch', { name: x.name, on: off, do: make })
    if (!make) return setChange(made)
    if (made && made.note) store.error = made.note
    setChange(null)
    done()
  }
  return html`<section class="card" aria-label=${x.name}>
    <header><h2>${x.name}</h2><span class="dim">${x.transport}</span>
      <span class=${`state ${color}`}><i aria-hidden="true"></i>${word}${x.up && x.since && html` since ${since(x.since, now)}`}</span>
      <span class="grow"></span>${x.about && html`<span class="dim">${x.about}</span>`}</header>
    ${x.error && html`<p class="warn">${x.error}</p>`}
    ${x.disabled ? html`<p class="meta">It is left out: <span class="mono">helve mcp enable ${x.name}</span>, and start helve again. ${x.at}</p>` : html`
    <dl>
      <dt>Tools</dt><dd>${count(x.tools)}${off ? ', all switched off' : x.offered < x.tools ? `, ${count(x.offered)} offered` : ''}</dd>
      <dt>Calls</dt><dd>${count(x.calls)}${x.failed > 0 && `, ${count(x.failed)} failed`}${x.refused > 0 && `, ${count(x.refused)} refused`}</dd>
      <dt>Process</dt><dd>${x.pids.length ? `pid ${x.pids.join(', ')}` : 'none that is known here'}${x.starts > 0 && `, connected ${count(x.starts)} ${x.starts === 1 ? 'time' : 'times'}`}</dd>
      ${x.listed && html`<dt>Listed</dt><dd>${clock(x.listed)}, in ${duration(x.list_ms)}</dd>`}
      ${x.protocol && html`<dt>Protocol</dt><dd>${x.protocol}</dd>`}
      ${x.at && html`<dt>Configured</dt><dd class="mono">${x.at}</dd>`}
    </dl>
    ${x.changed.map((c) => html`<${Changed} key=${c.digest} server=${x.name} c=${c} done=${done} />`)}
    ${change && html`<p>This sets, in <span class="mono">${change.file}</span>:</p><pre class="code">${change.line}</pre>
      <p class="answers"><button class="yes" onClick=${() => flip(true)}>Switch ${x.name} ${off ? 'on' : 'off'}</button>
        <button onClick=${() => setChange(null)}>Leave it</button></p>`}
    <p class="answers"><button disabled=${busy} aria-label=${`${start} ${x.name}`} onClick=${restart}>${start}</button>
      ${!change && x.tools > 0 && html`<button aria-label=${`${turn} (${x.name})`} onClick=${() => flip(false)}>${turn}</button>`}
      <button class="plain" aria-label=${`Log of ${x.name}`} aria-expanded=${log} onClick=${() => setLog(!log)}>Log</button>
      <a aria-label=${`Charts of ${x.name}`} href=${'#/figures?source=' + encodeURIComponent(x.name)}>Charts</a></p>
    ${log && html`<${Log} name=${x.name} />`}`}
  </section>`
}

function Changed({ server, c, done }) {
  const approve = async () => {
    await act('server-approve', { name: server, tool: c.tool, digest: c.digest }, 'helve cannot be reached: whether it was approved is not known.')
    done()
  }
  return html`<div class="changed"><h3 class="warn">The definition of ${c.tool} is not the one that was approved. Calls of it are refused.</h3>
    <${Diff} text=${c.diff} />
    ${c.too_long ? html`<p class="warn">It is too long to be shown as a whole, and to be approved here: <span class="mono">helve mcp approve ${server} ${c.tool}</span></p>`
      : html`<p class="answers"><button onClick=${approve}>Approve ${c.tool} as it is now</button>
        <span class="dim">Or leave it: it stays away until somebody approves it.</span></p>`}</div>`
}

function Log({ name }) {
  const [again, setAgain] = useState(0)
  const { value, error } = useLoad(() => get('server-log', { name }), [name, again])
  return html`<${Problem} text=${error} />
    ${value && (value.text ? html`<${Code} text=${value.text} label=${`What ${name} said on stderr`} />` : html`<p class="dim">It said nothing on stderr.</p>`)}
    <p><button class="plain" onClick=${() => setAgain(again + 1)}>Read it again</button></p>`
}
