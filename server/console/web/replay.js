// Replay: the calls of a cassette (helve run --record), and what they come to now.

import { html, useState } from './preact-htm.js'
import { parse, post } from './api.js'
import { changed, store } from './store.js'
import { Code, count, Empty, Problem, State, useStore } from './parts.js'

const mostBytes = 64 << 20 // of a file
const mostCalls = 5000
const mostShown = 4000 // characters of a text
const page = 100 // rows

// read takes a cassette apart: a call in each line. It stays in this page.
async function read(file) {
  if (file.size > mostBytes) throw new Error(`It has ${count(file.size)} bytes: the most is ${count(mostBytes)}.`)
  const lines = (await file.text()).split('\n').filter((l) => l.trim())
  if (lines.length === 0) throw new Error('There is no call in it.')
  const calls = lines.slice(0, mostCalls).map((line, i) => {
    try {
      return recorded(line)
    } catch {
      throw new Error(`Line ${i + 1} is no recorded call: want what helve run --record writes.`)
    }
  })
  return { name: file.name, calls, left: lines.length - calls.length }
}

// recorded is one call: as it is made again, and as it is shown.
function recorded(line) {
  const made = JSON.parse(line)
  const shown = parse(line)
  if (typeof made.name !== 'string' || !made.result) throw new Error('no call')
  return {
    tool: made.name,
    args: made.text ? undefined : made.args || {},
    name: shown.name,
    asked: shown.text || JSON.stringify(shown.args || {}, null, 2),
    text: (shown.result.parts || []).filter((p) => p.type === 'text').map((p) => p.text).join('\n'),
    failed: shown.result.error ? shown.result.error.type || 'failed' : '',
    now: null,
  }
}

export function Replay() {
  const tape = useStore().tape
  const [problem, setProblem] = useState('')
  const [open, setOpen] = useState(-1)
  const [rows, setRows] = useState(page)
  const choose = async (e) => {
    const [file] = e.target.files
    if (!file) return
    try {
      store.tape = await read(file)
      setProblem('')
    } catch (e) {
      setProblem(e.message)
    }
    setOpen(-1)
    setRows(page)
    changed()
  }
  return html`<h1>Replay ${tape && html`<span class="count">${count(tape.calls.length)}</span>`}</h1>
    <p class="meta">What <span class="mono">helve run --record FILE</span> wrote: each call with its result, beside what it comes to now.
      A call that you make is one of your own, under the rules that hold for everybody.</p>
    <form class="filters" onSubmit=${(e) => e.preventDefault()}><label>Cassette <input type="file" onChange=${choose} /></label></form>
    <${Problem} text=${problem} />
    ${!tape ? html`<${Empty}>Choose a file. It is read by this page and goes nowhere.<//>` : html`
    <h2 class="part mono">${tape.name}</h2>
    ${tape.left > 0 && html`<p class="warn">${count(tape.left)} more calls are not shown.</p>`}
    <div class="scroll"><table class="grid calls">
      <thead><tr><th class="num">No.</th><th>Then</th><th>Tool</th><th>Arguments</th><th>Now</th></tr></thead>
      <tbody>${tape.calls.slice(0, rows).map((c, i) => html`<${Row} key=${i} c=${c} n=${i + 1} open=${open === i}
        toggle=${() => setOpen(open === i ? -1 : i)} />`)}</tbody></table></div>
    ${tape.calls.length > rows && html`<p><button onClick=${() => setRows(rows + page)}>Show ${Math.min(page, tape.calls.length - rows)} more</button></p>`}`}`
}

function Row({ c, n, open, toggle }) {
  return html`<tr class=${`row ${open ? 'opened' : ''}`}>
      <td class="num dim">${n}</td>
      <td class="st"><${State} is=${c.failed ? 'failed' : 'ok'} /></td>
      <td class="mono name">${c.name}</td>
      <td class="what mono"><button class="link" aria-expanded=${open} onClick=${toggle}>${oneLine(c.asked)}</button></td>
      <td class="st">${c.now && html`<${Now} c=${c} />`}</td></tr>
    ${open && html`<tr class="detail"><td colspan="5"><${Detail} c=${c} n=${n} /></td></tr>`}`
}

// Now is what a call came to, in a word.
function Now({ c }) {
  if (c.now.busy) return html`<${State} is="running" />`
  if (c.now.error) return html`<${State} is="failed" />`
  return html`<span class="dim">${same(c) ? 'the same' : 'another result'}</span>`
}

const same = (c) => c.now.text === c.text && (c.now.failed || '') === c.failed

function Detail({ c, n }) {
  const call = async () => {
    c.now = { busy: true }
    changed()
    try {
      c.now = await post('play', { tool: c.tool, args: c.args })
    } catch (e) {
      c.now = { error: e.message }
    }
    changed()
  }
  const now = c.now
  const came = now && !now.busy && !now.error
  return html`<h2 class="part">Arguments</h2><${Code} text=${cut(c.asked)} label="Arguments" />
    <p class="answers">${c.args === undefined ? html`<span class="dim">Its arguments are no JSON: it cannot be called again.</span>`
      : html`<button disabled=${now && now.busy} aria-label=${`Call it now: number ${n}`} onClick=${call}>Call it now</button>`}
      ${now && now.busy && html`<span role="status" class="dim">It runs, or waits for an answer: <a href="#/waiting">Waiting</a></span>`}</p>
    <${Problem} text=${now && now.error} />
    <div class="columns"><div><h2 class="part">Then${c.failed && `: ${c.failed}`}</h2><${Code} text=${cut(c.text)} label="Result then" /></div>
      ${came && html`<div><h2 class="part">Now${now.failed ? `: ${now.failed}` : same(c) ? ': the same' : ''}</h2><${Code} text=${cut(now.text)} label="Result now" /></div>`}</div>`
}

function oneLine(text) {
  const line = text.replace(/\s+/g, ' ')
  return line.length > 160 ? line.slice(0, 160) + '…' : line
}

const cut = (text) => (text.length > mostShown ? `${text.slice(0, mostShown)}\n… ${count(text.length - mostShown)} characters more` : text)
