// The page: its frame, and which view it shows.

import { html, render, useEffect, useState } from './preact-htm.js'
import { logout, post } from './api.js'
import { changed, run, store } from './store.js'
import { useStore } from './parts.js'
import { Waiting } from './waiting.js'
import { Calls } from './calls.js'
import { Board } from './board.js'
import { Why } from './why.js'
import { Audit } from './audit.js'
import { Figures } from './figures.js'
import { Servers } from './servers.js'
import { Sessions } from './sessions.js'
import { Play } from './play.js'
import { Replay } from './replay.js'
import { Rules } from './rules.js'
import { Past } from './past.js'
import { Review, useLeft } from './review.js'

const views = [
  { name: 'waiting', title: 'Waiting', view: Waiting, number: (s) => s.questions.size },
  { name: 'review', title: 'Review', view: Review, needs: 'review', number: (s, left) => left.value?.waiting },
  { name: 'calls', title: 'Calls', view: Calls },
  { name: 'history', title: 'History', view: Past, needs: 'history' },
  { name: 'rules', title: 'Rules', view: Rules, needs: 'rules' },
  { name: 'tools', title: 'Tools', view: Board, needs: 'board' },
  { name: 'servers', title: 'Servers', view: Servers, needs: 'servers' },
  { name: 'sessions', title: 'Sessions', view: Sessions, needs: 'sessions' },
  { name: 'why', title: 'Why', view: Why, needs: 'why' },
  { name: 'audit', title: 'Audit', view: Audit, needs: 'audit' },
  { name: 'figures', title: 'Figures', view: Figures, needs: 'figures' },
  { name: 'try', title: 'Try', view: Play, needs: 'play' },
  { name: 'replay', title: 'Replay', view: Replay, needs: 'play' },
]

// route is the view and its query: #/why?tool=bash
function route() {
  const [, name, query] = location.hash.match(/^#\/([a-z]*)\??(.*)$/) || []
  return { name: name || 'waiting', query: new URLSearchParams(query) }
}

function App() {
  const s = useStore()
  const [at, go] = useState(route())
  const left = useLeft(s, at.name)
  useEffect(() => {
    const move = () => go(route())
    addEventListener('hashchange', move)
    return () => removeEventListener('hashchange', move)
  }, [])
  if (s.phase === 'loading') return html`<p class="loading">${s.offline || 'Loading…'}</p>`
  if (s.phase === 'login') return html`<${Login} />`
  const there = views.filter((v) => !v.needs || s.shows[v.needs])
  const shown = there.find((v) => v.name === at.name) || there[0]
  return html`<a class="skip" href="#main" onClick=${(e) => { e.preventDefault(); document.getElementById('main').focus() }}>Skip to content</a>
    <header class="top">
      <span class="brand"><img src="icon.svg" alt="" width="22" height="22" /> helve</span>
      <span class="title" title=${s.title}>${s.title}</span>
      <span class=${`state ${s.connected ? 'ok' : 'failed'}`}><i aria-hidden="true"></i>${s.connected ? 'connected' : 'not connected'}</span>
      <button class="plain" onClick=${leave}>Log out</button>
    </header>
    <${Views} of=${there} shown=${shown} s=${s} left=${left} />
    <main id="main" tabindex="-1">
      ${!s.connected && html`<p class="problem" role="alert">${s.offline}: this is what was known before. Trying again…</p>`}
      ${s.problem && html`<p class="problem" role="alert">${s.problem}</p>`}
      <${News} />
      ${s.error && html`<p class="problem" role="alert">${s.error} <button class="plain" onClick=${() => { store.error = ''; changed() }}>Close</button></p>`}
      <${shown.view} query=${at.query} left=${left} key=${shown.name} />
    </main>
    <p class="sr" aria-live="polite">${s.said}</p>`
}

// Views leads to the others.
function Views({ of, shown, s, left }) {
  return html`<nav aria-label="Views">${of.map((v) => html`<a href=${'#/' + v.name} aria-current=${v === shown ? 'page' : undefined}>
      ${v.title}${v.number && v.number(s, left) > 0 && html` <span class="badge">${v.number(s, left)}</span>`}</a>`)}
    <span class="version">helve ${s.version}</span></nav>`
}

function News() {
  const close = () => { store.news = ''; changed() }
  return store.news && html`<p class="news" role="status">${store.news} <button class="plain" onClick=${close}>Close</button></p>`
}

async function leave() {
  await logout().catch(() => {})
  location.reload()
}

function Login() {
  const s = useStore()
  const [said, say] = useState('')
  const link = () => post('link', {}).then(() => say('There is a new link, in the place of the first one.'), (e) => say(e.message))
  return html`<main class="login"><h1><img src="icon.svg" alt="" width="28" height="28" /> helve console</h1>
    <${News} />
    ${s.error && html`<p class="problem" role="alert">${s.error}</p>`}
    <p>Open the link that helve gave when it started: in its terminal, or in the file that it named. It is good once, for two minutes.</p>
    <p><button class="yes" onClick=${link}>Give me a new link</button></p>
    <p role="status" class="dim">${said}</p></main>`
}

addEventListener('hashchange', () => { if (location.hash.startsWith('#token=')) location.reload() })
render(html`<${App} />`, document.getElementById('app'))
run()
