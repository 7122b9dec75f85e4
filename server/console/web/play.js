// Try: a call that a person makes, under the rules that hold for everybody.

import { html, useEffect, useState } from './preact-htm.js'
import { get, post } from './api.js'
import { changed, store } from './store.js'
import { Code, Problem, State, useLoad, useStore, Would } from './parts.js'

const most = 30 // fields of a form: a longer one is better written as JSON
const simple = ['string', 'integer', 'number', 'boolean']

// fields are those of a schema's parameters; null: it has none, or too many, and the arguments are JSON. Nothing of a schema is run
// here: a pattern may take for ever.
function fields(schema) {
  const all = Object.entries(schema?.properties || {})
  if (all.length > most || (all.length === 0 && schema?.type !== 'object')) return null
  return all.map(([name, s]) => ({ name, required: (schema.required || []).includes(name), about: s.description, of: kinds(s) }))
}

// kinds are the forms that a value may have, each with what to ask for: one, or several of which the person chooses.
function kinds(s) {
  const one = (kind, s) => ({ kind, s })
  if (Array.isArray(s.enum)) return [one('enum', s)]
  const forms = s.anyOf || s.oneOf || (Array.isArray(s.type) ? s.type.map((type) => ({ ...s, type })) : null)
  if (forms) return forms.filter((f) => f.type !== 'null').flatMap(kinds)
  if (simple.includes(s.type)) return [one(s.type, s)]
  if (s.type === 'array' && simple.includes(s.items?.type)) return [one('list', s)]
  return [one('json', s)]
}

// words say what a form of a value is, where there are several.
const words = { string: 'text', integer: 'whole number', number: 'number', boolean: 'yes or no', enum: 'one of a list', list: 'list, one in each line', json: 'JSON' }

// written are the arguments as the form says them. What is empty is left out.
function written(form, values) {
  const out = {}
  for (const f of form) {
    const { as = 0, value } = values[f.name] || {}
    if (value === undefined || value === '') continue
    try {
      out[f.name] = valued(f.of[as], value)
    } catch (e) {
      throw new SyntaxError(`${f.name}: ${e.message}`)
    }
  }
  return out
}

// valued is a value as its form has it.
function valued({ kind, s }, value) {
  switch (kind) {
    case 'integer': case 'number': return Number(value)
    case 'json': return JSON.parse(value)
    case 'list': return value.split('\n').filter((line) => line !== '').map((line) => (s.items.type === 'string' ? line : JSON.parse(line)))
    default: return value
  }
}

export function Play({ query }) {
  const asked = query.get('tool') || ''
  const [name, setName] = useState(asked)
  useEffect(() => { if (asked) setName(asked) }, [asked])
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
  // turn shows the form as JSON, or the form again. What the form cannot say yet is left out.
  const turn = () => {
    let so = {}
    try {
      if (form) so = written(form, values)
    } catch (e) {
      set({ error: e.message })
    }
    setText(JSON.stringify(so, null, 2))
    setAsJSON(!asJSON)
  }
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
          ${fields(tool.input) && html`<button type="button" class="plain" onClick=${turn}>
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
  const { as = 0 } = value || {}
  const name = html`<span>${f.name}${f.required ? '' : ' (optional)'}</span>`
  const choice = f.of.length > 1 && html`<p><label>${f.name} is <select value=${as} onChange=${(e) => set({ as: Number(e.target.value) })}>
    ${f.of.map((o, i) => html`<option value=${i} selected=${i === as}>${words[o.kind]}</option>`)}</select></label></p>`
  const about = f.about && html`<span>${String(f.about).slice(0, 200)}</span>`
  return html`${choice}<${Input} of=${f.of[as]} name=${f.name} label=${name} about=${about} required=${f.required}
    value=${value && value.value} set=${(v) => set({ as, value: v })} />`
}

// Input asks for a value of one form.
function Input({ of, name, label, about, required, value, set }) {
  const text = (e) => set(e.target.value)
  switch (of.kind) {
    case 'boolean':
      return html`<p><label><input type="checkbox" checked=${!!value} onChange=${(e) => set(e.target.checked || undefined)} /> ${label}</label></p>`
    case 'enum':
      return html`<p><label class="field">${label}<select required=${required} value=${value ?? ''} onChange=${text}><option value=""></option>
        ${of.s.enum.slice(0, 200).map((x) => html`<option>${String(x)}</option>`)}</select>${about}</label></p>`
    case 'integer': case 'number':
      return html`<p><label class="field">${label}<input type="number" step=${of.kind === 'integer' ? 1 : 'any'} required=${required} value=${value ?? ''} onInput=${text} />${about}</label></p>`
  }
  const long = of.kind !== 'string' || /command|content|string|text|script|prompt/.test(name)
  return html`<p><label class="field">${label}${long ? html`<textarea spellcheck="false" required=${required} value=${value ?? ''} onInput=${text}></textarea>`
    : html`<input spellcheck="false" required=${required} value=${value ?? ''} onInput=${text} />`}${about}</label></p>`
}
