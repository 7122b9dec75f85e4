// Small parts that the views share.

import { html, useEffect, useState } from './preact-htm.js'
import { store, subscribe } from './store.js'

// useStore draws a component anew when the store changes.
export function useStore() {
  const [, draw] = useState(0)
  useEffect(() => subscribe(() => draw((n) => n + 1)), [])
  return store
}

// useClock draws anew once a second.
export function useClock() {
  const [now, set] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => set(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return now + (store.skew || 0)
}

// useLoad loads something when what it depends on changes. The last answer stays while the next one comes.
export function useLoad(load, on) {
  const [state, set] = useState({ loading: true })
  useEffect(() => {
    let current = true
    set((s) => ({ ...s, loading: true }))
    load().then(
      (value) => current && set({ value }),
      (e) => current && set((s) => ({ value: s.value, error: e.message })),
    )
    return () => { current = false }
  }, on)
  return state
}

const words = {
  running: 'running', asking: 'waits', client: 'asks client', ok: 'ok', failed: 'failed', refused: 'refused', stopped: 'stopped',
}

export const State = ({ is }) => html`<span class=${`state ${is}`}><i aria-hidden="true"></i>${words[is] || is}</span>`

export const Kind = ({ is }) => html`<span class=${`kind ${is}`}>${is}</span>`

export const Problem = ({ text }) => text && html`<p class="problem" role="alert">${text}</p>`

export const Empty = ({ children }) => html`<p class="empty">${children}</p>`

// line is a text that stands in one line: a browser would show the end of a line as a blank.
export const line = (text) => text.replace(/\n/g, '\\n').replace(/\t/g, '\\t')

// Diff shows a unified diff: signs stay, colour comes on top.
export const Diff = ({ text }) => html`<pre class="diff" tabindex="0" aria-label="What would change">${text
  .replace(/\n$/, '').split('\n').map((l) => html`<span class=${diffClass(l)}>${l + '\n'}</span>`)}</pre>`

function diffClass(line) {
  if (line.startsWith('+++') || line.startsWith('---')) return 'head'
  if (line.startsWith('@@')) return 'at'
  if (line.startsWith('+')) return 'plus'
  if (line.startsWith('-')) return 'minus'
  return ''
}

export const Code = ({ text, label }) => html`<pre class="code" tabindex="0" aria-label=${label}>${text}</pre>`

export const Effects = ({ of, more }) => of && of.length > 0 && html`<ul class="effects">
  ${of.map((e) => html`<li><${Kind} is=${e.kind} /> <span class="mono">${e.target === '*' ? 'anything' : line(e.target)}</span></li>`)}
  ${more > 0 && html`<li class="dim">and ${more} more</li>`}
</ul>`

// Would shows what a call that is not made would do.
export const Would = ({ of }) => of && html`<section class="card"><header><h2>What it would do</h2></header>
  <p>${of.title}</p><${Problem} text=${of.problem} />
  <${Effects} of=${of.effects} more=${of.more} />
  ${of.line && !(of.preview || '').includes(of.line) && html`<${Code} text=${of.line} label="The command" />`}
  ${of.preview && (of.diff ? html`<${Diff} text=${of.preview} />` : html`<${Code} text=${of.preview} label="What would happen" />`)}</section>`

export function duration(ms) {
  if (ms == null) return ''
  if (ms === 0) return '0'
  if (ms < 10) return `${ms.toFixed(1)} ms`
  if (ms < 10_000) return `${Math.round(ms)} ms`
  if (ms < 120_000) return `${(ms / 1000).toFixed(1)} s`
  return `${Math.round(ms / 60_000)} min`
}

export function bytes(n) {
  if (!n) return '0'
  if (n < 1000) return `${n} B`
  if (n < 1e6) return `${(n / 1000).toFixed(n < 1e4 ? 1 : 0)} kB`
  return `${(n / 1e6).toFixed(1)} MB`
}

export const count = (n) => (n || 0).toLocaleString('en')

const sameDay = { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false }
const otherDay = { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hour12: false }

export function clock(text) {
  const t = new Date(text)
  const today = t.toDateString() === new Date().toDateString()
  return t.toLocaleString('en', today ? sameDay : otherDay)
}

export function since(text, now) {
  const s = Math.max(0, Math.round((now - Date.parse(text)) / 1000))
  if (s < 120) return `${s} s`
  if (s < 7200) return `${Math.round(s / 60)} min`
  return `${Math.round(s / 3600)} h`
}

// Who is a session in a few characters. The whole is in its title.
export const Who = ({ session, principal }) => session
  ? html`<span class="mono" title=${session}>${principal && principal !== 'local' ? principal + ' ' : ''}${session.slice(0, 6)}</span>`
  : html`<span class="dim">${principal || '–'}</span>`
