// Try: a call that a person makes, under the rules that hold for everybody.

import { html, useEffect, useState } from './preact-htm.js'
import { get, post } from './api.js'
import { changed, store } from './store.js'
import { Code, Problem, State, useLoad, useStore, Would } from './parts.js'

const most = 30 // fields of a form: a longer one is better written as JSON

// fields are those of a schema that a form can ask for; null: it cannot, and the arguments are JSON. Nothing of a schema
// is run here: a pattern may take for ever.
function fields(schema) {
  const all = Object.entries(schema?.properties || {})
  const kind = (s) => (Array.isArray(s.enum) ? 'enum' : s.type)
  if (all.length > most || all.some(([, s]) => !['string', 'integer', 'number', 'boolean', 'enum'].includes(kind(s)))) return null
  return all.map(([name, s]) => ({ name, kind: kind(s), s, required: (schema.required || []).includes(name) }))
}

// written are the arguments as the form says them. What is empty is left out.
function written(form, values) {
  const out = {}
  for (const f of form) {
    const v = values[f.name]
    if (v === undefined || v === '') continue
    out[f.name] = f.kind === 'integer' || f.kind === 'number' ? Number(v) : v
  }
  return out
}

export function Play({ query }) {
  const [name, setName] = useState(query.get('tool') || '')
  const [text, setText] = useState('{}')
  const [values, setValues] = useState({})
  const [asJSON, setAsJSON] = useState(false)
  const came = useStore().tried
  const set = (v) => { store.tried = v; changed() } // it stays while the person answers what it asks
  const { value: board } = useLoad(() => get('board'), [])
  const names = board ? board.sources.flatMap((s) => s.tools.filter((t) => t.offered).map((t) => t.name)) : []
  const { value: tool, error } = useLoad(() => (names.includes(name) ? get('tool', { name }) : Promise.resolve(null)), [name, names.length])
  useEffect(() => { setValues({}); setText('{}') }, [tool && tool.name])
  const form = tool && !asJSON ? fields(tool.input) : null
  const arguments_ = () => (form ? written(form, values) : JSON.parse(text))
  const ask = (path) => async (e) => {
    e.preventDefault()
    try {
      const body = { tool: name, args: arguments_() }
      set({ busy: path === 'play' })
      const value = await post(path, body)
      set(path === 'play' ? { result: value, name } : { why: value.call, would: value.would })
    } catch (e) {
      set({ error: e instanceof SyntaxError ? `The arguments are no JSON: ${e.message}` : e.message })
    }
  }
  return html`<h1>Try</h1>
    <p class="meta">A call of your own, under the rules that hold for everybody. What needs approval waits on this page, too.</p>
    <form class="card" onSubmit=${ask('play')}>
      <p><label class="field">Tool <select required value=${name} onChange=${(e) => setName(e.target.value)}>
        <option value="">choose one</option>${names.map((n) => html`<option value=${n} selected=${n === name}>${n}</option>`)}</select></label></p>
      <${Problem} text=${error} />
      ${tool && html`<p class="meta">${tool.description.split('\n')[0]}</p>
        ${form ? form.map((f) => html`<${Field} key=${f.name} f=${f} value=${values[f.name]} set=${(v) => setValues({ ...values, [f.name]: v })} />`)
          : html`<p><label class="field">Arguments, as JSON <textarea spellcheck="false" value=${text} onInput=${(e) => setText(e.target.value)}></textarea></label></p>`}
        <p class="answers"><button class="yes" disabled=${came.busy}>Call ${name}</button><button type="button" onClick=${ask('why')}>What would it do?</button>
          ${fields(tool.input) && html`<button type="button" class="plain" onClick=${() => { setText(JSON.stringify(form ? written(form, values) : {}, null, 2)); setAsJSON(!asJSON) }}>
            ${asJSON ? 'Form' : 'JSON'}</button>`}</p>`}
    </form>
    ${came.busy && html`<p role="status" class="dim">It runs, or waits for an answer: <a href="#/waiting">Waiting</a>. The result is shown here.</p>`}
    <${Problem} text=${came.error} />
    ${came.why && html`<section class="card"><header><h2>It was not called</h2></header><p><b>${came.why.verdict}</b>: ${came.why.reason}
      ${came.why.rule && html` <span class="mono">${came.why.rule}</span>`}</p></section>
      <${Would} of=${came.would} />`}
    ${came.result && html`<section class="card"><header><h2>Result of ${came.name}</h2><${State} is=${came.result.failed ? 'failed' : 'ok'} /></header>
      ${came.result.repairs && html`<ul class="notes">${came.result.repairs.map((r) => html`<li>${r}</li>`)}</ul>`}
      <${Code} text=${came.result.text} label="Result" /></section>`}
    ${tool && html`<section class="card"><header><h2>As providers take it</h2></header>
      ${tool.declared.map((d) => html`<details><summary>${d.for}</summary>${d.json ? html`<${Code} text=${JSON.stringify(d.json, null, 2)} label=${d.for} />`
        : html`<p class="dim">It cannot be declared there.</p>`}</details>`)}</section>`}`
}

function Field({ f, value, set }) {
  const label = html`<span>${f.name}${f.required ? '' : ' (optional)'}</span>`
  const about = f.s.description && html`<span>${String(f.s.description).slice(0, 200)}</span>`
  const text = (e) => set(e.target.value)
  if (f.kind === 'boolean') {
    return html`<p><label><input type="checkbox" checked=${!!value} onChange=${(e) => set(e.target.checked || undefined)} /> ${label}</label></p>`
  }
  if (f.kind === 'enum') {
    return html`<p><label class="field">${label}<select required=${f.required} value=${value ?? ''} onChange=${text}><option value=""></option>
      ${f.s.enum.slice(0, 200).map((x) => html`<option>${String(x)}</option>`)}</select>${about}</label></p>`
  }
  if (f.kind !== 'string') {
    return html`<p><label class="field">${label}<input type="number" step=${f.kind === 'integer' ? 1 : 'any'} required=${f.required} value=${value ?? ''} onInput=${text} />${about}</label></p>`
  }
  const long = /command|content|string|text|script|prompt/.test(f.name)
  return html`<p><label class="field">${label}${long ? html`<textarea spellcheck="false" required=${f.required} value=${value ?? ''} onInput=${text}></textarea>`
    : html`<input spellcheck="false" required=${f.required} value=${value ?? ''} onInput=${text} />`}${about}</label></p>`
}
