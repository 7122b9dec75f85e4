// What the page knows: the calls and questions of helve, kept up to date.

import { get, listen, login, post, visible, wasRenewed, Failure } from './api.js'

const kept = 500 // calls, as many as helve keeps
const drawEvery = 16 // ms between two drawings: helve tells of changes more seldom where there is no end to them
const drawSeldom = 400 // ms, while so much happens that nobody can
const much = 30 // calls in the last half second or so, as they fade
const fade = 500 // ms
const longest = 10_000 // ms that helve may take to say how things stand; it is asked again then

export const store = {
  phase: 'loading', // loading, login, open
  connected: false,
  error: '', // above the page
  problem: '', // likewise, while helve says so: a configuration that cannot be used
  news: wasRenewed() ? 'helve was updated: this is the page of the new one.' : '', // above the page, until it is closed
  said: '', // what screen readers are told
  calls: new Map(),
  questions: new Map(),
  begun: 0,
  lost: 0,
  notice: 0, // rises when tools, sessions or the configuration changed
  shows: {},
  tried: {}, // what the last call of one's own came to
  tape: null, // the cassette that is looked at
}

const listeners = new Set()
let drawing = 0
let drawn = 0 // when
let busy = false
let heat = 0 // calls of late
let heated = 0 // when

export function subscribe(f) {
  listeners.add(f)
  return () => listeners.delete(f)
}

export function changed() {
  if (drawing) return
  const due = drawn + (busy ? drawSeldom : drawEvery)
  drawing = setTimeout(() => { // what comes after a pause is drawn at once
    drawing = 0
    drawn = performance.now()
    for (const f of listeners) f()
  }, Math.max(0, due - performance.now()))
}

function take(b) {
  const now = performance.now()
  heat = heat * Math.exp((heated - now) / fade) + (b.calls || []).length
  heated = now
  busy = heat > much && !b.questions
  for (const c of b.calls || []) {
    const old = store.calls.get(c.n)
    if (!old || old.rev < c.rev) store.calls.set(c.n, c)
  }
  if (store.calls.size > kept) {
    const oldest = [...store.calls.keys()].sort((x, y) => x - y)
    for (const n of oldest.slice(0, store.calls.size - kept)) store.calls.delete(n)
  }
  for (const q of b.questions || []) {
    if (!store.questions.has(q.id)) store.said = `${q.tool} asks: ${q.title}`
    store.questions.set(q.id, q)
  }
  if (b.waiting) {
    const waits = new Set(b.waiting)
    for (const id of store.questions.keys()) if (!waits.has(id)) store.questions.delete(id)
  }
  if (b.begun) store.begun = b.begun
  store.lost += b.lost || 0
  if (b.notice) store.notice++
  if (b.problem != null) store.problem = b.problem
  document.title = (store.questions.size ? `(${store.questions.size}) ` : '') + 'helve console'
  changed()
}

async function load() {
  const s = await get('state', {}, AbortSignal.timeout(longest))
  store.calls.clear()
  store.problem = ''
  store.questions.clear()
  Object.assign(store, {
    version: s.version, title: s.title, shows: s.shows,
    phase: 'open', connected: true, error: '', skew: Date.parse(s.now) - Date.now(),
  })
  take(s)
  store.notice++
  return s.rev
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms))

// run logs in, loads, and follows until the page is closed.
export async function run() {
  try {
    await login()
  } catch (e) {
    store.error = e.message
  }
  for (let wait = 1000; ; wait = Math.min(wait * 2, 10_000)) {
    try {
      let rev = await load()
      wait = 1000
      for (let behind = false; ; behind = false) {
        await listen(rev, (b) => {
          if (b.behind) {
            behind = true
            throw new Failure(-1, 'behind')
          }
          const known = new Set(store.questions.keys())
          take(b)
          for (const q of b.questions || []) if (!known.has(q.id)) notify(q)
        }).catch((e) => {
          if (!behind) throw e
        })
        rev = await load()
      }
    } catch (e) {
      store.connected = false
      if (e.status === 401) {
        store.phase = 'login'
        changed()
        return
      }
      store.offline = e.message
      changed()
    }
    await pause(wait)
  }
}

function notify(q) {
  if (!document.hidden || !('Notification' in window) || Notification.permission !== 'granted') return
  const n = new Notification('helve waits for you', { body: `${q.tool}: ${q.title}`, tag: q.id })
  n.onclick = () => {
    window.focus()
    location.hash = '#/waiting'
  }
}

// act does what a button says, and shows what went wrong.
export async function act(path, body, unknown) {
  try {
    const answer = await post(path, body)
    store.error = ''
    return answer
  } catch (e) {
    store.error = visible(e.status === 0 && unknown ? unknown : e.message)
    changed()
    return null
  }
}
