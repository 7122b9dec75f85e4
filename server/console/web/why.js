// Why: who decides about a tool, and about a call of it.

import { html, useEffect, useState } from './preact-htm.js'
import { get, post } from './api.js'
import { Problem, useLoad, Would } from './parts.js'

export function Why({ query }) {
  const [tool, setTool] = useState(query.get('tool') || '')
  const [args, setArgs] = useState('')
  const [found, set] = useState({})
  const { value: board } = useLoad(() => get('board'), [])
  const names = board ? board.sources.flatMap((s) => s.tools.map((t) => t.name)) : []
  const ask = async (name = tool) => {
    if (!name) return
    try {
      const body = { tool: name }
      if (args.trim()) body.args = JSON.parse(args)
      set({ value: await post('why', body) })
    } catch (e) {
      set({ error: e instanceof SyntaxError ? `The arguments are no JSON: ${e.message}` : e.message })
    }
  }
  useEffect(() => {
    const name = query.get('tool') || ''
    if (name) setTool(name)
    ask(name || tool)
  }, [query.get('tool')])
  return html`<h1>Why</h1>
    <p class="meta">Which layer, file and line decides. Nothing is run, and nobody is asked.</p>
    <form class="card" onSubmit=${(e) => { e.preventDefault(); ask() }}>
      <p><label class="field">Tool <input list="names" required value=${tool} onInput=${(e) => setTool(e.target.value)} autocomplete="off" spellcheck="false" /></label>
        <datalist id="names">${names.map((n) => html`<option value=${n} />`)}</datalist></p>
      <p><label class="field">Arguments of a call, as JSON (optional)
        <textarea spellcheck="false" value=${args} placeholder='{"command": "git push"}' onInput=${(e) => setArgs(e.target.value)}></textarea></label></p>
      <button class="yes">Explain</button>
    </form>
    <${Problem} text=${found.error} />
    ${found.value && html`
      ${found.value.repairs && html`<ul class="notes">${found.value.repairs.map((r) => html`<li>${r}</li>`)}</ul>`}
      <${Reason} title="Is it offered?" of=${found.value.list} decides=${found.value.decides.list} />
      <${Reason} title="May it run?" of=${found.value.call} decides=${found.value.decides.call} />
      <${Would} of=${found.value.would} />`}`
}

function Reason({ title, of, decides = [] }) {
  const state = { allow: 'ok', ask: 'asking', deny: 'failed' }[of.verdict]
  return html`<section class="card"><header><h2>${title}</h2>
      <span class=${`state ${state}`}><i aria-hidden="true"></i>${of.verdict}</span></header>
    <p>${of.reason}</p>
    ${of.steps && html`<ol class="steps">${of.steps.map((s, i) => html`<li class=${decides.includes(i) ? 'decides' : ''}>
      <span class="dim">${s.what}</span>
      <span>${s.text}${s.says && ` = ${s.says}`}${decides.includes(i) && html` <span class="kind">decides</span>`}
        ${(s.file || s.layer) && html`<br /><span class="dim mono">${s.layer}${s.file && `, ${s.file}:${s.line}`}</span>`}</span>
    </li>`)}</ol>`}
  </section>`
}
